"""Together with what else an agent may have: streaming, parallel calls, approvals, other capabilities, durability."""

import importlib.util
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from inline_snapshot import snapshot
from pydantic import TypeAdapter
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    FunctionToolset,
    ModelRetry,
    RunContext,
    Tool,
    ToolFailed,
)
from pydantic_ai.capabilities import AbstractCapability, ProcessHistory
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ToolCallPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.usage import RunUsage

from researcher_integration.timeline.broker import Timeline
from researcher_integration.tool_results.capability import COLLECTION
from researcher_integration.tool_results.summarizing import ResultSummary, SummaryRequest
from summarizer_tool import RequestOptions, SourceStore, Summarizer, SummarizeRequest, SummarizerToolset, Summary
from summarizer_tool.text import tokens
from tests.proofs.tool_results.agents import (
    SETTINGS,
    Script,
    agent,
    calling,
    facts,
    prompt_of,
    returned,
    rules,
    summarizing,
)
from tests.researcher_integration.tool_results.test_capability import ROWS, STORY, TOKEN

pytestmark = pytest.mark.anyio

SHORT = '[look: 1,500 tokens, summarized in '


def stories(number: int) -> Tool[None]:
    """A tool that tells a different long story for each lamp."""

    def look(lamp: int) -> str:
        return f'Of lamp {lamp} of {number}. {STORY}'

    return Tool(look)


async def test_parallel_calls_have_a_summary_each() -> None:
    script = Script([[ToolCallPart('look', {'lamp': lamp}) for lamp in range(6)]])
    store = SourceStore()
    run = await agent(script, summarizing(store=store), tools=[stories(6)]).run('Go')
    parts = returned(run.all_messages())
    assert len({part.metadata['summarization']['source_id'] for part in parts}) == 6
    assert [f'Of lamp {lamp} of 6.' in str(part.content) for lamp, part in enumerate(parts)] == [True] * 6
    assert (len(script.prompts), run.usage.requests) == (6, 8)
    assert len(store.collection(COLLECTION).sources()) == 6


async def test_equal_calls_at_once_ask_once() -> None:
    script = Script([[ToolCallPart('look', {}) for _ in range(4)]])
    run = await agent(script, summarizing(), tools=[Tool(lambda: STORY, name='look')]).run('Go')
    assert len({part.content for part in returned(run.all_messages())}) == 1
    assert len(script.prompts) == 1


def streaming(script: Script) -> FunctionModel:
    """The same model, which streams."""

    async def write(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        if info.output_tools:
            script.prompts.append(prompt_of(messages))
            [part] = facts(info, ('The keeper of lamp 1 wrote that the pier was calm.', 1)).parts
            assert isinstance(part, ToolCallPart)
            text = json.dumps(part.args)
            yield {0: DeltaToolCall(name=part.tool_name, json_args='')}
            for at in range(0, len(text), 9):
                yield {0: DeltaToolCall(json_args=text[at : at + 9])}
        elif any(isinstance(message, ModelResponse) for message in messages):
            yield 'all '
            yield 'calm'
        else:
            yield {0: DeltaToolCall(name='look', json_args='{}')}

    return FunctionModel(script.model.function, stream_function=write, model_name='scripted')


async def test_streaming_runs() -> None:
    script = calling('look')
    told = Agent(streaming(script), capabilities=[summarizing()], tools=[Tool(lambda: STORY, name='look')])
    async with told.run_stream('Go') as stream:
        assert await stream.get_output() == 'all calm'
        [part] = returned(stream.all_messages())
    assert str(part.content).startswith(SHORT)


async def test_runs_step_by_step_and_what_a_timeline_shows_of_them() -> None:
    script = calling('look')
    timeline = Timeline('run-1')
    told = Agent(
        streaming(script), capabilities=[summarizing(timeline=timeline)], tools=[Tool(lambda: STORY, name='look')]
    )
    seen: list[str] = []

    async def follow() -> None:
        seen.extend(
            [
                f'{event.seq} {event.type}' + (f': {event.text}' if event.type == 'summary.delta' else '')
                async for event in timeline.follow()
            ]
        )

    async with anyio.create_task_group() as group, timeline:
        group.start_soon(follow)
        async with told.iter('Go') as run:
            async for _ in run:
                pass
    assert seen == snapshot(
        [
            '1 tool_call',
            '2 tool_call',
            '3 tool_result',
            '4 tool_call.summarizing',
            '5 summary.delta: The keeper of lamp 1 wrote that the pier was calm.',
            '6 tool_summary',
        ]
    )


async def test_a_model_that_cannot_stream_tells_of_its_facts_at_the_end() -> None:
    script = calling('look')
    told: list[str] = []
    await Summarizer(SETTINGS, model=script.model).run(
        STORY, SummarizeRequest(max_output_tokens=100), RequestOptions(on_fact=told.append)
    )
    assert len(told) == 1
    assert told[0].startswith('The keeper of lamp 0')


async def test_other_capabilities_see_what_the_model_sees() -> None:
    class Watching(AbstractCapability[Any]):
        def __init__(self) -> None:
            self.seen: list[object] = []

        async def after_tool_execute(self, ctx: RunContext[Any], *, result: Any, **_: Any) -> Any:
            self.seen.append(result.return_value)
            return result

        async def wrap_tool_execute(self, ctx: RunContext[Any], *, args: Any, handler: Any, **_: Any) -> Any:
            result = await handler(args)
            self.seen.append(result.return_value)
            return result

    watching = Watching()
    script = calling('look')
    # Whichever was named first.
    for capabilities in ([watching, summarizing()], [summarizing(), watching]):
        await agent(script, *capabilities, tools=[Tool(lambda: f'{STORY} {TOKEN}', name='look')]).run('Go')
    assert len(watching.seen) == 4
    assert all(str(seen).startswith('[look: ') and TOKEN not in str(seen) for seen in watching.seen)


async def test_an_error_is_masked_before_others_make_a_result_of_it() -> None:
    class Recovering(AbstractCapability[Any]):
        async def on_tool_execute_error(self, ctx: RunContext[Any], *, error: Exception, **_: Any) -> Any:
            return f'it failed: {error}'

    def look() -> str:
        raise ConnectionError(f'no access with {TOKEN}')

    script = calling('look')
    run = await agent(script, Recovering(), summarizing(), tools=[look]).run('Go')
    assert returned(run.all_messages())[0].content == 'it failed: no access with [MASKED_GITHUB_TOKEN]'


async def test_histories_are_processed_as_ever() -> None:
    processed: list[list[str]] = []

    def without_notes(messages: list[ModelMessage]) -> list[ModelMessage]:
        """Keeps of each result what stands under its note."""
        parts = returned(messages)
        processed.append([str(part.content)[: len(SHORT)] for part in parts])
        for part in parts:
            part.content = str(part.content).partition('\n')[2]
        return messages

    script = calling('look')
    run = await agent(
        script, ProcessHistory(without_notes), summarizing(), tools=[Tool(lambda: STORY, name='look')]
    ).run('Go')
    assert processed == [[], [SHORT]]
    [shown] = returned(script.requests[1])
    assert str(shown.content).startswith('<tool_output tool="look">\nThe keeper of lamp 0 ')
    assert run.output == 'done'


async def test_deferred_calls_and_approvals_pass() -> None:
    def look(ctx: RunContext[None]) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        return STORY

    script = calling('look')
    asking = Agent(
        script.model,
        capabilities=[summarizing()],
        tools=[Tool(look)],
        output_type=[str, DeferredToolRequests],
    )
    run = await asking.run('Go')
    assert isinstance(run.output, DeferredToolRequests)
    [call] = run.output.approvals
    approved = DeferredToolResults(approvals={call.tool_call_id: True})
    run = await asking.run(message_history=run.all_messages(), deferred_tool_results=approved)
    assert run.output == 'done'
    assert str(returned(run.all_messages())[0].content).startswith(SHORT)


@pytest.mark.parametrize(('failure', 'outcome'), [(ModelRetry, 'retried'), (ToolFailed, 'failed')])
async def test_what_a_tool_says_that_has_failed_is_summarized_and_stays_a_failure(
    failure: type[ModelRetry | ToolFailed], outcome: str
) -> None:
    calls: list[int] = []

    def look() -> str:
        calls.append(1)
        if len(calls) == 1:
            raise failure('The northern pier is not open. ' * 400)
        return 'all is well'

    script = calling('look', 'look')
    await agent(script, summarizing(), tools=[look]).run('Go')
    [failed] = returned(script.requests[1])
    assert failed.outcome == outcome
    text = str(failed.content)
    assert tokens.count(text) < 300
    assert '[look: 2,801 tokens, summarized in' in text
    assert 'The northern pier is not open.' in text


async def test_beside_a_summarizer_toolset() -> None:
    script = calling('look')
    toolset: SummarizerToolset[None] = SummarizerToolset(settings=SETTINGS)
    run = await agent(
        script, summarizing(), toolsets=[toolset.prefixed('text')], tools=[Tool(lambda: STORY, name='look')]
    ).run('Go')
    assert str(returned(run.all_messages())[0].content).startswith(SHORT)


async def test_a_summary_that_was_asked_for_is_not_summarized_again() -> None:
    toolset: SummarizerToolset[None] = SummarizerToolset(settings=SETTINGS)
    script = calling('text_summarize', content=STORY * 3, max_output_tokens=1400)
    run = await agent(script, summarizing(), toolsets=[toolset.prefixed('text')]).run('Go')
    part = returned(run.all_messages())[0]
    assert isinstance(part.metadata, Summary)
    assert part.content == part.metadata.text
    assert part.metadata.stats.tokens_out > 1000


async def test_the_same_capability_twice_is_one() -> None:
    script = calling('look')
    small = summarizing(rules=rules(summary_max_token_limit=60))
    run = await agent(script, summarizing(), small, tools=[Tool(lambda: ROWS, name='look')]).run('Go')
    assert len(script.prompts) <= 1
    assert len(returned(run.all_messages())) == 1


def texts_in(folder: Path) -> str:
    """What the files of a folder say."""
    return ''.join(path.read_text() for path in folder.rglob('*') if path.is_file())


@pytest.mark.skipif(
    importlib.util.find_spec('pydantic_ai_harness') is None, reason='pydantic-ai-harness is not installed'
)
async def test_with_the_limits_of_the_harness(tmp_path: Path) -> None:
    from pydantic_ai_harness.tool_output_limits import Band, LocalFileStore, Spill, ToolOutputLimits, Truncate

    script = calling('look', 'list')
    store = LocalFileStore(tmp_path)
    limits = ToolOutputLimits(
        bands=[Band(over=5000, action=Spill(then=Truncate())), Band(over=300, action=Truncate(max_chars=200))],
        store=store,
    )
    never = Tool(lambda: f'{STORY} {TOKEN}', name='list', metadata={'summarize': 'never'})
    run = await agent(script, limits, summarizing(), tools=[Tool(lambda: STORY, name='look'), never]).run('Go')
    looked, listed = (str(part.content) for part in returned(run.all_messages()))
    # What was summarized was small when the limits saw it; what was not was masked.
    assert looked.startswith(SHORT)
    assert listed.startswith('[Tool output too large')
    spilled = texts_in(tmp_path)
    assert 'lamp 59' in spilled
    assert TOKEN not in spilled


# Durable execution ----------------------------------------------------------------------------------------------------


async def test_what_crosses_a_durable_boundary_can_be_written_down() -> None:
    order = SummaryRequest(text=STORY, focus='lamps', words='lamps', limit=120, seconds=3.5, extractive_on_failure=True)
    made = ResultSummary(text='calm', model='m', state='complete', tokens=1, usage=RunUsage(requests=2), used=1)
    for value in (order, made):
        adapter: TypeAdapter[Any] = TypeAdapter(type(value))
        assert adapter.validate_json(adapter.dump_json(value)) == value


@pytest.mark.skipif(importlib.util.find_spec('dbos') is None, reason='dbos is not installed')
async def test_under_dbos_a_run_that_is_recovered_asks_nobody_again(tmp_path: Path) -> None:
    from dbos import DBOS, DBOSConfig, SetWorkflowID
    from pydantic_ai.durable_exec.dbos import DBOSDurability

    script = calling('look')
    looked: list[int] = []

    def look() -> str:
        looked.append(1)
        return f'{STORY} {TOKEN}'

    DBOS(config=DBOSConfig(name='harbour', system_database_url=f'sqlite:///{tmp_path / "dbos.sqlite"}'))
    try:
        durable = Agent(
            script.model,
            name='harbour',
            capabilities=[summarizing(), DBOSDurability()],
            toolsets=[FunctionToolset([Tool(look)], id='harbour')],
        )

        @DBOS.workflow()
        async def investigated(prompt: str) -> tuple[str, RunUsage]:
            run = await durable.run(prompt)
            return str(returned(run.all_messages())[0].content), run.usage

        DBOS.launch()
        with SetWorkflowID('first'):
            content, usage = await investigated('What is broken?')
        steps = [step['function_name'] for step in await DBOS.list_workflow_steps_async('first')]
        assert content.startswith('[harbour/look: ')
        assert usage.requests == 3
        assert [name for name in steps if 'summarize_tool_results' in name] == snapshot(
            [
                'harbour__capability__summarize_tool_results.store',
                'harbour__capability__summarize_tool_results.summarize',
            ]
        )
        asked = len(script.prompts), len(script.requests)
        again = await (await DBOS.fork_workflow_async('first', len(steps) + 1)).get_result()
        assert (again[0], again[1].requests) == (content, 3)
        assert (len(script.prompts), len(script.requests)) == asked
    finally:
        DBOS.destroy()
