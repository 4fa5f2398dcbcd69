"""Events as server-sent events: one response that lasts as long as there is something to come."""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

import anyio
from anyio import CancelScope, create_task_group
from anyio.lowlevel import checkpoint
from pydantic import BaseModel

from researcher_integration.timeline.broker import SlowSubscriberError
from researcher_integration.timeline.events import TimelineEvent, encoded
from summarizer_tool import StoreError

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

HEARTBEAT_SECONDS = 15.0
"""Proxies close connections on which nothing is said; a client that hears nothing for longer knows that it is lost."""

STALLED_SECONDS = 60.0
"""A client that takes nothing of what is sent to it for so long has gone."""

RETRY_MILLISECONDS = 1000
"""After which a browser that has lost the connection comes back."""

_HEADERS = [
    (b'content-type', b'text/event-stream; charset=utf-8'),
    (b'cache-control', b'no-store'),
    (b'x-accel-buffering', b'no'),
    (b'x-content-type-options', b'nosniff'),
]

_SEPARATORS = [(separator.encode(), b'\\u%04x' % ord(separator)) for separator in '\u0085\u2028\u2029']

_logger = logging.getLogger('researcher_integration')


class End(BaseModel):
    """The last that a client hears: why nothing comes any more, and where it can go on."""

    after: int
    """The last sequence number that it got."""


class EventStream:
    """The response to somebody who follows a run.

    The last event is `end` when the run has ended; `lagging` when the client was too slow, and `failed` when the log
    cannot be read: then it may come back.

    Args:
        events: What is sent.
        after: The sequence number that they begin after.
        open_streams: Where this one is found while it lasts.
    """

    def __init__(self, events: AsyncGenerator[TimelineEvent], after: int, open_streams: 'set[EventStream]') -> None:
        self._events = events
        self._after = after
        self._open_streams = open_streams
        self._connection = CancelScope()
        self._is_lost = False
        self._sending = anyio.Lock()
        self._spoke_at = 0.0

    async def __call__(self, scope: 'Scope', receive: 'Receive', send: 'Send') -> None:
        """Send everything."""
        self._open_streams.add(self)
        try:
            await self._send(send, {'type': 'http.response.start', 'status': 200, 'headers': _HEADERS})
            async with aclosing(self._events), create_task_group() as tasks:
                with self._connection:
                    tasks.start_soon(self._until_gone, receive)
                    tasks.start_soon(self._beat, send)
                    await self._say(send, b'retry: %d\n\n' % RETRY_MILLISECONDS)
                    await self._tell(send)
                tasks.cancel_scope.cancel()
            if not self._is_lost:
                await self._send(send, {'type': 'http.response.body', 'body': b'', 'more_body': False})
        finally:
            self._open_streams.discard(self)

    def close(self) -> None:
        """End it; a client that wants more comes back."""
        self._connection.cancel()

    async def _tell(self, send: 'Send') -> None:
        last = 'end'
        try:
            async for event in self._events:
                await self._say(send, _block(event))
                self._after = event.seq
                # Many events in a row should not keep others from being served.
                await checkpoint()
        except SlowSubscriberError:
            last = 'lagging'
        except StoreError as error:
            _logger.warning('a timeline cannot be read', extra={'error': str(error)})
            last = 'failed'
        ending = End(after=self._after).model_dump_json()
        await self._say(send, f'event: {last}\ndata: {ending}\n\n'.encode())

    async def _beat(self, send: 'Send') -> None:
        while True:
            due = self._spoke_at + HEARTBEAT_SECONDS - anyio.current_time()
            if due <= 0:
                await self._say(send, b': still here\n\n')
            else:
                await anyio.sleep(due)

    async def _say(self, send: 'Send', body: bytes) -> None:
        await self._send(send, {'type': 'http.response.body', 'body': body, 'more_body': True})

    async def _send(self, send: 'Send', message: dict[str, object]) -> None:
        async with self._sending:
            self._spoke_at = anyio.current_time()
            with anyio.move_on_after(STALLED_SECONDS) as patience:
                await send(message)
        if patience.cancelled_caught:
            self._leave()

    async def _until_gone(self, receive: 'Receive') -> None:
        while (await receive())['type'] != 'http.disconnect':
            pass
        self._leave()

    def _leave(self) -> None:
        self._is_lost = True
        self.close()


def _block(event: TimelineEvent) -> bytes:
    """An event as it is sent: its JSON on one line, also for clients that end lines where Unicode does."""
    body = encoded(event)
    for separator, escape in _SEPARATORS:
        body = body.replace(separator, escape)
    return b'id: %d\nevent: %s\ndata: %s\n\n' % (event.seq, event.type.encode(), body)
