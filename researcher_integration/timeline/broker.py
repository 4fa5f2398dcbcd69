"""Timelines of runs: who emits, who follows, and in what order.

A run emits drafts; each gets the next sequence number and the time, goes to the log if it is persistent, then to those
who follow, then to the sink. Whoever follows first gets what the log has and then what happens, without a gap and
without anything twice.
"""

import inspect
import logging
import threading
from asyncio import AbstractEventLoop, Event, get_running_loop, run_coroutine_threadsafe, wrap_future
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial
from threading import Lock
from typing import Self

import anyio
from anyio import CancelScope

from researcher_integration.timeline.events import MAX_NAME, Draft, TimelineEvent, stamped, within
from researcher_integration.timeline.log import EventLog, LoggedRun, in_thread, to_its_end
from summarizer_tool import StoreError, SummarizerError

MAX_WAITING = 1000
MAX_WAITING_BYTES = 16_000_000
"""How many events wait for a subscriber, and how large they are as JSON."""


class Waiting:
    """The events that wait for one subscriber, who takes them in its own event loop."""

    def __init__(self) -> None:
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
        return not self._events or (len(self._events) < MAX_WAITING and self._bytes + size <= MAX_WAITING_BYTES)

    def _keep(self, events: deque[tuple[Draft, int]]) -> None:
        self._events = events
        self._bytes = sum(size for _, size in events)

    def _notify(self) -> bool:
        try:
            self._loop.call_soon_threadsafe(self._wake.set)
        except RuntimeError:  # the loop is closed
            return False
        return True


Sink = Callable[[TimelineEvent], Awaitable[None] | None]
"""Told of every event, in order."""

SINK_SECONDS = 5.0
"""A sink that takes longer for one event is told of no more: the run waits for it."""

PAGE_EVENTS = 50
"""Read from the log at once."""

RESERVED = 1000
"""Sequence numbers that are reserved in the log at once for transient events, which it does not keep."""

_logger = logging.getLogger('researcher_integration')


class SlowSubscriberError(SummarizerError):
    """A subscriber has not kept up, and would have missed persistent events."""

    def __init__(self, run_id: str, after: int) -> None:
        super().__init__(f'too many events of the run {run_id} wait; follow it again with after={after}')
        self.after = after
        """The sequence number of the last event that it got."""


class Timeline:
    """The events of one run; a context manager that closes it at the end of the run.

    `emit` belongs to one event loop; calls from others are passed on to it. `follow` may be called from any.

    Args:
        run_id: Any name, 200 characters at most. A run that the log knows already is continued.
        log: Where persistent events are kept; by default in memory, for this timeline alone.
        sink: Told of every event, in order. The run waits for it; one that fails does no harm.

    Raises:
        ValueError: If the run has no name, or one that is too long or cannot be encoded.
    """

    def __init__(self, run_id: str, *, log: EventLog | None = None, sink: Sink | None = None) -> None:
        if not 0 < len(run_id) <= MAX_NAME:
            raise ValueError(f'run_id has {len(run_id)} characters; 1 to {MAX_NAME} are possible')
        run_id.encode()
        self.run_id = run_id
        self.log = log if log is not None else EventLog()
        self.is_closed = False
        self._sink = sink
        self._order = anyio.Lock(fast_acquire=True)
        self._home: AbstractEventLoop | None = None
        self._seq: int | None = None
        self._reserved = 0
        self._beginning = threading.Lock()
        # Between whoever emits and those who begin to follow in other threads.
        self._gate = threading.Lock()
        self._delivered = 0
        self._followers: set[Waiting] = set()
        self._said: set[str] = set()

    @property
    def followers(self) -> int:
        """How many follow it live, and so get transient events, too."""
        with self._gate:
            return len(self._followers)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def emit(self, draft: Draft, /) -> TimelineEvent:
        """Give an event its place in the run, keep it if it is persistent, and tell those who follow.

        Neither a log nor a sink that fails ends the run. In whatever order calls begin, events are told.

        Args:
            draft: An event without its place.

        Returns:
            The event; the draft as it was after the timeline was closed.
        """
        home = self._home
        if home is None or not home.is_running():
            home = self._home = get_running_loop()
        if home is not get_running_loop():
            return await wrap_future(run_coroutine_threadsafe(self.emit(draft), home))
        async with self._order:
            if self.is_closed:
                self._say_once('an event came after the end of its timeline, and is left out')
                return draft
            await self._begun()
            assert self._seq is not None  # noqa: S101 - for the type checker
            self._seq += 1
            event, body = within(stamped(draft, self.run_id, self._seq, datetime.now(UTC)), self.log.max_event_bytes)
            try:
                await self._keep(event, body)
            finally:
                self._deliver(event, len(body))
            await self._tell_sink(event)
            return event

    async def close(self) -> None:
        """End the timeline, and those who follow it once they have got everything; a second time does nothing."""
        with CancelScope(shield=True):
            async with self._order:
                if self.is_closed:
                    return
                try:
                    await self._begun()
                    await self._logged(partial(self.log.end, self.run_id))
                finally:
                    with self._gate:
                        self.is_closed = True
                        followers, self._followers = self._followers, set()
                    for waiting in followers:
                        waiting.end()

    async def follow(self, after: int = 0) -> AsyncGenerator[TimelineEvent]:
        """The persistent events so far, then all events as they happen, until the timeline is closed.

        Args:
            after: A sequence number; events with larger ones are followed.

        Raises:
            SlowSubscriberError: If whoever follows does not keep up; says where to go on.
            StoreError: If the log cannot be read.
        """
        await self._begun()
        # Whatever is in the log is taken from there, however long that takes: only then does anything wait in memory.
        while events := await self._read(after):
            for event in events:
                yield event
                after = event.seq
        waiting = Waiting()
        with self._gate:
            seen = self._delivered
            if self.is_closed:
                waiting.end()
            else:
                self._followers.add(waiting)
        try:
            while events := [event for event in await self._read(after) if event.seq <= seen]:
                for event in events:
                    yield event
                    after = event.seq
            while (event := await waiting.take()) is not None:
                if event.seq > after:
                    yield event
                    after = event.seq
            if waiting.is_overrun:
                raise SlowSubscriberError(self.run_id, after)
        finally:
            with self._gate:
                self._followers.discard(waiting)

    async def _begun(self) -> None:
        """Know where the sequence goes on."""
        if self._seq is None:
            await in_thread(self._begin)

    def _begin(self) -> None:
        with self._beginning:
            if self._seq is not None:
                return
            try:
                last = self.log.begin(self.run_id)
            except StoreError as error:
                self._say_once('the log of timelines fails; events are told, but not kept', error)
                last = 0
            self._delivered = self._reserved = last
            self._seq = last

    async def _read(self, after: int) -> Sequence[TimelineEvent]:
        return await in_thread(partial(self.log.read, self.run_id, after=after, limit=PAGE_EVENTS))

    async def _keep(self, event: TimelineEvent, body: bytes) -> None:
        if not event.is_transient:
            await self._logged(partial(self.log.append, event, body))
        elif event.seq > self._reserved:
            self._reserved = event.seq + RESERVED
            await self._logged(partial(self.log.reserve, self.run_id, self._reserved))

    async def _logged(self, write: Callable[[], None]) -> None:
        try:
            await to_its_end(write)
        except StoreError as error:
            self._say_once('the log of timelines fails; events are told, but not kept', error)

    def _deliver(self, event: TimelineEvent, size: int) -> None:
        with self._gate:
            self._delivered = event.seq
            self._followers -= {waiting for waiting in self._followers if not waiting.put(event, size)}

    async def _tell_sink(self, event: TimelineEvent) -> None:
        if self._sink is None:
            return
        with anyio.move_on_after(SINK_SECONDS) as patience:
            try:
                told = self._sink(event)
                if inspect.isawaitable(told):
                    await told
            except Exception as error:  # noqa: BLE001 - whatever a front end's code does, the run goes on
                self._say_once('the sink of a timeline fails', error)
        if patience.cancelled_caught:
            self._sink = None
            self._say_once(f'the sink of a timeline takes over {SINK_SECONDS:g} s, and is told of no more events')

    def _say_once(self, what: str, error: Exception | None = None) -> None:
        if what not in self._said:
            self._said.add(what)
            # What an error says may repeat what was emitted.
            _logger.warning(what, extra={} if error is None else {'error': type(error).__name__})


POLL_SECONDS = 0.25
"""Between two looks into the log for the events of another process."""


class Hub:
    """The timelines of a process, for those who follow them by the name of the run.

    Args:
        log: Where persistent events of all of them are kept; in memory where not given. Runs of other processes that
            write the same file can be followed, too: their persistent events, from the log. What cannot be read there
            is a `StoreError`.
    """

    def __init__(self, log: EventLog | None = None) -> None:
        self.log = log if log is not None else EventLog()
        self._gate = threading.Lock()
        self._live: dict[str, Timeline] = {}

    def open(self, run_id: str, *, sink: Sink | None = None) -> Timeline:
        """The timeline of a new run, or of one that goes on; to be closed by the caller.

        Raises `ValueError` if the name is none, or such a run is live already.
        """
        timeline = Timeline(run_id, log=self.log, sink=sink)
        with self._gate:
            if self._find(run_id) is not None:
                raise ValueError(f'the run {run_id} is live already; close its timeline first, or name another run')
            self._live[run_id] = timeline
        return timeline

    async def follow(self, run_id: str, after: int = 0) -> AsyncGenerator[TimelineEvent]:
        """As `Timeline.follow`; a run of another process is followed by its log, as long as that knows it."""
        while True:
            timeline = self.live(run_id)
            if timeline is not None:
                async with aclosing(timeline.follow(after)) as events:
                    async for event in events:
                        yield event
                return
            page = await in_thread(partial(self.log.page, run_id, after=after, limit=PAGE_EVENTS))
            for event in page.events:
                yield event
                after = event.seq
            if len(page.events) < PAGE_EVENTS:
                if page.is_closed or not page.is_known:
                    return
                await anyio.sleep(POLL_SECONDS)

    def live(self, run_id: str) -> Timeline | None:
        """The timeline of a run of this process that has not ended."""
        with self._gate:
            return self._find(run_id)

    async def run(self, run_id: str) -> LoggedRun | None:
        """What is known of a run."""
        known = await in_thread(partial(self.log.run, run_id))
        return known if known is not None or self.live(run_id) is None else _unheard(run_id)

    async def runs(self, limit: int = 100) -> Sequence[LoggedRun]:
        """The runs, those first that began last."""
        known = await in_thread(partial(self.log.runs, limit))
        names = {run.run_id for run in known}
        with self._gate:
            silent = [run_id for run_id in [*self._live] if run_id not in names and self._find(run_id) is not None]
        return [*map(_unheard, silent), *known][:limit]

    def _find(self, run_id: str) -> Timeline | None:
        timeline = self._live.get(run_id)
        if timeline is not None and timeline.is_closed:
            del self._live[run_id]
            return None
        return timeline


def _unheard(run_id: str) -> LoggedRun:
    """A run that has emitted nothing."""
    now = datetime.now(UTC)
    return LoggedRun(run_id=run_id, began_at=now, updated_at=now, is_closed=False)
