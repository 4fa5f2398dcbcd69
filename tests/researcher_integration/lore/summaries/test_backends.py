"""Summaries in process and through a real MCP server: the same result, and what happens where there is none."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from inline_snapshot import snapshot
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.summaries.backends import InProcess, SummaryUnavailableError
from researcher_integration.lore.summaries.over_mcp import OverMCP, SummaryBackend
from summarizer_tool import Progress, RequestOptions, Settings, SourceStore, SummaryTopic
from summarizer_tool.text import tokens
from tests.mapreduce.test_summarizer import good as answer_well
from tests.mapreduce.test_summarizer import model_of
from tests.support.backends import KEYLESS, condensed, kept, local, without_port
from tests.support.serving import Served
from tests.support.texts import CHRONICLE, HARBOUR, chronicle

pytestmark = pytest.mark.anyio


UNKNOWN = 'src_0123456789ab'


HINTS = {
    'People': 'people, what they founded or burned, and for how many crowns',
    'Places': '{"places": [{"name": "str", "year": "int"}]}',
}


@asynccontextmanager
async def both(server: Served, store: SourceStore) -> AsyncGenerator[list[SummaryBackend]]:
    over_mcp = OverMCP(server.url, local(store))
    yield [InProcess(Settings.load(**KEYLESS), store), over_mcp]


# The same result


@pytest.mark.parametrize('texts', [[CHRONICLE], [HARBOUR, chronicle(8, 3)], ['crawl']], ids=['one', 'two', 'crawl'])
async def test_the_same_result(server: Served, store: SourceStore, crawl: dict[str, str], texts: list[str]) -> None:
    handles = kept(store, *(list(crawl.values())[:3] if texts == ['crawl'] else texts))
    topics = [SummaryTopic(name=name, schema_hint=hint) for name, hint in HINTS.items()]
    async with both(server, store) as backends:
        here, there = [await backend.condense(handles, topics, 500, RequestOptions()) for backend in backends]
    assert there == here
    assert set(here.topics) == set(HINTS)
    assert 0 < sum(tokens.count(text) for text in here.topics.values()) <= 500
    assert (here.model, here.warnings) == ('extractive', ())


async def test_usage_is_counted_and_limited(server: Served, store: SourceStore) -> None:
    handles = kept(store, chronicle(12, 11))
    limits = UsageLimits(request_limit=3)
    async with both(server, store) as backends:
        for backend in backends:
            usage = RunUsage(requests=3)
            summary = await condensed(backend, handles, 'crowns', 700, RequestOptions(usage=usage))
            assert summary.topics
            assert usage == RunUsage(requests=3)  # the embedded model costs nothing
        with pytest.raises(UsageLimitExceeded, match='request_limit of 3'):  # what the server's model is, nobody knows
            await condensed(backends[1], handles, 'places', 600, RequestOptions(usage=usage, usage_limits=limits))

    paid = InProcess(Settings.load(**KEYLESS), store, model_of(answer_well))
    await condensed(paid, handles, 'crowns', 700, RequestOptions(usage=usage))
    assert usage.requests > 3
    assert usage.input_tokens > 0
    with pytest.raises(UsageLimitExceeded, match='request_limit of 3'):
        await condensed(paid, handles, 'places', 600, RequestOptions(usage=usage, usage_limits=limits))


async def test_progress(server: Served, store: SourceStore) -> None:
    handles = kept(store, chronicle(50, 5))
    told: dict[str, list[Progress]] = {}
    async with both(server, store) as backends:
        for backend in backends:
            seen = told.setdefault(backend.name, [])
            await condensed(backend, handles, 'harvests', 900, RequestOptions(on_progress=seen.append))
    assert told['in process'] == snapshot(
        [
            Progress(phase='map', done=1, total=2, message='summarized chunk 1 of 2'),
            Progress(phase='map', done=2, total=2, message='summarized chunk 2 of 2'),
        ]
    )
    # The server counts on through all phases, with one more step for the composition at the end; what it has not sent
    # by then is left out.
    there = [each for each in told['MCP server'] if 'so far' not in each.message]  # signs of life on a busy machine
    assert there
    assert [each.message for each in there] == [each.message for each in told['in process'][: len(there)]]
    assert {(each.phase, each.total) for each in there} == {('map', 3)}
    assert [each.done for each in there] == [*range(1, len(there) + 1)]


# Sources


async def test_a_text_that_looks_like_a_page_has_the_same_handle_there(server: Served, store: SourceStore) -> None:
    handles = kept(store, f'<html><body>\n\nSo a page of HTML begins.\n\n{chronicle(9, 24)}')
    await condensed(OverMCP(server.url, local(store)), handles, 'deeds')
    assert server.tools.store.collection().has(handles[0])


async def test_what_the_server_lacks_is_sent(server: Served, store: SourceStore) -> None:
    handles = kept(store, chronicle(9, 21), chronicle(9, 22))
    theirs = server.tools.store.collection()
    backend = OverMCP(server.url, local(store))
    await condensed(backend, handles[:1], 'deeds')
    assert [theirs.has(handle) for handle in handles] == [True, False]
    await condensed(backend, handles, 'deeds')
    ours = store.collection()
    for handle in handles:
        assert theirs.document(handle) == ours.document(handle)


async def test_a_source_that_nobody_has(server: Served, store: SourceStore) -> None:
    """The reason names no other source: titles are what strangers wrote."""
    [handle] = kept(store, chronicle(4, 31))
    [blank] = kept(store, ' \n')  # of which the server could only have what its URL holds now
    said: list[str] = []
    async with both(server, store) as backends:
        await condensed(backends[1], [handle], 'deeds')
        for backend in backends:
            with pytest.raises(SummaryUnavailableError) as caught:
                await condensed(backend, [handle, UNKNOWN], 'deeds')
            said.append(without_port(caught.value))
        with pytest.raises(SummaryUnavailableError, match=f'lacks {blank}'):
            await condensed(backends[1], [blank], 'deeds')
    assert said == snapshot(
        [
            'the store lacks a source, or has evicted it: one of src_45feec65b1d4, src_0123456789ab',
            'the MCP server at HOST lacks src_0123456789ab, and so does this process',
        ]
    )
    assert not server.tools.store.collection().has(blank)
