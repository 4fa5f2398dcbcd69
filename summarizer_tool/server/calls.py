"""What the transports serve, and a tool call while it runs: its deadline, its progress, and what ends it early."""

import json
import logging
import math
import re
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, cast

import anyio
import mcp_types as types
from anyio import CancelScope, Event
from mcp import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError
from pydantic_core import from_json

from summarizer_tool.llm.options import Progress, RequestOptions
from summarizer_tool.runtime.deadline import Deadline

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from summarizer_tool.settings import Settings

T = TypeVar('T')

HEARTBEAT_SECONDS = 3.0
"""The longest silence while a call runs. Clients are promised 5 s; some drop a silent call at 60 s."""

MAX_WAITING = 10_000
"""Notifications that wait for a client that reads slowly; older ones are dropped."""

BEATS_A_STEP = 1000
"""Heartbeats move the progress towards the next finished step by ever smaller pieces, which never add up to one."""

RESERVE = 0.05  # of the time for a call: for getting the answer to the client

STOPPING_SECONDS = 2.0
"""Of the grace period of a server that is told to stop, at least, up to half of it: for answers without a model."""

_logger = logging.getLogger('summarizer_tool')

Send = Callable[[float, float | None, str], Awaitable[None]]
"""Takes progress, total and message; it may wait for the client."""


@dataclass(eq=False)
class CallsInFlight:
    """The calls that run, so that each ends in time, and a server that is told to stop can bring all to an end."""

    timeout: float = math.inf
    """Seconds for one call, from the arrival of its request to its answer."""
    end: float = field(default=math.inf, init=False)
    """By the event loop's clock: no call goes on after it."""
    _running: dict[CancelScope, Deadline | None] = field(default_factory=dict[CancelScope, Deadline | None], init=False)
    _ended: Event = field(default_factory=Event, init=False)

    @contextmanager
    def counted(self, scope: CancelScope, deadline: Deadline | None = None) -> Generator[None]:
        """Count a call as running for the length of the block; what cancels it is given, and its deadline, if any."""
        self._running[scope] = deadline
        try:
            yield
        finally:
            del self._running[scope]
            self._ended.set()
            self._ended = Event()

    def bring_to_an_end(self, grace: float) -> None:
        """Let the calls that run, and those that still begin, come to an answer within `grace` seconds.

        It is degraded if need be; what has none by then is given up.
        """
        self.end = min(self.end, anyio.current_time() + grace)
        if self._running:
            _logger.info('calls still run', extra={'calls': len(self._running), 'grace_seconds': grace})
        reserve = max(2 * RESERVE * grace, min(STOPPING_SECONDS, grace / 2))
        for scope, deadline in self._running.items():
            scope.deadline = min(scope.deadline, self.end)
            if deadline is not None:
                deadline.bring_forward(grace - reserve, grace=reserve / 2)

    async def none_runs(self) -> None:
        """Wait until no call runs."""
        while self._running:
            await self._ended.wait()

    async def in_time(
        self, work: Callable[[RequestOptions], Awaitable[T]], send: Send, *, arrived: float, lost: Event | None = None
    ) -> T:
        """Do the work of a call, and tell the client how far it is.

        Raises `TimeIsUpError` if time is up, or the client gone.

        Args:
            work: Given the deadline by which it should come to an answer, degraded if need be.
            send: Sends a progress notification.
            arrived: When the request came, by the event loop's clock.
            lost: Set when the client has gone.
        """
        left = max(0.0, min(arrived + self.timeout, self.end) - anyio.current_time())
        seconds = max(left - max(1.0, self.timeout * RESERVE), left / 2)
        guard = left - min(0.5, self.timeout * RESERVE)
        # Half of what is left after the deadline is for an answer that is nearly done, half for a makeshift.
        deadline = Deadline(seconds, grace=max(0.0, guard - seconds) / 2, set_by=f'MCP_TOOL_TIMEOUT={self.timeout:g}')
        scope, report = CancelScope(deadline=anyio.current_time() + guard), ProgressReport(send)
        outcome: T | Exception = TimeIsUpError()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(report.run)
            if lost is not None:
                tasks.start_soon(cancel_when, lost, scope)
            with self.counted(scope, deadline), scope:
                try:
                    outcome = await work(RequestOptions(on_progress=report.tell, deadline=deadline))
                except Exception as error:  # noqa: BLE001 - raised below, outside of the task group, which would wrap it
                    outcome = error
            tasks.cancel_scope.cancel()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


class Served(Protocol):
    """An MCP server with what a transport needs to know of it."""

    calls: CallsInFlight

    def server(self) -> 'Server[Any]':
        """The MCP server; asked for once."""
        ...

    def facts(self) -> Mapping[str, object]:
        """What the log says of it at the start."""
        ...


MakeServed: TypeAlias = Callable[['Settings'], AbstractAsyncContextManager[Served]]
"""Makes what is served, for the length of a block."""


# Pairs of halves and other escapes, or half a character.
_HALF = re.compile(r'(\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|[^u]))|\\u[dD][89a-fA-F]..')


def with_whole_characters(message: str) -> str:
    """The JSON with halves of characters replaced, which programs write that cut a text."""
    return _HALF.sub(lambda match: match[1] or r'\ufffd', message) if '\\u' in message else message


def read_message(text: str, *, is_answer: bool = False) -> SessionMessage | types.RequestId | None:
    """The message that a JSON text is; else the id of the request, or answer, that cannot be read."""
    text = with_whole_characters(text)
    message: types.JSONRPCMessage | None = None
    with suppress(ValidationError):
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
        if not isinstance(message, types.JSONRPCNotification):
            return SessionMessage(message)
    members: Mapping[str, object] = {}
    with suppress(ValueError, RecursionError):
        members = _members(json.loads(text))
    if message is not None and 'id' not in members:  # or the SDK takes a request with a wrong id for a notification
        return SessionMessage(message)
    number = members.get('id') if ('method' in members) != is_answer else None
    return number if isinstance(number, str | int) and not isinstance(number, bool) else None


def is_message(text: str) -> bool:
    """Return whether a JSON text is a message; what it holds, which may be much, is not looked at."""
    with suppress(ValueError):
        members = _members(from_json(text))
        hollow: dict[str, object] = {name: {} for name in ('params', 'result') if isinstance(members.get(name), dict)}
        return isinstance(read_message(json.dumps({**members, **hollow})), SessionMessage)
    return False


def read_again(error: ValidationError, *, is_answer: bool) -> SessionMessage | types.RequestId | None:
    """The same of a message that the SDK has not read."""
    failed = error.errors(include_url=False)
    given = next((each['input'] for each in failed if each['type'] in ('json_invalid', 'missing')), None)
    return read_message(given if isinstance(given, str) else json.dumps(given), is_answer=is_answer)


def _members(value: object) -> Mapping[str, object]:
    return cast('dict[str, object]', value) if isinstance(value, dict) else {}


def refuse_cursor(params: types.PaginatedRequestParams | None) -> None:
    """Refuse to go on with a list that has one page; a client that got the first again might never end."""
    if params is not None and params.cursor:
        raise MCPError(types.INVALID_PARAMS, 'there is no such cursor: the list has one page')


class ProgressReport:
    """The progress of one call, as notifications that only ever rise: one for each finished step, and heartbeats.

    A step is a model call, or the composition of the text at the end. Work never waits for the client.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._started = anyio.current_time()
        self._waiting: deque[tuple[float, float, str]] = deque(maxlen=MAX_WAITING)
        self._news = Event()
        self._finished = 0
        self._said = (0.0, None, 'waiting')
        self._beats = 0

    def tell(self, progress: Progress) -> None:
        """Take a finished call; returns at once."""
        self._finished += 1
        remaining = max(0, progress.total - progress.done)
        self._waiting.append((self._finished, self._finished + remaining + 1, progress.message))
        self._news.set()

    async def run(self) -> None:
        """Send what there is to say, until cancelled."""
        while True:
            with anyio.move_on_after(HEARTBEAT_SECONDS):
                await self._news.wait()
            self._news = Event()
            if not self._waiting:
                await self._beat()
            while self._waiting:
                self._said, self._beats = self._waiting.popleft(), 0
                await self._send(*self._said)

    async def _beat(self) -> None:
        progress, total, message = self._said
        self._beats += 1
        seconds = anyio.current_time() - self._started
        await self._send(
            progress + self._beats / (self._beats + BEATS_A_STEP), total, f'{message} ({seconds:.0f} s so far)'
        )


async def cancel_when(event: Event, scope: CancelScope) -> None:
    """Cancel what a scope has when an event is set."""
    await event.wait()
    scope.cancel()


class TimeIsUpError(Exception):
    """The time for a call has passed without an answer."""
