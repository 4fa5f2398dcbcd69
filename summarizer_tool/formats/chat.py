"""Chats and transcripts as programs export them: who says what, a paragraph for each turn. Pure computing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import regex

from summarizer_tool.text import names
from summarizer_tool.text.stop_words import is_stop_word, language_of

_DAY = (
    r'(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}\.?[ -]?[^\W\d_]{3,9}\.?,?(?:[ -]\d{2,4})?'
    r'|[^\W\d_]{3,9}(?:\.? \d{1,2}(?:st|nd|rd|th)?,?(?: \d{4})?)?)'
)
_CLOCK = r'\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,3})?)?(?>(?:\s?[AaPp]\.?[Mm]\.?)?)(?:Z|\s?[+-]\d{2}:?\d{2})?(?![\d:])'
_STAMP = rf'[\[(]?(?P<stamp>(?P<day>{_DAY})?(?:,?\s{{0,2}}|T)(?:[^\W\d_]{{1,3}}\s)?{_CLOCK})[\])]?'
_NAME = r'(?:[^\W\d_]|[~+] ?\d)[^\[\]<>(){}|=:;,"/\\]{0,39}?(?: \([^()]{1,20}\))?'
# `[15:59] <evan> …`, `12/10/12, 15:59 - evan: …`, `15:59:10 From evan to Everyone: …`
_TURN = regex.compile(
    rf'[\u200e\u200f]?{_STAMP}\s*(?:[-–|]\s)?\s*(?:<[@+%&~ ]?(?P<name>[^<>]{{1,40}})>'
    rf'|(?:From\s+)?(?P<name>{_NAME})(?:\s+to\s[^:]{{1,60}})?\s?:)(?:\s+(?P<text>.*))?$'
)
_NOTICE = regex.compile(rf'[\u200e\u200f]?{_STAMP}\s*(?:[-–|]\s)?\s*(?P<text>\S.*)$')

_TURNS_BELOW = 5
"""The heading of a day with fewer is not followed by one for an hour: it would only part those who talk."""
_LEAST_TURNS = 6
_SAMPLE = 400
"""Lines by which it is told what is no chat."""
_MOST_SPEAKERS = 0.5
"""Of the turns: people say more than one thing each."""
_TURNS = 0.3
"""Of the lines, where each turn has one."""
_WRITTEN = 0.3
"""Share of stop words and words in other letters, which few logs reach: people talk."""
_DISTINCT = 0.5
"""Of what is said, numbers aside: a program says the same again and again."""


@dataclass(slots=True)
class Turn:
    """What somebody says at once, or a program, which has no name."""

    speaker: str
    stamp: str
    day: str
    said: list[str] = field(default_factory=list[str])


def markdown(text: str) -> str:
    """The turns, each with who speaks, under headings that say when; empty where the text is none of a chat."""
    lines = text.removeprefix('\ufeff').splitlines()
    if not _read(lines[:_SAMPLE])[1] or not (turns := _read(lines))[1]:
        return ''
    before, said = turns
    return '\n'.join([*before, '', '\n\n'.join(_written(said))]).strip('\n') + '\n'


def _written(turns: Iterable[Turn]) -> Iterator[str]:
    """Turns in paragraphs, with who speaks; a heading says when, where a day begins, or an hour after a busy one."""
    day, hour, below = '', '', _TURNS_BELOW
    for turn in turns:
        here = turn.stamp.partition(':')[0]
        if turn.stamp and ((turn.day or day) != day or (here != hour and below >= _TURNS_BELOW)):
            day, below = turn.day, 0
            yield f'## {turn.stamp}'
        hour = here
        if words := ' '.join(filter(None, map(str.strip, turn.said))):
            below += 1
            yield f'{turn.speaker}: {words}' if turn.speaker else words


def _read(lines: Sequence[str]) -> tuple[list[str], list[Turn]]:
    """What stands before the first turn, and the turns; none where it is no chat."""
    before: list[str] = []
    turns: list[Turn] = []
    speakers: list[str] = []
    for line in lines:
        if match := _TURN.match(line):
            speakers.append(match['name'].strip())
            turns.append(Turn(speakers[-1], match['stamp'], match['day'] or '', [match['text'] or '']))
        elif turns and (notice := _NOTICE.match(line)) and notice['day'] and not notice['text'][0].isdigit():
            turns.append(Turn('', notice['stamp'], notice['day'], [notice['text']]))
        elif turns:
            turns[-1].said.append(line)
        else:
            before.append(line)
    least = max(_LEAST_TURNS, _TURNS * sum(map(bool, map(str.strip, lines))))
    is_chat = len(speakers) >= least and len({*speakers}) <= _MOST_SPEAKERS * len(speakers)
    return (before, turns) if is_chat and _is_talk([names.words(' '.join(turn.said)) for turn in turns]) else ([], [])


def _is_talk(said: Sequence[Sequence[str]]) -> bool:
    """Return whether people talk in turns of such words, and no program says the same again and again."""
    words = [word for turn in said for word in turn if not word[0].isdigit()]
    language = language_of(words)
    written = sum(not word.isascii() or is_stop_word(word, language) for word in words)
    distinct = {tuple(word for word in turn if not word[0].isdigit()) for turn in said}
    return written > _WRITTEN * len(words) and len(distinct) > _DISTINCT * len(said)
