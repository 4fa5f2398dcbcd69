"""Fetch a URL that a model or a stranger has named, without becoming their way into the network around us.

pydantic-ai has such rules, but `web_fetch_tool`, its public door, gives finished markdown and no raw bytes, allows all
private addresses or none, and has neither a total timeout nor a limit on redirects; `models.download_item` fixes the
size as well. So this is a thin one on httpx2.

A name is resolved once for each hop, all its addresses are checked, and the connection goes to one of these; the
certificate and the `Host` header are the name's.
"""

import socket
import ssl
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version
from ipaddress import ip_address
from math import inf
from urllib.parse import unquote

import anyio
import anyio.to_thread
import httpx2
import regex
from anyio import CancelScope

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.reading import title_of
from summarizer_tool.errors import FetchError
from summarizer_tool.formats import reading as formats
from summarizer_tool.formats.files import GivenSource
from summarizer_tool.html.titles import title_line
from summarizer_tool.runtime.executors import in_process
from summarizer_tool.settings import Settings, variable
from summarizer_tool.text.addresses import shown
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.structure import LONGEST_TITLE
from summarizer_tool.web.public_addresses import CLOUD_METADATA, kind_of
from summarizer_tool.web.response_body import read_body

ACCEPT = 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, application/pdf;q=0.7, */*;q=0.5'

_USER_AGENT = f'summarizer-tool/{version("summarizer-tool")}'

_REFUSED = ': the site refuses programs, or asks for a login'
"""What HTTP 401 and 403 mean."""

_MAX_REDIRECTS = 5

_PORTS = {'http': 80, 'https': 443}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HOST = regex.compile(r'[a-z0-9._-]+|[0-9a-f:.]*:[0-9a-f:.]*')
_SCHEME = regex.compile(r'[a-z][a-z0-9+.-]{0,19}')


MayFetch = Callable[[str], Awaitable[None]]
"""Takes a URL, without user info and fragment, before it is asked for; raises a `FetchError` to refuse it."""


@dataclass(frozen=True, slots=True)
class Response:
    """What a URL answered, whatever its status."""

    status: int
    body: bytes = b''
    """Decompressed; empty where the status is not one of success."""
    content_type: str = ''
    location: str = ''
    """Where a redirect leads."""


async def fetch(url: str, settings: Settings, *, may_fetch: MayFetch | None = None) -> GivenSource:
    """Fetch a page over HTTP and make text of it: markdown of an HTML page or a document, any other text as it is.

    It is called as it calls itself, by the heading it begins with, or else by the last part of the URL's path, or the
    host. Its URL is that which answered, after redirects; URLs have no user info and no fragment.

    `may_fetch` is asked before each request, redirects included; what it takes does not count in the time limit.

    Raises:
        FetchError: If the URL is refused, does not answer well or in time, is too large, or holds no text. It names
            host and path, never the query.
    """
    target = _parse(url)
    with _in_time(target, settings) as scope:
        final, answer = await _follow(target, settings, settings.fetch_max_mb, _asking(may_fetch, scope))
        if not 200 <= answer.status < 300:
            why = _REFUSED if answer.status in (401, 403) else ''
            raise FetchError(f'{_shown(final)} answered HTTP {answer.status}{why}', status=answer.status)
        try:
            page = await in_process(formats.read, answer.body, answer.content_type, str(final))
        except FetchError as error:
            raise FetchError(f'{_shown(final)} {error}') from None
    title = one_line(page.title or title_of(page.markdown) or _name(final), LONGEST_TITLE)
    document = Document(page.markdown, title=title, url=str(final))
    return GivenSource(document, page, datetime.now(UTC), (str(target), str(final)))


async def get(url: str, settings: Settings, *, max_mb: float) -> Response:
    """Ask for a URL by the rules of `fetch`, and take the answer as it is, whatever its status, up to `max_mb`."""
    target = _parse(url)
    with _in_time(target, settings) as scope:
        _, answer = await _follow(target, settings, max_mb, _asking(None, scope))
    return answer


@contextmanager
def _in_time(url: httpx2.URL, settings: Settings) -> Generator[CancelScope]:
    seconds = settings.fetch_timeout_seconds
    try:
        with anyio.fail_after(seconds) as scope:
            yield scope
    except TimeoutError:
        limit = f'{variable("fetch_timeout_seconds")}={seconds:g}'
        raise FetchError(f'{_shown(url)} took longer than {limit} seconds') from None


def _asking(may_fetch: MayFetch | None, scope: CancelScope) -> MayFetch:
    """Asks whether a URL may be fetched; to wait for one's turn is not the site's slowness."""

    async def ask(url: str) -> None:
        if may_fetch is None:
            return
        end, scope.deadline = scope.deadline, inf
        began = anyio.current_time()
        await may_fetch(url)
        scope.deadline = end + anyio.current_time() - began

    return ask


async def _follow(
    url: httpx2.URL, settings: Settings, max_mb: float, may_fetch: MayFetch
) -> tuple[httpx2.URL, Response]:
    first = url
    for _ in range(_MAX_REDIRECTS + 1):
        # First, so that what is wrong with a host is said as such, and not as what is wrong with its robots.txt.
        addresses = await _checked_addresses(url, settings)
        await may_fetch(str(url))
        answer = await _get(url, addresses, settings, max_mb)
        if not answer.location:
            return url, answer
        try:
            following = _parse(str(url.join(answer.location)))
        except (FetchError, httpx2.InvalidURL, ValueError) as error:
            reason = str(error) if isinstance(error, FetchError) else 'the URL is not valid'
            raise FetchError(f'{_shown(url)} redirects to where it cannot be followed: {reason}') from None
        if url.scheme == 'https' and following.scheme == 'http':
            raise FetchError(f'{_shown(url)} redirects from https to http, which is not followed')
        url = following
    raise FetchError(f'{_shown(first)} redirects more than {_MAX_REDIRECTS} times')


def _parse(text: str) -> httpx2.URL:
    """The URL without its fragment, its host in the form the resolver takes; an error quotes nothing but the scheme."""
    try:
        url = httpx2.URL(text.strip())
        host = _canonical(url)
        secret = bool(url.userinfo)
        url = url.copy_with(fragment=None, username=None, password=None)
        if _HOST.fullmatch(host):
            url = url.copy_with(host=host)
    except (httpx2.InvalidURL, ValueError):
        raise FetchError('the URL is not valid; give one like https://example.org/page') from None
    if url.scheme not in _PORTS:
        what = f'{url.scheme} URLs are' if _SCHEME.fullmatch(url.scheme) else 'this is'
        raise FetchError(f'{what} not fetched; give one that begins with http:// or https://')
    if not _HOST.fullmatch(host) or not 0 < _port(url) < 1 << 16:
        raise FetchError('the URL has no valid host and port; give one like https://example.org/page')
    if secret:
        raise FetchError(f'the URL of {_shown(url)} holds a user name or password, which are never sent; remove them')
    return url


def _canonical(url: httpx2.URL) -> str:
    """The host as the resolver takes it and the allow-list names it: without the root's dot, IPv6 in its short form."""
    host = _host(url).removesuffix('.')
    return _address(host) or host


def _port(url: httpx2.URL) -> int:
    return _PORTS[url.scheme] if url.port is None else url.port


def _host(url: httpx2.URL) -> str:
    # `URL.host` would turn Punycode back into Unicode.
    return url.raw_host.decode('ascii')


def _host_and_port(url: httpx2.URL) -> str:
    host = _canonical(url)
    return f'{f"[{host}]" if ":" in host else host}:{url.port or _PORTS.get(url.scheme)}'


def _shown(url: httpx2.URL) -> str:
    """Host and path for an error, printable and short: a query may hold a secret."""
    return shown(str(url))


def _name(url: httpx2.URL) -> str:
    last = url.raw_path.partition(b'?')[0].decode('ascii').rstrip('/').rpartition('/')[2]
    return title_line(unquote(last, errors='replace')) or _host(url)


async def _get(url: httpx2.URL, addresses: list[str], settings: Settings, max_mb: float) -> Response:
    """One hop: a connection of its own to one of the checked addresses, and the body, within the limits."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if url.scheme == 'https':  # to read the certificate authorities takes longer than the event loop should wait
        context = await anyio.to_thread.run_sync(_trusted)
    # The transport alone: no cookies, credentials, proxies of the environment, or log lines with whole URLs. Its own
    # for each hop, since two names at one address must not share a connection, and with it a certificate.
    async with httpx2.AsyncHTTPTransport(verify=context, trust_env=False) as transport:
        try:
            response = await _send(transport, url, addresses, settings)
            try:
                return await _answer(response, max_mb)
            except FetchError as error:
                raise FetchError(f'{_shown(url)} {error}') from None
            finally:
                await response.aclose()
        except httpx2.RequestError as error:
            # Without its cause: that may quote the URL.
            raise FetchError(f'{_shown(url)} {_why(error)}') from None


async def _send(
    transport: httpx2.AsyncHTTPTransport, url: httpx2.URL, addresses: list[str], settings: Settings
) -> httpx2.Response:
    """Ask one address after the other until one takes the connection."""
    host = _host(url)
    extensions: dict[str, object] = {
        # An address that does not answer leaves time for the others.
        'timeout': httpx2.Timeout(None, connect=settings.fetch_timeout_seconds / len(addresses)).as_dict()
    }
    if not _address(host):
        extensions['sni_hostname'] = host
    headers = {
        'Host': url.netloc.decode('ascii'),
        'User-Agent': _USER_AGENT,
        'Accept': ACCEPT,
        # What else there is cannot be measured while it is decompressed.
        'Accept-Encoding': 'gzip',
    }
    failure: httpx2.RequestError | None = None
    for address in addresses:
        request = httpx2.Request('GET', url.copy_with(host=address), headers=headers, extensions=extensions)
        try:
            return await transport.handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            failure = error
    raise failure or httpx2.ConnectError('no address')


async def _answer(response: httpx2.Response, max_mb: float) -> Response:
    content_type = response.headers.get('content-type', '')
    status = response.status_code
    if status in _REDIRECTS and (location := response.headers.get('location')):
        return Response(status, b'', content_type, location)
    # Of a failure nobody wants to know more.
    body = await read_body(response, max_mb) if 200 <= status < 300 else b''
    return Response(status, body, content_type)


async def _checked_addresses(url: httpx2.URL, settings: Settings) -> list[str]:
    """The addresses of the URL's host, resolved this once; an error if there are none, or one is not to be asked."""
    host = _host(url)
    # It takes addresses in every notation, as `2130706433` or `0x7f.1`, so they are checked as what they are.
    resolve = partial(socket.getaddrinfo, host, _port(url), type=socket.SOCK_STREAM)
    try:
        found = await anyio.to_thread.run_sync(resolve, abandon_on_cancel=True)
    except (OSError, UnicodeError):
        found = []
    addresses = list(dict.fromkeys(str(info[4][0]) for info in found))
    if not addresses:
        raise FetchError(f'{_shown(url)}: the host name cannot be resolved')
    kinds = [kind for address in addresses if (kind := kind_of(address))]
    here = f'{_shown(url)} leads to an address that is not public'
    if CLOUD_METADATA in kinds:
        raise FetchError(f'{here} ({CLOUD_METADATA}) and is never fetched')
    if kinds and _host_and_port(url) not in set(map(_listed, settings.fetch_allow_hosts)):
        way_out = f'{variable("fetch_allow_hosts")}={_host_and_port(url)}'
        raise FetchError(f'{here} ({kinds[0]}); {way_out} would allow it')
    return addresses[:4]  # the others are not tried, but all are checked


def _listed(entry: str) -> str:
    """An entry of the allow-list in the form that URLs have; one without a port allows nothing."""
    try:
        return _host_and_port(httpx2.URL(f'any://{entry}'))
    except (httpx2.InvalidURL, ValueError):
        return ''


def _address(host: str) -> str:
    try:
        return str(ip_address(host))
    except ValueError:
        return ''


_trusted = cache(httpx2.create_ssl_context)
"""The system's certificate authorities, or those in `SSL_CERT_FILE` or `SSL_CERT_DIR`."""


def _why(error: httpx2.RequestError) -> str:
    """What went wrong with a connection, without what the other side has said."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f'has a certificate that does not hold: {cause.verify_message}'
        if isinstance(cause, ssl.SSLError):
            return 'does not speak TLS as it should'
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx2.TimeoutException):
        return 'does not answer'
    if isinstance(error, httpx2.ConnectError):
        return 'cannot be connected to'
    is_cut = isinstance(error, httpx2.NetworkError) or str(error).startswith('peer closed connection')
    return 'broke off its answer' if is_cut else 'does not speak HTTP as it should'
