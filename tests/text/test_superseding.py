"""A later statement puts an earlier one out of date where both give the same thing different values, and only there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer_tool.text.superseding import superseded


@pytest.mark.parametrize(
    ('earlier', 'later'),
    [
        ('The deadline is 3 May.', 'The deadline was moved to 10 May.'),
        ('The deadline is 3 May.', 'The deadline is now 10 May.'),
        ('The deadline is 3 May.', 'The deadline is 10 May.'),
        ('The server runs Python 3.9.', 'The server now runs Python 3.12.'),
        ('Fireball deals 40 damage.', 'Fireball damage was reduced from 40 to 30.'),
        ('timeout: 30', 'timeout: 60'),
        ('Set pool_size to 20.', 'Set pool_size to 40.'),
        ('The pool size is 20.', 'The pool size was raised to 40.'),
        ('The office is in Berlin.', 'The office has moved to Hamburg.'),
        ('Dark mode is supported.', 'Dark mode is no longer supported.'),
        ('Deploys are allowed on Fridays.', 'Deploys are no longer allowed on Fridays.'),
        ('User prefers dark mode.', 'User now prefers light mode.'),
        ('The budget is $500.', 'Update: the budget is $700.'),
        ('Adults: The daily dose is 10 mg.', 'Adults: The daily dose is 8 mg.'),
        ('Ada: The launch is on Monday.', 'Ben: The launch has been moved to Tuesday.'),
        ('Ada: The deadline is 3 May.', 'Ben: The deadline is now 10 May.'),
        ('User: My meeting is at 3 pm on Tuesday.', 'Assistant: The meeting has been moved to 4 pm on Tuesday.'),
        ('Draft: The fee is 5 euros a day.', 'Final: The fee is 7 euros a day.'),
        ('The launch is on Monday.', 'Ben: The launch is on Tuesday.'),
        ('The API key rotates every 30 days.', 'The API key now rotates every 90 days.'),
        ('Karl is the project lead.', 'Karl is no longer the project lead.'),
        ('The release is planned for 12 June 2024.', 'The release has been postponed to 1 July 2024.'),
        ('Bob: The demo is on Tuesday.', 'Bob: The demo was moved to Thursday.'),
        ('The guild hall can hold 40 players.', 'The guild hall can now hold 60 players.'),
        ('The core hours are 10:00 to 15:00.', 'The core hours are now 9:30 to 14:30.'),
        ('The train leaves at 7:40.', 'Mara: Correction: the train leaves at 8:15.'),
        ('The default port is 8080.', 'The default port changed from 8080 to 9090.'),
        ('The handover is on 3 May.', 'The handover moves to 10 May.'),
        ('Bob: The budget is 40,000 euros.', 'Bob: Small correction: the budget is 55,000 euros.'),
        ('The server runs on port 8080.', '> Update: the server runs on port 9090.'),
    ],
)
def test_the_later_value_of_the_same_thing_stands(earlier: str, later: str) -> None:
    assert superseded([earlier, 'The weather is fine in the hills.', later]) == {0: 2}


@pytest.mark.parametrize(
    ('one', 'other'),
    [
        ('Ada was born in 1840.', 'Karl was born in 1841.'),
        ('Ada was born in 1840.', 'Ada was born in 1841.'),
        ('In March sales were $40.', 'In April sales were $50.'),
        ('Sales in March are $40.', 'Sales in April are $50.'),
        ('Chapter 1 is about dogs.', 'Chapter 2 is about cats.'),
        ('| Heron | Lost: 1872 |', '| Egret | Lost: 1873 |'),
        ('The project budget is $500.', 'The travel budget is now $200.'),
        ('The production database is in eu-1.', 'The staging database is now in us-2.'),
        ('Ada won the prize in 1990.', 'Ada won the prize in 1992.'),
        ('Call Anna on Monday.', 'Call Anna on Tuesday.'),
        ('Anna is a nurse in Berlin.', 'Anna is a singer in Rome.'),
        ('The red team has 4 players.', 'The blue team has 5 players.'),
        ('The museum is open on Monday.', 'The library is now open on Tuesday.'),
        ('Buy 3 apples.', 'Buy 4 pears.'),
        ('Tom is 12 years old.', 'Tom is 180 cm tall.'),
        ('The first test takes 3 seconds.', 'The second test takes 5 seconds.'),
        ('The ticket costs $10 for adults.', 'The ticket costs $5 for children.'),
        ('The river is 300 km long.', 'The river is 40 km wide.'),
        ('Paris is the capital of France.', 'Rome is the capital of Italy.'),
        ('The limit is 5 requests.', 'The limit is 10 files.'),
        ('Step 1 takes 5 minutes.', 'Step 2 takes 7 minutes.'),
        ('The trial has 30 patients in group A.', 'The trial has 32 patients in group B.'),
        ('Version 1.2 requires Python 3.8.', 'Version 1.3 requires Python 3.9.'),
        ('The station is open from 8:00 on Monday.', 'The station is open from 9:00 on Sunday.'),
        ('Peter is married to Ann.', 'Peter is the brother of Tom.'),
        ('The company has 50 employees in Paris.', 'The company now has 80 employees in Rome.'),
        ('Lunch is at 12:00.', 'Dinner is at 18:00.'),
        ('Adults: The daily dose is 10 mg.', 'Children: The daily dose is 5 mg.'),
        ('Adults: The daily dose is 10 mg.', 'Children: The daily dose is now 5 mg.'),
        ('Route 4: The first bus is at 06:10.', 'Route 7: The first bus is at 07:40.'),
        ('The shop is open at 9:00.', 'Sunday: The shop is open at 11:00.'),
        ('Ada: My deadline is Monday.', 'Bob: My deadline is now Friday.'),
        ('Ada: My deadline is Monday.', 'Bob: My deadline is Friday.'),
        ('Notable changes: http2', 'Notable changes: zlib'),
        ('Use let instead of var in Worker.', 'Use let instead of var in Timer.'),
        ('Never share the vault code.', 'Never share the door code AB-12.'),
        ("The patient's temperature is 38.5.", "The nurse's temperature is 36.6."),
        ('The men’s record is 9.58 seconds.', 'The women’s record is 10.49 seconds.'),
        ('The fee is $5 with a card.', 'The fee is $9 without a card.'),
        ('The fee is at least $5.', 'The fee is at most $9.'),
        ('The tank is 5 m above the road.', 'The tank is 3 m below the road.'),
        ('The flight to Rome is at 9:00.', 'The flight from Rome is at 11:00.'),
        ('My phone number is 555-1234.', 'Your phone number is 555-9876.'),
        ('The company has 50 employees.', 'The company now has 3 offices.'),
        ('The bridge has 3 arches.', 'The bridge is now 50 m long.'),
        ('Revenue was raised from 5 to 10 million.', 'Costs were cut from 8 to 6 million.'),
        ('bodyTimeout: Use 0 to disable it entirely.', 'maxSize: Set to 4 to disable it entirely.'),
        ('The agents have 2 tools.', 'Set `tools=5` to run the agents at once.'),
        ('Version 1.2 is the default.', 'Version 1.3 is now available.'),
        (
            'Garden and pond update: MBS: We hear any concerns.',
            'Garden and pond update: BFS: There are other concerns.',
        ),
        ('Garden and pond: DLM: Yeah.', 'Garden and pond: NRO: The pond is being dug in all the gardens right now.'),
    ],
)
def test_what_only_looks_alike_stands_beside(one: str, other: str) -> None:
    assert superseded([one, other]) == {}


def test_a_change_of_one_of_two_equal_candidates_puts_neither_out_of_date() -> None:
    said = ['The lodge budget is $500.', 'The lodge budget cap is $800.', 'Update: keep lodge costs below $900.']
    assert superseded([said[0], said[2]]) == {0: 1}
    assert (
        2
        not in superseded(
            ['Lodge A costs $500.', 'Lodge B costs $800.', 'Update: keep lodge costs below $900.']
        ).values()
    )


def test_a_series_is_no_row_of_corrections() -> None:
    assert superseded([f'The output is {tons} tons.' for tons in (30, 40, 50)]) == {0: 1, 1: 2}
    assert superseded([f'The output is {tons} tons.' for tons in (30, 40, 50, 60, 70)]) == {}
    assert superseded([f'Group {n} has seen the garden on day {n} of the tour.' for n in range(3)]) == {}


@pytest.mark.parametrize(
    ('sections', 'expected'),
    [
        (['Patch 1.2', 'Patch 1.3'], {0: 1}),
        (['Patch 1.3', 'Patch 1.2'], {1: 0}),  # the newest stands first
        (['2 June 2026', '28 May 2026'], {1: 0}),
        (['Update (Mar 1st, 2026 09:10)', 'Update (Feb 27, 2026 17:05)'], {1: 0}),
        (['01.03.2026', '27.02.2026'], {1: 0}),
        (['28. Dezember 2025', '3. März 2026'], {0: 1}),
        (['Hotel', 'Travel'], {}),
        (['2024-01-03', '2024-02-01'], {0: 1}),
    ],
)
def test_headings_tell_what_is_about_the_same(sections: list[str], expected: dict[int, int]) -> None:
    assert superseded(['The limit is $40.', 'The limit is $60.'], sections) == expected


@pytest.mark.parametrize(
    ('sections', 'said'),
    [
        (
            ['Notes / The line of the keepers is long'] * 2,
            ['MM: I support this.', 'KG: I am not changing it, I support this now.'],
        ),
        (['Header', 'Gardens'], ['Type: Standards Track', 'Ponds must use PyType_Pond() as a type instead.']),
    ],
)
def test_neither_a_heading_nor_a_single_word_makes_it_the_same(sections: list[str], said: list[str]) -> None:
    headed = [
        f'{section.rpartition(" / ")[2]}: {each}' if '/' in section else each
        for section, each in zip(sections, said, strict=True)
    ]
    assert superseded(headed, sections) == {}


def test_what_is_said_of_one_thing_alone_may_change_under_another_heading() -> None:
    assert superseded(['The deadline is Friday.', 'The deadline is now Monday.'], ['Plan', 'Notes']) == {0: 1}


_SAID = st.lists(
    st.tuples(
        st.sampled_from(['budget', 'deadline', 'office', 'pool size', 'on-call owner']),
        st.sampled_from(['is', 'is now', 'was', 'has moved to', 'must be']),
        st.sampled_from(['$40', '3 May', 'Berlin', '20', '10 May', 'Oslo', '$90']),
    ).map(lambda parts: f'The {" ".join(parts)}.'),
    max_size=12,
)


@given(_SAID)
def test_only_an_earlier_statement_is_out_of_date_and_the_last_one_never(said: list[str]) -> None:
    found = superseded(said)
    assert all(earlier < later < len(said) for earlier, later in found.items())
    assert found == superseded(said)


def test_what_stands_below_a_former_number_amid_others_puts_nothing_out_of_date() -> None:
    said = ['The limit is $40.', 'The limit is $60.', 'The limit is $80.']
    assert superseded(said, ['Patch 1.2', 'Patch 1.1', 'Patch 1.3']) == {0: 2, 1: 2}


def test_what_is_quoted_is_older_than_what_quotes_it() -> None:
    """Also above it, as in a mail; not what is quoted under another heading."""
    said = [
        'The boat is now due on 19 March.',
        'Tom: The boat is due on 17 March.',
        'Tom: The boat is due on 15 March.',
    ]
    assert superseded(said, (), [0, 1, 2]) == {1: 0, 2: 1}
    assert superseded(said[:2], ['Mail 1', 'Mail 2'], [0, 1]) == superseded(said[:2])
