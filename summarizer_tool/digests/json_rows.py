"""Objects of JSON as rows of cells, and what each of them has several of as things of their own."""

import json
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TypeAlias

from summarizer_tool.digests.json_reading import Json
from summarizer_tool.digests.naming import LENGTH, Row
from summarizer_tool.digests.statements import one_line

MANY = 5
"""Objects in a list from which they are told as many with the same fields."""
DEEPEST = 12
"""Levels of nesting inside one thing; what is deeper is told as text."""
_KEYED = 20  # entries of an object from which it may be a list under names: of the same fields
_SEVERAL = 1.2  # things that one has of a kind, on the average, from which these are told apart
_FREE, _SELDOM, _MOSTLY = 8, 0.1, 0.8
"""Names below one path from which they may be free, share of the things that have one of these, and of them that are so
seldom, for them to be those of things, and no fields."""
_PAIR_NAMES, _PAIR_VALUES = frozenset({'key', 'name'}), frozenset({'value', 'values'})
"""Fields of objects that are a name with its value each."""
_CELLS = 400  # fields of one object that are looked at, half of them of one of its members at most

Thing: TypeAlias = Mapping[str, Json]


@dataclass(slots=True)
class InnerThings:
    """Things that others have."""

    owners: list[int] = field(default_factory=list[int])
    """The index of the one that has each."""
    things: list[Thing] = field(default_factory=list[Thing])
    are_named: bool = False
    """Whether they stand under names, and not in a list."""

    def add(self, owner: int, things: Sequence[Thing]) -> None:
        """Note things of one other."""
        self.owners += [owner] * len(things)
        self.things += things


def objects(value: Json) -> list[Thing]:
    """The objects of a list; none of anything else."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def entries(value: Thing) -> list[Thing]:
    """The things of an object whose keys are their names; none if it is not such a one."""
    return _entries(value) if len(value) >= _KEYED and _have_same_fields([*value.values()]) else []


def _entries(value: Thing) -> list[Thing]:
    return [{'key': key, **(each if isinstance(each, Mapping) else _alone(each))} for key, each in value.items()]


def _alone(value: Json) -> Thing:
    return {'items' if isinstance(value, list) else 'value': value}


def _have_same_fields(values: Sequence[Json]) -> bool:
    """Return whether nearly all values are objects, or lists of such, with fields that many of them have."""
    inside = [each for each in values if isinstance(each, Mapping) or objects(each) == each]
    things = [thing for each in inside for thing in ([each] if isinstance(each, Mapping) else objects(each))]
    fields = Counter(field for each in things for field in each)
    common = sum(count >= 0.5 * len(things) for count in fields.values())
    return len(inside) >= 0.9 * len(values) and common > 0 and common >= 0.2 * len(fields)


def inner_things(things: Sequence[Thing]) -> tuple[Mapping[str, InnerThings], Container[str]]:
    """By path what each thing has several of, in a list or under names; and the lists that have but one each."""
    lists: dict[str, InnerThings] = {}
    single: dict[str, list[tuple[int, Json, Thing]]] = {}
    for owner, thing in enumerate(things):
        for path, given, value in _parts('', thing, 0):
            if isinstance(value, Mapping):
                single.setdefault(path, []).append((owner, given, value))
            else:
                lists.setdefault(path, InnerThings()).add(owner, objects(value))
    for path, having in single.items():
        names = Counter(name for _, _, value in having for name in value)
        seldom = sum(count <= _SELDOM * len(things) for count in names.values())
        if path not in lists and len(having) > 1 and len(names) > _FREE and seldom > _MOSTLY * len(names):
            lists[path] = InnerThings(are_named=True)
            for owner, _, value in having:
                lists[path].add(owner, _entries(value))
    apart: dict[str, InnerThings] = {}
    for path in sorted(lists, key=len):
        is_within = any(sign in '.[' and path[:at] in apart for at, sign in enumerate(path))
        owners = lists[path].owners
        if not is_within and len(owners) >= max(MANY, _SEVERAL * len({*owners})):
            apart[path] = lists[path]
            # What has but one often has it without a list.
            for owner, given, _ in () if apart[path].are_named else single.get(path, ()):
                alone_there = [given] if isinstance(given, Mapping) and given else objects(given)
                apart[path].add(owner, alone_there)
    alone = {path for path, each in lists.items() if path not in apart and len({*each.owners}) == len(each.owners)}
    return apart, alone


def _parts(path: str, value: Json, depth: int) -> Iterator[tuple[str, Json, Json]]:
    """The lists of objects, and objects, inside of a value, with their paths: as they are, and as they are read."""
    given, value = value, _unpaired(value)
    if isinstance(value, Mapping) and depth < DEEPEST:
        if path:
            yield path, given, value
        for key, inside in value.items():
            if isinstance(inside, Mapping | list):
                yield from _parts(f'{path}.{key[:80]}' if path else key[:80], inside, depth + 1)
    elif depth < DEEPEST and (inner := objects(value)):
        yield path, given, value
        for each in inner:
            yield from _parts(f'{path}[]', each, depth + 1)


def _unpaired(value: Json) -> Json:
    """A value; of a list of names with a value each, as tags and variables are often written, an object."""
    pairs = objects(value)
    fields = [*pairs[0]] if pairs else []
    name = next((each for each in fields if each.lower() in _PAIR_NAMES), None)
    given = next((each for each in fields if each.lower() in _PAIR_VALUES), None)
    if name is None or given is None or any({*each} != {name, given} for each in pairs):
        return value
    found = {cell(each[name]): each[given] for each in pairs}
    return found if isinstance(value, list) and len(found) == len(value) else value


def flat(
    things: Sequence[Thing], apart: Mapping[str, InnerThings] = MappingProxyType({}), alone: Container[str] = ()
) -> list[Row]:
    """Objects as rows: a cell for each value in them, named by its path; the entries of a list share cells.

    Args:
        things: The objects.
        apart: What is told apart, by path: there is only how much of it a thing has.
        alone: The paths of lists that have one entry each, which are named as if there were no list.
    """

    @cache
    def named(path: str) -> str:
        for at in range(len(path) - 2, -1, -1):
            if path.startswith('[]', at) and path[:at] in alone:
                path = path[:at] + path[at + 2 :]
        return path

    rows: list[Row] = []
    for thing in things:
        row: dict[str, list[str]] = {}
        members: Counter[str] = Counter()
        for path, inside in _cells('', thing, 0, apart):
            member = re.split(r'[.\[]', path, maxsplit=1)[0]
            members[member] += path not in row
            if path in row or (len(row) < _CELLS and members[member] <= _CELLS // 2):
                row.setdefault(path, []).append(inside)
        rows.append({named(path): ', '.join(inside) for path, inside in row.items()})
    # How many there are of something tells nothing where all have as many.
    lengths = [
        item for row in rows for item in row.items() if item[0].endswith(LENGTH) and item[0][: -len(LENGTH)] in row
    ]
    same = {field for (field, _), count in Counter(lengths).items() if count == len(rows) > 1}
    rows = [{field: each for field, each in row.items() if field not in same} for row in rows] if same else rows
    # What is an object in some things is not missing there. Values inside of lists share cells with such as are none.
    fields = Counter(field for row in rows for field in row)
    outer = {above for field in fields for above in _above(field) if above in fields and '[]' not in above}
    return [{**{above: '{…}' for each in row for above in _above(each) if above in outer}, **row} for row in rows]


def _above(field: str) -> Iterator[str]:
    """The paths that a field is inside of."""
    return (field[:at] for at, sign in enumerate(field) if at and sign in '.[')


def _cells(path: str, value: Json, depth: int, apart: Mapping[str, InnerThings]) -> Iterator[tuple[str, str]]:
    given, value = value, _unpaired(value)
    inner = apart.get(path) if depth < DEEPEST else None
    if inner and isinstance(within := value if inner.are_named else given, Mapping) and within:
        yield f'{path}{LENGTH}', str(len(within) if inner.are_named else 1)
    elif inner and isinstance(given, list):
        yield f'{path}{LENGTH}', str(len(given))
        for each in given:
            if not isinstance(each, Mapping):
                yield from _cells(f'{path}[]', each, depth + 1, apart)
    elif isinstance(value, Mapping) and value and depth < DEEPEST:
        for key, inside in value.items():
            yield from _cells(f'{path}.{key[:80]}' if path else key[:80], inside, depth + 1, apart)
    elif isinstance(value, list) and depth < DEEPEST and any(isinstance(each, Mapping) for each in value):
        for entry in value:
            yield from _cells(f'{path}[]', entry, depth + 1, apart)
        if len(value) > 1:
            yield f'{path}{LENGTH}', str(len(value))
    else:
        yield path, cell(value)
        if isinstance(value, list) and path and '[]' not in path:
            yield f'{path}{LENGTH}', str(len(value))


def cell(value: Json) -> str:
    """A value without parts as it is written, strings without quotes unless they could be taken for something else."""
    if isinstance(value, str):
        return f'"{value}"' if value in ('null', 'true', 'false', '') else value
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return compact(value) if isinstance(value, Mapping | list) else str(value)


def compact(value: Json, depth: int = 0) -> str:
    """A value with few parts on one line; deep or long ones in part."""
    if isinstance(value, Mapping):
        if depth > 3:
            return '{…}'
        inside = [f'{key}: {compact(each, depth + 1)}' for key, each in list(value.items())[:10]]
        return f'{{{", ".join(inside)}{", …" if len(value) > 10 else ""}}}'
    if isinstance(value, Sequence) and not isinstance(value, str):
        if depth > 3:
            return '[…]'
        inside = [compact(each, depth + 1) for each in value[:10]]
        return f'[{", ".join(inside)}{f", … {len(value)} in all" if len(value) > 10 else ""}]'
    return one_line(cell(value), 200)
