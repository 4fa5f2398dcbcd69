"""Secrets in structures: the same mappings, lists, models and dataclasses, with masks where secrets were.

A structure is masked as the JSON that it can be written as; what has changed in that is put back into it.
"""

import copy
import dataclasses
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from enum import Enum
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel, SecretBytes, SecretStr
from pydantic_core import to_jsonable_python

_HIDDEN = (Enum, SecretStr, SecretBytes, bool, type(None))
"""What holds no text that a tool chose, or hides it itself."""

_NO_TEXT = re.compile(rb'[\x00-\x08\x0e-\x1a\x1c-\x1f]')
"""In bytes that are no UTF-8: these are an image or an archive, in which what looks like a secret is chance."""

_NO_UTF8 = re.compile('[\udc80-\udcff]')

_LARGEST = 10**300
"""Of numbers that are written; none that is a secret is as large."""


class _Pairs(list[tuple[str, object]]):
    """The keys of an object of JSON with their values."""


def in_json(value: object, mask_text: Callable[[str], str]) -> str:
    """A structure as JSON, its texts masked one by one; null for what is not looked at."""
    if lines := _lines_of_key(value):
        return json.dumps(mask_text(lines), ensure_ascii=False)
    members = _members(value)
    if members is None:
        leaf = _written(value)
        return json.dumps(mask_text(leaf) if isinstance(leaf, str) else leaf, ensure_ascii=False)
    items = {key: in_json(item, mask_text) for key, item in members.items()}
    if _is_list(value):
        return f'[{", ".join(items.values())}]'
    return f'{{{", ".join(f"{json.dumps(str(key), ensure_ascii=False)}: {item}" for key, item in items.items())}}}'


def put_back(value: object, masked: str) -> object:
    """The structure with the masks of its JSON, or the same; raises `ValueError` if one has taken more than a value."""
    return _put_back(value, json.loads(masked, object_pairs_hook=_Pairs))


def _put_back(value: object, new: object) -> object:
    if lines := _lines_of_key(value):
        return value if new == lines else str(new).split('\n')
    members = _members(value)
    if members is None:
        if new == _written(value):
            return value
        return str(new).encode('utf-8', 'surrogateescape') if isinstance(value, bytes | bytearray) else new
    if not isinstance(new, list) or len(cast('list[object]', new)) != len(members):
        raise ValueError('a mask has taken several members')
    old = [*members.values()]
    pairs = new if isinstance(new, _Pairs) else [('', item) for item in cast('list[object]', new)]
    items = [_put_back(item, each) for item, (_, each) in zip(old, pairs, strict=True)]
    keys = _keys([*members], pairs) if isinstance(value, Mapping) else [*members]
    if all(new is old for new, old in zip((*keys, *items), (*members, *old), strict=True)):
        return cast('object', value)
    return _rebuilt(cast('object', value), dict(zip(keys, items, strict=True)))


def _lines_of_key(value: object) -> str:
    """A list of lines as one text, where a key or a certificate begins in it: no single line would give it away."""
    items = cast('Sequence[object]', value) if isinstance(value, list | tuple) else ()
    texts = [item for item in items if isinstance(item, str)]
    is_key = len(texts) == len(items) and any('-----BEGIN' in text for text in texts)
    return '\n'.join(texts) if is_key else ''


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple | AbstractSet) and not hasattr(cast('object', value), '_asdict')


def _members(value: object) -> Mapping[Any, object] | None:
    if isinstance(value, Mapping):
        return cast('Mapping[Any, object]', value)
    if _is_list(value):
        return dict(enumerate(cast('Sequence[object]', value)))
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields} | (value.__pydantic_extra__ or {})
    if isinstance(value, tuple):
        return cast('Any', value)._asdict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    return None


def _rebuilt(value: object, members: dict[Any, object]) -> object:
    if isinstance(value, Mapping):
        return members
    if _is_list(value):
        return cast('type[Any]', type(value))(members.values())
    if isinstance(value, BaseModel):
        return value.model_copy(update=members)  # not validated: a mask need not be what a field asks for
    if isinstance(value, tuple):
        return cast('Any', value)._replace(**members)
    masked = copy.copy(value)
    for name, item in members.items():
        object.__setattr__(masked, name, item)
    return masked


def _written(value: object) -> object:
    if isinstance(value, _HIDDEN):
        return None
    if isinstance(value, str | UUID):
        return str(value)
    if isinstance(value, bytes | bytearray):
        text = value.decode('utf-8', 'surrogateescape')  # every byte is kept that is no part of a secret
        return None if _NO_UTF8.search(text) and _NO_TEXT.search(value) else text
    if isinstance(value, Decimal) and value.is_finite() and value == (number := value.to_integral_value()):
        value = int(number)
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, int):
        return value if abs(value) < _LARGEST else None
    return to_jsonable_python(value)


def _keys(old: Sequence[object], pairs: Sequence[tuple[str, object]]) -> list[object]:
    """The keys of a mapping, masked; two that are secrets of one kind stay two."""
    keys: dict[object, None] = {}
    numbers = Counter[str]()  # each is tried once, for there may be thousands
    for key, (written, _) in zip(old, pairs, strict=True):
        unique = key if written == str(key) else written
        while unique in keys:
            numbers[written] += 1
            unique = f'{written} ({numbers[written] + 1})'
        keys[unique] = None
    return [*keys]
