"""The toolset in agents: what the model is shown and answers, what it costs, and what goes wrong."""

import asyncio
import json
import pickle
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from inline_snapshot import snapshot
from pydantic import TypeAdapter
from pydantic_ai import Agent, RunContext, ToolReturn, UnexpectedModelBehavior, UsageLimitExceeded, UsageLimits
from pydantic_ai.durable_exec._codec import JSON_CODEC
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.usage import RequestUsage, RunUsage

from summarizer_tool import ConfigurationError, Document, ExtractiveModel, Settings, Summary, toolset
from summarizer_tool.errors import StoreError
from summarizer_tool.service.operations import OPERATIONS
from summarizer_tool.service.service import Service
from summarizer_tool.store.source import Source
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.text import tokens
from summarizer_tool.toolset import SummarizerToolset
from tests.support.texts import CHRONICLE, HARBOUR

Step = Callable[[list[ModelMessage]], ToolCallPart | Sequence[ToolCallPart] | str]
HANDLE = re.compile(r'src_[0-9a-f]{12}')
ALL = [each.name for each in OPERATIONS]
LONG = 200
"""Characters; no argument of a tool should have more, unless the text has no handle yet."""


@pytest.fixture
def store() -> Iterator[SourceStore]:
    with SourceStore() as opened:
        yield opened


@pytest.fixture
def settings() -> Settings:
    return Settings.load(
        llm_model='extractive',
        default_chunk_size_tokens=500,
        default_chunk_overlap_tokens=50,
        max_concurrent_llm_calls=2,
    )


def call(tool: str, **arguments: object) -> ToolCallPart:
    return ToolCallPart(tool, arguments)


def scripted(*steps: Step | ToolCallPart | str) -> FunctionModel:
    """A model that does one thing after the other: a tool call, or an answer."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = steps[sum(isinstance(message, ModelResponse) for message in messages)]
        done = step(messages) if callable(step) else step
        if isinstance(done, str):
            return ModelResponse(parts=[TextPart(done)])
        return ModelResponse(parts=[done] if isinstance(done, ToolCallPart) else list(done))

    return FunctionModel(answer, model_name='scripted')


def last_text(messages: list[ModelMessage]) -> str:
    return returns(messages)[-1].model_response_str()


def last_handle(messages: list[ModelMessage]) -> str:
    return HANDLE.findall(last_text(messages))[-1]


def returns(messages: Sequence[ModelMessage]) -> list[ToolReturnPart]:
    return [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def calls(messages: Sequence[ModelMessage]) -> list[ToolCallPart]:
    return [part for message in messages for part in message.parts if isinstance(part, ToolCallPart)]


def longest_argument(messages: Sequence[ModelMessage]) -> int:
    values = [value for part in calls(messages) for value in part.args_as_dict().values()]
    return max(len(value if isinstance(value, str) else json.dumps(value)) for value in values)


def shown(messages: Sequence[ModelMessage]) -> list[str]:
    """Calls, results and answers, one line or more each; of long results the beginning and the end."""
    lines: list[str] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                lines.append(f'-> {part.tool_name} {json.dumps(part.args_as_dict())}')
            elif isinstance(part, ToolReturnPart):
                text = part.model_response_str()
                cut = f'{text[:180]} […] {text[-240:]}' if len(text) > 450 else text
                lines.append(f'<- {part.tool_name} {part.outcome}: {cut}')
            elif isinstance(part, TextPart):
                lines.append(f'== {part.content}')
    return lines


def sizes(messages: Sequence[ModelMessage]) -> list[str]:
    """As `shown`, but of results only the size and the last line: what the pages say is not ours to repeat."""
    lines: list[str] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolReturnPart):
                text = part.model_response_str()
                size = f'{len(text.splitlines())} lines, {tokens.count(text)} tokens'
                lines.append(f'<- {part.tool_name} {part.outcome}: {size}, the last: {text.splitlines()[-1]}')
            else:
                lines += shown([ModelResponse(parts=[part])] if isinstance(part, ToolCallPart | TextPart) else [])
    return lines


def instructions_of(messages: Sequence[ModelMessage]) -> str:
    [first, *_] = [message for message in messages if isinstance(message, ModelRequest)]
    return first.instructions or ''


def tagged(text: str) -> list[str]:
    """The tools that instructions speak of."""
    return re.findall(r'^- `(\w+)`', text, re.MULTILINE)


# A conversation.


@pytest.mark.anyio
async def test_an_agent_reads_a_page_of_the_crawl_by_its_handle(crawl: dict[str, str], store: SourceStore) -> None:
    page = crawl['04-factions.md']
    mounted = SummarizerToolset(settings=Settings.load(llm_model='extractive'), store=store)
    handle = store.collection().add(Document(page, title='Factions')).id
    model = scripted(
        call('summarize_for_extraction', source_ids=[handle], schema_hint='factions, leaders', max_output_tokens=150),
        lambda messages: call('summarize', source_ids=last_handle(messages), focus_areas='dates', max_output_tokens=80),
        lambda messages: call('read_source', source_id=last_handle(messages), start_line=3, max_tokens=60),
        'Done.',
    )

    result = await Agent(model, toolsets=[mounted]).run(f'Who leads the factions in {handle}?')

    assert shown(result.all_messages()) == snapshot(
        [
            '-> summarize_for_extraction {"source_ids": ["src_a8a9eea8a734"], "schema_hint": "factions, leaders", "max_output_tokens": 150}',
            """\
<- summarize_for_extraction success: Three factions share the Fen.
Stranger: points needed 0, unlocks nothing.
The Tallow Court, founded: 5 Heat 588, by Maurec Vant; Seat: Vant Hold; Leader: Chandler-King Corvane Vant (since 18 Scythe 619).
The Silt Choir, founded: night of 3 Dirge 530; Seat: Sunken Minster, Bellwater; Leader: Abbess Merrowen Sile.
Killing any NPC in Lampers' Rest costs 500 with all three.

[src_a8a9eea8a734: ask again by source_ids, or read_source.]\
""",
            '-> summarize {"source_ids": "src_a8a9eea8a734", "focus_areas": "dates", "max_output_tokens": 80}',
            """\
<- summarize success: The Silt Choir, founded: night of 3 Dirge 530; Seat: Sunken Minster, Bellwater; Leader: Abbess Merrowen Sile.
Killing any NPC in Lampers' Rest costs 500 with all three.

[src_a8a9eea8a734: ask again by source_ids, or read_source.]\
""",
            '-> read_source {"source_id": "src_a8a9eea8a734", "start_line": 3, "max_tokens": 60}',
            """\
<- read_source success: 3| We value your privacy. We and our 214 partners use cookies to store and access information on your device.
[src_a8a9eea8a734, 3 to 3 of 161 lines; to read on: start_line=3, offset=106.]\
""",
            '== Done.',
        ]
    )
    assert longest_argument(result.all_messages()) < LONG
    assert [tokens.count(part.model_response_str()) <= 150 for part in returns(result.all_messages())] == [True] * 3


@pytest.mark.anyio
async def test_an_agent_reads_real_pages(shared_data: Path, store: SourceStore) -> None:
    pages = [path.read_text(encoding='utf-8') for path in sorted((shared_data / 'crawl').glob('*.md'))[:2]]
    handles = [store.collection().add(Document(page)).id for page in pages]
    mounted = SummarizerToolset[None](settings=Settings.load(llm_model='extractive'), store=store)
    model = scripted(
        call(
            'summarize_for_extraction', source_ids=handles, schema_hint='people, places, dates', max_output_tokens=250
        ),
        call('summarize', source_ids=handles[1], max_output_tokens=100),
        call('read_source', source_id=handles[1], max_tokens=100),
        'Done.',
    )

    result = await Agent(model, toolsets=[mounted]).run('What is in these pages?')

    assert sum(map(tokens.count, pages)) > 10_000
    assert sizes(result.all_messages()) == snapshot(
        [
            '-> summarize_for_extraction {"source_ids": ["src_ce72db62ee11", "src_9e39d93117c3"], "schema_hint": "people, places, dates", "max_output_tokens": 250}',
            '<- summarize_for_extraction success: 11 lines, 231 tokens, the last: [src_ce72db62ee11, src_9e39d93117c3: ask again by source_ids, or read_source.]',
            '-> summarize {"source_ids": "src_9e39d93117c3", "max_output_tokens": 100}',
            '<- summarize success: 6 lines, 91 tokens, the last: [src_9e39d93117c3: ask again by source_ids, or read_source.]',
            '-> read_source {"source_id": "src_9e39d93117c3", "max_tokens": 100}',
            '<- read_source success: 5 lines, 52 tokens, the last: [src_9e39d93117c3, 1 to 4 of 273 lines; to read on: start_line=5.]',
            '== Done.',
        ]
    )
    assert longest_argument(result.all_messages()) < LONG
    first, second, third = returns(result.all_messages())
    assert tokens.count(first.model_response_str()) <= 250
    assert tokens.count(second.model_response_str()) <= 100
    assert tokens.count(third.model_response_str()) <= 100
    assert {part.source_id for part in first.metadata.parts} == set(handles)


@pytest.mark.anyio
async def test_a_second_question_sends_no_text(settings: Settings, store: SourceStore) -> None:
    model = scripted(
        call('summarize', content=CHRONICLE, max_output_tokens=300),
        lambda messages: call('summarize_for_extraction', source_ids=[last_handle(messages)], schema_hint='dates'),
        'Done.',
    )

    result = await Agent(model, toolsets=[SummarizerToolset(settings=settings, store=store)]).run('Read.')

    first, second = calls(result.all_messages())
    assert first.args_as_dict()['content'] == CHRONICLE
    assert longest_argument([ModelResponse(parts=[second])]) < 30
    assert [part.outcome for part in returns(result.all_messages())] == ['success', 'success']
    assert [source.tokens for source in store.collection().sources()] == [tokens.count(CHRONICLE)]


@pytest.mark.anyio
async def test_text_within_the_budget_comes_back_unchanged(settings: Settings, store: SourceStore) -> None:
    model = scripted(call('summarize', content=HARBOUR), 'Done.')

    result = await Agent(model, toolsets=[SummarizerToolset(settings=settings, store=store)]).run('Read.')

    [part] = returns(result.all_messages())
    assert (part.content, part.metadata.state, result.usage.requests) == (HARBOUR, 'unchanged', 2)


@pytest.mark.anyio
async def test_the_application_gets_the_whole_summary(settings: Settings, store: SourceStore) -> None:
    model = scripted(
        call('add_source', content=CHRONICLE, title='Chronicle'),
        lambda messages: call('summarize', source_ids=last_handle(messages), max_output_tokens=200),
        'Done.',
    )

    result = await Agent(model, toolsets=[SummarizerToolset(settings=settings, store=store)]).run('Read.')

    added, summarized = returns(result.all_messages())
    assert isinstance(added.metadata, Source)
    assert (added.metadata.title, added.metadata.size) == ('Chronicle', len(CHRONICLE.encode()))
    assert isinstance(summarized.metadata, Summary)
    assert summarized.metadata.text == summarized.content
    assert {part.source_id for part in summarized.metadata.parts} == {added.metadata.id}
    assert all(fact.evidence for fact in summarized.metadata.facts)


# What the model is shown.


def test_the_schemas_are_described(settings: Settings) -> None:
    tools = SummarizerToolset(settings=settings).tools

    assert {
        name: {
            parameter: schema.get('type', [choice['type'] for choice in schema.get('anyOf', ())])
            for parameter, schema in tool.tool_def.parameters_json_schema['properties'].items()
        }
        for name, tool in tools.items()
    } == snapshot(
        {
            'summarize': {
                'content': 'string',
                'source_ids': 'array',
                'max_output_tokens': 'integer',
                'focus_areas': ['string', 'array'],
                'strategy': 'string',
                'format': 'string',
            },
            'summarize_for_extraction': {
                'content': 'string',
                'schema_hint': 'string',
                'source_ids': 'array',
                'max_output_tokens': 'integer',
                'format': 'string',
            },
            'search': {
                'query': 'string',
                'source_urls': 'array',
                'source_ids': 'array',
                'intent': 'string',
                'top_k': 'integer',
                'max_tokens': 'integer',
            },
            'answer': {
                'query': 'string',
                'url': ['string', 'array'],
                'intent': 'string',
                'known_context': 'string',
                'constraints': 'string',
                'expansion_budget': ['integer', 'null'],
                'research_mode': 'string',
                'max_tokens': 'integer',
            },
            'status': {'source_url': 'string', 'include_urls': 'boolean'},
            'add_source': {'content': 'string', 'url': 'string', 'title': 'string'},
            'read_source': {
                'source_id': 'string',
                'start_line': 'integer',
                'max_tokens': 'integer',
                'offset': 'integer',
            },
        }
    )
    assert tools['read_source'].tool_def.parameters_json_schema['required'] == ['source_id']
    assert tools['summarize'].tool_def.parameters_json_schema['properties']['strategy'] == snapshot(
        {
            'default': 'semantic',
            'enum': ['semantic', 'token'],
            'type': 'string',
            'description': '`semantic` cuts at headings and paragraphs; `token` in fixed windows that overlap.',
        }
    )
    for tool in tools.values():
        assert all(schema['description'] for schema in tool.tool_def.parameters_json_schema['properties'].values())
        assert 'ctx' not in tool.tool_def.parameters_json_schema['properties']


@pytest.mark.anyio
async def test_instructions_say_when_to_use_the_tools(store: SourceStore) -> None:
    settings = Settings.load(llm_model='extractive', default_max_output_tokens=1000)
    model = scripted('Done.')

    told = await Agent(model, toolsets=[SummarizerToolset(settings=settings, store=store)]).run('Hi.')
    untold = await Agent(
        model, toolsets=[SummarizerToolset(settings=settings, store=store, include_instructions=False)]
    ).run('Hi.')

    assert 'up to about 4,000 characters' in instructions_of(told.all_messages())
    assert tagged(instructions_of(told.all_messages())) == ALL
    assert instructions_of(untold.all_messages()) == ''


@pytest.mark.anyio
async def test_instructions_may_stand_in_a_cached_prefix(settings: Settings, store: SourceStore) -> None:
    """Also where they are asked for outside a run."""
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())

    [part] = await SummarizerToolset[None](settings=settings, store=store).get_instructions(context) or []

    assert not part.dynamic
    assert tagged(part.content) == ALL


@pytest.mark.anyio
async def test_instructions_are_added_to_those_of_others(settings: Settings, store: SourceStore) -> None:
    mounted = SummarizerToolset[None](settings=settings, store=store)

    @mounted.instructions
    def more() -> str:
        return 'Answer in verse.'

    result = await Agent(scripted('Done.'), toolsets=[mounted], instructions='Be brief.').run('Hi.')

    text = instructions_of(result.all_messages())
    assert text.startswith('Be brief.')
    assert text.endswith('Answer in verse.')
    assert 'read_source' in text


@pytest.mark.parametrize(
    ('wrap', 'names'),
    [
        (
            lambda mounted: mounted.prefixed('lore'),
            [f'lore_{name}' for name in ALL],
        ),
        (
            lambda mounted: mounted.filtered(lambda ctx, tool: tool.name != 'add_source'),
            [name for name in ALL if name != 'add_source'],
        ),
        (
            lambda mounted: mounted.renamed({'condense': 'summarize', 'quote': 'read_source'}),
            [{'summarize': 'condense', 'read_source': 'quote'}.get(name, name) for name in ALL],
        ),
        (
            lambda mounted: (
                mounted.renamed({'condense': 'summarize'}).prefixed('a').filtered(lambda ctx, tool: 'con' in tool.name)
            ),
            ['a_condense'],
        ),
        (lambda mounted: mounted.filtered(lambda ctx, tool: False), []),
    ],
    ids=['prefixed', 'filtered', 'renamed', 'all', 'none left'],
)
@pytest.mark.anyio
async def test_wrapped(
    wrap: Callable[[AbstractToolset[Any]], AbstractToolset[Any]],
    names: list[str],
    settings: Settings,
    store: SourceStore,
) -> None:
    seen: list[str] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen[:] = [tool.name for tool in info.function_tools]
        condense = next((name for name in seen if name.endswith(('summarize', 'condense'))), None)
        if condense is None or len(messages) > 1:
            return ModelResponse(parts=[TextPart('Done.')])
        return ModelResponse(parts=[call(condense, content=CHRONICLE, max_output_tokens=100)])

    wrapped = wrap(SummarizerToolset(settings=settings, store=store))
    result = await Agent(FunctionModel(answer), toolsets=[wrapped]).run('Read.')

    assert sorted(seen) == sorted(names)
    assert tagged(instructions_of(result.all_messages())) == names
    assert ('handle' in instructions_of(result.all_messages())) == bool(names)
    assert [part.outcome for part in returns(result.all_messages())] == (['success'] if names else [])


@pytest.mark.anyio
async def test_two_toolsets_in_one_agent(settings: Settings, store: SourceStore) -> None:
    lore = SummarizerToolset[None](settings=settings, store=store, collection='lore', id='lore')
    logs = SummarizerToolset[None](settings=settings, store=store, collection='logs', id='logs')
    model = scripted(
        call('lore_add_source', content=CHRONICLE),
        lambda messages: call('logs_read_source', source_id=last_handle(messages)),
        'Done.',
    )

    result = await Agent(model, toolsets=[lore.prefixed('lore'), logs.prefixed('logs')]).run('Read.')

    assert [part.outcome for part in returns(result.all_messages())] == ['success', 'failed']
    assert len(tagged(instructions_of(result.all_messages()))) == 2 * len(ALL)


# Agents of all kinds.


@dataclass
class Deps:
    zone: str


@pytest.mark.anyio
async def test_deps_of_any_type(settings: Settings, store: SourceStore) -> None:
    model = scripted(call('summarize', content=CHRONICLE, max_output_tokens=100), 'Done.')
    agent = Agent(model, deps_type=Deps, toolsets=[SummarizerToolset(settings=settings, store=store)])

    result = await agent.run('Read.', deps=Deps('Marn'))

    assert [part.outcome for part in returns(result.all_messages())] == ['success']


@pytest.mark.anyio
async def test_a_model_that_calls_everything(settings: Settings, store: SourceStore) -> None:
    result = await Agent(TestModel(), toolsets=[SummarizerToolset(settings=settings, store=store)]).run('Go.')

    assert {part.tool_name: part.outcome for part in returns(result.all_messages())} == snapshot(
        {
            'summarize': 'failed',
            'summarize_for_extraction': 'failed',
            'search': 'failed',
            'answer': 'failed',
            'status': 'success',
            'add_source': 'failed',
            'read_source': 'failed',
        }
    )


@pytest.mark.anyio
async def test_null_for_what_is_left_out(settings: Settings, store: SourceStore) -> None:
    model = scripted(
        call('summarize', content=CHRONICLE, source_ids=None, max_output_tokens=None, focus_areas=None, strategy=None),
        lambda messages: call(
            'read_source', source_id=store.collection().sources()[0].id, start_line=None, max_tokens=None, offset=None
        ),
        call('add_source', content=HARBOUR, url=None, title=None),
        'Done.',
    )

    result = await Agent(model, toolsets=[SummarizerToolset(settings=settings, store=store)]).run('Read.')

    assert [part.outcome for part in returns(result.all_messages())] == ['success'] * 3


def test_one_toolset_serves_threads_and_event_loops_at_once(settings: Settings, store: SourceStore) -> None:
    mounted = SummarizerToolset[None](settings=settings, store=store)
    model = scripted(call('summarize', content=CHRONICLE, max_output_tokens=100), 'Done.')
    agents = [Agent(model, toolsets=[mounted]), Agent(model, toolsets=[mounted])]
    texts: list[str] = []

    async def several() -> None:
        results = await asyncio.gather(*(agent.run('Read.') for agent in agents))
        texts.extend(last_text(result.all_messages()) for result in results)

    threads = [threading.Thread(target=asyncio.run, args=(several(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(texts) == 6
    assert len(set(texts)) == 1


# What it costs.


def counting(reported: RunUsage) -> Model:
    """The embedded model, which is asked as any other is; it reports what it was asked in `reported`."""

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        response = await ExtractiveModel().request(messages, None, info.model_request_parameters)
        reported.requests += 1
        reported.incr(response.usage)
        return response

    return FunctionModel(answer, model_name='counted')


@pytest.mark.anyio
async def test_usage_counts_in_the_run(settings: Settings, store: SourceStore) -> None:
    own, reported = RunUsage(), RunUsage()
    mounted = SummarizerToolset[None](settings=settings, store=store, model=counting(reported))
    model = scripted(call('summarize', content=CHRONICLE, max_output_tokens=300), 'Done.')

    await Agent(model, toolsets=[mounted]).run('Read.', usage=own)

    assert reported.requests > 3
    assert own.requests == 2 + reported.requests
    assert own.tool_calls == 1


@pytest.mark.anyio
async def test_the_limits_of_the_run_hold_inside(settings: Settings, store: SourceStore) -> None:
    reported = RunUsage()
    # pydantic-ai counts a request when it is answered: of several at once, some go over the limit.
    one_at_a_time = settings.model_copy(update={'max_concurrent_llm_calls': 1})
    mounted = SummarizerToolset[None](settings=one_at_a_time, store=store, model=counting(reported))
    model = scripted(call('summarize', content=CHRONICLE, max_output_tokens=300), 'Done.')

    with pytest.raises(UsageLimitExceeded, match='request_limit of 3'):
        await Agent(model, toolsets=[mounted]).run('Read.', usage_limits=UsageLimits(request_limit=3))

    assert reported.requests == 2


@pytest.mark.anyio
async def test_a_summary_is_done_within_the_deadline_of_the_run(
    settings: Settings, store: SourceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds: list[float | None] = []
    real = Service.summarize

    async def summarize(self: Service, *args: Any, **more: Any) -> Any:
        deadline = args[1].deadline
        seconds.append(deadline and deadline.seconds)
        return await real(self, *args, **more)

    monkeypatch.setattr(Service, 'summarize', summarize)
    agent = Agent(
        scripted(call('summarize', content=CHRONICLE), 'Done.'),
        toolsets=[SummarizerToolset(settings=settings, store=store)],
    )
    await agent.run('Read.', timeout=100)
    await agent.run('Read.', timeout=100_000)
    await agent.run('Read.')

    soon, late, none = seconds
    assert soon is not None
    assert 0 < soon <= 80
    assert late is not None
    assert 80 < late <= settings.deadline_seconds
    assert none is None


@pytest.mark.anyio
async def test_cancellation_stops_the_work(settings: Settings, store: SourceStore) -> None:
    began, ended = anyio.Event(), anyio.Event()

    async def hang(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        began.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()
        raise AssertionError

    mounted = SummarizerToolset[None](settings=settings, store=store, model=FunctionModel(hang))
    model = scripted(call('summarize', content=CHRONICLE, max_output_tokens=300), 'Done.')
    task = asyncio.create_task(Agent(model, toolsets=[mounted]).run('Read.'))
    await began.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


# Whose sources.


def test_toolsets_without_stores_of_their_own_share_one(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolset, '_stores', {})
    first = Agent(
        scripted(call('add_source', content=CHRONICLE), 'Done.'), toolsets=[SummarizerToolset(settings=settings)]
    )
    handle = last_handle(first.run_sync('Read.').all_messages())
    read = scripted(call('read_source', source_id=handle), 'Done.')

    def outcome(mounted: SummarizerToolset[None]) -> str:
        [part] = returns(Agent(read, toolsets=[mounted]).run_sync('Read.').all_messages())
        return part.outcome

    assert outcome(SummarizerToolset(settings=settings)) == 'success'
    assert outcome(SummarizerToolset(settings=settings, collection='other')) == 'failed'
    assert outcome(SummarizerToolset(settings=settings.model_copy(update={'store_max_mb': 7.0}))) == 'failed'
    with SourceStore() as own:
        assert outcome(SummarizerToolset(settings=settings, store=own)) == 'failed'
    for opened in toolset._stores.values():
        opened.close()


def test_a_file_keeps_sources_for_the_next_process(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = settings.model_copy(update={'store': str(tmp_path / 'store.sqlite3')})

    def run(step: ToolCallPart) -> list[ModelMessage]:
        monkeypatch.setattr(toolset, '_stores', {})
        mounted = SummarizerToolset[None](settings=kept)
        messages = Agent(scripted(step, 'Done.'), toolsets=[mounted]).run_sync('Read.').all_messages()
        for opened in toolset._stores.values():
            opened.close()
        return messages

    handle = last_handle(run(call('add_source', content=CHRONICLE)))
    [part] = returns(run(call('read_source', source_id=handle)))
    assert part.outcome == 'success'


# What goes wrong.


@pytest.mark.anyio
async def test_wrong_handles_do_not_end_the_run(settings: Settings, store: SourceStore) -> None:
    handle = store.collection().add(Document(CHRONICLE, title='Chronicle')).id
    model = scripted(
        call('read_source', source_id='src_000000000000'),
        call('read_source', source_id='the chronicle'),
        call('read_source', source_id='src_111111111111'),
        call('read_source', source_id='src_222222222222'),
        call('read_source', source_id=handle, max_tokens=50),
        'Done.',
    )

    result = await Agent(model, toolsets=[SummarizerToolset(settings=settings, store=store)]).run('Read.')

    parts = returns(result.all_messages())
    assert [part.outcome for part in parts] == ['failed'] * 4 + ['success']
    assert handle in parts[0].model_response_str()


@pytest.mark.anyio
async def test_the_model_reads_what_was_wrong(settings: Settings, store: SourceStore) -> None:
    small = settings.model_copy(update={'summarizer_max_input_mb': 0.001})
    model = scripted(
        call('summarize'),
        call('summarize', content='x', source_ids=['src_000000000000']),
        call('summarize', content='x', max_output_tokens=-1),
        call('summarize', content=CHRONICLE),
        call('add_source', url='http://127.0.0.1:1/'),
        call('read_source', source_id='src_000000000000'),
        'Done.',
    )

    result = await Agent(model, toolsets=[SummarizerToolset(settings=small, store=store)]).run('Read.')

    assert {part.outcome for part in returns(result.all_messages())} == {'failed'}
    told = [str(part.content) for part in returns(result.all_messages())]
    ways_out = [
        'source_ids',
        'not both',
        'negative',
        'SUMMARIZER_MAX_INPUT_MB',
        'SUMMARIZER_FETCH_ALLOW_HOSTS',
        'add_source',
    ]
    assert [way_out in text for way_out, text in zip(ways_out, told, strict=True)] == [True] * 6


@pytest.mark.anyio
async def test_a_store_that_fails_is_a_failed_tool(
    settings: Settings, store: SourceStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def read_source(self: Service, *args: object, **more: object) -> str:
        raise StoreError('the disk is full')

    monkeypatch.setattr(Service, 'read_source', read_source)
    model = scripted(call('read_source', source_id='src_000000000000'), 'I cannot read it.')

    result = await Agent(model, toolsets=[SummarizerToolset(settings=settings, store=store)]).run('Read.')

    assert shown(result.all_messages()) == snapshot(
        [
            '-> read_source {"source_id": "src_000000000000"}',
            '<- read_source failed: {"error":"the disk is full"}',
            '== I cannot read it.',
        ]
    )
    assert [record.message for record in caplog.records] == ['a tool failed']


@pytest.mark.anyio
async def test_arguments_of_the_wrong_type_are_sent_back_a_few_times(settings: Settings, store: SourceStore) -> None:
    wrong = call('summarize', content=CHRONICLE, max_output_tokens='many')
    right = call('summarize', content=CHRONICLE, max_output_tokens='200')
    mounted = SummarizerToolset[None](settings=settings, store=store)

    result = await Agent(scripted(wrong, wrong, wrong, right, 'Done.'), toolsets=[mounted]).run('Read.')

    assert [part.outcome for part in returns(result.all_messages())] == ['retried', 'retried', 'retried', 'success']
    with pytest.raises(UnexpectedModelBehavior, match='exceeded max retries count of 3'):
        await Agent(scripted(*[wrong] * 5), toolsets=[mounted]).run('Read.')


def test_a_wrong_setting_shows_at_start_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match='OPENROUTER_API_KEY'):
        SummarizerToolset(settings=Settings.load(llm_model='openai/gpt-4o-mini'))
    monkeypatch.setenv('DEFAULT_MAX_OUTPUT_TOKENS', 'many')
    with pytest.raises(ConfigurationError, match='DEFAULT_MAX_OUTPUT_TOKENS=many'):
        SummarizerToolset()


@pytest.mark.anyio
async def test_a_store_that_cannot_be_opened_is_for_the_developer(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolset, '_stores', {})
    (tmp_path / 'file').write_text('')
    wrong = settings.model_copy(update={'store': str(tmp_path / 'file' / 'store.sqlite3')})
    agent = Agent(scripted(call('summarize', content=CHRONICLE), 'Done.'), toolsets=[SummarizerToolset(settings=wrong)])

    with pytest.raises(ConfigurationError, match='SUMMARIZER_STORE'):
        await agent.run('Read.')


# Durable execution keeps messages and results as JSON or pickles.


@pytest.mark.anyio
async def test_results_survive_serialization(settings: Settings, store: SourceStore) -> None:
    from pydantic_ai.durable_exec._toolset import CallToolResult, unwrap_tool_call_result, wrap_tool_call_result

    mounted = SummarizerToolset[None](settings=settings, store=store)
    model = scripted(
        call('summarize', content=CHRONICLE, max_output_tokens=200),
        call('add_source', content=HARBOUR),
        call('search', query='fire', max_tokens=600),
        'Done.',
    )
    messages = (await Agent(model, toolsets=[mounted]).run('Read.')).all_messages()
    [summarized, added, found] = returns(messages)

    for part in (summarized, added, found):
        result = ToolReturn(part.content, metadata=part.metadata)

        async def returned(result: ToolReturn = result) -> ToolReturn:
            return result

        recorded = await wrap_tool_call_result(returned())
        assert unwrap_tool_call_result(pickle.loads(pickle.dumps(recorded))) == result
        as_json = json.loads(json.dumps(JSON_CODEC.dump(CallToolResult, recorded)))
        read = unwrap_tool_call_result(JSON_CODEC.load(CallToolResult, as_json))
        assert read.return_value == part.content
        assert TypeAdapter(type(part.metadata)).validate_python(read.metadata) == part.metadata
    history = returns(ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages)))
    assert [part.content for part in history] == [summarized.content, added.content, found.content]
    assert Summary.model_validate(history[0].metadata) == summarized.metadata


def test_what_durable_execution_asks_of_a_toolset(settings: Settings) -> None:
    mounted = SummarizerToolset[None](settings=settings, metadata={'temporal': {'start_to_close_timeout': 400}})

    assert mounted.id == 'summarizer'
    assert SummarizerToolset[None](settings=settings, id='lore').id == 'lore'
    for name, tool in mounted.tools.items():
        assert tool.function_schema.is_async
        assert tool.tool_def.metadata == {'temporal': {'start_to_close_timeout': 400}, 'summarizer': name}


@pytest.mark.anyio
async def test_json_that_is_given_as_it_is(settings: Settings, store: SourceStore) -> None:
    model = scripted(
        call('summarize', content={'rows': ['Ada Brook founded the Tide Guild.'] * 900}, max_output_tokens=200),
        call('summarize', source_ids=5),
        'Done.',
    )
    result = await Agent(model, toolsets=[SummarizerToolset(settings=settings, store=store)]).run('Go')
    first, second = returns(result.all_messages())
    assert tokens.count(first.model_response_str()) <= 200
    assert second.outcome == 'failed'
    assert 'there is no source' in second.model_response_str()


@pytest.mark.anyio
async def test_limits_that_count_beforehand_are_no_failure(settings: Settings, store: SourceStore) -> None:
    model = scripted(call('summarize', content=CHRONICLE, max_output_tokens=300), 'Done.')
    agent = Agent(TokenCounting(model), toolsets=[SummarizerToolset(settings=settings, store=store)])
    limits = UsageLimits(input_tokens_limit=10**9, count_tokens_before_request=True)
    result = await agent.run('Go', usage_limits=limits)
    assert returns(result.all_messages())[0].metadata.state == 'complete'


class TokenCounting(WrapperModel):
    """A model that can count beforehand."""

    async def count_tokens(self, *_: object, **__: object) -> RequestUsage:
        return RequestUsage(input_tokens=1)
