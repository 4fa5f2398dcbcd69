"""What has changed from one version of a source to the next, line by line. Pure computing."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from summarizer_tool import prompts
from summarizer_tool.documents.document import Document
from summarizer_tool.documents.reading import MAX_READ_TOKENS, MIN_READ_TOKENS
from summarizer_tool.text import tokens

MAX_LINE_TOKENS = 400
"""Of a line that is shown."""


@dataclass(frozen=True, slots=True)
class Change:
    """Lines that stand in the place of others, or are new, or gone."""

    before: range
    """Numbers of lines in the older version, from 1; empty where lines are new."""
    after: range
    """Numbers of lines in the newer version; empty where lines are gone."""


def changes(older: str, newer: str) -> list[Change]:
    """The places where two texts differ, in order; blank lines at the edges of a change are not counted to it."""
    old, new = _lines(older), _lines(newer)
    matcher = SequenceMatcher(None, old, new)
    return [
        Change(before, after)
        for kind, first, last, start, end in matcher.get_opcodes()
        if kind != 'equal'
        for before, after in [(_filled(old, first, last), _filled(new, start, end))]
        if before or after
    ]


def report(older: Document, newer: Document, max_tokens: int) -> str:
    """What has changed: `-` lines of the older version and `+` lines of the newer, with their numbers there.

    The first line counts; where there is no room for all, a last one counts what is left out.

    Args:
        older: The version before.
        newer: The version after.
        max_tokens: Of the whole, brought between 50 and 20,000.
    """
    found = changes(older.text, newer.text)
    figures = {
        'count': f'{len(found):,}',
        'gone': f'{sum(len(change.before) for change in found):,}',
        'new': f'{sum(len(change.after) for change in found):,}',
    }
    name = 'answers/changes' if found else 'answers/unchanged'
    lines = [prompts.render(name, newer=newer.id, older=older.id, **figures)]
    room = min(max(max_tokens, MIN_READ_TOKENS), MAX_READ_TOKENS)
    room -= tokens.count(lines[0]) + tokens.count(_left_out(len(found))) + 2
    old, new = _lines(older.text), _lines(newer.text)
    for place, change in enumerate(found):
        shown = [*_shown('-', old, change.before), *_shown('+', new, change.after)]
        cost = tokens.count('\n'.join(['', *shown])) + 1
        if cost > room:
            lines += ['', _left_out(len(found) - place)]
            break
        lines += ['', *shown]
        room -= cost
    return '\n'.join(lines)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split('\n')]


def _filled(lines: list[str], first: int, last: int) -> range:
    """The numbers of lines from `first` to before `last`, without blank ones at the edges."""
    while first < last and not lines[first]:
        first += 1
    while first < last and not lines[last - 1]:
        last -= 1
    return range(first + 1, last + 1)


def _shown(mark: str, lines: list[str], numbers: range) -> Iterator[str]:
    for number in numbers:
        line = lines[number - 1]
        if line:
            cut = tokens.truncate(line, MAX_LINE_TOKENS)
            yield f'{mark} {number}| {cut}{"" if cut == line else "…"}'


def _left_out(count: int) -> str:
    return prompts.render('answers/changes_left_out', count=f'{count:,}')
