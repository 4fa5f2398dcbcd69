"""Fields of which one tells the other, and the rows that break what holds for all others."""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from math import log2
from typing import TypeAlias

from researcher_integration.digests.columns import Oddity, shown

_GROUP = 10
"""Rows with the same value from which another field's value may follow from it."""
_EXCEPTIONS = 2
_EXCEPTION_SHARE = 0.02
"""Rows of a group that may break the rule."""
_CHANCE = 24.0
"""Bits that it takes for a rule not to be chance: how rarely the others would all have one value."""
_COVERED = 0.3
"""Share of the rows that must be in such groups."""
_CELLS = 1_500_000
"""Pairs of cells that are looked at."""
_TOLD = 40
"""Characters of a value that are told as usual."""

_Field: TypeAlias = 'tuple[str, Sequence[str | None], Counter[str | None]]'
"""Its name, its values, and how often there is each."""


def contradictions(columns: Sequence[tuple[str, Sequence[str | None]]]) -> list[Oddity]:
    """The rows in which a field has not the value that all others have where another field is the same."""
    varied = [(name, values, counts) for name, values in columns if len(counts := Counter(values)) > 1]
    found: dict[tuple[int, int], Oddity] = {}
    left = _CELLS
    for key in varied:
        large = {value for value, count in key[2].items() if value and count >= _GROUP}
        if sum(key[2][value] for value in large) < _COVERED * key[2].total():
            continue
        for place, field in enumerate(varied):
            left -= len(key[1])
            if field is not key and left > 0:
                for each in _breaking(field, key, large):
                    known = found.setdefault((place, each.row), each)
                    if known.surprise < each.surprise:
                        found[place, each.row] = each
    return [*found.values()]


def _breaking(field: _Field, key: _Field, large: AbstractSet[str | None]) -> Iterator[Oddity]:
    """The rows of one field that break what follows from another."""
    (name, values, counts), (by, keys, groups) = field, key
    usual: dict[str | None, tuple[str | None, int]] = {}
    for (each, value), count in Counter(zip(keys, values, strict=True)).items():
        exceptions = groups[each] - count
        most = max(1, min(_EXCEPTIONS, groups[each] * _EXCEPTION_SHARE))
        is_chance = count * log2(len(values) / counts[value]) < _CHANCE
        if each in large and value is not None and 0 < exceptions <= most and not is_chance:
            usual[each] = value, exceptions
    for row, (each, value) in enumerate(zip(keys, values, strict=True)):
        if each in usual and value != usual[each][0]:
            told, exceptions = usual[each]
            text = f'{name}={shown(value)} (usually {shown(told)[:_TOLD]} where {by}={shown(each)[:_TOLD]})'
            yield Oddity(name, row, value or '', text, log2(groups[each] / exceptions))
