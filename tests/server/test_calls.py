"""Calls while they run: progress, heartbeats, the deadline, cancellation, and clients that go away."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import pairwise
from typing import Any

import anyio
import httpx2
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from mcp import Client, MCPError

from summarizer_tool.llm.options import Progress, RequestOptions
from summarizer_tool.runtime import turns
from summarizer_tool.server import calls as server_calls
from summarizer_tool.server.calls import CallsInFlight, ProgressReport
from summarizer_tool.service.service import Service
from tests.support import provider, replies, serving
from tests.support.provider import Provider
from tests.support.replies import Behaviour, Hang, by_prompt
from tests.support.serving import Mode, Served, meta_of, text_of, until
from tests.support.texts import CHRONICLE, chronicle

MODES: list[Mode] = ['auto', 'legacy']

LARGE = chronicle(150)
"""Over 64 kB: its request is more than the HTTP server reads at once."""


@contextmanager
def served(behaviour: Behaviour, **settings: Any) -> Iterator[tuple[Served, Provider]]:
    """A server whose model is a simulated provider."""
    with provider.serve(behaviour) as llm:
        given = {
            'llm_model': replies.MODEL,
            'openrouter_base_url': llm.base_url,
            'default_chunk_size_tokens': 900,
            'llm_max_retries': 0,
            'max_concurrent_llm_calls': 2,
        }
        with serving.serve(**{**given, **settings}) as server:
            yield server, llm


# The report alone.


def step(done: int, total: int) -> Progress:
    return Progress('map', done, total, f'chunk {done} of {total}')


@pytest.mark.anyio
async def test_every_step_is_told() -> None:
    sent: list[Any] = []

    async def send(progress: float, total: float | None, message: str) -> None:
        sent.append((progress, total, message))

    async with anyio.create_task_group() as tasks:
        report = ProgressReport(send)
        tasks.start_soon(report.run)
        for each in (step(1, 3), step(2, 3), step(3, 3), Progress('reduce', 1, 1, 'merged')):
            report.tell(each)
        await until(lambda: len(sent) >= 4)
        tasks.cancel_scope.cancel()
    assert sent == snapshot([(1, 4, 'chunk 1 of 3'), (2, 4, 'chunk 2 of 3'), (3, 4, 'chunk 3 of 3'), (4, 5, 'merged')])


@given(st.lists(st.one_of(st.none(), st.tuples(st.integers(0, 50), st.integers(0, 50))), max_size=60))
def test_progress_only_rises(events: list[tuple[int, int] | None]) -> None:
    """Whatever the steps say of themselves, and however many heartbeats lie between them."""
    sent: list[tuple[float, float | None]] = []

    async def send(progress: float, total: float | None, message: str) -> None:
        sent.append((progress, total))

    async def tell() -> None:
        report = ProgressReport(send)
        for event in events:
            if event is None:
                await report._beat()
            else:
                report.tell(Progress('reduce', *event, 'merged'))
                report._said, report._beats = report._waiting.popleft(), 0
                await send(*report._said)

    anyio.run(tell)
    values = [progress for progress, _ in sent]
    assert all(before < after for before, after in pairwise(values))
    assert all(total is None or progress < total for progress, total in sent)


@pytest.mark.anyio
async def test_a_client_that_does_not_read_holds_up_nothing() -> None:
    async def send(progress: float, total: float | None, message: str) -> None:
        await anyio.sleep_forever()

    async def work(options: RequestOptions) -> str:
        assert options.on_progress is not None
        for number in range(1000):
            options.on_progress(step(number, 1000))
            await checkpoint()
        return 'done'

    assert await CallsInFlight(10.0).in_time(work, send, arrived=anyio.current_time()) == 'done'


# Over a socket, with a model that takes its time.

pytest_model = pytest.mark.usefixtures('model_requests')


@pytest_model
@pytest.mark.anyio
@pytest.mark.parametrize('mode', MODES)
async def test_progress_reaches_the_client(mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_calls, 'HEARTBEAT_SECONDS', 0.05)
    told: list[tuple[float, float | None, str | None]] = []
    after: list[float] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        (after if is_done else told).append((progress, total, message))  # pyright: ignore[reportArgumentType]

    is_done = False
    with served(Behaviour(latency=0.25)) as (server, _):
        async with server.client(mode=mode) as client:
            answer = await client.call_tool(
                'summarize', {'content': CHRONICLE, 'max_output_tokens': 400}, progress_callback=tell
            )
            is_done = True
            await anyio.sleep(0.15)
            quiet = await client.call_tool('summarize', {'content': f'{CHRONICLE}.', 'max_output_tokens': 400})
    assert not answer.is_error
    assert not quiet.is_error
    values = [progress for progress, _, _ in told]
    assert values == sorted(set(values))
    assert after == []
    steps = [message for progress, _, message in told if progress == int(progress) and progress]
    stats = meta_of(answer)['stats']
    assert sum('chunk' in message for message in steps if message) == stats['map_calls']
    assert any(message and 's so far' in message for _, _, message in told)
    assert told[0][0] < 1


@pytest_model
@pytest.mark.anyio
async def test_there_is_an_answer_by_the_deadline() -> None:
    answers: list[Any] = []

    async def call(mode: Mode) -> None:
        async with server.client(mode=mode) as client:
            asked = {'content': f'{CHRONICLE} {mode}', 'max_output_tokens': 600}
            answers.append(await client.call_tool('summarize', asked))

    with served(Behaviour(answer=lambda _: Hang(60)), mcp_tool_timeout=3) as (server, _), anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, 'auto')
            tasks.start_soon(call, 'legacy')
    for answer in answers:
        assert (answer.is_error, meta_of(answer)['state']) == (False, 'degraded')
        told = text_of(answer).splitlines()[-1]
        # On a busy machine the embedded model may have no time either.
        assert 'summarized without the model' in told or 'only its beginning, for lack of time' in told


@pytest.mark.anyio
async def test_a_resource_is_read_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a call is: it is in flight, on behalf of its client, and ends by the deadline."""
    seen: list[tuple[int, str]] = []

    async def hang(_service: Service, _asked: object) -> None:
        seen.append((len(server.tools.calls._running), turns._client.get()))
        await anyio.sleep(60)

    monkeypatch.setattr(Service, 'read_source', hang)
    with serving.serve(llm_model='extractive', mcp_tool_timeout=1) as server, anyio.fail_after(30):
        async with server.client() as client:
            with pytest.raises(MCPError, match='no answer within MCP_TOOL_TIMEOUT=1 seconds'):
                await client.read_resource('source://src_0123456789ab')
    assert seen == snapshot([(1, 'default')])


@asynccontextmanager
async def hanging_call(client: Client, llm: Provider, content: str) -> AsyncIterator[None]:
    """A call that waits for the model; the block begins when the model has been asked, and its end cancels the call."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, 'summarize', {'content': content, 'max_output_tokens': 400})
        await until(lambda: len(llm.requests) == 2)
        yield
        tasks.cancel_scope.cancel()


async def calls_end(server: Served, llm: Provider) -> None:
    """No call runs any more, and the model's work has been cancelled."""
    await until(lambda: not server.tools.calls._running)
    await until(lambda: all(connection.lost.is_set() for connection in llm._waiting))
    seen = len(llm.requests)
    await anyio.sleep(0.1)
    assert len(llm.requests) == seen == 2


@pytest_model
@pytest.mark.anyio
@pytest.mark.parametrize('mode', MODES)
async def test_a_cancelled_call_stops_the_model_calls(mode: Mode) -> None:
    with served(Behaviour(answer=lambda _: Hang(60))) as (server, llm):
        async with server.client(mode=mode) as client:
            async with hanging_call(client, llm, CHRONICLE):
                assert len(server.tools.calls._running) == 1
            await calls_end(server, llm)
            assert not (await client.call_tool('summarize', {'content': 'short'})).is_error


@pytest_model
@pytest.mark.anyio
@pytest.mark.parametrize('version', ['2025-11-25', '2026-07-28'])
@pytest.mark.parametrize('content', [CHRONICLE, LARGE], ids=['small', 'large'])
async def test_a_lost_client_stops_the_model_calls(version: str, content: str) -> None:
    """The connection is closed without a word."""
    headers = {'Accept': 'application/json, text/event-stream', 'MCP-Protocol-Version': version}
    arguments = {'content': content, 'max_output_tokens': 400}
    message: dict[str, Any] = {
        'jsonrpc': '2.0',
        'id': 7,
        'method': 'tools/call',
        'params': {'name': 'summarize', 'arguments': arguments},
    }
    with served(Behaviour(answer=lambda _: Hang(60))) as (server, llm):
        async with httpx2.AsyncClient(headers=headers) as client:
            if version == '2025-11-25':
                opened = await client.post(server.url, json=serving.INITIALIZE)
                client.headers['Mcp-Session-Id'] = opened.headers['Mcp-Session-Id']
            else:
                message['params']['_meta'] = {
                    'io.modelcontextprotocol/protocolVersion': version,
                    'io.modelcontextprotocol/clientCapabilities': {},
                }
                client.headers['Mcp-Method'] = 'tools/call'
                client.headers['Mcp-Name'] = 'summarize'
            async with anyio.create_task_group() as tasks:

                async def call() -> None:
                    await client.post(server.url, json=message, timeout=60)

                tasks.start_soon(call)
                await until(lambda: len(llm.requests) == 2)
                tasks.cancel_scope.cancel()
        await calls_end(server, llm)


@pytest_model
@pytest.mark.anyio
async def test_what_was_finished_is_not_paid_for_again() -> None:
    """A call that ran out of time goes on where it was."""
    hang = by_prompt(lambda prompt: '\n## Year 603 ' in prompt, Hang(60))
    with served(Behaviour(answer=hang), mcp_tool_timeout=6) as (server, llm):
        async with server.client() as client:
            asked = {'content': CHRONICLE, 'max_output_tokens': 400}
            first = await client.call_tool('summarize', asked)
            assert meta_of(first)['state'] == 'degraded'
            before = len(llm.requests)
            llm.behaviour = Behaviour()
            again = await client.call_tool('summarize', asked)
            stats = meta_of(again)['stats']
            assert meta_of(again)['state'] == 'complete'
            assert stats['cached_calls'] > 0
            assert len(llm.requests) - before == stats['map_calls'] + stats['reduce_calls'] == 1
