"""How late the event loop is while 2 MB are summarized without a model, which is all computing, in threads."""

import asyncio
import gc
import threading
import time

from summarizer_tool import Settings, Summarizer
from tests.proofs.bench.texts import chronicle
from tests.proofs.load.goals import Goals, percentile

THREADS = 2
"""Of the baseline: one for a large request and one for a small one."""


class Lateness:
    """Wakes up every 5 ms, and notes how late that is."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __aenter__(self) -> 'Lateness':
        self._task = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()

    async def _tick(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            self.seconds.append(time.perf_counter() - before - 0.005)

    def __str__(self) -> str:
        shown = [percentile(self.seconds, share) * 1000 for share in (0.5, 0.99, 1)]
        return 'median {:.0f} ms late, 99 % {:.0f} ms, worst {:.0f} ms'.format(*shown)


async def beside_plain_threads(seconds: float) -> Lateness:
    """Beside threads that do nothing but add: what the interpreter itself costs."""
    is_over = False

    def add() -> None:
        total = 0
        while not is_over:
            total += sum(range(1000))

    threads = [threading.Thread(target=add) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    async with Lateness() as late:
        await asyncio.sleep(seconds)
    is_over = True
    for thread in threads:
        thread.join()
    return late


async def measure(goals: Goals) -> None:
    """Both, one after the other."""
    summarizer = Summarizer(Settings(llm_model='extractive'))
    text = chronicle(1900)
    await summarizer.summarize(text[:50_000], max_output_tokens=500)
    gc.collect()
    gc.freeze()  # as the server does
    plain = await beside_plain_threads(3)
    started = time.perf_counter()
    async with Lateness() as late:
        summary = await summarizer.summarize(text, max_output_tokens=50_000)
    wall = time.perf_counter() - started
    print(f'beside {len(text) / 1e6:.1f} MB, {summary.stats.tokens_in:,} tokens, in {wall:.1f} s: {late}')
    print(f'beside {THREADS} threads that only add: {plain}')
    usual, ours = (percentile(each.seconds, 0.99) for each in (plain, late))
    goals.at_most('the loop, 99 % of the time', ours / usual, 2, 'x as late as beside plain threads', bound=4)
    worst = max(late.seconds) / max(plain.seconds)
    goals.at_most('the loop at worst', worst, 5, 'x as late as beside plain threads', bound=15)


def prove(goals: Goals) -> None:
    """Measure once."""
    asyncio.run(measure(goals))
