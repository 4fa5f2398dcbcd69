"""Two MCP servers over HTTP, an agent that calls their tools, and what it was offered."""

from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from mcp.server import MCPServer
from pydantic_ai import FunctionToolset, ModelProfile
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.native_tools import MCPServerTool
from starlette.types import Receive, Scope, Send

from researcher_integration.mcp.selection import MCPSelection, SelectMCPServers
from tests.support.threaded_server import served

SECRET = 'hunter2'
NOWHERE = f'http://127.0.0.1:1/mcp?key={SECRET}'


@dataclass
class Site:
    """An MCP server over HTTP, in a thread."""

    url: str
    requests: int = 0


@dataclass
class Sites:
    harbour: Site
    archive: Site


def harbour_server() -> MCPServer:
    mcp = MCPServer('harbour', instructions='Ask for ships by name.')

    @mcp.tool()
    def ships(name: str) -> str:
        return f'{name} lies at pier 4.'

    @mcp.tool()
    def tides() -> str:
        return 'High at six.'

    @mcp.tool()
    def sink(name: str) -> str:
        return f'{name} is gone.'

    return mcp


def archive_server() -> MCPServer:
    mcp = MCPServer('archive')

    @mcp.tool()
    def letters(name: str) -> str:
        return f'{name} wrote to the Tide Guild.'

    @mcp.tool()
    def maps() -> list[str]:
        return ['Marn', 'Old Pier']

    return mcp


@contextmanager
def counted(mcp: MCPServer) -> Generator[Site]:
    """A server that counts its requests."""
    site = Site('')
    app = mcp.streamable_http_app()

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        site.requests += scope['type'] == 'http'
        await app(scope, receive, send)

    with served(answer) as running:
        site.url = f'{running.origin}/mcp'
        yield site


@dataclass
class Seen:
    """A model that calls the tools it is given one after the other, and keeps what each request offered."""

    calls: tuple[str, ...] = ()
    requests: list[AgentInfo] = field(default_factory=list[AgentInfo])
    profile: ModelProfile | None = None

    def model(self) -> FunctionModel:
        return FunctionModel(self._answer, stream_function=self._stream, profile=self.profile)

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.requests.append(info)
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn < len(self.calls):
            arguments = {'name': 'Elke'} if self._takes_name(info, self.calls[turn]) else {}
            return ModelResponse(parts=[ToolCallPart(self.calls[turn], arguments)])
        return ModelResponse(parts=[TextPart('Done.')])

    async def _stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        for part in self._answer(messages, info).parts:
            if isinstance(part, ToolCallPart):
                yield {0: DeltaToolCall(name=part.tool_name, json_args=part.args_as_json_str())}
            elif isinstance(part, TextPart):
                yield part.content

    @staticmethod
    def _takes_name(info: AgentInfo, tool: str) -> bool:
        return any(
            'name' in each.parameters_json_schema['properties'] for each in info.function_tools if each.name == tool
        )

    @property
    def tools(self) -> list[str]:
        """The function tools of the last request."""
        return [tool.name for tool in self.requests[-1].function_tools]

    @property
    def native(self) -> list[object]:
        tools = self.requests[-1].model_request_parameters.native_tools
        return [(tool.id, tool.allowed_tools) if isinstance(tool, MCPServerTool) else tool.kind for tool in tools]


def returned(messages: list[ModelMessage]) -> dict[str, object]:
    """What the tools gave back, by name."""
    parts = [part for message in messages for part in message.parts]
    return {part.tool_name: part.content for part in parts if isinstance(part, ToolReturnPart)}


def notes() -> FunctionToolset[Any]:
    toolset = FunctionToolset[Any](id='notes')

    @toolset.tool_plain
    def note(name: str) -> str:
        return f'Noted: {name}.'

    return toolset


def choose(*names: str, **tools: list[str]) -> SelectMCPServers[Any]:
    return SelectMCPServers(MCPSelection(servers={**dict.fromkeys(names, ()), **tools}))
