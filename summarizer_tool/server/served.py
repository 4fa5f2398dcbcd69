"""What the transports serve: the summarizer's own tools, or what another package makes."""

import json
import math
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

import anyio
from anyio import CancelScope, Event

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from mcp.server.lowlevel import Server

    from summarizer_tool.settings import Settings


@dataclass(eq=False)
class CallsInFlight:
    """The calls that run, so that a server that is told to stop can bring them to an end."""

    end: float = math.inf
    """By the event loop's clock: no call goes on after it."""
    _running: set[CancelScope] = field(default_factory=set[CancelScope], init=False)
    _ended: Event = field(default_factory=Event, init=False)

    @property
    def are_ending(self) -> bool:
        """Whether the server is told to stop."""
        return self.end < math.inf

    def __len__(self) -> int:
        """How many run."""
        return len(self._running)

    @contextmanager
    def counted(self, scope: CancelScope) -> Generator[None]:
        """Count a call as running for the length of the block; what cancels it is given."""
        self._running.add(scope)
        try:
            yield
        finally:
            self._running.discard(scope)
            self._ended.set()
            self._ended = Event()

    def bring_to_an_end(self, grace: float) -> None:
        """Let the calls that run come to an answer within `grace` seconds; what has none by then is given up."""
        self.end = min(self.end, anyio.current_time() + grace)
        for scope in self._running:
            scope.deadline = min(scope.deadline, self.end)

    async def some_ran(self) -> None:
        """Wait until a call ends."""
        await self._ended.wait()

    async def none_runs(self) -> None:
        """Wait until no call runs."""
        while self._running:
            await self._ended.wait()


class Served(Protocol):
    """An MCP server with what a transport needs to know of it."""

    @property
    def calls(self) -> CallsInFlight:
        """The calls that run."""
        ...

    def server(self) -> 'Server[Any]':
        """The MCP server; asked for once."""
        ...

    def facts(self) -> Mapping[str, object]:
        """What the log says of it at the start."""
        ...


class MakeServed(Protocol):
    """Makes what is served, for the length of a block."""

    def __call__(
        self, settings: 'Settings', *, prepare: 'Callable[[Settings], None]'
    ) -> 'AbstractAsyncContextManager[Served]':
        """Make it; `prepare` is called in a thread before anything else is loaded."""
        ...


# What may be such a message; whether it is one, JSON says.
_WRONG_ID = re.compile(r'"id"\s*:\s*(?:null|true|false|[\[{]|-?\d+(?:\.|[eE]))')


def has_wrong_id(message: str) -> bool:
    """Return whether a message is a request whose id is neither a string nor an integer."""
    if _WRONG_ID.search(message) is None:
        return False
    try:
        value: object = json.loads(message)
    except (ValueError, RecursionError):
        return False
    if not isinstance(value, dict) or 'method' not in value or 'id' not in value:
        return False
    number = cast('dict[str, object]', value)['id']
    return isinstance(number, bool) or not isinstance(number, str | int)
