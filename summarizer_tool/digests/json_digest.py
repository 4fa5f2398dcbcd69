"""JSON: its lists as things with fields, the rest as `path: value`."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from summarizer_tool.digests.asked import NamedRows
from summarizer_tool.digests.columns import describe, quantity, shown
from summarizer_tool.digests.json_reading import Json, Read
from summarizer_tool.digests.notable import BAD
from summarizer_tool.digests.places import OutputRecord
from summarizer_tool.digests.records import Row, named_by, record_statements
from summarizer_tool.digests.statements import LONGEST, DigestStatement, one_line
from summarizer_tool.digests.surprise import surprising
from summarizer_tool.digests.table_readers import headed

MANY = 5
"""Objects in a list from which they are told as many with the same fields."""

_KEYED = 20
"""Entries of an object from which it may be a list under names: of the same fields."""

_CELLS = 400
"""Fields of one object that are looked at."""
_DEEPEST = 12
"""Levels of nesting inside one thing; what is deeper is told as text."""
_PLACES = 20_000
"""Values outside of lists that are told; more would never fit."""
_TEXT = 1500
"""Characters from which a string is looked at as output of its own: a log inside a field."""

_NAMES = 60
"""Values without parts, each its own, up to which a list is told as it stands."""
_TOGETHER = 160
"""Characters of several values of one object on one line."""
_UNSET = frozenset({'null', 'false', '""', '[]', '{}'})
_DEFAULT = 16.0
"""What a value that sets nothing loses in rank."""
_STATE = re.compile(r'(?i)status|state|phase|error|health|message|total|count|version|name$|default')

Inner = Callable[[str], Iterable[DigestStatement]]
"""What a string inside the JSON says, if it is machine output itself."""


def json_statements(read: Read, inner: Inner, found: list[NamedRows]) -> Iterator[DigestStatement]:
    """Everything a digest of JSON may say; `inner` tells of a long string inside of it.

    The lists of things that are met are added to `found`.
    """
    if read.broken:
        yield DigestStatement(read.broken, 90.0, 'overview')
    if read.around:
        yield DigestStatement(f'beside the JSON: {one_line(read.around)}', 80.0, 'overview')
    walk = _JsonWalk(inner, found)
    yield from walk.tell('', read.value, 0)


class _JsonWalk:
    """Walks through JSON; counts what it has told, so that no JSON is too large for it."""

    def __init__(self, inner: Inner, found: list[NamedRows]) -> None:
        self._inner = inner
        self._found = found
        self._left = _PLACES

    def tell(self, path: str, value: Json, depth: int) -> Iterator[DigestStatement]:
        """Tell of a value and what is in it."""
        if self._left <= 0:
            return
        if isinstance(value, str):
            yield from self._string(path, value)
        elif isinstance(value, Mapping):
            yield from self._object(path, value, depth)
        elif isinstance(value, Sequence):
            yield from self._list(path, value, depth)
        else:
            yield self._place(path, cell(value))

    def _place(self, path: str, text: str) -> DigestStatement:
        return DigestStatement(f'{path or "value"}: {shown(text)}', self._rank(path, text), 'values')

    def _rank(self, path: str, text: str) -> float:
        self._left -= 1
        name = path.rsplit('.', 1)[-1]
        rank = 56.0 - 3.0 * path.count('.') - (_DEFAULT if text in _UNSET else 0.0)
        return rank + (12.0 if _STATE.search(name) else 0.0) + (14.0 if BAD.search(text) else 0.0)

    def _string(self, path: str, value: str) -> Iterator[DigestStatement]:
        found = list(self._inner(value)) if len(value) >= _TEXT else []
        if found:
            self._left -= len(found)
            yield DigestStatement(f'{path or "text"}: {len(value)} characters of output', 94.0, 'overview')
            yield from found
        else:
            yield self._place(path, value)

    def _object(self, path: str, value: Mapping[str, Json], depth: int) -> Iterator[DigestStatement]:
        if rows := _keyed(value):
            yield from self._records(path or 'entries', rows)
            return
        if not value or depth >= _DEEPEST:
            yield self._place(path, _compact(value))
            return
        leaves = {key: shown(cell(each)) for key, each in value.items() if _is_leaf(each)} if path else {}
        together = leaves if len(leaves) > 1 else {}
        yield from self._together(path, together)
        for key, inside in value.items():
            if key not in together:
                yield from self.tell(f'{path}.{one_line(key, 80)}' if path else one_line(key, 80), inside, depth + 1)

    def _together(self, path: str, leaves: Mapping[str, str]) -> Iterator[DigestStatement]:
        """Values of one object on lines that are not too long, ranked by the weightiest; those that are set first."""
        line: list[str] = []
        rank = 0.0
        for key, text in sorted(leaves.items(), key=lambda each: each[1] in _UNSET):
            said = f'{one_line(key, 80)}={text}'
            if line and sum(map(len, line)) + len(said) > _TOGETHER:
                yield DigestStatement(f'{path}: {", ".join(line)}', rank + len(line), 'values')
                line, rank = [], 0.0
            line.append(said)
            rank = max(rank, self._rank(f'{path}.{key}', text))
        if line:
            yield DigestStatement(f'{path}: {", ".join(line)}', rank + len(line), 'values')

    def _list(self, path: str, value: Sequence[Json], depth: int) -> Iterator[DigestStatement]:
        if depth >= _DEEPEST or not value:
            yield self._place(path, _compact(value))
            return
        objects = _objects(value)
        if len(objects) >= max(MANY, len(value) // 2):
            if len(objects) < len(value):
                others = ', '.join(shown(cell(each)) for each in value if not isinstance(each, Mapping))
                yield DigestStatement(
                    f'{path or "items"}: {len(value) - len(objects)} are no objects: {others}', 70.0, 'odd items'
                )
            yield from self._records(path or 'items', flat(objects))
        elif len(value) >= MANY and (rows := _lists(value)):
            yield from self._records(path or 'rows', rows)
        elif any(isinstance(each, Mapping | list) for each in value):
            for number, each in enumerate(value):
                yield from self.tell(f'{path}[{number}]', each, depth + 1)
        else:
            yield from self._plain(path, value)

    def _records(self, path: str, rows: Sequence[Row]) -> Iterator[DigestStatement]:
        key, labels = named_by(rows)
        self._found.append(NamedRows(labels, rows))
        yield from record_statements(path, rows, key, labels)

    def _plain(self, path: str, value: Sequence[Json]) -> Iterator[DigestStatement]:
        """A list of values without parts."""
        cells = [cell(each) for each in value]
        joined = f'[{", ".join(map(shown, cells))}]'
        if len(cells) < MANY or (len(joined) <= 200 and len(cells) <= 2 * MANY):
            yield self._place(path, joined)
            return
        if len({*cells}) == len(cells) <= _NAMES and any(quantity(each) is None for each in cells):
            # Names: as many of them as one line has room for.
            shorter = f'{joined[: LONGEST - 20].rpartition(", ")[0]}, … {len(cells)} in all]'
            yield self._place(path, joined if len(joined) <= LONGEST else shorter)
            return
        self._left -= 1
        column = describe(path or 'values', cells)
        yield DigestStatement(f'{path or "values"}: {len(cells)} values, {column.text}', 62.0, 'fields')
        yield from surprising([OutputRecord('', name=path or 'values', fields=[('value', each)]) for each in cells])


def _is_leaf(value: Json) -> bool:
    """Return whether a value is short, and has parts of its own at most as a short list."""
    if isinstance(value, list):
        return len(value) < MANY and not any(isinstance(each, Mapping | list) for each in value)
    return not isinstance(value, Mapping) and not (isinstance(value, str) and len(value) > _TOGETHER)


def _keyed(value: Mapping[str, Json]) -> list[Row]:
    """The rows of an object whose keys are names of like things; none if it is not such a one."""
    inside = [each for each in value.values() if isinstance(each, Mapping)]
    fields = Counter(field for each in inside for field in each)
    common = sum(count >= 0.5 * len(inside) for count in fields.values())
    if len(value) < _KEYED or len(inside) < 0.9 * len(value) or not common or common < 0.2 * len(fields):
        return []
    return [
        {'key': cell(key), **(flat([each])[0] if isinstance(each, Mapping) else {'value': cell(each)})}
        for key, each in value.items()
    ]


def _lists(value: Sequence[Json]) -> Sequence[Row]:
    """The rows of a list of lists of one length, such as a query's result; the first one may be their titles."""
    rows = [each for each in value if isinstance(each, list)]
    if len(rows) < len(value) or len({len(row) for row in rows}) > 1:
        return []
    if any(isinstance(each, Mapping) for row in rows for each in row):
        return []  # pages of things, or a name and a thing each
    table = headed([(0, [*map(cell, row)]) for row in rows], ())
    return table.rows if table else []


def _objects(value: Json) -> list[Mapping[str, Json]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, Sequence) else []


def flat(things: Sequence[Mapping[str, Json]]) -> list[Row]:
    """Objects as rows: a cell for each value in them, named by its path; the entries of a list share cells."""
    rows: list[Row] = []
    for thing in things:
        row: dict[str, list[str]] = {}
        for path, inside in _cells('', thing, 0):
            if path in row or len(row) < _CELLS:
                row.setdefault(path, []).append(inside)
        rows.append({path: ', '.join(inside) for path, inside in row.items()})
    return rows


def _cells(path: str, value: Json, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value and depth < _DEEPEST:
        for key, inside in value.items():
            yield from _cells(f'{path}.{key[:80]}' if path else key[:80], inside, depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST and any(isinstance(each, Mapping) for each in value):
        for entry in value:
            yield from _cells(f'{path}[]', entry, depth + 1)
        if len(value) > 1:
            yield f'{path}.length', str(len(value))
    else:
        yield path, cell(value)


def cell(value: Json) -> str:
    """A value without parts as it is written, strings without quotes unless they could be taken for something else."""
    if isinstance(value, str):
        return f'"{value}"' if value in ('null', 'true', 'false', '') else value
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return _compact(value) if isinstance(value, Mapping | list) else str(value)


def _compact(value: Json, depth: int = 0) -> str:
    """A value with few parts on one line; deep or long ones in part."""
    if isinstance(value, Mapping):
        if depth > 3:
            return '{…}'
        inside = [f'{key}: {_compact(each, depth + 1)}' for key, each in list(value.items())[:10]]
        return f'{{{", ".join(inside)}{", …" if len(value) > 10 else ""}}}'
    if isinstance(value, Sequence) and not isinstance(value, str):
        if depth > 3:
            return '[…]'
        inside = [_compact(each, depth + 1) for each in value[:10]]
        return f'[{", ".join(inside)}{f", … {len(value)} in all" if len(value) > 10 else ""}]'
    return one_line(cell(value), 200)
