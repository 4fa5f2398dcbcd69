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
        ('timeout: 30', 'timeout: 60'),
        ('The pool size is 20.', 'The pool size was raised to 40.'),
        ('The office is in Berlin.', 'The office has moved to Hamburg.'),
        ('Dark mode is supported.', 'Dark mode is no longer supported.'),
        ('Deploys are allowed on Fridays.', 'Deploys are no longer allowed on Fridays.'),
        ('User prefers dark mode.', 'User now prefers light mode.'),
        ('The budget is $500.', 'Update: the budget is $700.'),
        ('Adults: The daily dose is 10 mg.', 'Adults: The daily dose is 8 mg.'),
        ('Draft: The fee is 5 euros a day.', 'Final: The fee is 7 euros a day.'),
        ('The API key rotates every 30 days.', 'The API key now rotates every 90 days.'),
        ('Karl is the project lead.', 'Karl is no longer the project lead.'),
        ('The release is planned for 12 June 2024.', 'The release has been postponed to 1 July 2024.'),
        ('Bob: The demo is on Tuesday.', 'Bob: The demo was moved to Thursday.'),
        ('The guild hall can hold 40 players.', 'The guild hall can now hold 60 players.'),
        ('The default port is 8080.', 'The default port changed from 8080 to 9090.'),
        ('The handover is on 3 May.', 'The handover moves to 10 May.'),
        ('Bob: The budget is 40,000 euros.', 'Bob: Small correction: the budget is 55,000 euros.'),
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
        ('I prefer tea.', 'I now prefer that invoices go to Oslo.'),
        ('The user prefers short answers.', 'The user now prefers answers with sources.'),
        ('She wants the house in Oslo.', 'She now wants the garden of the house painted.'),
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


def test_under_another_heading_or_quoted_the_same_words_may_be_about_something_else() -> None:
    said = ['The limit is $40.', 'The limit is now $60.']
    assert superseded(said, ['Patch 1.2 / Limits'] * 2) == {0: 1}
    assert superseded(said, ['Patch 1.2 / Limits', 'Patch 1.3 / Limits']) == {}
    assert superseded(said, ['', '> ']) == {}


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
