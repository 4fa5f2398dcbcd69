"""Places go to whoever still wants one."""

import asyncio

import anyio
import pytest

from summarizer_tool.runtime.turns import Turns

pytestmark = pytest.mark.anyio


async def test_a_place_passes_over_who_is_cancelled_at_that_moment() -> None:
    turns = Turns(1)
    place = await turns.take(0.0)
    cancelled, waiting = (asyncio.create_task(turns.take(due)) for due in (1.0, 2.0))
    await anyio.lowlevel.checkpoint()
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
    await anyio.lowlevel.checkpoint()
    turns.give_back(place)
    cancelled.cancel()
    with anyio.fail_after(20):
        turns.give_back(await waiting)
    assert cancelled.cancelled()
    assert turns.free == 1
