"""What is said together, because one of two sentences alone would mislead."""

import pytest

from summarizer_tool import Settings, Summarizer
from tests.support.numbered_lines import read

REST = ' '.join(
    f'The {number}th barge of the season carried {number * 3} tons of salt to Marn.' for number in range(4, 60)
)


@pytest.mark.parametrize(
    ('told', 'corrected'),
    [
        ('The loss was first put at 90,000 gallons.', 'The meter had been misread and the loss was nearer 240,000.'),
        (
            'An earlier version of this page said that the lock closed in 1642.',
            'A reader found the deed, which has 1668.',
        ),
        ('You may have read that the weir harms salmon.', 'Three counts have found no such thing.'),
        (
            'MOTION: That the lock be sold to the brewery.',
            '\nIn favour: Orme, Vael. Against: Brook, Lunt, Sile.\nLOST 2-3.',
        ),
    ],
)
@pytest.mark.parametrize('focus', ['', 'loss lock weir roue'])
def test_what_was_said_before_stands_with_what_is_so(told: str, corrected: str, focus: str) -> None:
    text = f'# The canal\n\n{told} {corrected}\n\n{REST}'
    said = (
        Summarizer(Settings(llm_model='extractive')).summarize_sync(text, max_output_tokens=160, focus_areas=focus).text
    )
    assert told not in said or corrected.splitlines()[-1] in said
    assert told in said or not focus


def test_of_a_long_run_that_points_back_the_last_sentence_that_names_something_is_enough():
    page = (
        'The keepers of the lower dyke, who are chosen by the parish every third year, never write in the book itself. '
        'Instead, they write in a ledger that is kept in the mill beside the keys, and that nobody else opens. '
        'This ledger is read by the parish when the year ends, and by the miller, whenever the water has risen. '
        'It must be bound in leather.'
    )
    assert read(page)[-1][0] == page[page.index('This ledger') :]
