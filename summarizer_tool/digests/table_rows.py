"""A table that was found in a text: its rows by the titles of their columns."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from summarizer_tool.digests.naming import Row
from summarizer_tool.digests.statements import one_line

LEAST_ROWS = 4
"""Rows from which lines in columns are a table."""
FIT = 0.9
"""Share of the lines that must have the table's number of columns."""
WIDEST = 200
"""Columns."""
_LONGEST_CELL = 400  # characters


@dataclass(frozen=True, slots=True)
class Table:
    """A table that was found in a text."""

    rows: Sequence[Row]
    lines: Sequence[int]
    """The line each row stands on, from 1."""
    beside: Sequence[tuple[int, str]]
    """Lines that are no rows, with their numbers."""


def rows_of(
    names: Sequence[str],
    cells: Sequence[tuple[int, Sequence[str]]],
    beside: Sequence[tuple[int, str]],
    *,
    least: int = 1,
) -> Table | None:
    """A table of what was split; None if it is too small or its columns do not fit."""
    varied = sum(len({row[place] for _, row in cells if place < len(row)}) > 1 for place in range(len(names)))
    if len(cells) < least or not 2 <= len(names) <= WIDEST or (len(cells) > LEAST_ROWS and varied < 2):
        return None
    # Lines of `name: value` are fields of one thing, or of each of several.
    if sum(row[0].endswith(':') for _, row in cells if row) > FIT * len(cells):
        return None
    seen: Counter[str] = Counter()
    titles: list[str] = []
    for place, each in enumerate(names, 1):
        title = one_line(each, 60) or f'column {place}'
        seen[title] += 1
        titles.append(title if seen[title] == 1 else f'{title} {seen[title]}')
    rows = [{title: cell[:_LONGEST_CELL].strip() for title, cell in zip(titles, row, strict=False)} for _, row in cells]
    lines = [number for number, _ in cells]
    return Table(rows, lines, [each for each in beside if any(map(str.isalnum, each[1]))])
