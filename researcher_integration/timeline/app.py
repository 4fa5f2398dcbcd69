"""The application that shows timelines: events as they happen, the list of runs, and a page for people.

    GET /events?run=…&after=…   server-sent events; `Last-Event-ID` goes before `after`
    GET /runs                   the runs, as JSON
    GET /                       the page
    GET /health

With a token all but the page and health need `Authorization: Bearer <token>`; whoever has it may read all runs. It is
read from no URL, so that it stands in no log. Without one, only this machine is served.
"""

import hmac
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from anyio.lowlevel import checkpoint
from pydantic import SecretStr, TypeAdapter
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from researcher_integration.timeline.broker import Hub
from researcher_integration.timeline.events import TimelineEvent, encoded
from researcher_integration.timeline.log import EventLog, LoggedRun
from summarizer_tool import ConfigurationError, StoreError, is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

HEARTBEAT_SECONDS = 15.0
"""Proxies close connections on which nothing is said; a client that hears nothing for longer knows that it is lost."""

STALLED_SECONDS = 60.0
"""A client that takes nothing of what is sent to it for so long has gone."""

RETRY_MILLISECONDS = 1000
"""After which a browser that has lost the connection comes back."""

_SEPARATORS = str.maketrans({separator: f'\\u{ord(separator):04x}' for separator in '\u0085\u2028\u2029'})


class EventStream(EventSourceResponse):
    """What a follower gets: the events, and at last `end`, or `failed` where the log cannot be read."""

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

    async def __call__(self, scope: 'Scope', receive: 'Receive', send: 'Send') -> None:
        """Send everything."""
        self._open_streams.add(self)
        try:
            await super().__call__(scope, receive, send)
        except SendTimeoutError:
            _logger.info('a client of a timeline takes nothing of what is sent to it')
        finally:
            self._open_streams.discard(self)

    async def _blocks(self, events: AsyncGenerator[TimelineEvent], after: int) -> AsyncGenerator[ServerSentEvent]:
        yield ServerSentEvent(retry=RETRY_MILLISECONDS, sep='\n')
        last = 'end'
        try:
            async with aclosing(events):
                async for event in events:
                    # On one line, also for clients that end lines where Unicode does.
                    body = encoded(event).decode().translate(_SEPARATORS)
                    after = event.seq
                    yield ServerSentEvent(body, id=str(after), event=event.type, sep='\n')
                    # Many events in a row should not keep others from being served.
                    await checkpoint()
        except StoreError as error:
            _logger.warning('a timeline cannot be read', extra={'error': str(error)})
            last = 'failed'
        # Where the client can go on.
        yield ServerSentEvent(f'{{"after":{after}}}', event=last, sep='\n')


MAX_STREAMS = 500

MAX_RUNS = 1000

LARGEST_SEQ = 2**53
"""The largest number that a page counts to."""

_FILES = Path(__file__).parent

_PAGE = {'/': 'page.html', '/page.css': 'page.css', '/page.js': 'page.js'}

_OPEN = frozenset({'/health', *_PAGE})
"""The same for everybody: these need no token."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)

_HEADERS = {
    'Content-Security-Policy': _POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
}

_logger = logging.getLogger('researcher_integration')

_runs: TypeAdapter[list[LoggedRun]] = TypeAdapter(list[LoggedRun])


class Access:
    """The ASGI application in front of all others: refuses whoever may not read."""

    def __init__(self, app: 'ASGIApp', *, token: bytes | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: 'Scope', receive: 'Receive', send: 'Send') -> None:
        """Answer one request, or pass it on."""
        refusal = self._refusal(HTTPConnection(scope)) if scope['type'] == 'http' else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, request: HTTPConnection) -> Response | None:
        if self._token is None:
            # A page of another site that has its name point to this machine sends that name as Host or as Origin.
            origins = [urlsplit(each).netloc for each in request.headers.getlist('origin')]
            names = [request.headers.get('host', ''), *origins]
            client = [request.client.host] if request.client else []  # none over a socket of the file system
            error = 'without a token only this machine is served; set one to serve others'
            return None if all(map(is_loopback, [*names, *client])) else _problem(error, 403)
        # Below a prefix, where the application is mounted.
        path = request.scope['path'].removeprefix(request.scope.get('root_path', ''))
        if path in _OPEN:
            return None
        given = request.headers.get('authorization', '')
        scheme, _, token = given.partition(' ')
        is_right = hmac.compare_digest(token.strip(' ').encode('latin-1'), self._token)
        if is_right and scheme.lower() == 'bearer':
            return None
        error = 'the token is not the right one' if given else 'send Authorization: Bearer <token>'
        headers = {'WWW-Authenticate': 'Bearer realm="timeline"', 'Cache-Control': 'no-store'}
        return JSONResponse({'error': error}, 401, headers)


def timeline_app(source: Hub | EventLog, *, token: SecretStr | str | None = None) -> Starlette:
    """The application; to be run by uvicorn, alone or mounted in another.

    A stream lasts as long as its run, so give the server a time to stop: `timeout_graceful_shutdown`.

    Args:
        source: The timelines of this process; or a log alone, that other processes write.
        token: The bearer token that clients must have; none where only this machine is to be served.

    Raises:
        ConfigurationError: If the token is empty.
    """
    given = token.get_secret_value() if isinstance(token, SecretStr) else token
    if given is not None and not given.strip():
        raise ConfigurationError('the token of the timeline is empty; set one, or none to serve this machine alone')
    secret = given and given.strip().encode()
    pages = _Pages(source if isinstance(source, Hub) else Hub(source))
    return Starlette(
        routes=[
            Route('/events', pages.events),
            Route('/runs', pages.runs),
            Route('/health', _health),
            *(Route(path, _file(name)) for path, name in _PAGE.items()),
        ],
        middleware=[Middleware(Access, token=secret or None)],
        exception_handlers={StoreError: _unreadable},
    )


class _Pages:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.streams: set[EventStream] = set()

    async def events(self, request: Request) -> Response | EventStream:
        run_id = request.query_params.get('run', '')
        after = request.headers.get('last-event-id') or request.query_params.get('after') or '0'
        if not run_id:
            return _problem('run is missing: /events?run=NAME; /runs lists them', 400)
        if not (len(after) <= 20 and after.isascii() and after.isdigit() and int(after) <= LARGEST_SEQ):
            return _problem('after must be a sequence number: 0 for all events, else that of the last one seen', 400)
        run = await self._hub.run(run_id)
        if run is None:
            return _problem('there is no such run, or it is no longer kept; /runs lists those that are', 404)
        if run.is_closed and 'last-event-id' in request.headers and int(after) >= run.last_seq:
            return Response(status_code=204)  # which keeps an EventSource from coming back again and again
        if request.method == 'HEAD':
            return Response(media_type='text/event-stream')
        if len(self.streams) >= MAX_STREAMS:
            return _problem(f'{MAX_STREAMS} clients follow already; try again later', 503)
        return EventStream(self._hub.follow(run_id, int(after)), int(after), self.streams)

    async def runs(self, request: Request) -> Response:
        runs = await self._hub.runs(MAX_RUNS)
        return Response(_runs.dump_json([*runs]), media_type='application/json', headers={'Cache-Control': 'no-store'})


def _health(_: Request) -> Response:
    return JSONResponse({'status': 'ok'})


def _file(name: str) -> Callable[[Request], Response]:
    return lambda _: FileResponse(_FILES / name, headers=_HEADERS)


def _problem(what: str, status: int) -> Response:
    return JSONResponse({'error': what}, status)


async def _unreadable(request: Request, error: Exception) -> Response:
    _logger.warning('the timelines cannot be read', extra={'error': str(error)})
    return _problem('the log cannot be read; the program that serves it says why', 503)
