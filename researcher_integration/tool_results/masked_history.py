"""Tool results in a history that no hook has seen: of deferred calls, or given by another capability."""

from collections.abc import Container
from dataclasses import replace

import anyio.to_thread
from pydantic_ai import ModelMessage, ModelRequest
from pydantic_ai.messages import LoadCapabilityReturnPart, ModelRequestPart, ToolReturnPart, ToolSearchReturnPart

from researcher_integration.masking.masking import Masker, MaskingError
from researcher_integration.tool_results.observation import Observation
from summarizer_tool import render_prompt

EXEMPT_KINDS = frozenset({LoadCapabilityReturnPart.tool_kind, ToolSearchReturnPart.tool_kind})
"""pydantic-ai reads these results back from the history."""


async def mask_history(history: list[ModelMessage], masker: Masker, seen: Container[str]) -> None:
    """Mask the tool results in a history, in place."""
    for index, message in enumerate(history):
        if isinstance(message, ModelRequest):
            parts = [await _masked(part, masker, seen) for part in message.parts]
            if any(new is not old for new, old in zip(parts, message.parts, strict=True)):
                history[index] = replace(message, parts=parts)


async def _masked(part: ModelRequestPart, masker: Masker, seen: Container[str]) -> ModelRequestPart:
    if not isinstance(part, ToolReturnPart) or part.tool_call_id in seen or part.tool_kind in EXEMPT_KINDS:
        return part
    raw = Observation(part.content, None, part.metadata, is_wrapped=True)
    try:
        masked = await anyio.to_thread.run_sync(raw.masked, masker)
    except MaskingError:
        return replace(part, content=render_prompt('tool_results/redacted', tool=part.tool_name), metadata=None)
    return part if masked.is_same_as(raw) else replace(part, content=masked.value, metadata=masked.metadata)


def result_ids(history: list[ModelMessage]) -> set[str]:
    """Ids of the calls whose results stand in a history."""
    requests = (message for message in history if isinstance(message, ModelRequest))
    return {part.tool_call_id for each in requests for part in each.parts if isinstance(part, ToolReturnPart)}
