"""MCP over streamable HTTP: who may come in, and what is known of each request."""

import hashlib
import hmac
import logging
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

import anyio
from anyio import CancelScope, Event, Semaphore
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INVALID_REQUEST
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from summarizer_tool.runtime.executors import in_io_thread
from summarizer_tool.server.calls import is_message, with_whole_characters
from summarizer_tool.server.front import PATH
from summarizer_tool.settings import Settings
from summarizer_tool.store.source import DEFAULT_COLLECTION

if TYPE_CHECKING:
    from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http import StreamableHTTPServerTransport
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEALTH = '/health'

LOCAL_HOSTS = ('127.0.0.1', 'localhost', '[::1]')

ESCAPED = 6  # bytes that JSON may need for one byte of text: a control character becomes `\u0007`
SLACK_BYTES = 1_000_000  # of a request body: for all that is not content
MAX_SESSIONS = 1000  # of clients of older protocol versions; newer ones need none
STALLED_SECONDS = 60.0  # a client that takes nothing of what is sent to it for so long has gone

INVALID = 'the body must be one JSON-RPC message, its id a string or integer'
"""The answer to a body that is no message, in place of all that the SDK's validation has to say."""

TOO_LARGE = (
    'the request is too large: SUMMARIZER_MAX_INPUT_MB={:g}; send less text at once, give its URL to add_source, '
    'or raise the limit'
)

TOO_SLOW = 'the body did not come in time; send it again'

MODERN = '2026'  # protocol versions from then on have no sessions
MAX_SHOWN = 100  # characters of a header that a log line repeats

BODY_SECONDS = 30.0
BODY_BYTES_A_SECOND = 20_000
"""A body may take so long, and this much more for its size; what comes more slowly is refused."""

WRONG_TOKENS = 10  # in a minute from one address; further ones are answered after a wait

WRONG_TOKEN_SECONDS = 1.0
WAITING_WRONG_TOKENS = 50
"""How long that wait is, and how many wait at once; more are refused with 429."""

_logger = logging.getLogger('summarizer_tool')


def collection_of(token: str) -> str:
    """The collection that belongs to a token: a hash, from which nobody gets back to the token."""
    return 'token-' + hashlib.sha256(token.encode()).hexdigest()[:16]


def hosts_of(settings: Settings) -> frozenset[str]:
    """The hosts that clients may name, against DNS rebinding: local ones, and those of the settings; `:*` any port."""
    own = settings.mcp_host if ':' not in settings.mcp_host else f'[{settings.mcp_host}]'
    names = [*LOCAL_HOSTS, *([own] if own not in ('0.0.0.0', '[::]', '') else [])]  # noqa: S104 - compared, not bound
    hosts = (*names, *(f'{name}:*' for name in names), *settings.mcp_allowed_hosts)
    return frozenset(host.lower() for host in hosts)


_SCHEME = re.compile('^https?://')
_PORT = re.compile(r':\d+$')


def wrong_header(request: Request, hosts: frozenset[str]) -> str:
    """Which of Host and Origin names a host that is none of those; nothing if both are right."""
    headers = request.headers
    named = {'Host': headers.get('host', '').lower(), 'Origin': _SCHEME.sub('', headers.get('origin', '').lower(), 1)}
    if not named['Origin']:  # a program sends none
        del named['Origin']
    wrong = (name for name, host in named.items() if hosts.isdisjoint((host, _PORT.sub(':*', host), '*')))
    return next(wrong, '')


def token_in(authorization: bytes, tokens: Sequence[bytes]) -> bytes | None:
    """Which of the tokens an Authorization header has, if any; each is compared, in a time that says nothing of it."""
    scheme, _, given = authorization.partition(b' ')
    given = given.strip()
    found = [token for token in tokens if hmac.compare_digest(token, given)]
    return found[0] if found and scheme.lower() == b'bearer' else None


@dataclass(slots=True)
class Arrival:
    """What is known of a request besides its content; the tools find it in the scope."""

    at: float
    """By the event loop's clock."""
    collection: str
    lost: Event = field(default_factory=Event)
    """Set when the client has gone."""


def arrival(request: object) -> Arrival | None:
    """What is known of a request; None on stdio."""
    return request.scope.get('summarizer.arrival') if isinstance(request, Request) else None


class Gate:
    """The ASGI application: health for everybody, MCP for those who may."""

    def __init__(self, settings: Settings, app: 'ASGIApp', *, knows: Callable[[str], bool] = lambda _: True) -> None:
        """Args: app: The MCP endpoint. knows: Whether there is a session of that id."""
        self._app = app
        self._knows = knows
        self._wrong_since = 0.0
        self._wrong: Counter[str] = Counter()
        self._waiting = Semaphore(WAITING_WRONG_TOKENS)
        self._tokens = [token.get_secret_value().encode() for token in settings.mcp_auth_token]
        self._is_shared = settings.mcp_shared_collection
        self._hosts = hosts_of(settings)
        self._max_input_mb = settings.max_input_mb
        self._streams: set[CancelScope] = set()

    async def __call__(self, scope: 'Scope', receive: 'Receive', send: 'Send') -> None:
        """Answer one request."""
        if scope['type'] != 'http':
            return
        is_health = scope['path'].rstrip('/') == HEALTH
        response = _health(scope['method']) if is_health else await self._refusal(scope)
        if response is not None:
            await response(scope, receive, send)
        else:
            await self._pass_on(scope, receive, send)

    def close_streams(self) -> None:
        """End the streams that clients keep open to listen, which otherwise end with the client."""
        for scope in self._streams:
            scope.cancel()

    async def _refusal(self, scope: 'Scope') -> Response | None:
        if scope['path'].rstrip('/') != PATH:
            return JSONResponse({'error': f'there is nothing here; MCP is at {PATH}, health at {HEALTH}'}, 404)
        authorization = next((value for name, value in scope['headers'] if name == b'authorization'), b'')
        token = token_in(authorization, self._tokens)
        if self._tokens and token is None:
            _logger.warning('a request without a valid token is refused')
            if authorization and not await self._may_answer((scope.get('client') or ('',))[0]):
                return JSONResponse({'error': 'too many wrong tokens'}, 429, {'Retry-After': '60'})
            return _unauthorized(is_given=bool(authorization))
        request = Request(scope)
        if header := wrong_header(request, self._hosts):
            _logger.warning(
                'a request is refused because of its %s header; if that is right, name the host in MCP_ALLOWED_HOSTS',
                header,
                extra={'header': header, 'value': ascii(request.headers.get(header, ''))[1:-1][:MAX_SHOWN]},
            )
            what = f'Invalid {header} header: local ones are accepted, and those that MCP_ALLOWED_HOSTS names'
            return PlainTextResponse(what, 421 if header == 'Host' else 403)
        session = request.headers.get('mcp-session-id')
        is_modern = request.headers.get('mcp-protocol-version', '') >= MODERN  # which has no sessions
        if session is not None and not is_modern and not self._knows(session):
            # In the words of the SDK, which says so once it has read the body.
            return _refused('Session not found', 404)
        declared = request.headers.get('content-length', '')
        if declared.isdecimal() and self._is_large(int(declared) / ESCAPED):
            return _refused(TOO_LARGE.format(self._max_input_mb), 413)
        own = collection_of(token.decode()) if token else DEFAULT_COLLECTION
        collection = DEFAULT_COLLECTION if self._is_shared else own
        scope['summarizer.arrival'] = Arrival(anyio.current_time(), collection)
        if token:
            # A session belongs to whoever has opened it: the SDK compares this user.
            scope['user'] = AuthenticatedUser(AccessToken(token='', client_id=own, scopes=[]))
        return None

    async def _may_answer(self, host: str) -> bool:
        """Count a wrong token, and wait where there were many; False where too many wait. The right one never waits."""
        if anyio.current_time() - self._wrong_since > 60:
            self._wrong_since = anyio.current_time()
            self._wrong.clear()
        self._wrong[host] += 1
        if self._wrong[host] > WRONG_TOKENS:
            if not self._waiting.value:
                return False
            async with self._waiting:
                await anyio.sleep(WRONG_TOKEN_SECONDS)
        return True

    def _is_large(self, size: float) -> bool:
        return size > self._max_input_mb * 1e6 + SLACK_BYTES

    async def _pass_on(self, scope: 'Scope', receive: 'Receive', send: 'Send') -> None:
        lost = scope['summarizer.arrival'].lost
        body = await self._body(receive) if scope['method'] == 'POST' else b''
        if isinstance(body, Response):
            await body(scope, receive, send)
            return
        coming: list[Message] = [{'type': 'http.request', 'body': body, 'more_body': False}]

        async def take() -> 'Message':
            message = coming.pop() if coming else await receive()
            if message['type'] == 'http.disconnect':
                lost.set()
            return message

        out = _Outgoing(send, lost)
        with out.scope:
            if scope['method'] == 'GET':
                self._streams.add(out.scope)
            try:
                await self._app(scope, take, out.send)
            finally:
                self._streams.discard(out.scope)
        await out.close()

    async def _body(self, receive: 'Receive') -> bytes | Response:
        """The body, which comes in time and is not too large, else why it is refused."""
        started = anyio.current_time()
        parts: list[bytes] = []
        size = escapes = 0
        message: Message = {'more_body': True}
        while message.get('more_body', False):
            seconds = BODY_SECONDS + size / BODY_BYTES_A_SECOND - (anyio.current_time() - started)
            message = {'type': 'http.disconnect'}
            with anyio.move_on_after(max(0.0, seconds)):
                message = await receive()
            if message['type'] == 'http.disconnect':  # where the client has gone nobody hears it
                return _refused(TOO_SLOW, 408)
            parts.append(message.get('body', b''))
            size += len(parts[-1])
            escapes += parts[-1].count(b'\\')
            if self._is_large(max(size - (ESCAPED - 1) * escapes, size / ESCAPED)):
                return _refused(TOO_LARGE.format(self._max_input_mb), 413)
        # One of several parts takes longer to look at than the event loop should wait.
        body = _looked_at(*parts) if len(parts) == 1 else await in_io_thread(_looked_at, *parts)
        return _refused(INVALID, 400) if body is None else body


def _looked_at(*parts: bytes) -> bytes | None:
    text = with_whole_characters(b''.join(parts).decode('utf-8', 'replace'))
    return text.encode() if is_message(text) else None


@dataclass(eq=False, slots=True)
class _Outgoing:
    """The response to one request, which never waits for ever."""

    _send: 'Send'
    _lost: Event
    scope: CancelScope = field(default_factory=CancelScope)
    _is_open: bool = False

    async def send(self, message: 'Message') -> None:
        with anyio.move_on_after(STALLED_SECONDS) as stalled:
            self._is_open = message['type'] == 'http.response.start' or message.get('more_body', False)
            await self._send(message)
        if stalled.cancelled_caught:
            self._lost.set()
            self.scope.cancel()
            self._is_open = False

    async def close(self) -> None:
        """End a stream that was cut short."""
        if self._is_open:
            await self._send({'type': 'http.response.body', 'body': b'', 'more_body': False})


def _health(method: str) -> Response:
    is_right = method in ('GET', 'HEAD')
    return JSONResponse({'status': 'ok'}) if is_right else JSONResponse({'error': 'use GET'}, 405, {'Allow': 'GET'})


def _refused(message: str, status: int) -> Response:
    """An error of JSON-RPC that answers no request in particular."""
    error = {'code': INVALID_REQUEST, 'message': message}
    return JSONResponse({'jsonrpc': '2.0', 'id': None, 'error': error}, status, {'Connection': 'close'})


def _unauthorized(*, is_given: bool) -> Response:
    description = 'the token is not one of MCP_AUTH_TOKEN' if is_given else 'send Authorization: Bearer <token>'
    error = 'invalid_token' if is_given else 'unauthorized'
    challenge = f'Bearer realm="summarizer", error="{error}", error_description="{description}"'
    return JSONResponse({'error': error, 'error_description': description}, 401, {'WWW-Authenticate': challenge})


class Sessions(StreamableHTTPSessionManager):
    """The MCP endpoint, whose `run` keeps the sessions."""

    def __init__(self, settings: Settings, server: 'Server[None]') -> None:
        super().__init__(server, stateless=settings.mcp_stateless, max_sessions=MAX_SESSIONS)
        self.asgi_app = self._handle_request  # `Gate` has read the body, and bounded it

    def _admit_session(self, requestor: 'AuthorizationContext | None') -> 'StreamableHTTPServerTransport | None':
        """Where there are too many, end one of whoever has most, the longest idle: nobody shuts others out."""
        opened = self._server_instances
        if len(opened) >= MAX_SESSIONS:
            owner = {session: str(self._session_owners.get(session)) for session in opened}
            held = Counter(owner.values())
            idle = [
                (-held[owner[session]], scope.deadline, session)
                for session, transport in opened.items()
                if (scope := transport.idle_scope) is not None and scope.deadline < inf
            ]
            if idle and (scope := opened.pop(min(idle)[2]).idle_scope):
                scope.cancel()
        return super()._admit_session(requestor)

    def knows(self, session: str) -> bool:
        """Return whether a request of that session is worth reading."""
        return self.stateless or session in self._server_instances
