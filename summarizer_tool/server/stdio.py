"""MCP over stdin and stdout: ends when stdin does or the program is told to, and answers first what was asked."""

import os
import sys
import threading
from asyncio import AbstractEventLoop, get_running_loop, run_coroutine_threadsafe
from collections.abc import AsyncGenerator
from concurrent import futures
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import anyio
import mcp_types as types
from anyio import Event
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from summarizer_tool.server.calls import CallsInFlight, Served, cancel_when, has_wrong_id, read_again
from summarizer_tool.server.front import CLOSING_SECONDS

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared._stream_protocols import ReadStream, WriteStream

NO_MESSAGE = '{}'
"""A line that the SDK takes for no message."""


async def talk(served: Served, stop: Event, grace: float) -> None:
    """Serve the client at the other end of stdin and stdout until `stop`; then calls have `grace` seconds.

    A client that no longer reads has gone: nobody can be told.
    """
    try:
        await _talk(served, stop, grace)
    except* BrokenPipeError:
        pass


async def _talk(served: Served, stop: Event, grace: float) -> None:
    server = served.server()
    async with stdio_server(stdin=cast('anyio.AsyncFile[str]', _lines(stop))) as (read, write):
        requests = _Requests(served.calls, grace, read, write)
        # While the SDK serves, the descriptor of stdout is that of stderr; but what libraries print may wait in a
        # buffer until the SDK has given it back. So they get another file, and what has the first is flushed in time.
        stdout, sys.stdout = sys.stdout, sys.stderr
        try:
            await server.run(requests, _Answers(requests, write), server.create_initialization_options())
        finally:
            stdout.flush()


async def _lines(stop: Event) -> AsyncGenerator[str]:
    """The lines of stdin, until it ends or the program should: as much of a file as the SDK needs.

    A thread of its own reads them, which nobody need wait for: a read cannot be interrupted.
    """
    fd = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)  # so that nothing else reads what belongs to the protocol
    os.close(null)
    send, receive = anyio.create_memory_object_stream[bytes](0)
    threading.Thread(target=_read, args=(fd, send, get_running_loop()), name='stdin', daemon=True).start()
    with receive:
        while line := await _next(receive, stop):
            text = line.decode('utf-8', 'replace')
            yield NO_MESSAGE if has_wrong_id(text) else text


async def _next(lines: 'MemoryObjectReceiveStream[bytes]', stop: Event) -> bytes:
    line = b''
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(cancel_when, stop, tasks.cancel_scope)
        with suppress(anyio.EndOfStream):
            line = await lines.receive()
        tasks.cancel_scope.cancel()
    return line


def _read(fd: int, send: 'MemoryObjectSendStream[bytes]', loop: AbstractEventLoop) -> None:
    # The loop may have ended, so that nobody reads any more.
    with (
        suppress(RuntimeError, futures.CancelledError, anyio.BrokenResourceError, anyio.ClosedResourceError),
        open(fd, 'rb') as lines,
    ):
        for line in filter(bytes.strip, lines):
            run_coroutine_threadsafe(send.send(line), loop).result()
        loop.call_soon_threadsafe(send.close)


@dataclass(eq=False)
class _Requests(ObjectReceiveStream[SessionMessage | Exception]):
    """The messages of the client. At their end what was asked is answered first, or given up after the grace period.

    So a client that sends its requests and closes stdin gets its answers. A line that is no message is answered with
    an error, where the SDK would say nothing.
    """

    _calls: CallsInFlight
    _grace: float
    _read: 'ReadStream[SessionMessage | Exception]'
    _write: 'WriteStream[SessionMessage]'
    _open: set[types.RequestId] = field(default_factory=set[types.RequestId])
    _answered: Event = field(default_factory=Event)

    def answered(self, number: types.RequestId) -> None:
        self._open.discard(number)
        self._answered.set()
        self._answered = Event()

    async def receive(self) -> SessionMessage | Exception:
        try:
            while isinstance(item := await self._read.receive(), Exception):
                read = read_again(item, is_answer=False) if isinstance(item, ValidationError) else None
                if isinstance(read, SessionMessage):
                    item = read
                    break
                error = types.ErrorData(
                    code=types.PARSE_ERROR, message='a line must be one JSON-RPC message, its id a string or integer'
                )
                await self._write.send(SessionMessage(types.JSONRPCError(jsonrpc='2.0', id=read, error=error)))
        except anyio.EndOfStream:
            self._calls.bring_to_an_end(self._grace)
            with anyio.move_on_after(self._grace + CLOSING_SECONDS):
                while self._open:
                    await self._answered.wait()
            raise
        if isinstance(item.message, types.JSONRPCRequest):
            self._open.add(item.message.id)
        elif isinstance(item.message, types.JSONRPCNotification) and item.message.method == 'notifications/cancelled':
            number = (item.message.params or {}).get('requestId')
            self._open -= {each for each in self._open if each == number}  # it gets no answer
        return item

    async def aclose(self) -> None:
        await self._read.aclose()


@dataclass(eq=False)
class _Answers(ObjectSendStream[SessionMessage]):
    """What goes to the client."""

    _requests: _Requests
    _write: 'WriteStream[SessionMessage]'

    async def send(self, item: SessionMessage) -> None:
        await self._write.send(item)
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError) and item.message.id is not None:
            self._requests.answered(item.message.id)

    async def aclose(self) -> None:
        await self._write.aclose()
