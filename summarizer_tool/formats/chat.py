"""Chats and transcripts as programs export them: who says what, a paragraph for each turn. Pure computing."""

from calendar import day_abbr
from collections import defaultdict
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
# `evan  3:59 PM`, `#7 by evan » 12 Oct, 15:59`, `--- 12/10/2012 3:59 PM evan (Support) [internal]`, above what is said.
_HEADER = regex.compile(
    rf'(?:#\d{{1,5}}[.:]?\s)?[#*_=\- ]{{0,5}}(?:{_STAMP}\s*(?:[-–|]\s)?\s*[*_]{{0,2}}(?P<name>{_NAME})'
    rf'|(?:(?:[Pp]osted )?[Bb]y:?\s)?(?P<name>{_NAME})[*_]{{0,2}}:?\s+(?:on\s|[-–|»·•]\s)?{_STAMP})'
    r'(?:\s*\[[^\[\]]{1,40}\])?[*_: =\-]{0,5}$'
)
_STAMP_ALONE = regex.compile(rf'\s*{_STAMP}:?\s*$')
_NOTICE = regex.compile(rf'[\u200e\u200f]?{_STAMP}\s*(?:[-–|]\s)?\s*[^\s:)\]]|(?:={{2,3}}|\*{{2,3}}|-!-) +\S')
"""What begins a line that a program says, or that tells a time: `15:59 - evan left`, `=== evan has joined`."""
_HEADING = regex.compile(r'#{1,6} \S')
_SPEAKER_ALONE = regex.compile(rf'{_NAME}$')
_LONGEST_HEADER = 120

_TURNS_BELOW = 5
"""The heading of a day with fewer is not followed by one for an hour: it would only part those who talk."""
_LEAST_TURNS = 6
_SAMPLE = 400
"""Lines by which it is told what is no chat."""
_MOST_SPEAKERS = 0.5
"""Of the turns: people say more than one thing each."""
_TURNS = 0.3
"""Of the lines, where each turn has one."""
_HEADERS = 0.15
"""Of the lines, where what is said follows."""
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
    filled = sum(map(bool, map(str.strip, lines)))
    further = sum(_STAMP_ALONE.match(line) is not None for line in lines)  # where somebody goes on
    for headers, least in ((_turns(lines), _TURNS), (_headers(lines), _HEADERS)):
        found = dict(headers)
        speakers = {turn.speaker for turn in found.values()}
        are_few = len(found) < _LEAST_TURNS or len(found) + further < least * filled
        if are_few or len(speakers) > _MOST_SPEAKERS * len(found):
            continue
        current: Turn | None = None
        before: list[str] = []
        for number, line in enumerate(lines):
            if number in found:
                current = found[number]
            elif current is None:
                before.append(line)
            elif _HEADING.match(line):
                found[number] = Turn('', current.stamp, '', [line])
            elif _NOTICE.match(line):
                found[number] = current = Turn('', current.stamp, '', [line])
            else:
                current.said += [line] * (_STAMP_ALONE.match(line) is None)
        turns = [found[number] for number in sorted(found)]
        if _is_talk([names.words(' '.join(turn.said)) for turn in turns]):
            return before, turns
    return [], []


def _is_talk(said: Sequence[Sequence[str]]) -> bool:
    """Return whether people talk in turns of such words, and no program says the same again and again."""
    words = [word for turn in said for word in turn if not word[0].isdigit()]
    language = language_of(words)
    written = sum(not word.isascii() or is_stop_word(word, language) for word in words)
    distinct = {tuple(word for word in turn if not word[0].isdigit()) for turn in said}
    return written > _WRITTEN * len(words) and len(distinct) > _DISTINCT * len(said)


def _turns(lines: Sequence[str]) -> Iterator[tuple[int, Turn]]:
    for number, line in enumerate(lines):
        if match := _TURN.match(line):
            yield number, _turn(match, match['name'].strip(), match['text'] or '')


def _headers(lines: Sequence[str]) -> Iterator[tuple[int, Turn]]:
    """The lines that say who speaks, and when; those of two lines, with the second, which says when.

    A word before a time, `Hannah Cho 9:02 AM`, is one of the name where it stands behind no other name and that name
    before no other word, and else a day.
    """
    found = [*_timed(lines)]
    names_before: defaultdict[str, set[str]] = defaultdict(set)
    words_after: defaultdict[str, set[str]] = defaultdict(set)
    for _, turn in found:
        names_before[turn.day].add(turn.speaker)
        words_after[turn.speaker].add(turn.day)
    for number, turn in found:
        is_alone = len(names_before[turn.day]) == len(words_after[turn.speaker]) == 1
        if turn.day.isalpha() and is_alone and turn.day[:3].title() not in day_abbr:
            turn.speaker, turn.stamp = f'{turn.speaker} {turn.day}', turn.stamp.removeprefix(turn.day).strip(', ')
            turn.day = ''
        yield number, turn


def _timed(lines: Sequence[str]) -> Iterator[tuple[int, Turn]]:
    before = ''
    for number, line in enumerate(lines):
        if line.strip() and len(line) <= _LONGEST_HEADER:
            if match := _HEADER.match(line):
                yield number, _turn(match, match['name'].strip())
            elif (match := _STAMP_ALONE.match(line)) and _SPEAKER_ALONE.match(before):
                yield number - 1, _turn(match, before)
        before = line.strip()


def _turn(match: regex.Match[str], speaker: str, text: str = '') -> Turn:
    return Turn(speaker, match['stamp'], match['day'] or '', [text])
