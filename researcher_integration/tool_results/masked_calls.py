"""Masking where a server is called: durable execution keeps what calls return, before any capability sees it."""

from typing import Any, cast

from pydantic_ai import RunContext, ToolFailed
from pydantic_ai.mcp import CallToolFunc, ProcessToolCallback, ToolResult

from researcher_integration.masking.masking import MaskingError
from researcher_integration.tool_results.called import CalledTool
from researcher_integration.tool_results.observation import Observation
from researcher_integration.tool_results.rules import RulesSource, load_rules
from researcher_integration.tool_results.tool_call_reporter import ToolCallReporter
from summarizer_tool import render_prompt


def masked_calls(rules: RulesSource, server: str | None = None) -> ProcessToolCallback:
    """What masks the results of a server at once: `MCPToolset(url, process_tool_call=masked_calls(rules, 'pods'))`.

    Args:
        rules: As `SummarizeToolResults` takes them.
        server: Its name in them.
    """
    of_server = load_rules(rules).for_server(server)
    masker = of_server.masking.masker()

    async def process(ctx: RunContext[Any], call_tool: CallToolFunc, name: str, args: dict[str, Any]) -> ToolResult:
        called = CalledTool(name, server, of_server, masker, None, ToolCallReporter(None, '', name))
        try:
            raw = Observation.of(await call_tool(name, args))
        except Exception as error:  # noqa: BLE001 - it is raised again
            await called.raise_masked(error)
        try:
            return cast('ToolResult', (await called.masked(raw)).result)
        except MaskingError:
            raise ToolFailed(render_prompt('tool_results/redacted', tool=called.name)) from None

    return process
