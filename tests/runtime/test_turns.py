"""Places go to whoever still wants one."""

import asyncio
from itertools import count
from types import SimpleNamespace

import anyio
import pytest
from anyio.lowlevel import checkpoint
from inline_snapshot import snapshot

from summarizer_tool.runtime import turns as turns_module
from summarizer_tool.runtime.turns import Turns, on_behalf_of

pytestmark = pytest.mark.anyio


async def test_a_place_passes_over_who_is_cancelled_at_that_moment() -> None:
    turns = Turns(1)
    place = await turns.take(0.0)
    cancelled, waiting = (asyncio.create_task(turns.take(due)) for due in (1.0, 2.0))
    await checkpoint()
    cancelled.cancel()
    turns.give_back(place)  # before the cancelled task has run again
    with anyio.fail_after(20):
        turns.give_back(await waiting)
    assert cancelled.cancelled()
    assert turns.free == 1


async def test_a_place_that_was_on_its_way_goes_on() -> None:
    turns = Turns(1)
    place = await turns.take(0.0)
    cancelled, waiting = (asyncio.create_task(turns.take(due)) for due in (1.0, 2.0))
    await checkpoint()
    turns.give_back(place)
    cancelled.cancel()
    with anyio.fail_after(20):
        turns.give_back(await waiting)
    assert cancelled.cancelled()
    assert turns.free == 1


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at it is ten seconds after the one before."""
    clock = count(step=10)
    monkeypatch.setattr(turns_module, 'time', SimpleNamespace(monotonic=lambda: next(clock)))


@pytest.mark.usefixtures('clock')
async def test_who_has_had_least_goes_first() -> None:
    turns = Turns(1)
    order: list[str] = []

    async def work(name: str, due: float) -> None:
        with on_behalf_of(name):
            place = await turns.take(due)
            order.append(f'{name}{due:g}')
            turns.give_back(place)

    first = await turns.take(0.0)
    async with anyio.create_task_group() as group:
        for due in (1.0, 3.0, 2.0):
            group.start_soon(work, 'greedy', due)
            await checkpoint()
        for name in ('b', 'c'):
            group.start_soon(work, name, 9.0)
            await checkpoint()
        turns.give_back(first)
    assert order == snapshot(['greedy1', 'b9', 'c9', 'greedy2', 'greedy3'])


@pytest.mark.usefixtures('clock')
async def test_nobody_saves_up_turns_by_staying_away() -> None:
    turns, went = Turns(1), list[str]()

    async def work(name: str) -> None:
        with on_behalf_of(name):
            place = await turns.take(0.0)
        went.append(name)
        await checkpoint()
        turns.give_back(place)

    async def stay_away_and_come_again() -> None:
        await work('guest')
        while len(went) < 5:
            await checkpoint()
        await asyncio.gather(*(work('guest') for _ in range(6)))

    with anyio.fail_after(20):
        await asyncio.gather(stay_away_and_come_again(), *(work('host') for _ in range(10)))
    assert went[6:12].count('guest') == 3
