"""An ASGI application behind a real port, in a thread: it starts and stops at once, and can close its connections."""

import asyncio
import socket
import threading
import time
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from logging import CRITICAL
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 60
"""For its start, and for its end."""


@dataclass(eq=False, slots=True)
class Connection:
    """A client's connection, with what ASGI does not give: to close it, and to know at once that it is closed."""

    transport: asyncio.Transport
    lost: asyncio.Event = field(default_factory=asyncio.Event)

    async def lost_before(self, deadline: float) -> bool:
        """Wait until `deadline` (of `time.monotonic`); whether the connection was lost before."""
        try:
            await asyncio.wait_for(self.lost.wait(), deadline - time.monotonic())
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """Close it without another byte."""
        self.transport.abort()
        await self.lost.wait()


class ConnectionProtocol(H11Protocol):
    """Hands the connection to the application, as `state.connection`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self.connection = Connection(transport)
        self.app_state = {**self.app_state, 'connection': self.connection}

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.connection.lost.set()


class ThreadedServer(uvicorn.Server):
    """Starts and stops by event, where uvicorn polls ten times a second, and does not wait for requests that hang."""

    def __init__(self, config: uvicorn.Config, listener: socket.socket) -> None:
        super().__init__(config)
        self.host = f'127.0.0.1:{listener.getsockname()[1]}'
        self.origin = f'http://{self.host}'
        self._listener = listener
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.result(timeout=SECONDS)

    def _run(self) -> None:
        try:
            asyncio.run(self.serve([self._listener]))
        except BaseException as error:
            if self._ready.done():
                raise
            self._ready.set_exception(error)

    async def main_loop(self) -> None:
        await self.on_tick(0)  # sets the default headers
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self._ready.set_result(None)
        await self._stopping.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in self.servers:
            listener.close()
        self._listener.close()
        await asyncio.sleep(0)  # a connection that was just accepted is made in the next turn of the loop
        while self.server_state.connections:
            for connection in list(self.server_state.connections):
                connection.transport.abort()
            await asyncio.sleep(0)
        while self.server_state.tasks:
            await asyncio.wait(self.server_state.tasks, timeout=1)
            for task in self.server_state.tasks:
                task.cancel()

    def stop(self) -> None:
        """Close all connections and end; callable from any thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(SECONDS)
        assert not self._thread.is_alive(), 'the server does not stop; does what it answers with block?'


@contextmanager
def served(app: ASGIApp, **options: Any) -> Generator[ThreadedServer]:
    """Serve an application on 127.0.0.1 for the length of the block; the options are those of uvicorn."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        running = ThreadedServer(uvicorn.Config(app, log_level=CRITICAL + 1, log_config=None, **options), listener)
        try:
            yield running
        finally:
            running.stop()
