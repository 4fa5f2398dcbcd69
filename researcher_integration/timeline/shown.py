"""What is shown of any value: JSON, within bounds, which can be sent."""

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, cast

from pydantic import BaseModel, BeforeValidator, JsonValue

MAX_DEPTH = 30
"""How deep a value is shown."""

MAX_VALUES = 10_000
"""How many values within it are shown."""

MAX_BITS = 8192
"""Of a number; Python writes none that is much longer."""

LEFT_OUT = '…'
"""Stands for what is too deep or too much."""


def encodable(text: str) -> str:
    """A text without half characters, which tools and models may write and nobody can send."""
    return text.encode(errors='replace').decode()


def as_json(value: object) -> JsonValue:
    """Any value as JSON, as far as a reader will look at it."""
    return _shown(value, 0, iter(range(1, MAX_VALUES)))


def _shown(value: object, depth: int, values: Iterator[int]) -> JsonValue:
    """A value; `values` ends when enough is shown."""
    if depth > MAX_DEPTH:
        return LEFT_OUT
    match value:
        case None | bool():
            return value
        case int():
            return int(value) if value.bit_length() <= MAX_BITS else LEFT_OUT
        case float():
            return value if math.isfinite(value) else str(value)
        case BaseModel():
            return _shown(dict(value), depth, values)
        case Mapping():
            items = cast('Mapping[object, object]', value).items()
            members = {
                encodable(str(key)): _shown(item, depth + 1, values)
                for (key, item), _ in zip(items, values, strict=False)
            }
            return members if len(members) == len(items) else {**members, LEFT_OUT: LEFT_OUT}
        case list() | tuple() | set() | frozenset():
            array = cast('Collection[object]', value)
            entries = [_shown(item, depth + 1, values) for item, _ in zip(array, values, strict=False)]
            return entries if len(entries) == len(array) else [*entries, LEFT_OUT]
        case _:
            return encodable(str(value))


Arguments = Annotated[JsonValue, BeforeValidator(as_json)]
"""A field that takes any value."""
