"""Rows in the statements of a database dump: `INSERT INTO x VALUES (…), (…)`, `COPY x (…) FROM stdin`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from researcher_integration.digests.tables import LEAST_ROWS, Table, rows_of

_SHARE = 0.3
"""Share of the lines that must have rows."""
_LONGEST_LINE = 2_000_000

_INSERT = re.compile(
    r'(?i)\s*(?:insert|replace)\s+(?:ignore\s+)?into\s+([^\s(]+)\s*(?:\(([^)]*)\)\s*)?values\s*(.*)', re.DOTALL
)
_COPY = re.compile(r'(?i)\s*copy\s+([^\s(]+)\s*\(([^)]*)\)\s+from\s+stdin')
_CREATE = re.compile(r'(?i)\s*create\s+table\s+(?:if\s+not\s+exists\s+)?([^\s(]+)\s*\((.*)')
_TUPLE = re.compile(r"\(((?>(?:[^()']++|'(?>(?:[^'\\]++|\\.|'')*)'|\([^()]*+\))*))\)")
_VALUE = re.compile(r"\s*('(?>(?:[^'\\]++|\\.|'')*)'|(?>(?:[^,()']++|\([^()]*+\))*))\s*(?:,|$)")
_DEFINED = re.compile(r'[\s`"\[]*(\w+)')
_NO_COLUMN = frozenset({'primary', 'key', 'unique', 'constraint', 'index', 'foreign', 'check', 'fulltext'})


def read_tuples(lines: Sequence[str]) -> list[Table]:
    """Read the rows of a dump, a table for each name; none if the text is mostly something else."""
    columns: dict[str, Sequence[str]] = {}
    cells: dict[str, list[tuple[int, Sequence[str]]]] = {}
    beside: list[tuple[int, str]] = []
    name, defining, copying = '', '', False
    used = 0
    for number, line in enumerate(lines, 1):
        line = line[:_LONGEST_LINE]
        if copying and line.strip() != '\\.':
            cells[name].append((number, line.split('\t')))
            used += 1
        elif found := _INSERT.match(line):
            name, copying, used = _bare(found[1]), False, used + 1
            if found[2]:
                columns[name] = _names(found[2])
            cells.setdefault(name, []).extend((number, row) for row in _rows(found[3]))
        elif found := _COPY.match(line):
            name, copying = _bare(found[1]), True
            columns[name] = _names(found[2])
            cells.setdefault(name, [])
        elif name and line.lstrip().startswith('('):
            cells[name].extend((number, row) for row in _rows(line))
            used += 1
        elif found := _CREATE.match(line):
            name, copying, defining = '', False, _bare(found[1])
            defining, was = ('', defining) if found[2].rstrip().endswith(';') else (defining, defining)
            columns[was] = _names(re.sub(r'\([^()]*\)', '', found[2].rstrip(');')))
        elif defining and not line.lstrip().startswith(')') and line.strip():
            columns[defining] = [*columns[defining], *_names(line.split(' COMMENT')[0].partition(',')[0])]
        else:
            name, defining, copying = (name if line.strip()[:1] == '' else ''), '', False
            if line.strip() and not line.startswith(('--', '/*', '\\.', ')')):
                beside.append((number, line))
    found_rows = sum(map(len, cells.values()))
    if found_rows < LEAST_ROWS or used < _SHARE * sum(line.strip() != '' for line in lines):
        return []
    made = [_table(name, columns.get(name, ()), rows) for name, rows in cells.items() if rows]
    tables = [table for table in made if table is not None]
    if tables:
        tables[0] = replace(tables[0], beside=beside)
    return tables


def _table(name: str, columns: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]]) -> Table | None:
    width = max(len(row) for _, row in rows)
    names = columns if len(columns) == width else [f'column {place}' for place in range(1, width + 1)]
    return rows_of(names, rows, (), name=name)


def _rows(text: str) -> Iterator[Sequence[str]]:
    for found in _TUPLE.finditer(text):
        yield [value[1].strip("'") for value in _VALUE.finditer(found[1]) if value[0]]


def _names(text: str) -> list[str]:
    found = (match[1] for part in text.split(',') if (match := _DEFINED.match(part)))
    return [name for name in found if name.lower() not in _NO_COLUMN]


def _bare(name: str) -> str:
    return name.strip('`"[]').rpartition('.')[2].strip('`"[]')
