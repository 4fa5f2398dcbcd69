"""MCP servers of one run: what an agent has once some are selected, and what is said about those that are not there."""

import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
import uvicorn
from inline_snapshot import snapshot
from mcp.server import MCPServer
from pydantic import ValidationError
from pydantic_ai import Agent, FunctionToolset, ModelProfile, RunContext
from pydantic_ai.capabilities import MCP, AbstractCapability, CapabilityOrdering, NativeOrLocalTool, NativeTool, Toolset
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.native_tools import CodeExecutionTool, MCPServerTool, WebSearchTool
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, ToolsetTool, WrapperToolset
from starlette.types import Receive, Scope, Send

from researcher_integration.mcp.search_servers import load_search_servers
from researcher_integration.mcp.selection import MCPSelection, MCPSelectionError, SelectMCPServers, Servers
from summarizer_tool import ConfigurationError

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


def served(mcp: MCPServer) -> Iterator[Site]:
    app = mcp.streamable_http_app()

    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        site.requests += scope['type'] == 'http'
        await app(scope, receive, send)

    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        site = Site(f'http://127.0.0.1:{listener.getsockname()[1]}/mcp')
        server = uvicorn.Server(uvicorn.Config(counted, log_level='critical'))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        deadline = time.monotonic() + 10
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        yield site
        server.should_exit = server.force_exit = True
        thread.join(5)


@pytest.fixture(scope='module')
def running() -> Iterator[Sites]:
    harbour, archive = served(harbour_server()), served(archive_server())
    yield Sites(next(harbour), next(archive))
    for site in (harbour, archive):
        next(site, None)


@pytest.fixture
def sites(running: Sites) -> Sites:
    running.harbour.requests = running.archive.requests = 0
    return running


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


def test_a_selection_is_a_mapping_or_a_list() -> None:
    mapping = MCPSelection.model_validate({'servers': {'archive': None, 'harbour': ['ships']}})
    assert mapping.servers == snapshot({'archive': (), 'harbour': ('ships',)})
    listed = {'servers': ['archive', {'name': 'harbour', 'tools': ['ships']}]}
    assert MCPSelection.model_validate(listed) == mapping
    assert MCPSelection.model_validate_json(mapping.model_dump_json()) == mapping


def test_wrong_selections() -> None:
    wrong: list[dict[str, object]] = [
        {},
        {'servers': {}},
        {'servers': []},
        {'servers': ['harbour', {'name': 'harbour', 'tools': ['ships']}]},
        {'servers': {'harbour': 'ships'}},
        {'servers': {'harbour': ['']}},
        {'servers': [{'tools': ['ships']}]},
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
            "names no server; name at least one, or give no selection to keep the agent's own",
            "the server 'harbour' stands twice; give its tools in one list",
            'must be a list of names of tools',
            'String should have at least 1 character',
            'Field required',
            "'server' is no key of this; did you mean 'servers'?",
            "pydantic-ai has no native tool 'web_serch'; it has 'advisor', 'code_execution', 'file_search', 'image_generation', 'memory', 'web_fetch', 'web_search', 'x_search'; did you mean 'web_search'?",
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


@pytest.mark.anyio
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
    assert [(str(part.id), part.content) for part in parts] == snapshot(
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


@pytest.mark.anyio
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


@pytest.mark.anyio
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


@pytest.mark.anyio
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


@pytest.mark.anyio
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


@pytest.mark.anyio
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
        "the run has no MCP server 'harbor', 'notes'; it has 'archive', 'harbour', 'letters'; did you mean 'harbour'?"
    )
    assert await said(harbour=[], zzz=[]) == snapshot(
        "the run has no MCP server 'zzz'; it has 'archive', 'harbour', 'letters'"
    )
    assert (sites.harbour.requests, sites.archive.requests) == (0, 0)
    assert await said(harbour=['ships', 'shpis']) == snapshot(
        "the MCP server 'harbour' has no tool 'shpis'; it has 'ships', 'sink', 'tides'; did you mean 'ships'?"
    )
    assert await said(archive=['quay_ships']) == snapshot(
        "the MCP server 'archive' has no tool 'quay_ships'; it has 'letters', 'maps'"
    )
    assert seen.requests == []
    with pytest.raises(MCPSelectionError, match='it has none'):
        await Agent(seen.model()).run('Look.', capabilities=[choose('harbour')])


@pytest.mark.anyio
async def test_two_servers_of_one_id(sites: Sites) -> None:
    seen = Seen()
    twice = [MCPToolset[None](url, id='same') for url in (sites.harbour.url, sites.archive.url)]
    agent = Agent(seen.model(), toolsets=[*twice, MCPToolset(sites.harbour.url, id='harbour').prefixed('quay')])
    with pytest.raises(MCPSelectionError) as caught:
        await agent.run('Look.', capabilities=[choose('same')])
    assert str(caught.value) == snapshot("several MCP servers of the run have the id 'same'; give each its own")
    await agent.run('Look.', capabilities=[choose('harbour')])
    assert seen.tools == ['quay_ships', 'quay_tides', 'quay_sink']


@pytest.fixture
def deaf() -> Iterator[str]:
    """A URL at which somebody takes connections and never answers."""
    with socket.socket() as silent:
        silent.bind(('127.0.0.1', 0))
        silent.listen()
        yield f'http://127.0.0.1:{silent.getsockname()[1]}/mcp'


@pytest.mark.anyio
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
            MCPToolset(sites.archive.url, id='archive'),
        ],
        capabilities=[SelectMCPServers(servers=load_search_servers(path), timeout=1)],
    )
    started = time.monotonic()
    selection = choose('web', 'wiki', 'refused', 'deaf', 'archive', missing=['ships'])
    run = await agent.run('Look.', capabilities=[selection])
    assert time.monotonic() - started < 30
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
            ('WARNING', 'a search server cannot be reached; the run goes on without it', 'wiki'),
            ('WARNING', 'a selected MCP server cannot be reached; the run goes on without it', 'deaf'),
            ('WARNING', 'a selected MCP server cannot be reached; the run goes on without it', 'missing'),
            ('WARNING', 'a selected MCP server cannot be reached; the run goes on without it', 'refused'),
            ('WARNING', 'a selected MCP server cannot be reached; the run goes on without it', 'web'),
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


@pytest.mark.anyio
async def test_parallel_runs_share_nothing(sites: Sites) -> None:
    together = anyio.Event()
    at_once = 0
    offered: dict[str, list[str]] = {}

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal at_once
        at_once += 1
        if at_once == 4:
            together.set()
        with anyio.fail_after(30):
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


@pytest.mark.anyio
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


@pytest.mark.anyio
async def test_a_selection_within_an_override(sites: Sites) -> None:
    seen = Seen()
    offered: Mapping[str, AbstractToolset[None]] = {'harbour': MCPToolset(sites.harbour.url).prefixed('quay')}
    agent = Agent(seen.model(), toolsets=[notes()], capabilities=[SelectMCPServers(servers=offered)])
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


@pytest.mark.anyio
async def test_toolsets_made_by_functions_bring_in_no_other_server(sites: Sites) -> None:
    seen = Seen(('ships', 'mine_note'))
    made = CombinedToolset[None]([MCPToolset(sites.archive.url, id='archive'), notes().prefixed('mine')])
    agent = Agent(seen.model(), toolsets=[MCPToolset(sites.harbour.url, id='harbour')])
    agent.toolset(lambda ctx: made)
    agent.toolset(per_run_step=False)(lambda ctx: made.prefixed('once'))
    await agent.run('Look.', capabilities=[choose('harbour')])
    assert seen.tools == ['ships', 'tides', 'sink', 'mine_note', 'once_mine_note']
    assert sites.archive.requests == 0


class DurableServer(WrapperToolset[Any]):
    """As engines of durable execution wrap a server: in its place, and closed to visitors and copies."""

    def __init__(self, wrapped: AbstractToolset[Any], *, calls: list[str]) -> None:
        super().__init__(wrapped)
        self.calls = calls

    @property
    def id(self) -> str | None:
        return self.wrapped.id

    def visit_and_replace(
        self, visitor: Callable[[AbstractToolset[Any]], AbstractToolset[Any]]
    ) -> AbstractToolset[Any]:
        return self

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> object:
        self.calls.append(name)
        return await super().call_tool(name, tool_args, ctx, tool)


@dataclass
class Durable(AbstractCapability[Any]):
    """Wraps the servers that the agent was made with, as an engine of durable execution does."""

    servers: dict[str, DurableServer] = field(default_factory=dict[str, DurableServer])
    calls: list[str] = field(default_factory=list[str])

    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(position='innermost')

    def for_agent(self, agent: Any) -> 'Durable':
        def register(leaf: AbstractToolset[Any]) -> AbstractToolset[Any]:
            if isinstance(leaf, MCPToolset) and leaf.id:
                self.servers[leaf.id] = DurableServer(leaf, calls=self.calls)
            return leaf

        for toolset in agent.toolsets:
            toolset.visit_and_replace(register)
        return self

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return toolset.visit_and_replace(
            lambda leaf: self.servers[leaf.id or ''] if isinstance(leaf, MCPToolset) else leaf
        )


@pytest.mark.anyio
async def test_servers_wrapped_for_durable_execution(sites: Sites) -> None:
    seen = Seen(('quay_ships', 'maps'))
    durable = Durable()
    agent = Agent(
        seen.model(),
        deps_type=MCPSelection,
        toolsets=[MCPToolset(sites.harbour.url, id='harbour').prefixed('quay'), MCPToolset(NOWHERE, id='own')],
        capabilities=[
            SelectMCPServers(lambda ctx: ctx.deps, servers=[MCPToolset(sites.archive.url, id='archive')]),
            durable,
        ],
    )
    assert list(durable.servers) == ['harbour', 'own', 'archive']
    run = await agent.run('Look.', deps=MCPSelection(servers={'harbour': ('ships',), 'archive': ('maps',)}))
    assert seen.tools == ['quay_ships', 'maps']
    assert returned(run.all_messages()) == snapshot(
        {'quay_ships': 'Elke lies at pier 4.', 'maps': ['Marn', 'Old Pier']}
    )
    assert durable.calls == ['ships', 'maps']
    with pytest.raises(MCPSelectionError, match="no tool 'mops'"):
        await agent.run('Look.', deps=MCPSelection(servers={'archive': ('mops',)}))


def everything(seen: Seen) -> FunctionModel:
    """A model that has every native tool."""
    seen.profile = ModelProfile(supported_native_tools=frozenset({WebSearchTool, CodeExecutionTool, MCPServerTool}))
    return seen.model()


@pytest.mark.anyio
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


@pytest.mark.anyio
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
