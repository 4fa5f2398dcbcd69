"""Native tools, and MCP servers that the provider calls, under a selection."""

import pytest
from inline_snapshot import snapshot
from pydantic_ai import Agent, ModelProfile
from pydantic_ai.capabilities import MCP, NativeOrLocalTool, NativeTool
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.native_tools import CodeExecutionTool, MCPServerTool, WebSearchTool

from researcher_integration.mcp.selection import MCPSelection, MCPSelectionError, SelectMCPServers
from tests.support.mcp_sites import NOWHERE, Seen, Sites, choose

pytestmark = pytest.mark.anyio


def everything(seen: Seen) -> FunctionModel:
    """A model that has every native tool."""
    seen.profile = ModelProfile(supported_native_tools=frozenset({WebSearchTool, CodeExecutionTool, MCPServerTool}))
    return seen.model()


async def test_native_tools_are_switched_off(sites: Sites) -> None:
    def look_up(query: str) -> str:
        return query

    seen = Seen()
    agent = Agent(
        everything(seen),
        toolsets=[MCPToolset(sites.archive.url, id='archive')],
        capabilities=[
            NativeOrLocalTool(native=WebSearchTool(), local=look_up),
            NativeTool(lambda ctx: CodeExecutionTool()),
        ],
    )
    servers = {'archive': ('maps',)}
    switches = [
        {},
        {'web_search': True, 'code_execution': False},
        {'web_search': False},
        {'code_execution': False, 'web_search': False, 'x_search': True},
    ]
    offered: list[object] = []
    for native_tools in switches:
        selection = MCPSelection(servers=servers, native_tools=native_tools)
        await agent.run('Look.', capabilities=[SelectMCPServers(selection)])
        offered.append((seen.native, seen.tools))
    assert offered == snapshot(
        [
            (['web_search', 'code_execution'], ['maps']),
            (['web_search'], ['maps']),
            (['code_execution'], ['maps']),
            ([], ['maps']),
        ]
    )
    # Without the native tool a model falls back to the local one, which is switched off with it.
    plain = Seen(profile=ModelProfile(supported_native_tools=frozenset()))
    for on in (True, False):
        selection = MCPSelection(servers=servers, native_tools={'web_search': on, 'code_execution': False})
        await agent.run('Look.', model=plain.model(), capabilities=[SelectMCPServers(selection)])
        assert plain.tools == (['maps', 'look_up'] if on else ['maps'])


async def test_native_tools_are_switched_on(sites: Sites, caplog: pytest.LogCaptureFixture) -> None:
    seen = Seen()
    agent = Agent(everything(seen), toolsets=[MCPToolset(sites.archive.url, id='archive')])
    native_tools = {'web_search': True, 'code_execution': True, 'x_search': True, 'file_search': True}
    selection = MCPSelection(servers={'archive': ('maps',)}, native_tools=native_tools)
    await agent.run('Look.', capabilities=[SelectMCPServers(selection)])
    assert seen.native == ['code_execution', 'web_search']
    told = [record.__dict__['native_tools'] for record in caplog.records if 'native tools' in record.getMessage()]
    assert told == [['file_search', 'x_search']]


async def test_servers_that_the_provider_calls(sites: Sites) -> None:
    seen = Seen()
    agent = Agent(
        everything(seen),
        capabilities=[
            NativeTool(MCPServerTool(id='tickets', url=NOWHERE, allowed_tools=['list', 'close'])),
            MCP(NOWHERE, id='wiki', native=True, local=False),
            MCP(sites.harbour.url, id='harbour', native=True, tool_prefix='quay'),
            SelectMCPServers(servers={'archive': MCPToolset(sites.archive.url)}),
        ],
    )
    offered: list[object] = []
    for selection in (
        choose('archive'),
        choose('wiki', tickets=['list']),
        choose(wiki=['read'], harbour=['tides']),
    ):
        await agent.run('Look.', capabilities=[selection])
        offered.append((seen.native, seen.tools))
    assert offered == snapshot(
        [
            ([], ['letters', 'maps']),
            ([('tickets', ['list']), ('wiki', None)], []),
            ([('wiki', ['read']), ('harbour', ['tides'])], []),
        ]
    )
    with pytest.raises(MCPSelectionError) as caught:
        await agent.run('Look.', capabilities=[choose('archive', tickets=['open'])])
    assert str(caught.value) == snapshot("the MCP server 'tickets' has no tool 'open'; it has 'close', 'list'")
    plain = Seen(profile=ModelProfile(supported_native_tools=frozenset()))
    await agent.run('Look.', model=plain.model(), capabilities=[choose(harbour=['tides'])])
    assert (plain.native, plain.tools) == ([], ['quay_tides'])
