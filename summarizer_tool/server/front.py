"""The front of the HTTP server: where it listens, and how many connections it keeps for how long."""

import os
from contextlib import nullcontext
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from summarizer_tool.errors import ConfigurationError
from summarizer_tool.settings import Settings

if TYPE_CHECKING:
    from asyncio import TimerHandle, Transport
    from socket import socket

    from starlette.types import ASGIApp

PATH = '/mcp'

CLOSING_SECONDS = 2.0
"""For the last bytes of answers, when the server stops and everything else has ended."""

MAX_CONNECTIONS = 2000  # at once; one more is closed

HEAD_SECONDS = 15.0
"""Within which the head of a request comes, or the end of one that is answered already; else it is closed."""

BACKLOG = 2048  # connections that wait to be accepted


class _Connection(H11Protocol):
    """A connection that must say what it wants in time, of which there are only so many."""

    _late: 'TimerHandle | None' = None

    def connection_made(self, transport: 'Transport') -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
        else:
            self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Bound the time in which the head of a request comes; the body is the application's, until it has answered."""
        state = self.conn.their_state
        is_waiting = state is h11.IDLE or (state is h11.SEND_BODY and self.conn.our_state is h11.DONE)
        if is_waiting and self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self.transport.close)
        elif not is_waiting and self._late is not None:
            self._late.cancel()
            self._late = None


class HTTPServer(uvicorn.Server):
    """uvicorn, without its own ideas of what a signal means."""

    def __init__(self, app: 'ASGIApp') -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=_Connection,
                ws='none',
                lifespan='off',
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=int(CLOSING_SECONDS),
            )
        )

    def capture_signals(self) -> nullcontext[None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Leave the signals to the program."""
        return nullcontext()

    def stop_accepting(self) -> None:
        """Close the listening sockets; what is connected stays."""
        for server in getattr(self, 'servers', ()):  # none where it is told to stop before it has begun
            server.close()


def listen(settings: Settings) -> 'socket':
    """A listening socket; raises `ConfigurationError` if the address is taken, or not this machine's."""
    import socket

    host, port = settings.mcp_host, settings.mcp_summarizer_port
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    # asyncio sends small pieces at once only where it knows for TCP what it accepts from.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, os.name == 'posix')
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise ConfigurationError(
            f'MCP_HOST={host} MCP_SUMMARIZER_PORT={port}: cannot listen there: {error.strerror or error}'
        ) from None
    return listener


def is_loopback(host: str) -> bool:
    """Return whether a host, with or without a port, is this machine by its name or number."""
    try:
        name = host if host.count(':') > 1 and not host.startswith('[') else urlsplit(f'//{host}').hostname or ''
        address = ip_address('127.0.0.1' if name == 'localhost' else name)
    except ValueError:
        return False
    # How a socket for both versions of IP names those who come by the older one.
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
