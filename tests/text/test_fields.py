import pytest

from summarizer_tool.prompts import Focus
from summarizer_tool.text.relevance import fillers

LEASE = {
    'Lease of the Mill': 'On 3 May Ada Orme and the Guild of Vant met Lord Harrow and Queen Ysolde at Marn.',
    'Lease of the Mill / Term': 'It begins with the thaw and runs for nine winters.',
    'Lease of the Mill / Rent': 'The miller pays twelve crowns.',
    'Lease of the Mill / Rest': 'Water',
    'Lease of the Mill / End': 'Water: the miller has it until the rent is two crowns behind.',
}


@pytest.mark.parametrize(
    ('hint', 'filling'),
    [
        ('term, rent', {1, 2}),
        ('{"properties": {"rent": {"type": "integer"}, "water": {"type": "string"}}}', {2, 4}),  # not a heading alone
        ('the_term', {1}),
        ('mill', set[int]()),  # it is above all of them
        ('people, places and dates', set[int]()),
        ('colour of the roof', set[int]()),
        ('what is the rent?', set[int]()),
        ('', set[int]()),
    ],
)
def test_a_field_of_a_schema_is_filled_by_what_says_it_first_or_stands_below_its_name(
    hint: str, filling: set[int]
) -> None:
    assert fillers([*LEASE.values()], Focus(schema_hint=hint), [*LEASE]) == filling
