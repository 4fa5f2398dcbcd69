"""The events that wait for one subscriber: a bounded queue between the loop of the run and that of the subscriber."""

from asyncio import AbstractEventLoop, Event, get_running_loop
from collections import deque
from threading import Lock

from researcher_integration.timeline.events import Draft

MAX_WAITING = 1000
MAX_WAITING_BYTES = 16_000_000
"""How many events wait for a subscriber, and how large they are as JSON."""


class Waiting:
    """The events that wait for one subscriber, who takes them in its own event loop."""

    def __init__(self, max_events: int = MAX_WAITING, max_bytes: int = MAX_WAITING_BYTES) -> None:
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._loop: AbstractEventLoop = get_running_loop()
        self._wake = Event()
        self._gate = Lock()
        self._events: deque[tuple[Draft, int]] = deque()
        self._bytes = 0
        self._has_ended = False
        self.is_overrun = False
        """Whether something persistent did not fit: then nothing waits any more."""

    def put(self, event: Draft, size: int) -> bool:
        """Let an event wait, from any thread; whether the subscriber is still there.

        Where there is no room, transient events go, the one that comes first of all.
        """
        with self._gate:
            if self.is_overrun or self._has_ended:
                return False
            if not self._fits(size) and not event.is_transient:
                self._keep(deque(item for item in self._events if not item[0].is_transient))
            if self._fits(size):
                self._events.append((event, size))
                self._bytes += size
            elif not event.is_transient:
                self.is_overrun = True
                self._keep(deque())
        return self._notify()

    def end(self) -> None:
        """Nothing comes after what waits now."""
        with self._gate:
            self._has_ended = True
        self._notify()

    async def take(self) -> Draft | None:
        """The next event; nothing after the last, or when the queue was overrun."""
        while True:
            with self._gate:
                if self._events:
                    event, size = self._events.popleft()
                    self._bytes -= size
                    return event
                if self._has_ended or self.is_overrun:
                    return None
                self._wake.clear()
            await self._wake.wait()

    def _fits(self, size: int) -> bool:
        # Any event fits into an empty queue.
        return not self._events or (len(self._events) < self._max_events and self._bytes + size <= self._max_bytes)

    def _keep(self, events: deque[tuple[Draft, int]]) -> None:
        self._events = events
        self._bytes = sum(size for _, size in events)

    def _notify(self) -> bool:
        try:
            self._loop.call_soon_threadsafe(self._wake.set)
        except RuntimeError:  # the loop is closed
            return False
        return True
