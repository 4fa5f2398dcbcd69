"""Summaries at once: of several threads, loops and processes, and one that is cancelled."""

import asyncio
import os
import threading

import anyio
import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel

from summarizer_tool import (
    Summarizer,
    Summary,
)
from tests.support.map_models import good, make, read
from tests.support.texts import CHRONICLE


def test_cancellation_stops_the_model_calls_at_once() -> None:
    started = stopped = 0
    all_started = anyio.Event()

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal started, stopped
        started += 1
        if started == 3:
            all_started.set()
        try:
            await anyio.sleep(60)
        except asyncio.CancelledError:
            stopped += 1
            raise
        raise AssertionError('not reached')

    async def main() -> None:
        summarizer = Summarizer(make(max_concurrent_llm_calls=3), model=FunctionModel(answer))
        task = asyncio.create_task(summarizer.summarize(CHRONICLE, max_output_tokens=300))
        await all_started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert (started, stopped) == (3, 3)


def test_concurrency_is_bounded_across_summarizers() -> None:
    running = peak = 0
    is_full = anyio.Event()

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        if running == 3:
            is_full.set()
        with anyio.move_on_after(60):  # no fourth call comes, however long the three take
            await is_full.wait()
            await anyio.sleep(0.01)
        running -= 1
        return good(read(messages), info)

    async def main() -> None:
        settings = make(max_concurrent_llm_calls=3)
        summarizers = [Summarizer(settings, model=FunctionModel(answer)) for _ in range(2)]
        await asyncio.gather(*(each.summarize(CHRONICLE, max_output_tokens=300) for each in summarizers))

    asyncio.run(main())
    assert peak == 3


def test_synchronous_calls_work_inside_a_running_loop_and_from_many_threads() -> None:
    summarizer = Summarizer(make())

    async def inside() -> Summary:
        return summarizer.summarize_sync(CHRONICLE, max_output_tokens=300)

    expected = asyncio.run(inside()).text
    texts: list[str] = []
    threads = [
        threading.Thread(target=lambda: texts.append(summarizer.summarize_sync(CHRONICLE, max_output_tokens=300).text))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == [expected] * 3


def test_synchronous_calls_share_one_event_loop() -> None:
    """On another the connections that a caller's model keeps open would fail."""
    loops: set[asyncio.AbstractEventLoop] = set()

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        loops.add(asyncio.get_running_loop())
        return good(read(messages), info)

    def summarize() -> None:
        Summarizer(make(), model=FunctionModel(answer)).summarize_sync(CHRONICLE, max_output_tokens=300)

    async def inside() -> None:
        summarize()

    summarize()
    threads = [threading.Thread(target=summarize) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asyncio.run(inside())
    assert len(loops) == 1


def test_concurrency_is_bounded_across_event_loops() -> None:
    lock = threading.Lock()
    running = peak = 0

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal running, peak
        with lock:
            running += 1
            peak = max(peak, running)
        await anyio.sleep(0.05)
        with lock:
            running -= 1
        return good(read(messages), info)

    summarizer = Summarizer(make(max_concurrent_llm_calls=3), model=FunctionModel(answer))

    def alone() -> None:
        asyncio.run(summarizer.summarize(CHRONICLE, max_output_tokens=300))

    threads = [threading.Thread(target=alone) for _ in range(3)]
    for thread in threads:
        thread.start()
    summarizer.summarize_sync(CHRONICLE, max_output_tokens=300)
    for thread in threads:
        thread.join()
    assert 1 < peak <= 3  # on a busy machine not all meet


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='needs fork')
@pytest.mark.filterwarnings('ignore::DeprecationWarning')
def test_synchronous_calls_work_after_a_fork() -> None:
    Summarizer(make()).summarize_sync(CHRONICLE, max_output_tokens=300)
    child = os.fork()
    if child == 0:
        state = Summarizer(make()).summarize_sync(CHRONICLE, max_output_tokens=300).state
        os._exit(0 if state == 'complete' else 1)
    assert os.waitpid(child, 0)[1] == 0
