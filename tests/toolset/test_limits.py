"""What a call may cost: usage, limits, deadline and cancellation of the run."""

import asyncio
from typing import Any

import anyio
import pytest
from pydantic_ai import Agent, UsageLimitExceeded, UsageLimits
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
)
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.usage import RequestUsage, RunUsage

from summarizer_tool import ExtractiveModel, Settings
from summarizer_tool.service.service import Service
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.toolset import SummarizerToolset
from tests.support.scripted import (
    call,
    returns,
    scripted,
)
from tests.support.texts import CHRONICLE


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
    mounted = SummarizerToolset[None](settings=settings, store=store, model=counting(reported))
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
