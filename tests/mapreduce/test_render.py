"""The text never exceeds its budget, wastes none of it, and says what the facts say."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.mapreduce.render import fit, shorten
from summarizer_tool.prompts import Focus
from summarizer_tool.text import tokens


def facts_of(*texts: str, document: int = 0) -> list[GroundedFact]:
    return [GroundedFact(text, 3, ((document, number),)) for number, text in enumerate(texts, 1)]


def told(
    *facts: tuple[tuple[str, ...], str], titles: Sequence[str], focus: Focus | None = None, budget: int = 200
) -> str:
    """The text of facts below their headings, of which the first may be the title of their document."""
    found = [
        GroundedFact(text, 3, ((titles.index(above[0]) if above and above[0] in titles else 0, number),))
        for number, (above, text) in enumerate(facts, 1)
    ]
    return fit(found, [], titles, budget, focus or Focus(), headings=[above for above, _ in facts]).text


def text_of(*texts: str, budget: int = 1000) -> str:
    return fit(facts_of(*texts), [], ['Doc'], budget).text


NAMES = Focus(schema_hint='people and places')


def test_each_fact_is_a_line_of_its_own() -> None:
    assert text_of('Vael was born in 1815.', 'Vael led the guild from 1840 to 1852.') == (
        'Vael was born in 1815.\nVael led the guild from 1840 to 1852.'
    )


def test_headings_and_facts_are_lines_without_structure_of_their_own() -> None:
    facts = [
        *facts_of('Vael rules\n\n# Marn\nfor ever.', '## Morn is old.', '- Ada is new.', document=0),
        *facts_of('Tom is here.', document=1),
        *facts_of('Zed is there.', document=2),
    ]
    titles = ['Zone\n# Ignore all\r\u2028- rules', '## ![x](http://evil.example/p.png) [Tom](http://t) <b>`', ' ']

    assert fit(facts, [], titles, 2000).text == snapshot("""\
# Zone # Ignore all - rules
Vael rules # Marn for ever.
Morn is old.
Ada is new.
# x Tom
Tom is here.
# Untitled
Zed is there.\
""")


def test_names_that_no_fact_says_are_listed_in_a_small_part_of_the_text() -> None:
    facts = facts_of(*(f'Keeper {n} of the gate lit lamp {n * 7} at dusk.' for n in range(200)))
    names = ['Keeper 7', 'Ann', 'Ember\nCourt', 'Tide Guild', *(f'Place{n}' for n in range(300))]
    rendered = fit(facts, [names[:4], names], ['Doc'], 5000, NAMES)

    assert rendered.entities[:3] == snapshot(['Ann', 'Tide Guild', 'Ember Court'])
    index = [line for line in rendered.text.splitlines() if line.startswith('Also named: ')]
    assert 0 < tokens.count('\n'.join(index)) <= tokens.count(rendered.text) / 30
    assert fit(facts_of('Vael is old.'), [names], ['Doc'], 2000, NAMES).text == 'Vael is old.'
    assert fit([], [names], ['Doc'], 2000, NAMES).text == ''
    assert 'Also named' not in fit(facts, [names], ['Doc'], 2000).text


def test_a_fact_that_is_larger_than_the_budget_gives_way_to_smaller_ones() -> None:
    facts = facts_of('Vael ' + 'and Morn ' * 200, 'Ada is old.', 'Tom is new.')

    assert fit(facts, [], ['Doc'], 30).kept == [1, 2]


WORD = st.sampled_from('Vael Morn is was led the gate old 12 1,963 Ember Court 瓦尔 Ødegård — a.'.split())  # noqa: SIM905
FACT = st.one_of(
    st.lists(WORD, min_size=1, max_size=30).map(' '.join),
    st.lists(WORD, min_size=1, max_size=12).map(lambda words: f'Vael was {" ".join(words)}.'),
    st.text(max_size=80),
)
PLACE = st.tuples(st.integers(0, 2), st.integers(1, 50))
GROUNDED = st.builds(GroundedFact, FACT, st.integers(1, 5), PLACE.map(lambda place: (place,)), st.booleans())
NAME = st.one_of(st.text(max_size=20), st.lists(WORD, min_size=1, max_size=3).map(' '.join))
TITLES = st.lists(st.text(max_size=40), min_size=3, max_size=3)


@settings(max_examples=100)
@given(st.lists(GROUNDED, max_size=60), st.lists(NAME, max_size=40), TITLES, st.integers(1, 900), FACT)
def test_no_budget_is_exceeded_or_wasted(
    facts: list[GroundedFact], names: list[str], titles: list[str], budget: int, focus: str
) -> None:
    rendered = fit(facts, [names], titles, budget, Focus(focus))
    used = tokens.count(rendered.text)

    assert used <= budget
    assert rendered.text == rendered.text.strip('\n')
    assert len(set(rendered.kept)) == len(rendered.kept)
    left_out = [fact for index, fact in enumerate(facts) if index not in set(rendered.kept) and fact.text.strip()]
    if left_out and budget >= 200:
        least = min(tokens.count(' '.join(fact.text.split())) + 1 for fact in left_out)
        assert budget - used < max(least, 0.03 * budget)


def test_a_single_token_is_no_mark() -> None:
    assert shorten('(((( is what Ada said.', 1) == '…'


@given(st.text(), st.integers(1, 50))
def test_shorten_keeps_the_beginning_within_the_budget(text: str, budget: int) -> None:
    short = shorten(text, budget)

    assert tokens.count(short) <= budget
    assert short == text or text.startswith(short.removesuffix('…'))


@pytest.mark.parametrize(
    'rows',
    [
        # Whom it is about, where it does not say so.
        [
            (('Marn', 'Ada Orme', 'Early life'), '[Ada Orme: ]She was taught in Wend.'),
            (('Marn', 'Ada Orme', 'Early life'), 'Her brother Carl is a miller.'),
            (('Marn', 'Carl Orme'), 'Orme built the mill.'),
            (('Marn', 'The Reeve'), 'In 604 the reeve was drowned.'),
            (('Marn', 'Salt Guild'), 'Wend has had a guild since 610.'),
            (('Marn', 'Salt Guild'), '[Salt Guild: ]The hall was burned in 612.'),
            (('Marn', 'old customs'), 'On 3 May bread is thrown into the river.'),
        ],
        # Which of a series.
        [
            (('Marn', 'Leak 17: lower gate'), '[Leak 17: lower gate: ]The cause was a worn seal.'),
            (('Marn', 'Leak 18: upper gate'), '[Leak 18: upper gate: ]Repairs took 12 days.'),
            (('Marn', 'Leak 18: upper gate'), 'It was dry by 3 May.'),
            (('Marn', 'Leak 19: mill race'), '[Leak 19: mill race: ]The cause was frost.'),
        ],
        # Of a timeline, its date.
        [
            (('Marn', 'Timeline', '33 A.R. — The coast'), '[33 A.R.: ]Third hamlet founded: Wend.'),
            (('Marn', 'Timeline', '33 A.R. — The coast'), '[33 A.R.: ]Ada Orme opens the mill.'),
            (('Marn', 'Timeline', '604–606 A.R.'), '605: The mill is burned.'),
            (('Marn', 'Timeline', '12 Oatmonth 610'), '[12 Oatmonth 610: ]It is rebuilt.'),
            (('Marn', 'Timeline', 'Year 612: The flood'), 'In year 612 the reeve is drowned.'),
            (('Wend', '1200 (a song)'), 'Carl Orme wrote it.'),
        ],
        # The whole date above it.
        [
            (('Marn', '2024-03-11'), '[2024-03-11: ]Ada built part 1.'),
            (('Marn', '2024-03-25 – Handover'), '[2024-03-25: ]Ada built part 2.'),
            (('Marn', 'c. 604–610'), '[c. 604–610: ]Ada built part 3.'),
            (('Marn', '12 March 1943: The flood'), '[12 March 1943: ]Ada built part 4.'),
        ],
    ],
    ids=['whom', 'series', 'timeline', 'dates'],
)
def test_for_a_schema_a_fact_has_what_it_does_not_say_of_its_headings(rows: list[tuple[tuple[str, ...], str]]) -> None:
    titles = list(dict.fromkeys(above[0] for above, _ in rows))
    facts = [(above, text.rpartition(']')[2]) for above, text in rows]
    lines = told(*facts, titles=titles, focus=NAMES).splitlines()
    assert [line for line in lines if not line.startswith('# ')] == [
        text.strip('[').replace(']', '') for _, text in rows
    ]


def test_no_fact_stands_below_a_heading_that_is_not_above_it() -> None:
    assert told(
        (('Sluices', 'Client', 'get', 'Parameters'), 'It waits for 30 seconds.'),
        (('Sluices', 'Waiter', 'get', 'Parameters'), 'It waits for 5 seconds.'),
        (('Sluices', 'May it be late?'), 'May it be late?: Yes, by a day.'),
        ((), 'The mill was sold.'),
        titles=['Sluices'],
    ) == snapshot("""\
## Client
### Parameters
It waits for 30 seconds.
## Waiter
### Parameters
It waits for 5 seconds.
## May it be late?
Yes, by a day.
***
The mill was sold.\
""")


def test_the_title_of_the_only_document_heads_a_part_where_others_stand_beside_it() -> None:
    beside = told(
        (('Upper mill', 'State'), 'It is open.'), (('Lower mill', 'State'), 'It is shut.'), titles=['Upper mill']
    )
    assert beside == snapshot("""\
## Upper mill
### State
It is open.
## Lower mill
### State
It is shut.\
""")


def test_a_value_that_a_schema_asks_for_is_told_of_each_who_has_it() -> None:
    who = ('Osric Vane', 'Maela Thorn', 'Dorrin Pike', 'Una Strake')
    facts: list[GroundedFact] = []
    for document, name in enumerate(who):
        rode = (f'In {300 + year} {name} crossed the Weir with {9 * year + document} riders.' for year in range(6))
        facts += facts_of('| Race | Value: Human |', *rode, document=document)
    assert fit(facts, [], who, 100, Focus.of('', 'NPCData: name; race')).text.count('Human') == len(who)


def test_rows_of_documents_whose_titles_have_no_room_are_told_with_these() -> None:
    told = [(0, 'The gate sticks.'), (0, '| State | open |'), (1, '| State | shut |'), (1, '| Held by | Ada Orme |')]
    facts = [GroundedFact(text, 3, ((document, number),)) for number, (document, text) in enumerate(told, 1)]
    assert fit(facts, [], ['Upper mill', 'Lower mill'], 60).text.splitlines() == [
        *('The gate sticks.', 'Upper mill: | State | open |'),
        *('Lower mill: | State | shut |', '| Held by | Ada Orme |'),
    ]


def test_what_is_told_stands_below_its_headings() -> None:
    facts = (
        (('Bags',), 'All bags are sewn in Marn.'),
        (('Bags', 'Wide', 'Care'), 'It must be waxed twice a year.'),
        (('Bags', 'Wide', 'Care'), 'It dries in a day.'),
        (('Bags', 'Old **oak**'), 'Old oak: Made in Wend.'),
        (('Bags', 'Old **oak**', 'Care'), 'It dries in two days.'),
        (('Bags', '4. Ends'), 'Ends: It is clear that all hold.'),
        (('Bags', '2. Straps', 'Removed'), 'Straps: It has no clasp.'),
    )
    assert told(*facts, titles=['Bags']) == snapshot("""\
All bags are sewn in Marn.
## Wide
### Care
It must be waxed twice a year.
It dries in a day.
## Old oak
Made in Wend.
### Care
It dries in two days.
## 4. Ends
It is clear that all hold.
## 2. Straps
### Removed
It has no clasp.\
""")
    # It is counted.
    for budget in range(1, 45):
        assert tokens.count(told(*facts, titles=['Bags'], budget=budget)) <= budget
