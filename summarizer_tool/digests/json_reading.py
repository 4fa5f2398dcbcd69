"""JSON as tools return it: whole, one value after another, inside a text, or cut off in the middle."""

import json
import math
import re
from collections.abc import Mapping, Sequence  # noqa: TC003 the alias is read at run time by type checkers of users
from dataclasses import dataclass
from typing import TypeAlias

Json: TypeAlias = 'bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None'

LINES_SHARE = 0.6
"""Share of the lines that must be JSON objects for a text to be JSON lines."""

WITHIN_SHARE = 0.5
"""Share of a text that JSON inside it must have for the text to be taken for JSON."""

_DIGITS = 18
"""Digits from which a number is kept as it is written: nobody computes with it, and it must not change."""

_TOKENS = re.compile(r'"(?>(?:[^"\\]++|\\.)*)"|[{}\[\],]', re.DOTALL)
_OPENING = re.compile(r'[\[{]')
_NEXT = re.compile(r'\s*+,?+\s*+[\[{]')
_DEEPEST = 200
"""Open brackets in JSON that is repaired."""
_KEPT_SHARE = 0.2
"""Share of cut JSON that must be complete to be worth reading."""
_STARTS = 40
"""Brackets in a text at which JSON is looked for."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of a text."""

    value: Json
    around: str = ''
    """The text before and after the JSON."""
    broken: str = ''
    """What was wrong with it, if it had to be cut."""
    is_lines: bool = False


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _DIGITS else digits


def _fraction(digits: str) -> float | str:
    number = float(digits)
    # What does not come back as it was written stays as it is written.
    return number if math.isfinite(number) and str(number) == digits else digits


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_fraction, parse_constant=str, strict=False)


def read_json(text: str) -> Read | None:
    """Read the JSON in a text; None if the text is not mostly objects and lists."""
    stripped = text.strip()
    if not stripped:
        return None
    try:
        values, end = _stream(stripped)
        found = Read(values, stripped[end:], is_lines=True) if len(values) > 1 else Read(values[0]) if values else None
        if found is not None and end == len(stripped):
            return found
        cut = found if len(values) > 1 and end >= WITHIN_SHARE * len(stripped) else None
        return _lines(stripped) or _within(stripped) or cut or _repaired(stripped)
    except RecursionError:
        return None


def _whole(text: str, at: int = 0) -> tuple[Json, int]:
    """The object or list that begins at a place, and where it ends; None if it is not valid."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at
    return value, end


def _stream(text: str) -> tuple[list[Json], int]:
    """Objects and lists that stand one after another from the beginning, and where the last one ends."""
    values: list[Json] = []
    end = 0
    while begin := _NEXT.match(text, end):
        value, end = _whole(text, begin.end() - 1)
        if value is None:
            return values, begin.start()
        values.append(value)
    return values, end


def _lines(text: str) -> Read | None:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return None
    sample = lines[:50]
    if sum(line.lstrip()[0] in '{[' and line.rstrip(', ')[-1:] in '}]' for line in sample) < LINES_SHARE * len(sample):
        return None
    values: list[Json] = []
    others: list[str] = []
    for line in lines:
        start = line.strip().rstrip(',')
        value, end = _whole(start) if start[:1] in ('{', '[') else (None, 0)
        if value is not None and end == len(start):
            values.append(value)
        else:
            others.append(line)
    if len(values) < LINES_SHARE * len(lines):
        return None
    return Read(values, '\n'.join(others), is_lines=True)


def _within(text: str) -> Read | None:
    """JSON with words before or after it, such as a title."""
    at = 0
    for _ in range(_STARTS):
        found = _OPENING.search(text, at)
        if found is None:
            return None
        value, end = _whole(text, found.start())
        if value and not isinstance(value, str) and end - found.start() >= WITHIN_SHARE * len(text):
            return Read(value, f'{text[: found.start()].strip()}\n{text[end:].strip()}'.strip())
        at = found.end()
        if at > (1 - WITHIN_SHARE) * len(text):
            return None
    return None


def _repaired(text: str) -> Read | None:
    """JSON that is cut off: what is complete of it."""
    if text[0] not in '[{' or len(text) < 20:
        return None
    try:
        _DECODER.raw_decode(text)
    except json.JSONDecodeError as error:
        place = error.pos
    except (ValueError, RecursionError):
        return None
    else:
        return None
    found = _complete(text[:place])
    if found is None or found[0] < _KEPT_SHARE * len(text):
        return None
    end, closing = found
    value, _ = _whole(text[:end] + closing)
    return Read(value, broken=f'JSON invalid from character {place} of {len(text)}') if value else None


def _complete(text: str) -> tuple[int, str] | None:
    """Where the last complete value of cut JSON ends, and the brackets that are open there, as they must close.

    A thing in a list that is cut is left out: what it lacks would look like what is odd about it.
    """
    stack: list[str] = []
    lists = 0
    end, closing = 0, ()
    for found in _TOKENS.finditer(text):
        sign = found[0]
        if sign in ('{', '['):
            stack.append('}' if sign == '{' else ']')
            lists += sign == '['
            if len(stack) > _DEEPEST:
                return None
            continue
        if sign in ('}', ']'):
            if not stack or stack.pop() != sign:
                break
            lists -= sign == ']'
        elif sign != ',':
            continue
        if not lists or (lists == 1 and stack[-1] == ']'):
            end, closing = (found.start() if sign == ',' else found.end()), tuple(stack)
    return (end, ''.join(reversed(closing))) if end else None
