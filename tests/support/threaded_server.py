"""An ASGI application behind a real port, in a thread."""

import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

START_SECONDS = 60


@dataclass
class ThreadedServer:
    """A server that runs until it is stopped."""

    origin: str
    server: uvicorn.Server
    thread: threading.Thread

    def stop(self) -> None:
        """End it, and the connections that are open."""
        self.server.should_exit = self.server.force_exit = True
        self.thread.join(10)


@contextmanager
def served(app: ASGIApp) -> Generator[ThreadedServer]:
    """Serve an application on 127.0.0.1 for the length of the block."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level='critical'))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        running = ThreadedServer(f'http://127.0.0.1:{listener.getsockname()[1]}', server, thread)
        thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not server.started:
            assert time.monotonic() < deadline, 'the server does not start'
            time.sleep(0.005)
        try:
            yield running
        finally:
            running.stop()
