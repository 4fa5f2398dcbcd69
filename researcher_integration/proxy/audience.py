"""The clients of the proxy: who is told when a server has something to tell."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias, get_args

import anyio
from mcp.server.connection import allowed_log_levels
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ServerEvent
from mcp.shared.subscriptions import event_to_notification
from mcp_types import (
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    RequestId,
    ServerNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.requests import Request

Context: TypeAlias = ServerRequestContext[Any, Any]

LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)

MAX_CLIENTS = 1000
"""Sessions that are told; the one that has asked nothing for longest is forgotten, since many end without a word."""

SEND_SECONDS = 5.0
"""For a client to take what it is told: who does not read misses it, and keeps nobody else from hearing."""


@dataclass(slots=True)
class _Client:
    session: ServerSession
    level: LoggingLevel | None = None


@dataclass(slots=True)
class Audience:
    """All clients. Those of the newer protocol listen to `bus`, and get log messages with the calls that want them."""

    bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    _clients: dict[str, _Client] = field(default_factory=dict[str, _Client])
    _calling: dict[int, tuple[str, Context]] = field(default_factory=dict[int, tuple[str, Context]])

    def joins(self, context: Context) -> None:
        """Take in a client that has begun a session."""
        self._clients[_key(context)] = _Client(context.session)
        while len(self._clients) > MAX_CLIENTS:
            del self._clients[next(iter(self._clients))]

    def wants_logs(self, context: Context, level: LoggingLevel) -> LoggingLevel:
        """Take note of the level a client wants; returns the least severe that any of them wants."""
        client = self._clients.get(_key(context))
        if client is not None:
            client.level = level
        wanted = [each.level for each in self._clients.values() if each.level is not None]
        return min([level, *wanted], key=LEVELS.index)

    @contextmanager
    def calling(self, server: str, context: Context) -> Generator[None]:
        """For the length of the block a client waits for an answer of a server."""
        if (client := self._clients.pop(_key(context), None)) is not None:
            self._clients[_key(context)] = client
        key = id(context)
        self._calling[key] = (server, context)
        try:
            yield
        finally:
            del self._calling[key]

    def caller(self, server: str) -> Context | None:
        """The client whose calls a server works on; none where there is none, or it could be one of several."""
        contexts = [context for called, context in self._calling.values() if called == server]
        # On stdio there is one client; over HTTP one without a session could be any.
        clients = {_key(each) or (each.request and id(each)) for each in contexts}
        return contexts[-1] if len(clients) == 1 else None

    async def changed(self, event: ServerEvent) -> None:
        """Tell all of a list that has changed."""
        await self.bus.publish(event)
        await _send([(client.session, None) for client in self._clients.values()], event_to_notification(event, {}))

    async def logs(self, server: str, params: LoggingMessageNotificationParams) -> None:
        """Pass on a log message to those who want it."""
        severity = LEVELS.index(params.level)
        wanting: list[tuple[ServerSession, RequestId | None]] = [
            (client.session, None)
            for client in self._clients.values()
            if client.level is None or severity >= LEVELS.index(client.level)
        ]
        wanting += [
            (context.session, context.request_id)
            for called, context in self._calling.values()
            if called == server
            and context.protocol_version in MODERN_PROTOCOL_VERSIONS
            and params.level in allowed_log_levels(context.protocol_version, context.meta)
        ]
        await _send(wanting, LoggingMessageNotification(params=params))


async def _send(sessions: Sequence[tuple[ServerSession, RequestId | None]], notification: ServerNotification) -> None:
    """Tell each session, beside an answer that it waits for if there is one."""

    async def tell(session: ServerSession, related: RequestId | None) -> None:
        with anyio.move_on_after(SEND_SECONDS):
            await session.send_notification(notification, related_request_id=related)

    async with anyio.create_task_group() as tasks:
        for session, related in sessions:
            tasks.start_soon(tell, session, related)


def _key(context: Context) -> str:
    request: object = context.request
    return request.headers.get('mcp-session-id', '') if isinstance(request, Request) else ''
