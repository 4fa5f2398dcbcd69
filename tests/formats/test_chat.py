"""Chats and transcripts as turns."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool.formats.reading import plain_text

_SAID = (
    ('15:12', 'ines', 'Shall we move the ferry to the new pier on Monday?'),
    ('15:13', 'Tom B', 'I would wait until the crane has been tested.'),
    ('15:13', 'ines', 'It was tested on 3 May, and it holds 12 tonnes.'),
    ('15:58', 'Tom B', 'Then I am fine with that.'),
    ('16:01', 'ines', 'We will do it, and I tell the harbour master:\nhe has to know.'),
    ('16:02', 'Tom B', 'Thank you for that!'),
)


def _chat(turn: str) -> str:
    return ''.join(turn.format(clock=clock, name=name, text=text) for clock, name, text in _SAID)


def test_turns() -> None:
    """Each turn is a paragraph with who says it, each day and busy hour has a heading, and what goes on is one with its turn."""
    assert plain_text(_chat('12/10/24, {clock} - {name}: {text}\n')) == snapshot("""\
## 12/10/24, 15:12

ines: Shall we move the ferry to the new pier on Monday?

Tom B: I would wait until the crane has been tested.

ines: It was tested on 3 May, and it holds 12 tonnes.

Tom B: Then I am fine with that.

ines: We will do it, and I tell the harbour master: he has to know.

Tom B: Thank you for that!
""")


@pytest.mark.parametrize(
    'turn',
    [
        '[{clock}] <{name}> {text}\n',
        '{clock} <@{name}> {text}\n',
        '[10.12.24, {clock}:07] {name}: {text}\n',
        '2024-12-10T{clock}:07Z {name}: {text}\n',
        '{clock}:07 From {name} to Everyone:\n\t{text}\n',
        '{name}\n  {clock}\n{text}\n',
        '**{name}** [{clock}]\n{text}\n\n',
        '[12/10/2024 {clock}] {name}\n{text}\n',
        '{name}  {clock}\n{text}\n\n',
        'Yesterday at {clock} {name}\n{text}\n',
        '--- 2024-12-10 {clock} {name} [note]\n{text}\n\n',
    ],
)
def test_forms(turn: str) -> None:
    """Programs put time and name in many ways; what is said is read of all of them."""
    said = [line for line in plain_text(_chat(turn)).split('\n') if line and not line.startswith('#')]

    assert said == [f'{name}: {text}'.replace('\n', ' ') for _, name, text in _SAID]


def test_a_second_name_before_a_time_is_no_day() -> None:
    chat = ''.join(
        f'{name} 9:0{at} AM\n{text}\n'
        for at, (name, (*_, text)) in enumerate(zip(['Hannah Cho', 'Ben Orme'] * 3, _SAID, strict=True))
    )
    said = [line for line in plain_text(chat).splitlines() if line and not line.startswith('#')]
    assert {line.partition(':')[0] for line in said} == {'Hannah Cho', 'Ben Orme'}
    days = plain_text(_chat('{name} Montag {clock}\n{text}\n\n'))
    assert '## Montag 15:12' in days
    assert '\nines: Shall we' in days


def test_days_and_notices() -> None:
    """Each day that begins is told, the hour after a busy one, too; what a program says is said by nobody."""
    said = [
        (1, 9, 0),
        (1, 9, 1),
        (1, 9, 2),
        (1, 9, 3),
        (1, 9, 4),
        (1, 10, 0),
        (4, 8, 0),
        (4, 11, 0),
        (9, 8, 0),
        (9, 8, 1),
        (9, 8, 2),
    ]
    turns = [
        f'0{day}/03/24, {hour}:0{minute} - {"Ines" if at % 2 else "Tom"}: {_SAID[at % 6][2].partition(chr(10))[0]} It is ferry {at}.'
        for at, (day, hour, minute) in enumerate(said)
    ]
    told = plain_text('\n'.join([*turns[:8], '04/03/24, 12:00 - Ada Lind left', *turns[8:]]))

    assert [line for line in told.split('\n') if line and 'It is ferry' not in line] == [
        '## 01/03/24, 9:00',
        '## 01/03/24, 10:00',
        '## 04/03/24, 8:00',
        '04/03/24, 12:00 - Ada Lind left',
        '## 09/03/24, 8:00',
    ]


def test_what_a_program_notes_without_a_time_is_no_part_of_a_turn() -> None:
    notes = [f'=== {name} [~{name.lower()}@fen.example] has joined #ferry' for name in ('Ada', 'Bo', 'Cy')]
    turns = [
        f'[09:0{at}] <{"Ines" if at % 2 else "Tom"}> {said[2].partition(chr(10))[0]}' for at, said in enumerate(_SAID)
    ]
    told = plain_text('\n'.join([turns[0], notes[0], *turns[1:3], *notes[1:], *turns[3:]]))
    assert [line for line in told.split('\n') if '===' in line] == notes


@pytest.mark.parametrize(
    ('turn', 'said'),
    [
        ('[{clock}] {name}: {text}\n', '09:30 Breakfast in the hall\n12:00 Lunch'),
        ('12/10/24, {clock} - {name}: {text}\n', '12/10/24, 10:00 - 11:00 Review'),
    ],
)
def test_a_time_that_is_said(turn: str, said: str) -> None:
    """A line that begins with a time, but has no name, stands for itself and keeps it."""
    told = plain_text(_chat(turn) + said)
    assert told.endswith('\n\n'.join(('Tom B: Thank you for that!', *said.split('\n'))) + '\n')


def test_a_time_alone_is_where_somebody_goes_on() -> None:
    further = ''.join(f'(15:{at}):\nNobody does it now.\n\n' for at in range(20, 60))
    told = plain_text(_chat('{name} ({clock}):\n{text}\n\n') + further)
    assert told.splitlines()[-1].startswith('Tom B: ')
    assert told.endswith('Nobody does it now. Nobody does it now.\n')


def test_a_transcript_in_markdown_keeps_its_headings() -> None:
    talk = _chat('{name} ({clock}):\n{text}\n\n')
    told = plain_text(f'# The ferry\n\n{talk}## Fares\n\n{talk}', 'talk.md')
    assert 'ines: Shall we move the' in told
    assert [line for line in told.splitlines() if 'Fares' in line] == ['## Fares']


def test_no_chat() -> None:
    """A log is none, though its lines have a time and a name: nobody talks in it. Nor is a list of dates."""
    log = ''.join(f'12:00:{second:02} worker: job {second} done in 12 ms\n' for second in range(20))
    agenda = ''.join(f'1{hour}:00 Speaker {hour}: We will talk about what it is that we do\n' for hour in range(8))

    assert plain_text(log) == log
    assert plain_text(agenda) == agenda
    assert plain_text(_chat('{text}\n')) == _chat('{text}\n')


def test_a_day_on_which_one_alone_talks_is_none_of_the_name() -> None:
    days = iter(('Yesterday', 'Yesterday', 'Yesterday', 'Today', 'Yesterday', 'Today'))
    told = plain_text(''.join(f'{name} {next(days)} at {clock}\n{text}\n\n' for clock, name, text in _SAID))
    assert [line for line in told.splitlines() if 'day' in line.split(':')[0]] == [
        '## Yesterday at 15:12',
        '## Today at 15:58',
        '## Yesterday at 16:01',
        '## Today at 16:02',
    ]
