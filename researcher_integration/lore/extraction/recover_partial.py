"""Keep the whole members of an answer that is cut off, broken in places, or stands between prose."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import regex
from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_ai import ModelResponse, ModelRetry, OutputTokenLimitExceeded, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.output import OutputContext

_MAX_BROKEN = 100
"""Broken members of one answer that are stepped over; an answer with more is not worth the time."""

_DECODER = json.JSONDecoder()
_SEPARATORS = regex.compile(r'[\s,]*')
_BARE_LIST = regex.compile(r'\[\s*(?=\{)')

EnvelopeT = TypeVar('EnvelopeT', bound=BaseModel)


@dataclass
class RecoveryState:
    """What became of the answer of one run."""

    salvaged: bool = False
    """Whether it was cut off or broken, and only its whole members were kept."""


def _members(raw: str, key: str) -> Iterator[JsonValue]:
    """The whole members of the list `key` in JSON that is cut off, broken in places, or stands between prose.

    Each member is decoded by itself, so one that is cut off anywhere is left out, and none is ever completed.
    """
    opening = regex.search(rf'"{key}"\s*:\s*\[', raw) or _BARE_LIST.search(raw)
    if opening is None:
        return
    place = opening.end()
    for _ in range(_MAX_BROKEN):
        while True:
            gap = _SEPARATORS.match(raw, place)
            place = gap.end() if gap else place
            if place >= len(raw) or raw[place] == ']':
                return
            try:
                member, place = _DECODER.raw_decode(raw, place)
            except (ValueError, RecursionError):
                break
            yield member
        place = raw.find('{', place + 1)
        if place < 0:
            return


def _decoded(raw: str, key: str) -> object:
    """What the JSON holds under `key`, if it is whole."""
    try:
        value: object = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return cast('dict[str, object]', value).get(key) if isinstance(value, dict) else None


def salvage(raw: str | Mapping[str, object], envelope: type[EnvelopeT], key: str) -> EnvelopeT | None:
    """Take the whole members out of an answer that does not validate.

    Args:
        raw: The answer's JSON, possibly cut off, fenced or amid prose, or its decoded arguments.
        envelope: The type that was asked for.
        key: Its list.

    Returns:
        The envelope with the members that are sound, or None if there is not one.
    """
    found: object = [*_members(raw, key)] if isinstance(raw, str) else raw.get(key)
    if isinstance(raw, str) and not found:
        found = _decoded(raw, key)
    if isinstance(found, str):  # the list, encoded once more
        found = [*_members(f'{{"{key}":{found}', key)]
    sound: list[object] = []
    for member in found if isinstance(found, list) else ():  # pyright: ignore[reportUnknownVariableType]
        try:
            sound.extend(getattr(envelope.model_validate({key: [member]}), key))
        except ValidationError:
            continue
    return envelope.model_validate({key: sound}) if sound else None


@dataclass
class SalvageMembers(AbstractCapability[RecoveryState]):
    """Keeps the whole members of an answer that does not validate, instead of asking for all of it again."""

    envelope: type[BaseModel]
    key: str

    async def on_output_validate_error(
        self,
        ctx: RunContext[RecoveryState],
        *,
        output_context: OutputContext,
        output: str | dict[str, Any],
        error: ValidationError | ModelRetry,
    ) -> BaseModel:
        """Return what can be salvaged, or raise the error.

        Raises:
            OutputTokenLimitExceeded: If the answer was cut off before its first member was complete: under the same
                limit the next one would be too.
        """
        sound = salvage(output, self.envelope, self.key)
        if sound is None:
            last = ctx.messages[-1] if ctx.messages else None
            if isinstance(last, ModelResponse) and last.finish_reason == 'length':
                raise OutputTokenLimitExceeded('the answer was cut off before one member was complete') from error
            raise error
        ctx.deps.salvaged = True
        return sound
