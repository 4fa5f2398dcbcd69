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

from summarizer_tool.llm.options import Progress
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

RESERVE = 0.05
"""Of the time for a call: for getting the answer to the client."""

STOPPING_SECONDS = 2.0
"""Of the grace period of a server that is told to stop, at least, up to half of it: for answers without a model."""

_logger = logging.getLogger('summarizer_tool')

Send = Callable[[float, float | None, str], Awaitable[None]]
"""Takes progress, total and message; it may wait for the client."""


@dataclass(eq=False)
class CallsInFlight:
    """The calls that run, so that a server that is told to stop can bring them to an end."""

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


MakeServed: TypeAlias = Callable[['Settings'], AbstractAsyncContextManager[Served]]
"""Makes what is served, for the length of a block."""


# What may be such a message; whether it is one, JSON says.
_WRONG_ID = re.compile(r'"id"\s*:\s*(?:null|true|false|[\[{]|-?\d+(?:\.|[eE]))')


def has_wrong_id(message: str) -> bool:
    """Return whether a message is a request whose id is neither a string nor an integer."""
    value: object = None
    if _WRONG_ID.search(message):
        with suppress(ValueError, RecursionError):
            value = json.loads(message)
    if not isinstance(value, dict) or 'method' not in value or 'id' not in value:
        return False
    return _id_in(cast('dict[str, object]', value)) is None


def _id_in(message: Mapping[str, object]) -> types.RequestId | None:
    number = message.get('id')
    return number if isinstance(number, str | int) and not isinstance(number, bool) else None


# Pairs of halves and other escapes, or half a character.
_HALF = re.compile(r'(\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|[^u]))|\\u[dD][89a-fA-F]..')


def with_whole_characters(message: str) -> str:
    """The JSON with halves of characters replaced, which programs write that cut a text."""
    return _HALF.sub(lambda match: match[1] or r'\ufffd', message) if '\\u' in message else message


# In the message itself, not in what it holds.
_ID = re.compile(r'(?:^\{[^{}]{0,60}"id"|"id"(?=[^{}]{0,60}\}\s*$))\s{0,9}:\s{0,9}(\d{1,15}|"[^"\\]{0,60}")\s?[,}]')


def read_again(error: ValidationError, *, is_answer: bool) -> SessionMessage | types.RequestId | None:
    """A message that the SDK does not read; else the id of the answer, or of the request, that cannot be read."""
    failed = error.errors(include_url=False)
    message: object = next((each['input'] for each in failed if each['type'] in ('json_invalid', 'missing')), None)
    if isinstance(message, str):
        with suppress(ValueError, RecursionError):
            return SessionMessage(types.jsonrpc_message_adapter.validate_json(with_whole_characters(message)))
        ends = message[:60] + message[-60:]
        if '"jsonrpc"' in ends and (found := _ID.search(ends)):
            return json.loads(found[1])
    elif isinstance(message, dict) and ('method' in message) != is_answer:
        return _id_in(cast('dict[str, object]', message))
    return None


def refuse_cursor(params: types.PaginatedRequestParams | None) -> None:
    """Refuse to go on with a list that has one page; a client that got the first again might never end."""
    if params is not None and params.cursor:
        raise MCPError(types.INVALID_PARAMS, 'there is no such cursor: the list has one page')


class ProgressReport:
    """The progress of one call, as notifications that only ever rise: one for each finished step, and heartbeats.

    A step is a model call, or the composition of the text at the end. Work never waits for the client.
    """

    def __init__(self, send: Send) -> None:
        """Args: send: Called by `run` alone, one notification after the other."""
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


@dataclass(eq=False, slots=True)
class RunningCall:
    """One call."""

    name: str
    deadline: Deadline
    """By then the work should have come to an answer, degraded if need be."""
    guard: CancelScope
    """What is not done by its deadline is given up."""
    lost: Event | None
    """Set when the client has gone."""
    report: ProgressReport

    async def finish(self, work: Awaitable[T]) -> T:
        """Do the work, and tell the client how far it is; raises `TimeIsUpError` if time is up, or the client gone."""
        outcome: T | Exception = TimeIsUpError()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.report.run)
            if self.lost is not None:
                tasks.start_soon(cancel_when, self.lost, self.guard)
            with self.guard:
                try:
                    outcome = await work
                except Exception as error:  # noqa: BLE001 - raised below, outside of the task group, which would wrap it
                    outcome = error
            tasks.cancel_scope.cancel()
        if self.lost is not None and self.lost.is_set():
            _logger.info('the client of a call has gone', extra={'tool': self.name})
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


@dataclass(eq=False)
class RunningCalls(CallsInFlight):
    """All calls that run, each with its deadline."""

    timeout: float
    """Seconds for one call, from the arrival of its request to its answer."""

    @contextmanager
    def start(self, name: str, send: Send, *, arrived: float, lost: Event | None) -> Generator[RunningCall]:
        """Count a call of a tool as running for the length of the block; `lost` is set when the client goes away.

        The request has arrived by the event loop's clock; `send` sends a progress notification.
        """
        end = min(arrived + self.timeout, self.end)
        left = max(0.0, end - anyio.current_time())
        work = max(left - max(1.0, self.timeout * RESERVE), left / 2)
        guard = left - min(0.5, self.timeout * RESERVE)
        # Half of what is left after the deadline is for an answer that is nearly done, half for a makeshift.
        deadline = Deadline(work, grace=max(0.0, guard - work) / 2, set_by=f'MCP_TOOL_TIMEOUT={self.timeout:g}')
        scope = CancelScope(deadline=anyio.current_time() + guard)
        with self.counted(scope, deadline):
            yield RunningCall(name, deadline, scope, lost, ProgressReport(send))
