"""The calls that run, so that a proxy that is told to stop can let them come to an end."""

import math
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio
from anyio import CancelScope, Event


@dataclass(slots=True)
class CallsInFlight:
    """All calls that run. How long one takes is for its client to say, who can cancel it."""

    _end: float = math.inf
    """By the event loop's clock: no call goes on after it."""
    _running: set[CancelScope] = field(default_factory=set[CancelScope])
    _ended: Event = field(default_factory=Event)

    @contextmanager
    def running(self) -> Generator[CancelScope]:
        """Count a call as running for the length of the block, which is given up when the proxy must end."""
        with CancelScope(deadline=self._end) as scope:
            self._running.add(scope)
            try:
                yield scope
            finally:
                self._running.discard(scope)
                self._ended.set()
                self._ended = Event()

    def bring_to_an_end(self, grace: float) -> None:
        """Give the calls that run `grace` seconds."""
        self._end = min(self._end, anyio.current_time() + grace)
        for scope in self._running:
            scope.deadline = min(scope.deadline, self._end)

    async def none_runs(self) -> None:
        """Wait until no call runs."""
        while self._running:
            await self._ended.wait()
