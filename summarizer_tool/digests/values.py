"""Values in machine output as numbers: quantities with their units, and times."""

import re
from functools import lru_cache
from math import isfinite

# What begins with a zero is a code: a mode, an account.
_QUANTITY = re.compile(r'([+-]?(?!0\d+$)\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)\s?([A-Za-zµ%]{0,4})$')
_GROUPED = re.compile(r'([+-]?\d{1,3}(?:,\d{3})+)((?:\.\d+)?)(?!\S)|([+-]?\d{1,3}(?:\.\d{3})*|[+-]?\d+),(\d\d?)(?!\S)')
"""Numbers with commas between thousands; and those with a comma before their fraction."""
_UNITS = {
    'ns': 1e-9, 'us': 1e-6, 'µs': 1e-6, 'ms': 1e-3, 's': 1.0, 'sec': 1.0, 'min': 60.0, 'h': 3600.0, 'd': 86400.0,
    'Ki': 2.0**10, 'Mi': 2.0**20, 'Gi': 2.0**30, 'Ti': 2.0**40, 'B': 1.0, 'KiB': 2.0**10, 'MiB': 2.0**20,
    'GiB': 2.0**30, 'kB': 1e3, 'KB': 1e3, 'MB': 1e6, 'GB': 1e9, 'TB': 1e12, 'K': 1e3, 'k': 1e3, 'M': 1e6, 'G': 1e9,
    'T': 1e12, '%': 1.0, '': 1.0,
}  # fmt: skip
_AGE = re.compile(r'(?:\d{1,6}[dhms]){1,4}$')
_AGE_PART = re.compile(r'(\d+)([dhms])')
_DATE = re.compile(r'(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?|$)')
_WRITTEN = re.compile(
    r'(?:[A-Z][a-z]{2},? +)?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +(\d{1,2}),? +'
    r'(?:(\d\d):(\d\d)(?::(\d\d))? +)?(\d{4})'
)
_MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec'
_AGE_UNITS = {'d': 86400.0, 'h': 3600.0, 'm': 60.0, 's': 1.0}


@lru_cache(maxsize=65_536)
def quantity(text: str) -> float | None:
    """The number that a text is, in seconds or bytes where it has such a unit; None if it is none."""
    if len(text) > 40:
        return None
    if ',' in text and (grouped := _GROUPED.match(text)):
        whole, fraction = (grouped[1], grouped[2]) if grouped[1] else (grouped[3], f'.{grouped[4]}')
        text = f'{re.sub("[.,]", "", whole)}{fraction}{text[grouped.end() :]}'
    if found := _QUANTITY.match(text):
        factor = _UNITS.get(found[2])
        number = float(found[1]) * factor if factor is not None else None
        if number is not None and isfinite(number):
            return number
    if _AGE.match(text):
        return sum(int(number) * _AGE_UNITS[unit] for number, unit in _AGE_PART.findall(text))
    return None


@lru_cache(maxsize=65_536)
def moment(text: str) -> float | None:
    """The time that a text begins with, in days; None if it begins with none."""
    if found := _DATE.match(text):
        year, month, day, hour, minute, second = found.groups()
    elif found := _WRITTEN.match(text):
        name, day, hour, minute, second, year = found.groups()
        month = _MONTHS.find(name) // 3 + 1
    else:
        return None
    seconds = int(hour or 0) * 3600 + int(minute or 0) * 60 + int(second or 0)
    return int(year) * 372 + int(month) * 31 + int(day) + seconds / 86_400
