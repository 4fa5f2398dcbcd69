"""MCP over stdin and stdout: ends when stdin does or the program is told to, and answers first what was asked."""

import os
import threading
from asyncio import AbstractEventLoop, get_running_loop, run_coroutine_threadsafe
from concurrent import futures
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

import anyio
import mcp_types as types
from anyio import CancelScope, Event, create_memory_object_stream
from mcp.shared.message import SessionMessage

from summarizer_tool.server.calls import CallsInFlight, Served, cancel_when, read_message
from summarizer_tool.server.front import CLOSING_SECONDS

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

NO_MESSAGE = types.ErrorData(
    code=types.PARSE_ERROR, message='a line must be one JSON-RPC message, its id a string or integer'
)


async def talk(served: Served, stop: Event, grace: float) -> None:
    """Serve the client at the other end of stdin and stdout until `stop`; then calls have `grace` seconds.

    A client that no longer reads has gone: nobody can be told.
    """
    server = served.server()
    lines, coming = create_memory_object_stream[bytes](0)
    to_server, requests = create_memory_object_stream[SessionMessage | Exception](0)
    to_client, answers = create_memory_object_stream[SessionMessage](0)
    conversation = _Conversation(served.calls, grace, to_client.clone())
    stdin = _taken(0, os.open(os.devnull, os.O_RDONLY))
    # A thread of its own, which nobody need wait for: a read cannot be interrupted.
    threading.Thread(target=_read, args=(stdin, lines, get_running_loop()), name='stdin', daemon=True).start()
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(conversation.ask, coming, stop, to_server)
            tasks.start_soon(conversation.answer, answers, os.fdopen(_taken(1, os.dup(2)), 'wb'))
            await server.run(requests, to_client, server.create_initialization_options())
    except* BrokenPipeError:
        pass


def _taken(fd: int, instead: int) -> int:
    """Another descriptor for what one stands for; nothing else of the program reads or writes it from now on."""
    own = os.dup(fd)
    os.dup2(instead, fd)
    os.close(instead)
    return own


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
class _Conversation:
    _calls: CallsInFlight
    _grace: float
    _answers: 'MemoryObjectSendStream[SessionMessage]'
    _open: set[types.RequestId] = field(default_factory=set[types.RequestId])
    """Requests without an answer."""
    _answered: Event = field(default_factory=Event)

    async def ask(
        self,
        lines: 'MemoryObjectReceiveStream[bytes]',
        stop: Event,
        to_server: 'MemoryObjectSendStream[SessionMessage | Exception]',
    ) -> None:
        """Pass on messages; at their end what was asked is answered first, or given up after the grace period."""
        with to_server, self._answers:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(cancel_when, stop, tasks.cancel_scope)
                with suppress(anyio.BrokenResourceError):  # the client no longer reads, so that the server has ended
                    async for line in lines:
                        await self._pass_on(read_message(line.decode('utf-8', 'replace')), to_server)
                tasks.cancel_scope.cancel()
            self._calls.bring_to_an_end(self._grace)
            with anyio.move_on_after(self._grace + CLOSING_SECONDS):
                while self._open:
                    await self._answered.wait()

    async def _pass_on(
        self,
        read: SessionMessage | types.RequestId | None,
        to_server: 'MemoryObjectSendStream[SessionMessage | Exception]',
    ) -> None:
        if not isinstance(read, SessionMessage):
            await self._answers.send(SessionMessage(types.JSONRPCError(jsonrpc='2.0', id=read, error=NO_MESSAGE)))
            return
        message = read.message
        if isinstance(message, types.JSONRPCRequest):
            self._open.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == 'notifications/cancelled':
            number = (message.params or {}).get('requestId')
            self._open -= {each for each in self._open if each == number}  # it gets no answer
        with CancelScope(shield=True):  # who is told to stop meanwhile would wait for its answer
            await to_server.send(read)

    async def answer(self, answers: 'MemoryObjectReceiveStream[SessionMessage]', file: BinaryIO) -> None:
        """Write what the client is told."""
        stdout = anyio.wrap_file(file)
        async for item in answers:
            await stdout.write(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b'\n')
            await stdout.flush()
            if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError) and item.message.id is not None:
                self._open.discard(item.message.id)
                self._answered.set()
                self._answered = Event()
