"""What has changed from one version of a source to the next, line by line. Pure computing."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from summarizer_tool import prompts
from summarizer_tool.documents.document import Document
from summarizer_tool.documents.reading import MAX_READ_TOKENS, MIN_READ_TOKENS
from summarizer_tool.text import tokens

MAX_LINE_TOKENS = 400
"""Of a line that is shown."""

_LEAST_TOKENS = 40
"""Of a change that is cut."""

_CUT_TOKENS = 16
"""What says that lines of a change are left out."""


def changes(older: str, newer: str) -> list[tuple[range, range]]:
    """The places where two texts differ, in order: the numbers of the older lines, from 1, and of those in their place.

    The first are none where lines are new, the second where they are gone. Blank lines at the edges do not count.
    """
    old, new = _lines(older), _lines(newer)
    matcher = SequenceMatcher(None, old, new)
    return [
        (before, after)
        for kind, first, last, start, end in matcher.get_opcodes()
        if kind != 'equal'
        for before, after in [(_filled(old, first, last), _filled(new, start, end))]
        if before or after
    ]


def report(older: Document, newer: Document, max_tokens: int, *, is_version: bool = True) -> str:
    """What has changed: `-` lines of the older version and `+` lines of the newer, with their numbers there.

    The first line counts. Where there is no room for all, the largest changes are cut, and what is left out is counted.
    `max_tokens` are brought between 50 and 20,000; `is_version`: `older` is the version before `newer`.
    """
    found = changes(older.text, newer.text)
    figures = {
        'count': f'{len(found):,}',
        'gone': f'{sum(len(before) for before, _ in found):,}',
        'new': f'{sum(len(after) for _, after in found):,}',
        'relation': prompts.load('answers/changes_version') if is_version else '',
    }
    name = 'answers/changes' if found else 'answers/unchanged'
    lines = [prompts.render(name, newer=newer.id, older=older.id, **figures)]
    room = min(max(max_tokens, MIN_READ_TOKENS), MAX_READ_TOKENS)
    room -= tokens.count(lines[0]) + tokens.count(_left_out(len(found))) + 2
    old, new = _lines(older.text), _lines(newer.text)
    shown = [[*_shown('-', old, before), *_shown('+', new, after)] for before, after in found]
    sizes = [[tokens.count(line + '\n') + 1 for line in change] for change in shown]
    most = _share([1 + sum(costs) for costs in sizes], room)
    left_out = 0
    for change, costs in zip(shown, sizes, strict=True):
        count = max(1, bisect_right([*accumulate(costs)], most))
        cut = [prompts.render('answers/changes_cut', count=f'{len(change) - count:,}')] if count < len(change) else []
        cost = 1 + sum(costs[:count]) + (_CUT_TOKENS if cut else 0)
        if cost > room:
            left_out += 1
            continue
        lines += ['', *change[:count], *cut]
        room -= cost
    return '\n'.join((*lines, '', _left_out(left_out)) if left_out else lines)


def _share(sizes: Sequence[int], room: int) -> int:
    """The most that one may have, so that all have room together where that is enough to say something."""
    left = room
    for place, size in enumerate(ordered := sorted(sizes)):
        share = left // (len(ordered) - place)
        if size > share:
            return max(share, min(room, _LEAST_TOKENS)) - _CUT_TOKENS - 1
        left -= size
    return room


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
