"""What comes past the hooks of a tool call, and what a summary must not cost."""

from datetime import date
from typing import Any

import pytest
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import CallDeferred, SkipToolExecution
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits

from researcher_integration.timeline.events import Draft, ToolResult
from researcher_integration.tool_results.capability import SummarizeToolResults
from researcher_integration.tool_results.rules import ToolResultRules
from summarizer_tool import Settings

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


async def test_the_results_of_deferred_calls_are_masked() -> None:
    def look() -> str:
        raise CallDeferred

    agent = Agent(asking(), tools=[look], capabilities=[capability()], output_type=[str, DeferredToolRequests])
    first = await agent.run('look')
    assert isinstance(first.output, DeferredToolRequests)
    results = DeferredToolResults(calls={first.output.calls[0].tool_call_id: f'password={SECRET}'})
    second = await agent.run(message_history=first.all_messages(), deferred_tool_results=results)
    assert second.output == 'done'
    assert SECRET not in str(second.all_messages())
    assert 'MASKED_PASSWORD' in str(second.all_messages())


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
    def look() -> str:
        return 'The ferry to Wickhythe left at dusk, and Ansgar paid twelve crowns for it. ' * 800

    rules = {'model': 'extractive', 'summarization': {'on_failure': policy}}
    agent = Agent(asking(), tools=[look], capabilities=[capability(**rules)])
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
