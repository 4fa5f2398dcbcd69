"""What the values of one field are like over many rows, and which rows are unlike the others."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log2
from typing import Literal

from researcher_integration.digests.statements import one_line
from researcher_integration.digests.values import moment, quantity, template

FEW = 12
"""Distinct values that are listed with their counts."""

_RARE_SHARE = 0.01
_RARE_ROWS = 3
"""A value is rare in up to this share of the rows, or this many rows."""

_RARER = 6
"""How much more often than a rare value a common one must stand."""

_ODD_SHARE = 0.03
_ODD_ROWS = 6
"""Where rare values together take more than this share of the rows, or number of rows, they are the rule."""

_NUMERIC_SHARE = 0.9
_TAIL = (3, 20)
"""Values looked at from each end for ones that stand apart, in few and in many rows."""
_TAIL_SHARE = 0.02
_APART = 1.5
"""A value stands apart if it is this much further from the median than its neighbour."""
_APART_TIME = 3.0
"""A time stands apart more easily: what is old is so by its nature."""
_DEVIATIONS = 3.0
"""And beyond this many median absolute deviations (the usual factor for outliers)."""
_FARTHEST = 4096.0
"""Times its neighbour's way from the median, from which it makes no difference how much further a value is."""
_FAR = 6.0
"""Bits of what is apart from values that are all zero."""
_NOTHING = frozenset({None, '', '""', '-', '--', 'null', 'None', 'none', 'N/A', 'n/a', 'NaN', '?'})
"""What stands where a value is missing."""
_BEGINNING = re.compile(r'(?:[\w+.-]+://)?/?[^/:@\s]*')
"""Of an address its host, of a path its root, of `sha256:…` what comes first."""
_SIGNS = re.compile(r'[^\w\s]')

_GROWN = 0.75
"""Share of the rows whose number is not less than that before it, from which the numbers count up."""
_MANY = 60
"""Texts from which they are compared by more than their templates."""

VALUE_LENGTH = 160
"""Characters of a value that are shown."""

BAD = re.compile(
    r'(?<![\w@/-])(?i:err(?:or|ors|ed)?|fail(?:s|ed|ure|ures|ing)?|fatal|panic|crash\w*|exception|denied|refused|reject(?:ed)?'
    r'|time[d-]?\s?-?out|unreachable|unavailable|unhealthy|unknown|oom\w*|killed|evicted|backoff|imagepull\w*|errimage\w*'
    r'|degraded|corrupt\w*|invalid|expired|missing|aborted?|cancel+ed|dead|down|offline|stale|stuck|critical|severe'
    r'|violat\w+|mismatch\w*|exceeded|overflow|deadlock\w*|leak\w*|lost|broken|notready|pending|terminat\w+|suspended)(?![\w@/-])'
    r'|CrashLoop|BackOff|OOM|NotReady|Err[A-Z]|Unknown'
)
"""Words that say something went wrong, unless they are part of a name."""


@dataclass(frozen=True, slots=True)
class Oddity:
    """One row whose value is unlike the others'."""

    field: str
    row: int
    value: str
    text: str
    """`name=value`, with what is usual."""
    surprise: float
    """Bits: how rarely that is seen."""


@dataclass(frozen=True, slots=True)
class Column:
    """One field over many rows."""

    name: str
    kind: Literal['constant', 'few', 'numbers', 'times', 'texts']
    text: str
    """Its values in short, without the name."""
    oddities: Sequence[Oddity]
    rare: Sequence[tuple[str, int]]
    """Values of few rows, but more than an oddity has, and their counts."""
    bad: bool
    """Whether a value says that something went wrong."""
    extreme: int | None = None
    """The row of the greatest number."""


def describe(name: str, values: Sequence[str | None]) -> Column:
    """Say what a field's values are like; None is that of a row without it."""
    counts = Counter(values)
    ranked = counts.most_common()
    present = len(values) - counts[None]
    distinct = len(counts) - (None in counts)
    numbers = _numbers(counts, present)
    odd, rare = _rare_values(name, values, ranked, numbers)
    bad = any(value is not None and BAD.search(value[:VALUE_LENGTH]) is not None for value, _ in ranked[:200])
    if len(counts) == 1:
        return Column(name, 'constant', shown(ranked[0][0]), (), (), bad)
    if distinct <= FEW or (ranked[0][1] >= 0.9 * len(values) and not numbers):
        if numbers:
            odd = _joined(odd, _apart(name, values, numbers))
        return Column(name, 'few', _listed(ranked, told=bool(odd)), odd, rare, bad, _extreme(values, numbers))
    if numbers:
        odd = _joined(odd, _apart(name, values, numbers))
        text = _range(values, counts, numbers)
        if ranked[0][1] > 0.5 * len(values):
            text += f', mostly {shown(ranked[0][0])} ×{ranked[0][1]}'
        return Column(name, 'numbers', text + _absent(counts), odd, rare, bad, _extreme(values, numbers))
    times = {value: at for value in counts if value is not None and (at := moment(value)) is not None}
    if len(times) >= _NUMERIC_SHARE * distinct:
        text = f'{min(times, key=times.__getitem__)} to {max(times, key=times.__getitem__)}{_absent(counts)}'
        return Column(name, 'times', text, _joined(odd, _apart(name, values, times, is_time=True)), rare, False)
    text, unlike = _texts(name, values, counts)
    return Column(name, 'texts', text + _absent(counts), _joined(odd, unlike), rare, bad)


def shown(value: str | None) -> str:
    """A value as a digest shows it."""
    return '(missing)' if value is None else one_line(value, VALUE_LENGTH) or '""'


def _rare_values(
    name: str,
    values: Sequence[str | None],
    ranked: Sequence[tuple[str | None, int]],
    numbers: Mapping[str, float],
) -> tuple[list[Oddity], list[tuple[str, int]]]:
    total = len(values)
    limit = max(_RARE_ROWS, int(total * _RARE_SHARE))
    common = [count for _, count in ranked if count > limit]
    known = [(value, count) for value, count in ranked[1:FEW] if limit < count <= min(total * 0.1, ranked[0][1] / 4)]
    rare = [(shown(value), count) for value, count in known] if len(ranked) <= 2 * FEW else []
    # The rare must be far rarer than what is common: of many values about as frequent some always come out low.
    least = common[len(common) // 2] / _RARER if common else 0.0
    few = [(value, count) for value, count in ranked if count <= min(limit, least)]
    is_measured = len(ranked) > FEW and bool(numbers) and (not common or common[0] < total / 2)
    most = max(_ODD_ROWS if total >= 4 * _ODD_ROWS else 2, int(total * _ODD_SHARE))
    if is_measured or sum(count for _, count in few) > most:
        # Where any value is one of many, one that is none at all is odd, or no number among numbers.
        few = [(value, count) for value, count in ranked if count <= limit and (value in _NOTHING or numbers)]
        few = [each for each in few if each[0] not in numbers]
    if sum(count for _, count in few) > most:
        return [], rare
    counts = dict(few)
    # What is usual is worth saying only if it is short and one.
    usual = shown(ranked[0][0])
    is_told = len(usual) <= 16 and ranked[0][1] >= 0.8 * total and ranked[0][0] is not None
    told = f' (usually {usual})' if is_told else ''
    odd: list[Oddity] = []
    for row, value in enumerate(values):
        if value in counts:
            extra = 2.0 if value is not None and BAD.search(f'{name} {value[:VALUE_LENGTH]}') else 0.0
            text = f'{name} missing' if value is None else f'{name}={shown(value)}{told}'
            odd.append(Oddity(name, row, value or '', text, log2(total / counts[value]) + extra))
    return odd, rare


def _joined(first: Sequence[Oddity], second: Sequence[Oddity]) -> list[Oddity]:
    """Both, each row once: with what is more surprising about it."""
    most = {each.row: each for each in sorted([*second, *first], key=lambda each: each.surprise)}
    return [each for each in [*first, *second] if most[each.row] is each]


def _numbers(counts: Counter[str | None], present: int) -> dict[str, float]:
    """What the values are as numbers, if nearly all of them are."""
    found: dict[str, float] = {}
    missed = 0
    for value, count in counts.items():
        if value is None:
            continue
        number = quantity(value)
        if number is None:
            missed += count
            if missed > (1 - _NUMERIC_SHARE) * present:
                return {}
        else:
            found[value] = number
    return found


def _range(values: Sequence[str | None], counts: Counter[str | None], numbers: dict[str, float]) -> str:
    low, middle, high = _spread(values, numbers)
    text = f'{low}..{middle}..{high} (min..median..max)'
    others = [value for value in counts if value is not None and value not in numbers]
    if others:
        text += f', no number: {", ".join(f"{shown(value)} ×{counts[value]}" for value in others[:3])}'
    return text


def _spread(values: Sequence[str | None], numbers: dict[str, float]) -> tuple[str, str, str]:
    ordered = sorted((value for value in values if value in numbers), key=lambda value: numbers[value or ''])
    return ordered[0] or '', ordered[len(ordered) // 2] or '', ordered[-1] or ''


def brief(values: Sequence[str]) -> str:
    """Values of one place in a template, as short as can be."""
    counts: Counter[str | None] = Counter(values)
    ranked = counts.most_common(5)
    if len(ranked) == 1:
        return shown(ranked[0][0])
    if len(counts) <= 4:
        return (
            f'{{{", ".join(f"{_short(value)} ×{count}" if count > 1 else _short(value) for value, count in ranked)}}}'
        )
    numbers = _numbers(counts, len(values))
    if numbers:
        low, middle, high = _spread(values, numbers)
        # Numbers without a unit that are nearly all different are identifiers more often than measures.
        return f'{{{low}..{high}}}' if len(counts) > 0.9 * len(values) else f'{{{low}..{middle}..{high}}}'
    return f'{{{_short(ranked[0][0])}, … {len(counts)} distinct}}'


def _short(value: str | None) -> str:
    """A value as one of many: an identifier by its beginning."""
    value = value or ''
    return f'{value[:14]}…' if len(value) > 24 and ' ' not in value else one_line(value, 40)


def _extreme(values: Sequence[str | None], numbers: dict[str, float]) -> int | None:
    if not numbers:
        return None
    greatest = max(numbers, key=lambda value: numbers[value])
    return values.index(greatest) if values.count(greatest) == 1 else None


def _apart(
    name: str, values: Sequence[str | None], numbers: dict[str, float], *, is_time: bool = False
) -> list[Oddity]:
    """Rows whose number stands apart from all others, at either end."""
    known = [(numbers[value], row) for row, value in enumerate(values) if value in numbers]
    if len(known) < 8 or (not is_time and _counts_up([number for number, _ in known])):
        return []
    ordered = sorted(known)
    middle = ordered[len(ordered) // 2][0]
    usual = values[ordered[len(ordered) // 2][1]]
    apart = _APART_TIME if is_time else _APART
    deviation = sorted(abs(number - middle) for number, _ in ordered)[len(ordered) // 2]
    found: list[Oddity] = []
    reach = min(_TAIL[1], max(_TAIL[0], int(len(ordered) * _TAIL_SHARE)))
    for tail in (ordered[: -reach - 2 : -1], ordered[: reach + 1]):
        away = [abs(number - middle) for number, _ in tail]
        for size in range(len(tail) - 1, 0, -1):
            if away[size - 1] > _DEVIATIONS * deviation and away[size - 1] >= apart * max(away[size], deviation, 1e-12):
                # Where all others are alike, and are zero, there is no measure of how far is far.
                scale = max(away[size], deviation, 0.0 if is_time else abs(middle) / 10)
                told = f' (median {usual})'
                found.extend(
                    Oddity(
                        name,
                        row,
                        values[row] or '',
                        f'{name}={values[row]}{told}',
                        log2(len(values)) + _far(way, scale),
                    )
                    for way, (_, row) in zip(away, tail[:size], strict=False)
                )
                break
    return found


def _far(way: float, scale: float) -> float:
    """How surprising it is in bits that a number is so far from the median."""
    return log2(max(1.0, min(way / scale, _FARTHEST))) if scale else _FAR


def _counts_up(numbers: Sequence[float]) -> bool:
    """Return whether numbers grow from row to row, as counters, process ids and sequences do."""
    grown = sum(after >= before for before, after in pairwise(numbers))
    return grown >= _GROWN * (len(numbers) - 1) and len(set(numbers)) > len(numbers) / 4


def _listed(ranked: Sequence[tuple[str | None, int]], *, told: bool) -> str:
    """Values with their counts; those that stand once are only counted where each is told for itself."""
    once = sum(count == 1 for _, count in ranked) if told else 0
    most = min(FEW, len(ranked) - once if once > 2 else len(ranked))
    parts = [f'{shown(value)[:60]} ×{count}' for value, count in ranked[:most]]
    if len(ranked) > most:
        parts.append(f'… {len(ranked) - most} more values')
    return ', '.join(parts)


def _absent(counts: Counter[str | None]) -> str:
    return f', missing ×{counts[None]}' if counts[None] else ''


def _texts(name: str, values: Sequence[str | None], counts: Counter[str | None]) -> tuple[str, list[Oddity]]:
    """Texts by what they have in common."""
    forms = _alike(counts, lambda value: template(value[:VALUE_LENGTH])[0])
    sizes = {form: sum(counts[value] for value in members) for form, members in forms.items()}
    ranked = sorted(forms, key=lambda form: -sizes[form])
    odd: list[Oddity] = []
    is_code = _same_length(values)
    others = (_beginning, _signs, *([_length] if is_code else [])) if len(values) - counts[None] >= _MANY else ()
    for parted in (forms, *(_alike(counts, form) for form in others)):
        odd = _joined(odd, _unlike_form(name, values, counts, parted.values()))
    tops = ranked[: 4 if sizes[ranked[0]] > 1 else 1]
    parts = [f'{shown(forms[form][0])[:70]}' + (f' ×{sizes[form]} alike' if len(tops) > 1 else '') for form in tops]
    most, often = next((value, count) for value, count in counts.most_common(2) if value is not None)
    repeated = f', most often {shown(most)[:60]} ×{often}' if often > 1 else ''
    return f'{len(counts) - (None in counts)} distinct, like {"; ".join(parts)}{repeated}', odd


def _beginning(value: str) -> str:
    found = _BEGINNING.match(value)
    return found[0] if found else ''


def _signs(value: str) -> str:
    """Which signs stand in a text that are neither letters nor digits."""
    return ''.join(sorted(set(_SIGNS.findall(value[:VALUE_LENGTH]))))


def _length(value: str) -> str:
    return str(len(value))


def _same_length(values: Sequence[str | None]) -> bool:
    """Return whether nearly all texts are as long as each other, as hashes and codes are."""
    sizes = Counter(len(value) for value in values if value is not None)
    return sizes.most_common(1)[0][1] >= _NUMERIC_SHARE * sizes.total()


def _alike(counts: Mapping[str | None, int], form: Callable[[str], str]) -> dict[str, list[str]]:
    """The values of each form."""
    forms: dict[str, list[str]] = {}
    for value in counts:
        if value is not None:
            forms.setdefault(form(value), []).append(value)
    return forms


def _unlike_form(
    name: str, values: Sequence[str | None], counts: Mapping[str | None, int], forms: Iterable[Sequence[str]]
) -> list[Oddity]:
    """Rows whose values are of a rare form, if few are."""
    total = len(values) - counts.get(None, 0)
    most_odd = _ODD_ROWS if total >= 10 * _ODD_ROWS else _RARE_ROWS
    sizes = sorted(((sum(counts[value] for value in members), members) for members in forms), key=lambda each: -each[0])
    few = [(size, members) for size, members in sizes[1:] if size <= max(most_odd, total * _RARE_SHARE)]
    if sum(size for size, _ in few) > max(most_odd, total * _ODD_SHARE / 2):
        return []
    unlike = {value: size for size, members in few for value in members}
    return [
        Oddity(name, row, value, f'{name}={shown(value)}', log2(len(values) / unlike[value]))
        for row, value in enumerate(values)
        if value is not None and value in unlike
    ]
