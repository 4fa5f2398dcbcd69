"""How surprising each value of a place is, in bits: how small a share of the place is as rare.

It may be rare itself, in shape, in length, in how it begins, as a number. A place in which anything may stand has no
rare values, for all of them together are the rule.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from math import log2
from string import ascii_lowercase, ascii_uppercase, digits

from summarizer_tool.digests.columns import moment, quantity
from summarizer_tool.digests.places import without_digits

VIEWED = 1.5
"""Bits that a value loses that is rare by one of its views, or as a word within a field: of many some are rare."""

_RARE = 0.05  # share of a place up to which values are rare
_SELDOM = 0.25  # how often a rare value stands there at most, for each time that a usual one does
_ENTROPY = 0.5  # what each bit of uncertainty about a value takes from the surprise of a rare one

MISSING = '(missing)'  # what stands in a place of records that have nothing there

_FAR = 0.6  # values this share as far from the median are as far
_DEVIATIONS = 3.0  # median deviations from which a number is far
_NUMERIC = 0.7  # share of the values that must be numbers

_BEGINNING = re.compile(r'(?:[\w+.-]+://)?/?(?:\d+\.\d+\.(?=\d+\.\d+(?![\w.]))|[^/:@\s]*)')
_KINDS = str.maketrans(ascii_lowercase + ascii_uppercase + digits, 'a' * 26 + 'A' * 26 + '0' * 10)
_BRACKETS = '<>()[]{}'
_LONGEST = 80  # characters of a value by whose kinds it is told


def as_seldom(by_count: Mapping[int, int]) -> Mapping[int, int]:
    """By how often a value stands somewhere, how many stand there as seldom."""
    ordered = sorted(by_count)
    return dict(zip(ordered, accumulate(by_count[count] for count in ordered), strict=True))


@lru_cache(maxsize=65_536)
def _beginning(value: str) -> str:
    found = _BEGINNING.match(value)
    return found[0][:30] if found else ''


@lru_cache(maxsize=65_536)
def _signs(value: str) -> str:
    """Which signs and kinds of letters it has."""
    return ''.join(sorted({*value[:_LONGEST].translate(_KINDS)}))


def _length(value: str) -> str:
    return str(len(value).bit_length())


_VIEWS: Sequence[Callable[[str], str]] = (_beginning, _signs, _length)


def surprises(values: Sequence[str], *, is_form: bool) -> Mapping[str, float]:
    """The rare values of a place, and how surprising they are in bits.

    Args:
        values: What stands in the place.
        is_form: Whether they are forms of lines, which have no views of their own.
    """
    total = len(values)
    counts = Counter(values)
    best = _rarity(counts, total)
    if is_form:
        return best
    # Of what differs by a number some have fewer digits than others.
    forms = Counter(map(without_digits, counts))
    is_counted = max(forms.values()) > _NUMERIC * len(counts)
    for view in _VIEWS if not is_counted else _VIEWS[:-1]:
        _raise(best, _rare_by(view, counts, total), VIEWED)
    _raise(best, _farness(values, counts))
    return best


def _raise(best: dict[str, float], others: Mapping[str, float], less: float = 0.0) -> None:
    """Keep for each value what is greater."""
    for value, bits in others.items():
        best[value] = max(best.get(value, 0.0), bits - less)


def _rare_by(view: Callable[[str], str], counts: Mapping[str, int], total: int) -> Mapping[str, float]:
    """How surprising values are by something that many have in common."""
    seen = {value: view(value) for value in counts}
    together: Counter[str] = Counter()
    for value, count in counts.items():
        together[seen[value]] += count
    rare = _rarity(together, total)
    return {value: rare[each] for value, each in seen.items() if each in rare} if rare else {}


def _rarity(counts: Mapping[str, int], total: int) -> dict[str, float]:
    """How surprising each rare value is, in bits: how small a share all values are that stand as seldom."""
    by_count: Counter[int] = Counter()
    for count in counts.values():
        by_count[count] += count
    least = min(by_count)
    # Of few records one is rare.
    most = max(1.0, _RARE * total)
    if len(counts) == 1 or by_count[least] > most:
        return {}
    as_rare = as_seldom(by_count)
    usual = _median([(float(count), times) for count, times in sorted(by_count.items())], total)
    uncertainty = _ENTROPY * -sum(count / total * log2(count / total) for count in counts.values())
    return {
        value: bits
        for value, count in counts.items()
        if count <= _SELDOM * usual
        and as_rare[count] <= most
        and (bits := log2(total / as_rare[count]) - uncertainty) > 0
    }


@lru_cache(maxsize=65_536)
def _number(value: str) -> float | None:
    value = value.strip(_BRACKETS)
    found = quantity(value)
    return moment(value) if found is None else found


def _farness(values: Sequence[str], counts: Mapping[str, int]) -> Mapping[str, float]:
    """How surprising numbers are that stand far from the others, in bits."""
    known = {value: number for value in counts if (number := _number(value)) is not None}
    total = sum(counts[value] for value in known)
    if total < max(8, _NUMERIC * (len(values) - counts.get(MISSING, 0))) or len(known) < 3:
        return {}
    middle = _median(sorted((number, counts[value]) for value, number in known.items()), total)
    away = {value: abs(number - middle) for value, number in known.items()}
    ordered = sorted((away[value], counts[value]) for value in known)
    least = _DEVIATIONS * _median(ordered, total)
    as_far = [0, *accumulate(count for _, count in reversed(ordered))]
    as_many = {value: as_far[len(ordered) - bisect_left(ordered, (_FAR * far, 0))] for value, far in away.items()}
    return {
        value: log2(total / count)
        for value, count in as_many.items()
        if away[value] > least and count <= 0.02 * total + 1
    }


def _median(ordered: Sequence[tuple[float, int]], total: int) -> float:
    """Of numbers in order, each with how often it stands there."""
    below = accumulate(count for _, count in ordered)
    return next(number for (number, _), upto in zip(ordered, below, strict=True) if upto > total // 2)
