"""20 clients, each with a document of 100,000 tokens, at once and keyless, while one more asks small things."""

import os
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2

from summarizer_tool.runtime.executors import IDLE_SECONDS
from summarizer_tool.text import tokens
from tests.proofs.batch import material
from tests.proofs.load.goals import Goals, percentile
from tests.support import serving
from tests.support.serving import Program, meta_of, text_of

CLIENTS = 20
TOKENS = 100_000
BUDGET = 5000
DEADLINE = 110.0

SMALL_TOKENS = 3000
SMALL_BUDGET = 500
PAUSE = 0.2

SETTLING = IDLE_SECONDS + 5
"""Seconds from the last answer until memory is looked at: idle processes have ended by then."""


def document(number: int, size: int) -> str:
    """A text of about so many tokens, like no other."""
    return material.text(number, round(3.5 * size))


@dataclass
class Seen:
    """What the clients have seen."""

    seconds: list[float] = field(default_factory=list[float])
    gaps: list[float] = field(default_factory=list[float])
    """The longest silence of each large call."""
    small: list[float] = field(default_factory=list[float])
    health: list[float] = field(default_factory=list[float])
    memory: list[float] = field(default_factory=list[float])
    states: dict[str, int] = field(default_factory=dict[str, int])
    wrong: list[str] = field(default_factory=list[str])


async def prove(folder: Path, goals: Goals) -> None:
    seen = Seen()
    workers = {'SUMMARIZER_WORKER_PROCESSES': '', 'SUMMARIZER_STORE': str(folder / 'crowd.sqlite3')}
    with serving.program(folder, **workers) as server:
        texts = [document(number, TOKENS) for number in range(CLIENTS)]
        goals.note('tokens of a document', f'{tokens.count(texts[0]):,}')
        async with serving.connect(server.url) as client:
            for number in range(3):
                await client.call_tool(
                    'summarize', {'content': document(900 + number, SMALL_TOKENS), 'max_output_tokens': SMALL_BUDGET}
                )
            await client.call_tool('summarize', {'content': document(800, TOKENS), 'max_output_tokens': BUDGET})
        before = memory_of(server.process.pid)
        started = time.monotonic()
        async with anyio.create_task_group() as others:
            others.start_soon(ask_small, server, seen)
            others.start_soon(ask_health, server, seen)
            others.start_soon(watch_memory, server, seen)
            async with anyio.create_task_group() as clients:
                for text in texts:
                    clients.start_soon(ask_large, server, text, seen)
            others.cancel_scope.cancel()
        goals.note('all answered after', f'{time.monotonic() - started:.1f} s; states: {seen.states}')
        goals.so(f'no wrong answers {seen.wrong[:3]}', is_so=not seen.wrong)
        goals.at_most('slowest large call', max(seen.seconds), DEADLINE)
        goals.note(
            'large calls', f'p50 {statistics.median(seen.seconds):.1f} s, p99 {percentile(seen.seconds, 0.99):.1f} s'
        )
        goals.at_most('longest silence of a large call', max(seen.gaps), 5.0)
        goals.at_most(f'small calls ({len(seen.small)}), p99', percentile(seen.small, 0.99), 1.0)
        goals.note('small calls, p50', f'{statistics.median(seen.small):.3f} s, longest {max(seen.small):.3f} s')
        goals.at_most(f'health ({len(seen.health)}), p99', percentile(seen.health, 0.99), 1.0)
        goals.note('health, p50', f'{statistics.median(seen.health):.4f} s, longest {max(seen.health):.3f} s')
        await anyio.sleep(SETTLING)
        after = memory_of(server.process.pid)
        goals.note(
            'memory, server and workers',
            f'{before:.0f} MB before, peak {max(seen.memory):.0f} MB, {after:.0f} MB after',
        )
        goals.at_most('memory kept after the crowd has gone', after - before, 150.0, 'MB')
        await repeat(server, texts[0], seen, goals)


async def ask_large(server: Program, text: str, seen: Seen) -> None:
    async with serving.connect(server.url) as client:
        await client.list_tools()
        heard = [time.monotonic()]

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            heard.append(time.monotonic())

        started = heard[0]
        answer = await client.call_tool(
            'summarize', {'content': text, 'max_output_tokens': BUDGET}, progress_callback=tell
        )
        heard.append(time.monotonic())
        seen.seconds.append(heard[-1] - started)
        seen.gaps.append(max(later - earlier for earlier, later in zip(heard, heard[1:], strict=False)))  # noqa: RUF007
        check(answer, BUDGET, seen)


def check(answer: Any, budget: int, seen: Seen) -> None:
    state = 'error' if answer.is_error else meta_of(answer)['state']
    seen.states[state] = seen.states.get(state, 0) + 1
    if state not in ('complete', 'degraded') or tokens.count(text_of(answer)) > budget:
        seen.wrong.append(text_of(answer)[:100])


async def ask_small(server: Program, seen: Seen) -> None:
    """Each a text of its own, so that none is answered from the store."""
    number = 1000
    async with serving.connect(server.url) as client:
        await client.list_tools()
        while True:
            text = document(number, SMALL_TOKENS)
            number += 1
            started = time.monotonic()
            answer = await client.call_tool('summarize', {'content': text, 'max_output_tokens': SMALL_BUDGET})
            seen.small.append(time.monotonic() - started)
            if answer.is_error:
                seen.wrong.append(text_of(answer)[:100])
            await anyio.sleep(max(0.0, PAUSE - (time.monotonic() - started)))


async def ask_health(server: Program, seen: Seen) -> None:
    async with httpx2.AsyncClient() as client:
        while True:
            started = time.monotonic()
            answer = await client.get(f'http://127.0.0.1:{server.port}/health', timeout=30)
            seen.health.append(time.monotonic() - started)
            if answer.json() != {'status': 'ok'}:
                seen.wrong.append(answer.text)
            await anyio.sleep(max(0.0, PAUSE - (time.monotonic() - started)))


async def watch_memory(server: Program, seen: Seen) -> None:
    while True:
        seen.memory.append(memory_of(server.process.pid))
        await anyio.sleep(0.5)


async def repeat(server: Program, text: str, seen: Seen, goals: Goals) -> None:
    """The same request again, and a large one alone."""
    async with serving.connect(server.url) as client:
        await client.list_tools()

        async def seconds(content: str) -> float:
            started = time.monotonic()
            check(await client.call_tool('summarize', {'content': content, 'max_output_tokens': BUDGET}), BUDGET, seen)
            return time.monotonic() - started

        for number in (1, 2, 3):
            await seconds(document(CLIENTS + number, TOKENS))  # the processes start again, and warm up
        alone = document(CLIENTS, TOKENS)
        first = await seconds(alone)
        again = statistics.median([await seconds(alone) for _ in range(5)])
        goals.note('one large call alone', f'{first:.2f} s; again {again * 1000:.0f} ms')
        goals.at_least('a repeated call is faster by', first / again, 20, 'times')
        goals.so('the answers of the crowd are kept', is_so=await seconds(text) < max(seen.seconds) / 20)


def memory_by_process(pid: int) -> list[int]:
    """The memory of a process and its children, in MB each: of what they share each has its part."""
    return [round(_own_memory(each)) for each in [pid, *_children(pid)]]


def memory_of(pid: int) -> int:
    """The same together."""
    return sum(memory_by_process(pid))


def _children(pid: int) -> list[int]:
    try:
        found = [int(child) for child in Path(f'/proc/{pid}/task/{pid}/children').read_text().split()]
        found += [
            int(child)
            for task in os.listdir(f'/proc/{pid}/task')  # noqa: PTH208
            if task != str(pid)
            for child in Path(f'/proc/{pid}/task/{task}/children').read_text().split()
        ]
    except OSError:
        return []
    return [each for child in found for each in (child, *_children(child))]


def _own_memory(pid: int) -> float:
    try:
        lines = Path(f'/proc/{pid}/smaps_rollup').read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith('Pss:')) / 1024
