"""Tables that are drawn with `+---+` and `|` as those of markdown. Pure computing."""

import re
from collections.abc import Iterator, Sequence
from unicodedata import east_asian_width

from summarizer_tool.formats.joining import join

_BORDER = re.compile(r'\s*[+|][-=+|]{3,}[+|]\s*$')
_ROW = re.compile(r'\s*\|.*\|\s*$')
_IS_BOXED = re.compile(r'^[ \t]*\+[-=]{2,}[-=+]*\+[ \t]*\n[ \t]*\|', re.MULTILINE)


def markdown(text: str) -> str:
    """The text with its tables as rows of one line each; the text itself where it has none, or they have no columns."""
    return '\n'.join(_read(text.split('\n'))) if _IS_BOXED.search(text) else text


def _read(lines: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and (_BORDER.match(lines[end]) or _ROW.match(lines[end])):
            end += 1
        yield from (_BORDER.match(lines[at]) and _table(lines[at:end])) or lines[at : max(end, at + 1)]
        at = max(end, at + 1)


def _table(lines: Sequence[str]) -> list[str]:
    """The rows of a table, or nothing if cells span columns."""
    borders = [line.strip() for line in lines if _BORDER.match(line)]
    edges = frozenset(place for border in borders for place, mark in enumerate(border) if mark in '+|')
    groups: list[list[list[str]]] = [[]]
    for line in lines:
        if _BORDER.match(line):
            groups += [[]] * bool(groups[-1])
        else:
            groups[-1].append(_cells(line.strip(), edges))
    groups = [group for group in groups if group]
    if len({len(cells) for group in groups for cells in group}) != 1 or len(groups) < 2 or not groups[0][0]:
        return []
    rows: list[list[list[str]]] = []
    for group in groups:
        for place, cells in enumerate(group):
            # Where no lines stand between rows, one begins with its first cell.
            if not place or (len(groups) == 2 and cells[0]):
                rows.append([[] for _ in cells])
            for whole, cell in zip(rows[-1], cells, strict=True):
                whole += [cell] * bool(cell)
    shown = ['| ' + ' | '.join(join(cell).replace('|', '\\|') if cell else '' for cell in row) + ' |' for row in rows]
    return ['', shown[0], '|' + ' --- |' * len(rows[0]), *shown[1:], '']


def _cells(line: str, edges: frozenset[int]) -> list[str]:
    """What stands between those bars of a line that stand where columns meet."""
    cells = ['']
    place = 0
    for mark in line:
        if mark == '|' and place in edges:
            cells.append('')
        else:
            cells[-1] += mark
        place += 1 + (east_asian_width(mark) in 'WF')
    return [] if cells[-1] else [cell.strip() for cell in cells[1:-1]]
