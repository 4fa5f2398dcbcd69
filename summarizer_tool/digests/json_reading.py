"""JSON as tools return it: whole, one value after another, inside a text, or cut off in the middle."""

import ast
import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from pydantic_core import from_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Json: TypeAlias = 'bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None'

WITHIN_SHARE = 0.5
"""Share of a text that JSON inside it must have for the text to be taken for JSON."""

_DIGITS = 18  # digits from which a number is kept as it is written: nobody computes with it, and it must not change

_OPENING = re.compile(r'[\[{]')
_NEXT = re.compile(r'\s*+,?+\s*+[\[{]')
_LINE = re.compile(r'^[ \t]*+[\[{]', re.MULTILINE)
_KEPT_SHARE = 0.2  # share of cut JSON that must be complete to be worth reading
_STARTS = 40  # brackets in a text at which JSON is looked for
_LITERAL = 3_000_000  # characters of a literal that is read


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of a text."""

    value: Json
    around: str = ''
    """The text before and after the JSON, and between several values, with blank lines between these parts."""
    broken: str = ''
    """What was wrong with it, if it had to be cut."""


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _DIGITS else digits


def _fraction(digits: str) -> float | str:
    number = float(digits)
    # What does not come back as it was written stays as it is written.
    return number if math.isfinite(number) and str(number) == digits else digits


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_fraction, parse_constant=str, strict=False)


def read_json(text: str) -> Read | None:
    """Read the JSON in a text; None if the text is not mostly objects and lists."""
    text = text.strip()
    values: list[Json] = []
    around: list[str] = []
    told = at = failed = 0
    while failed <= _STARTS + len(values) // 2:
        found = (_NEXT.match(text, at) or _LINE.search(text, at)) if values else _OPENING.search(text, at)
        if found is None:
            break
        begin = found.end() - 1
        value, end = _whole(text, begin)
        if value is None and not begin and (read := _repaired(text, end)):
            return read
        # Beside what is read, a number in brackets is none.
        if not value or not (
            end - begin >= WITHIN_SHARE * len(text)
            or any(sign in text[begin + 1 : end] for sign in '{[')
            or text[begin] == '{'
        ):
            failed, at = failed + 1, begin + 1
            continue
        values.append(value)
        around.append(text[told:begin])
        told = at = end
    around.append(text[told:])
    if not values or sum(map(len, around)) > WITHIN_SHARE * len(text):
        return None
    outside = '\n\n'.join(filter(None, (each.strip(' \t\r\n,') for each in around)))
    return Read(values[0] if len(values) == 1 else values, outside)


def _whole(text: str, at: int = 0) -> tuple[Json, int]:
    """The object or list that begins at a place, and where it ends; None if it is not valid, and up to where it is."""
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        return None, error.pos
    except (ValueError, RecursionError):
        return None, at


def _repaired(text: str, place: int) -> Read | None:
    """JSON that is valid up to a place: what is complete of it.

    A thing in a list of several that is cut is left out: what it lacks would look like what is odd about it.
    """
    if place < _KEPT_SHARE * len(text):
        return None
    whole = text[:place].rstrip('0123456789.-+eE')
    # A number at the cut may be the beginning of another.
    whole = f'{whole}"…"' if text[len(whole) : place][:1] in tuple('-0123456789') else text[:place]
    try:
        value = cast('Json', from_json(whole, allow_partial=True))
    except ValueError:
        return None
    inside = value
    while isinstance(inside, dict | list) and inside:
        if isinstance(inside, list) and len(inside) > 1:
            del inside[-1]
            break
        inside = [*inside.values()][-1] if isinstance(inside, dict) else inside[-1]
    return Read(value, broken=f'JSON invalid from character {place} of {len(text)}') if value else None


def read_literal(text: str) -> Read | None:
    """Read a text that Python programs write of their lists and objects; None if it is none."""
    stripped = text.strip()
    if not (stripped[:1] in ('[', '{', '(') and stripped[-1:] in (']', '}', ')') and len(stripped) <= _LITERAL):
        return None
    try:
        return read_json(json.dumps(ast.literal_eval(stripped), ensure_ascii=False, default=repr))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
