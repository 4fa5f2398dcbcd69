"""Secrets in structures: the same mappings, lists, models and dataclasses, with masks where secrets were."""

import copy
import dataclasses
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel, SecretBytes, SecretStr
from pydantic_core import to_jsonable_python

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import MASK, Masked, mask_for
from researcher_integration.masking.tables import Columns, columns_of, has_type, is_secret_cell

_PLAIN = (bool, int, float, Decimal, date, time, timedelta, UUID, Enum, SecretStr, SecretBytes, type(None))
"""What holds no text that a tool chose, or hides it itself."""

_TEXTUAL = re.compile(r'text/|[\w.\-]+/(?:[\w.\-]+\+)?(?:x-)?(?:json|xml|yaml)\b', re.IGNORECASE)


KUBERNETES = 'KUBERNETES_SECRET'

_VALUES = frozenset({'value', 'values'})
"""Fields of an object with a name, which is that of a secret where the name says so."""

_SAID_ABOUT = ('name', 'pattern', 'uri', 'url', 'arn', 'integrity', 'checksum', 'fingerprint', 'host', 'port', '_at')
"""Ends of other names of what is said about a secret."""

_NO_UTF8 = re.compile('[\udc80-\udcff]')
"""Stands for bytes that are no UTF-8."""

_HEADERS = re.compile(r'headers?$', re.IGNORECASE)
"""The name of a list in which names and values take turns."""


@dataclasses.dataclass(frozen=True, slots=True)
class ValuePlace:
    """What is known of a value by where it stands."""

    kind: str | None = None
    """Of the secret that it is; none if it may hold any."""
    in_secret: bool = False
    """Within a Secret of Kubernetes, whose `data` is secret whatever its names."""
    name: str = ''
    """The one it has, or what holds it."""
    textual: bool = False
    """Whether bytes are said to be text."""
    columns: Columns | None = None
    """Which cells of rows are secrets, where a list of columns stands before them."""
    in_list: bool = False
    generated: bool = False
    """Whether only a text that looks random is one: below `tokens`, which most programs count."""

    def is_secret(self, text: str, *, is_number: bool) -> bool:
        """Return whether a value is the secret that its place says: no count, no version, nothing masked."""
        if is_number and self.kind != KUBERNETES and secret_names.is_count(self.name, text):
            return False
        if MASK.fullmatch(text) or (self.generated and not secret_names.is_generated(text)):
            return False
        return self.kind is not None and not secret_names.is_none(self.kind, text, self.name)


class Values:
    """Masks values, and counts what it masked."""

    def __init__(self, mask_text: Callable[[str], Masked]) -> None:
        self._mask_text = mask_text
        self.counts: Counter[str] = Counter()

    def masked(self, value: object) -> object:
        """The value without its secrets; the same object if it has none."""
        return self._masked(value, ValuePlace())

    def _masked(self, value: object, place: ValuePlace) -> object:
        if isinstance(value, str) and not isinstance(value, Enum):
            return self._text(value, place)
        if isinstance(value, bytes | bytearray):
            return self._bytes(value, place)
        if isinstance(value, _PLAIN):
            return self._plain(value, place)
        if isinstance(value, Mapping):
            return self._mapping(cast('Mapping[object, object]', value), place)
        if isinstance(value, tuple) and hasattr(cast('Any', value), '_asdict'):  # a named tuple
            named = cast('Any', value)
            new = self._changed(named._asdict(), place)
            return named._replace(**new) if new else named
        if isinstance(value, list | tuple | AbstractSet):
            return self._items(cast('list[object]', value), place)
        if isinstance(value, BaseModel):
            return self._model(value, place)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._dataclass(value, place)
        return self._masked(to_jsonable_python(value), place)

    def _count(self, kind: str) -> str:
        self.counts[kind] += 1
        return mask_for(kind)

    def _text(self, value: str, place: ValuePlace) -> str:
        if place.kind and place.is_secret(value, is_number=False):
            return self._count(place.kind)
        masked = self._mask_text(value)
        self.counts.update(masked.counts)
        return masked.text if masked.counts else value

    def _bytes(self, value: bytes | bytearray, place: ValuePlace) -> object:
        # Every byte is kept that is no part of a secret, whatever the encoding.
        before = value.decode('utf-8', 'surrogateescape')
        if _NO_UTF8.search(before) and not (place.kind or place.textual):
            return value  # an image, or an archive: what looks like a secret in it is chance
        text = self._text(before, place)
        return value if text == before else text.encode('utf-8', 'surrogateescape')

    def _plain(self, value: object, place: ValuePlace) -> object:
        number = isinstance(value, int | float | Decimal | UUID) and not isinstance(value, bool | Enum)
        if not place.kind or not number:
            return value
        is_secret = isinstance(value, UUID) or place.is_secret(str(value), is_number=True)
        return self._count(place.kind) if is_secret else value

    def _mapping(self, value: Mapping[object, object], place: ValuePlace) -> Mapping[object, object]:
        places = self._places(value, place)
        masked: dict[object, object] = {}
        numbers = Counter[str]()
        changed = False
        for key, item in value.items():
            new_key = self._key(key, masked, numbers)
            new = self._masked(item, places[key])
            changed = changed or new is not item or new_key is not key
            masked[new_key] = new
        return masked if changed else value

    def _key(self, key: object, taken: Mapping[object, object], numbers: Counter[str]) -> object:
        new = self._masked(key, ValuePlace())
        if new is key or not isinstance(new, str):
            return new
        # Two keys that are secrets of one kind stay two; each number is tried once, for there may be thousands.
        unique = new
        while unique in taken:
            numbers[new] += 1
            unique = f'{new} ({numbers[new] + 1})'
        return unique

    @staticmethod
    def _places(fields: Mapping[Any, object], place: ValuePlace) -> dict[Any, ValuePlace]:
        """What is known of the values of an object, by their names and by each other."""
        kind_of_object = fields.get('kind')
        in_secret = kind_of_object in ('Secret', 'SecretList') or (place.in_secret and kind_of_object is None)
        names = {key.lower(): item for key, item in fields.items() if isinstance(key, str)}
        name = next((item for key in ('name', 'key', 'header') if isinstance(item := names.get(key), str)), '')
        of_value = secret_names.kind_of(name) if name and not names.keys().isdisjoint(_VALUES) else None
        if 'keyname' in names:
            of_value = 'API_KEY'
        media_type = names.get('media_type', names.get('mimetype'))
        textual = isinstance(media_type, str) and _TEXTUAL.match(media_type) is not None
        places: dict[Any, ValuePlace] = {}
        header: Columns | None = None
        for key, item in fields.items():
            kind, generated = place.kind, place.generated
            if isinstance(key, str):
                low = key.lower()
                is_key = low == 'key' and kind == 'API_KEY'  # `"api_keys": [{"id": 1, "key": "…"}]`
                is_about = low.replace('_', '') in secret_names.REFERENCES
                said_about = (
                    is_about or (kind != KUBERNETES and (low.endswith(_SAID_ABOUT) or secret_names.harmless(key)))
                ) and not is_key
                own = None if '/' in key and isinstance(item, Mapping) else secret_names.kind_of(key)
                if low == 'key' and isinstance(item, str):  # `"jwt": {"key": "…"}`
                    own = secret_names.kind_of(f'{place.name}_key')
                if low in ('instances', 'values') and fields.get('type') == 'random_password':  # a state of Terraform
                    own = 'PASSWORD'
                below = None if own or kind or isinstance(item, str) else secret_names.kind_over(key)
                kind = own or below or (None if said_about else kind) or (of_value if low in _VALUES else None)
                if kind == place.kind not in ('PASSWORD', KUBERNETES) and isinstance(item, str) and not own:
                    kind = kind if low in _VALUES or secret_names.may_be_random(item) else None  # `{"shape": "Token"}`
                inherited = kind == place.kind == 'TOKEN' and low not in _VALUES  # `"token": {"postal_code": "94102"}`
                generated = below is not None or ((place.generated or inherited) and own is None)
                if in_secret and key in ('data', 'stringData') and isinstance(item, Mapping):
                    kind = KUBERNETES
            name_here = key if isinstance(key, str) else place.name
            places[key] = ValuePlace(kind, in_secret, name_here, textual, header, generated=generated)
            header = _columns(cast('object', item)) or header
        return places

    def _items(self, value: Iterable[object], place: ValuePlace) -> Iterable[object]:
        items = list(value)
        new = [self._masked(item, each) for item, each in zip(items, _places_in_list(items, place), strict=True)]
        for index, kind in _paired(items, place.name).items():
            if new[index] is items[index]:  # else the secret in it is masked, such as that behind `Bearer`
                new[index] = self._masked(items[index], dataclasses.replace(place, kind=kind))
        if all(one is other for one, other in zip(new, value, strict=True)):
            new = self._command(items)
        if new is items:
            return value
        if isinstance(value, tuple):
            return tuple(new)
        if isinstance(value, frozenset):
            return frozenset(new)
        return set(new) if isinstance(value, AbstractSet) else new

    def _command(self, items: list[object]) -> list[object]:
        """The words of a command without the secrets that its options tell; the same list if it is none or has none."""
        if not all(isinstance(item, str) for item in items) or not any(str(item)[:1] == '-' for item in items):
            return items
        masked = self._mask_text(json.dumps(items, ensure_ascii=False))
        if not masked.counts:
            return items
        self.counts.update(masked.counts)
        return json.loads(masked.text)

    def _model(self, value: BaseModel, place: ValuePlace) -> BaseModel:
        fields = {name: getattr(value, name) for name in type(value).model_fields}
        new = self._changed(fields | (value.__pydantic_extra__ or {}), place)
        # Not validated: a mask need not be what a field asks for.
        return value.model_copy(update=new) if new else value

    def _dataclass(self, value: object, place: ValuePlace) -> object:
        fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(cast('Any', value))}
        new = self._changed(fields, place)
        if not new:
            return value
        masked = copy.copy(value)
        for name, item in new.items():
            object.__setattr__(masked, name, item)
        return masked

    def _changed(self, fields: Mapping[str, object], place: ValuePlace) -> dict[str, object]:
        places = self._places(fields, place)
        new = {name: self._masked(item, places[name]) for name, item in fields.items()}
        return {name: item for name, item in new.items() if item is not fields[name]}


def _places_in_list(items: Sequence[object], place: ValuePlace) -> list[ValuePlace]:
    """What is known of the items of a list: they may be a row of a table, or the rows under its columns."""
    if place.in_list and place.columns:
        cells = [dataclasses.replace(place, columns=None) for _ in items]
        for at, kind in place.columns.secrets([*map(str, items)]):
            cells[at] = dataclasses.replace(cells[at], kind=kind)
        return cells
    places: list[ValuePlace] = []
    for item in items:
        is_list = isinstance(item, list | tuple)
        places.append(dataclasses.replace(place, in_list=True) if is_list and place.columns else place)
        place = dataclasses.replace(place, columns=_columns(item) or place.columns)
    return places


def _columns(value: object) -> Columns | None:
    """The columns that are secrets, if a value is a list of columns: names, or objects that have one."""
    if not isinstance(value, list | tuple) or len(cast('Sequence[object]', value)) < 2:
        return None
    items = cast('Sequence[object]', value)
    names = [cast('Mapping[str, object]', each).get('name') if isinstance(each, Mapping) else each for each in items]
    texts = [name for name in names if isinstance(name, str)]
    return columns_of(texts) if len(texts) == len(items) and not has_type(texts) else None


def _paired(items: Sequence[object], name: str) -> dict[int, str]:
    """The places of values that stand behind the name of a secret, as headers in pairs do, and the kinds of secrets."""
    if len(items) != 2 and not (len(items) % 2 == 0 and _HEADERS.search(name)):
        return {}
    texts = [
        item.decode('latin-1') if isinstance(item, bytes) else item for item in items if isinstance(item, str | bytes)
    ]
    if len(texts) < len(items):
        return {}
    pairs = zip(texts[::2], texts[1::2], strict=True)
    found = {2 * at + 1: _kind_of_pair(*pair) for at, pair in enumerate(pairs)}
    return {at: kind for at, kind in found.items() if kind}


def _kind_of_pair(name: str, value: str) -> secret_names.Kind | None:
    """The kind of the secret that a value is behind a name in a list of two; none for columns with their types."""
    kind = secret_names.kind_of(name) if ' ' not in name else None
    is_plain = kind == 'COOKIE' and '=' not in value
    return kind if kind and not is_plain and is_secret_cell(value, kind, certain=False) else None
