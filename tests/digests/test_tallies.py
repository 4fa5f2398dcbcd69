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


def test_what_none_has_and_what_is_not_asked_for_is_not_counted() -> None:
    text = '\n'.join(NOTES)
    assert counts(text, 'how many eels are there?') == []
    assert counts(text, 'Where is FLOOD(ada)?') == []


def test_a_number_that_the_program_has_counted_itself_is_told() -> None:
    assert f'99| {NOTES[-1]}' in digest('\n'.join(NOTES), 200, focus='How many floods are there?').text


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
