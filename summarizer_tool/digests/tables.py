"""Tables in a text: which blocks of it are rows, what is usual in these, and what is unlike the others."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from summarizer_tool.digests import ranks
from summarizer_tool.digests.asked import NamedRows
from summarizer_tool.digests.places import OutputRecord
from summarizer_tool.digests.records import record_statements
from summarizer_tool.digests.statements import DigestStatement, one_line
from summarizer_tool.digests.surprise import surprising
from summarizer_tool.digests.table_readers import LEAST_ROWS, LONGEST_LINE, Table, reaches_over, separated

_BESIDE = 8  # lines beside a table up to which each is told

_COMMENT = '#'
_COMMENTED = 0.5  # share of the lines up to which those that begin with this are comments


Reader = Callable[[Sequence[str], int], Table | None]
"""Reads the lines of a block, which begins after so many lines, as a table."""


def read_tables(lines: Sequence[str], readers: Sequence[Reader]) -> list[Table]:
    """Find tables in the lines of a text; none if the text is mostly something else."""
    kept, comments = _without_comments(lines)
    numbers, lines = [number for number, _ in kept], [line for _, line in kept]
    filled = sum(line.strip() != '' for line in lines)
    if filled < LEAST_ROWS + 1:
        return []
    # Blank lines inside of quotes part nothing.
    whole = [line[:LONGEST_LINE] for line in lines]
    if separated in readers and reaches_over(whole) and (table := separated(whole, 0)):
        return [_numbered(table, numbers, comments)]
    least = max(LEAST_ROWS, 0.6 * filled)
    found: list[Table] = []
    others: list[tuple[int, str]] = []
    # Some tools print several tables with blank lines between them.
    for is_filled, numbered in groupby(enumerate(lines, 1), lambda each: each[1].strip() != ''):
        own = [*numbered] if is_filled else []
        block = [line[:LONGEST_LINE] for _, line in own]
        tables = (read(block, own[0][0] - 1) for read in readers if len(own) > 1)
        if table := next(filter(None, tables), None):
            found.append(table)
        else:
            others += own
            if filled - len(others) < least:
                return []
    found = _joined(found)
    if sum(len(table.rows) for table in found) < least:
        return []
    found[0] = replace(found[0], beside=[*found[0].beside, *others])
    return [_numbered(table, numbers, () if nth else comments) for nth, table in enumerate(found)]


def _numbered(table: Table, numbers: Sequence[int], comments: Sequence[tuple[int, str]]) -> Table:
    """A table with comments beside it, whose lines have the numbers that they have in the text."""
    beside = [*((numbers[at - 1], line) for at, line in table.beside), *comments]
    return replace(table, lines=[numbers[at - 1] for at in table.lines], beside=beside)


def _without_comments(lines: Sequence[str]) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Lines with their numbers, without comments, and these, unless they are most of them.

    The last comment above rows of as many cells between tabs has their titles, and stays.
    """
    numbered = [*enumerate(lines, 1)]
    comments = {number for number, line in numbered if line.startswith(_COMMENT)}
    if len(comments) > _COMMENTED * sum(line.strip() != '' for line in lines):
        return numbered, []
    kept: list[tuple[int, str]] = []
    for (number, line), below in zip(numbered, [*lines[1:], ''], strict=True):
        if number not in comments:
            kept.append((number, line))
        elif number + 1 not in comments and line.count('\t') >= below.count('\t') > 0:
            kept.append((number, line.lstrip('# ')))
            comments.discard(number)
    return kept, [(number, line) for number, line in numbered if number in comments]


def _joined(tables: Sequence[Table]) -> list[Table]:
    """Tables of the same titles as one: a tool that prints them again and again tells of the same things."""
    alike: dict[tuple[str, ...], list[Table]] = {}
    for table in tables:
        alike.setdefault(tuple(table.rows[0]) if table.rows else (), []).append(table)
    return [
        Table(
            [row for table in same for row in table.rows],
            [number for table in same for number in table.lines],
            [line for table in same for line in table.beside],
        )
        for same in alike.values()
    ]


def table_statements(
    lines: Sequence[str], tables: Sequence[Table], things: Sequence[NamedRows]
) -> Iterator[DigestStatement]:
    """How many rows there are, what is usual in them, what stands beside them, and what is unlike the others."""
    beside = sorted(line for table in tables for line in table.beside if not line[1].startswith(_COMMENT))
    for nth, (at, line) in enumerate(beside if len(beside) <= _BESIDE else ()):
        yield DigestStatement(f'beside table: {one_line(line)}', ranks.EACH - nth, 'overview', (at,))
    for number, (table, rows) in enumerate(zip(tables, things, strict=True), 1):
        yield from record_statements('table' if len(tables) == 1 else f'table {number}', rows)
        rows = zip(table.lines, table.rows, strict=True)
        yield from surprising([OutputRecord(lines[at - 1], at, fields=[*row.items()]) for at, row in rows])
    yield from surprising([OutputRecord(line, at) for at, line in beside])
