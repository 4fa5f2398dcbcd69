"""The events of a timeline: what they say, how they are written, and how large they may be.

A draft is an event that has no place in a run yet; `Timeline.emit` gives it one. Whoever drafts an event has masked
what it says.
"""

import json
from datetime import UTC, datetime
from typing import Annotated, ClassVar, Final, Literal

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import to_jsonable_python

LEFT_OUT = '…'
"""Stands for a value that is too deep, or has a number too long, to be written."""


def encodable(text: str) -> str:
    """A text without half characters, which tools and models may write and nobody can send."""
    return text.encode(errors='replace').decode()


def as_json(value: object) -> JsonValue:
    """Any value as JSON; what is of no known type as text."""
    try:
        plain = to_jsonable_python(value, bytes_mode='base64', serialize_unknown=True)
        return json.loads(encodable(json.dumps(plain, ensure_ascii=False)), parse_constant=str)
    except (ValueError, RecursionError):
        return LEFT_OUT


Arguments = Annotated[JsonValue, BeforeValidator(as_json)]
"""A field that takes any value."""

UNSTAMPED: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The time of a draft."""

MAX_NAME = 200
"""Characters of a server, a tool, a model, an id; the rest of a longer one is left out."""

MAX_LABEL = 60
"""Characters of what a caller says of a run."""

LEAST_EVENT_BYTES = 10_000
"""Room for all names of an event, however they are escaped, and for some text."""


def _name(value: object) -> object:
    return '' if value is None else encodable(value[:MAX_NAME]) if isinstance(value, str) else value


Name = Annotated[str, BeforeValidator(_name)]
Label = Annotated[str, BeforeValidator(lambda value: value[:MAX_LABEL] if isinstance(value, str) else value)]
Text = Annotated[str, BeforeValidator(lambda value: encodable(value) if isinstance(value, str) else value)]
Count = Annotated[int, Field(ge=0)]


class _Event(BaseModel):
    """What all events have; the first three are given by the timeline."""

    model_config = ConfigDict(frozen=True, extra='forbid')

    is_transient: ClassVar[bool] = False
    """Whether only those see it who follow while it happens."""

    run_id: Name = ''
    seq: Count = 0
    """From 1 on, over all events of the run. Who catches up finds gaps where transient events were."""
    time: AwareDatetime = UNSTAMPED
    """UTC."""
    call_id: Name
    """Of the tool call that this is about."""
    session_id: Label = ''
    """With the next two from the metadata of the agent's run, as far as the caller gives them there."""
    stage: Label = ''
    model_call_id: Label = ''


class ToolCall(_Event):
    """A tool is called; or it has answered, and this is how much."""

    type: Literal['tool_call'] = 'tool_call'
    status: Literal['started', 'completed']
    server: Name = ''
    """Empty for the agent's own functions."""
    tool: Name
    arguments: Arguments = None
    """Of a started call; any value is taken, and shown as JSON."""
    size_characters: Count | None = None
    """Of a completed call."""
    size_tokens: Count | None = None
    """cl100k, of a completed call."""
    is_error: bool = False
    """Whether what it answered is an error."""
    capped: bool = False
    """Whether the arguments are cut."""


class ToolResult(_Event):
    """What a tool has answered, as it is kept; or what it has failed with."""

    type: Literal['tool_result'] = 'tool_result'
    text: Text
    is_error: bool = False
    capped: bool = False
    """Whether the text is cut, which its last line says."""
    source_id: Name = ''
    """The handle of the whole."""


class Summarizing(_Event):
    """A result is large, and is being summarized."""

    is_transient: ClassVar[bool] = True

    type: Literal['tool_call.summarizing'] = 'tool_call.summarizing'
    estimated_tokens: Count
    """cl100k, of the result."""


class SummaryDelta(_Event):
    """A fact of the summary, as soon as it is complete."""

    is_transient: ClassVar[bool] = True

    type: Literal['summary.delta'] = 'summary.delta'
    index: Count
    """Of the fact among those of its call, from 0."""
    text: Text


class ToolSummary(_Event):
    """What the model got instead of the result."""

    type: Literal['tool_summary'] = 'tool_summary'
    server: Name = ''
    """Empty for the agent's own functions."""
    tool: Name = ''
    text: Text
    original_tokens: Count
    summary_tokens: Count
    model: Name = ''
    source_id: Name = ''
    """The handle of the whole result."""
    state: Name = 'complete'
    """How it went: that of `Summary`, or what the failure policy has done."""
    capped: bool = False
    """Whether the text is cut, which its last line says."""


Draft = ToolCall | ToolResult | Summarizing | SummaryDelta | ToolSummary
TimelineEvent = Annotated[Draft, Field(discriminator='type')]

_adapter: TypeAdapter[Draft] = TypeAdapter(TimelineEvent)
_arguments: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


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


def within(event: Draft, max_bytes: int) -> tuple[Draft, bytes]:
    """An event cut to a size, and how it is written."""
    text = '' if isinstance(event, ToolCall | Summarizing) else event.text
    if len(text) <= max_bytes:  # else it need not be written to know
        body = encoded(event)
        if len(body) <= max_bytes or isinstance(event, Summarizing):
            return event, body
    if isinstance(event, ToolCall):
        return _cut(event, 'arguments', _arguments.dump_json(event.arguments).decode(), max_bytes)
    return _cut(event, 'text', text, max_bytes)


def _cut(event: Draft, name: str, text: str, max_bytes: int) -> tuple[Draft, bytes]:
    """An event with as much of a text as fits."""
    kept = min(len(text), max_bytes)
    while True:
        note = f'\n[cut here: {kept:,} of {len(text):,} characters are kept in this event]'
        changes: dict[str, object] = {name: text[:kept] + note}
        if not isinstance(event, SummaryDelta):
            changes['capped'] = True
        cut = event.model_copy(update=changes)
        body = encoded(cut)
        over = len(body) - max_bytes
        if over <= 0:
            return cut, body
        # Some characters take many bytes, and which of them stand at the end is not known.
        kept = max(0, min(kept - 1, int(kept * max_bytes / len(body))))


def stamped(draft: Draft, run_id: str, seq: int, time: datetime) -> Draft:
    """A draft that has its place in a run."""
    return draft.model_copy(update={'run_id': run_id, 'seq': seq, 'time': time})
