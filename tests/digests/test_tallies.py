"""Digests of a question that asks how many there are: exact counts, each with what it counts."""

import json

from inline_snapshot import snapshot

from summarizer_tool.digests.digest import digest

NOTES = [
    *(
        f'mill/{("gate", "weir", "lock")[at % 3]}/part{at}.py:{at}: note: turn the wheel {at * 7 % 11}'
        for at in range(90)
    ),
    *(f'mill/gate-house/part{at}.py:{at}: FLOOD(ada): the boards are wet {at}' for at in range(8)),
    'checked 98 parts, 8 floods',
]


def counts(text: str, focus: str) -> list[str]:
    told = digest(text, 300, focus=focus).lines
    return [line.text for line in told if ' of ' in line.text and line.topic == 'mentioned']


def test_what_a_question_names_is_counted_by_how_it_stands_there() -> None:
    text = '\n'.join(NOTES)
    assert counts(text, 'how many FLOOD are there?')[:1] == snapshot(['8 of 99 lines contain "FLOOD"'])
    assert counts(text, 'How many are below mill/gate?')[:1] == snapshot(['30 of 99 lines contain "mill/gate"'])
    assert counts(text, 'Wie viele FLOOD gibt es?')[:1] == snapshot(['8 of 99 lines contain "FLOOD"'])
    assert counts(text, 'How many notes are in mill/lock?')[:2] == snapshot(
        ['30 of 99 lines contain "mill/lock" and "note"']
    )


def test_a_word_is_in_a_name_of_it_with_a_version() -> None:
    lines = ['/bin/oar3 -u', *(f'/bin/sail --at {at}' for at in range(20)), 'oar -u']
    assert counts('\n'.join(lines), 'how many run oar?')[:1] == snapshot(['2 of 22 items have "oar" in column 1'])


def test_what_none_has_and_what_is_not_asked_for_is_not_counted() -> None:
    text = '\n'.join(NOTES)
    assert counts(text, 'how many eels are there?') == []
    assert counts(text, 'Where is FLOOD(ada)?') == []


def test_things_are_counted_by_the_field_that_has_the_word() -> None:
    boats = [
        {
            'name': f'boat {at} of the trial',
            'state': ('moored', 'trialing', 'sunk')[at % 7 % 3],
            'owner': f'{("ada", "bo", "cy")[at % 3]}[crew]',
        }
        for at in range(50)
    ]
    rows = '\n'.join(['name,state,owner', *(','.join(boat.values()) for boat in boats)])
    for text in (json.dumps(boats), json.dumps(boats, indent=1), rows):
        assert counts(text, 'how many boats are trialing?')[0] == snapshot('14 of 50 items have state "trialing"')
        assert counts(text, 'how many belong to ada?')[0] == snapshot('17 of 50 items have "ada" in owner')


def test_few_things_that_have_several_words_are_named() -> None:
    boats = [{'name': f'boat {at}', 'state': ('moored', 'sunk')[at % 2], 'pier': f'west-{at % 11}'} for at in range(44)]
    assert counts(json.dumps(boats, indent=1), 'which boats are sunk at west-3?')[0] == snapshot(
        '2 of 44 items have pier "west-3" and state "sunk": boat 3; boat 25'
    )


def test_each_of_several_lists_is_counted_by_itself() -> None:
    orders = [{'id': f'o-{at}', 'state': ('paid', 'pending')[at % 3 == 0]} for at in range(30)]
    users = [{'id': f'u-{at}', 'state': ('active', 'pending')[at % 7 == 0]} for at in range(20)]
    told = counts(json.dumps({'users': users, 'orders': orders}, indent=1), 'How many orders are pending?')
    assert [each.partition(':')[0] for each in told[:2]] == snapshot(
        ['10 of 30 items of orders have state "pending"', '3 of 20 items of users have state "pending"']
    )


def test_a_part_of_a_name_is_counted_and_one_of_several() -> None:
    text = '\n'.join(['marn 1', 'marn_core 2', 'marn-gate 3', 'marnish 4', *(f'weir{at} {at}' for at in range(36))])
    assert counts(text, 'How many are of marn?')[0] == snapshot('3 of 40 lines contain "marn"')
    log = '\n'.join(f'{at} {"an error came" if at % 10 == 0 else "pumped, errors=0"}' for at in range(60))
    assert counts(log, 'How many errors came?')[0].startswith('6 of 60 lines contain')
    assert counts(log, 'How many errors?')[0] == snapshot('54 of 60 lines contain "errors"')


def test_what_all_have_is_counted_where_it_is_asked_for() -> None:
    rows = '\n'.join(['boat,owner', *(f'b-{at},ada' for at in range(40))])
    assert counts(rows, 'How many boats belong to ada?')[0] == snapshot('40 of 41 lines contain "ada"')
