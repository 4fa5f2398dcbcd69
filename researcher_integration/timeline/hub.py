"""The timelines of a process, by the names of their runs."""

import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial

import anyio

from researcher_integration.timeline.broker import PAGE_EVENTS, Sink, Timeline
from researcher_integration.timeline.events import TimelineEvent
from researcher_integration.timeline.log import EventLog, LoggedRun
from researcher_integration.timeline.threads import in_thread

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

        Raises:
            ValueError: If the name is none, or such a run is live already.
        """
        timeline = Timeline(run_id, log=self.log, sink=sink)
        with self._gate:
            if self._find(run_id) is not None:
                raise ValueError(f'the run {run_id} is live already; close its timeline first, or name another run')
            self._live[run_id] = timeline
        return timeline

    async def follow(self, run_id: str, after: int = 0) -> AsyncGenerator[TimelineEvent]:
        """As `Timeline.follow`; a run of another process is followed by its log, as long as that knows it.

        Raises:
            SlowSubscriberError: If whoever follows does not keep up; says where to go on.
            StoreError: If the log cannot be read.
        """
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
