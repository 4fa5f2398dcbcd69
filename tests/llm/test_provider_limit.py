"""Places for calls: fewer where the provider refuses, shared in turn, and given up while a call waits."""

import asyncio
import time

import pytest
from inline_snapshot import snapshot
from pydantic_ai.models import override_allow_model_requests

from summarizer_tool import Settings, Summarizer, Summary
from summarizer_tool.llm.provider_limit import ProviderLimit, Share
from summarizer_tool.llm.rate_headers import pause_of
from tests.support.provider import Provider, serve
from tests.support.replies import Behaviour, Error, Hang, Reply, Request, summarize
from tests.support.texts import chronicle

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


async def taken(limit: ProviderLimit, count: int) -> list[Share]:
    shares = [Share(limit) for _ in range(count)]
    for share in shares:
        await share.acquire('')
    return shares


async def test_a_burst_of_refusals_leaves_what_was_accepted() -> None:
    limit = ProviderLimit(64)
    shares = await taken(limit, 64)
    for share in shares[5:]:
        limit.refused(sent=0.0)
        share.release()
    assert (limit.limit, limit.running) == (5, 5)


async def test_a_refusal_where_little_is_in_flight_halves_and_answers_grow_it_again() -> None:
    limit = ProviderLimit(16)
    await taken(limit, 2)
    limit.refused(sent=time.monotonic())
    assert limit.limit == 8
    sizes: list[int] = []
    for _ in range(60):
        limit.answered(0.1, 1000, begins=True)
        sizes.append(limit.limit)
    assert sizes[::12] == snapshot([8, 9, 10, 11, 12])


async def test_a_refusal_amid_answers_is_an_accident_unless_another_follows() -> None:
    limit = ProviderLimit(8)
    await taken(limit, 8)
    sizes: list[int] = []
    for answers in (8, 30, 30, 2):
        for _ in range(answers):
            limit.answered(0.1, 1000, begins=True)
        limit.refused(sent=time.monotonic())
        sizes.append(limit.limit)
    assert sizes == [8, 8, 8, 7]


async def test_answers_that_begin_ever_later_halve_it() -> None:
    limit = ProviderLimit(8)
    await taken(limit, 8)
    for _ in range(8):
        limit.answered(1.0, 1000, begins=True)
    assert limit.limit == 8
    for _ in range(12):
        limit.answered(9.0, 1000, begins=True)
    assert limit.limit == snapshot(6)
    fixed = ProviderLimit(8, is_fixed=True)
    await taken(fixed, 8)
    fixed.refused(sent=time.monotonic())
    assert fixed.limit == 8


async def test_places_go_to_requests_in_turn() -> None:
    limit = ProviderLimit(1)
    (first,) = await taken(limit, 1)
    order: list[str] = []
    many, one = Share(limit), Share(limit)

    async def call(share: Share, name: str) -> None:
        await share.acquire('')
        order.append(name)
        share.release()

    async with asyncio.TaskGroup() as group:
        for number in range(3):
            group.create_task(call(many, f'many {number}'))
        await asyncio.sleep(0)
        group.create_task(call(one, 'one'))
        await asyncio.sleep(0)
        first.release()
    assert order == ['many 0', 'one', 'many 1', 'many 2']
    assert limit.running == 0


async def test_a_call_that_is_cancelled_while_it_waits_or_rests_leaves_no_place_taken() -> None:
    limit = ProviderLimit(1)
    (holder,) = await taken(limit, 1)
    waiting = asyncio.create_task(Share(limit).acquire(''))
    await asyncio.sleep(0)
    waiting.cancel()
    resting = asyncio.create_task(holder.rest(60))
    await asyncio.sleep(0)
    assert limit.running == 0
    resting.cancel()
    await asyncio.gather(waiting, resting, return_exceptions=True)
    holder.release()
    assert limit.running == 0


async def test_a_pause_holds_calls_back() -> None:
    limit = ProviderLimit(2)
    limit.pause(0.05)
    started = time.monotonic()
    await taken(limit, 1)
    assert time.monotonic() - started >= 0.045


def test_caps_a_minute() -> None:
    limit = ProviderLimit(9, requests_per_minute=2, tokens_per_minute=1000)
    assert [limit.room_in(600), limit.room_in(300)] == [0, 0]
    assert 59 < limit.room_in(10) <= 60
    tokens = ProviderLimit(9, tokens_per_minute=1000)
    assert tokens.room_in(5000) == 0  # what is larger than the cap goes alone
    assert 59 < tokens.room_in(1) <= 60


@pytest.mark.parametrize(
    ('headers', 'seconds'),
    [
        ({'retry-after': '7'}, 7),
        ({'retry-after': '3600'}, 0),
        ({'retry-after': 'soon'}, 0),
        ({'retry-after': f'Mon, 01 Jan {10**20} 00:00:00 GMT'}, 0),
        ({'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m2s'}, 60),
        ({'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '8.64s'}, 0),
        ({'x-ratelimit-remaining-tokens': '400', 'x-ratelimit-reset-tokens': '120ms'}, 0.12),
        (
            {
                'x-ratelimit-limit-tokens': '10400',
                'x-ratelimit-remaining-tokens': '400',
                'x-ratelimit-reset-tokens': '50s',
            },
            8,
        ),
    ],
)
def test_headers_tell_when_to_go_on(headers: dict[str, str], seconds: float) -> None:
    assert pause_of(headers, 2000, is_refusal=True) == pytest.approx(seconds)


async def run(provider: Provider, **settings: object) -> Summary:
    loaded = Settings.load(
        **{
            'llm_model': 'openai/gpt-4o-mini',
            'openrouter_base_url': provider.base_url,
            'default_chunk_size_tokens': 400,
            'max_concurrent_llm_calls': 64,
        }
        | settings
    )
    with override_allow_model_requests(True):
        return await Summarizer(loaded).summarize(chronicle(12), max_output_tokens=1500)


async def test_a_limit_nobody_has_told_of_is_found_without_a_degraded_chunk() -> None:
    with serve(Behaviour(latency=0.05, most_at_once=3, waits_to_refuse=True)) as provider:
        summary = await run(provider)
        assert summary.state == 'complete'
        assert summary.stats.map_calls == len(provider.requests) > 6
        assert provider.refused > 0
        assert provider.max_concurrency_seen == 3


async def test_a_straggler_is_asked_once_more_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    # So that no answer that a busy machine delays counts as one, and yet the straggler is asked again in time.
    monkeypatch.setattr('summarizer_tool.llm.provider_limit.STRAGGLING', 8)

    def answer(request: Request) -> Reply:
        # One of the first, of which nobody knows yet how long a call takes.
        return Hang(60) if request.number == 2 else summarize(request)

    with serve(Behaviour(answer, latency=0.05)) as provider:
        summary = await run(provider, llm_hedging=True, max_concurrent_llm_calls=2, deadline_seconds=90)
        assert (summary.state, summary.stats.hedged_calls) == ('complete', 1)
        assert len(provider.requests) == summary.stats.map_calls + 1


async def test_refusals_with_a_wait_are_obeyed() -> None:
    replies: list[Reply] = [Error(429, {'Retry-After': '1'})]

    def answer(request: Request) -> Reply:
        return replies.pop() if replies else summarize(request)

    with serve(Behaviour(answer)) as provider:
        summary = await run(provider, max_concurrent_llm_calls=1)
        assert summary.state == 'complete'
        first, second = provider.requests[:2]
        assert second.received - first.received >= 0.99
