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
    """Each turn is a paragraph with who says it, each busy hour or day has a heading, and what goes on is one with its turn."""
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


def test_no_chat() -> None:
    """A log is none, though its lines have a time and a name: nobody talks in it. Nor is a list of dates."""
    log = ''.join(f'12:00:{second:02} worker: job {second} done in 12 ms\n' for second in range(20))
    agenda = ''.join(f'1{hour}:00 Speaker {hour}: We will talk about what it is that we do\n' for hour in range(8))

    assert plain_text(log) == log
    assert plain_text(agenda) == agenda
    assert plain_text(_chat('{text}\n')) == _chat('{text}\n')
