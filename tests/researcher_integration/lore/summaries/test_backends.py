"""Summaries in process and through a real MCP server: the same result, and what happens where there is none."""

import json
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import pytest
from inline_snapshot import snapshot
from pydantic_ai import Agent
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.summaries.backends import InProcess, SummaryUnavailableError
from researcher_integration.lore.summaries.over_mcp import OverMCP, SummaryBackend
from summarizer_tool import Progress, RequestOptions, Settings, SourceStore, Summary, SummaryTopic
from summarizer_tool.text import tokens
from tests.mapreduce.test_summarizer import good as answer_well
from tests.mapreduce.test_summarizer import model_of
from tests.support import serving
from tests.support.backends import KEYLESS, condensed, kept, without_port
from tests.support.scripted import returns
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
    over_mcp = OverMCP(server.url, store.collection())
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
            assert summary.usage == RunUsage()  # the embedded model costs nothing
            assert usage == RunUsage(requests=3)
        with pytest.raises(UsageLimitExceeded, match='request_limit of 3'):  # what the server's model is, nobody knows
            await condensed(backends[1], handles, 'places', 600, RequestOptions(usage=usage, usage_limits=limits))

    paid = InProcess(Settings.load(**KEYLESS), store, model_of(answer_well))
    summary = await condensed(paid, handles, 'crowns', 700, RequestOptions(usage=usage))
    assert usage.requests == 3 + summary.usage.requests > 3
    assert summary.usage.input_tokens == usage.input_tokens > 0
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
    await condensed(OverMCP(server.url, store.collection()), handles, 'deeds')
    assert server.tools.store.collection().has(handles[0])


async def test_what_the_server_lacks_is_sent(server: Served, store: SourceStore) -> None:
    handles = kept(store, chronicle(9, 21), chronicle(9, 22))
    theirs = server.tools.store.collection()
    backend = OverMCP(server.url, store.collection())
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


# An agent that calls the tools itself


def asking(calls: Sequence[ToolCallPart]) -> FunctionModel:
    """A model that makes the calls, one after the other."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        made = sum(isinstance(part, ToolCallPart) for message in messages for part in message.parts)
        names = {tool.name for tool in info.function_tools}
        if made < len(calls) and calls[made].tool_name in names:
            return ModelResponse([calls[made]])
        return ModelResponse([TextPart(f'I had {", ".join(sorted(names)) or "no tools"}.')])

    return FunctionModel(model)


async def test_an_agent_summarizes_by_handle(server: Served, store: SourceStore) -> None:
    [handle] = kept(store, chronicle(6, 41))
    [data] = kept(store, json.dumps({'boss': 'Morn Keld'}))
    calls = [
        ToolCallPart('summarize_for_extraction', {'content': '', 'source_ids': [handle], 'schema_hint': 'crowns'}),
        ToolCallPart('summarize', {'content': '', 'source_ids': [handle], 'max_output_tokens': 90}),
        ToolCallPart('summarize', {'content': '', 'source_ids': data}),
        ToolCallPart('read_source', {'source_id': handle, 'max_tokens': 60}),
        ToolCallPart('read_source', {'source_id': UNKNOWN}),
    ]
    seen: list[list[ToolReturnPart]] = []
    async with both(server, store) as backends:
        for backend in backends:
            result = await Agent(asking(calls), toolsets=[backend.toolset()]).run('What happened in Marn?')
            assert result.output == 'I had read_source, summarize, summarize_for_extraction.'
            assert isinstance(request := result.all_messages()[0], ModelRequest)
            assert not request.instructions
            seen.append(returns(result.all_messages()))
    here, there = seen
    assert [part.content for part in there[:4]] == [part.content for part in here[:4]]
    assert [part.outcome for part in there] == [part.outcome for part in here] == ['success'] * 4 + ['failed']
    assert [(part.tool_name, part.content) for part in there[1:4]] == snapshot(
        [
            (
                'summarize',
                """\
## Year 601 of the the Salt Road chronicle
Hesper Lowe inherited the Tide Hall on day 198 with 9,478 crowns from Tobin Sedge.
Tobin Sedge surveyed Marn on day 128 with 310 crowns from Runa Holt.

[src_44010ccbfcc1: ask again by source_ids, or read_source.]\
""",
            ),
            ('summarize', '{"boss": "Morn Keld"}'),
            (
                'read_source',
                """\
1| ## Year 601 of the the Salt Road chronicle
2|
[src_44010ccbfcc1, 1 to 2 of 23 lines; to read on: start_line=3.]\
""",
            ),
        ]
    )
    assert [type(part.metadata) for part in here] == [Summary, Summary, Summary, type(None), type(None)]
    told = ['degraded_parts', 'model', 'source_ids', 'state', 'stats', 'tokens_in', 'tokens_out', 'warnings']
    audited = ['coverage', *told]
    names = [sorted(name.removeprefix('summarizer/') for name in part.metadata or {}) for part in there]
    assert names == [audited, audited, told, [], []]
    assert UNKNOWN in str(there[4].content)


async def test_a_run_goes_on_without_the_server(
    server: Served, store: SourceStore, caplog: pytest.LogCaptureFixture
) -> None:
    handles = kept(store, CHRONICLE)
    call = ToolCallPart('summarize', {'content': '', 'source_ids': handles})
    down = OverMCP(f'http://127.0.0.1:{serving.free_port()}/mcp', store.collection())
    with caplog.at_level(logging.WARNING, 'researcher_integration'):
        result = await Agent(asking([call]), toolsets=[down.toolset()]).run('What happened in Marn?')
    assert result.output == 'I had no tools.'
    assert {record.message for record in caplog.records} == {'an agent goes without the summarizer'}
    # It has gone since its tools were listed.
    with serving.serve() as short:
        gone = OverMCP(short.url, store.collection())
        await Agent(asking([]), toolsets=[gone.toolset()]).run('What happened in Marn?')
    result = await Agent(asking([call]), toolsets=[gone.toolset()]).run('What happened in Marn?')
    [failed] = returns(result.all_messages())
    assert (failed.outcome, without_port(ValueError(failed.content))) == snapshot(
        (
            'failed',
            'the MCP server at HOST cannot be used: no connection to its address: All connection attempts failed',
        )
    )
