"""The same chunk, prompt, focus and model is never paid for twice."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RunUsage

from summarizer_tool import Document, ExtractiveModel, Settings, Summarizer, SummarizeRequest, Summary
from summarizer_tool.errors import StoreError
from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.mapreduce.answer_cache import AnswerCache, find_summary, keep_summary, revision
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.schemas import Stats
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore
from tests.support.map_models import lines_of, read, tool_call
from tests.support.texts import chronicle

pytestmark = pytest.mark.anyio

TEXT = chronicle(8)
SETTINGS = Settings(llm_model='extractive', default_chunk_size_tokens=1000)


class Counted:
    """A model that quotes its lines, and counts how often it is asked."""

    def __init__(self, fails: Callable[[int], bool] = lambda _: False) -> None:
        self.requests = 0
        self.is_asked = asyncio.Event()

        async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            self.requests += 1
            self.is_asked.set()
            number = self.requests
            await asyncio.sleep(0.01)
            if fails(number):
                raise OSError('gone')
            facts = [{'text': text, 'importance': 3, 'evidence': [n]} for n, text in lines_of(read(messages))[:30]]
            return tool_call(info, {'facts': facts, 'entities': []})

        self.model = FunctionModel(answer, model_name='counted')

    async def run(self, cache: Collection, focus: str = 'ships', budget: int = 1000, text: str = TEXT) -> Summary:
        summarizer = Summarizer(SETTINGS, model=self.model)
        return await summarizer.run(
            Document(text), SummarizeRequest(focus_areas=focus, max_output_tokens=budget), RequestOptions(cache=cache)
        )


async def test_a_repeated_request_asks_nothing() -> None:
    cache, model = SourceStore().collection(), Counted()
    first = await model.run(cache)
    asked = model.requests
    usage = RunUsage()
    again = await Summarizer(SETTINGS, model=model.model).run(
        Document(TEXT),
        SummarizeRequest(focus_areas='ships', max_output_tokens=1000),
        RequestOptions(cache=cache, usage=usage),
    )
    assert model.requests == asked
    assert again.text == first.text
    assert again.facts == first.facts
    assert (again.stats.from_cache, again.stats.map_calls, usage.requests) == (True, 0, 0)
    assert again.stats.cached_calls == first.stats.map_calls + first.stats.reduce_calls


async def test_a_kept_summary_has_cost_nothing() -> None:
    cache = SourceStore().collection()
    stats = Stats(
        tokens_in=9, tokens_out=1, budget=1, model='m', map_calls=2, hedged_calls=1, usage=RunUsage(requests=2)
    )
    await keep_summary(cache, 'key', Summary(text='.', state='complete', stats=stats), '')
    kept = await find_summary(cache, 'key')
    assert kept is not None
    found = {name: value for name, value in kept.stats.model_dump().items() if 'calls' in name}
    assert (found, kept.stats.usage) == (
        {'map_calls': 0, 'reduce_calls': 0, 'repair_calls': 0, 'cached_calls': 2},
        RunUsage(),
    )


def test_what_is_made_without_a_model_is_of_the_data_of_the_package_too(monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[str] = set()

    def note(path: Path) -> bytes:
        read.add(path.suffix)
        return b''

    monkeypatch.setattr(Path, 'read_bytes', note)
    revision.__wrapped__()
    assert read == {'.py', '.toml'}


@pytest.mark.parametrize(('focus', 'budget', 'text', 'asked'), [
    ('ships', 800, TEXT, 0),  # a smaller budget: the chunk summaries are large enough
    ('ships', 2000, TEXT, 3),  # a larger one: they say too little
    ('people', 1000, TEXT, 3),
])  # fmt: skip
async def test_what_a_chunk_summary_depends_on(focus: str, budget: int, text: str, asked: int) -> None:
    cache, model = SourceStore().collection(), Counted()
    first = await model.run(cache)
    assert first.stats.map_calls == 3
    before = model.requests
    summary = await model.run(cache, focus, budget, text)
    assert summary.stats.map_calls == asked
    assert model.requests - before >= asked
    assert not summary.stats.from_cache


async def test_a_part_that_was_not_finished_is_asked_for_again_and_only_that() -> None:
    cache = SourceStore().collection()
    broken = Counted(fails=lambda number: number == 2)
    assert (await broken.run(cache)).state == 'degraded'
    mended = Counted()
    summary = await mended.run(cache)
    assert summary.state == 'complete'
    assert summary.stats.map_calls == 1
    assert summary.stats.cached_calls >= 2


async def test_equal_requests_at_once_are_paid_for_once() -> None:
    cache, model = SourceStore().collection(), Counted()
    first, second = await asyncio.gather(model.run(cache), model.run(cache))
    assert first.text == second.text
    assert first.stats.map_calls + second.stats.map_calls == 3


async def test_a_cancelled_request_lets_the_next_one_ask() -> None:
    cache, model = SourceStore().collection(), Counted()
    first = asyncio.create_task(model.run(cache))
    second = asyncio.create_task(model.run(cache))
    await model.is_asked.wait()
    first.cancel()
    assert (await second).state == 'complete'
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_who_is_cancelled_while_waiting_gives_nobody_the_turn_of_another() -> None:
    cache = AnswerCache(SourceStore().collection(), 'scope', is_exact=False)
    asking: list[str] = []

    async def ask(name: str) -> None:
        async with cache.asking('key', 100, Deadline(1000)):
            asking.append(name)

    async with cache.asking('key', 100, Deadline(1000)):
        waiting = [asyncio.create_task(ask(name)) for name in ('impatient', 'patient')]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.wait(waiting, timeout=0.1)
        assert not asking
    await waiting[1]
    assert asking == ['patient']


async def test_collections_do_not_wait_for_each_other() -> None:
    store, asked, both = SourceStore(), 0, asyncio.Event()

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal asked
        asked += 1
        if asked == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 30)
        facts = [{'text': text, 'importance': 3, 'evidence': [n]} for n, text in lines_of(read(messages))[:9]]
        return tool_call(info, {'facts': facts, 'entities': []})

    model = Counted()
    model.model = FunctionModel(answer, model_name='slow')
    text = chronicle(3)
    summaries = await asyncio.gather(*(model.run(store.collection(name), budget=100, text=text) for name in 'ab'))
    assert [summary.state for summary in summaries] == ['complete', 'complete']


async def test_the_embedded_model_is_asked_again_for_another_budget() -> None:
    cache = SourceStore().collection()
    summarizer = Summarizer(SETTINGS, model=ExtractiveModel())

    async def ask(budget: int, cache: Collection | None) -> str:
        summary = await summarizer.run(
            Document(TEXT), SummarizeRequest(max_output_tokens=budget), RequestOptions(cache=cache)
        )
        return summary.text

    for budget in (1500, 700):
        assert await ask(budget, cache) == await ask(budget, None)


class Broken(Collection):
    """A cache whose disk has failed."""

    def answer(self, key: str, *, least: int, most: int) -> str | None:
        if not most:
            return '{"half": '
        raise StoreError('no disk')

    def keep_answer(self, key: str, target: int, answer: str) -> None:
        raise StoreError('no disk')


async def test_a_cache_that_fails_costs_nothing_but_time() -> None:
    store, model = SourceStore(), Counted()
    assert (await model.run(store.collection())).text == (await model.run(Broken(store._database, 'x'))).text  # pyright: ignore[reportPrivateUsage]
