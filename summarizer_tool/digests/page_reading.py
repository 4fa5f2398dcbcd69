"""The tables that a page in HTML is mostly made of, as lists of objects."""

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, takewhile

from summarizer_tool.digests.json_reading import Read
from summarizer_tool.digests.records import INSIDE
from summarizer_tool.digests.table_rows import FIT, LEAST_ROWS, WIDEST, rows_of

_MOST = 0.8
"""Share of what a page says that must stand in its tables."""
_LONGEST = 120
"""Characters of a cell; longer ones are texts that a table only lays out."""
_DEEPEST = 8
"""Tables inside of each other."""
_NAME = 60
"""Characters of what stands before a table by which it is called."""
_TAG = re.compile(r'<(/?[A-Za-z][\w-]*+)([^<>]*+)>')
_ALT = re.compile(r'(?i)\salt\s*+=\s*+(?:"([^"]*+)"|\'([^\']*+)\')')
_SPAN = re.compile(r'(?i)\s(col|row)span\s*+=\s*+["\']?(\d{1,3})')
_UNSAID = frozenset({'script', 'style', 'title'})
_LAID_OUT = frozenset({'p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'})


@dataclass(slots=True)
class _PageCell:
    is_title: bool
    columns: int
    rows: int
    words: list[str] = field(default_factory=list[str])
    tables: list['_PageTable'] = field(default_factory=list['_PageTable'])

    def __str__(self) -> str:
        return ' '.join(' '.join(self.words).split())


@dataclass(slots=True)
class _PageTable:
    name: str
    """What is said before it."""
    rows: list[list[_PageCell]] = field(default_factory=list[list[_PageCell]])
    is_layout: bool = False
    """Whether there are paragraphs or headings in its cells."""


@dataclass(slots=True)
class _Rows:
    """Rows below the same titles."""

    names: list[str] = field(default_factory=list[str])
    """What the table of each is called."""
    cells: list[tuple[int, Sequence[str]]] = field(default_factory=list[tuple[int, Sequence[str]]])
    inner: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    """What tables in the cells of each row say, by name."""


def read_page(text: str) -> Read | None:
    """Read a page that says most of what it says in tables of some rows; None of any other text."""
    tables, said = _tables(text) if '<tr' in text.lower() else ([], 0)
    groups: dict[tuple[str, ...], _Rows] = {}
    told = sum(len(words) for table in _gather(tables, groups) for words in _words(table))
    lists: dict[str, list[dict[str, str]]] = {}
    for titles, rows in groups.items():
        if not (table := rows_of(titles, rows.cells, [], least=LEAST_ROWS)):
            continue
        is_joined = len({*rows.names}) > 1
        lists[f'table {len(lists) + 1}'] = [
            {**({INSIDE: rows.names[at]} if is_joined else {}), **row, **rows.inner[at]}
            for at, row in zip(table.lines, table.rows, strict=True)
        ]
    return Read(lists) if lists and told >= _MOST * said else None


def _gather(tables: Sequence[_PageTable], groups: dict[tuple[str, ...], _Rows]) -> Iterator[_PageTable]:
    """Add the rows of tables of data to those below the same titles; yields these tables, and those that name them.

    What only lays out a page may have tables of data in its cells.
    """
    name = ''
    for table in tables:
        only = [*filter(None, map(str, chain(*table.rows)))]
        name = table.name or name
        if len(table.rows) == len(only) == 1:
            name = only[0][:_NAME]
            yield table
        elif grid := _data(table):
            heads = [*takewhile(lambda row: row[-1].is_title, grid)]
            columns = [[str(row[at]) for row in heads] for at in range(len(grid[0]))]
            titles = [' '.join(dict.fromkeys(filter(None, column))) for column in columns]
            if any(titles):
                titles[0] = titles[0] or 'name'
            rows = groups.setdefault((*titles,), _Rows())
            for row in grid[len(heads) :]:
                cells = [*map(str, row)]
                # What is left empty where rows begin is as above.
                cells[0] = cells[0] or (rows.cells[-1][1][0] if rows.cells else '')
                rows.cells.append((len(rows.cells), cells))
                rows.names.append(name)
                rows.inner.append({each: text for cell in row for each, text in _pairs(cell).items()})
            yield table
        else:
            yield from _gather([inner for cell in chain(*table.rows) for inner in cell.tables], groups)


def _data(table: _PageTable) -> list[list[_PageCell]]:
    """The rows of a table of data; none of one that lays out a page."""
    grid = [*_grid(table)]
    width = max(Counter(map(len, grid)).items(), key=lambda each: each[1], default=(0, 0))[0]
    fitting = [row for row in grid if len(row) == width]
    cells = [cell for row in fitting for cell in row]
    if (
        table.is_layout
        or not 2 <= width <= WIDEST
        or len(fitting) < FIT * len(grid)
        or any(len(str(cell)) > _LONGEST and not cell.is_title for cell in cells)
        or any(cell.tables and not _pairs(cell) for cell in cells)
    ):
        return []
    return fitting


def _words(table: _PageTable) -> Iterator[str]:
    for cell in chain(*table.rows):
        yield from cell.words
        for inner in cell.tables:
            yield from _words(inner)


def _pairs(cell: _PageCell) -> dict[str, str]:
    """What the tables in a cell say, each row a name and a value; nothing if they are others."""
    rows = [[*map(str, row)] for table in cell.tables for row in table.rows if not any(each.tables for each in row)]
    return {row[0]: ' '.join(row[1:]) for row in rows if 1 < len(row) <= _DEEPEST and row[0]}


def _grid(table: _PageTable) -> Iterator[list[_PageCell]]:
    """The cells of each row by column; one that spans columns or rows stands in each of them."""
    open_cells: dict[int, tuple[_PageCell, int]] = {}
    for row in filter(None, table.rows):
        found: list[_PageCell] = []
        left = iter(row)
        while len(found) <= WIDEST:
            if above := open_cells.pop(len(found), None):
                cell, rest = above
                columns = 1
            elif cell := next(left, None):
                rest, columns = cell.rows, max(1, cell.columns)
            else:
                break
            for _ in range(columns):
                if rest > 1:
                    open_cells[len(found)] = cell, rest - 1
                found.append(cell)
        yield found


def _tables(text: str) -> tuple[list[_PageTable], int]:
    """The outer tables of a page, and how many characters it says."""
    found: list[_PageTable] = []
    opened: list[_PageTable] = []
    said = end = 0
    is_said = True
    before = ''
    for tag in _TAG.finditer(text):
        words = html.unescape(text[end : tag.start()]).strip() if is_said else ''
        end, name = tag.end(), tag[1].lower()
        said += len(words)
        cell = opened[-1].rows[-1][-1] if opened and opened[-1].rows and opened[-1].rows[-1] else None
        if cell:
            cell.words += [words, *map(''.join, _ALT.findall(tag[2]))]
        elif not opened:
            before = words or before
        if name.strip('/') in _UNSAID:
            is_said = name[0] == '/'
        elif name == 'table' and len(opened) < _DEEPEST:
            table = _PageTable('' if opened else before[:_NAME])
            (cell.tables if cell else found).append(table)
            opened.append(table)
            before = ''
        elif name == '/table' and opened:
            opened.pop()
        elif name == 'tr' and opened:
            opened[-1].rows.append([])
        elif name in ('td', 'th') and opened and opened[-1].rows:
            spans = {match[1].lower(): int(match[2]) for match in islice(_SPAN.finditer(tag[2]), 2)}
            opened[-1].rows[-1].append(_PageCell(name == 'th', spans.get('col', 1), spans.get('row', 1)))
        elif name in _LAID_OUT and opened:
            opened[-1].is_layout = True
    return found, said + len(text[end:].strip())
