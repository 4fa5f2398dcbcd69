"""The bound on model calls at once, across all event loops and threads of the process."""

import os
import threading
from asyncio import CancelledError, Future, get_running_loop
from collections import deque
from dataclasses import dataclass, field

from pydantic_ai.concurrency import AbstractConcurrencyLimiter


@dataclass
class ProcessLimiter(AbstractConcurrencyLimiter):
    """A concurrency limiter that may be shared by event loops in several threads.

    pydantic-ai's own waits on a semaphore that belongs to one event loop; the synchronous calls of a `Summarizer` run
    on another one than the asynchronous calls beside them.
    """

    max_running: int
    _running: int = 0
    _waiting: 'deque[Future[None]]' = field(default_factory=deque['Future[None]'])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def acquire(self, source: str) -> None:
        """Take a place, or wait for one, first come first served."""
        with self._lock:
            if self._running < self.max_running:
                self._running += 1
                return
            waiter = get_running_loop().create_future()
            self._waiting.append(waiter)
        try:
            await waiter
        except CancelledError:
            with self._lock:
                is_waiting = waiter in self._waiting
                if is_waiting:
                    self._waiting.remove(waiter)
            if not is_waiting:  # the place was already on its way
                self.release()
            raise

    def release(self) -> None:
        """Give a place back, to whoever has waited longest."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                waiter = self._waiting.popleft()
            try:
                waiter.get_loop().call_soon_threadsafe(_wake, waiter)
            except RuntimeError:  # its loop is closed, and nobody waits any more
                continue
            return


def _wake(ready: 'Future[None]') -> None:
    if not ready.done():
        ready.set_result(None)


_limiters: dict[int, ProcessLimiter] = {}
_limiters_lock = threading.Lock()


def shared_limiter(max_running: int) -> ProcessLimiter:
    """The limiter of the process for a limit; all summarizers with this limit share it."""
    with _limiters_lock:
        return _limiters.setdefault(max_running, ProcessLimiter(max_running))


def _forget() -> None:
    """A fork has the counts of its parent, but none of its calls."""
    global _limiters_lock
    _limiters_lock = threading.Lock()
    _limiters.clear()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_forget)
