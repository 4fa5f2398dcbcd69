"""The tables of a PDF's page: rows by what stands side by side, columns by what no cell reaches over."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from math import inf
from statistics import mode

from summarizer_tool.formats.pdf_page import TextLine
from summarizer_tool.html.tables import is_titled

LEADERS = re.compile(r'(?:\.\s?){4,}|…{2,}')
"""What leads to a page number in a table of contents."""

_SIGNS = ('$', '€', '£', '¥')
_NUMBER, _YEAR = re.compile(r'[-–−(]{0,2}[$€£¥]?\d[\d.,]*\)?\s?%?\)?'), re.compile(r'(?:19|20)\d\d')
_MOST_TITLES = 4
_MOST_ROWS = 0.5
"""Of the rows of a table: as many at least have each of their cells in a column of its own."""


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and not _YEAR.fullmatch(text)


def with_signs(line: TextLine) -> TextLine:
    """A line of which each sign stands with its number, which keeps its place; `12,50 €` has it already."""
    words = [[*cell.words] for cell in line.cells]
    is_before = line.cells[-1].words[-1][0] not in _SIGNS
    for cell, before, after in zip(line.cells, words, words[1:], strict=False):
        word, left, right = after[0]
        said = before[-1][0] if before else ''
        if is_before and cell.parts()[-1][0] in _SIGNS and (word[:1].isdigit() or word[:1] == '('):
            after[0] = before.pop()[0] + word, left, right
        elif word.startswith('%') and _is_number(said):
            (number, begin, end), after[:1] = before[-1], []
            before[-1] = f'{number}{word}', begin, end
    if words == [cell.words for cell in line.cells]:
        return line
    return replace(line, cells=[cell.of(some) for cell, some in zip(line.cells, words, strict=True) if some])


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
