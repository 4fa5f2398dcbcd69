"""Who computes next where there is more to do than places to do it in: fair between clients, small work first."""

import time
from asyncio import Future, get_running_loop
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

_client: ContextVar[str] = ContextVar('summarizer_tool_client', default='')


@contextmanager
def on_behalf_of(client: str) -> Generator[None]:
    """Say for whom this task and its children work, as all that share a collection are one client."""
    token = _client.set(client)
    try:
        yield
    finally:
        _client.reset(token)


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A place that somebody has taken."""

    client: str
    since: float


@dataclass(frozen=True, slots=True)
class _Waiting:
    client: str
    due: float
    ready: 'Future[None]'


@dataclass(slots=True)
class Turns:
    """Places, and who waits for one. Whoever has had least of their time goes first; of one client, what is due first.

    A client that comes anew starts level with the one that has had least, so that nobody saves up time by waiting.
    It belongs to the event loop that uses it.
    """

    places: int
    _taken: int = 0
    _waiting: list[_Waiting] = field(default_factory=list[_Waiting])
    _used: dict[str, float] = field(default_factory=dict[str, float])
    """Seconds that each client has had since all places were free."""

    @property
    def free(self) -> int:
        """How many places nobody has."""
        return self.places - self._taken

    async def take(self, due: float) -> Place:
        """Take a place, or wait for one; of one client, what is due first, by the monotonic clock, goes first."""
        name = _client.get()
        self._used.setdefault(name, min(self._used.values(), default=0.0))
        if self._taken < self.places:
            self._taken += 1
        else:
            waiting = _Waiting(name, due, get_running_loop().create_future())
            self._waiting.append(waiting)
            try:
                await waiting.ready
            except BaseException:
                if waiting in self._waiting:
                    self._waiting.remove(waiting)
                else:  # the place was already on its way
                    self._hand_on()
                raise
        return Place(name, time.monotonic())

    def take_free(self) -> Place:
        """Take a place that is free."""
        self._taken += 1
        return Place('', time.monotonic())

    def give_back(self, place: Place) -> None:
        """Give a place to whoever goes next, or leave it free."""
        self._used[place.client] = self._used.get(place.client, 0.0) + time.monotonic() - place.since
        self._hand_on()

    def _hand_on(self) -> None:
        # Whoever is cancelled stands here until its task has heard of it.
        if wanted := [waiting for waiting in self._waiting if not waiting.ready.done()]:
            following = min(wanted, key=lambda waiting: (self._used[waiting.client], waiting.due))
            self._waiting.remove(following)
            following.ready.set_result(None)
            return
        self._taken -= 1
        if not self._taken:
            self._used.clear()
