"""The tables of a PDF's page: rows by what stands side by side, columns by what no cell reaches over."""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from math import inf
from statistics import mode

from summarizer_tool.formats.pdf_page import TextLine
from summarizer_tool.html.tables import is_titled

LEADERS = re.compile(r'(?:\.\s?){4,}|…{2,}')
"""What leads to a page number in a table of contents."""

_NUMBER, _YEAR = re.compile(r'[-–−(]{0,2}[$€£¥]?\d[\d.,]*\)?\s?%?\)?'), re.compile(r'(?:19|20)\d\d')
_MOST_TITLES = 4


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and not _YEAR.fullmatch(text)


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
    titles = _titles(placed)
    for at, (line, places) in enumerate(zip(lines[start:end], placed, strict=True)):
        # What stands alone in the first column is the heading of a group, but where a cell goes on in small letters.
        is_row = len(places) > 1 or (0 in places and not line.text[:1].islower())
        if at == 0 or (at >= titles and (is_row or above - line.bottom >= 1.5 * line.size)):
            table.append([''] * len(columns))
        for place, text in places.items():
            table[-1][place] = f'{table[-1][place]} {text}'.strip()
        above = line.bottom
    written = [f'| {" | ".join(cell.replace("|", chr(92) + "|") for cell in row)} |' for row in table]
    if not (titles > 1 or is_titled(table)):
        written.insert(0, '|' + '  |' * len(columns))
    return [written[0], '|' + ' --- |' * len(columns), *written[1:]], end


def _titles(placed: Sequence[dict[int, str]]) -> int:
    """How many lines of a table are its titles: words or years above numbers, none of them in the first column."""
    numbers = [any(map(_is_number, places.values())) for places in placed]
    above = zip(placed[:_MOST_TITLES], numbers, strict=False)
    count = sum(1 for _ in takewhile(lambda line: 0 not in line[0] and not line[1], above))
    return count if any(numbers[count:]) else 0


def _columns(lines: Sequence[TextLine]) -> tuple[list[tuple[float, float]], list[dict[int, str]]]:
    """The columns of a table that lines may begin with, and what each of its lines has in which."""
    rows = [line for line in lines if len(line.cells) > 1]
    counts = [len(line.cells) for line in rows]
    columns: list[tuple[float, float]] = []
    placed: list[dict[int, str]] = []
    for count in (0, max(counts), mode(counts)):  # of all rows, or of some, where others reach over two columns
        telling = [line for line in rows if count in (0, len(line.cells))]
        spans = _spans((cell.left, cell.right) for line in telling for cell in line.cells)
        fitting = [*takewhile(bool, (_placed(line, spans) for line in lines))]
        if len(fitting) > len(placed):
            columns, placed = spans, fitting
    while placed and len(lines[len(placed) - 1].cells) == 1 and len(placed) < len(lines):
        placed.pop()  # what stands alone above what is none of it
    return columns, placed


def _placed(line: TextLine, columns: Sequence[tuple[float, float]]) -> dict[int, str]:
    """What of a line stands in which column, the first of two that a cell reaches over; nothing where it is no row.

    Two numbers that stand too close to be two cells are each in its own.
    """
    places: dict[int, str] = {}
    for cell in line.cells:
        common = [min(cell.right, end) - max(cell.left, begin) for begin, end in columns]
        inside = [at for at, width in enumerate(common) if width > 0] or [common.index(max(common))]
        if places.keys() & set(inside[:1]) or len(inside) > 2:
            return {}
        words = cell.text.split()
        are_numbers = len(words) == len(inside) and all(map(_NUMBER.fullmatch, words))
        places.update(zip(inside, words if are_numbers else [cell.text], strict=False))
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
