"""The application: who may come in, and what is heard over a real connection."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import httpx2
import pytest
from inline_snapshot import snapshot
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.routing import Mount

from researcher_integration.timeline import app as timeline_module
from researcher_integration.timeline.app import timeline_app
from researcher_integration.timeline.broker import Hub
from researcher_integration.timeline.log import EventLog
from summarizer_tool import ConfigurationError
from tests.support.timeline import call, note, result, shown

pytestmark = pytest.mark.anyio

HOSTILE = '</script><img src=x onerror=alert(1)>\r\n\r\nevent: end\ndata: {}\n\n\u2028 \x00 "]}'


@dataclass
class Heard:
    """One block of a stream."""

    id: int | None
    type: str
    data: Any
    comment: str = ''


def parsed(block: str) -> Heard:
    """A block as an EventSource reads it."""
    fields = dict(line.split(': ', 1) for line in block.splitlines() if not line.startswith(':'))
    if block.startswith(':'):
        return Heard(None, '', None, block[1:].strip())
    data = json.loads(fields['data']) if 'data' in fields else None
    return Heard(int(fields['id']) if 'id' in fields else None, fields.get('event', ''), data)


async def blocks(response: httpx2.Response) -> AsyncIterator[Heard]:
    buffer = b''
    async for chunk in response.aiter_bytes():
        *done, buffer = (buffer + chunk).split(b'\n\n')
        for block in done:
            yield parsed(block.decode())


@asynccontextmanager
async def listening(url: str, **headers: str) -> AsyncGenerator[AsyncIterator[Heard]]:
    async with (
        httpx2.AsyncClient(timeout=20, trust_env=False) as client,
        client.stream(
            'GET', url, headers={name.replace('_', '-'): value for name, value in headers.items()}
        ) as response,
    ):
        assert response.status_code == 200, await response.aread()
        assert response.headers['content-type'].startswith('text/event-stream')
        heard = blocks(response)
        assert (await anext(heard)).type == ''  # when to come back
        yield heard


async def until_end(url: str, **headers: str) -> list[Heard]:
    async with listening(url, **headers) as heard:
        return [block async for block in heard]


def local(app: Starlette, client: tuple[str, int] = ('127.0.0.1', 1)) -> httpx2.AsyncClient:
    """A client without a network."""
    transport = httpx2.ASGITransport(app=app, client=client)
    return httpx2.AsyncClient(transport=transport, base_url='http://127.0.0.1:8008')


async def test_a_run_is_heard_while_it_happens_and_to_its_end() -> None:
    hub = Hub()
    timeline = hub.open('run 1/ä')
    with shown(hub) as served:
        await timeline.emit(call()[0])
        async with listening(f'{served.url}/events?run=run+1%2F%C3%A4') as heard:
            first = await anext(heard)
            # Over its loop and its thread, while the run goes on here.
            for draft in call()[1:]:
                await timeline.emit(draft)
            await timeline.close()
            rest = [block async for block in heard]
    assert [(block.id, block.type) for block in (first, *rest)] == snapshot(
        [
            (1, 'tool_call'),
            (2, 'tool_call'),
            (3, 'tool_result'),
            (4, 'tool_call.summarizing'),
            (5, 'summary.delta'),
            (6, 'summary.delta'),
            (7, 'summary.delta'),
            (8, 'tool_summary'),
            (None, 'end'),
        ]
    )
    assert rest[-1].data == {'after': 8}
    assert first.data == json.loads(timeline.log.read('run 1/ä', limit=1)[0].model_dump_json())


async def test_who_comes_back_goes_on_where_it_was() -> None:
    hub = Hub()
    async with hub.open('run') as timeline:
        for _ in range(5):
            await timeline.emit(result())
    with shown(hub) as served:
        url = f'{served.url}/events?run=run'
        assert [block.id for block in await until_end(f'{url}&after=3')] == [4, 5, None]
        assert [block.id for block in await until_end(f'{url}&after=1', last_event_id='4')] == [5, None]
        async with httpx2.AsyncClient(trust_env=False) as client:
            # An EventSource that has heard everything is told to stay away.
            assert (await client.get(url, headers={'Last-Event-ID': '5'})).status_code == 204


async def test_many_follow_at_once_and_all_hear_the_same() -> None:
    hub = Hub()
    timeline = hub.open('run')
    with shown(hub) as served:
        heard: list[list[int | None]] = []

        async def follow() -> None:
            heard.append([block.id for block in await until_end(f'{served.url}/events?run=run')])

        async with anyio.create_task_group() as tasks:
            for _ in range(10):
                tasks.start_soon(follow)
            for number in range(200):
                await timeline.emit(result(str(number)))
                await anyio.lowlevel.checkpoint()
            await timeline.close()
    assert heard == [[*range(1, 201), None]] * 10


async def test_whatever_an_event_says_it_stays_one_event() -> None:
    hub = Hub()
    async with hub.open('run') as timeline:
        await timeline.emit(result(HOSTILE, call_id=HOSTILE[:40]))
    with shown(hub) as served:
        [event, end] = await until_end(f'{served.url}/events?run=run')
    assert (event.data['text'], event.data['call_id']) == (HOSTILE, HOSTILE[:40])
    assert (end.type, end.data) == ('end', {'after': 1})


async def test_a_silent_run_is_heard_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline_module, 'HEARTBEAT_SECONDS', 0.05)
    hub = Hub()
    timeline = hub.open('run')
    with shown(hub) as served:
        async with listening(f'{served.url}/events?run=run') as heard:
            assert [(await anext(heard)).comment for _ in range(3)] == ['still here'] * 3
            await timeline.emit(note())
            assert (await anext(block async for block in heard if block.type)).type == 'summary.delta'
    await timeline.close()


async def test_a_client_that_reads_nothing_harms_nobody() -> None:
    hub = Hub()
    timeline = hub.open('run')
    with shown(hub) as served:
        port = int(served.url.rpartition(':')[2])
        reader, writer = await asyncio.open_connection('127.0.0.1', port)
        writer.write(b'GET /events?run=run HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
        await reader.readuntil(b'retry')
        with anyio.fail_after(60):
            for _ in range(80):
                await timeline.emit(result('x' * 200_000))
        await timeline.close()
        rest = b''
        with anyio.fail_after(60):
            while chunk := await reader.read(1_000_000):
                rest += chunk
        writer.close()
        assert [int(line[4:]) for line in rest.split(b'\n') if line.startswith(b'id: ')] == list(range(1, 81))
        assert b'event: end' in rest[-300:]


async def test_the_log_of_another_process_is_shown(tmp_path: Path) -> None:
    path = tmp_path / 't.sqlite3'
    with EventLog(path) as log, EventLog(path) as read, shown(read, token='lamp-oil') as served:
        timeline = Hub(log).open('run')
        await timeline.emit(result('before'))
        async with listening(f'{served.url}/events?run=run', authorization='Bearer lamp-oil') as heard:
            assert (await anext(heard)).data['text'] == 'before'
            await timeline.emit(result('after'))
            assert (await anext(heard)).data['text'] == 'after'
            await timeline.close()
            assert (await anext(heard)).type == 'end'


# Who may come in.


async def test_with_a_token_nobody_reads_without_it() -> None:
    hub = Hub()
    async with hub.open('run') as timeline:
        await timeline.emit(result())
    app = timeline_app(hub, token=SecretStr('lamp-oil'))
    async with local(app, client=('203.0.113.9', 1)) as client:
        for path in ('/runs', '/events?run=run', '/unknown', '/events?run=run&token=lamp-oil', '/runs/'):
            for given in (
                None,
                'Bearer',
                'Bearer lamp',
                'Basic lamp-oil',
                'Bearer lamp-oil2',
                'lamp-oil',
                'Bearer \xe4',
            ):
                headers = {} if given is None else {'Authorization': given.encode('latin-1')}
                response = await client.get(path, headers=headers)  # pyright: ignore[reportArgumentType]
                assert response.status_code == 401, (path, given)
                assert response.headers['www-authenticate'].startswith('Bearer realm="timeline"')
        for given in ('Bearer lamp-oil', 'bearer  lamp-oil '):
            # A token may come from anywhere: it is the token that counts.
            headers = {'Authorization': given, 'Host': 'timeline.example', 'Origin': 'https://timeline.example'}
            assert (await client.get('/runs', headers=headers)).status_code == 200
            assert (await client.get('/events?run=run', headers=headers)).status_code == 200
        for path in ('/', '/health', '/page.js', '/page.css'):
            assert (await client.get(path)).status_code == 200


@pytest.mark.parametrize('token', ['Gull-93x', SecretStr('Gull-93x'), SecretStr('Öl für 7 Lampen'), 'voilà'])
async def test_a_token_is_a_plain_string_or_a_secret_of_any_characters(token: str | SecretStr) -> None:
    said = token if isinstance(token, str) else token.get_secret_value()
    async with local(timeline_app(Hub(), token=token)) as client:
        assert (await client.get('/runs')).status_code == 401
        right = {'Authorization': f'Bearer {said}'.encode()}
        assert (await client.get('/runs', headers=right)).status_code == 200  # pyright: ignore[reportArgumentType]
    with pytest.raises(ConfigurationError, match='token of the timeline is empty'):
        timeline_app(Hub(), token=' ')


@pytest.mark.parametrize(
    ('headers', 'client', 'status'),
    [
        ({}, '127.0.0.1', 200),
        ({'Host': 'localhost:99'}, '::1', 200),
        ({'Host': '[::1]:99'}, '127.0.0.1', 200),
        ({'Host': 'LOCALHOST', 'Origin': 'http://localhost:3000'}, '127.0.0.1', 200),
        ({'Host': 'timeline.example'}, '127.0.0.1', 403),
        ({'Host': '127.0.0.1.evil.example'}, '127.0.0.1', 403),
        ({'Host': '127.evil.example'}, '127.0.0.1', 403),
        ({'Origin': 'https://evil.example'}, '127.0.0.1', 403),
        ({'Origin': 'null'}, '127.0.0.1', 403),
        ({}, '203.0.113.9', 403),
    ],
)
async def test_without_a_token_only_this_machine_is_served(headers: dict[str, str], client: str, status: int) -> None:
    async with local(timeline_app(Hub()), client=(client, 1)) as http:
        for path in ('/', '/runs', '/health'):
            assert (await http.get(path, headers=headers)).status_code == status


# What else is asked for.


async def test_what_cannot_be_followed_is_told() -> None:
    hub = Hub()
    async with hub.open('run') as timeline:
        await timeline.emit(result())
    async with local(timeline_app(hub)) as client:
        said: dict[str, list[str]] = {}
        for query in ('', '?run=', '?run=other', *(f'?run=run&after={after}' for after in ('-1', 'x', '9' * 5000))):
            response = await client.get(f'/events{query}')
            said.setdefault(f'{response.status_code} {response.json()["error"]}', []).append(query[:20])
        assert said == snapshot(
            {
                '400 run is missing: /events?run=NAME; /runs lists them': ['', '?run='],
                '404 there is no such run, or it is no longer kept; /runs lists those that are': ['?run=other'],
                '400 after must be a sequence number: 0 for all events, else that of the last one seen': [
                    '?run=run&after=-1',
                    '?run=run&after=x',
                    '?run=run&after=99999',
                ],
            }
        )
        assert (await client.post('/events?run=run')).status_code == 405
        with anyio.fail_after(30):
            hub.open('live')
            assert (await client.head('/events?run=live')).status_code == 200


async def test_the_list_of_runs() -> None:
    hub = Hub()
    async with hub.open('first') as first:
        await first.emit(result())
    hub.open('second')
    async with local(timeline_app(hub)) as client:
        listed = (await client.get('/runs')).json()
    assert list(listed[0]) == snapshot(
        ['run_id', 'began_at', 'updated_at', 'is_closed', 'last_seq', 'events', 'dropped']
    )
    assert [(run['run_id'], *list(run.values())[3:]) for run in listed] == snapshot(
        [('second', False, 0, 0, 0), ('first', True, 1, 1, 0)]
    )


async def test_only_so_many_follow_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline_module, 'MAX_STREAMS', 1)
    hub = Hub()
    async with hub.open('run') as timeline:
        with shown(hub) as served:
            url = f'{served.url}/events?run=run'
            async with listening(url) as heard, httpx2.AsyncClient(trust_env=False) as client:
                await timeline.emit(result())
                await anext(heard)
                assert (await client.get(url)).status_code == 503
            with anyio.fail_after(30):
                while True:
                    try:
                        async with listening(url) as heard:
                            assert (await anext(heard)).id == 1
                        break
                    except AssertionError:
                        await anyio.sleep(0.02)


async def test_the_page_may_load_nothing_from_elsewhere() -> None:
    async with local(timeline_app(Hub())) as client:
        page = await client.get('/')
        assert page.headers['content-security-policy'] == snapshot(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        )
        assert page.headers['content-type'] == 'text/html; charset=utf-8'
        script = (await client.get('/page.js')).text
        style = (await client.get('/page.css')).text
    assert not any(sink in script for sink in ('innerHTML', 'outerHTML', 'insertAdjacent', 'document.write', 'eval('))
    assert not any('//' in part.replace('<!doctype', '') for part in page.text.split('"') if part.startswith('http'))
    assert 'url(' not in style
    assert '<script>' not in page.text
    assert 'style=' not in page.text


async def test_it_may_be_mounted_in_another_application() -> None:
    app = Starlette(routes=[Mount('/timeline', timeline_app(Hub(), token=SecretStr('lamp-oil')))])
    async with local(app) as client:
        assert (await client.get('/timeline/')).status_code == 200
        assert (await client.get('/timeline/runs')).status_code == 401
        assert (await client.get('/timeline/runs', headers={'Authorization': 'Bearer lamp-oil'})).json() == []


async def test_a_log_that_cannot_be_read_is_told(caplog: pytest.LogCaptureFixture) -> None:
    log = EventLog()
    app = timeline_app(log)
    log.close()
    async with local(app) as client:
        response = await client.get('/runs')
    assert (response.status_code, response.json()) == snapshot(
        (503, {'error': 'the log cannot be read; the program that serves it says why'})
    )
    assert caplog.records[-1].message == 'the timelines cannot be read'
