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
    ready: 'Future[Place]'


@dataclass(slots=True)
class Turns:
    """Places, and who waits for one. Whoever has had least of their time goes first; of one client, what is due first.

    A client that comes anew or again is at least level with the one that has had least of those who have a place or
    wait for one, so that nobody saves up time by waiting. It belongs to the event loop that uses it.
    """

    places: int
    _taken: list[Place] = field(default_factory=list[Place])
    _waiting: list[_Waiting] = field(default_factory=list[_Waiting])
    _used: dict[str, float] = field(default_factory=dict[str, float])
    """Seconds that each client has had since all places were free."""

    @property
    def free(self) -> int:
        """How many places nobody has."""
        return self.places - len(self._taken)

    async def take(self, due: float) -> Place:
        """Take a place, or wait for one; of one client, what is due first, by the monotonic clock, goes first."""
        name = _client.get()
        least = min((self._used.get(each.client, 0.0) for each in (*self._taken, *self._waiting)), default=0.0)
        self._used[name] = max(self._used.get(name, 0.0), least)
        if self.free:
            return self._begin(name)
        waiting = _Waiting(name, due, get_running_loop().create_future())
        self._waiting.append(waiting)
        try:
            return await waiting.ready
        except BaseException:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            else:  # the place was already on its way
                self.give_back(waiting.ready.result())
            raise

    def take_free(self) -> Place:
        """Take a place that is free."""
        return self._begin('')

    def _begin(self, client: str) -> Place:
        place = Place(client, time.monotonic())
        self._taken.append(place)
        return place

    def give_back(self, place: Place) -> None:
        """Give a place to whoever goes next, or leave it free."""
        self._taken.remove(place)
        self._used[place.client] = self._used.get(place.client, 0.0) + time.monotonic() - place.since
        # Whoever is cancelled stands here until its task has heard of it.
        if wanted := [waiting for waiting in self._waiting if not waiting.ready.done()]:
            following = min(wanted, key=lambda waiting: (self._used[waiting.client], waiting.due))
            self._waiting.remove(following)
            following.ready.set_result(self._begin(following.client))
        elif not self._taken:
            self._used.clear()
