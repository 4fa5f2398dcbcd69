"""The calls of a job, as many at once as are allowed, each as soon as what it needs is there."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

import anyio

from summarizer_tool.llm import failures
from summarizer_tool.llm.options import Phase, Progress

T = TypeVar('T')


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One call, and the calls it comes after."""

    make: Callable[[], Awaitable[T]]
    phase: Phase
    what: str
    """What has been done when it is finished, for the progress: `summarized chunk`."""
    rank: float = 0
    """Of several that could begin, those of the lowest rank do; of equal ones the first."""
    after: Sequence[int] = ()
    """The indices of the calls that must be finished before."""


async def calls_at_once(
    calls: Sequence[Call[T]], most: int, on_progress: Callable[[Progress], None] | None = None
) -> list[T]:
    """Make all calls, at most so many at the same time, telling of each; returns their results in order."""
    done: dict[int, T] = {}
    needs = [len(set(call.after)) for call in calls]
    followers: dict[int, list[int]] = {}
    for index, call in enumerate(calls):
        for needed in set(call.after):
            followers.setdefault(needed, []).append(index)
    ready = [(call.rank, index) for index, call in enumerate(calls) if not needs[index]]
    heapify(ready)
    totals, finished, running = Counter(call.phase for call in calls), Counter[Phase](), 0

    def begin() -> None:
        nonlocal running
        while ready and running < most:
            running += 1
            group.start_soon(make, heappop(ready)[1])

    async def make(index: int) -> None:
        nonlocal running
        done[index] = await calls[index].make()
        running -= 1
        phase = calls[index].phase
        finished[phase] += 1
        if on_progress is not None:
            message = f'{calls[index].what} {finished[phase]} of {totals[phase]}'
            on_progress(Progress(phase, finished[phase], totals[phase], message))
        for follower in followers.get(index, ()):
            needs[follower] -= 1
            if not needs[follower]:
                heappush(ready, (calls[follower].rank, follower))
        begin()

    try:
        async with anyio.create_task_group() as group:
            begin()
    except BaseExceptionGroup as errors:
        # A usage limit or a mistake in the setup ends all calls; the caller wants to catch it by its own type.
        raise failures.first_of(errors) from None
    return [done[index] for index in range(len(calls))]
