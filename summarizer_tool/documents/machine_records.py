"""What a program has written into a text, as values: JSON, the rows of a CSV table, or lines. Pure computing."""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

Json: TypeAlias = 'bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None'

_DECODER = json.JSONDecoder()
_NEXT = re.compile(r'\ufeff?\s*+[\[{]')
_SAMPLE = 50
"""Rows by which a table is known."""
_EVEN_SHARE = 0.9
"""Share of them that have as many fields as the first one, at least."""
_NAME = re.compile(r'[^\W\d][\w .()/%#-]{0,59}')
"""The name of a column; a log has times where a table has names."""
_WHOLE = re.compile(r'-?(?:0|[1-9]\d{0,14})')
_FRACTION = re.compile(r'-?(?:0|[1-9]\d{0,14})\.\d{1,15}(?:[eE][+-]?\d{1,2})?')


@dataclass(frozen=True, slots=True)
class MachineRecords:
    """A text as a value."""

    value: Json
    form: str
    """As what it was read, with the number of records: `CSV, 20 rows`."""


def read_records(text: str) -> MachineRecords:
    """Read a text as JSON, else as CSV with a line of names, else as lines.

    JSON is what it says; of several values, one after another, a list, and where objects begin their `line`, from 1.
    CSV is a list of rows by the names of their columns, in which numbers are numbers; fields
    that no column has are under `more`. Lines are a list with `line`, from 1, and `text`; of a line that is a JSON
    object its fields are there, too.
    """
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list | dict):
        members = f', {len(value):,} items' if isinstance(value, list) else ''
        return MachineRecords(value, f'JSON{members}')
    if len(values := _stream(text)) > 1:
        is_lines = len(values) == sum(line.strip() != '' for line in text.split('\n'))
        return MachineRecords(values, f'JSON {"lines" if is_lines else "values"}, {len(values):,}')
    lines = text.removeprefix('\ufeff').split('\n')
    if not lines[-1]:
        lines.pop()
    if (rows := _rows(lines)) is not None:
        return MachineRecords(rows, f'CSV, {len(rows):,} rows')
    return _lines(lines)


def _rows(lines: Sequence[str]) -> list[Json] | None:
    found = {separator: names for separator in ',;\t|' if (names := _columns(lines[:_SAMPLE], separator))}
    if not found:
        return None
    separator = max(found, key=lambda each: len(found[each]))
    try:
        rows = csv.DictReader([f'{line}\n' for line in lines], restkey='more', delimiter=separator)
        rows.fieldnames = found[separator]
        next(rows)
        return [{key: _typed(field) for key, field in row.items() if field is not None} for row in rows]
    except (csv.Error, StopIteration):
        return None


def _columns(lines: Sequence[str], separator: str) -> list[str]:
    """The names of the columns, if there are any."""
    try:
        rows = [row for row in csv.reader(lines, delimiter=separator) if row]
    except csv.Error:
        return []
    if len(rows) < 2:
        return []
    names = [name.strip() for name in rows[0]]
    even = sum(len(row) == len(names) for row in rows)
    is_table = len(names) > 1 and len(set(names)) == len(names) and all(map(_NAME.fullmatch, names))
    return names if is_table and even >= _EVEN_SHARE * len(rows) else []


def _typed(field: str | list[str]) -> Json:
    if isinstance(field, list):
        return [_typed(each) for each in field]
    written = field.strip()
    if _WHOLE.fullmatch(written):
        return int(written)
    return float(written) if _FRACTION.fullmatch(written) else field


def _stream(text: str) -> list[Json]:
    """Objects and lists that stand one after another; none if anything else does."""
    values: list[Json] = []
    number, counted, end = 1, 0, 0
    while begin := _NEXT.match(text, end):
        at = begin.end() - 1
        number, counted = number + text.count('\n', counted, at), at
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return []
        values.append({'line': number, **cast('dict[str, Json]', value)} if isinstance(value, dict) else value)
    return [] if text[end:].strip() else values


def _lines(lines: Sequence[str]) -> MachineRecords:
    read = [(number, line.rstrip('\r'), _fields(line)) for number, line in enumerate(lines, 1)]
    records = [{'line': number, 'text': line, **fields} for number, line, fields in read]
    return MachineRecords(records, f'lines, {len(read):,} of them')


def _fields(line: str) -> dict[str, Json]:
    if not line.lstrip().startswith('{'):
        return {}
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast('dict[str, Json]', value) if isinstance(value, dict) else {}
