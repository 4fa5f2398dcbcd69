"""Merging beside the map: begun as soon as its chunks are done, and the same whichever answer comes first."""

import asyncio
import random
from collections.abc import Awaitable, Callable

from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel

from summarizer_tool import Summarizer, Summary, prompts
from summarizer_tool.mapreduce.job import Call, calls_at_once
from tests.support.map_models import good, make, read
from tests.support.texts import chronicle

TEXT = chronicle(7, seed=3)


Answer = Callable[[prompts.ParsedRequest], Awaitable[None]]


def summarize(before: Answer, most: int = 4) -> Summary:
    """Summarize with a model that answers a request once `before` has returned."""

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        request = read(messages)
        await before(request)
        return good(request, info)

    async def main() -> Summary:
        settings = make(max_concurrent_llm_calls=most, default_chunk_size_tokens=300)
        model = FunctionModel(answer, model_name='scripted')
        return await Summarizer(settings, model=model).summarize(TEXT, max_output_tokens=400)

    return asyncio.run(main())


def shuffled(seed: int) -> Answer:
    """Answers in an order drawn by chance; no clock decides anything."""
    chance = random.Random(seed)

    async def before(request: prompts.ParsedRequest) -> None:
        for _ in range(chance.randrange(200)):
            await asyncio.sleep(0)

    return before


def result(summary: Summary) -> dict[str, object]:
    return summary.model_dump(exclude={'stats': {'seconds'}})


def test_merging_begins_before_the_last_chunk_is_answered() -> None:
    has_begun = asyncio.Event()

    async def before(request: prompts.ParsedRequest) -> None:
        if request.merges:
            has_begun.set()
        elif 'Year 607' in str(request.sources):
            await has_begun.wait()

    summary = summarize(before)
    assert (summary.stats.map_calls, summary.stats.reduce_calls) == snapshot((8, 4))


def test_no_merge_waits_for_another() -> None:
    merges = summarize(shuffled(0)).stats.reduce_calls
    begun, all_begun = 0, asyncio.Event()

    async def before(request: prompts.ParsedRequest) -> None:
        nonlocal begun
        if request.merges:
            begun += 1
            if begun == merges:
                all_begun.set()
            await all_begun.wait()

    assert summarize(before, most=100).stats.reduce_calls == merges > 1


def test_the_result_does_not_depend_on_which_answer_comes_first() -> None:
    first = result(summarize(shuffled(0)))
    for seed in range(1, 4):
        assert result(summarize(shuffled(seed))) == first


@hypothesis_settings(max_examples=50, deadline=None)
@given(st.data(), st.integers(1, 5), st.integers(0, 10**6))
def test_calls_come_after_what_they_need_and_never_more_at_once(data: st.DataObject, most: int, seed: int) -> None:
    count = data.draw(st.integers(0, 12))
    needs = [
        sorted(data.draw(st.sets(st.integers(0, index - 1)) if index else st.just(set()))) for index in range(count)
    ]
    chance, running, finished, peak = random.Random(seed), 0, set[int](), 0

    async def make_call(index: int) -> int:
        nonlocal running, peak
        assert finished.issuperset(needs[index])
        running, peak = running + 1, max(peak, running + 1)
        for _ in range(chance.randrange(4)):
            await asyncio.sleep(0)
        running -= 1
        finished.add(index)
        return index

    calls = [
        Call(lambda index=index: make_call(index), 'map', 'done', rank=chance.random(), after=needs[index])
        for index in range(count)
    ]

    async def main() -> list[int]:
        return await calls_at_once(calls, most)

    assert asyncio.run(main()) == list(range(count))
    assert peak <= most
