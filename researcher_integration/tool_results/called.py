"""One tool call: which server the tool belongs to, what holds for it, and what it says without secrets."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import anyio.to_thread
from pydantic_ai import ModelMessage, RunContext, ToolDefinition
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.toolsets import AbstractToolset, WrapperToolset

from researcher_integration.masking.masked_errors import without_secrets
from researcher_integration.masking.masking import Masker, MaskingError
from researcher_integration.tool_results.conversation import ConversationFocus, describe
from researcher_integration.tool_results.observation import Observation
from researcher_integration.tool_results.reading import OWN
from researcher_integration.tool_results.rules import Rules
from researcher_integration.tool_results.tool_call_reporter import Watched
from summarizer_tool import render_prompt

MAX_TITLE = 200


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A tool call, and what holds for it. Masking is done in a thread: results may be large."""

    tool: str
    server: str | None
    rules: Rules
    masker: Masker | None
    arguments: object
    """Without secrets."""
    watched: Watched

    @property
    def name(self) -> str:
        """The tool with its server."""
        return f'{self.server}/{self.tool}' if self.server else self.tool

    @property
    def title(self) -> str:
        """What the stored result is called."""
        written = json.dumps(self.arguments, ensure_ascii=False, default=str) if self.arguments else ''
        title = ' '.join(f'{self.name}({written})'.split())
        return title if len(title) <= MAX_TITLE else f'{title[: MAX_TITLE - 1]}…'

    async def masked(self, raw: Observation) -> Observation:
        """What the tool has returned, without secrets.

        Raises:
            MaskingError: If they cannot be looked for.
        """
        return raw if self.masker is None else await anyio.to_thread.run_sync(raw.masked, self.masker)

    async def masked_error(self, error: Exception) -> Exception:
        """What the tool has raised, without secrets."""
        if self.masker is None:
            return error
        withheld = render_prompt('tool_results/error', tool=self.name)
        return await anyio.to_thread.run_sync(without_secrets, error, self.masker, withheld)

    async def focus(self, messages: Sequence[ModelMessage]) -> ConversationFocus:
        """The conversation in which it was called, without secrets: another model may get it than the agent's."""
        return await anyio.to_thread.run_sync(self._focus, messages)

    def _focus(self, messages: Sequence[ModelMessage]) -> ConversationFocus:
        masker = self.masker
        if masker is None:
            return describe(messages, self.name, self.arguments)
        try:
            focus = describe(messages, self.name, self.arguments, lambda text: masker.mask(text).text)
            return ConversationFocus(masker.mask(focus.text).text, masker.mask(focus.words).text)
        except MaskingError:
            return ConversationFocus()


def server_of(ctx: RunContext[Any], tool_def: ToolDefinition) -> str | None:
    """The name of a tool's MCP server or toolset, however it is wrapped; none for the agent's own functions.

    It is the `id` that the toolset was given; of an MCP server without one, its host.
    """
    if tool_def.toolset_id is not None:
        return None if tool_def.toolset_id.startswith('<') else tool_def.toolset_id
    tools = ctx.tool_manager.tools if ctx.tool_manager is not None else None
    tool = tools.get(tool_def.name) if tools else None
    toolset: AbstractToolset[Any] | None = tool.toolset if tool is not None else None
    while toolset is not None and not isinstance(toolset, MCPToolset):
        found = None if toolset.id is None or toolset.id.startswith('<') else toolset.id
        if found is not None or not isinstance(toolset, WrapperToolset):
            return found
        toolset = toolset.wrapped
    return toolset.id if toolset is not None else None


def reading_tools(ctx: RunContext[Any]) -> dict[str, str]:
    """What the model calls `search_source` and `read_source`, by their own names; empty if it has them not."""
    manager = ctx.tool_manager
    if manager is None or manager.tools is None:
        return {}
    tagged = [(definition.name, definition.metadata or {}) for definition in manager.tool_defs]
    return {str(metadata[OWN]): name for name, metadata in tagged if OWN in metadata}
