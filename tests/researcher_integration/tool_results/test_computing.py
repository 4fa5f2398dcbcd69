"""Computing for results: never on the event loop, and over as soon as nobody waits for it."""

import asyncio
import threading
import time
from typing import Any

import pytest
from pydantic_ai import Agent, ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from researcher_integration import SummarizeToolResults
from researcher_integration.masking.masking import Masker
from researcher_integration.tool_results import capability, observation, summarizing
from researcher_integration.tool_results.observation import Observation
from summarizer_tool import Settings, count_tokens

pytestmark = pytest.mark.anyio

PROSE = 'The keeper of the mill told of an old stone that nobody had seen since winter. ' * 400


def agent_with(result: object) -> Agent:
    def answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart('look', {}) if len(messages) == 1 else TextPart('done')])

    agent = Agent(FunctionModel(answer), capabilities=[SummarizeToolResults(settings=Settings(llm_model='extractive'))])

    @agent.tool_plain
    def look() -> object:
        if isinstance(result, Exception):
            raise result
        return result

    return agent


@pytest.mark.parametrize(
    'result', [PROSE, {'id': 7, 'said': PROSE}, ToolFailed(PROSE)], ids=['text', 'object', 'error']
)
async def test_nothing_large_is_counted_on_the_event_loop(result: object, monkeypatch: pytest.MonkeyPatch) -> None:
    here, counted = threading.get_ident(), list[bool]()

    def count(text: str) -> int:
        if len(text) > 20_000:
            counted.append(threading.get_ident() == here)
        return count_tokens(text)

    for module in (capability, observation, summarizing):
        monkeypatch.setattr(module, 'count_tokens', count)
    await agent_with(result).run('What is wrong?')
    assert counted
    assert not any(counted)


async def test_what_is_computed_for_a_cancelled_run_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    def masked(_self: Observation, _masker: Masker) -> Any:
        begun.set()
        try:
            while time.monotonic() < late:
                time.sleep(0.01)
        except BaseException:
            ended.set()
            raise

    late = time.monotonic() + 20
    task = asyncio.create_task(agent_with('calm').run('What is wrong?'))
    monkeypatch.setattr(Observation, 'masked', masked)
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(ended.wait, 10)
