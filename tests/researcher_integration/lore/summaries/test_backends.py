"""Summaries in process and through a real MCP server: the same result, and what happens where there is none."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager

import anyio
import pytest
from inline_snapshot import snapshot
from pydantic import SecretStr
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError, UsageLimitExceeded
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.summaries.backends import (
    InProcess,
    SourceSummary,
    SummaryBackend,
    SummaryUnavailableError,
)
from researcher_integration.lore.summaries.over_mcp import OverMCP
from researcher_integration.lore.summaries.summarizer_server import SummarizerServer
from summarizer_tool import (
    ConfigurationError,
    Document,
    Progress,
    RequestOptions,
    Settings,
    SourceStore,
    Summary,
    SummaryTopic,
)
from summarizer_tool.service.service import Service
from summarizer_tool.text import tokens
from tests.mapreduce.test_summarizer import good as answer_well
from tests.mapreduce.test_summarizer import model_of
from tests.support import serving
from tests.support.serving import Served
from tests.support.texts import CHRONICLE, HARBOUR, chronicle

pytestmark = pytest.mark.anyio

KEYLESS = {'llm_model': 'extractive', 'store': ':memory:', 'worker_processes': 0}
UNKNOWN = 'src_0123456789ab'
HINTS = {
    'People': 'people, what they founded or burned, and for how many crowns',
    'Places': '{"places": [{"name": "str", "year": "int"}]}',
}


@pytest.fixture(scope='module')
def server() -> Iterator[Served]:
    with serving.serve() as served:
        yield served


@pytest.fixture
def store() -> Iterator[SourceStore]:
    with SourceStore() as opened:
        yield opened


def kept(store: SourceStore, *texts: str) -> list[str]:
    """Put texts into a store as a crawler does; their handles."""
    documents = [
        Document(text, title=f'Annals of Marn, volume {number}', url=f'https://marn.example/{number}')
        for number, text in enumerate(texts, 1)
    ]
    for document in documents:
        store.collection().add(document)
    return [document.id for document in documents]


async def condensed(
    backend: SummaryBackend, handles: Sequence[str], hint: str, budget: int = 300, options: RequestOptions | None = None
) -> SourceSummary:
    topics = [SummaryTopic(name='Marn', schema_hint=hint)]
    return await backend.condense(handles, topics, budget, options or RequestOptions())


@asynccontextmanager
async def both(server: Served, store: SourceStore) -> AsyncGenerator[list[SummaryBackend]]:
    async with OverMCP(server.url, store.collection()) as over_mcp:
        yield [InProcess(Settings.load(**KEYLESS), store), over_mcp]


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


def without_port(error: BaseException) -> str:
    return ' '.join('HOST' if word.startswith('127.0.0.1:') else word for word in str(error).split())


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
    handles = kept(store, chronicle(60, 11))
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
    handles = kept(store, chronicle(90, 5))
    told: dict[str, list[Progress]] = {}
    async with both(server, store) as backends:
        for backend in backends:
            seen = told.setdefault(backend.name, [])
            await condensed(backend, handles, 'harvests', 900, RequestOptions(on_progress=seen.append))
    assert told['in process'] == snapshot(
        [
            Progress(phase='map', done=1, total=4, message='summarized chunk 1 of 4'),
            Progress(phase='map', done=2, total=4, message='summarized chunk 2 of 4'),
            Progress(phase='map', done=3, total=4, message='summarized chunk 3 of 4'),
            Progress(phase='map', done=4, total=4, message='summarized chunk 4 of 4'),
        ]
    )
    # The server counts on through all phases, with one more step for the composition at the end; what it has not sent
    # by then is left out.
    there = [each for each in told['MCP server'] if 'so far' not in each.message]  # signs of life on a busy machine
    assert there
    assert [each.message for each in there] == [each.message for each in told['in process'][: len(there)]]
    assert {(each.phase, each.total) for each in there} == {('map', 5)}
    assert [each.done for each in there] == [*range(1, len(there) + 1)]


# Sources


async def test_what_the_server_lacks_is_sent(server: Served, store: SourceStore) -> None:
    handles = kept(store, chronicle(9, 21), chronicle(9, 22))
    theirs = server.tools.store.collection()
    async with OverMCP(server.url, store.collection()) as backend:
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


def returned(messages: Sequence[ModelMessage]) -> list[ToolReturnPart]:
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    return [part for part in parts if isinstance(part, ToolReturnPart)]


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
            seen.append(returned(result.all_messages()))
    here, there = seen
    assert [part.content for part in there[:4]] == [part.content for part in here[:4]]
    assert [part.outcome for part in there] == [part.outcome for part in here] == ['success'] * 4 + ['failed']
    assert [(part.tool_name, part.content) for part in there[1:4]] == snapshot(
        [
            (
                'summarize',
                """\
Hesper Lowe abandoned the Tide Hall on day 285 with 313 crowns from Morn Keld.
Vael Tarn sold Marn on day 137 with 5,216 crowns from Ilse Quarry.
Nothing else of note is recorded for that season by the clerks of the hall.

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
    async with gone:
        result = await Agent(asking([call]), toolsets=[gone.toolset()]).run('What happened in Marn?')
    [failed] = returned(result.all_messages())
    assert (failed.outcome, without_port(ValueError(failed.content))) == snapshot(
        ('failed', 'the MCP server at HOST cannot be reached: All connection attempts failed')
    )


# Failures


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
    async with OverMCP(f'http://127.0.0.1:{port}/mcp', store.collection()) as backend:

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
            'the MCP server at HOST cannot be reached: All connection attempts failed',
            'the MCP server at HOST cannot be reached: All connection attempts failed',
        ]
    )


async def test_a_session_that_the_server_has_forgotten(store: SourceStore) -> None:
    """Servers of older protocol versions keep sessions; one that was started anew knows none."""
    [handle] = kept(store, chronicle(9, 53))
    port = serving.free_port()
    toolset = SummarizerServer(f'http://127.0.0.1:{port}/mcp', store.collection(), timeout=10)
    toolset.client.mode = 'legacy'
    for _ in range(2):
        with serving.serve(mcp_summarizer_port=port):
            answer = await toolset.ask('read_source', {'source_id': handle, 'max_tokens': 60})
            assert (answer.is_error, answer.text[:11]) == (False, '1| ## Year ')
    await toolset.close()


async def test_a_wrong_token(store: SourceStore) -> None:
    handles = kept(store, CHRONICLE)
    said: list[str] = []
    with serving.serve(mcp_auth_token='tidewater') as server:
        for token in (None, SecretStr('hunter2')):
            async with OverMCP(server.url, store.collection(), token=token) as backend:
                error: BaseException | None = await refused(backend, handles)
                said.append(without_port(error))
                while error is not None:
                    assert 'hunter2' not in f'{error} {error!r}'
                    error = error.__cause__ or error.__context__
        async with OverMCP(server.url, store.collection(), token=SecretStr('tidewater\n')) as backend:
            assert (await condensed(backend, handles, 'deeds')).topics['Marn']
    assert said == snapshot(
        [
            'the MCP server at HOST asks for a token (HTTP 401)',
            'the MCP server at HOST does not accept the token (HTTP 401)',
        ]
    )


async def test_what_else_may_answer(store: SourceStore) -> None:
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
    }.items():
        timeout = 0.2 if name == 'silence' else 30
        async with listener(answer) as url, OverMCP(url, store.collection(), timeout=timeout) as backend:
            said[name] = without_port(await refused(backend, handles))
    async with OverMCP('http://no-such-host.invalid/mcp', store.collection()) as backend:
        said['no such host'] = str(await refused(backend, handles)).partition(':')[0]
    assert said == snapshot(
        {
            'busy': 'the MCP server at HOST answers with HTTP 503',
            'a website': 'the MCP server at HOST answers with MCP error -32600; check the path of its URL',
            'other JSON': 'the MCP server at HOST answers with MCP error -32700; check the path of its URL',
            'no such page': 'the MCP server at HOST answers with MCP error -32601; check the path of its URL',
            'cut off': 'the MCP server at HOST has broken off the connection (RemoteProtocolError)',
            'nothing': 'the MCP server at HOST has broken off the connection (RemoteProtocolError)',
            'silence': 'the MCP server at HOST did not answer within 0.2 seconds',
            'no such host': 'the MCP server at no-such-host.invalid cannot be reached',
        }
    )


async def test_a_slow_server(server: Served, store: SourceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    handles = kept(store, CHRONICLE)

    async def forever(*_: object, **__: object) -> None:
        await anyio.sleep_forever()

    async with OverMCP(server.url, store.collection(), timeout=2) as backend:
        await condensed(backend, handles, 'places')
        with monkeypatch.context() as patched:
            patched.setattr(Service, 'summarize', forever)
            assert without_port(await refused(backend, handles)) == snapshot(
                'the MCP server at HOST did not answer within 2 seconds'
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
        async with OverMCP(server.url, store.collection()) as backend:
            said.append(str(await refused(backend, handles)))
    assert said == snapshot(
        [
            'every model call failed (HTTP 402): this is the original content, 3550 tokens for a budget of 300',
            'every model call failed (ModelConnectionError): this is the original content, 3550 tokens for a budget of 300',
        ]
    )


async def test_what_else_the_summarizer_refuses(store: SourceStore) -> None:
    handles = kept(store, chronicle(60))
    said: list[str] = []
    small = {'summarizer_max_input_mb': 0.05}
    with serving.serve(**small) as server:
        async with OverMCP(server.url, store.collection()) as backend:
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
        with pytest.raises(ConfigurationError, match='must begin with http:// or https://'):
            OverMCP(url, store.collection())
    with pytest.raises(ConfigurationError, match='Port could not be cast') as caught:
        OverMCP('http://ada:hunter2@mcp.example:x/mcp', store.collection())
    assert 'hunter2' not in str(caught.value)
    for token in ('tide\nwater', 'tïde'):
        with pytest.raises(ConfigurationError, match='no HTTP header may have') as caught:
            SummarizerServer('http://mcp.example/mcp', store.collection(), token=SecretStr(token), timeout=1)
        assert token not in str(caught.value)
    with pytest.raises(ConfigurationError, match='OPENROUTER_API_KEY'):
        InProcess(Settings.load(llm_model='acme/quill'), store)
