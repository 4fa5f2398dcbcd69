"""MCP servers of one run: what a selection is, and what an agent has once some are selected."""

import json
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot
from pydantic import ValidationError
from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import MCP, AbstractCapability, Toolset
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.toolsets import CombinedToolset

from researcher_integration.mcp.search_servers import load_search_servers
from researcher_integration.mcp.selection import MCPSelection, MCPSelectionError, SelectMCPServers, Servers
from summarizer_tool import ConfigurationError
from tests.support.mcp_sites import (
    NOWHERE,
    SECRET,
    Seen,
    Sites,
    archive_server,
    choose,
    harbour_server,
    notes,
    returned,
)

pytestmark = pytest.mark.anyio


def test_a_selection_is_a_mapping() -> None:
    mapping = MCPSelection.model_validate({'servers': {'archive': [], 'harbour': ['ships']}})
    assert mapping.servers == snapshot({'archive': (), 'harbour': ('ships',)})
    assert MCPSelection.model_validate_json(mapping.model_dump_json()) == mapping


def test_wrong_selections() -> None:
    wrong: list[dict[str, object]] = [
        {},
        {'servers': {}},
        {'servers': {'harbour': 'ships'}},
        {'servers': {'harbour': ['']}},
        {'server': {'harbour': []}},
        {'servers': {'harbour': []}, 'native_tools': {'web_serch': False}},
        {'servers': {'harbour': []}, 'native_tools': {'mcp_server': False}},
    ]
    said: list[str] = []
    for selection in wrong:
        with pytest.raises(ValidationError) as caught:
            MCPSelection.model_validate(selection)
        said.append('; '.join(error['msg'].removeprefix('Value error, ') for error in caught.value.errors()))
    assert said == snapshot(
        [
            "names no server; name at least one, or give no selection to keep the agent's own",
            "names no server; name at least one, or give no selection to keep the agent's own",
            'Input should be a valid tuple',
            'String should have at least 1 character',
            "names no server; name at least one, or give no selection to keep the agent's own; Extra inputs are not permitted",
            "pydantic-ai has no native tool 'web_serch'; it has 'advisor', 'code_execution', 'file_search', 'image_generation', 'memory', 'web_fetch', 'web_search', 'x_search'",
            'mcp_server has no switch; the MCP servers that stay are those under servers',
        ]
    )


def test_wrong_servers_of_an_operator() -> None:
    wrong: list[Servers[None]] = [
        [notes()],
        [CombinedToolset([])],
        {'both': CombinedToolset([MCPToolset(NOWHERE), MCPToolset(NOWHERE)])},
        [MCPToolset(harbour_server())],
        [MCPToolset(NOWHERE, id='web'), MCPToolset(NOWHERE, id='web').prefixed('again')],
    ]
    said: list[str] = []
    for servers in wrong:
        with pytest.raises(ConfigurationError) as caught:
            SelectMCPServers(servers=servers)
        said.append(str(caught.value))
    assert said == snapshot(
        [
            "the toolset 'servers[0]' must hold one MCPToolset, and no other toolset",
            "the toolset 'servers[0]' must hold one MCPToolset, and no other toolset",
            "the toolset 'both' must hold one MCPToolset, and no other toolset",
            'the MCP server servers[0] has no id; give it one, or a mapping by name',
            "the MCP server servers[1] has the id 'web', as another has; give it one, or a mapping by name",
        ]
    )
    assert SECRET not in repr([said, SelectMCPServers(servers=[MCPToolset(NOWHERE)])])


async def test_the_selected_servers_are_in_place_of_the_agents_own(sites: Sites) -> None:
    seen = Seen(('quay_ships', 'note'))
    harbour = MCPToolset[Any](sites.harbour.url, id='harbour', include_instructions=True).prefixed('quay')
    archive = MCPToolset[Any](sites.archive.url, id='archive').renamed({'old_maps': 'maps'})
    agent = Agent(
        seen.model(),
        toolsets=[harbour, archive, notes()],
        capabilities=[Toolset(MCPToolset(sites.archive.url, id='second').prefixed('second'))],
    )
    await agent.run('Look.')
    assert seen.tools == snapshot(
        ['quay_ships', 'quay_tides', 'quay_sink', 'letters', 'old_maps', 'note', 'second_letters', 'second_maps']
    )
    assert sites.archive.requests > 0

    sites.archive.requests = 0
    run = await agent.run('Look.', capabilities=[choose(harbour=['ships'])])
    assert seen.tools == snapshot(['quay_ships', 'note'])
    assert returned(run.all_messages()) == snapshot({'quay_ships': 'Elke lies at pier 4.', 'note': 'Noted: Elke.'})
    parts = seen.requests[-1].model_request_parameters.instruction_parts or []
    assert [
        (str(part.id), part.content.replace('<context', '<pyai:context').replace('</context', '</pyai:context'))
        for part in parts
    ] == snapshot(
        [
            (
                'toolset:harbour',
                """\
<pyai:context id="toolset:harbour">
Ask for ships by name.
</pyai:context>
A later <pyai:context> element with the same id replaces the earlier one and stays in effect until replaced again.\
""",
            )
        ]
    )
    assert sites.archive.requests == 0

    await agent.run('Look.', capabilities=[choose('archive', 'second')])
    assert seen.tools == snapshot(['letters', 'old_maps', 'note', 'second_letters', 'second_maps'])


async def test_without_a_selection_an_agent_is_as_without_the_capability(sites: Sites) -> None:
    def agent(seen: Seen, *capabilities: AbstractCapability[None]) -> Agent[None, str]:
        own = MCPToolset[None](sites.harbour.url, id='harbour')
        return Agent(seen.model(), toolsets=[own, notes()], capabilities=capabilities)

    plain, idle = Seen(('tides',)), Seen(('tides',))
    offered = SelectMCPServers[None](servers={'archive': MCPToolset(sites.archive.url)})
    expected = await agent(plain).run('Look.')
    without = agent(idle, offered)
    async with without:
        run = await without.run('Look.')
    assert idle.tools == plain.tools == ['ships', 'tides', 'sink', 'note']
    assert [info.model_request_parameters for info in idle.requests] == [
        info.model_request_parameters for info in plain.requests
    ]
    assert returned(run.all_messages()) == returned(expected.all_messages()) == {'tides': 'High at six.'}
    assert sites.archive.requests == 0


async def test_the_operators_servers(sites: Sites, tmp_path: Path) -> None:
    path = tmp_path / 'mcp_config.json'
    path.write_text(json.dumps({'mcpServers': {'archive': {'url': sites.archive.url}, 'gone': {'url': NOWHERE}}}))
    seen = Seen(('archive_letters',))
    agent = Agent(
        seen.model(),
        toolsets=[MCPToolset(sites.harbour.url, id='harbour'), notes()],
        capabilities=[SelectMCPServers(servers=load_search_servers(path))],
    )
    run = await agent.run('Look.', capabilities=[choose(archive=['letters'])])
    assert seen.tools == ['note', 'archive_letters']
    assert returned(run.all_messages()) == snapshot(
        {'archive_letters': '<search_result>Elke wrote to the Tide Guild.</search_result>'}
    )
    assert sites.harbour.requests == 0

    await agent.run('Look.', capabilities=[choose('archive', 'harbour')])
    assert seen.tools == ['ships', 'tides', 'sink', 'note', 'archive_letters', 'archive_maps']


async def test_an_operators_server_goes_before_the_agents_of_its_name(sites: Sites) -> None:
    seen = Seen()
    own = MCPToolset[None](sites.harbour.url, id='harbour')
    agent = Agent(
        seen.model(),
        toolsets=[own, MCPToolset(sites.archive.url, id='archive')],
        capabilities=[SelectMCPServers(servers={'harbour': own.prefixed('safe'), 'archive': own.prefixed('odd')})],
    )
    await agent.run('Look.', capabilities=[choose('harbour')])
    assert seen.tools == ['safe_ships', 'safe_tides', 'safe_sink']
    await agent.run('Look.', capabilities=[choose(archive=['tides'])])
    assert seen.tools == ['odd_tides']


async def test_a_selection_found_in_the_dependencies(sites: Sites) -> None:
    async def wanted(ctx: RunContext[list[str] | None]) -> MCPSelection | None:
        return MCPSelection(servers=dict.fromkeys(ctx.deps, ())) if ctx.deps else None

    seen = Seen()
    agent = Agent(
        seen.model(),
        deps_type=list[str] | None,
        toolsets=[MCPToolset(sites.harbour.url, id='harbour'), MCPToolset(sites.archive.url, id='archive')],
        capabilities=[SelectMCPServers(wanted)],
    )
    await agent.run('Look.', deps=['archive'])
    assert seen.tools == ['letters', 'maps']
    await agent.run('Look.', deps=None)
    assert seen.tools == ['ships', 'tides', 'sink', 'letters', 'maps']
    with pytest.raises(MCPSelectionError, match='no MCP server'):
        await agent.run('Look.', deps=['nowhere'])


async def test_unknown_servers_and_tools(sites: Sites) -> None:
    seen = Seen()
    agent = Agent(
        seen.model(),
        toolsets=[MCPToolset(sites.harbour.url, id='harbour').prefixed('quay'), MCPToolset(archive_server()), notes()],
        capabilities=[
            SelectMCPServers(servers={'archive': MCPToolset(sites.archive.url)}),
            MCP(sites.archive.url, id='letters', native=True, local=False),
        ],
    )

    async def said(**tools: list[str]) -> str:
        with pytest.raises(MCPSelectionError) as caught:
            await agent.run('Look.', capabilities=[choose(**tools)])
        return str(caught.value)

    assert await said(harbor=[], notes=[]) == snapshot(
        "the run has no MCP server 'harbor', 'notes'; it has 'archive', 'harbour', 'letters'"
    )
    assert await said(harbour=[], zzz=[]) == snapshot(
        "the run has no MCP server 'zzz'; it has 'archive', 'harbour', 'letters'"
    )
    assert (sites.harbour.requests, sites.archive.requests) == (0, 0)
    assert await said(harbour=['ships', 'shpis']) == snapshot(
        "the MCP server 'harbour' has no tool 'shpis'; it has 'ships', 'sink', 'tides'"
    )
    assert await said(archive=['quay_ships']) == snapshot(
        "the MCP server 'archive' has no tool 'quay_ships'; it has 'letters', 'maps'"
    )
    assert seen.requests == []
    with pytest.raises(MCPSelectionError, match='it has none'):
        await Agent(seen.model()).run('Look.', capabilities=[choose('harbour')])


async def test_two_servers_of_one_id(sites: Sites) -> None:
    seen = Seen()
    twice = [MCPToolset[None](url, id='same') for url in (sites.harbour.url, sites.archive.url)]
    agent = Agent(seen.model(), toolsets=[*twice, MCPToolset(sites.harbour.url, id='harbour').prefixed('quay')])
    with pytest.raises(MCPSelectionError) as caught:
        await agent.run('Look.', capabilities=[choose('same')])
    assert str(caught.value) == snapshot("several MCP servers of the run have the id 'same'; give each its own")
    await agent.run('Look.', capabilities=[choose('harbour')])
    assert seen.tools == ['quay_ships', 'quay_tides', 'quay_sink']
