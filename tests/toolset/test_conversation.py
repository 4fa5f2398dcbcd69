"""Conversations of agents with the toolset, as the model and the application meet them."""

import asyncio
import threading
from dataclasses import dataclass

import pytest
from inline_snapshot import snapshot
from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelResponse,
)
from pydantic_ai.models.test import TestModel

from summarizer_tool import Document, Settings, Summary
from summarizer_tool.store.source import Source
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.text import tokens
from summarizer_tool.toolset import SummarizerToolset
from tests.support.scripted import (
    LONG,
    Talk,
    call,
    calls,
    last_handle,
    last_text,
    longest_argument,
    returns,
    scripted,
    shown,
)
from tests.support.texts import CHRONICLE, HARBOUR


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
<- summarize_for_extraction success: | Trusted | Points needed: 8,000 | Vendor discount: 5% | Unlocks: faction recipes, tabard |
| The Tallow Court | Founded: 5 Heat 588, by Maurec Vant | Seat: Vant Hold | Leader: Chandler-King Corvane Vant (since 18 Scythe 619) |
| The Silt Choir | Founded: night of 3 Dirge 530 | Seat: Sunken Minster, Bellwater | Leader: Abbess Merrowen Sile (Abbess since 521) |

[src_a8a9eea8a734: ask again by source_ids, or read_source.]\
""",
            '-> summarize {"source_ids": "src_a8a9eea8a734", "focus_areas": "dates", "max_output_tokens": 80}',
            """\
<- summarize success: ## 2. The Tallow Court
> Everything burns.
Its fossil wax comes from the Tallowdeep, and since the seams run west beneath the dykes, every good year for the Court is a worse one for the walls.

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
async def test_a_second_question_sends_no_text(talk: Talk, store: SourceStore) -> None:
    messages = await talk(
        call('summarize', content=CHRONICLE, max_output_tokens=300),
        lambda messages: call('summarize_for_extraction', source_ids=[last_handle(messages)], schema_hint='dates'),
    )
    first, second = calls(messages)
    assert first.args_as_dict()['content'] == CHRONICLE
    assert longest_argument([ModelResponse(parts=[second])]) < 30
    assert [part.outcome for part in returns(messages)] == ['success', 'success']
    assert [source.tokens for source in store.collection().sources()] == [tokens.count(CHRONICLE)]


@pytest.mark.anyio
async def test_text_within_the_budget_comes_back_unchanged(settings: Settings, store: SourceStore) -> None:
    model = scripted(call('summarize', content=HARBOUR), 'Done.')

    result = await Agent(model, toolsets=[SummarizerToolset(settings=settings, store=store)]).run('Read.')

    [part] = returns(result.all_messages())
    assert (part.content, part.metadata.state, result.usage.requests) == (HARBOUR, 'unchanged', 2)


@pytest.mark.anyio
async def test_the_application_gets_the_whole_summary(talk: Talk) -> None:
    messages = await talk(
        call('add_source', content=CHRONICLE, title='Chronicle'),
        lambda messages: call('summarize', source_ids=last_handle(messages), max_output_tokens=200),
    )
    added, summarized = returns(messages)
    assert isinstance(added.metadata, Source)
    assert (added.metadata.title, added.metadata.size) == ('Chronicle', len(CHRONICLE.encode()))
    assert isinstance(summarized.metadata, Summary)
    assert summarized.metadata.text == summarized.content
    assert {part.source_id for part in summarized.metadata.parts} == {added.metadata.id}
    assert all(fact.evidence for fact in summarized.metadata.facts)


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
            'query_source': 'failed',
            'diff_source': 'failed',
        }
    )


@pytest.mark.anyio
async def test_null_for_what_is_left_out(talk: Talk, store: SourceStore) -> None:
    messages = await talk(
        call('summarize', content=CHRONICLE, source_ids=None, max_output_tokens=None, focus_areas=None),
        lambda messages: call(
            'read_source', source_id=store.collection().sources()[0].id, start_line=None, max_tokens=None, offset=None
        ),
        call('add_source', content=HARBOUR, url=None, title=None),
    )
    assert [part.outcome for part in returns(messages)] == ['success'] * 3


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


@pytest.mark.anyio
async def test_json_that_is_given_as_it_is(talk: Talk) -> None:
    messages = await talk(
        call('summarize', content={'rows': ['Ada Brook founded the Tide Guild.'] * 900}, max_output_tokens=200),
        call('summarize', source_ids=5),
    )
    first, second = returns(messages)
    assert tokens.count(first.model_response_str()) <= 200
    assert second.outcome == 'failed'
    assert 'there is no source' in second.model_response_str()
