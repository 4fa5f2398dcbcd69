"""What a backend says where there are no summaries, and that it goes on once there are."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from inline_snapshot import snapshot
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent
from pydantic import SecretStr
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models.function import FunctionModel

from researcher_integration.lore.summaries import over_mcp
from researcher_integration.lore.summaries.backends import InProcess, SummaryUnavailableError
from researcher_integration.lore.summaries.over_mcp import OverMCP, SummaryBackend
from summarizer_tool import ConfigurationError, Settings, SourceStore
from summarizer_tool.service.service import Service
from tests.support import serving
from tests.support.backends import KEYLESS, condensed, kept, local, without_port
from tests.support.serving import Served
from tests.support.texts import CHRONICLE, chronicle
from tests.support.threaded_server import served

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def listener(
    answer: Callable[[asyncio.StreamReader, asyncio.StreamWriter], object],
) -> AsyncGenerator[str]:
    """Something else than an MCP server; its URL."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b'\r\n\r\n')
            answer(reader, writer)
            await writer.drain()
            await reader.read()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    running = await asyncio.start_server(handle, '127.0.0.1', 0)
    async with running:
        yield f'http://127.0.0.1:{running.sockets[0].getsockname()[1]}/mcp'


def saying(status: str, body: str = '', kind: str = 'text/html') -> Callable[..., object]:
    head = f'HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n'
    return lambda _, writer: writer.write((head + body).encode())


async def refused(backend: SummaryBackend, handles: Sequence[str]) -> SummaryUnavailableError:
    """The error of a request that must fail, and soon."""
    with anyio.fail_after(30), pytest.raises(SummaryUnavailableError) as caught:
        await condensed(backend, handles, 'deeds')
    assert '\n' not in str(caught.value)
    return caught.value


async def test_a_server_goes_and_comes_back(store: SourceStore) -> None:
    """Started anew, it has lost its sources; several calls find out at once."""
    handles = kept(store, chronicle(9, 51), chronicle(9, 52))
    port = serving.free_port()
    said: list[str] = []
    texts: list[tuple[str, str]] = []
    backend = OverMCP(f'http://127.0.0.1:{port}/mcp', local(store))

    async def one(hint: str) -> None:
        texts.append((hint, (await condensed(backend, handles, hint)).topics['Marn']))

    said.append(without_port(await refused(backend, handles)))
    for is_missed in (False, True, False):
        with serving.serve(mcp_summarizer_port=port):
            async with anyio.create_task_group() as tasks:
                for hint in ('crowns', 'places', 'people'):
                    tasks.start_soon(one, hint)
        if is_missed:
            said.append(without_port(await refused(backend, handles)))
    assert sorted(texts[:3]) == sorted(texts[3:6]) == sorted(texts[6:])
    assert said == snapshot(
        [
            'the MCP server at HOST cannot be used: no connection to its address: All connection attempts failed',
            'the MCP server at HOST cannot be used: no connection to its address: All connection attempts failed',
        ]
    )


async def test_a_session_that_the_server_has_forgotten(store: SourceStore) -> None:
    """Servers of older protocol versions keep sessions; one that was started anew knows none."""
    [handle] = kept(store, chronicle(9, 53))
    port = serving.free_port()
    backend = OverMCP(f'http://127.0.0.1:{port}/mcp', local(store), timeout=10)
    backend.client.mode = 'legacy'
    for _ in range(2):
        with serving.serve(mcp_summarizer_port=port):
            assert (await condensed(backend, [handle], 'deeds')).topics['Marn']


async def test_a_wrong_token(store: SourceStore) -> None:
    handles = kept(store, CHRONICLE)
    said: list[str] = []
    with serving.serve(mcp_auth_token='tidewater') as server:
        for token in (None, SecretStr('hunter2')):
            backend = OverMCP(server.url, local(store), token=token)
            error: BaseException | None = await refused(backend, handles)
            said.append(without_port(error))
            while error is not None:
                assert 'hunter2' not in f'{error} {error!r}'
                error = error.__cause__ or error.__context__
        backend = OverMCP(server.url, local(store), token=SecretStr('tidewater\n'))
        assert (await condensed(backend, handles, 'deeds')).topics['Marn']
    assert said == snapshot(
        [
            'the MCP server at HOST cannot be used: it answers with HTTP 401: it asks for a token, or for another one',
            'the MCP server at HOST cannot be used: it answers with HTTP 401: it asks for a token, or for another one',
        ]
    )


async def test_what_else_may_answer(store: SourceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    handles = kept(store, CHRONICLE)
    said: dict[str, str] = {}
    for name, answer in {
        'busy': saying('503 Service Unavailable'),
        'a website': saying('200 OK', '<h1>Annals of Marn</h1>'),
        'other JSON': saying('200 OK', '{"ok": true}', 'application/json'),
        'no such page': saying('404 Not Found'),
        'cut off': lambda _, writer: (
            writer.write(b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{'),
            writer.close(),
        ),
        'nothing': lambda _, writer: writer.close(),
        'silence': lambda _, __: None,
        'no hello': lambda _, __: None,
    }.items():
        timeout = 0.2 if name == 'silence' else 30
        monkeypatch.setattr(over_mcp, 'CONNECT_SECONDS', 0.3 if name == 'no hello' else 5)
        async with listener(answer) as url:
            backend = OverMCP(url, local(store), timeout=timeout)
            said[name] = without_port(await refused(backend, handles))
    backend = OverMCP('http://no-such-host.invalid/mcp', local(store))
    said['no such host'] = str(await refused(backend, handles)).partition(':')[0]
    assert said == snapshot(
        {
            'busy': 'the MCP server at HOST cannot be used: it answers with HTTP 503',
            'a website': 'the MCP server at HOST cannot be used: it answers with MCP error -32600; check its address, or its command',
            'other JSON': 'the MCP server at HOST cannot be used: it answers with MCP error -32700; check its address, or its command',
            'no such page': 'the MCP server at HOST cannot be used: it answers with MCP error -32601; check its address, or its command',
            'cut off': 'the MCP server at HOST cannot be used: RemoteProtocolError',
            'nothing': 'the MCP server at HOST cannot be used: RemoteProtocolError',
            'silence': 'the MCP server at HOST cannot be used: no answer within 0.2 seconds',
            'no hello': 'the MCP server at HOST cannot be used: no answer within 0.3 seconds',
            'no such host': 'the MCP server at no-such-host.invalid cannot be used',
        }
    )


async def test_a_slow_server(server: Served, store: SourceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    handles = kept(store, CHRONICLE)

    async def forever(*_: object, **__: object) -> None:
        await anyio.sleep_forever()

    backend = OverMCP(server.url, local(store), timeout=5)
    await condensed(backend, handles, 'places')
    with monkeypatch.context() as patched:
        patched.setattr(Service, 'summarize', forever)
        assert without_port(await refused(backend, handles)) == snapshot(
            'the MCP server at HOST cannot be used: no answer within 5 seconds'
        )
        with anyio.move_on_after(0.1) as scope:  # whoever cancels is obeyed
            await condensed(backend, handles, 'deeds')
        assert scope.cancelled_caught
    assert (await condensed(backend, handles, 'deeds')).topics['Marn']


@pytest.mark.usefixtures('model_requests')
async def test_the_original_is_no_summary(store: SourceStore) -> None:
    """A model whose calls all fail leaves the text as it was, over the budget: the caller has that already."""
    handles = kept(store, CHRONICLE)

    def fail(*_: object) -> ModelResponse:
        raise ModelHTTPError(402, 'stub', {'detail': 'hunter2'})

    in_process = InProcess(Settings.load(**KEYLESS), store, model=FunctionModel(fail))
    said = [str(await refused(in_process, handles))]
    dead = {'llm_model': 'acme/quill', 'openrouter_api_key': 'hunter2', 'llm_max_retries': 0}
    with serving.serve(**dead, openrouter_base_url=f'http://127.0.0.1:{serving.free_port()}/v1') as server:
        backend = OverMCP(server.url, local(store))
        said.append(str(await refused(backend, handles)))
    assert said == snapshot(
        [
            'every model call failed (HTTP 402): this is the original content, 2071 tokens for a budget of 300',
            'every model call failed (ModelConnectionError): this is the original content, 2071 tokens for a budget of 300',
        ]
    )


async def test_what_else_the_summarizer_refuses(store: SourceStore) -> None:
    handles = kept(store, chronicle(60))
    said: list[str] = []
    small = {'max_input_mb': 0.05}
    with serving.serve(**small) as server:
        backend = OverMCP(server.url, local(store))
        said.append(without_port(await refused(backend, handles)))
    said.append(str(await refused(InProcess(Settings.load(**KEYLESS, **small), store), handles)))
    assert said == snapshot(
        [
            'the MCP server at HOST says: content is 0.0675 MB, over SUMMARIZER_MAX_INPUT_MB=0.05; split it or raise the limit',
            'content is 0.0675 MB, over SUMMARIZER_MAX_INPUT_MB=0.05; split it or raise the limit',
        ]
    )


def test_wrong_settings_are_said_at_once(store: SourceStore) -> None:
    for url in ('mcp.example/mcp', 'ftp://mcp.example', 'http://', ''):
        with pytest.raises(ConfigurationError, match='must be a URL that begins with http'):
            OverMCP(url, local(store))
    with pytest.raises(ConfigurationError, match='must be a URL that begins with http') as caught:
        OverMCP('http://ada:hunter2@mcp.example:x/mcp', local(store))
    assert 'hunter2' not in str(caught.value)
    for token in ('tide\nwater', 'tïde'):
        with pytest.raises(ConfigurationError, match='no HTTP header may have') as caught:
            OverMCP('http://mcp.example/mcp', local(store), token=SecretStr(token), timeout=1)
        assert token not in str(caught.value)
    with pytest.raises(ConfigurationError, match='OPENROUTER_API_KEY'):
        InProcess(Settings.load(llm_model='acme/quill'), store)


async def test_a_server_that_says_of_its_answer_what_cannot_be_read(store: SourceStore) -> None:
    async def list_tools(_context: Any, _params: Any) -> ListToolsResult:
        return ListToolsResult(tools=[])

    async def call(_context: Any, _params: CallToolRequestParams) -> CallToolResult:
        return CallToolResult(content=[TextContent(text='ok')], _meta={'summarizer/stats': 'of another version'})

    other = Server[Any]('other', on_list_tools=list_tools, on_call_tool=call)
    with served(other.streamable_http_app()) as running:
        url = f'{running.origin}/mcp'
        backend, handles = OverMCP(url, local(store)), kept(store, CHRONICLE)
        error = await refused(backend, handles)
    assert without_port(str(error)) == snapshot(
        'the MCP server at HOST says of its answer nothing that can be read; is it a summarizer of this version?'
    )
