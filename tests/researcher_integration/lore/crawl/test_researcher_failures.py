"""What goes wrong under the researcher's agent: the step ends, and keeps what there is."""

import asyncio

import anyio.to_thread
import pytest
from inline_snapshot import snapshot
from pydantic_ai.exceptions import ModelHTTPError, UserError
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.crawl.researcher import LoreResearcher
from researcher_integration.lore.summaries.backends import InProcess
from summarizer_tool import ConfigurationError
from tests.support.research_agent import (
    TOPIC,
    ZONE,
    Scripted,
    Zone,
    handles_in,
    summarize,
    text_of,
)
from tests.support.scripted import returns
from tests.support.texts import chronicle

pytestmark = pytest.mark.anyio


async def test_a_page_that_cannot_be_had_is_a_failed_result(zone: Zone) -> None:
    scripted = Scripted([[zone.crawl('lost'), zone.crawl('reach')], 'Done.', 'Ysolde Marrick [1].'])

    findings = await zone.research(scripted.model())

    [lost, reach] = returns(scripted.messages)
    assert (lost.outcome, zone.plain(text_of(lost))) == snapshot(
        ('failed', '{"error":"wiki/lost.md answered HTTP 404"}')
    )
    assert reach.outcome == 'success'
    assert [page.source_id for page in zone.crawler.pages.values()] == zone.deps.asked
    assert (findings.notes, findings.warnings) == ('Ysolde Marrick [1].', ())


async def of_no_use(zone: Zone) -> ToolReturnPart:
    """Ask for the summary of a long page while the model that summarizes is down; the failed result."""
    zone.wiki.pages['annals'] = f'# Annals\n\n{chronicle(30)}'
    scripted = Scripted(
        [zone.crawl('annals'), lambda messages: summarize(*handles_in(messages), budget=300), 'Done.', 'Report.']
    )

    findings = await zone.research(scripted.model())

    assert (findings.notes, findings.warnings) == ('Report.', ())
    summary = returns(scripted.messages)[1]
    assert summary.outcome == 'failed'
    return summary


async def test_a_summarizer_that_is_down_brings_no_page_into_the_context(zone: Zone) -> None:
    """Its answer would be the text itself, for want of a better one."""

    def down(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise ModelHTTPError(503, 'summaries')

    zone.backend = InProcess(zone.settings, zone.store, model=FunctionModel(down))
    assert text_of(await of_no_use(zone)) == snapshot(
        '{"error":"there is no summary, as every call of its model failed; the text is kept, so go on"}'
    )


async def test_a_limit_ends_the_step_and_keeps_what_there_is(zone: Zone) -> None:
    scripted = Scripted(
        [
            zone.crawl('reach'),
            lambda messages: summarize(*handles_in(messages), budget=60),
            zone.crawl('pike'),
            'Never said.',
        ]
    )
    usage = RunUsage(requests=10)

    findings = await zone.research(scripted.model(), usage=usage, usage_limits=UsageLimits(request_limit=13))

    assert findings.warnings == snapshot(
        (
            'the agent ended at its limit: The next request would exceed the request_limit of 13; limits: in the file of the topics raises it',
        )
    )
    assert findings.notes == ''
    assert len(zone.deps.asked) == 2
    # Three of the agent; the embedded model's summary costs nothing.
    assert (usage.requests, findings.spent.requests) == (13, 3)


async def test_a_limit_within_a_summary(zone: Zone) -> None:
    zone.backend = InProcess(zone.settings.model_copy(update={'llm_model': 'test'}), zone.store)
    zone.wiki.pages['annals'] = f'# Annals\n\n{chronicle(60)}'
    scripted = Scripted(
        [
            zone.crawl('reach'),
            lambda messages: summarize(*handles_in(messages), budget=60),
            zone.crawl('annals'),
            lambda messages: summarize(handles_in(messages)[1], budget=300),
        ]
    )

    findings = await zone.research(scripted.model(), usage_limits=UsageLimits(request_limit=5))

    assert findings.warnings == snapshot(
        (
            'the agent ended at its limit: The next request would exceed the request_limit of 5; limits: in the file of the topics raises it',
        )
    )
    assert len(zone.deps.asked) == 2


@pytest.mark.parametrize('phase', ['gather', 'report'])
async def test_a_model_that_fails(zone: Zone, phase: str) -> None:
    def fail(messages: list[ModelMessage]) -> str:
        raise ModelHTTPError(429, 'scripted', body='Sallow Reach is none of your business')

    gathered = [zone.crawl('reach'), lambda messages: summarize(*handles_in(messages), budget=60)]
    scripted = Scripted([*gathered, fail] if phase == 'gather' else [*gathered, 'Done.', fail])

    findings = await zone.research(scripted.model())

    assert findings.warnings == ('the agent failed: HTTP 429',)
    assert findings.notes == ''


async def test_a_model_that_falls_back_in_vain(zone: Zone) -> None:
    def fail(messages: list[ModelMessage]) -> str:
        raise ModelHTTPError(502, 'scripted')

    findings = await zone.research(FallbackModel(Scripted([fail]).model(), Scripted([fail]).model()))

    assert (findings.warnings, findings.notes) == (('the agent failed: HTTP 502',), '')


@pytest.mark.parametrize(
    'nonsense',
    [
        pytest.param([], id='says nothing'),
        pytest.param([ToolCallPart('open_door', {'to': 'the vault'})], id='no such tool'),
        pytest.param([ToolCallPart('crawl_webpage', '{"url": ')], id='broken arguments'),
    ],
)
async def test_a_model_that_makes_no_sense(zone: Zone, nonsense: list[ToolCallPart]) -> None:
    scripted = Scripted([zone.crawl('reach'), *[nonsense] * 5])

    findings = await zone.research(scripted.model())

    assert findings.warnings == ('the agent failed: invalid output',)
    assert len(zone.deps.asked) == 1


@pytest.mark.parametrize('error', [UserError('no such thing'), ConfigurationError('MCP_SEARCH is wrong')])
async def test_what_is_for_the_developer_ends_the_research(zone: Zone, error: Exception) -> None:
    def search(query: str) -> str:
        """Search the web."""
        raise error

    scripted = Scripted([ToolCallPart('search', {'query': ZONE})])
    researcher = LoreResearcher(scripted.model(), zone.backend.toolset(), search=[FunctionToolset([search])])

    with pytest.raises(type(error), match=str(error)):
        await researcher.research(ZONE, TOPIC, zone.deps, budget=2000)


async def test_cancellation_passes(zone: Zone) -> None:
    zone.wiki.delay = 1
    scripted = Scripted([ToolCallPart('crawl_webpage', {'url': f'{zone.wiki.origin}/slow/reach.md'})])
    task = asyncio.create_task(zone.research(scripted.model()))
    assert await anyio.to_thread.run_sync(zone.wiki.slow.wait, 5)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert zone.deps.asked == []
