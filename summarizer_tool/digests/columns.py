"""What the values of one field are like over many rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from summarizer_tool.digests.notable import BAD
from summarizer_tool.digests.statements import one_line
from summarizer_tool.digests.values import moment, quantity

FEW = 12
"""Distinct values that are listed with their counts."""

_NUMERIC_SHARE = 0.9

VALUE_LENGTH = 160
"""Characters of a value that are shown."""


@dataclass(frozen=True, slots=True)
class Column:
    """One field over many rows."""

    name: str
    kind: Literal['constant', 'few', 'numbers', 'times', 'texts']
    text: str
    """Its values in short, without the name."""
    bad: bool
    """Whether a value says that something went wrong."""


def describe(name: str, values: Sequence[str | None], rows: Sequence[str] = ()) -> Column:
    """Say what a field's values are like, None for that of a row without it, and which of the rows has one alone."""
    counts = Counter(values)
    ranked = counts.most_common()
    distinct = len(counts) - (None in counts)
    numbers = _numbers(counts, len(values) - counts[None])
    bad = any(value is not None and BAD.search(value[:VALUE_LENGTH]) is not None for value, _ in ranked[:200])
    if len(counts) == 1:
        return Column(name, 'constant', shown(ranked[0][0]), bad)
    if distinct <= FEW or (ranked[0][1] >= 0.9 * len(values) and not numbers):
        return Column(name, 'few', _listed(ranked, dict(zip(values, rows, strict=False))), bad)
    absent = f', missing ×{counts[None]}' if counts[None] else ''
    if numbers:
        return Column(name, 'numbers', _range(values, counts, numbers) + absent, bad)
    times = {value: at for value in counts if value is not None and (at := moment(value)) is not None}
    if len(times) >= _NUMERIC_SHARE * distinct:
        ordered = sorted(times, key=lambda value: (times[value], value))
        text = f'{ordered[0]} to {ordered[-1]}'
        return Column(name, 'times', text + absent, bad=False)
    most, often = next((value, count) for value, count in ranked if value is not None)
    repeated = f', most often {shown(most)[:60]} ×{often}' if often > 1 else ''
    example = next(value for value in values if value is not None)
    return Column(name, 'texts', f'{distinct} distinct, like {shown(example)[:70]}{repeated}{absent}', bad)


def shown(value: str | None) -> str:
    """A value as a digest shows it."""
    return '(missing)' if value is None else one_line(value, VALUE_LENGTH) or '""'


def _numbers(counts: Counter[str | None], present: int) -> dict[str, float]:
    """What the values are as numbers, if nearly all of them are."""
    found = {value: number for value in counts if value is not None and (number := quantity(value)) is not None}
    return found if sum(counts[value] for value in found) >= _NUMERIC_SHARE * present else {}


def _range(values: Sequence[str | None], counts: Counter[str | None], numbers: Mapping[str, float]) -> str:
    text = f'{"..".join(_spread(values, numbers))} (min..median..max)'
    others = [value for value in counts if value is not None and value not in numbers]
    if others:
        text += f', no number: {", ".join(f"{shown(value)} ×{counts[value]}" for value in others[:3])}'
    most, often = counts.most_common(1)[0]
    return f'{text}, mostly {shown(most)} ×{often}' if often > 0.5 * len(values) else text


def _spread(values: Sequence[str | None], numbers: Mapping[str, float]) -> tuple[str, str, str]:
    ordered = sorted(
        (value for value in values if value is not None and value in numbers), key=lambda each: numbers[each]
    )
    return ordered[0], ordered[len(ordered) // 2], ordered[-1]


def brief(values: Sequence[str]) -> str:
    """What varies in one place of a template, as short as can be."""
    counts: Counter[str | None] = Counter(values)
    ranked = [(_short(value), count) for value, count in counts.most_common(4)]
    if len(counts) <= len(ranked):
        return f'{{{", ".join(f"{value} ×{count}" if count > 1 else value for value, count in ranked)}}}'
    if numbers := _numbers(counts, len(values)):
        low, middle, high = _spread(values, numbers)
        # Numbers without a unit that are nearly all different are identifiers more often than measures.
        return f'{{{low}..{high}}}' if len(counts) > 0.9 * len(values) else f'{{{low}..{middle}..{high}}}'
    return f'{{{ranked[0][0]}, … {len(counts)} distinct}}'


def _short(value: str | None) -> str:
    """A value as one of many: an identifier by its beginning, a path by its end."""
    value = value or ''
    if len(value) > 30 and '/' in value[:-1] and ' ' not in value:
        return f'…{value[-28:]}'
    return f'{value[:14]}…' if len(value) > 24 and ' ' not in value else one_line(value, 40)


def _listed(ranked: Sequence[tuple[str | None, int]], rows: Mapping[str | None, str]) -> str:
    """Values with their counts, or the row of one that stands once; where there are many of these they are counted."""
    once = sum(count == 1 for _, count in ranked)
    most = min(FEW, (len(ranked) - once or 2) if once > 2 else len(ranked))
    parts = [
        f'{shown(value)[:60]} ×{count}' + (f' ({rows[value]})' if count == 1 and once < 3 and value in rows else '')
        for value, count in ranked[:most]
    ]
    if len(ranked) > most:
        parts.append(f'… {len(ranked) - most} more values')
    return ', '.join(parts)
