"""What a client may hold open, try and send, before anything of it is work."""

import socket
from collections.abc import Generator
from contextlib import suppress

import httpx2
import pytest

from tests.support import serving
from tests.support.serving import Served

HEADERS = {'Accept': 'application/json, text/event-stream', 'Content-Type': 'application/json'}
HEAD = (
    b'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
    b'Accept: application/json, text/event-stream\r\n'
)


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> Generator[Served]:
    monkeypatch.setattr('summarizer_tool.server.front.HEAD_SECONDS', 0.3)
    monkeypatch.setattr('summarizer_tool.server.http.BODY_SECONDS', 0.3)
    monkeypatch.setattr('summarizer_tool.server.http.WRONG_TOKEN_SECONDS', 0.05)
    monkeypatch.setattr('summarizer_tool.server.http.WAITING_WRONG_TOKENS', 0)
    with serving.serve(mcp_auth_token='right') as server:
        yield server


def connected(server: Served) -> socket.socket:
    url = httpx2.URL(server.url)
    return socket.create_connection((url.host, url.port or 80), timeout=20)


@pytest.mark.parametrize(
    'sent',
    [
        b'',
        b'POST /mcp HT',
        HEAD,
        HEAD + b'Authorization: Bearer right\r\nContent-Length: 500\r\n\r\n{"jsonrpc"',
    ],
    ids=['nothing', 'a line', 'a head', 'a body'],
)
def test_half_a_request_is_not_kept_open(limited: Served, sent: bytes) -> None:
    with connected(limited) as connection:
        connection.sendall(sent)
        while connection.recv(1 << 16):  # until it is closed
            pass
    assert httpx2.get(limited.url.replace('/mcp', '/health')).status_code == 200


@pytest.mark.parametrize('leaves', [True, False])
def test_who_sends_half_a_body_is_no_error_of_ours(
    limited: Served, leaves: bool, caplog: pytest.LogCaptureFixture
) -> None:
    answer = b''
    with connected(limited) as connection:
        connection.sendall(HEAD + b'Authorization: Bearer right\r\nContent-Length: 500\r\n\r\n{"jsonrpc"')
        while not leaves and (received := connection.recv(1 << 16)):
            answer += received
    assert httpx2.get(limited.url.replace('/mcp', '/health')).status_code == 200
    assert answer[:12] == (b'' if leaves else b'HTTP/1.1 408')
    assert [record for record in caplog.records if record.levelname == 'ERROR'] == []


@pytest.mark.parametrize('path', [b'/mcp', b'/nowhere'])
def test_a_body_that_is_refused_already_holds_no_connection(limited: Served, path: bytes) -> None:
    with connected(limited) as connection, suppress(ConnectionError):
        connection.sendall(b'POST %b HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999999\r\n\r\n' % path)
        assert connection.recv(1 << 16)[9:11] == b'40'
        connection.settimeout(0.1)
        for _ in range(200):
            connection.sendall(b'x')
            with suppress(TimeoutError):
                if not connection.recv(1 << 16):
                    return
        pytest.fail('it is held open by a byte now and then')


def test_so_many_connections_and_no_more(limited: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('summarizer_tool.server.front.MAX_CONNECTIONS', 0)
    with connected(limited) as connection, suppress(ConnectionResetError):
        assert connection.recv(1) == b''


def test_wrong_tokens_are_slowed_down_and_the_right_one_is_not(limited: Served) -> None:
    def status(token: str) -> int:
        return httpx2.post(
            limited.url, headers={**HEADERS, 'Authorization': f'Bearer {token}'}, content=b'{}'
        ).status_code

    assert [status(f'wrong{number}') for number in range(12)] == [401] * 10 + [429] * 2
    assert status('right') == 400


@pytest.mark.parametrize(
    ('headers', 'status'),
    [(b'Mcp-Session-Id: none\r\nContent-Length: 100000000\r\n', 404), (b'Content-Length: 1000000000\r\n', 413)],
    ids=['session', 'size'],
)
def test_a_session_and_a_size_are_checked_before_the_body(limited: Served, headers: bytes, status: int) -> None:
    with connected(limited) as connection:
        connection.sendall(HEAD + b'Authorization: Bearer right\r\n' + headers + b'\r\n')
        assert connection.recv(1 << 16).startswith(b'HTTP/1.1 %d' % status)


def test_who_opens_many_sessions_loses_his_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('summarizer_tool.server.http.MAX_SESSIONS', 4)

    def status(token: str, session: str = '') -> tuple[int, str]:
        headers = {**HEADERS, 'Authorization': f'Bearer {token}', **({'Mcp-Session-Id': session} if session else {})}
        sent = {'jsonrpc': '2.0', 'id': 2, 'method': 'ping'} if session else serving.INITIALIZE
        answer = httpx2.post(server.url, headers=headers, json=sent)
        return answer.status_code, answer.headers.get('Mcp-Session-Id', '')

    with serving.serve(mcp_auth_token='one,many') as server:
        opened = [status(token) for token in ('one', *['many'] * 9)]
        assert {code for code, _ in opened} == {200}
        known = [status(token, session)[0] for token, (_, session) in zip(('one', *['many'] * 9), opened, strict=True)]
        assert known == [200] + [404] * 6 + [200] * 3
