"""Events as server-sent events: one response that lasts as long as there is something to come."""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from anyio import CancelScope
from anyio.lowlevel import checkpoint
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError

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

_SEPARATORS = str.maketrans({separator: f'\\u{ord(separator):04x}' for separator in '\u0085\u2028\u2029'})

_logger = logging.getLogger('researcher_integration')


class EventStream(EventSourceResponse):
    """The response to somebody who follows a run.

    The last event is `end` when the run has ended; `lagging` when the client was too slow, and `failed` when the log
    cannot be read: then it may come back.
    """

    def __init__(self, events: AsyncGenerator[TimelineEvent], after: int, open_streams: 'set[EventStream]') -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - a bare dict
            self._blocks(events, after),
            headers={'X-Content-Type-Options': 'nosniff'},
            ping=HEARTBEAT_SECONDS,
            ping_message_factory=lambda: ServerSentEvent(comment='still here', sep='\n'),
            send_timeout=STALLED_SECONDS,
            sep='\n',
        )
        self._open_streams = open_streams
        self._connection = CancelScope()

    async def __call__(self, scope: 'Scope', receive: 'Receive', send: 'Send') -> None:
        """Send everything."""
        self._open_streams.add(self)
        try:
            with self._connection:
                await super().__call__(scope, receive, send)
            if self.active:  # neither has everything been sent, nor has the client gone
                await send({'type': 'http.response.body', 'body': b'', 'more_body': False})
        except SendTimeoutError:
            _logger.info('a client of a timeline takes nothing of what is sent to it')
        finally:
            self._open_streams.discard(self)

    def close(self) -> None:
        """End it; a client that wants more comes back."""
        self._connection.cancel()

    async def _blocks(self, events: AsyncGenerator[TimelineEvent], after: int) -> AsyncGenerator[ServerSentEvent]:
        yield ServerSentEvent(retry=RETRY_MILLISECONDS, sep='\n')
        last = 'end'
        try:
            async with aclosing(events):
                async for event in events:
                    # On one line, also for clients that end lines where Unicode does.
                    body = encoded(event).decode().translate(_SEPARATORS)
                    yield ServerSentEvent(body, id=str(event.seq), event=event.type, sep='\n')
                    after = event.seq
                    # Many events in a row should not keep others from being served.
                    await checkpoint()
        except SlowSubscriberError:
            last = 'lagging'
        except StoreError as error:
            _logger.warning('a timeline cannot be read', extra={'error': str(error)})
            last = 'failed'
        # Where the client can go on: the last sequence number that it got.
        yield ServerSentEvent(f'{{"after":{after}}}', event=last, sep='\n')
