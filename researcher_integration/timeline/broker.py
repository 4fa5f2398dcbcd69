"""Timelines of runs: who emits, who follows, and in what order.

A run emits drafts; each gets the next sequence number and the time, goes to the log if it is persistent, then to those
who follow. Whoever follows gets what the log has and then what happens, without a gap and without
anything twice; who does not keep up goes back to the log.
"""

import logging
from asyncio import Event, get_running_loop, shield, wrap_future
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime
from functools import partial
from threading import Lock
from typing import Self

import anyio
from anyio import CancelScope

from researcher_integration.timeline.events import MAX_NAME, Draft, TimelineEvent, encoded, stamped
from researcher_integration.timeline.log import EventLog, LoggedRun
from summarizer_tool import StoreError, in_io_thread

MAX_RECENT = 1000
MAX_RECENT_BYTES = 16_000_000
"""How many of the newest events wait for those who follow, and how large they are as JSON."""

PAGE_EVENTS = 50
"""Read from the log at once."""

_logger = logging.getLogger('researcher_integration')


class Timeline:
    """The events of one run; a context manager that closes it at the end of the run.

    A thread of its own gives events their places, so that they may be emitted and followed in any event loop.

    Args:
        run_id: Any name, 200 characters at most. A run that the log knows already is continued.
        log: Where persistent events are kept; by default in memory, for this timeline alone.

    Raises:
        ValueError: If the run has no name, or one that is too long or cannot be encoded.
    """

    def __init__(self, run_id: str, *, log: EventLog | None = None) -> None:
        if not 0 < len(run_id) <= MAX_NAME:
            raise ValueError(f'run_id has {len(run_id)} characters; 1 to {MAX_NAME} are possible')
        run_id.encode()
        self.run_id = run_id
        self.log = log if log is not None else EventLog()
        self.is_closed = False
        self._seq = 0
        self._gate = Lock()
        """Between the thread and those who follow in others."""
        self._recent: deque[tuple[Draft, int]] = deque()
        """The newest events with their sizes, while anybody follows."""
        self._gone = 0
        """The number of the last event that is not among them any more."""
        self._followers: set[Callable[[], object]] = set()
        """Each wakes one up in its event loop."""
        self._said: set[str] = set()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix='timeline')
        self.begun = self._worker.submit(self._begin)
        """Done once the log knows the run."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def emit(self, draft: Draft, /) -> TimelineEvent:
        """Give an event its place in the run, keep it if it is persistent, and tell those who follow.

        A log that fails does not end the run. In whatever order calls begin, events are told; one that is
        cancelled has been told, too.

        Args:
            draft: An event without its place.

        Returns:
            The event; the draft as it was after the timeline was closed.
        """
        if self.is_closed:
            return self._left_out(draft)
        return await shield(wrap_future(self._worker.submit(self._emit, draft)))

    async def close(self) -> None:
        """End the timeline, and those who follow it once they have got everything; a second time does nothing."""
        if not self.is_closed:
            with CancelScope(shield=True):
                await shield(wrap_future(self._worker.submit(self._end)))
            self._worker.shutdown(wait=False)

    async def follow(self, after: int = 0) -> AsyncGenerator[TimelineEvent]:
        """The persistent events so far, then all events as they happen, until the timeline is closed.

        Args:
            after: A sequence number; events with larger ones are followed.

        Raises:
            StoreError: If the log cannot be read.
        """
        await shield(wrap_future(self.begun))
        new = Event()
        wake = partial(get_running_loop().call_soon_threadsafe, new.set)
        with self._gate:
            self._followers.add(wake)
            # Transient events of before are not told.
            since = self._recent[-1][0].seq if self._recent else self._gone
        try:
            while True:
                new.clear()
                with self._gate:
                    is_closed, gone = self.is_closed, self._gone
                    recent = [event for event, _ in self._recent if event.seq > since or not event.is_transient]
                while after < gone and (kept := [event for event in await self._read(after) if event.seq <= gone]):
                    for event in kept:
                        yield event
                        after = event.seq
                after = max(after, gone)
                for event in recent:
                    if event.seq > after:
                        yield event
                        after = event.seq
                if is_closed:
                    return
                await new.wait()
        finally:
            with self._gate:
                self._followers.discard(wake)

    async def _read(self, after: int) -> Sequence[TimelineEvent]:
        return await in_io_thread(self.log.read, self.run_id, after=after, limit=PAGE_EVENTS)

    # What the thread does, one thing after the other.

    def _begin(self) -> None:
        with self._logging():
            self._seq = self._gone = self.log.begin(self.run_id)

    def _emit(self, draft: Draft) -> TimelineEvent:
        if self.is_closed:
            return self._left_out(draft)
        self._seq += 1
        event = stamped(draft, self.run_id, self._seq, datetime.now(UTC))
        body = encoded(event)
        if not event.is_transient:
            with self._logging():
                self.log.append(event, body)
        with self._gate:
            self._recent.append((event, len(body)))
            most = MAX_RECENT if self._followers else 0
            # Any event has room alone.
            while len(self._recent) > most or (
                len(self._recent) > 1 and sum(size for _, size in self._recent) > MAX_RECENT_BYTES
            ):
                self._gone = self._recent.popleft()[0].seq
            self._wake()
        return event

    def _wake(self) -> None:
        for wake in list(self._followers):
            try:
                wake()
            except RuntimeError:  # its loop is closed
                self._followers.discard(wake)

    def _left_out(self, draft: Draft) -> Draft:
        self._say_once('an event came after the end of its timeline, and is left out')
        return draft

    def _end(self) -> None:
        if self.is_closed:
            return
        with self._logging():
            self.log.end(self.run_id, self._seq)
        with self._gate:
            self.is_closed = True
            self._wake()

    @contextmanager
    def _logging(self) -> Generator[None]:
        try:
            yield
        except StoreError as error:
            self._say_once('the log of timelines fails; events are told, but not kept', error)

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
        self._gate = Lock()
        self._live: dict[str, Timeline] = {}

    def open(self, run_id: str) -> Timeline:
        """The timeline of a new run, or of one that goes on; to be closed by the caller.

        Raises `ValueError` if the name is none, or such a run is live already.
        """
        timeline = Timeline(run_id, log=self.log)
        with self._gate:
            self._live = {name: each for name, each in self._live.items() if not each.is_closed}
            if run_id in self._live:
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
            # First whether it has ended: what comes between the two look-ups is then seen by the second.
            run = await in_io_thread(self.log.run, run_id)
            page = await in_io_thread(self.log.read, run_id, after=after, limit=PAGE_EVENTS)
            for event in page:
                yield event
                after = event.seq
            if len(page) < PAGE_EVENTS:
                if run is None or run.is_closed:
                    return
                await anyio.sleep(POLL_SECONDS)

    def live(self, run_id: str) -> Timeline | None:
        """The timeline of a run of this process that has not ended."""
        timeline = self._live.get(run_id)
        return None if timeline is None or timeline.is_closed else timeline

    async def run(self, run_id: str) -> LoggedRun | None:
        """What is known of a run."""
        await self._begun()
        return await in_io_thread(self.log.run, run_id)

    async def runs(self, limit: int = 100) -> Sequence[LoggedRun]:
        """The runs, those first that began last."""
        await self._begun()
        return await in_io_thread(self.log.runs, limit)

    async def _begun(self) -> None:
        for timeline in list(self._live.values()):
            await shield(wrap_future(timeline.begun))
