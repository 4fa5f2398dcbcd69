"""What is shown of any value: JSON, within bounds, which can be sent."""

import math
from collections.abc import Iterable, Mapping
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
    return _Walk().shown(value, 0)


class _Walk:
    """One value on the way."""

    def __init__(self) -> None:
        self._left = MAX_VALUES

    def shown(self, value: object, depth: int) -> JsonValue:
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            return LEFT_OUT
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return int(value) if value.bit_length() <= MAX_BITS else LEFT_OUT
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, str):
            return encodable(value)
        if isinstance(value, BaseModel):
            return self.shown(dict(value), depth)
        if isinstance(value, Mapping):
            return self._object(cast('Mapping[object, object]', value), depth + 1)
        if isinstance(value, list | tuple | set | frozenset):
            return self._array(cast('Iterable[object]', value), depth + 1)
        return encodable(str(value))

    def _object(self, value: Mapping[object, object], depth: int) -> JsonValue:
        shown: dict[str, JsonValue] = {}
        for key, item in value.items():
            if self._left <= 0:
                shown[LEFT_OUT] = LEFT_OUT
                break
            shown[encodable(str(key))] = self.shown(item, depth)
        return shown

    def _array(self, value: Iterable[object], depth: int) -> JsonValue:
        shown: list[JsonValue] = []
        for item in value:
            if self._left <= 0:
                shown.append(LEFT_OUT)
                break
            shown.append(self.shown(item, depth))
        return shown


Arguments = Annotated[JsonValue, BeforeValidator(as_json)]
"""A field that takes any value."""
