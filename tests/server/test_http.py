"""The way into the server over HTTP: health, tokens, hosts, sizes, and what is not a request at all."""

import hmac
import json
import logging
from collections.abc import Iterator
from typing import Any

import anyio
import httpx2
import pytest
from inline_snapshot import snapshot
from mcp.shared.exceptions import MCPError

from summarizer_tool import Settings
from summarizer_tool.server import http
from summarizer_tool.server.front import is_loopback
from summarizer_tool.server.http import Arrival, Gate, collection_of, hosts_of, token_in
from tests.support import serving
from tests.support.serving import INITIALIZE, Mode, Served, text_of
from tests.support.texts import HARBOUR

MODES: list[Mode] = ['auto', 'legacy']

ACCEPT = {'Accept': 'application/json, text/event-stream'}


def post(server: Served, message: Any = INITIALIZE, **headers: str) -> httpx2.Response:
    return httpx2.post(server.url, json=message, headers={**ACCEPT, **headers}, timeout=30)


@pytest.fixture(scope='module')
def server() -> Iterator[Served]:
    with serving.serve() as served:
        yield served


@pytest.fixture(scope='module')
def guarded() -> Iterator[Served]:
    with serving.serve(mcp_auth_token='first, second') as served:
        yield served


def test_health(server: Served, guarded: Served) -> None:
    for each in (server, guarded):
        answer = httpx2.get(f'{each.origin}/health')
        assert (answer.status_code, answer.json()) == snapshot((200, {'status': 'ok'}))
    assert httpx2.head(f'{server.origin}/health').status_code == 200
    assert httpx2.post(f'{server.origin}/health').status_code == 405


def test_what_is_elsewhere(server: Served) -> None:
    answer = httpx2.get(f'{server.origin}/')
    assert (answer.status_code, answer.json()) == snapshot(
        (404, {'error': 'there is nothing here; MCP is at /mcp, health at /health'})
    )


def test_without_a_token(guarded: Served) -> None:
    answer = post(guarded)
    assert (answer.status_code, answer.headers['WWW-Authenticate'], answer.json()) == snapshot(
        (
            401,
            'Bearer realm="summarizer", error="unauthorized", error_description="send Authorization: Bearer <token>"',
            {'error': 'unauthorized', 'error_description': 'send Authorization: Bearer <token>'},
        )
    )


@pytest.mark.parametrize(
    'given', ['Bearer third', 'Bearer firs', 'Bearer first second', 'Basic first', 'Bearer', 'first', 'Bearer ü']
)
def test_with_a_wrong_token(guarded: Served, given: str) -> None:
    answer = httpx2.post(guarded.url, json=INITIALIZE, headers={**ACCEPT, 'Authorization': given.encode()})  # pyright: ignore[reportArgumentType]
    assert (answer.status_code, answer.json()['error']) == (401, 'invalid_token')
    assert answer.headers['WWW-Authenticate'].startswith('Bearer ')
    assert 'third' not in answer.text


def test_a_large_body_without_a_token_is_not_read(guarded: Served) -> None:
    answer = httpx2.post(guarded.url, content=b' ' * 5_000_000, headers=ACCEPT)
    assert answer.status_code == 401


@pytest.mark.anyio
@pytest.mark.parametrize('mode', MODES)
async def test_each_token_has_a_collection_of_its_own(guarded: Served, mode: Mode) -> None:
    async with guarded.client(token='first', mode=mode) as first, guarded.client(token='second', mode=mode) as second:
        added = await first.call_tool('add_source', {'content': f'{HARBOUR} {mode}'})
        [source_id] = (added.meta or {})['summarizer/source_ids']
        assert source_id in [resource.name for resource in (await first.list_resources()).resources]
        assert source_id not in [resource.name for resource in (await second.list_resources()).resources]
        refused = await second.call_tool('read_source', {'source_id': source_id})
        assert refused.is_error
        assert 'Harbour' not in text_of(refused)
        with pytest.raises(MCPError, match='there is no source'):
            await second.read_resource(f'source://{source_id}')


@pytest.mark.anyio
async def test_tokens_can_share_a_collection() -> None:
    with serving.serve(mcp_auth_token='first,second', mcp_shared_collection=True) as server:
        async with server.client(token='first') as first, server.client(token='second') as second:
            await first.call_tool('add_source', {'content': HARBOUR})
            [resource] = (await second.list_resources()).resources
            assert resource.title == 'Harbour of Marn'


@pytest.mark.parametrize('is_shared', [False, True])
def test_a_session_belongs_to_the_token_that_opened_it(is_shared: bool) -> None:
    with serving.serve(mcp_auth_token='first,second', mcp_shared_collection=is_shared) as server:
        opened = post(server, Authorization='Bearer first')
        session = {'Mcp-Session-Id': opened.headers['Mcp-Session-Id'], 'MCP-Protocol-Version': '2025-11-25'}
        ping = {'jsonrpc': '2.0', 'id': 2, 'method': 'ping'}
        assert post(server, ping, Authorization='Bearer first', **session).status_code == 200
        assert post(server, ping, Authorization='Bearer second', **session).status_code == 404
        assert post(server, ping, **session).status_code == 401


def test_tokens_are_compared_as_they_are() -> None:
    assert token_in(b'bearer  second ', [b'first', b'second']) == b'second'
    assert token_in(b'', [b'first']) is None
    assert collection_of('second') != collection_of('first')
    assert 'second' not in collection_of('second')


@pytest.mark.parametrize(
    ('headers', 'status'),
    [
        ({'Host': 'localhost:{port}'}, 200),
        ({'Host': '[::1]:{port}'}, 200),
        ({'Host': 'LOCALHOST:{port}'}, 200),
        ({'Host': 'evil.example'}, 421),
        ({'Host': 'evil.example:{port}'}, 421),
        ({'Host': 'localhost.evil.example:{port}'}, 421),
        ({'Origin': 'http://localhost:{port}'}, 200),
        ({'Origin': 'http://evil.example'}, 403),
    ],
)
def test_rebinding(server: Served, headers: dict[str, str], status: int, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger='summarizer_tool'):
        headers = {name: value.format(port=server.port) for name, value in headers.items()}
        assert post(server, **headers).status_code == status
    [header] = headers
    records = [record for record in caplog.records if record.name == 'summarizer_tool']
    assert [(record.getMessage(), vars(record)['value']) for record in records] == (
        []
        if status == 200
        else [
            (
                f'a request is refused because of its {header} header; if that is right, name the host in '
                'MCP_ALLOWED_HOSTS',
                headers[header],
            )
        ]
    )


def test_allowed_hosts() -> None:
    with serving.serve(mcp_allowed_hosts='MCP-Summarizer:8007,other:*') as server:
        hosts = ('mcp-summarizer:8007', 'MCP-Summarizer:8007', 'other:1', 'localhost:1', 'mcp-summarizer:8008')
        assert [post(server, Host=host).status_code for host in hosts] == [200] * 4 + [421]
        assert post(server, Host='mcp-summarizer:8007', Origin='http://mcp-summarizer:8007').status_code == 200
    with serving.serve(mcp_allowed_hosts='*') as server:
        assert post(server, Host='anything', Origin='http://anything').status_code == 200


def test_the_own_address_is_allowed() -> None:
    assert '192.0.2.7:*' in hosts_of(Settings.load(mcp_host='192.0.2.7'))
    assert '[2001:db8::7]:*' in hosts_of(Settings.load(mcp_host='2001:db8::7'))
    assert not any('0.0.0.0' in host for host in hosts_of(Settings.load(mcp_host='0.0.0.0')))


@pytest.mark.parametrize('is_chunked', [False, True])
def test_a_request_that_is_too_large(is_chunked: bool) -> None:
    with serving.serve(max_input_mb=0.01) as server:
        body = b' ' * 1_100_000
        content = iter([body]) if is_chunked else body
        answer = httpx2.post(server.url, content=content, headers={**ACCEPT, 'Content-Type': 'application/json'})
        assert (answer.status_code, answer.json()) == snapshot(
            (
                413,
                {
                    'jsonrpc': '2.0',
                    'id': None,
                    'error': {
                        'code': -32600,
                        'message': 'the request is too large: SUMMARIZER_MAX_INPUT_MB=0.01; send less text at once, give its URL to add_source, or raise the limit',
                    },
                },
            )
        )
        assert post(server).status_code == 200


@pytest.mark.anyio
@pytest.mark.parametrize('mode', MODES)
async def test_a_text_that_is_too_large(mode: Mode) -> None:
    with serving.serve(max_input_mb=0.01) as server:
        async with server.client(mode=mode) as client:
            for content in ('a' * 20_000, '\x07' * 20_000):
                answer = await client.call_tool('summarize', {'content': content})
                assert answer.is_error
                assert text_of(answer) == snapshot(
                    'content is 0.02 MB, over SUMMARIZER_MAX_INPUT_MB=0.01; split it or raise the limit'
                )
            # As large as is allowed, and six times that in JSON.
            answer = await client.call_tool('summarize', {'content': '\x07' * 9_999, 'max_output_tokens': 20_000})
            assert text_of(answer) == '\x07' * 9_999


@pytest.mark.parametrize('version', ['2025-11-25', '2026-07-28'])
@pytest.mark.parametrize('body', [b'', b'{', b'[]', b'null', b'"\xff"', b'{"jsonrpc":"2.0"}', b'[' * 100_000])
def test_malformed_bodies(server: Served, version: str, body: bytes) -> None:
    headers = {**ACCEPT, 'Content-Type': 'application/json', 'MCP-Protocol-Version': version}
    answer = httpx2.post(server.url, content=body, headers=headers)
    assert answer.status_code == 400
    assert json.loads(answer.text)['error']['message']
    assert post(server).status_code == 200


@pytest.mark.parametrize('size', [100, 300_000])
def test_half_a_character_is_replaced_and_an_id_is_none(size: int) -> None:
    """In a small body as in one that comes in pieces; for newer clients the SDK does so."""
    call = {'name': 'add_source', 'arguments': {'content': f'{"word " * (size // 5)}\n\n# The party \ud83d'}}
    with serving.serve(mcp_stateless=True) as server:
        answers = [
            httpx2.post(
                server.url,
                content=json.dumps({'jsonrpc': '2.0', 'id': number, 'method': 'tools/call', 'params': call}),
                headers={**ACCEPT, 'Content-Type': 'application/json'},
                timeout=60,
            )
            for number in (7, None, 1.5, True, [1])
        ]
    assert 'The party \ufffd' in answers[0].text
    assert [(answer.status_code, answer.json()['error']['message']) for answer in answers[1:]] == [
        (400, http.INVALID)
    ] * 4


def test_stateless_sessions_need_no_id() -> None:
    with serving.serve(mcp_stateless=True) as server:
        listed = post(server, {'jsonrpc': '2.0', 'id': 1, 'method': 'tools/list'})
        assert listed.status_code == 200
        assert 'summarize_for_extraction' in listed.text
        assert 'Mcp-Session-Id' not in post(server).headers


@pytest.mark.anyio
async def test_a_client_that_takes_nothing_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its call is given up, and nothing waits for it."""
    monkeypatch.setattr(http, 'STALLED_SECONDS', 0.05)
    seen: list[Arrival] = []

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope['summarizer.arrival'])
        await send({'type': 'http.response.start', 'status': 200, 'headers': []})
        await send({'type': 'http.response.body', 'body': b'never taken', 'more_body': True})

    async def receive() -> Any:
        return {'type': 'http.request', 'body': json.dumps(INITIALIZE).encode()}

    async def send(message: Any) -> None:
        if message.get('body'):
            await anyio.sleep_forever()

    scope = {'type': 'http', 'method': 'POST', 'path': '/mcp', 'headers': [(b'host', b'localhost:8007')]}
    with anyio.fail_after(30):
        await Gate(Settings.load(), answer)(scope, receive, send)
    assert seen[0].lost.is_set()


@pytest.mark.parametrize('given', [b'first', b'second', b'third', b'f', b''])
def test_tokens_are_compared_in_constant_time(given: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them, whichever fits, by the one comparison that takes as long wherever they differ."""
    compared: list[tuple[bytes, bytes]] = []

    class Guarded(bytes):
        """A token that cannot be compared in any other way."""

        def __eq__(self, other: object) -> bool:
            raise AssertionError('compared by ==, which takes longer the more is right')

        __hash__ = bytes.__hash__

    def compare(token: bytes, other: bytes) -> bool:
        compared.append((bytes(token), other))
        return compare_digest(bytes(token), other)

    compare_digest = hmac.compare_digest
    monkeypatch.setattr(hmac, 'compare_digest', compare)
    opened = token_in(b'Bearer ' + given, [Guarded(b'first'), Guarded(b'second')])
    assert (opened is not None) == (given in (b'first', b'second'))
    assert compared == [(b'first', given), (b'second', given)]


def test_names_and_numbers_of_this_machine() -> None:
    assert all(
        map(is_loopback, ['localhost', '127.0.0.1:8', '127.9.9.9', '::1', '[::1]', '[::1]:8', '::ffff:127.0.0.1'])
    )
    assert not any(
        map(is_loopback, ['', ':8', '0.0.0.0', 'localhost.evil.example', '127.1.evil', '[', 'a:b:c', '10.0.0.1'])
    )


def test_the_size_of_a_request() -> None:
    """A megabyte for all that is not content, and six bytes of JSON for one of text; one byte more is not read."""
    with serving.serve(max_input_mb=0.01) as server:
        headers = {**ACCEPT, 'Content-Type': 'application/json'}
        statuses = [
            httpx2.post(server.url, content=text * size, headers=headers, timeout=30).status_code
            for text, size in ((b'\\', 6_060_000), (b'\\', 6_060_001), (b' ', 1_010_000), (b' ', 1_010_001))
        ]
    assert statuses == [400, 413, 400, 413]
