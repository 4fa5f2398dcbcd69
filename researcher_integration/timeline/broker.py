"""Timelines of runs: who emits, who follows, and in what order.

A run emits drafts; each gets the next sequence number and the time, and goes to the log. Whoever follows reads the log,
again and again from the event seen last: so there is no gap and nothing twice, however slow anybody reads.
"""

import logging
from asyncio import shield, wrap_future
from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from typing import Self

import anyio
from anyio import CancelScope

from researcher_integration.timeline.events import MAX_NAME, Draft, TimelineEvent
from researcher_integration.timeline.log import EventLog, LoggedRun
from summarizer_tool import StoreError, in_io_thread

PAGE_EVENTS = 50

POLL_SECONDS = 0.2
"""Between two looks into the log for more."""

_logger = logging.getLogger('researcher_integration')


class Timeline:
    """The events of one run; a context manager that closes it at the end of the run.

    A thread of its own gives events their places, so that they may be emitted and followed in any event loop.

    Args:
        run_id: Any name, 200 characters at most. A run that the log knows already is continued.
        log: Where events are kept; by default in memory, for this timeline alone.

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
        self.seq = 0
        self._said: set[str] = set()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix='timeline')
        self.begun = self._worker.submit(self._begin)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def emit(self, draft: Draft, /) -> TimelineEvent:
        """Give an event its place in the run, and keep it.

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

    def follow(self, after: int = 0) -> AsyncGenerator[TimelineEvent]:
        """The events so far, then those to come as they happen, until the timeline is closed.

        Args:
            after: A sequence number; events with larger ones are followed.

        Raises:
            StoreError: If the log cannot be read.
        """
        return _followed(self.log, self.run_id, after, [self])

    # What the thread does, one thing after the other.

    def _begin(self) -> None:
        with self._logging():
            self.seq = self.log.begin(self.run_id)

    def _emit(self, draft: Draft) -> TimelineEvent:
        if self.is_closed:
            return self._left_out(draft)
        self.seq += 1
        event = draft.model_copy(update={'run_id': self.run_id, 'seq': self.seq, 'time': datetime.now(UTC)})
        with self._logging():
            self.log.append(event)
        return event

    def _left_out(self, draft: Draft) -> Draft:
        self._say_once('an event came after the end of its timeline, and is left out')
        return draft

    def _end(self) -> None:
        if self.is_closed:
            return
        with self._logging():
            self.log.end(self.run_id)
        self.is_closed = True

    @contextmanager
    def _logging(self) -> Generator[None]:
        try:
            yield
        except StoreError as error:
            self._say_once('the log of timelines fails; the run goes on, and its events are lost', error)

    def _say_once(self, what: str, error: Exception | None = None) -> None:
        if what not in self._said:
            self._said.add(what)
            # What an error says may repeat what was emitted.
            _logger.warning(what, extra={} if error is None else {'error': type(error).__name__})


async def _all_begun(timelines: Iterable[Timeline]) -> None:
    for timeline in timelines:
        await shield(wrap_future(timeline.begun))


async def _followed(
    log: EventLog, run_id: str, after: int, timelines: Iterable[Timeline]
) -> AsyncGenerator[TimelineEvent]:
    """The events of a run until it has ended, whichever process writes them; none of a run that the log has not."""
    await _all_begun(timelines)
    live = [timeline for timeline in timelines if timeline.run_id == run_id]
    while True:
        # First whether it has ended: what comes between the two look-ups is then seen by the second.
        is_over = all(timeline.is_closed for timeline in live)
        # While a run of this process is silent there is nothing to be looked for in the log.
        if is_over or any(timeline.seq > after for timeline in live):
            if not live:
                run = await in_io_thread(log.run, run_id)
                is_over = run is None or run.is_closed
            page = await in_io_thread(log.read, run_id, after=after, limit=PAGE_EVENTS)
            for event in page:
                yield event
                after = event.seq
            if len(page) == PAGE_EVENTS:
                continue
            if is_over:
                return
        await anyio.sleep(POLL_SECONDS)


class Hub:
    """The timelines of a process, for those who follow them by the name of the run.

    Args:
        log: Where the events of all of them are kept; in memory where not given. Runs of other processes that write
            the same file can be followed, too. What cannot be read there is a `StoreError`.
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

    def follow(self, run_id: str, after: int = 0) -> AsyncGenerator[TimelineEvent]:
        """As `Timeline.follow`, of any run that the log knows."""
        return _followed(self.log, run_id, after, [*self._live.values()])

    async def run(self, run_id: str) -> LoggedRun | None:
        """What is known of a run."""
        await _all_begun([*self._live.values()])
        return await in_io_thread(self.log.run, run_id)

    async def runs(self, limit: int = 100) -> Sequence[LoggedRun]:
        """The runs, those first that began last."""
        await _all_begun([*self._live.values()])
        return await in_io_thread(self.log.runs, limit)
