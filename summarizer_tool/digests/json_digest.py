"""JSON: its lists as things with fields, the rest as `path: value`."""

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from summarizer_tool.digests.asked import NamedRows
from summarizer_tool.digests.columns import describe, quantity, shown
from summarizer_tool.digests.json_reading import Json, Read
from summarizer_tool.digests.notable import BAD
from summarizer_tool.digests.places import OutputRecord
from summarizer_tool.digests.records import LENGTH, Row, named_by, record_statements, with_counts
from summarizer_tool.digests.statements import LONGEST, DigestStatement, Topic, one_line
from summarizer_tool.digests.surprise import surprising
from summarizer_tool.digests.table_readers import headed

MANY = 5
"""Objects in a list from which they are told as many with the same fields."""

_KEYED = 20
"""Entries of an object from which it may be a list under names: of the same fields."""

_SEVERAL = 1.2
"""Things that one has of a kind, on the average, from which these are told apart;"""
_OWN_NAMES = 0.5
"""share of the names of things that must be different for them to be names, and no fields."""
_INSIDE: Mapping[Topic, float] = {'overview': 30.0, 'fields': 16.0, 'odd items': 6.0, 'errors': 4.0, 'values': 8.0}
"""What is told of things inside others loses in rank."""
_PAIR = 2
_PAIR_NAMES, _PAIR_VALUES = frozenset({'key', 'name'}), frozenset({'value', 'values'})
"""Fields of objects that are a name with its value each."""
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
        if _are_alike([*value.values()]) and len(value) >= _KEYED:
            yield from self._things(path or 'entries', _entries(value))
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
            yield from self._things(path or 'items', objects)
        elif len(value) >= MANY and (rows := _lists(value)):
            yield from self._things(path or 'rows', rows)
        elif any(isinstance(each, Mapping | list) for each in value):
            for number, each in enumerate(value):
                yield from self.tell(f'{path}[{number}]', each, depth + 1)
        else:
            yield from self._plain(path, value)

    def _things(
        self, path: str, things: Sequence[Mapping[str, Json]], owners: Sequence[str] = ()
    ) -> Iterator[DigestStatement]:
        """Tell of things with fields, then of those that each of them has several of, named by what they belong to."""
        inside, single = _inside(things)
        rows = with_counts(flat(things, inside, single))
        key, labels = named_by(rows, owners)
        part = path.rpartition('[].')[2] if owners else ''
        self._found.append(NamedRows(labels, rows, what=path, part=part))
        for each in record_statements(path, rows, key, labels, part):
            yield replace(each, rank=each.rank - _INSIDE.get(each.topic, 0.0)) if owners else each
        for below, (at, found) in inside.items():
            yield from self._things(f'{path}[].{below}', found, [labels[place] for place in at])

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


def _are_alike(values: Sequence[Json]) -> bool:
    """Return whether nearly all values are objects, or lists of such, with fields that many of them have."""
    inside = [each for each in values if isinstance(each, Mapping) or _objects(each) == each]
    things = [thing for each in inside for thing in ([each] if isinstance(each, Mapping) else _objects(each))]
    fields = Counter(field for each in things for field in each)
    common = sum(count >= 0.5 * len(things) for count in fields.values())
    return len(inside) >= 0.9 * len(values) and common > 0 and common >= 0.2 * len(fields)


def _entries(value: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    """The entries of an object as things that have its keys."""
    return [
        {'key': key, **each} if isinstance(each, Mapping) else {'key': key, 'items' if isinstance(each, list) else 'value': each}
        for key, each in value.items()
    ]


_Inside = Mapping[str, tuple[Sequence[int], Sequence[Mapping[str, Json]]]]
"""By path the things that other things have several of: the index of the one that has it, and the thing, of each."""


def _inside(things: Sequence[Mapping[str, Json]]) -> tuple[_Inside, Sequence[str]]:
    """Lists of things, and those under names of their own, of which each thing has several; and lists of but one."""
    met: dict[str, tuple[list[int], list[Mapping[str, Json]]]] = {}
    keyed: dict[str, list[tuple[int, Mapping[str, Json]]]] = {}

    def walk(path: str, value: Json, at: int, depth: int) -> None:
        if depth >= _DEEPEST:
            return
        value = _unpaired(value)
        if isinstance(value, Mapping):
            if path and len(value) > 1 and all(isinstance(each, Mapping | list) for each in value.values()):
                keyed.setdefault(path, []).append((at, value))
            for key, each in value.items():
                if isinstance(each, Mapping | list):
                    walk(f'{path}.{key[:80]}' if path else key[:80], each, at, depth + 1)
        elif objects := _objects(value):
            owners, found = met.setdefault(path, ([], []))
            owners += [at] * len(objects)
            found += objects
            for each in objects:
                walk(f'{path}[]', each, at, depth + 1)

    for at, thing in enumerate(things):
        walk('', thing, at, 0)
    for path, owned in keyed.items():
        entries = [(at, each) for at, value in owned for each in _entries(value)]
        names = {each['key'] for _, each in entries}
        alike = [each for _, value in owned for each in value.values()]
        if len(entries) >= _KEYED and len(names) >= _OWN_NAMES * len(entries) and _are_alike(alike):
            met[path] = [at for at, _ in entries], [each for _, each in entries]
    chosen: dict[str, tuple[Sequence[int], Sequence[Mapping[str, Json]]]] = {}
    for path in sorted(met, key=len):
        owners, found = met[path]
        is_within = any(path.startswith((f'{other}.', f'{other}[')) for other in chosen)
        if not is_within and len(found) >= max(MANY, _SEVERAL * len({*owners})):
            chosen[path] = owners, found
    single = [path for path, (owners, _) in met.items() if path not in chosen and len({*owners}) == len(owners)]
    return chosen, sorted(single, key=len, reverse=True)


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


def _unpaired(value: Json) -> Json:
    """A value; of a list of names with a value each, such as tags and variables are often written, an object."""
    if not isinstance(value, list) or not value or not isinstance(value[0], Mapping) or len(value[0]) != _PAIR:
        return value
    name, _ = fields = sorted(value[0], key=lambda field: field.lower() not in _PAIR_NAMES)
    if name.lower() not in _PAIR_NAMES or fields[1].lower() not in _PAIR_VALUES:
        return value
    pairs = {cell(each.get(name)): each.get(fields[1]) for each in _objects(value) if each.keys() == {*fields}}
    return pairs if len(pairs) == len(value) else value


def flat(
    things: Sequence[Mapping[str, Json]], apart: Container[str] = (), single: Sequence[str] = ()
) -> list[Row]:
    """Objects as rows: a cell for each value in them, named by its path; the entries of a list share cells.

    Of what is told apart there is only how much of it a thing has; what stands in a list alone is named without it.
    """

    @cache
    def named(path: str) -> str:
        for each in single:
            path = each + path[len(each) + 2 :] if path.startswith(f'{each}[]') else path
        return path

    rows: list[Row] = []
    for thing in things:
        row: dict[str, list[str]] = {}
        for path, inside in _cells('', thing, 0, apart):
            if path in row or len(row) < _CELLS:
                row.setdefault(path, []).append(inside)
        rows.append({named(path): ', '.join(inside) for path, inside in row.items()})
    return rows


def _cells(path: str, value: Json, depth: int, apart: Container[str]) -> Iterator[tuple[str, str]]:
    value = _unpaired(value)
    if path in apart and isinstance(value, Mapping | list):
        yield f'{path}{LENGTH}', str(len(value))
    elif isinstance(value, Mapping) and value and depth < _DEEPEST:
        for key, inside in value.items():
            yield from _cells(f'{path}.{key[:80]}' if path else key[:80], inside, depth + 1, apart)
    elif isinstance(value, list) and depth < _DEEPEST and any(isinstance(each, Mapping) for each in value):
        for entry in value:
            yield from _cells(f'{path}[]', entry, depth + 1, apart)
        if len(value) > 1:
            yield f'{path}{LENGTH}', str(len(value))
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
