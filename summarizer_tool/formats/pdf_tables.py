"""The tables of a PDF's page: rows by what stands side by side, columns by what no cell reaches over."""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from math import inf
from statistics import mode

from summarizer_tool.formats.joining import Vocabulary, join
from summarizer_tool.formats.pdf_page import Cell, TextLine
from summarizer_tool.html.tables import is_titled

LEADERS = re.compile(r'(?:\.\s?){4,}|…{2,}')
"""What leads to a page number in a table of contents."""

_MOST_IN_CELL = 5
"""Lines."""
_MOST_ROWS = 0.5
"""Of the rows of a table: as many at least have each of their cells in a column of its own."""


def whole_rows(lines: Sequence[TextLine], vocabulary: Vocabulary) -> list[TextLine]:
    """The lines of a page, where some are the first cell of a row one with the cells that stand beside their middle."""
    made: list[TextLine] = []
    for line in lines:
        if len(line.cells) > 1 and made and line.bottom > made[-1].bottom and (count := _beside_middle(made, line)):
            above = made[-count:]
            text = join([each.text for each in above], vocabulary)
            left, right = min(each.left for each in above), max(each.right for each in above)
            made[-count:] = [TextLine([Cell(text, left, line.bottom, right, line.top, line.size), *line.cells])]
        else:
            made.append(line)
    return made


def _beside_middle(lines: Sequence[TextLine], row: TextLine) -> int:
    """How many lines of one cell, the last ones, stand before a row of others and around its middle."""
    for count in range(2, _MOST_IN_CELL + 1):
        above = lines[-count:]
        first = above[0]
        if len(above) < count or len(first.cells) > 1 or first.right > row.left or first.bottom - row.top > first.size:
            return 0
        if abs(first.top + above[-1].bottom - row.top - row.bottom) < 0.7 * row.size:
            return count
    return 0


def table_at(lines: Sequence[TextLine], start: int) -> tuple[list[str], int] | None:
    """The rows of the table that begins on a line, as markdown, and the index of the line after it."""
    if len(lines[start].cells) < 2 or LEADERS.search(lines[start].text):
        return None
    end, last = start + 1, start
    while end < len(lines) and 0 < lines[end - 1].bottom - lines[end].bottom < 4 * lines[end].size:
        if LEADERS.search(lines[end].text):
            break
        if len(lines[end].cells) > 1:
            last = end
        elif end - last > 2:
            break
        end += 1
    columns, placed = _columns(lines[start : last + 1])
    end = start + len(placed)
    if sum(len(line.cells) > 1 for line in lines[start:end]) < max(3, 0.5 * (end - start)):
        return None
    table: list[list[str]] = []
    above = inf
    for line, places in zip(lines[start:end], placed, strict=True):
        # What stands alone in the first column is the heading of a group, but where a cell goes on in small letters.
        is_row = len(places) > 1 or (0 in places and not line.text[:1].islower())
        if is_row or above - line.bottom >= 1.5 * line.size:
            table.append([''] * len(columns))
        for place, text in places.items():
            table[-1][place] = f'{table[-1][place]} {text}'.strip()
        above = line.bottom
    written = [f'| {" | ".join(cell.replace("|", chr(92) + "|") for cell in row)} |' for row in table]
    if not is_titled(table):
        written.insert(0, '|' + '  |' * len(columns))
    return [written[0], '|' + ' --- |' * len(columns), *written[1:]], end


def _columns(lines: Sequence[TextLine]) -> tuple[list[tuple[float, float]], list[dict[int, str]]]:
    """The columns of a table that lines may begin with, and what each of its lines has in which."""
    rows = [line for line in lines if len(line.cells) > 1]
    columns = _spans((cell.left, cell.right) for line in rows for cell in line.cells)
    placed = [_placed(line, columns) for line in lines]
    if None in placed:  # cells of some rows stand too close to be told apart by themselves, or it is no table
        counts = [len(line.cells) for line in rows]
        for count in dict.fromkeys((max(counts), mode(counts))):
            columns = _spans(
                (cell.left, cell.right) for line in rows for cell in line.cells if len(line.cells) == count
            )
            if sum(_placed(line, columns) is not None for line in rows) >= _MOST_ROWS * len(rows):
                placed = [_placed(line, columns, closely=True) for line in lines]
                break
        else:
            return columns, []
    fitting = list(takewhile(bool, placed))
    while fitting and len(lines[len(fitting) - 1].cells) == 1 and len(fitting) < len(lines):
        fitting.pop()  # what stands alone above what is none of it
    return columns, [places for places in fitting if places]


def _placed(line: TextLine, columns: Sequence[tuple[float, float]], *, closely: bool = False) -> dict[int, str] | None:
    """What of a line stands in which column; nothing where two cells are in one, or words closely together in two."""
    places: dict[int, str] = {}
    for cell in line.cells:
        for text, left, right in cell.parts() if closely else [(cell.text, cell.left, cell.right)]:
            common = [min(right, end) - max(left, begin) for begin, end in columns]
            place = max(range(len(columns)), key=common.__getitem__)
            if (sum(width > 0 for width in common) > 1) if closely else place in places:
                return None
            places[place] = f'{places.get(place, "")} {text}'.strip()
    return places


def _spans(cells: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Where the columns are: what no cell reaches over is between two."""
    spans: list[tuple[float, float]] = []
    for left, right in sorted(cells):
        if spans and left < spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], right)
        else:
            spans.append((left, right))
    return spans
