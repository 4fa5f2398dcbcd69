"""The connection to one server: held by a task of its own, a new one when it is needed after it was lost."""

import logging
import math
import os
import sys
from codecs import getincrementaldecoder
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeVar

import anyio
import httpx2
import mcp_types as types
from anyio import Event, to_thread
from anyio.abc import ObjectReceiveStream, TaskGroup
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.message import SessionMessage
from pydantic import BaseModel, TypeAdapter, ValidationError

from researcher_integration.masking.key_blocks import open_key
from researcher_integration.mcp.failures import MAX_SHOWN, reason, refusal
from researcher_integration.proxy.servers import ProxiedServer
from researcher_integration.untrusted.framing import framed
from summarizer_tool import first_error, one_line, read_again, render_prompt

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams
    from mcp.client.session import IncomingMessage
    from mcp.shared._stream_protocols import ReadStream

    from researcher_integration.proxy.proxy_server import ProxyServer

Answer = TypeVar('Answer', bound=BaseModel)

HTTP_TIMEOUT = httpx2.Timeout(30, read=None)
"""Seconds; a call ends by `Connection.silence`, or when the client cancels it."""

END_SECONDS = 5.0  # for a session that is over to be ended in form
LAST_SECONDS = 5.0  # for the last of what a server has written to be read when it has ended

_ERAS: tuple[Literal['legacy', 'auto'], ...] = ('legacy', 'auto')
"""How a session is begun. All servers of today know `initialize`, and some end at any other first request."""

_SESSION_GONE = 'Session terminated'
"""What the SDK says for HTTP 404: the server has not looked at the request."""

_logger = logging.getLogger('researcher_integration')


def _without_traceback(record: logging.LogRecord) -> bool:
    """Let a message of the SDK pass without what the error quotes: a line of a server, secrets and all."""
    record.exc_info = None
    return True


for _module in ('client.stdio', 'client.session', 'client.streamable_http', 'shared.jsonrpc_dispatcher'):
    logging.getLogger(f'mcp.{_module}').addFilter(_without_traceback)


class ServerDownError(MCPError):
    """A server cannot be reached, or was lost while it worked on a request, or there is no answer of it to read."""

    def __init__(self, name: str, server: str, reason: str, said: str = '') -> None:
        message = render_prompt(f'proxy/{name}', server=server, reason=reason)
        super().__init__(types.INTERNAL_ERROR, f'{message}\n{framed(said, server)}' if said else message)


@dataclass(slots=True)
class _Link:
    client: Client | None = None
    reason: str = ''
    settled: Event = field(default_factory=Event)
    """Set once it is known whether the server can be reached."""
    lost: Event = field(default_factory=Event)


@dataclass(eq=False)
class Connection:
    """A server, as those see it who make requests to it."""

    server: ProxiedServer
    proxy: 'ProxyServer'
    tasks: TaskGroup
    """In which connections are held, until it is cancelled."""
    silence: float
    """Seconds within which it answers a request, or tells how far it is."""
    log_level: types.LoggingLevel | None = None
    capabilities: types.ServerCapabilities = field(default_factory=types.ServerCapabilities)
    instructions: str = ''
    _link: _Link | None = None
    has_begun: bool = False
    """Whether the proxy is there already, and clients may have listed what there is without this server."""
    _unreached: str = ''
    _answering: set[anyio.CancelScope] = field(default_factory=set[anyio.CancelScope])
    _asking: int = 0
    """Questions of the server to clients: while these think, it is not the server that is silent."""
    _last_words: str = ''
    """Of what it has written to stderr since it was started the last line of an error, else the last line."""

    @property
    def name(self) -> str:
        """As the operator calls the server."""
        return self.server.name

    def masked(self, value: object) -> Any:
        """What the server says, without secrets."""
        return self.proxy.results.said(self.name, value)

    async def connected(self) -> Client:
        """The client of the server, which is started or reached if need be; else a `ServerDownError` says why."""
        link = self._link
        if link is None or link.lost.is_set():
            link = self._link = _Link()
            self.tasks.start_soon(self._hold, link)
        await link.settled.wait()
        if link.client is None:
            raise ServerDownError('unreachable', self.name, link.reason, self._last_words)
        return link.client

    async def request(
        self,
        request: types.Request[Any, Any],
        answer: type[Answer] | TypeAdapter[Answer],
        progress: ProgressFnT | None = None,
        *,
        may_repeat: bool = True,
    ) -> Answer:
        """Pass on a request; when the caller is cancelled, the server is told.

        Raises the `MCPError` that the server answers with; or a `ServerDownError` if it cannot be reached, is lost
        meanwhile, is silent for too long, or answers what cannot be read: it may have done some of the work.
        """
        client = await self.connected()
        try:
            return await self._answer(client, request, answer, progress)
        except ValidationError:  # it quotes the server
            raise ServerDownError('unreadable', self.name, '') from None
        except MCPError as error:
            link = self._link
            is_session_gone = bool(self.server.entry.url) and error.message == _SESSION_GONE
            if link is not None and link.client is client and is_session_gone:
                link.lost.set()
                if may_repeat:
                    return await self.request(request, answer, progress, may_repeat=False)
            is_closed = error.code == types.CONNECTION_CLOSED and link is not None and link.lost.is_set()
            if is_closed or is_session_gone:
                raise ServerDownError('lost', self.name, error.message) from None
            if error.code == types.PARSE_ERROR:
                raise ServerDownError('unreadable', self.name, '') from None
            raise

    async def _answer(
        self, client: Client, request: types.Request[Any, Any], answer: Any, told: ProgressFnT | None = None
    ) -> Any:
        with anyio.CancelScope(deadline=self._silent_at()) as scope:

            async def heard(progress: float, total: float | None, message: str | None) -> None:
                scope.deadline = self._silent_at()
                if told is not None:
                    await told(progress, total, message)

            self._answering.add(scope)
            try:
                return await client.session.send_request(request, answer, progress_callback=heard if told else None)
            finally:
                self._answering.discard(scope)
        raise ServerDownError('silent', self.name, f'{self.silence:g}')

    def _silent_at(self) -> float:
        return math.inf if self._asking else anyio.current_time() + self.silence

    async def _asked(self, request: types.ServerRequest, answer: type[Answer]) -> Answer | types.ErrorData:
        """Put a question of the server to a client, whose time to think is none in which the server is silent."""
        try:
            self._asking += 1
            for scope in self._answering:
                scope.deadline = self._silent_at()
            return await self.proxy.asked(self, request, answer)
        finally:
            self._asking -= 1
            for scope in self._answering:
                scope.deadline = self._silent_at()

    async def set_log_level(self, level: types.LoggingLevel) -> None:
        """Ask the server for log messages from a level on, now and whenever it is reached again."""
        self.log_level = level
        if self.capabilities.logging is not None:
            await self.request(
                types.SetLevelRequest(params=types.SetLevelRequestParams(level=level)), types.EmptyResult
            )

    async def _hold(self, link: _Link) -> None:
        self._last_words = ''
        try:
            with anyio.move_on_after(self.server.entry.timeout) as scope:
                for era in _ERAS:
                    try:
                        await self._session(link, era, scope)
                    except* MCPError as errors:
                        said = first_error(errors)
                        has_gone = isinstance(said, MCPError) and said.code == types.CONNECTION_CLOSED
                        if link.client is not None or era == _ERAS[-1] or has_gone:
                            raise
                    if link.client is not None:
                        break
            if scope.cancelled_caught and link.client is None:
                link.reason = f'no answer within {self.server.entry.timeout:g} seconds'
        except Exception as error:  # noqa: BLE001 - whatever a server does, the others go on
            link.reason = reason(error)
        finally:
            was_there = link.client is not None
            link.client = None
            link.lost.set()
            link.settled.set()
        # Whoever lists what there is asks for it again; that it is still not there is no news.
        if was_there or link.reason != self._unreached:
            _logger.warning(
                'a server was lost' if was_there else 'a server cannot be reached',
                extra={'server': self.name, 'reason': link.reason},
            )
        self._unreached = '' if was_there else link.reason

    def _says(self, text: str) -> Any:
        said = str(self.masked(text))
        for line in filter(str.strip, said.splitlines()):
            if 'error' in line.casefold() or 'error' not in self._last_words.casefold():
                self._last_words = one_line(line, MAX_SHOWN)
        return said

    async def _session(self, link: _Link, era: Literal['legacy', 'auto'], scope: anyio.CancelScope) -> None:
        ended = Event()
        async with Client(
            _transport(self.server, ended, self._says),
            mode=era,
            cache=None,
            logging_callback=partial(self.proxy.logged, self),
            message_handler=self._told,
            sampling_callback=lambda context, params: self._asked(
                types.CreateMessageRequest(params=params), types.CreateMessageResult
            ),
            elicitation_callback=lambda context, params: self._asked(
                types.ElicitRequest(params=params), types.ElicitResult
            ),
        ) as client:
            scope.deadline = math.inf
            self.capabilities = client.server_capabilities
            self.instructions = client.instructions or ''
            link.client, link.lost = client, ended
            link.settled.set()
            was_late, self.has_begun = self.has_begun, True
            if was_late:
                if self.log_level is not None:
                    with suppress(MCPError):  # a server that is there without its log is there
                        await self.set_log_level(self.log_level)
                await self.proxy.came_back(self)
            await ended.wait()
            scope.deadline = anyio.current_time() + END_SECONDS

    async def _told(self, message: 'IncomingMessage') -> None:
        if isinstance(message, Exception):
            _logger.warning('a server says what is no message', extra={'server': self.name})
        else:
            await self.proxy.told(message)


@asynccontextmanager
async def _transport(
    server: ProxiedServer, ended: Event, masked: Callable[[str], Any]
) -> 'AsyncGenerator[TransportStreams]':
    """The way to a server; `ended` is set when nothing more comes from there."""
    async with AsyncExitStack() as stack:
        entry = server.entry
        if entry.url:
            hooks = {'response': [partial(_refused, ended, Event())]}
            http = httpx2.AsyncClient(headers=entry.headers, timeout=HTTP_TIMEOUT, event_hooks=hooks)
            # As long as any over stdio; by default the SDK refuses an event of more than 1 MiB.
            transport = streamable_http_client(
                entry.url, http_client=await stack.enter_async_context(http), max_sse_event_size=None
            )
        else:
            command, *arguments = server.guarded()
            transport = stdio_client(
                StdioServerParameters(
                    command=command,
                    args=arguments,
                    env=entry.env or {},
                    cwd=entry.cwd,
                    encoding_error_handler='replace',
                ),
                errlog=await stack.enter_async_context(masked_stderr(masked)),
            )
        read, write = await stack.enter_async_context(transport)
        yield _Watched(read, ended), write


async def _refused(ended: Event, answered: Event, response: httpx2.Response) -> None:
    """End the connection where a server turns away who asks; what fails once it has answered may do better next time.

    It may be at work on other calls.
    """
    if response.is_success:
        answered.set()
    elif not (response.is_server_error and answered.is_set()) and (error := refusal(response)):
        ended.set()
        raise error


@dataclass
class _Watched(ObjectReceiveStream[SessionMessage | Exception]):
    read: 'ReadStream[SessionMessage | Exception]'
    ended: Event

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        try:
            message = await self.read.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self.ended.set()
            raise
        if not isinstance(message, ValidationError):
            return message
        read = read_again(message, is_answer=True)
        if isinstance(read, SessionMessage):
            return read
        failed = types.ErrorData(code=types.PARSE_ERROR, message='')  # for who waits for it
        return message if read is None else SessionMessage(types.JSONRPCError(jsonrpc='2.0', id=read, error=failed))

    async def aclose(self) -> None:
        """Stop reading."""
        await self.read.aclose()


MAX_PENDING = 1_000_000
"""Characters of a line that are waited for; a longer one is passed on in pieces."""

MAX_KEY = 20_000  # characters of a key that are waited for; a longer one is masked in pieces


@asynccontextmanager
async def masked_stderr(masked: Callable[[str], Any]) -> AsyncGenerator[TextIO]:
    """A file to start a server with: whole lines of it appear on stderr, as `masked` returns them."""
    reading, writing = os.pipe()
    # Of its own, for it reads as long as anything that the server has started holds the pipe.
    reader = Thread(target=_pass_on, args=(reading, masked), daemon=True)
    reader.start()
    try:
        with os.fdopen(writing, 'w') as file:
            yield file
    finally:
        await to_thread.run_sync(reader.join, LAST_SECONDS, abandon_on_cancel=True)


def _pass_on(reading: int, masked: Callable[[str], Any]) -> None:
    decode = getincrementaldecoder('utf-8')('replace').decode
    pending = ''
    while chunk := os.read(reading, 65_536):
        pending += decode(chunk)
        ready, header = pending.rfind('\n') + 1, ''
        while key := open_key(pending[:ready]):
            start, begun, end = key
            if end == ready:  # it is known by its first line alone
                if ready - start > MAX_KEY:
                    header = f'{pending[start:begun]}\n'
                else:
                    ready = pending.rfind('\n', 0, start) + 1
                break
            _write(masked(pending[:end]))
            pending, ready = pending[end:], ready - end
        if not ready and len(pending) > MAX_PENDING:
            ready = len(pending)
        if ready:
            _write(masked(pending[:ready]))
            pending = header + pending[ready:]
    os.close(reading)
    if pending:
        _write(masked(pending))


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):  # nobody reads it; the server is not to notice
        return
