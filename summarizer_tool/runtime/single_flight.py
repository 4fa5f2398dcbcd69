"""Work that several ask for at the same time, done once: one does it, and the others wait for what comes of it."""

import copy
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import anyio
from anyio.lowlevel import RunVar

from summarizer_tool.errors import SummarizerError

T = TypeVar('T')


@dataclass(slots=True)
class _Flight(Generic[T]):
    """One piece of work, and who waits for it."""

    # A lock rather than a future: who is cancelled while working leaves it to the next one.
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    asking: int = 0
    results: list[T] = field(default_factory=list[T])
    """One, once it is done."""
    failure: SummarizerError | None = None


class InFlight(Generic[T]):
    """Work of one kind that is under way, for each event loop of the process."""

    def __init__(self, name: str) -> None:
        """Name the kind of work; the name is unique in the process."""
        self._flights: RunVar[dict[Hashable, _Flight[T]]] = RunVar(f'summarizer_tool_{name}')

    async def get(self, key: Hashable, work: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """Do a piece of work, or wait for whoever does it already. Nothing is remembered afterwards.

        Returns the result, and whether it was this caller who did the work; a `SummarizerError` is raised for all.
        """
        try:
            flights = self._flights.get()
        except LookupError:
            flights = dict[Hashable, _Flight[T]]()
            self._flights.set(flights)
        flight = flights.setdefault(key, _Flight[T]())
        flight.asking += 1
        try:
            async with flight.lock:
                if flight.failure is not None:
                    # A copy, since each who raises an exception adds to its traceback.
                    raise copy.copy(flight.failure)
                if flight.results:
                    return flight.results[0], False
                try:
                    flight.results.append(await work())
                except SummarizerError as error:
                    flight.failure = error
                    raise
                return flight.results[0], True
        finally:
            flight.asking -= 1
            if not flight.asking:
                del flights[key]
