"""What clients and servers say to each other goes through the proxy, in both eras of the protocol."""

from typing import Any

import anyio
import pytest
from inline_snapshot import snapshot
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.lowlevel import Server as LowLevel
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    Completion,
    CompletionArgument,
    EmptyResult,
    ListResourcesResult,
    ListToolsResult,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    PromptReference,
    Resource,
    ResourceTemplateReference,
    SetLevelRequest,
    SetLevelRequestParams,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)

from tests.support.proxied import on_one_line, proxied

pytestmark = pytest.mark.anyio

MODES = ('legacy', 'auto')


def harbour() -> MCPServer:
    mcp = MCPServer('harbour', instructions='Ask for ships by name.')

    @mcp.tool(annotations=ToolAnnotations(read_only_hint=True))
    def ship(name: str) -> str:
        """Where a ship lies."""
        return f'{name} lies at pier 4.'

    @mcp.tool()
    async def unload(context: Context[Any]) -> str:
        for done in range(3):
            await context.report_progress(done + 1, 3, f'crate {done + 1}, token=ghp_{"a1B2" * 9}')
        return 'empty'

    @mcp.tool()
    def sink() -> str:
        raise ToolError('the pump password=kelder-4471-brine is wrong')

    @mcp.tool()
    async def build(context: Context[Any]) -> str:
        mcp.add_tool(lambda: 'new', name='launch', description='Launch what was built.')
        await context.session.send_tool_list_changed()
        return 'built'

    @mcp.resource('log://harbour')
    def log() -> str:
        return 'High water at six.'

    @mcp.resource('ship://{name}')
    def one(name: str) -> str:
        return f'{name}: two masts'

    @mcp.prompt()
    def inspect(name: str) -> str:
        return f'Inspect {name}.'

    @mcp.completion()
    async def ships(ref: Any, argument: CompletionArgument, _context: Any) -> Completion | None:
        if getattr(ref, 'name', '') != 'inspect' and getattr(ref, 'uri', '') != 'ship://{name}':
            return None
        found = [each for each in ('Ada', 'Bea', f'ghp_{"a1B2" * 9}') if each.startswith(argument.value)]
        return Completion(values=found, total=len(found), has_more=False)

    return mcp


class Lighthouse:
    """A server that logs, and tells of its lamp."""

    def __init__(self) -> None:
        self.level = ''
        lamp = Resource(name='lamp', uri='lamp://0')

        async def list_tools(_context: Any, _params: Any) -> ListToolsResult:
            return ListToolsResult(tools=[Tool(name='shine', input_schema={'type': 'object'})])

        async def list_resources(_context: Any, _params: Any) -> ListResourcesResult:
            return ListResourcesResult(resources=[lamp])

        async def call(context: Any, params: CallToolRequestParams) -> CallToolResult:
            for level, data in (('info', 'on'), ('critical', {'oil': 0, 'password': 'kelder-4471-brine'})):
                said = LoggingMessageNotificationParams(level=level, data=data)  # pyright: ignore[reportArgumentType]
                await context.session.send_notification(LoggingMessageNotification(params=said))
            return CallToolResult(content=[TextContent(text='it shines')])

        async def set_level(_context: Any, params: SetLevelRequestParams) -> EmptyResult:
            self.level = params.level
            return EmptyResult()

        self.mcp: LowLevel[Any] = LowLevel(
            'lighthouse',
            on_list_tools=list_tools,
            on_call_tool=call,
            on_list_resources=list_resources,
        )
        self.mcp.add_request_handler('logging/setLevel', SetLevelRequestParams, set_level)


def archive() -> MCPServer:
    mcp = MCPServer('archive')

    @mcp.tool()
    def ship(name: str) -> str:
        """What was written of a ship."""
        return f'{name} was built in 1804.'

    @mcp.completion()
    async def all_it_is_asked(_ref: Any, argument: CompletionArgument, _context: Any) -> Completion:
        return Completion(values=[f'{argument.value} in the archive'])

    return mcp


def said(result: Any) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return on_one_line(content.text)


@pytest.mark.parametrize('mode', MODES)
async def test_one_server(mode: str) -> None:
    async with proxied({'harbour': harbour()}, mode=mode) as client:
        assert client.instructions is not None
        assert '<tool_output tool="harbour">\nAsk for ships by name.\n</tool_output>' in client.instructions
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == snapshot(
            ['search_source', 'read_source', 'query_source', 'ship', 'unload', 'sink', 'build']
        )
        assert tools['ship'].annotations == ToolAnnotations(read_only_hint=True)
        assert tools['ship'].output_schema is None
        assert tools['ship'].input_schema['required'] == ['name']
        assert list(tools['ship'].input_schema['properties']) == ['name', 'question']

        result = await client.call_tool('ship', {'name': 'Ada', 'question': 'Which pier?'})
        assert said(result) == snapshot('<tool_output>Ada lies at pier 4.</tool_output>')
        assert result.structured_content is None

        assert [each.uri for each in (await client.list_resources()).resources] == ['log://harbour']
        assert [each.uri_template for each in (await client.list_resource_templates()).resource_templates] == [
            'ship://{name}'
        ]
        for uri, expected in (('log://harbour', 'High water at six.'), ('ship://Ada', 'Ada: two masts')):
            [content] = (await client.read_resource(uri)).contents
            assert isinstance(content, TextResourceContents)
            assert (content.uri, on_one_line(content.text)) == (uri, f'<tool_output>{expected}</tool_output>')

        assert [each.name for each in (await client.list_prompts()).prompts] == ['inspect']
        [message] = (await client.get_prompt('inspect', {'name': 'Ada'})).messages
        assert message.content == TextContent(text='Inspect Ada.')


@pytest.mark.parametrize('mode', MODES)
async def test_names_of_several_servers_are_told_apart(mode: str) -> None:
    async with proxied({'harbour': harbour(), 'archive': archive()}, mode=mode) as client:
        # Without a list before: the proxy asks for it itself.
        assert 'pier 4' in said(await client.call_tool('harbour_ship', {'name': 'Ada'}))
        assert '1804' in said(await client.call_tool('archive_ship', {'name': 'Ada'}))
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names[-2:] == snapshot(['harbour_build', 'archive_ship'])
        assert [each.name for each in (await client.list_prompts()).prompts] == ['harbour_inspect']
        [content] = (await client.read_resource('ship://Bea')).contents
        assert isinstance(content, TextResourceContents)
        assert 'Bea: two masts' in content.text
        for ref, value, found in (
            (PromptReference(name='harbour_inspect'), 'A', ['Ada']),
            (ResourceTemplateReference(uri='ship://{name}'), 'B', ['Bea']),
            (ResourceTemplateReference(uri='ship://{name}'), 'g', ['[MASKED_GITHUB_TOKEN]']),
            (ResourceTemplateReference(uri='rock://{name}'), 'A', []),
        ):
            told = (await client.complete(ref, {'name': 'name', 'value': value})).completion
            assert (told.values, told.has_more) == (found, False if found else None)


async def test_a_tool_with_a_name_of_ours_is_renamed() -> None:
    server = MCPServer('notes')

    @server.tool(description='Reads a note.')
    def read_source(name: str) -> str:  # pyright: ignore[reportUnusedFunction]
        return f'{name}: High water at six.'

    async with proxied({'notes.example': server}) as client:
        *_, listed = (await client.list_tools()).tools
        assert listed.name == 'notes_example_read_source'
        assert 'six' in said(await client.call_tool('notes_example_read_source', {'name': 'Monday'}))
        assert (await client.call_tool('read_source', {'source_id': 'src_0123456789ab'})).is_error


@pytest.mark.parametrize('mode', MODES)
async def test_progress_is_passed_on_without_secrets(mode: str) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with proxied({'harbour': harbour()}, mode=mode) as client:
        assert 'empty' in said(await client.call_tool('unload', {}, progress_callback=hear))
    assert heard == snapshot(
        [
            (1.0, 3.0, 'crate 1, token=[MASKED_GITHUB_TOKEN]'),
            (2.0, 3.0, 'crate 2, token=[MASKED_GITHUB_TOKEN]'),
            (3.0, 3.0, 'crate 3, token=[MASKED_GITHUB_TOKEN]'),
        ]
    )


async def test_a_server_that_tells_of_progress_is_waited_for() -> None:
    mcp = MCPServer('harbour')

    @mcp.tool()
    async def dredge(context: Context[Any]) -> str:  # pyright: ignore[reportUnusedFunction]
        for done in range(5):
            await anyio.sleep(0.2)
            await context.report_progress(done + 1)
        return 'deep'

    async with proxied({'harbour': mcp}, tool_timeout=0.8) as client:
        assert 'deep' in said(await client.call_tool('dredge', {}))


async def test_an_error_of_a_tool_stays_one_and_has_no_secret() -> None:
    async with proxied({'harbour': harbour()}) as client:
        result = await client.call_tool('sink', {})
        assert result.is_error
        assert said(result) == snapshot(
            '<tool_output>Error executing tool sink: the pump password=[MASKED_PASSWORD] is wrong</tool_output>'
        )


async def test_an_error_of_the_protocol_keeps_its_code() -> None:
    async with proxied({'harbour': harbour()}) as client:
        with pytest.raises(MCPError) as unknown:
            await client.call_tool('fly', {})
        assert (unknown.value.code, unknown.value.message) == snapshot(
            (-32602, 'there is no tool fly; tools/list names those there are')
        )
        with pytest.raises(MCPError) as missing:
            await client.read_resource('log://nowhere')
        assert (missing.value.code, missing.value.message) == snapshot((-32602, 'Unknown resource: log://nowhere'))
        with pytest.raises(MCPError) as argument:
            await client.get_prompt('inspect', {})
        assert (argument.value.code, argument.value.message) == snapshot((0, "Missing required arguments: {'name'}"))


async def test_a_changed_list_is_told_to_clients_with_a_session() -> None:
    changed = anyio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, 'method', '') == 'notifications/tools/list_changed':
            changed.set()

    async with proxied({'harbour': harbour()}, message_handler=hear) as client:
        await client.call_tool('build', {})
        await changed.wait()
        assert 'launch' in [tool.name for tool in (await client.list_tools()).tools]
        assert 'new' in said(await client.call_tool('launch', {}))


async def test_a_changed_list_is_told_to_clients_that_listen() -> None:
    async with (
        proxied({'harbour': harbour()}, mode='auto') as client,
        client.listen(tools_list_changed=True) as events,
    ):
        await client.call_tool('build', {})
        async for _ in events:
            break
        assert 'launch' in [tool.name for tool in (await client.list_tools()).tools]


async def test_log_messages_from_the_level_on_that_a_client_wants() -> None:
    server = Lighthouse()
    heard: list[tuple[str, object]] = []
    done = anyio.Event()

    async def hear(params: LoggingMessageNotificationParams) -> None:
        heard.append((params.level, params.data))
        if params.level == 'critical':
            done.set()

    async with proxied({'lighthouse': server.mcp}, logging_callback=hear) as client:
        level = SetLevelRequest(params=SetLevelRequestParams(level='error'))
        await client.session.send_request(level, EmptyResult)
        assert server.level == 'error'
        await client.call_tool('shine', {})
        await done.wait()
    assert heard == [('critical', {'oil': 0, 'password': '[MASKED_PASSWORD]'})]


async def test_log_messages_for_one_call_of_a_client_that_listens() -> None:
    server = Lighthouse()
    heard: list[str] = []

    async def hear(params: LoggingMessageNotificationParams) -> None:
        heard.append(params.level)

    async with proxied({'lighthouse': server.mcp}, mode='auto', logging_callback=hear, log_level='info') as client:
        await client.call_tool('shine', {})
    assert (server.level, heard) == ('info', ['info', 'critical'])
    heard.clear()
    async with proxied({'lighthouse': server.mcp}, mode='auto', logging_callback=hear) as client:
        await client.call_tool('shine', {})
    assert heard == []
