"""The tools that the proxy adds: those by which an agent looks into stored results."""

from collections.abc import Mapping
from typing import Any

import anyio.to_thread
from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import ValidationError
from pydantic_ai import RunContext, ToolFailed
from pydantic_ai.usage import RunUsage

from researcher_integration.tool_results.reading import ReadingToolset
from researcher_integration.untrusted.framing import framed
from summarizer_tool import ExtractiveModel, Settings, SourceStore, one_line

MAX_REASON = 500

_CONTEXT = RunContext[None](deps=None, model=ExtractiveModel(), usage=RunUsage())
"""There is no run, and the tools need none."""


class OwnTools:
    """The toolset of agents, for clients of the protocol."""

    def __init__(self, settings: Settings, store: SourceStore, *, is_framed: bool = True) -> None:
        self._is_framed = is_framed
        self._settings = settings
        self._store = store
        self.listed = [
            Tool(
                name=tool.name,
                description=tool.description,
                input_schema=dict(tool.function_schema.json_schema),
                annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
            )
            for tool in self._toolset('proxied-results').tools.values()
        ]
        self.names = frozenset(tool.name for tool in self.listed)

    async def call(self, name: str, arguments: Mapping[str, Any], collection: str) -> CallToolResult:
        """Call one of them on the results of a collection. What is stored has been masked; it is framed again."""
        toolset = self._toolset(collection)
        tool = (await toolset.get_tools(_CONTEXT))[name]
        try:
            read = tool.args_validator.validate_python(dict(arguments))
            text, is_error = str(await toolset.call_tool(name, read, _CONTEXT, tool)), False
            if self._is_framed:
                text = await anyio.to_thread.run_sync(framed, text, name)
        except ToolFailed as error:
            text, is_error = error.message, True
        except ValidationError as error:
            said = error.errors(include_url=False, include_context=False, include_input=False)
            text = one_line('; '.join(f'{".".join(map(str, each["loc"]))}: {each["msg"]}' for each in said), MAX_REASON)
            is_error = True
        return CallToolResult(content=[TextContent(text=text)], is_error=is_error)

    def _toolset(self, collection: str) -> ReadingToolset[None]:
        return ReadingToolset(self._settings, self._store.collection(collection), id='proxy')
