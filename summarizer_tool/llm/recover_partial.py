"""Keep the complete members of an answer that is cut off, broken in places, or stands between prose."""

import json
from collections.abc import Mapping
from typing import TypeVar, cast

import regex
from pydantic import BaseModel, JsonValue, ValidationError

_MAX_BROKEN = 100
"""Broken members of one answer that are stepped over; an answer with more is not worth the time."""

_DECODER = json.JSONDecoder()
_SEPARATORS = regex.compile(r'[\s,]*')
_BARE_LIST = regex.compile(r'\[\s*(?=\{)')

EnvelopeT = TypeVar('EnvelopeT', bound=BaseModel)


def members_in(raw: str, key: str, *, may_be_bare: bool = False) -> tuple[list[JsonValue], bool]:
    """The complete members of the list `key`, and whether the text ends in that list, or in a broken member of it.

    Each member is decoded by itself, so one that is cut off anywhere is left out, and none is ever completed.
    """
    members: list[JsonValue] = []
    opening = regex.search(rf'"{key}"\s*:\s*\[', raw) or (_BARE_LIST.search(raw) if may_be_bare else None)
    place = opening.end() if opening else -1
    for _ in range(_MAX_BROKEN):
        if place < 0:
            break
        while True:
            gap = _SEPARATORS.match(raw, place)
            place = gap.end() if gap else place
            if place >= len(raw) or raw[place] == ']':
                return members, place >= len(raw)
            try:
                member, place = _DECODER.raw_decode(raw, place)
            except (ValueError, RecursionError):
                break
            members.append(member)
        following = raw.find('{', place + 1)
        if following < 0:
            return members, True
        place = following
    return members, False


def _decoded(raw: str, key: str) -> object:
    """What the JSON holds under `key`, if it is whole."""
    try:
        value: object = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return cast('dict[str, object]', value).get(key) if isinstance(value, dict) else None


def recover_partial(raw: str | Mapping[str, object], envelope: type[EnvelopeT], key: str) -> EnvelopeT | None:
    """Take the complete members out of an answer that does not validate; None if it has none of the list `key`.

    It is JSON, possibly cut off, fenced or amid prose, or its decoded arguments; all fields of the envelope are lists.
    """
    others = [field for field in envelope.model_fields if field != key]
    if isinstance(raw, str):
        found: object = members_in(raw, key, may_be_bare=True)[0] or _decoded(raw, key)
        values: dict[str, object] = {other: members_in(raw, other)[0] for other in others}
    else:
        found = raw.get(key)
        values = {other: raw[other] for other in others if other in raw}
    if isinstance(found, str):  # the list, encoded once more
        found = members_in(f'{{"{key}":{found}', key)[0]
    sound: list[object] = []
    for member in found if isinstance(found, list) else ():  # pyright: ignore[reportUnknownVariableType]
        try:
            sound.extend(getattr(envelope.model_validate({key: [member]}), key))
        except ValidationError:
            continue
    return envelope.model_validate({**values, key: sound}) if sound else None
