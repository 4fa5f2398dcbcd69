"""The events of a timeline: what they say, how they are written, and how large they may be.

A draft is an event that has no place in a run yet; `Timeline.emit` gives it one. Whoever drafts an event has masked
what it says.
"""

import json
from datetime import UTC, datetime
from typing import Annotated, Final, Literal, cast

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import to_jsonable_python

from summarizer_tool import encodable


def as_json(value: object) -> JsonValue:
    """Any value as JSON; what is of no known type as text, and what is too deep or too long a number as `…`."""
    try:
        plain = to_jsonable_python(value, bytes_mode='base64', serialize_unknown=True)
        return json.loads(encodable(json.dumps(plain, ensure_ascii=False)), parse_constant=str)
    except (ValueError, RecursionError):
        return '…'


Arguments = Annotated[JsonValue, BeforeValidator(as_json)]
"""A field that takes any value."""

UNSTAMPED: Final = datetime(1970, 1, 1, tzinfo=UTC)

MAX_NAME = 200
"""Characters of a server, a tool, a model, an id; the rest of a longer one is left out."""

MAX_LABEL = 60

MAX_TEXT = 250_000
"""Characters of a text, or of arguments as JSON: what a page shows of a result. The whole is in the store."""

_NOTE = 100


def _short(most: int | None) -> BeforeValidator:
    def cut(value: object) -> object:
        return '' if value is None else encodable(value[:most]) if isinstance(value, str) else value

    return BeforeValidator(cut)


Name = Annotated[str, _short(MAX_NAME)]
Label = Annotated[str, _short(MAX_LABEL)]
Text = Annotated[str, _short(None)]
Count = Annotated[int, Field(ge=0)]


class _Event(BaseModel):
    """What all events have; the first three are given by the timeline."""

    model_config = ConfigDict(frozen=True, extra='forbid')

    run_id: Name = ''
    seq: Count = 0
    """From 1 on, over all events of the run."""
    time: AwareDatetime = UNSTAMPED
    """UTC."""
    call_id: Name
    """Of the tool call that this is about."""
    session_id: Label = ''
    """With the next two from the metadata of the agent's run, as far as the caller gives them there."""
    stage: Label = ''
    model_call_id: Label = ''


class _Capped(_Event):
    """An event with a text, or with arguments, that is cut where it is too long."""

    capped: bool = False
    """Whether it is cut, which its last line says."""

    @model_validator(mode='before')
    @classmethod
    def _cut(cls, value: object) -> object:
        given = cast('dict[str, object]', value) if isinstance(value, dict) else {}
        name = 'arguments' if given.get('arguments') is not None else 'text'
        text = given.get(name, '')
        text = text if isinstance(text, str) else json.dumps(as_json(text), ensure_ascii=False)
        if len(text) <= MAX_TEXT:
            return cast('object', value)
        kept = MAX_TEXT - _NOTE
        note = f'[cut here: {kept:,} of {len(text):,} characters are kept in this event]'
        return {**given, name: f'{text[:kept]}\n{note}', 'capped': True}


class ToolCall(_Capped):
    """A tool is called; or it has answered, and this is how much."""

    type: Literal['tool_call'] = 'tool_call'
    status: Literal['started', 'completed']
    server: Name = ''
    tool: Name
    arguments: Arguments = None
    """Of a started call; any value is taken, and shown as JSON."""
    size_characters: Count | None = None
    size_tokens: Count | None = None
    """cl100k, of a completed call."""
    is_error: bool = False
    """Whether what it answered is an error."""


class ToolResult(_Capped):
    """What a tool has answered, as it is kept; or what it has failed with."""

    type: Literal['tool_result'] = 'tool_result'
    text: Text
    is_error: bool = False
    source_id: Name = ''


class Summarizing(_Event):
    """A result is large, and is being summarized."""

    type: Literal['tool_call.summarizing'] = 'tool_call.summarizing'
    estimated_tokens: Count
    """cl100k, of the result."""


class SummaryDelta(_Capped):
    """A fact of the summary, as soon as it is complete."""

    type: Literal['summary.delta'] = 'summary.delta'
    index: Count
    """Of the fact among those of its call, from 0."""
    text: Text


class ToolSummary(_Capped):
    """What the model got instead of the result."""

    type: Literal['tool_summary'] = 'tool_summary'
    server: Name = ''
    tool: Name = ''
    text: Text
    original_tokens: Count
    summary_tokens: Count
    model: Name = ''
    source_id: Name = ''
    state: Name = 'complete'
    """How it went: that of `Summary`, or what the failure policy has done."""


Draft = ToolCall | ToolResult | Summarizing | SummaryDelta | ToolSummary
TimelineEvent = Annotated[Draft, Field(discriminator='type')]

_adapter: TypeAdapter[Draft] = TypeAdapter(TimelineEvent)


def encoded(event: Draft) -> bytes:
    """An event as one line of JSON."""
    return _adapter.dump_json(event)


def decoded(body: bytes) -> Draft:
    """The event that `encoded` has written, or a `ValueError`."""
    try:
        return _adapter.validate_json(body)
    except ValidationError as error:
        # What pydantic says repeats the text.
        raise ValueError(f'no event of a timeline: {error.error_count()} fields are wrong') from None
