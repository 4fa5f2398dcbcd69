"""Two servers without sessions over one Postgres, behind a proxy that gives each request to the next of them."""

import json
import re
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio.abc import ByteReceiveStream, ByteSendStream, SocketAttribute, SocketStream
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.support import serving
from tests.support.serving import Mode, text_of
from tests.support.stores import POSTGRES, place_of
from tests.support.texts import CHRONICLE


@asynccontextmanager
async def balanced(ports: list[int], taken: Counter[int]) -> AsyncGenerator[str]:
    """A proxy before servers: each connection goes to the next one; counts them by port."""
    turns = cycle(ports)

    async def copy(source: ByteReceiveStream, target: ByteSendStream) -> None:
        try:
            async for data in source:
                await target.send(data)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        await target.aclose()

    async def pass_on(client: SocketStream) -> None:
        port = next(turns)
        taken[port] += 1
        async with client, await anyio.connect_tcp('127.0.0.1', port) as server, anyio.create_task_group() as tasks:
            tasks.start_soon(copy, server, client)
            await copy(client, server)

    listener = await anyio.create_tcp_listener(local_host='127.0.0.1')
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, pass_on)
        yield f'http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}/mcp'
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def client_of(url: str, mode: Mode) -> AsyncGenerator[Client]:
    """A client that makes a connection for each request, so that a proxy may give it to any server."""
    headers, limits = {'Authorization': 'Bearer ada'}, httpx2.Limits(max_keepalive_connections=0)
    async with (
        httpx2.AsyncClient(headers=headers, limits=limits, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


async def added(client: Client, content: str, title: str) -> str:
    """The handle of a text."""
    said = text_of(await client.call_tool('add_source', {'content': content, 'title': title}))
    [handle] = set(re.findall(r'src_[0-9a-f]{12}', said))
    return handle


@pytest.mark.anyio
@pytest.mark.skipif(not POSTGRES, reason='make test-postgres starts a server')
@pytest.mark.parametrize('mode', ['auto', 'legacy'])
async def test_what_one_has_stored_the_other_has(tmp_path: Path, mode: Mode) -> None:
    place_of('postgres')
    given: dict[str, Any] = {
        'SUMMARIZER_STORE': '',
        'SUMMARIZER_DATABASE_URL': POSTGRES,
        'MCP_STATELESS': 'true',
        'MCP_AUTH_TOKEN': 'ada,eve',
    }
    taken = Counter[int]()
    with serving.forked_program(tmp_path, **given) as first, serving.forked_program(tmp_path, **given) as second:
        async with client_of(first.url, mode) as client:
            handle = await added(client, CHRONICLE, 'Chronicle')
            summary = await client.call_tool('summarize', {'source_ids': [handle], 'max_output_tokens': 400})
        async with client_of(second.url, mode) as client:
            again = await client.call_tool('summarize', {'source_ids': [handle], 'max_output_tokens': 400})
            assert text_of(again) == text_of(summary)
        async with balanced([first.port, second.port], taken) as url, client_of(url, mode) as client:
            for number in range(4):
                found = await client.call_tool('search', {'query': 'Year 603'})
                assert handle in text_of(found), number
            [listed] = (await client.list_resources()).resources
            assert (listed.name, listed.title) == (handle, 'Chronicle')
            for note in ('The tide was high.', 'The tide was low.'):
                asked = {'source_id': await added(client, note, 'Tide')}
                assert note in text_of(await client.call_tool('read_source', asked))
        assert min(taken[first.port], taken[second.port]) >= 4
        async with serving.connect(second.url, token='eve', mode=mode) as client:
            assert not (await client.list_resources()).resources
        logs = [[json.loads(line) for line in each.log.read_text().splitlines()] for each in (first, second)]
        assert [record['from_cache'] for log in logs for record in log if record['message'] == 'summarized'] == [
            False,
            True,
        ]
