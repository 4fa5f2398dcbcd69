"""The MCP servers that search the web, from `config/mcp_config.json` unless another file is named.

    {"mcpServers": {
        "web": {"url": "https://search.example/mcp", "headers": {"Authorization": "Bearer ${WEB_KEY}"}, "timeout": 9},
        "wiki": {"command": "wiki-search", "args": ["${LANG:-en}"], "env": {"KEY": "${WIKI_KEY}"}, "retries": 3}
    }}

pydantic-ai's `load_mcp_toolsets` does what it can: it reads this form, fills `${VARIABLE}` and `${VARIABLE:-default}`
from the environment, and makes the connections' transports. It leaves out `timeout` and `retries`, ignores what it does
not know, and lets a run end when a server fails. So the file is checked here first, each transport goes into an
`MCPToolset` with these numbers, and a `SearchServer` around it turns failures into what a model can read.
"""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from pydantic_ai import ModelRetry, RunContext, ToolFailed
from pydantic_ai.mcp import MCPToolset, load_mcp_toolsets
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from researcher_integration.config.files import FOLDER, read_json
from researcher_integration.mcp.entries import Server, Servers
from researcher_integration.mcp.failures import OptionalServer, on_failure
from researcher_integration.mcp.run_servers import server_of
from summarizer_tool import ConfigurationError, register_tag, wrap_in_tag

SHIPPED_SERVERS = FOLDER / 'mcp_config.json'

SEARCH_TAG = register_tag('search_result')


def load_search_servers(path: Path = SHIPPED_SERVERS) -> list[AbstractToolset[Any]]:
    """Make a toolset of each of `mcpServers` in a JSON file, its tools named `{server}_{tool}`, not connected yet.

    Raises:
        ConfigurationError: If the file is wrong, or a variable without a default is not set or blank; one line with
            file, key and reason, and no value.
    """
    servers = read_json(path, Servers).servers
    for name, server in servers.items():
        server.filled(path, name)
    try:
        loaded = load_mcp_toolsets(path)
    except (ValueError, OSError) as error:  # the file or the environment has changed since
        raise ConfigurationError(f'{path}: cannot be loaded ({type(error).__name__})') from None
    connections = [server_of(toolset, str(path)) for toolset in loaded]
    return [_search_server(connection, servers[str(connection.id)]) for connection in connections]


def _search_server(connection: MCPToolset[Any], server: Server) -> AbstractToolset[Any]:
    name = str(connection.id)
    toolset = MCPToolset[Any](
        connection.client.transport,
        id=name,
        init_timeout=server.timeout,
        read_timeout=server.timeout,
        max_retries=server.retries,
        tool_error_behavior='failed',
    )
    return SearchServer(toolset.prefixed(name), name=name, timeout=server.timeout)


@dataclass(repr=False)
class SearchServer(OptionalServer[Any]):
    """A server whose failures do not end a run, and whose answers are framed as data.

    One that cannot be reached has no tools in this run; one that fails later, when its retries are used up, gives a
    failed tool result. The client's own count of seconds begins only when a first answer is there.
    """

    _is_absent: bool = field(default=False, init=False)

    async def for_run(self, ctx: RunContext[Any]) -> AbstractToolset[Any]:
        """A copy, since a server that is absent in one run may be there in another."""
        return replace(self, wrapped=await self.wrapped.for_run(ctx))

    async def __aexit__(self, *args: object) -> bool | None:
        with on_failure(lambda error: self._warn('a search server was lost', error)):
            return await super().__aexit__(*args)
        return None  # what was lost on the way shows once more at the end

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """The server's tools; none if it cannot be reached or does not list them."""
        tools = dict[str, ToolsetTool[Any]]()
        if not self._is_absent:
            with on_failure(self._leave_out):
                tools = await self.wrapped.get_tools(ctx)
        return {name: replace(tool, toolset=self) for name, tool in tools.items()}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Call a tool and frame what it returns; what the server does not answer is a retry, in the end a failure."""
        with on_failure(self._say_failed):
            try:
                return _framed(await self.wrapped.call_tool(name, tool_args, ctx, tool))
            except ModelRetry as error:
                message = wrap_in_tag(SEARCH_TAG, error.message)
                raise (ToolFailed(message) if ctx.last_attempt else ModelRetry(message)) from error
            except ToolFailed as error:
                raise ToolFailed(wrap_in_tag(SEARCH_TAG, error.message)) from error

    def _say_failed(self, error: Exception) -> None:
        self._warn('a search server has failed', error)
        raise ToolFailed(f'The search server {self.name} cannot be reached; go on without it.') from error

    def _leave_out(self, error: Exception) -> None:
        self._is_absent = True
        self._warn('a search server cannot be reached; the run goes on without it', error)


def _framed(result: Any) -> Any:
    """A tool's result as framed text; files stay what they are."""
    if isinstance(result, str):
        return wrap_in_tag(SEARCH_TAG, result)
    try:
        return wrap_in_tag(SEARCH_TAG, json.dumps(result, ensure_ascii=False))
    except TypeError:  # it holds files
        parts = cast('list[Any]', result) if isinstance(result, list) else [result]
        return [wrap_in_tag(SEARCH_TAG, part) if isinstance(part, str) else part for part in parts]
