"""The MCP servers that an operator offers for selection."""

from collections.abc import Mapping, Sequence
from typing import Self, TypeAlias

from pydantic_ai import RunContext
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from researcher_integration.config.files import shown
from summarizer_tool import ConfigurationError

Servers: TypeAlias = Mapping[str, AbstractToolset[AgentDepsT]] | Sequence[AbstractToolset[AgentDepsT]]
"""Toolsets of one `MCPToolset` each, by name, or with the `id` of the `MCPToolset` as their name."""


def by_name(servers: Servers[AgentDepsT]) -> dict[str, AbstractToolset[AgentDepsT]]:
    """The servers by name; a `ConfigurationError` if one is no single `MCPToolset`, or a name is missing or doubled."""
    if isinstance(servers, Mapping):
        for name, toolset in servers.items():
            server_of(toolset, name)
        return dict(servers)
    named: dict[str, AbstractToolset[AgentDepsT]] = {}
    for number, toolset in enumerate(servers):
        name = server_of(toolset, f'servers[{number}]').id
        if name is None or name in named:
            reason = 'no id' if name is None else f'the id {shown(name)}, as another has'
            raise ConfigurationError(
                f'the MCP server servers[{number}] has {reason}; give it one, or a mapping by name'
            )
        named[name] = toolset
    return named


def server_of(toolset: AbstractToolset[AgentDepsT], name: str) -> MCPToolset[AgentDepsT]:
    """The one MCP server in a toolset, under all wrapping; a `ConfigurationError` if there is none, or are several."""
    leaves: list[AbstractToolset[AgentDepsT]] = []
    toolset.apply(leaves.append)
    match leaves:
        case [MCPToolset() as server]:
            return server
        case _:
            raise ConfigurationError(f'the toolset {shown(name)} must hold one MCPToolset, and no other toolset')


class Offered(WrapperToolset[AgentDepsT]):
    """Such servers outside a run that has selected some: not connected, and without tools."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *args: object) -> bool | None:
        return None

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """None."""
        return {}
