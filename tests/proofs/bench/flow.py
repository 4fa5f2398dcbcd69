"""One request against a slow provider, over a socket: beside plain map-reduce, the ideal schedule, and faults."""

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapreplace
from itertools import pairwise

from pydantic_ai import Agent
from pydantic_ai.models import override_allow_model_requests
from pydantic_ai.usage import RunUsage

from summarizer_tool import Settings, Summarizer, Summary
from summarizer_tool.llm import models
from summarizer_tool.text import tokens
from tests.proofs.bench.crawl import SHARED
from tests.proofs.bench.texts import chronicle
from tests.proofs.load.goals import Goals
from tests.support.provider import Provider, serve
from tests.support.replies import Answer, Behaviour, Error, Hang, Reply, Request, Text, summarize

WAIT = 0.8
RATE = 120.0
BUDGET = 5000
WINDOW = 8000
AT_ONCE = 5

_ASKED = re.compile(r'in about (\d+) tokens')


def answer(request: Request) -> Reply:
    """Facts for this project's requests; for others a text of the size that it asks for."""
    asked = _ASKED.search(request.prompt)
    if asked is None:
        return summarize(request)
    words = request.user_texts[-1].split()
    return Text(tokens.truncate(' '.join(words), int(asked[1])))


@dataclass(frozen=True, slots=True)
class Run:
    """The plain map-reduce, measured."""

    seconds: float
    mapped: float
    """Seconds of it until the last window was summarized."""
    tokens_in: int
    calls: int


async def plain(text: str, provider: Provider, map_size: int, combined_size: int) -> Run:
    """Map-reduce as it is published: windows of equal size, a text of so many tokens about each, and one last call."""
    windows = [text[start:end] for start, end in _windows(text)]
    places, usage = asyncio.Semaphore(AT_ONCE), RunUsage()
    started = time.perf_counter()
    async with models.connect(_settings(provider), 'openai/gpt-4o-mini') as model:
        agent = Agent(model)

        async def ask(what: str, size: int) -> str:
            async with places:
                prompt = f'Write a concise summary in about {size} tokens of the following:\n\n{what}'
                result = await agent.run(prompt, usage=usage)
                return result.output

        parts = await asyncio.gather(*(ask(window, map_size) for window in windows))
        mapped = time.perf_counter() - started
        await ask('\n\n'.join(parts), combined_size)
    return Run(time.perf_counter() - started, mapped, usage.input_tokens, usage.requests)


def _windows(text: str) -> list[tuple[int, int]]:
    edges = [0, *tokens.char_ends(text)[WINDOW - 1 :: WINDOW], len(text)]
    return [(start, end) for start, end in pairwise(edges) if start < end]


def _settings(provider: Provider, **settings: object) -> Settings:
    given = {'llm_model': 'openai/gpt-4o-mini', 'openrouter_base_url': provider.base_url, **settings}
    return Settings(_env_file=None, **given)  # pyright: ignore[reportCallIssue, reportArgumentType]


async def own(text: str, provider: Provider, budget: int = BUDGET, **settings: object) -> tuple[float, Summary]:
    """Seconds of a summary by this project."""
    summarizer = Summarizer(_settings(provider, **settings))
    started = time.perf_counter()
    summary = await summarizer.summarize(text, max_output_tokens=budget)
    return time.perf_counter() - started, summary


def _serve(answers: Answer = answer, at_once: int | None = None) -> Behaviour:
    return Behaviour(answers, latency=WAIT, tokens_per_second=RATE, most_at_once=at_once)


def document() -> str:
    """The document of about 120,000 tokens."""
    pages = sorted(SHARED.glob('*.md'))
    return '\n\n'.join(page.read_text() for page in pages) if pages else chronicle(590)


async def side_by_side(goals: Goals) -> None:
    """The document of 120,000 tokens, five calls at once.

    Beside a map-reduce whose calls write as many tokens as this project's, equally long ones; and beside the map alone
    of one that writes no more than the budget, which no result within it can do without.
    """
    text = document()
    source = tokens.count(text)
    with serve(_serve()) as provider:
        seconds, summary = await own(text, provider, max_concurrent_llm_calls=AT_ONCE)
    spent, stats = summary.stats.usage, summary.stats
    windows = len(_windows(text))
    with serve(_serve()) as provider:
        as_much = await plain(text, provider, *[spent.output_tokens // (windows + 1)] * 2)
    with serve(_serve()) as provider:
        least = await plain(text, provider, BUDGET // windows, 1)
    print(
        f'{source:,} tokens to {BUDGET:,}, {WAIT} s + tokens / {RATE:.0f} s, {AT_ONCE} at once:\n'
        f'  this project                    {seconds:5.1f} s, {spent.requests:3} calls, {spent.input_tokens:,} tokens in, '
        f'{spent.output_tokens:,} written, {stats.tokens_out:,} in the text\n'
        f'  map-reduce that writes as much  {as_much.seconds:5.1f} s, {as_much.calls:3} calls, '
        f'{as_much.tokens_in:,} tokens in; {as_much.mapped:.1f} s of it the map\n'
        f'  its map alone, within budget    {least.mapped:5.1f} s'
    )
    goals.at_most('wall', seconds / as_much.seconds, 0.85, 'x map-reduce that writes as much', bound=1.0)
    goals.at_most('wall, map alone', seconds / least.mapped, 1.0, 'x the map of the budget', bound=1.5)
    goals.at_most('tokens in', spent.input_tokens / source, 1.06, 'x the source')
    goals.at_most('tokens in, peer', spent.input_tokens / as_much.tokens_in, 1.0, 'x map-reduce')
    goals.at_least('budget used', stats.tokens_out / BUDGET, 0.98)


def _ideal(requests: Sequence[Request], limit: int) -> float:
    """Seconds that these calls take on so many places, the longest first and no place ever idle."""
    places = [0.0] * limit
    took = (request.answered - request.received for request in requests if request.answered is not None)
    for seconds in sorted(took, reverse=True):
        heapreplace(places, places[0] + seconds)
    return max(places)


async def unknown_limits(goals: Goals) -> None:
    """Wall time against the ideal schedule, where the provider refuses more calls than a limit nobody has told of."""
    for chunks, limit, bound in ((40, 5, 1.3), (80, 16, 1.3), (200, 64, 1.3)):
        text = chronicle(round(1.3 * chunks))
        with serve(_serve(at_once=limit)) as provider:
            computing = time.process_time()
            seconds, summary = await own(
                text, provider, 100 * chunks, max_concurrent_llm_calls=64, default_chunk_size_tokens=460
            )
            computing = time.process_time() - computing
        ideal = _ideal(provider.requests, limit)
        print(
            f'{summary.stats.chunks} chunks, {limit} at once unknown to us: {seconds:.1f} s, ideal {ideal:.1f} s, '
            f'{provider.refused} refused, {provider.max_concurrency_seen} at once; '
            f'{computing:.1f} s of computing, that of the provider included'
        )
        goals.at_most(f'wall, limit {limit}', seconds / ideal, 1.15, 'x the ideal schedule', bound=bound)
        goals.so(f'no degraded chunk, limit {limit}', is_so=not summary.degraded)


async def faults(goals: Goals) -> None:
    """2 % hangs and 5 % refusals, against the same without."""
    text = chronicle(160)

    def failing(request: Request) -> Reply:
        if request.number % 50 == 25:
            return Hang(60)
        return Error(429) if request.number % 20 == 10 else answer(request)

    settings = {'max_concurrent_llm_calls': 16, 'default_chunk_size_tokens': 460, 'llm_hedging': True}
    with serve(_serve()) as provider:
        clean, _ = await own(text, provider, 8000, **settings)
    with serve(_serve(failing)) as provider:
        seconds, summary = await own(text, provider, 8000, **settings)
    print(
        f'{summary.stats.chunks} chunks, 16 at once, 2 % hangs and 5 % refused: {seconds:.1f} s, without {clean:.1f} s; '
        f'{summary.stats.hedged_calls} calls made twice'
    )
    goals.at_most('wall with faults', seconds / clean, 1.5, 'x without', bound=1.7)
    goals.so('no degraded chunk', is_so=not summary.degraded)


def prove(goals: Goals) -> None:
    """Run all."""
    with override_allow_model_requests(True):
        asyncio.run(side_by_side(goals))
        asyncio.run(unknown_limits(goals))
        asyncio.run(faults(goals))
