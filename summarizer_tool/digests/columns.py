"""Values in machine output as numbers and times, and what those of one field are like over many rows."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from math import isfinite
from typing import Literal

from summarizer_tool.digests.notable import BAD
from summarizer_tool.digests.statements import distinct_parts, one_line

# What begins with a zero is a code: a mode, an account.
_QUANTITY = re.compile(r'([+-]?(?!0\d+$)\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)\s?([A-Za-zµ%]{0,5})$')
_GROUPED = re.compile(r'([+-]?\d{1,3}(?:,\d{3})+)((?:\.\d+)?)(?!\S)|([+-]?\d{1,3}(?:\.\d{3})*|[+-]?\d+),(\d\d?)(?!\S)')
"""Numbers with commas between thousands; and those with a comma before their fraction."""
_COMMA = re.compile(r'\d,\d\d?(?!\S)|(?<!\d)0,\d')
_POINT = re.compile(r'[+-]?(?:\d+\.\d+|\d{1,3},\d{3})(?!\S)')
"""A fraction behind a comma; and what is none beside one, or one that is read in another way."""
_MINUTES = re.compile(r'\dm$')
_WHOLE = re.compile(r'(?=0*[1-9])\d+(?:\.\d+)?$')
"""Minutes or thousandths, of which nobody knows beside numbers without a unit."""
_ALIKE = str.maketrans('μ−', 'µ-')
_UNITS = {
    'ns': 1e-9, 'us': 1e-6, 'µs': 1e-6, 'ms': 1e-3, 's': 1.0, 'sec': 1.0, 'm': 60.0, 'min': 60.0, 'h': 3600.0,
    'd': 86400.0, 'w': 604800.0, 'y': 31536000.0, 'B': 1.0, 'b': 1.0, 'byte': 1.0, 'bytes': 1.0, '%': 1.0, '': 1.0,
    'k': 1e3, 'K': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12, 'P': 1e15, 'g': 2.0**30, 't': 2.0**40,
    **{f'{sign}b': 1e3**nth for nth, sign in enumerate('kmgtp', 1)},
    **{f'{sign}{unit}': 1024.0**nth for nth, sign in enumerate('kmgtp', 1) for unit in ('i', 'ib')},
}  # fmt: skip
"""What numbers are multiplied by; units of several letters are read in small ones."""
_SPAN = re.compile(r'(?:\d{1,6}(?:\.\d{1,9})?(?:[ywdhms]|[mnuµ]s|min|sec) ?){2,6}$')
_ELAPSED = re.compile(r'(?:(?:(\d{1,4})-)?(\d{1,4}):)?(\d{1,6}):([0-5]\d(?:\.\d{1,9})?)$')
"""Days, hours, minutes and seconds with signs between them, as programs print how long something took."""
_COUNT = re.compile(r'(?i)count|value|total|number|times')
"""What a field is called that says how often something has come; of others, such as a time, none is nothing wrong."""
_SPAN_PART = re.compile(r'([\d.]+)(\D+?) ?(?=\d|$)')
_CLOCK = r'(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?'
_ZONE = r'(?:\s?(?P<zone>[+-]\d\d(?::?\d\d)?)(?!\S))?'
_MONTH = r'(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
_DATES = [
    re.compile(rf'(?P<year>\d{{4}})[-/](?P<month>\d\d)[-/](?P<day>\d\d)(?:[T ]{_CLOCK}{_ZONE}|$)'),
    re.compile(rf'(?:[A-Z][a-z]{{2}},? +)?{_MONTH} +(?P<day>\d{{1,2}}),? +(?:{_CLOCK} +)?(?P<year>\d{{4}})'),
    re.compile(
        rf'(?:[A-Z][a-z]{{2}},? +)?(?P<day>\d{{1,2}})[ /-]{_MONTH}[ /-](?P<year>\d{{4}})'
        rf'(?:[ :]{_CLOCK}(?: (?P<half>[AP])M\b)?{_ZONE})?'
    ),
]
"""As databases write it, as `date` does, and as mails and servers of pages do."""
_MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec'


@lru_cache(maxsize=65_536)
def quantity(text: str) -> float | None:
    """The number that a text is, in seconds or bytes where it has such a unit; None if it is none."""
    if len(text) > 40:
        return None
    text = text.translate(_ALIKE)
    if ',' in text and (grouped := _GROUPED.match(text)):
        whole, fraction = (grouped[1], grouped[2]) if grouped[1] else (grouped[3], f'.{grouped[4]}')
        text = f'{re.sub("[.,]", "", whole)}{fraction}{text[grouped.end() :]}'
    if found := _QUANTITY.match(text):
        factor = _UNITS.get(found[2] if len(found[2]) == 1 else found[2].lower())
        number = float(found[1]) * factor if factor is not None else None
        if number is not None and isfinite(number):
            return number
    if elapsed := _ELAPSED.match(text):
        days, hours, minutes, seconds = (float(each or 0) for each in elapsed.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if _SPAN.match(text):
        return sum(float(number) * _UNITS[unit] for number, unit in _SPAN_PART.findall(text))
    return None


def has_not_come(fields: Iterable[tuple[str, str]]) -> bool:
    """Return whether a thing has been counted and there is none: what it is called has not come to pass."""
    counts = [quantity(cell) for name, cell in fields if _COUNT.search(name)]
    return bool(counts) and not any(count != 0 for count in counts)


def quantities(cells: Iterable[str]) -> dict[str, float]:
    """The numbers of a column; none if one may be another beside the others: `1.500` by `2,5`, `5m` by `2`."""
    cells = {*cells}
    for one, other in ((_COMMA.search, _POINT.match), (_MINUTES.search, _WHOLE.match)):
        if any(map(one, cells)) and any(map(other, cells)):
            return {}
    return {cell: number for cell in cells if (number := quantity(cell)) is not None}


@lru_cache(maxsize=65_536)
def moment(text: str) -> float | None:
    """The time that a text begins with, in days, in UTC where it names its zone; None if it begins with none."""
    found = next((found for form in _DATES if (found := form.match(text))), None)
    if found is None:
        return None
    said = found.groupdict()
    month = said['month']
    hour = int(said['hour'] or 0)
    if said.get('half'):
        hour = hour % 12 + 12 * (said['half'] == 'P')
    seconds = hour * 3600 + int(said['minute'] or 0) * 60 + int(said['second'] or 0)
    if zone := said.get('zone'):
        seconds -= int(f'{zone[0]}1') * (int(zone[1:3]) * 3600 + int(zone[3:].strip(':') or 0) * 60)
    try:
        day = date(int(said['year']), int(month) if month.isdigit() else _MONTHS.find(month) // 3 + 1, int(said['day']))
    except ValueError:
        return None
    return day.toordinal() + seconds / 86_400


FEW, _ONCE = 12, 4
"""Distinct values that are listed with their counts, and of these such as stand once, where there are many."""
_NUMERIC_SHARE = 0.9

_OFTEN = 2  # values that are named of many, if they are there more than once
_PART = 36  # characters of a value that varies within a template
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


def describe(name: str, values: Sequence[str | None], labels: Sequence[str] = ()) -> Column:
    """Say what a field's values are like, None for that of a row without it; of numbers, which row has most and least.

    Args:
        name: What the field is called.
        values: Its values.
        labels: What each row is called, if they have names.
    """
    counts = Counter(values)
    ranked = counts.most_common()
    distinct = len(counts) - (None in counts)
    numbers = _numbers(counts, len(values) - counts[None])
    bad = any(value is not None and BAD.search(value[:VALUE_LENGTH]) is not None for value, _ in ranked[:200])
    if len(counts) == 1:
        return Column(name, 'constant', shown(ranked[0][0]), bad)
    is_spread = bool(numbers) and ranked[0][1] == 1 and bool(labels)
    if (distinct <= FEW and not is_spread) or (ranked[0][1] >= 0.9 * len(values) and not numbers):
        return Column(name, 'few', _listed(ranked), bad)
    absent = f', missing ×{counts[None]}' if counts[None] else ''
    if numbers:
        return Column(name, 'numbers', _range(values, counts, numbers, labels) + absent, bad)
    times = {value: at for value in counts if value is not None and (at := moment(value)) is not None}
    if len(times) >= _NUMERIC_SHARE * distinct:
        ordered = sorted(times, key=lambda value: (times[value], value))
        return Column(name, 'times', f'{ordered[0]} to {ordered[-1]}{absent}', bad=False)
    most, often = next((value, count) for value, count in ranked if value is not None)
    repeated = f', most often {shown(most, 60)} ×{often}' if often > 1 else ''
    example = next(value for value in values if value is not None)
    text = f'{distinct} distinct, like {shown(example, 70)}{repeated}{absent}'
    return Column(name, 'texts', text, bad)


def shown(value: str | None, longest: int = VALUE_LENGTH) -> str:
    """A value as a digest shows it, in so many characters."""
    return '(missing)' if value is None else one_line(value, longest) or '""'


def _numbers(counts: Counter[str | None], present: int) -> dict[str, float]:
    """What the values are as numbers, if nearly all of them are."""
    found = quantities(value for value in counts if value is not None)
    return found if sum(counts[value] for value in found) >= _NUMERIC_SHARE * present else {}


def _range(
    values: Sequence[str | None], counts: Counter[str | None], numbers: Mapping[str, float], labels: Sequence[str]
) -> str:
    low, middle, high = _spread(values, numbers)
    least, most = (
        f' {labels[values.index(end)]}' if labels and counts[end] == 1 and numbers[end] != numbers[middle] else ''
        for end in (low, high)
    )
    text = f'{low}..{middle}..{high} (min{least}..median..max{most})'
    others = [value for value in counts if value is not None and value not in numbers]
    if others:
        text += f', no number: {", ".join(f"{shown(value)} ×{counts[value]}" for value in others[:3])}'
        text += f', … {len(others) - 3} more values' if len(others) > 3 else ''
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
    ranked = [(value or '', count) for value, count in counts.most_common(4)]
    if len(counts) <= len(ranked):
        names = distinct_parts([value for value, _ in ranked], _PART)
        return _counted([*zip(names, (count for _, count in ranked), strict=True)])
    if numbers := _numbers(counts, len(values)):
        low, middle, high = _spread(values, numbers)
        # Numbers without a unit that are nearly all different are identifiers more often than measures.
        return f'{{{low}..{high}}}' if len(counts) > 0.9 * len(values) else f'{{{low}..{middle}..{high}}}'
    often = [f'{one_line(value, _PART)} ×{count}' for value, count in ranked if count > 1][:_OFTEN]
    return f'{{{", ".join(often) or one_line(ranked[0][0], _PART)}, … {len(counts)} distinct}}'


def listed(values: Sequence[str]) -> str:
    """What varies in one place of a template, whole."""
    return _counted(Counter(values).most_common())


def _counted(ranked: Sequence[tuple[str, int]]) -> str:
    return f'{{{", ".join(f"{value} ×{count}" if count > 1 else value for value, count in ranked)}}}'


def _listed(ranked: Sequence[tuple[str | None, int]]) -> str:
    """Values with their counts: the most frequent ones, and of those that stand once first what went wrong."""
    often = [each for each in ranked if each[1] > 1]
    once = sorted(ranked[len(often) :], key=lambda each: not BAD.search((each[0] or '')[:VALUE_LENGTH]))
    told = [*often[: FEW - min(_ONCE, len(once))], *once][:FEW]
    whole = [shown(value, 400) for value, _ in told]
    parts = [
        f'{"" if each.startswith(name[:9]) else "…"}{name} ×{count}'
        for each, name, (_, count) in zip(whole, distinct_parts(whole, 60), told, strict=True)
    ]
    if len(ranked) > len(told):
        parts.append(f'… {len(ranked) - len(told)} more values')
    return ', '.join(parts)
