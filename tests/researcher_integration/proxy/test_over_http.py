"""The proxy over HTTP, outwards and to its servers."""

from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import anyio
import httpx2
import pytest
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Image
from mcp.shared.subscriptions import ToolsListChanged
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from researcher_integration.proxy import audience, connection
from researcher_integration.proxy.proxy_server import RULES, proxying
from researcher_integration.proxy.servers import from_url
from tests.support import serving
from tests.support.proxied import proxied, proxied_server
from tests.support.serving import Served, text_of
from tests.support.threaded_server import served

pytestmark = pytest.mark.anyio

TOKEN = 'night-watch'

LONG = '\n'.join(f'2024-05-01 10:00:{line % 60:02} INFO lamp {line} is lit' for line in range(600))


class Lamps:
    """A server over HTTP that wants a token, and can be made to forget its sessions."""

    def __init__(self, *, stateless: bool = False) -> None:
        self.url = ''
        self.sessions = 0
        self.forgets = False
        self.hangs = False
        self.refuses = 0
        mcp = MCPServer('lamps')

        @mcp.tool()
        def log() -> str:
            return LONG

        @mcp.tool()
        def picture() -> Image:
            return Image(data=bytes(1_000_000), format='png')

        @mcp.tool()
        async def light(context: Context[Any]) -> str:
            await context.session.send_tool_list_changed()
            return 'lit'

        self._app = mcp.streamable_http_app(stateless_http=stateless)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope['type'] == 'http':
            headers = dict(scope['headers'])
            status = 0 if headers.get(b'authorization') == f'Bearer {TOKEN}'.encode() else 401
            status = self.refuses or status
            if self.forgets and b'mcp-session-id' in headers:
                status = 404
            while self.hangs and scope['method'] == 'DELETE':  # until the client has gone
                self.hangs = (await receive())['type'] != 'http.disconnect'
            if status:
                await send({'type': 'http.response.start', 'status': status, 'headers': []})
                await send({'type': 'http.response.body', 'body': b''})
                return
            if b'mcp-session-id' not in headers:
                self.sessions += 1
                self.forgets = False
        await self._app(scope, receive, send)


@pytest.fixture(scope='module')
def running() -> Iterator[Lamps]:
    lamps = Lamps()
    with served(lamps) as server:
        lamps.url = f'{server.origin}/mcp'
        yield lamps


@pytest.fixture(scope='module')
def proxy(running: Lamps) -> Iterator[Served]:
    behind = proxied_server('lamps', url=running.url, headers={'Authorization': f'Bearer {TOKEN}'})
    with serving.serve(partial(proxying, [behind], RULES), mcp_auth_token='first,second') as server:
        yield server


@pytest.mark.parametrize('mode', ['legacy', 'auto'])
async def test_each_token_reads_only_its_own_results(proxy: Served, mode: serving.Mode) -> None:
    async with proxy.client(token='first', mode=mode) as client:
        result = await client.call_tool('log', {})
        handle = (result.meta or {})['summarizer/source_id']
        read = {'source_id': handle, 'max_tokens': 100}
        assert 'lamp 0 is lit' in text_of(await client.call_tool('read_source', read))
    async with proxy.client(token='second', mode=mode) as client:
        assert (await client.call_tool('read_source', read)).is_error


async def test_nobody_comes_in_without_a_token_or_from_another_host(proxy: Served) -> None:
    async with httpx2.AsyncClient() as client:
        assert (await client.post(proxy.url, json=serving.INITIALIZE)).status_code == 401
        headers = {'Authorization': 'Bearer first', 'Host': 'evil.example'}
        assert (await client.post(proxy.url, json=serving.INITIALIZE, headers=headers)).status_code == 421
        assert (await client.get(f'{proxy.origin}/health')).json() == {'status': 'ok'}


async def test_a_changed_list_reaches_all_sessions(proxy: Served) -> None:
    async with anyio.create_task_group() as tasks:
        changed = [anyio.Event(), anyio.Event()]
        there = [anyio.Event(), anyio.Event()]

        async def listen(number: int) -> None:
            async def hear(message: Any) -> None:
                if getattr(message, 'method', '') == 'notifications/tools/list_changed':
                    changed[number].set()

            async with proxy.client(token='first', mode='legacy', message_handler=hear) as client:
                await client.list_tools()
                there[number].set()
                # The stream on which it is told may be opened a little later: told again until it is heard.
                while not changed[number].is_set():
                    await client.call_tool('light', {})
                    with anyio.move_on_after(0.1):
                        await changed[number].wait()

        tasks.start_soon(listen, 0)
        tasks.start_soon(listen, 1)
        for event in (*there, *changed):
            await event.wait()


async def test_a_session_that_the_server_has_forgotten_is_begun_anew(
    running: Lamps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('LAMPS_TOKEN', TOKEN)
    behind = from_url(running.url, ['Authorization: Bearer ${LAMPS_TOKEN}'], 'lamps')
    async with proxied({'lamps': behind}) as client:
        before = running.sessions
        assert not (await client.call_tool('light', {})).is_error
        running.forgets = True
        assert not (await client.call_tool('light', {})).is_error
        assert running.sessions == before + 1


async def test_a_session_that_cannot_be_ended_keeps_nobody_from_the_next(
    running: Lamps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, 'END_SECONDS', 0.1)
    behind = proxied_server('lamps', url=running.url, headers={'Authorization': f'Bearer {TOKEN}'})
    async with proxied({'lamps': behind}) as client:
        assert not (await client.call_tool('light', {})).is_error
        running.forgets = running.hangs = True
        with anyio.fail_after(20):
            assert not (await client.call_tool('light', {})).is_error


async def test_who_does_not_read_keeps_nobody_from_hearing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audience, 'SEND_SECONDS', 0.1)
    heard: list[str] = []

    class Client:
        def __init__(self, name: str) -> None:
            self.name = name
            self.request = Request({'type': 'http', 'headers': [(b'mcp-session-id', name.encode())]})
            self.session = self

        async def send_notification(self, notification: Any, related_request_id: Any) -> None:
            if self.name == 'deaf':
                await anyio.sleep_forever()
            heard.append(self.name)

    told = audience.Audience()
    for name in ('deaf', 'first', 'second'):
        told.joins(cast('Any', Client(name)))
    with anyio.fail_after(20):
        await told.changed(ToolsListChanged())
    assert sorted(heard) == ['first', 'second']


async def test_a_result_may_have_more_than_a_megabyte(running: Lamps) -> None:
    behind = proxied_server('lamps', url=running.url, headers={'Authorization': f'Bearer {TOKEN}'})
    async with proxied({'lamps': behind}) as client:
        [image] = (await client.call_tool('picture', {})).content
    assert image.type == 'image'


async def test_a_wrong_token_is_told_without_it(running: Lamps) -> None:
    behind = proxied_server('lamps', url=running.url, headers={'Authorization': 'Bearer hunter2'})
    async with proxied({'lamps': behind}) as client:
        with pytest.raises(MCPError) as failed:
            await client.list_tools()
    assert 'The server lamps cannot be reached (it answers with HTTP 401: it asks for a token' in failed.value.message
    assert 'hunter2' not in failed.value.message


@pytest.mark.parametrize(
    ('status', 'reason'),
    [(403, 'it answers with HTTP 403: it refuses this token or address'), (502, 'it answers with HTTP 502)')],
)
async def test_a_server_that_answers_nothing_of_the_protocol(running: Lamps, status: int, reason: str) -> None:
    running.refuses = status
    try:
        async with proxied({'lamps': proxied_server('lamps', url=running.url)}) as client:
            with pytest.raises(MCPError) as failed:
                await client.list_tools()
    finally:
        running.refuses = 0
    assert f'The server lamps cannot be reached ({reason}' in failed.value.message


async def test_a_server_that_refuses_is_told_by_what_it_answers(running: Lamps) -> None:
    behind = proxied_server('lamps', url=running.url, headers={'Authorization': f'Bearer {TOKEN}'})
    async with proxied({'lamps': behind}) as client:
        assert not (await client.call_tool('light', {})).is_error
        running.refuses = 403
        try:
            said = [text_of(await client.call_tool('light', {})) for _ in range(2)]
        finally:
            running.refuses = 0
        assert not (await client.call_tool('light', {})).is_error
    assert 'The server lamps was lost while it worked on this' in said[0]
    assert 'The server lamps cannot be reached (it answers with HTTP 403: it refuses this token or address' in said[1]


async def test_an_answer_that_fails_ends_no_other_call() -> None:
    lamps = Lamps(stateless=True)
    with served(lamps) as server:
        headers = {'Authorization': f'Bearer {TOKEN}'}
        async with proxied({'lamps': proxied_server('lamps', url=f'{server.origin}/mcp', headers=headers)}) as client:
            assert not (await client.call_tool('light', {})).is_error
            lamps.refuses = 503
            with pytest.raises(MCPError) as failed:
                await client.call_tool('light', {})
            lamps.refuses = 0
    assert 'was lost' not in failed.value.message
