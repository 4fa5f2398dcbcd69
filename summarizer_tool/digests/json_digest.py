"""JSON: its lists as things with fields, the rest as `path: value`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from summarizer_tool.digests import ranks
from summarizer_tool.digests.asked import NamedRows
from summarizer_tool.digests.columns import describe, quantity, shown
from summarizer_tool.digests.json_reading import Json, Read
from summarizer_tool.digests.json_rows import DEEPEST, MANY, Thing, cell, compact, entries, flat, inner_things, objects
from summarizer_tool.digests.naming import Row, named_by
from summarizer_tool.digests.notable import BAD
from summarizer_tool.digests.places import OutputRecord
from summarizer_tool.digests.records import record_statements
from summarizer_tool.digests.statements import LONGEST, DigestStatement, one_line
from summarizer_tool.digests.surprise import surprising
from summarizer_tool.digests.table_readers import headed

_PLACES = 20_000  # values outside of lists that are told; more would never fit
_TEXT = 1500  # characters from which a string is looked at as output of its own: a log inside a field
_NAMES = 60  # values without parts, each its own, up to which a list is told as it stands
_TOGETHER = 160  # characters of several values of one object on one line
_UNSET = frozenset({'null', 'false', '""', '[]', '{}'})
_STATE = re.compile(r'(?i)status|state|phase|error|health|message|total|count|version|name$|default')

Inner = Callable[[str], Iterable[DigestStatement]]
"""What a string inside the JSON says, if it is machine output itself."""


def json_statements(read: Read, inner: Inner, found: list[NamedRows]) -> Iterator[DigestStatement]:
    """Everything a digest of JSON may say; `inner` tells of a long string inside of it.

    The lists of things that are met are added to `found`.
    """
    if read.broken:
        yield DigestStatement(read.broken, ranks.BROKEN, 'overview')
    for part in read.around.split('\n\n') if read.around else ():
        rank = ranks.BESIDE + ranks.WRONG * bool(BAD.search(part))
        yield DigestStatement(f'beside the JSON: {one_line(part)}', rank, 'odd items')
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
        rank = ranks.VALUE - ranks.STEP * path.count('.') - ranks.UNSET * (text in _UNSET)
        return rank + ranks.STATE * bool(_STATE.search(name)) + ranks.WRONG * bool(BAD.search(text))

    def _string(self, path: str, value: str) -> Iterator[DigestStatement]:
        found = list(self._inner(value)) if len(value) >= _TEXT else []
        if found:
            self._left -= len(found)
            yield DigestStatement(f'{path or "text"}: {len(value)} characters of output', ranks.COUNTED, 'overview')
            yield from found
        else:
            yield self._place(path, value)

    def _object(self, path: str, value: Mapping[str, Json], depth: int) -> Iterator[DigestStatement]:
        if things := entries(value):
            yield from self._things(path or 'entries', things)
            return
        if not value or depth >= DEEPEST:
            yield self._place(path, compact(value))
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
        if depth >= DEEPEST or not value:
            yield self._place(path, compact(value))
            return
        found = objects(value)
        if len(found) >= max(MANY, len(value) // 2):
            if len(found) < len(value):
                others = ', '.join(shown(cell(each)) for each in value if not isinstance(each, Mapping))
                yield DigestStatement(
                    f'{path or "items"}: {len(value) - len(found)} are no objects: {others}',
                    ranks.NO_OBJECT,
                    'odd items',
                )
            yield from self._things(path or 'items', found)
        elif len(value) >= MANY and (rows := _lists(value)):
            yield from self._things(path or 'rows', rows)
        elif any(isinstance(each, Mapping | list) for each in value):
            for number, each in enumerate(value):
                yield from self.tell(f'{path}[{number}]', each, depth + 1)
        else:
            yield from self._plain(path, value)

    def _things(self, path: str, things: Sequence[Thing], owners: Sequence[str] = ()) -> Iterator[DigestStatement]:
        """Tell of things with fields, then of those that each of them has several of, named by what they belong to."""
        inside, alone = inner_things(things)
        rows = flat(things, inside, alone)
        key, labels = named_by(rows, owners)
        part = path.rpartition('[].')[2] if owners else ''
        self._found.append(NamedRows(labels, rows, what=path, part=part))
        for each in record_statements(path, self._found[-1], key):
            yield replace(each, rank=each.rank - ranks.INSIDE.get(each.topic, 0.0)) if owners else each
        for below, found in inside.items():
            yield from self._things(f'{path}[].{below}', found.things, [labels[owner] for owner in found.owners])

    def _plain(self, path: str, value: Sequence[Json]) -> Iterator[DigestStatement]:
        """A list of values without parts."""
        cells = [cell(each) for each in value]
        joined = f'[{", ".join(map(shown, cells))}]'
        are_names = len({*cells}) == len(cells) <= _NAMES and any(quantity(each) is None for each in cells)
        if len(cells) < MANY or are_names:
            # Names: as many of them as one line has room for.
            shorter = f'{joined[: LONGEST - 20].rpartition(", ")[0]}, … {len(cells)} in all]'
            yield self._place(path, joined if len(joined) <= LONGEST else shorter)
            return
        self._left -= 1
        column = describe(path or 'values', cells)
        yield DigestStatement(f'{path or "values"}: {len(cells)} values, {column.text}', ranks.PLAIN_VALUES, 'fields')
        yield from surprising([OutputRecord('', name=path or 'values', fields=[('value', each)]) for each in cells])


def _is_leaf(value: Json) -> bool:
    """Return whether a value is short, and has parts of its own at most as a short list."""
    if isinstance(value, list):
        return len(value) < MANY and not any(isinstance(each, Mapping | list) for each in value)
    return not isinstance(value, Mapping) and not (isinstance(value, str) and len(value) > _TOGETHER)


def _lists(value: Sequence[Json]) -> Sequence[Row]:
    """The rows of a list of lists of one length, such as a query's result; the first one may be their titles."""
    rows = [each for each in value if isinstance(each, list)]
    if len(rows) < len(value) or len({len(row) for row in rows}) > 1:
        return []
    if any(isinstance(each, Mapping) for row in rows for each in row):
        return []  # pages of things, or a name and a thing each
    table = headed([(0, [*map(cell, row)]) for row in rows], ())
    return table.rows if table else []
