"""Masking where a server is called: durable execution keeps what calls return, before any capability sees it."""

from typing import Any, cast

import anyio.to_thread
from pydantic_ai import RunContext, ToolFailed
from pydantic_ai.mcp import CallToolFunc, ProcessToolCallback, ToolResult

from researcher_integration.masking.masked_errors import without_secrets
from researcher_integration.masking.masking import MaskingError
from researcher_integration.tool_results.observation import Observation
from researcher_integration.tool_results.rules import ToolResultRules
from summarizer_tool import render_prompt


def masked_calls(rules: ToolResultRules, server: str | None = None) -> ProcessToolCallback:
    """What masks the results of a server at once: `MCPToolset(url, process_tool_call=masked_calls(rules, 'pods'))`.

    Args:
        rules: As `SummarizeToolResults` has them.
        server: Its name in them.
    """
    masker = rules.for_server(server).masking.masker()

    async def process(ctx: RunContext[Any], call_tool: CallToolFunc, name: str, args: dict[str, Any]) -> ToolResult:
        if masker is None:
            return await call_tool(name, args)
        shown = f'{server}/{name}' if server else name
        try:
            raw = Observation.of(await call_tool(name, args))
        except Exception as error:
            withheld = render_prompt('tool_results/error', tool=shown)
            masked = await anyio.to_thread.run_sync(without_secrets, error, masker, withheld)
            if masked is error:
                raise
            raise masked from None
        try:
            return cast('ToolResult', (await anyio.to_thread.run_sync(raw.masked, masker)).result)
        except MaskingError:
            raise ToolFailed(render_prompt('tool_results/redacted', tool=shown)) from None

    return process
