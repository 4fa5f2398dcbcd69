"""A uvicorn server in a thread that starts and stops at once, and whose connections an application can close."""

import asyncio
import socket
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol


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


class StoppableServer(uvicorn.Server):
    """Starts and stops by event, where uvicorn polls ten times a second, and does not wait for requests that hang."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready: Future[None] = Future()

    async def main_loop(self) -> None:
        await self.on_tick(0)  # sets the default headers
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self.ready.set_result(None)
        await self._stopping.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in self.servers:
            listener.close()
        for accepted in sockets or []:
            accepted.close()
        await asyncio.sleep(0)  # a connection that was just accepted is made in the next turn of the loop
        while self.server_state.connections:
            for connection in list(self.server_state.connections):
                connection.transport.abort()
            await asyncio.sleep(0)
        while self.server_state.tasks:
            await asyncio.wait(self.server_state.tasks)

    def run_in_thread(self, listener: socket.socket) -> threading.Thread:
        """Serve on `listener` in a new thread; returns once it answers."""

        def run() -> None:
            try:
                asyncio.run(self.serve([listener]))
            except BaseException as error:
                if self.ready.done():
                    raise
                self.ready.set_exception(error)

        thread = threading.Thread(target=run, name='simulated-provider', daemon=True)
        thread.start()
        self.ready.result(timeout=5)
        return thread

    def stop(self) -> None:
        """Close all connections and end; callable from any thread."""
        self._loop.call_soon_threadsafe(self._stopping.set)
