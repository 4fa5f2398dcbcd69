"""How long the event loop stands still while 2 MB are summarized without a model, which is all computing."""

import asyncio
import time

from summarizer_tool import Settings, Summarizer
from tests.proofs.bench.texts import chronicle


async def measure() -> None:
    """Wake up every 5 ms beside a summary of 2 MB, and see how late that is."""
    summarizer = Summarizer(Settings(llm_model='extractive'))
    text = chronicle(1900)
    late: list[float] = []

    async def tick() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            late.append(time.perf_counter() - before - 0.005)

    await summarizer.summarize(text[:50_000], max_output_tokens=500)
    ticking = asyncio.create_task(tick())
    started = time.perf_counter()
    summary = await summarizer.summarize(text, max_output_tokens=50_000)
    wall = time.perf_counter() - started
    ticking.cancel()
    late.sort()
    print(
        f'event loop beside a keyless summary of {len(text) / 1e6:.1f} MB, {summary.stats.tokens_in:,} tokens, in {wall:.1f} s: '
        f'median {late[len(late) // 2] * 1000:.0f} ms late, 99 % {late[len(late) * 99 // 100] * 1000:.0f} ms, '
        f'worst {late[-1] * 1000:.0f} ms; goal 100 ms'
    )


def main() -> None:
    """Measure once."""
    asyncio.run(measure())


if __name__ == '__main__':
    main()
