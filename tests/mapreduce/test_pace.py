"""A model that is too slow for the deadline is told of early, does the weightiest chunks, and a normal one is let be."""

import anyio
import pytest

from summarizer_tool import Settings, Summarizer
from summarizer_tool.mapreduce.sub_agent_runner import Pace, Writing
from summarizer_tool.runtime.deadline import Deadline
from tests.support import virtual_time
from tests.support.provider import serve
from tests.support.replies import Behaviour

TARGET = 400


async def pace_of(chunks: int, slots: int, wait: float, rate: float, seconds: float) -> tuple[int, float, list[str]]:
    """Chunks done, seconds until the model was found too slow, and what was said.

    Args:
        chunks: Of 400 tokens, five at once.
        slots: How many of them the provider works on at once.
        wait: Seconds before the first token.
        rate: Tokens per second of one answer.
        seconds: Until the deadline.
    """
    said: list[str] = []
    pace = Pace('m', Deadline(seconds), said, unasked=chunks)
    server = anyio.Semaphore(slots)
    done, told = 0, 0.0

    async def write(call: Writing) -> None:
        nonlocal done, told
        async with server:
            await anyio.sleep(wait)
            for _ in range(TARGET // 10):
                await anyio.sleep(10 / rate)
                pace.wrote(call, 10)
                told = told or (anyio.current_time() if said else 0.0)
            done += 1

    async def worker() -> None:
        while pace.unasked:
            if pace.has_time():
                call = Writing(TARGET)
                with pace.calling(call):
                    await write(call)

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(worker)
    return done, round(told, 1), said


@pytest.mark.parametrize(
    ('provider', 'done'),
    [
        ((200, 5, 2, 50, 600), 200),
        ((150, 5, 2, 50, 305), 150),
        ((3, 5, 0.8, 60, 9), 3),
        ((5, 1, 10, 20, 300), 5),
        ((1, 1, 10, 1, 300), 0),
        ((5, 5, 40, 2, 300), 5),
    ],
    ids=['normal', 'just in time', 'in a hurry', 'one at a time', 'a single chunk', 'each cut short'],
)
def test_a_model_that_is_fast_enough_is_let_be(provider: tuple[int, int, float, float, float], done: int) -> None:
    assert virtual_time.run(lambda: pace_of(*provider)) == (done, 0.0, [])


@pytest.mark.parametrize(
    ('provider', 'done', 'told', 'said'),
    [
        ((60, 5, 2, 10, 300), 35, 30.0, '48.5 tokens per second, too slow for 60 chunks in 270 s: it does 36'),
        ((9, 1, 20, 8, 300), 4, 30.0, '8.0 tokens per second, too slow for 9 chunks in 270 s: it does 5'),
        ((9, 1, 20, 0.5, 300), 0, 120.0, '0.5 tokens per second, too slow for 9 chunks in 180 s: it does 1'),
    ],
    ids=['many chunks', 'one at a time', 'hardly at all'],
)
def test_a_model_that_is_too_slow_is_told_of(
    provider: tuple[int, int, float, float, float], done: int, told: float, said: str
) -> None:
    warning = f'm writes {said}, the extractive model the rest'
    assert virtual_time.run(lambda: pace_of(*provider)) == (done, told, [warning])


@pytest.mark.usefixtures('model_requests')
def test_the_weightiest_chunks_are_the_models() -> None:
    towns = ['Arvel', 'Borne', 'Cadra', 'Delm', 'Erran', 'Fossa']
    text = '\n\n'.join(
        f'# {town}\n\n' + '\n\n'.join(f'The {thing} of {town} was built in {year}.' for year in range(1200, 1212))
        for town, thing in zip(towns, ('mill', 'mill', 'gate', 'mill', 'gate', 'lighthouse'), strict=True)
    )
    with serve(Behaviour(tokens_per_second=75)) as provider:
        settings = Settings.load(
            llm_model='openai/gpt-4o-mini',
            openrouter_base_url=provider.base_url,
            default_chunk_size_tokens=200,
            max_concurrent_llm_calls=1,
            deadline_seconds=4,
        )
        summary = Summarizer(settings).summarize_sync(text, max_output_tokens=600, focus_areas='lighthouse of Fossa')
        assert 'lighthouse' in provider.requests[0].prompt
    assert summary.warnings[0].startswith('openai/gpt-4o-mini writes ')
    assert {part.reason for part in summary.degraded} == {'deadline'}
