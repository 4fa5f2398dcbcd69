"""An event loop whose clock does not wait: with nothing else to do it goes on to the next timer.

What takes a minute takes no time, and always the same: for code that sleeps and computes, not for sockets or threads.
"""

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar('T')


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """A loop that begins at 0 seconds."""

    def __init__(self) -> None:
        super().__init__(_NoWaiting(self))
        self.now = 0.0

    def time(self) -> float:
        return self.now


class _NoWaiting(selectors.DefaultSelector):
    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            assert timeout is not None, 'everything waits for something that is no timer'
            # Past the timer, which the loop compares with a tolerance of its own.
            self._loop.now += timeout
        return ready


def run(work: Callable[[], Awaitable[T]]) -> T:
    """Run asynchronous code to its end."""

    async def all_of_it() -> T:
        return await work()

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(all_of_it())
