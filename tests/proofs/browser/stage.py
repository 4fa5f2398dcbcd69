"""A run that goes on while its page is looked at: the run in one thread, the server in another."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from anyio.from_thread import BlockingPortal, start_blocking_portal

from researcher_integration.timeline.broker import Hub, Timeline
from researcher_integration.timeline.events import Draft
from researcher_integration.timeline.log import EventLog
from tests.support.timeline import Shown, free_port, start


@dataclass
class Stage:
    """A hub, its server, and the thread in which runs go on."""

    hub: Hub
    served: Shown
    port: int
    token: str | None
    portal: BlockingPortal

    def open(self, run_id: str) -> Timeline:
        return self.hub.open(run_id)

    def emit(self, timeline: Timeline, *drafts: Draft) -> None:
        for draft in drafts:
            self.portal.call(timeline.emit, draft)

    def close(self, timeline: Timeline) -> None:
        self.portal.call(timeline.close)

    def stop(self) -> None:
        """The server is gone, the run goes on."""
        self.served.stop()

    def restart(self) -> None:
        """The server is back, at the same address."""
        self.served = start(self.hub, token=self.token, port=self.port)

    @property
    def url(self) -> str:
        return self.served.url


@contextmanager
def stage(folder: Path, *, token: str | None = None) -> Generator[Stage]:
    """Everything that a page needs, for the length of the block."""
    port = free_port()
    with EventLog(folder / f'{port}.sqlite3') as log, start_blocking_portal() as portal:
        hub = Hub(log)
        ready = Stage(hub, start(hub, token=token, port=port), port, token, portal)
        try:
            yield ready
        finally:
            ready.stop()
