"""Runs with selected MCP servers: servers that are down, parallel and streamed runs, overrides, durable execution."""

import importlib.util
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from inline_snapshot import snapshot
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from researcher_integration.mcp.search_servers import load_search_servers
from researcher_integration.mcp.selection import MCPSelection, MCPSelectionError, SelectMCPServers
from tests.support.mcp_sites import (
    NOWHERE,
    SECRET,
    Seen,
    Sites,
    archive_server,
    choose,
    notes,
    returned,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
def deaf() -> Iterator[str]:
    """A URL at which somebody takes connections and never answers."""
    with socket.socket() as silent:
        silent.bind(('127.0.0.1', 0))
        silent.listen()
        yield f'http://127.0.0.1:{silent.getsockname()[1]}/mcp'


async def test_servers_that_cannot_be_reached(
    sites: Sites, deaf: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / 'mcp_config.json'
    searches = {'web': {'url': NOWHERE}, 'wiki': {'url': deaf, 'timeout': 0.2}}
    path.write_text(json.dumps({'mcpServers': searches}))
    seen = Seen(('letters',))
    agent = Agent(
        seen.model(),
        instructions='Find things out.',
        toolsets=[
            MCPToolset(NOWHERE, id='refused'),
            MCPToolset(deaf, id='deaf').prefixed('d'),
            MCPToolset(f'{sites.harbour.url}/missing', id='missing'),
            # In this process, so that it is there however busy the machine is.
            MCPToolset(archive_server(), id='archive'),
        ],
        capabilities=[SelectMCPServers(servers=load_search_servers(path), timeout=1.5)],
    )
    started = time.monotonic()
    selection = choose('web', 'wiki', 'refused', 'deaf', 'archive', missing=['ships'])
    run = await agent.run('Look.', capabilities=[selection])
    assert time.monotonic() - started < 25  # the time limit of none is the default
    assert seen.tools == ['letters', 'maps']
    assert returned(run.all_messages()) == {'letters': 'Elke wrote to the Tide Guild.'}
    assert [info.instructions for info in seen.requests] == [
        snapshot("""\
Find things out.

These servers were selected for this conversation but cannot be reached: deaf, missing, refused, web, wiki. Their tools are missing. Go on with the tools you have, make up nothing that theirs would have returned, and say in your answer what could not be looked up because of it.\
""")
    ] * 2
    ours = [record for record in caplog.records if record.name == 'researcher_integration']
    assert {(record.levelname, record.getMessage(), record.__dict__['server']) for record in ours} == snapshot(
        {
            ('WARNING', 'a server cannot be reached; the run goes on without it', 'wiki'),
            ('WARNING', 'a server cannot be reached; the run goes on without it', 'deaf'),
            ('WARNING', 'a server cannot be reached; the run goes on without it', 'missing'),
            ('WARNING', 'a server cannot be reached; the run goes on without it', 'refused'),
            ('WARNING', 'a server cannot be reached; the run goes on without it', 'web'),
        }
    )
    assert SECRET not in repr([[record.__dict__ for record in ours], run.all_messages()])

    alone = Seen()
    with agent.override(model=alone.model(), instructions='Answer.'):
        run = await agent.run('Look.', capabilities=[choose('refused')])
    assert (run.output, alone.tools) == ('Done.', [])
    assert str(alone.requests[0].instructions).startswith('Answer.\n\nThese servers were selected')
    caplog.clear()
    await agent.run('Look.', capabilities=[choose('archive')])
    assert seen.requests[-1].instructions == 'Find things out.'
    assert caplog.records == []


async def test_parallel_runs_share_nothing(sites: Sites) -> None:
    together = anyio.Event()
    at_once = 0
    offered: dict[str, list[str]] = {}

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal at_once
        at_once += 1
        if at_once == 4:
            together.set()
        with anyio.fail_after(60):
            await together.wait()
        prompt = str(messages[0].parts[-1].content)
        offered[prompt] = [*(tool.name for tool in info.function_tools), *filter(None, [info.instructions])]
        return ModelResponse(parts=[TextPart('Done.')])

    agent = Agent(
        FunctionModel(answer),
        toolsets=[
            MCPToolset(sites.harbour.url, id='harbour', include_instructions=False),
            MCPToolset(sites.archive.url, id='archive'),
        ],
        capabilities=[SelectMCPServers(servers={'gone': MCPToolset(NOWHERE)})],
    )
    selections = {
        'some': choose(harbour=['ships', 'tides']),
        'other': choose(harbour=['sink'], archive=['maps']),
        'gone': choose('gone', archive=['letters']),
    }
    async with anyio.create_task_group() as group:
        for prompt, selection in selections.items():
            group.start_soon(lambda prompt=prompt, selection=selection: agent.run(prompt, capabilities=[selection]))
        group.start_soon(agent.run, 'all')
    assert offered == snapshot(
        {
            'gone': [
                'letters',
                'These servers were selected for this conversation but cannot be reached: gone. Their tools are missing. Go on with the tools you have, make up nothing that theirs would have returned, and say in your answer what could not be looked up because of it.',
            ],
            'some': ['ships', 'tides'],
            'all': ['ships', 'tides', 'sink', 'letters', 'maps'],
            'other': ['sink', 'maps'],
        }
    )


async def test_streamed_and_stepwise_runs(sites: Sites) -> None:
    seen = Seen(('ships',))
    agent = Agent(
        seen.model(),
        toolsets=[MCPToolset(sites.harbour.url, id='harbour'), MCPToolset(sites.archive.url, id='archive')],
    )
    chosen = choose(harbour=['ships'])
    async with agent.run_stream('Look.', capabilities=[chosen]) as stream:
        assert await stream.get_output() == 'Done.'
    assert returned(stream.all_messages()) == {'ships': 'Elke lies at pier 4.'}
    async with agent.iter('Look.', capabilities=[chosen]) as run:
        async for _ in run:
            pass
    assert run.result is not None
    assert run.result.output == 'Done.'
    assert [[tool.name for tool in info.function_tools] for info in seen.requests] == [['ships']] * 4
    with pytest.raises(MCPSelectionError):
        async with agent.run_stream('Look.', capabilities=[choose(harbour=['maps'])]) as stream:
            await stream.get_output()


async def test_a_selection_within_an_override(sites: Sites) -> None:
    seen = Seen()
    offered = SelectMCPServers[None](servers={'harbour': MCPToolset[None](sites.harbour.url).prefixed('quay')})
    agent = Agent(seen.model(), toolsets=[notes()], capabilities=[offered])
    other = MCPToolset[None](sites.archive.url, id='archive')
    with agent.override(toolsets=[other]):
        await agent.run('Look.', capabilities=[choose(harbour=['tides'])])
        assert seen.tools == ['quay_tides']
        await agent.run('Look.', capabilities=[choose(archive=['maps'], harbour=['tides'])])
        assert seen.tools == ['maps', 'quay_tides']
        await agent.run('Look.')
        assert seen.tools == ['letters', 'maps']
    # Toolsets given to a run are under its selection as well.
    await agent.run('Look.', toolsets=[other, notes().prefixed('my')], capabilities=[choose('harbour')])
    assert seen.tools == ['note', 'quay_ships', 'quay_tides', 'quay_sink', 'my_note']


@pytest.mark.skipif(importlib.util.find_spec('dbos') is None, reason='dbos is not installed')
async def test_a_durable_run_selects_its_servers(sites: Sites, tmp_path: Path) -> None:
    from dbos import DBOS, DBOSConfig
    from pydantic_ai.durable_exec.dbos import DBOSDurability

    seen = Seen(('quay_ships', 'maps'))
    offered = SelectMCPServers[MCPSelection](
        lambda ctx: ctx.deps, servers=[MCPToolset(sites.archive.url, id='archive')]
    )
    DBOS(config=DBOSConfig(name='selecting', system_database_url=f'sqlite:///{tmp_path / "dbos.sqlite"}'))
    try:
        agent = Agent(
            seen.model(),
            name='selecting',
            deps_type=MCPSelection,
            toolsets=[MCPToolset(sites.harbour.url, id='harbour').prefixed('quay'), MCPToolset(NOWHERE, id='own')],
            capabilities=[offered, DBOSDurability()],
        )

        @DBOS.workflow()
        async def looked(selection: MCPSelection) -> dict[str, Any]:
            return returned((await agent.run('Look.', deps=selection)).all_messages())

        DBOS.launch()
        found = await looked(MCPSelection(servers={'harbour': ('ships',), 'archive': ('maps',)}))
        with pytest.raises(MCPSelectionError, match="no tool 'mops'"):
            await looked(MCPSelection(servers={'archive': ('mops',)}))
        steps = [
            step['function_name']
            for each in await DBOS.list_workflows_async()
            for step in await DBOS.list_workflow_steps_async(each.workflow_id)
        ]
    finally:
        DBOS.destroy()
    assert found == snapshot({'quay_ships': 'Elke lies at pier 4.', 'maps': ['Marn', 'Old Pier']})
    assert seen.tools == ['quay_ships', 'maps']
    assert {f'selecting__mcp_server__{name}.call_tool' for name in ('harbour', 'archive')} <= {*steps}
