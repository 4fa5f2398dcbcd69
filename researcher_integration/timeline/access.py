"""Who may read timelines: whoever has the token; without one, this machine alone."""

import hmac
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response

from summarizer_tool import ConfigurationError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


def required(token: SecretStr | str | None) -> bytes | None:
    """The bearer token that requests must have, as they send it; none where only this machine is served."""
    if token is None:
        return None
    value = (token if isinstance(token, str) else token.get_secret_value()).strip()
    if not value:
        raise ConfigurationError('the token of the timeline is empty; set one, or none to serve this machine alone')
    return value.encode()


class Access:
    """The ASGI application in front of all others: refuses whoever may not read.

    `token` is what `required` says of it; what stands under `open_paths` is the same for everybody, and needs none.
    """

    def __init__(self, app: 'ASGIApp', *, token: bytes | None, open_paths: frozenset[str]) -> None:
        self._app = app
        self._token = token
        self._open_paths = open_paths

    async def __call__(self, scope: 'Scope', receive: 'Receive', send: 'Send') -> None:
        """Answer one request, or pass it on."""
        response = self._refusal(HTTPConnection(scope)) if scope['type'] == 'http' else None
        if response is not None:
            await response(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, request: HTTPConnection) -> Response | None:
        if self._token is None:
            error = 'without a token only this machine is served; set one to serve others'
            return None if _is_of_this_machine(request) else JSONResponse({'error': error}, 403)
        # Below a prefix, where the application is mounted.
        path = request.scope['path'].removeprefix(request.scope.get('root_path', ''))
        if path in self._open_paths:
            return None
        given = request.headers.get('authorization', '')
        scheme, _, token = given.partition(' ')
        is_right = hmac.compare_digest(token.strip().encode('latin-1'), self._token)
        return None if is_right and scheme.lower() == 'bearer' else _unauthorized(is_given=bool(given))


def _is_of_this_machine(request: HTTPConnection) -> bool:
    """Return whether a request comes from this machine, and is meant for it.

    A page of another site that has its name point to this machine sends that name as Host or as Origin.
    """
    names = [request.headers.get('host', '')]
    if 'origin' in request.headers:
        names.append(urlsplit(request.headers['origin']).netloc)
    # None over a socket of the file system.
    return all(is_loopback(name) for name in names) and (request.client is None or is_loopback(request.client.host))


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


def _unauthorized(*, is_given: bool) -> Response:
    description = 'the token is not the right one' if is_given else 'send Authorization: Bearer <token>'
    error = 'invalid_token' if is_given else 'unauthorized'
    challenge = f'Bearer realm="timeline", error="{error}", error_description="{description}"'
    return JSONResponse({'error': description}, 401, {'WWW-Authenticate': challenge, 'Cache-Control': 'no-store'})
