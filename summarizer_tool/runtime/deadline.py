"""When a request must be answered, for all the calls that work on it."""

import math
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager

import anyio
from anyio import CancelScope

GRACE_SHARE, LEAST_GRACE = 0.1, 2.0
"""The grace of a deadline: this share of its seconds, and at least so many, since a summary must still be written."""


class Deadline:
    """A point in time that may come nearer while calls run, as when a server is told to stop.

    It belongs to the event loop it was made on.
    """

    def __init__(self, seconds: float, *, grace: float = math.inf, set_by: str = '') -> None:
        """Set the deadline `seconds` from now; an answer that is nearly done may come at most `grace` seconds after it.

        That is a tenth of them, or two seconds if that is more, unless `grace` is less.

        `set_by` is the setting that it comes from, with its value.
        """
        self.set_by = set_by
        self.at = anyio.current_time() + seconds
        self._grace = min(grace, max(LEAST_GRACE, GRACE_SHARE * seconds))
        self._reserve = 0.0
        self._scopes: dict[CancelScope, Callable[[], float]] = {}

    @property
    def seconds(self) -> float:
        """The seconds that are left, at least 0."""
        return max(0.0, self.at - anyio.current_time())

    @property
    def last_call(self) -> float:
        """By the event loop's clock: no model call goes on after it, so that the rest can be done without one."""
        return self.at - self._reserve

    def reserve(self, seconds: float) -> None:
        """Keep time for what follows the model calls, at most half of what is left."""
        self._reserve = min(seconds, self.seconds / 2)
        for scope, end in self._scopes.items():
            scope.deadline = min(scope.deadline, end())

    def bring_forward(self, seconds: float, *, grace: float = math.inf) -> None:
        """Move it to `seconds` from now, if that is sooner, and lower the grace to `grace` seconds."""
        at = anyio.current_time() + seconds
        if at < self.at:
            self.at = at
            self._grace = min(self._grace, grace)
            self.reserve(self._reserve)

    def calling(self) -> AbstractContextManager[CancelScope]:
        """The scope of one model call, which is cancelled when the time for calls is over."""
        return self._scope(lambda: self.last_call)

    def answering(self) -> AbstractContextManager[CancelScope]:
        """The scope of the whole work, which is cancelled when the grace is over, too."""
        return self._scope(lambda: self.at + self._grace)

    @contextmanager
    def _scope(self, end: Callable[[], float]) -> Generator[CancelScope]:
        with CancelScope(deadline=end()) as scope:
            self._scopes[scope] = end
            try:
                yield scope
            finally:
                del self._scopes[scope]
