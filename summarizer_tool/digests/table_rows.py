"""A table that was found in a text: its rows by the titles of their columns."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from summarizer_tool.digests.columns import quantity
from summarizer_tool.digests.records import Row
from summarizer_tool.digests.statements import one_line

LEAST_ROWS = 4
"""Rows from which lines in columns are a table."""
FIT = 0.9
"""Share of the lines that must have the table's number of columns."""
WIDEST = 200
"""Columns."""
_SURE_SUM = 1000.0
"""A number from which it is the sum of others by no chance."""
_LONGEST_CELL = 400
"""Characters."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table that was found in a text."""

    rows: Sequence[Row]
    lines: Sequence[int]
    """The line each row stands on, from 1."""
    beside: Sequence[tuple[int, str]]
    """Lines that are no rows, with their numbers."""
    parts: int = 1
    """How many tables of the same titles it was put together from."""


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
    if _is_sum(rows):
        # As what stands beside them the last line is told, and it is no item.
        *rows, total = rows
        *lines, last = lines
        beside = [*beside, (last, ' '.join(filter(None, total.values())))]
    return Table(rows, lines, [each for each in beside if any(map(str.isalnum, each[1]))])


def _is_sum(rows: Sequence[Row]) -> bool:
    """Return whether the last row has the sums of several others, in two columns of different ones or more."""
    if len(rows) <= LEAST_ROWS:
        return False
    *others, last = rows
    sums: set[float] = set()
    for title, cell in last.items():
        numbers = [number for row in others if (number := quantity(row.get(title, ''))) is not None]
        if len(numbers) == len(others) and sum(map(bool, numbers)) > 1 and (total := sum(numbers)) == quantity(cell):
            sums.add(total)
    return len(sums) > 1 or max(sums, default=0.0) > _SURE_SUM
