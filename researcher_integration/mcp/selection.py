"""Which MCP servers, and which of their tools, one run of an agent has.

`agent.run(toolsets=...)` only adds, and `agent.override(toolsets=...)` takes away what nobody meant. So a capability
looks through the toolsets of the run and exchanges the MCP servers among them, wherever they stand:

    agent = Agent(model, toolsets=[...], capabilities=[SelectMCPServers(servers=load_search_servers(path))])
    chosen = MCPSelection(servers={'web': ['find'], 'tickets': []}, native_tools={'code_execution': False})
    await agent.run('...', capabilities=[SelectMCPServers(chosen)])
"""

import inspect
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import Annotated, TypeAlias, cast

from pydantic import Field, GetPydanticSchema, StringConstraints, field_validator
from pydantic_ai import RunContext
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import MCP, AbstractCapability
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.native_tools import NATIVE_TOOL_TYPES, AbstractNativeTool, MCPServerTool
from pydantic_ai.tools import AgentDepsT, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset

from researcher_integration.config.files import Strict
from researcher_integration.mcp.run_servers import (
    MCPSelectionError,
    Offered,
    Replacement,
    RunServers,
    Servers,
    by_name,
    lacks,
    unreached,
)
from researcher_integration.mcp.search_servers import DEFAULT_TIMEOUT
from summarizer_tool import ConfigurationError, shown

__all__ = ('MCPSelection', 'MCPSelectionError', 'SelectMCPServers', 'Selecting', 'Servers')

_logger = logging.getLogger('researcher_integration')

_NO_SWITCHES = frozenset({MCPServerTool.kind, 'tool_search'})
"""Native tools without a switch: MCP servers are selected by name, and tool search is how other tools are loaded."""

Name: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=256)]
Names: TypeAlias = Annotated[Sequence[Name], GetPydanticSchema(lambda _, schema_of: schema_of(tuple[Name, ...]))]
"""A list may be given, and is kept as a tuple."""


class MCPSelection(Strict):
    """The MCP servers of one run, in place of those that the agent is configured with.

    `{"servers": {"web": ["find"], "tickets": []}}`
    """

    servers: dict[Name, Names] = Field(default_factory=dict[str, Names], validate_default=True)
    """Names of servers with the tools wanted, by the server's own names for them; all of its tools where none is."""
    native_tools: dict[Name, bool] = Field(default_factory=dict[str, bool])
    """Kinds of native tools (`web_search`, `code_execution`, …) and whether they stay on.

    A kind that is not named stays as it is. One that is switched off is gone together with the local tool that would
    stand in for it. One that is switched on and that the agent lacks is added as it is by default, where the model has
    it; where it has not, which the log says, nothing changes.
    """

    @field_validator('servers')
    @classmethod
    def _is_not_empty(cls, servers: dict[str, Names]) -> dict[str, Names]:
        if not servers:
            raise ValueError("names no server; name at least one, or give no selection to keep the agent's own")
        return servers

    @field_validator('native_tools')
    @classmethod
    def _has_known_switches(cls, native_tools: dict[str, bool]) -> dict[str, bool]:
        known = NATIVE_TOOL_TYPES.keys() - _NO_SWITCHES
        if MCPServerTool.kind in native_tools:
            raise ValueError(f'{MCPServerTool.kind} has no switch; the MCP servers that stay are those under servers')
        if unknown := native_tools.keys() - known:
            raise ValueError(lacks('pydantic-ai', 'native tool', unknown, known))
        return native_tools


Selecting: TypeAlias = Callable[[RunContext[AgentDepsT]], MCPSelection | Awaitable[MCPSelection | None] | None]
"""Finds a run's selection, e.g. in its `deps`."""


@dataclass
class SelectMCPServers(AbstractCapability[AgentDepsT]):
    """Gives a run the MCP servers of a selection in place of those that the agent is configured with.

    Those that may be selected are the operator's `servers`, and any `MCPToolset` of the run, by its `id`: the agent's
    own, those of its other capabilities, those given to the run or in `agent.override`. Where both have a name, the
    operator's is taken. Without a selection the run has what it has without this capability; the operator's servers
    are then not even connected. Function toolsets and what other capabilities do are left alone.

    On the agent, it says which servers there are (and which selection runs have by default); in
    `agent.run(capabilities=[SelectMCPServers(selection)])` it is this run's, with the agent's `servers`. Under durable
    execution capabilities cannot be given to a run: give the agent's a function that finds the selection in `deps`.

    An unknown server ends the run before it connects to any, an unknown tool before the first request to a model,
    with an `MCPSelectionError`. A server that cannot be reached at the start is left out, which the log and the
    instructions say; its tools cannot be checked.
    """

    selection: MCPSelection | Selecting[AgentDepsT] | None = None
    """Of the run, or how to find it; none to leave the agent as it is configured."""
    servers: Servers[AgentDepsT] | None = field(default=None, repr=False)  # a URL in it may hold a key
    """That the operator offers; those of the agent's own `SelectMCPServers` where none are given."""
    timeout: float | None = None
    """Seconds for a server to connect, and then to list its tools; that of the agent's own where none is given, or
    `DEFAULT_TIMEOUT`."""

    _: KW_ONLY

    id: str | None = 'mcp_selection'
    _run: RunServers = field(default_factory=RunServers, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the time limit, and that each of the operator's servers is one `MCPToolset`."""
        if self.defer_loading:
            raise ConfigurationError('SelectMCPServers decides before the run; it cannot have defer_loading=True')
        if self.timeout is not None and self.timeout <= 0:
            raise ConfigurationError(f'SelectMCPServers: timeout={self.timeout} must be over 0 seconds')
        self.servers = None if self.servers is None else by_name(self.servers)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """None: toolsets and functions stand in no file."""
        return None

    def for_agent(self, agent: AbstractAgent[AgentDepsT, object]) -> AbstractCapability[AgentDepsT]:
        """With the servers and the time limit of the agent's own, where this one has none."""
        found: list[AbstractCapability[AgentDepsT]] = [self]
        agent.root_capability.apply(found.append)
        own = [each for each in found if isinstance(each, SelectMCPServers) and each.id == self.id]
        return replace(
            self,
            servers=next((each.servers for each in own if each.servers is not None), None),
            timeout=next((each.timeout for each in own if each.timeout is not None), None),
        )

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractCapability[AgentDepsT]:
        """A copy for the run, with its selection; runs share nothing."""
        selection = self.selection(ctx) if callable(self.selection) else self.selection
        if inspect.isawaitable(selection):
            selection = await selection
        if selection is None:
            return replace(self, _run=RunServers())
        # An engine of durable execution has time limits of its own.
        timeout = None if ctx.in_durable_context else self.timeout or DEFAULT_TIMEOUT
        return replace(self, _run=RunServers(selection.servers, timeout, selection.native_tools))

    def get_toolset(self) -> AbstractToolset[AgentDepsT] | None:
        """The operator's servers that the run has selected."""
        if self._offered and not self._run.selected:
            return Offered(CombinedToolset([*self._offered.values()]))
        selected = self._selected()
        return CombinedToolset([*selected.values()]) if selected else None

    def get_wrapper_toolset(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT] | None:
        """The run's toolsets with the selected servers in place of all others."""
        if not self._run.selected:
            return None
        selected = self._selected()
        replacement = Replacement(self._run, elsewhere=selected.keys())
        replaced = replacement(toolset)
        # `agent.override(toolsets=...)` drops what capabilities give.
        dropped = [server for name, server in selected.items() if name not in replacement.taken]
        return CombinedToolset([replaced, *dropped, unreached(self._run.absent)])

    async def before_run(self, ctx: RunContext[AgentDepsT]) -> None:
        """Check the names of the servers; raises `MCPSelectionError` where one is unknown or doubled."""
        run = self._run
        if not run.selected:
            return
        known = {*self._offered, *(name for name in run.own if name), *_called_by_provider(ctx)}
        if unknown := run.selected.keys() - known:
            raise MCPSelectionError(lacks('the run', 'MCP server', unknown, known))
        for name in run.selected.keys() - self._offered.keys():
            if len(run.own.get(name, ())) > 1:
                raise MCPSelectionError(f'several MCP servers of the run have the id {shown(name)}; give each its own')

    async def prepare_tools(self, ctx: RunContext[AgentDepsT], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """The function tools without those that would stand in for a native tool that is switched off."""
        return [tool for tool in tool_defs if self._run.native_tools.get(tool.unless_native or '', True)]

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """The request without native tools that are switched off, or are MCP servers that are not selected."""
        run = self._run
        if not run.selected:
            return request_context
        # A server that the operator offers is reached from here rather than by the provider.
        reached = {name: tools for name, tools in run.selected.items() if name not in self._offered}
        parameters = request_context.model_request_parameters
        kept = [kept for tool in parameters.native_tools if (kept := _kept(tool, run, reached)) is not None]
        there = {tool.kind for tool in kept} | {tool.unless_native for tool in parameters.function_tools}
        missing = {kind for kind, is_on in run.native_tools.items() if is_on} - there
        kept += _added(run, missing, request_context.model)
        return replace(request_context, model_request_parameters=replace(parameters, native_tools=kept))

    # Once more for an attempt at another model: native tools that functions make are made anew.
    prepare_model_request = before_model_request

    @property
    def _offered(self) -> Mapping[str, AbstractToolset[AgentDepsT]]:
        return cast('Mapping[str, AbstractToolset[AgentDepsT]]', self.servers or {})

    def _selected(self) -> dict[str, AbstractToolset[AgentDepsT]]:
        offered = {name: toolset for name, toolset in self._offered.items() if name in self._run.selected}
        return {name: toolset.visit_and_replace(partial(self._run.chosen, name)) for name, toolset in offered.items()}


def _added(run: RunServers, kinds: Collection[str], model: Model) -> list[AbstractNativeTool]:
    supported = model.profile.get('supported_native_tools', frozenset())
    added: dict[str, AbstractNativeTool] = {}
    for kind in sorted(kinds):
        if (made := NATIVE_TOOL_TYPES[kind]) in supported:
            with suppress(TypeError):  # of a kind that has settings of its own
                added[kind] = made()
    if lacking := set(kinds) - added.keys() - run.refused:
        run.refused.update(lacking)
        about = {'native_tools': sorted(lacking), 'model': model.model_name}
        _logger.warning('native tools that are switched on cannot be had by default with this model', extra=about)
    return [*added.values()]


def _kept(tool: AbstractNativeTool, run: RunServers, servers: Mapping[str, Sequence[str]]) -> AbstractNativeTool | None:
    if not isinstance(tool, MCPServerTool):
        return tool if run.native_tools.get(tool.kind, True) else None
    if tool.id not in servers:
        return None
    if not (wanted := servers[tool.id]):
        return tool
    if tool.allowed_tools is not None and (missing := [name for name in wanted if name not in tool.allowed_tools]):
        raise MCPSelectionError(lacks(f'the MCP server {shown(tool.id)}', 'tool', missing, tool.allowed_tools))
    return replace(tool, allowed_tools=[*wanted])


def _called_by_provider(ctx: RunContext[AgentDepsT]) -> set[str]:
    """The ids of MCP servers that the provider may call, as far as they are known before a request."""
    tools = ctx.root_capability.get_native_tools() if ctx.root_capability else ()
    ids = {tool.id for tool in tools if isinstance(tool, MCPServerTool)}
    return ids | {each.id for each in ctx.capabilities.values() if isinstance(each, MCP) and each.id}
