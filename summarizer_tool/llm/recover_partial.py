"""Keep the complete members of an answer that is cut off, broken in places, or stands between prose."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar, cast

import regex
from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_ai import IncompleteToolCall, ModelResponse, ModelRetry, RunContext, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.output import OutputContext
from pydantic_ai.usage import RequestUsage
from pydantic_core import from_json

from summarizer_tool.text import tokens


def arguments(call: ToolCallPart) -> str:
    """The arguments of a call as they were written; pydantic-ai puts those that are not whole into others."""
    return call.args if isinstance(call.args, str) else call.args_as_json_str() if call.args else ''


def written(response: ModelResponse) -> str:
    """The text of an answer, and the arguments of its calls, as far as they were written."""
    return '\n'.join(
        arguments(part) if isinstance(part, ToolCallPart) else part.content
        for part in response.parts
        if isinstance(part, ToolCallPart | TextPart)
    )


def untold_usage(response: ModelResponse, request: str) -> RequestUsage:
    """What an answer, as far as it was written, has cost beyond what the provider has said: an estimate."""
    said = response.usage
    thought = ''.join(part.content for part in response.parts if isinstance(part, ThinkingPart))
    count = max(said.output_tokens, tokens.count(thought + written(response)))
    estimate = replace(said, input_tokens=said.input_tokens or tokens.count(request), output_tokens=count)
    try:
        cost = replace(response, usage=estimate).cost().total_price - (said.cost or 0)
    except (AssertionError, LookupError, ValueError):  # no name, or no price
        cost = None
    return RequestUsage(
        input_tokens=estimate.input_tokens - said.input_tokens,
        output_tokens=estimate.output_tokens - said.output_tokens,
        cost=cost,
    )


_MAX_BROKEN = 100
"""Broken members of one answer that are stepped over; an answer with more is not worth the time."""

_DECODER = json.JSONDecoder()
_SEPARATORS = regex.compile(r'[\s,]*')
_BARE_LIST = regex.compile(r'\[\s*(?=\{)')

EnvelopeT = TypeVar('EnvelopeT', bound=BaseModel)

Ending = Literal['whole', 'cut off', 'broken', 'none']
"""How an answer ended: whole; cut off in its list, at the output token limit or not, or broken in places, so that only
its complete members were kept; or there is none."""


@dataclass
class QueryState:
    """What is known of the answer of one run."""

    may_be_empty: bool = True
    """Whether an answer without members is taken as it is."""
    ending: Ending = 'whole'
    written: str = ''
    """What there was of the answer when the run was broken off."""


def _members(raw: str, key: str, *, may_be_bare: bool = False) -> tuple[list[JsonValue], bool]:
    """The complete members of the list `key`, and whether the text ends in that list.

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
            return members, _is_beginning(raw[place:])
        place = following
    return members, False


def _is_beginning(raw: str) -> bool:
    """Whether something can follow with which a text would be JSON."""
    try:
        from_json(raw, allow_partial='trailing-strings')
    except ValueError:
        return False
    return True


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
        found: object = _members(raw, key, may_be_bare=True)[0] or _decoded(raw, key)
        values: dict[str, object] = {other: _members(raw, other)[0] for other in others}
    else:
        found = raw.get(key)
        values = {other: raw[other] for other in others if other in raw}
    if isinstance(found, str):  # the list, encoded once more
        found = _members(f'{{"{key}":{found}', key)[0]
    sound: list[object] = []
    for member in found if isinstance(found, list) else ():  # pyright: ignore[reportUnknownVariableType]
        try:
            sound.extend(getattr(envelope.model_validate({key: [member]}), key))
        except ValidationError:
            continue
    return envelope.model_validate({**values, key: sound}) if sound else None


@dataclass
class RecoverPartial(AbstractCapability[QueryState]):
    """Keeps the complete members of an answer that does not validate, instead of asking for all of it again."""

    envelope: type[BaseModel]
    key: str

    async def on_output_validate_error(
        self,
        ctx: RunContext[QueryState],
        *,
        output_context: OutputContext,
        output: str | dict[str, Any],
        error: ValidationError | ModelRetry,
    ) -> BaseModel:
        """Return what can be recovered, or raise the error so that the question is asked again.

        It is called before pydantic-ai looks at the finish reason, for tool arguments as for text.

        Raises:
            IncompleteToolCall: If the answer was cut off before its first member was complete: under the same
                limit the next one would be too. (pydantic-ai does so for text, but asks again for a tool call.)
        """
        recovered = recover_partial(output, self.envelope, self.key)
        last = ctx.messages[-1] if ctx.messages else None
        is_at_limit = isinstance(last, ModelResponse) and last.finish_reason == 'length'
        if recovered is None:
            if is_at_limit:
                raise IncompleteToolCall('the answer was cut off before one member was complete') from error
            raise error
        # A connection that is closed amid an answer may look like its end, and not all servers tell of their limit.
        is_cut_off = is_at_limit or (isinstance(output, str) and _members(output, self.key, may_be_bare=True)[1])
        ctx.deps.ending = 'cut off' if is_cut_off else 'broken'
        return recovered
