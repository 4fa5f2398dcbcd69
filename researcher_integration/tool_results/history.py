"""Tool results in a history: without secrets where no hook has seen them, and framed in what is sent to a model."""

from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass, field, replace
from typing import Any, cast

import anyio.to_thread
from pydantic_ai import ModelMessage, ModelRequest, ToolReturn
from pydantic_ai.messages import (
    LoadCapabilityReturnPart,
    TextContent,
    ToolReturnContent,
    ToolReturnPart,
    ToolSearchReturnPart,
    UserContent,
    is_multi_modal_content,
)

from researcher_integration.masking.masking import Masker, MaskingError
from researcher_integration.tool_results.observation import NOTE, SUMMARIZATION, Observation, as_text
from researcher_integration.untrusted.framing import framed
from summarizer_tool import render_prompt

EXEMPT_KINDS = frozenset({LoadCapabilityReturnPart.tool_kind, ToolSearchReturnPart.tool_kind})
"""pydantic-ai reads these results back from the history."""


async def mask_history(history: list[ModelMessage], masker: Masker, seen: Container[str]) -> None:
    """Mask the tool results in a history, in place, but those of the calls that have been `seen`."""

    async def masked(part: ToolReturnPart) -> ToolReturnPart:
        if part.tool_call_id in seen:
            return part
        raw = Observation(part.content, None, part.metadata, is_wrapped=True)
        try:
            masked = await anyio.to_thread.run_sync(raw.masked, masker)
        except MaskingError:
            return replace(part, content=render_prompt('tool_results/redacted', tool=part.tool_name), metadata=None)
        return part if masked.is_same_as(raw) else replace(part, content=masked.value, metadata=masked.metadata)

    await _change_results(history, masked)


def result_ids(history: list[ModelMessage]) -> set[str]:
    """Ids of the calls whose results stand in a history."""
    requests = (message for message in history if isinstance(message, ModelRequest))
    return {part.tool_call_id for each in requests for part in each.parts if isinstance(part, ToolReturnPart)}


async def _change_results(
    messages: list[ModelMessage], change: Callable[[ToolReturnPart], Awaitable[ToolReturnPart]]
) -> None:
    """Change tool results in place; the messages themselves stay as they are."""
    for index, message in enumerate(messages):
        if isinstance(message, ModelRequest):
            parts = [
                await change(part) if isinstance(part, ToolReturnPart) and part.tool_kind not in EXEMPT_KINDS else part
                for part in message.parts
            ]
            if any(new is not old for new, old in zip(parts, message.parts, strict=True)):
                messages[index] = replace(message, parts=parts)


@dataclass(slots=True)
class FramedResults:
    """Frames the tool results of requests, each result once."""

    _known: dict[str, tuple[object, ToolReturnContent]] = field(
        default_factory=dict[str, tuple[object, ToolReturnContent]]
    )
    """By the id of its call, what a result said, and how it is shown."""

    async def frame(self, messages: list[ModelMessage]) -> None:
        """Frame the tool results in the messages of a request, in place."""
        await _change_results(messages, self._shown)

    async def _shown(self, part: ToolReturnPart) -> ToolReturnPart:
        # What a person has denied is no text of a tool; of wrong arguments pydantic-ai writes a list in its own way.
        if part.outcome == 'denied' or (part.outcome == 'retried' and not isinstance(part.content, str)):
            return part
        known = self._known.get(part.tool_call_id)
        if known is None or known[0] is not part.content:
            known = part.content, await anyio.to_thread.run_sync(_content, part)
            self._known[part.tool_call_id] = known
        return replace(part, content=known[1])


def _content(part: ToolReturnPart) -> ToolReturnContent:
    """What a result is shown as: its texts in frames, files beside them, the note on a summary over it."""
    note = _note(part.metadata)
    value = _without(cast('object', part.content), note) if note else cast('object', part.content)
    # Who has cut the history may have taken it out.
    head = f'{note}\n' if note and value != part.content else ''
    if is_multi_modal_content(value):
        return part.content
    if isinstance(value, list) and any(map(is_multi_modal_content, cast('list[object]', value))):
        items = [
            item
            if is_multi_modal_content(item)
            else (head if place == 0 else '') + framed(as_text(item), part.tool_name)
            for place, item in enumerate(cast('list[object]', value))
        ]
        return cast('ToolReturnContent', items)
    text = f'{head}{framed(as_text(cast("object", value)), part.tool_name)}'
    files = list(part.files)
    return cast('ToolReturnContent', [text, *files] if files else text)


def _note(metadata: object) -> str:
    """The line over a summary that stands in the place of the result; empty if there is none."""
    told = cast('dict[str, object]', metadata).get(SUMMARIZATION) if isinstance(metadata, dict) else None
    note = cast('dict[str, object]', told).get(NOTE) if isinstance(told, dict) else None
    return note if isinstance(note, str) else ''


def _without(value: object, note: str) -> object:
    """A result without the note in it, which stands at the beginning of the summary."""
    if isinstance(value, str):
        return value.removeprefix(f'{note}\n')
    if isinstance(value, dict):
        return {key: _without(member, note) for key, member in cast('dict[object, object]', value).items()}
    if isinstance(value, list):
        return [_without(item, note) for item in cast('list[object]', value)]
    return value


def framed_beside(result: object, tool: str) -> object:
    """A result whose texts that are shown beside it, as if the user had said them, are in frames."""
    if not isinstance(result, ToolReturn) or not result.content:
        return cast('object', result)
    returned = cast('ToolReturn[Any]', result)
    note = _note(returned.metadata)
    if isinstance(returned.content, str):
        return replace(returned, content=_beside(returned.content, note, tool))
    return replace(returned, content=[_item(item, note, tool) for item in returned.content or ()])


def _item(item: UserContent, note: str, tool: str) -> UserContent:
    if isinstance(item, str):
        return _beside(item, note, tool)
    return replace(item, content=_beside(item.content, note, tool)) if isinstance(item, TextContent) else item


def _beside(text: str, note: str, tool: str) -> str:
    bare = text.removeprefix(f'{note}\n') if note else text
    return f'{note}\n{framed(bare, tool)}' if bare != text else framed(text, tool)
