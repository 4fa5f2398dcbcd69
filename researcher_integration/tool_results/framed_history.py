"""Tool results in the frame that tells a model whose text they are, in what is sent; the history has them bare."""

from dataclasses import dataclass, field, replace
from typing import Any, cast

import anyio.to_thread
from pydantic_ai import ModelMessage, ModelRequest, ToolReturn
from pydantic_ai.messages import (
    ModelRequestPart,
    TextContent,
    ToolReturnContent,
    ToolReturnPart,
    UserContent,
    is_multi_modal_content,
)

from researcher_integration.tool_results.masked_history import EXEMPT_KINDS
from researcher_integration.tool_results.observation import NOTE, SUMMARIZATION, as_text
from researcher_integration.untrusted.framing import framed


@dataclass(slots=True)
class FramedResults:
    """Frames the tool results of requests, each result once."""

    _known: dict[str, tuple[object, ToolReturnContent]] = field(
        default_factory=dict[str, tuple[object, ToolReturnContent]]
    )
    """By the id of its call, what a result said, and how it is shown."""

    async def frame(self, messages: list[ModelMessage]) -> None:
        """Frame the tool results in the messages of a request, in place; the messages themselves stay as they are."""
        for index, message in enumerate(messages):
            if isinstance(message, ModelRequest) and any(map(_is_framed, message.parts)):
                messages[index] = replace(message, parts=[await self._shown(part) for part in message.parts])

    async def _shown(self, part: ModelRequestPart) -> ModelRequestPart:
        if not isinstance(part, ToolReturnPart) or not _is_framed(part):
            return part
        known = self._known.get(part.tool_call_id)
        if known is None or known[0] is not part.content:
            known = part.content, await anyio.to_thread.run_sync(_content, part)
            self._known[part.tool_call_id] = known
        return replace(part, content=known[1])


def _is_framed(part: ModelRequestPart) -> bool:
    """Return whether a part is what a tool has said: not what a person has, who would not let it be called."""
    if not isinstance(part, ToolReturnPart) or part.tool_kind in EXEMPT_KINDS or part.outcome == 'denied':
        return False
    # What is wrong with arguments is pydantic's list, which pydantic-ai writes down in its own way.
    return not (part.outcome == 'retried' and not isinstance(part.content, str))


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
