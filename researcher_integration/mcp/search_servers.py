"""The MCP servers that a file names, and those that search the web, from `config/mcp_config.json` unless told else.

    {"mcpServers": {
        "web": {"url": "https://search.example/mcp", "headers": {"Authorization": "Bearer ${WEB_KEY}"}, "timeout": 9},
        "wiki": {"command": "wiki-search", "args": ["${LANG:-en}"], "env": {"KEY": "${WIKI_KEY}"}, "retries": 3}
    }}

pydantic-ai's `load_mcp_toolsets` reads this form, too, but leaves out `timeout` and `retries`, ignores what it does not
know, and lets a run end when a server fails. So the file is checked here, and a `SearchServer` around each `MCPToolset`
turns failures into what a model can read.
"""

import json
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self, cast

from fastmcp.client.transports import StdioTransport
from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator
from pydantic_ai import ModelRetry, RunContext, ToolFailed
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from researcher_integration.config.files import FOLDER, Strict, read_json
from researcher_integration.mcp.failures import OptionalServer, on_failure
from summarizer_tool import is_http_address, register_tag, shown, wrap_in_tag

SHIPPED_SERVERS = FOLDER / 'mcp_config.json'

SEARCH_TAG = register_tag('search_result')

DEFAULT_TIMEOUT = 30.0
"""Seconds: a search has its answer by then, and a command that is started for the first time is up."""

MAX_TIMEOUT = 600.0
"""Seconds. Other programs write milliseconds there, and 30000 seconds would be a run that hangs."""

DEFAULT_RETRIES = 2

_VARIABLE = re.compile(r'\$\{([^\W\d]\w*)(:-([^}]*))?\}')


def _filled(text: object) -> object:
    if not isinstance(text, str):
        return text
    if '${' in _VARIABLE.sub('', text):
        raise ValueError('has ${ without the name of a variable and }')
    for name, default, _ in _VARIABLE.findall(text):
        if not default and not os.environ.get(name, '').strip():
            raise ValueError(f'the environment variable {shown(name)} is not set; set it or remove the server')
    return _VARIABLE.sub(lambda match: os.environ.get(match[1], match[3] or ''), text)


def _fits_a_header(text: str) -> str:
    if not (text.isascii() and text.isprintable()):
        raise ValueError('has a line break or other characters that no header may have')
    return text


Filled = Annotated[str, BeforeValidator(_filled)]
URL = Annotated[Filled, AfterValidator(is_http_address)]
HeaderValue = Annotated[Filled, AfterValidator(_fits_a_header)]


ServerName = Annotated[str, StringConstraints(pattern=r'^[A-Za-z0-9_-]{1,32}$')]
"""Stands before the names of the tools, which providers allow no other characters."""


class Server(Strict):
    """One entry of `mcpServers`: a server at a URL, or a command that is one on its standard input and output.

    Values are as the environment has filled them, and may be secrets, so that none is shown.
    """

    url: URL | None = Field(default=None, repr=False)
    headers: dict[str, HeaderValue] | None = Field(default=None, repr=False)
    command: Annotated[Filled, StringConstraints(min_length=1)] | None = Field(default=None, repr=False)
    args: tuple[Filled, ...] | None = Field(default=None, repr=False)
    env: dict[str, Filled] | None = Field(default=None, repr=False)
    cwd: Filled | None = Field(default=None, repr=False)
    timeout: Annotated[float, Field(strict=True, gt=0, le=MAX_TIMEOUT)] = DEFAULT_TIMEOUT
    """Seconds, to connect and then for each answer."""
    retries: Annotated[int, Field(strict=True, ge=0, le=10)] = DEFAULT_RETRIES
    """How often in a row a model may try a tool again that the server could not answer for, in the protocol's terms;
    a tool that says itself what is wrong has answered."""

    @model_validator(mode='after')
    def _is_of_one_kind(self) -> Self:
        if (self.url is None) == (self.command is None):
            raise ValueError('needs a url or a command' if self.url is None else 'has a url and a command; give one')
        others = ('args', 'env', 'cwd') if self.url is not None else ('headers',)
        for name in others:
            if getattr(self, name) is not None:
                raise ValueError(f'{name} goes with a {"command" if self.url is not None else "url"}')
        return self


class Servers(Strict):
    """The whole file."""

    servers: Annotated[dict[ServerName, Server], Field(alias='mcpServers')]


def load_search_servers(path: Path = SHIPPED_SERVERS) -> list[AbstractToolset[Any]]:
    """Make a toolset of each of `mcpServers` in a JSON file, its tools named `{server}_{tool}`, not connected yet.

    Raises:
        ConfigurationError: If the file is wrong, or a variable without a default is not set or blank; one line with
            file, key and reason, and no value.
    """
    return [_search_server(name, server) for name, server in read_json(path, Servers).servers.items()]


def _search_server(name: str, server: Server) -> AbstractToolset[Any]:
    toolset = MCPToolset[Any](
        server.url or StdioTransport(server.command or '', [*(server.args or ())], env=server.env, cwd=server.cwd),
        id=name,
        headers=server.headers,
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

    async def for_run(self, ctx: RunContext[Any]) -> AbstractToolset[Any]:
        """A copy, since a server that is absent in one run may be there in another."""
        return replace(self, wrapped=await self.wrapped.for_run(ctx), absent=set())

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """The server's tools; none if it cannot be reached or does not list them."""
        return {name: replace(tool, toolset=self) for name, tool in (await super().get_tools(ctx)).items()}

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
        self._warn('a server has failed', error)
        raise ToolFailed(f'The search server {self.name} cannot be reached; go on without it.') from error


def _framed(result: Any) -> Any:
    if isinstance(result, str):
        return wrap_in_tag(SEARCH_TAG, result)
    try:
        return wrap_in_tag(SEARCH_TAG, json.dumps(result, ensure_ascii=False))
    except TypeError:  # it holds files
        parts = cast('list[Any]', result) if isinstance(result, list) else [result]
        return [wrap_in_tag(SEARCH_TAG, part) if isinstance(part, str) else part for part in parts]
