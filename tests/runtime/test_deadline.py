"""A deadline may come nearer while calls run."""

import anyio
import anyio.lowlevel
import pytest

from summarizer_tool.runtime.deadline import Deadline

pytestmark = pytest.mark.anyio


async def test_time_is_kept_for_what_follows_the_calls() -> None:
    deadline = Deadline(100)
    deadline.reserve(10)
    assert deadline.at - deadline.last_call == 10
    deadline.reserve(90)
    assert deadline.at - deadline.last_call == pytest.approx(50, abs=0.5)


async def test_it_only_comes_nearer_and_cancels_calls_in_flight() -> None:
    deadline = Deadline(1000)
    deadline.reserve(1)
    before = deadline.at
    deadline.bring_forward(5000)
    assert deadline.at == before
    async with anyio.create_task_group() as group:

        async def call() -> None:
            with deadline.calling() as scope:
                await anyio.sleep(3600)
            assert scope.cancelled_caught

        group.start_soon(call)
        await anyio.lowlevel.checkpoint()
        deadline.bring_forward(0.02)
    assert deadline.seconds < 0.1


@pytest.mark.parametrize(('seconds', 'grace', 'end'), [(100, 500, 110), (100, 4, 104), (5, 500, 7)])
async def test_the_grace_is_a_tenth_at_most_but_for_two_seconds(seconds: float, grace: float, end: float) -> None:
    deadline = Deadline(seconds, grace=grace)
    with deadline.answering() as scope:
        assert scope.deadline - deadline.at == pytest.approx(end - seconds)


async def test_a_deadline_that_is_over() -> None:
    deadline = Deadline(-1)
    assert deadline.seconds == 0
    deadline.reserve(5)
    with deadline.calling() as scope:
        await anyio.sleep(3600)
    assert scope.cancelled_caught


async def test_the_whole_work_may_take_some_grace() -> None:
    deadline = Deadline(1000, grace=0.05)
    with deadline.answering() as scope:
        deadline.bring_forward(0.01)
        await anyio.sleep(3600)
    assert scope.cancelled_caught
    with Deadline(0.0).answering() as scope:
        await anyio.sleep(0.01)
    assert not scope.cancelled_caught
    with Deadline(-3).answering() as scope:  # by default two seconds, a tenth of long ones
        await anyio.sleep(3600)
    assert scope.cancelled_caught
