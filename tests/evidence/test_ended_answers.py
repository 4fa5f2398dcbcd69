"""What becomes of an answer that is cancelled, or whose time is up."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest
from anyio import Event
from inline_snapshot import snapshot

from summarizer_tool.server.tools import DEFECT
from summarizer_tool.service.retrieval import EvidenceBrief, Retriever
from tests.support import serving
from tests.support.serving import Mode, meta_of, text_of, until
from tests.support.site import Site, site

pytestmark = pytest.mark.anyio

MODES: list[Mode] = ['auto', 'legacy']
KAPLAN = 'From which barrage were the Kaplan sets bought?'


def unstable(text: str, web: Site) -> str:
    """A text without what differs between runs."""
    return re.sub(r'\d\.\d\d(?=,|\n)|\d+(?= ms)', '…', text.replace(web.host, 'station.example'))


@dataclass
class Hanging:
    """A site whose pages never come; its robots.txt does."""

    host: str
    asked: list[str] = field(default_factory=list[str])
    lost: Event = field(default_factory=Event)
    """Set when a client has closed the connection of a page."""


@asynccontextmanager
async def hanging() -> AsyncGenerator[Hanging]:
    async def handle(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            path = (await stream.receive()).split()[1].decode()
            if path == '/robots.txt':
                await stream.send(b'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
                return
            seen.asked.append(path)
            try:
                while True:
                    await stream.receive()
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                seen.lost.set()

    listener = await anyio.create_tcp_listener(local_host='127.0.0.1')
    seen = Hanging(f'127.0.0.1:{listener.extra(anyio.abc.SocketAttribute.local_port)}')
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, handle)
        yield seen
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize('mode', MODES)
async def test_a_cancelled_answer_stops_its_fetches(mode: Mode) -> None:
    async with hanging() as far:
        with serving.serve(fetch_allow_hosts=far.host) as server:
            async with server.client(mode=mode) as client:
                async with anyio.create_task_group() as tasks:
                    asked = {'url': [f'http://{far.host}/{number}' for number in range(4)], 'query': KAPLAN}
                    tasks.start_soon(client.call_tool, 'answer', asked)
                    await until(lambda: len(far.asked) == 2)  # of one host, not more at once
                    tasks.cancel_scope.cancel()
                with anyio.fail_after(30):
                    await far.lost.wait()
                await until(lambda: len(server.tools.calls._running) == 0)
                assert len(far.asked) == 2
                assert not (await client.call_tool('status', {})).is_error


async def test_what_is_there_by_the_timeout_is_answered_with() -> None:
    with site() as web:
        web.slow(60)
        with serving.serve(fetch_allow_hosts=web.host, mcp_tool_timeout=5) as server:
            async with server.client() as client:
                asked = {
                    'url': [web.url('/guide/safety'), web.url('/slow')],
                    'query': 'How fast does the gallery fill?',
                }
                answer = await client.call_tool('answer', asked)
                text = text_of(answer)
                assert not answer.is_error
                assert 'fills within seven minutes once the siren has sounded' in text
                meta = meta_of(answer)
                assert (meta['partial'], meta['stop_reason'], meta['failures']) == (True, 'deadline', 1)
                assert unstable(text[text.index('[PARTIAL]') : text.index('\n\n[SOURCES]')], web) == snapshot("""\
[PARTIAL]
- The time was over before everything was looked at. Call `answer` again with the same urls: what was fetched is stored, so that the next call gets further.
- http://station.example/slow: the deadline came before it was there; ask again, or give the call more time; give another address for it, or add its text as a source.\
""")


async def test_nothing_by_the_timeout_is_told_as_such() -> None:
    async with hanging() as far:
        with serving.serve(fetch_allow_hosts=far.host, mcp_tool_timeout=3) as server:
            async with server.client() as client:
                late = await client.call_tool('answer', {'url': f'http://{far.host}/', 'query': 'highest tide'})
                assert late.is_error
                told = r'\[ERROR\] timeout\n\nDetail: .* within [\d.]+ seconds \(MCP_TOOL_TIMEOUT=3\)\.\n'
                assert re.match(told, text_of(late))


async def test_work_that_ignores_the_deadline_is_told_in_the_same_form(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(*_: object, **__: object) -> EvidenceBrief:
        with anyio.CancelScope() as scope:
            await anyio.sleep_forever()
        assert scope.cancelled_caught is False
        raise AssertionError

    async def fail(*_: object, **__: object) -> EvidenceBrief:
        raise ValueError('hunter2')

    with serving.serve(mcp_tool_timeout=1) as server:
        async with server.client() as client:
            monkeypatch.setattr(Retriever, 'run', hang)
            late = await client.call_tool('search', {'query': 'siren'})
            monkeypatch.setattr(Retriever, 'run', fail)
            failed = await client.call_tool('search', {'query': 'siren'})
    assert late.is_error
    assert failed.is_error
    assert [text_of(each).splitlines()[0] for each in (late, failed)] == ['[ERROR] timeout', '[ERROR] failed']
    assert DEFECT in text_of(failed)
    assert 'hunter2' not in text_of(failed)
