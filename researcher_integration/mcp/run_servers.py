"""Exchange the MCP servers among the toolsets of one run for those selected, and live with one that is down."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias

from pydantic_ai import RunContext
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import InstructionPart
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import (
    AbstractToolset,
    CombinedToolset,
    FunctionToolset,
    ToolsetTool,
    WrapperToolset,
)

from researcher_integration.mcp.failures import OptionalServer
from researcher_integration.mcp.search_servers import DEFAULT_TIMEOUT
from summarizer_tool import ConfigurationError, RequestError, render_prompt, shown

SERVER_NAME = 'mcp_server_name'
"""Key in the metadata of a tool under which the name of its server stands, as an operator or a selection has it."""

MAX_NAMES = 20
"""That an error lists; the rest are counted."""


class MCPSelectionError(RequestError):
    """A selection names what the run does not have; says what there is."""


def lacks(owner: str, what: str, missing: Collection[str], known: Collection[str]) -> str:
    """`the run has no MCP server 'wbe'; it has 'tickets', 'web'`."""
    return f'{owner} has no {what} {_listed(missing)}; it has {_listed(known) or "none"}'


def _listed(names: Collection[str]) -> str:
    more = f' and {len(names) - MAX_NAMES} more' if len(names) > MAX_NAMES else ''
    return ', '.join(shown(name) for name in sorted(names)[:MAX_NAMES]) + more


Servers: TypeAlias = Mapping[str, AbstractToolset[AgentDepsT]] | Sequence[AbstractToolset[AgentDepsT]]
"""Toolsets of one `MCPToolset` each, by name, or with the `id` of the `MCPToolset` as their name."""


def by_name(servers: Servers[AgentDepsT]) -> dict[str, AbstractToolset[AgentDepsT]]:
    """The servers by name; a `ConfigurationError` if one is no single `MCPToolset`, or a name is missing or doubled."""
    is_mapping = isinstance(servers, Mapping)
    given = servers if is_mapping else {f'servers[{number}]': each for number, each in enumerate(servers)}
    named: dict[str, AbstractToolset[AgentDepsT]] = {}
    for name, toolset in given.items():
        leaves: list[AbstractToolset[AgentDepsT]] = []
        toolset.apply(leaves.append)
        if len(leaves) != 1 or not isinstance(leaves[0], MCPToolset):
            raise ConfigurationError(f'the toolset {shown(name)} must hold one MCPToolset, and no other toolset')
        own = name if is_mapping else leaves[0].id
        if own is None or own in named:
            reason = 'no id' if own is None else f'the id {shown(own)}, as another has'
            raise ConfigurationError(f'the MCP server {name} has {reason}; give it one, or a mapping by name')
        named[own] = toolset
    return named


class Offered(WrapperToolset[AgentDepsT]):
    """Such servers where none is selected: not connected, and without tools. Durable execution has to know them."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *args: object) -> bool | None:
        return None

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """None."""
        return {}


@dataclass(slots=True)
class RunServers:
    """What is selected for one run, and what the run finds out about it."""

    selected: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Names of servers with the tools wanted; all where none is. No names without a selection."""
    timeout: float | None = DEFAULT_TIMEOUT
    native_tools: Mapping[str, bool] = field(default_factory=dict[str, bool])
    own: dict[str, list[MCPToolset[Any]]] = field(default_factory=dict[str, list[MCPToolset[Any]]])
    absent: set[str] = field(default_factory=set[str])
    refused: set[str] = field(default_factory=set[str])
    """Kinds of native tools that are switched on, which the log has said that the model has not."""

    def chosen(self, name: str, server: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """A server with the tools wanted of the one of this name."""
        return SelectedServer(server, name=name, tools=self.selected[name], timeout=self.timeout, absent=self.absent)


@dataclass(slots=True)
class Replacement:
    """Goes through the toolsets of a run; no MCP server is left but those selected.

    Whatever stands around a server (a prefix, other names, approval) stays around it. A toolset that a function makes,
    per run or per step, is out of reach, and stays.
    """

    servers: RunServers
    elsewhere: Collection[str]
    taken: set[str] = field(default_factory=set[str])

    def __call__(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """The toolset without the servers that are not selected."""
        match toolset:
            case SelectedServer():
                self.taken.add(toolset.name)
                return toolset
            case CombinedToolset():
                return replace(toolset, toolsets=[self(each) for each in toolset.toolsets])
            # What wraps a server for durable execution lets no visitor in, and goes where the server goes.
            case WrapperToolset() if toolset.visit_and_replace(lambda leaf: leaf) is not toolset:
                return replace(toolset, wrapped=self(toolset.wrapped))
            case (MCPToolset() as server) | WrapperToolset(wrapped=MCPToolset() as server):
                name = server.id or ''
                known = self.servers.own.setdefault(name, [])
                if not any(server is other for other in known):
                    known.append(server)
                if name not in self.servers.selected or name in self.elsewhere:
                    return FunctionToolset()
                return self.servers.chosen(name, toolset)
            case _:
                return toolset


@dataclass(repr=False)
class SelectedServer(OptionalServer[AgentDepsT]):
    """A selected server in one run: its tools that are wanted, or none at all where it cannot be reached."""

    tools: Sequence[str] = ()

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """The tools wanted; an `MCPSelectionError` if the server has no such tool."""
        tools = await super().get_tools(ctx)
        if self.name in self.absent:
            return {}
        if missing := [name for name in self.tools if name not in tools]:
            raise MCPSelectionError(lacks(f'the MCP server {shown(self.name)}', 'tool', missing, tools))
        wanted = {name: tool for name, tool in tools.items() if not self.tools or name in self.tools}
        for name, tool in wanted.items():  # other capabilities learn from it by which name the run knows its server
            metadata = {**(tool.tool_def.metadata or {}), SERVER_NAME: self.name}
            wanted[name] = replace(tool, tool_def=replace(tool.tool_def, metadata=metadata))
        return wanted

    async def get_instructions(
        self, ctx: RunContext[AgentDepsT]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        """What the server says about its tools, unless only another run has reached it."""
        return None if self.name in self.absent else await super().get_instructions(ctx)


def unreached(absent: Collection[str]) -> FunctionToolset[Any]:
    """A toolset without tools that says which selected servers could not be reached, as soon as that is known.

    A toolset, since `agent.override(instructions=...)` takes away what a capability says.
    """

    def told() -> str | None:
        names = ', '.join(sorted(absent))
        return render_prompt('tool_results/server_unreachable', servers=names) if names else None

    return FunctionToolset(id='mcp_selection', instructions=told)
