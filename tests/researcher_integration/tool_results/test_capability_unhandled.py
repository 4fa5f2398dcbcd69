"""What comes past the hooks of a tool call, and what a summary must not cost."""

from datetime import date
from typing import Any

import pytest
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, RunContext, Tool, ToolReturn
from pydantic_ai.capabilities import AbstractCapability, HandleDeferredToolCalls
from pydantic_ai.exceptions import CallDeferred, SkipToolExecution
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits

from researcher_integration.timeline.events import Draft, ToolResult
from researcher_integration.tool_results.capability import SummarizeToolResults
from researcher_integration.tool_results.rules import ToolResultRules
from summarizer_tool import Settings
from tests.support.scripted import returns

pytestmark = pytest.mark.anyio

SECRET = 'Gull' + 'Feather93xQ'
SETTINGS = Settings(llm_model='extractive')


def asking(**arguments: Any) -> FunctionModel:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if any(part.part_kind == 'tool-return' for message in messages for part in message.parts):
            return ModelResponse([TextPart('done')])
        return ModelResponse([ToolCallPart('look', arguments)])

    return FunctionModel(model)


def capability(**rules: Any) -> SummarizeToolResults[None]:
    return SummarizeToolResults(rules=ToolResultRules.model_validate({'defaults': rules}), settings=SETTINGS)


STORY = 'The ferry to Wickhythe left at dusk, and Ansgar paid twelve crowns for it. ' * 800
RULES = {'model': 'extractive'}


def put_off() -> str:
    raise CallDeferred


@pytest.mark.parametrize('is_handled_within', [False, True])
async def test_the_results_of_deferred_calls_are_masked_and_summarized(is_handled_within: bool) -> None:
    answer = ToolReturn(f'{STORY} password={SECRET}', metadata={'job': 7})

    async def handle(ctx: RunContext[None], requests: DeferredToolRequests) -> DeferredToolResults:
        return DeferredToolResults(calls={call.tool_call_id: answer for call in requests.calls})

    handlers = [HandleDeferredToolCalls(handle)] if is_handled_within else []
    agent = Agent(
        asking(),
        tools=[Tool(put_off, name='look')],
        capabilities=[*handlers, capability(**RULES)],
        output_type=[str, DeferredToolRequests],
    )
    run = await agent.run('look')
    if isinstance(run.output, DeferredToolRequests):
        results = DeferredToolResults(calls={run.output.calls[0].tool_call_id: answer})
        run = await agent.run(message_history=run.all_messages(), deferred_tool_results=results)
    assert run.output == 'done'
    [result] = returns(run.all_messages())
    assert str(result.content).startswith('[look: 16,807 tokens, summarized')
    assert (result.metadata['job'], result.metadata['summarization']['state']) == (7, 'complete')
    assert SECRET not in str(run.all_messages())
    again = await agent.run('And now?', message_history=run.all_messages())
    assert returns(again.all_messages()) == [result]


async def test_what_another_capability_answers_is_masked() -> None:
    class Cached(AbstractCapability[None]):
        async def before_tool_execute(self, ctx: RunContext[None], **_: Any) -> dict[str, Any]:
            raise SkipToolExecution(f'password={SECRET}')

    agent = Agent(asking(), tools=[Tool(lambda: 'fresh', name='look')], capabilities=[Cached(), capability()])
    assert SECRET not in str((await agent.run('look')).all_messages())


async def test_what_a_validator_says_is_masked() -> None:
    calls = 0

    def check(ctx: RunContext[None]) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise ModelRetry(f'wrong: password={SECRET}')

    agent = Agent(
        asking(), tools=[Tool(lambda: 'fresh', name='look', args_validator=check)], capabilities=[capability()]
    )
    messages = str((await agent.run('look')).all_messages())
    assert SECRET not in messages
    assert 'MASKED_PASSWORD' in messages


async def test_arguments_of_any_type_can_be_told_of() -> None:
    def look(days: dict[date, int]) -> str:
        return f'{len(days)} days'

    result = await Agent(asking(days={'2024-01-01': 1}), tools=[look], capabilities=[capability()]).run('look')
    assert '1 days' in str(result.all_messages())


@pytest.mark.parametrize('policy', ['open', 'closed', 'extractive'])
async def test_what_is_embedded_costs_nothing(policy: str) -> None:
    rules = RULES | {'summarization': {'on_failure': policy}}
    agent = Agent(asking(), tools=[Tool(lambda: STORY, name='look')], capabilities=[capability(**rules)])
    result = await agent.run('look', usage_limits=UsageLimits(request_limit=2))
    assert result.usage.requests == 2
    assert 'summarized in' in str(result.all_messages())


async def test_what_a_tool_raises_instead_of_a_result_is_treated_as_one() -> None:
    told: list[Draft] = []

    class Told:
        async def emit(self, draft: Draft) -> None:
            told.append(draft)

    def look() -> str:
        raise SkipToolExecution('The ferry to Wickhythe left at dusk. ' * 800 + f'password={SECRET}')

    rules = ToolResultRules.model_validate({'defaults': {'model': 'extractive'}})
    agent = Agent(
        asking(), tools=[look], capabilities=[SummarizeToolResults(rules=rules, settings=SETTINGS, timeline=Told())]
    )
    messages = str((await agent.run('look')).all_messages())
    assert 'summarized in' in messages
    assert SECRET not in messages + str(told)
    assert [draft.type for draft in told if draft.type != 'summary.delta'] == [
        'tool_call', 'tool_call', 'tool_result', 'tool_call.summarizing', 'tool_summary'
    ]  # fmt: skip


async def test_a_tool_that_fails_leaves_its_masked_error() -> None:
    told: list[Draft] = []

    class Told:
        async def emit(self, draft: Draft) -> None:
            told.append(draft)

    def look() -> str:
        raise ModelRetry(f'no harbour for password={SECRET}')

    capability = SummarizeToolResults[None](settings=SETTINGS, timeline=Told())
    metadata = {'session_id': 's1', 'stage': 'triage', 'model_call_id': 7, 'other': 'x'}
    await Agent(asking(), tools=[look], capabilities=[capability]).run('look', metadata=metadata)
    result = next(draft for draft in told if isinstance(draft, ToolResult))
    assert result.is_error
    assert result.text == 'no harbour for password=[MASKED_PASSWORD]'
    assert {(draft.session_id, draft.stage, draft.model_call_id) for draft in told} == {('s1', 'triage', '7')}
