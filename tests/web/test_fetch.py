"""Fetching, from real servers on loopback: what is refused, where a connection really goes, and what becomes of a page."""

import gzip
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from logging import CRITICAL
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from summarizer_tool import Settings
from summarizer_tool.errors import ConfigurationError, FetchError
from summarizer_tool.html.page import Page
from summarizer_tool.web import fetch as fetching
from summarizer_tool.web import response_body
from summarizer_tool.web.fetch import FetchedPage, fetch, get

pytestmark = pytest.mark.anyio

PAGE = """<!doctype html>
<html lang="en">
<head><title>Gannet Dyke - The Saltmarsh Wiki</title><meta property="og:title" content="Gannet Dyke"></head>
<body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/all">All pages</a></li></ul></nav>
<main><article>
<h1>Gannet Dyke</h1>
<p>Gannet Dyke is the <b>northern</b> sea wall of the <a href="/saltmarsh">Saltmarsh</a>. It was raised in 1412 by the
drainers of Holm &amp; Ness, and has been breached twice since.</p>
<h2>Breaches</h2>
<p>The first breach, in 1570, drowned the village of Ness. Warden <a href="/ilse">Ilse Marrow</a> rebuilt the wall within
two summers, against the will of the council.</p>
<ul><li>1570: eighty yards, at the Ness gate</li><li>1953: eleven yards, at the pump house</li></ul>
<h3>Wardens</h3>
<table><tr><th>Warden</th><th>Years</th></tr><tr><td>Ilse Marrow</td><td>1568-1591</td></tr></table>
</article></main>
<footer><p>Content is available under CC BY-SA.</p></footer>
<script>track("everybody");</script>
</body></html>"""


SECRET = 'hunter2'
"""Stands in queries and user info, and so must stand in no error."""


PUBLIC = '93.184.215.14'


Infos = list[tuple[Any, ...]]


class Site:
    """What a server has seen, and where it is."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.host = f'127.0.0.1:{port}'
        self.url = f'http://{self.host}'
        self.requests: list[Request] = []
        self.streaming = threading.Event()
        self.lost = threading.Event()

    async def answer(self, request: Request) -> Response:
        self.requests.append(request)
        name = request.path_params['name']
        return getattr(self, f'on_{name}', self.on_other)(request)

    def on_other(self, request: Request) -> Response:
        return PlainTextResponse(f'no {request.url.path}', 404)

    def on_page(self, request: Request) -> Response:
        return Response(PAGE, media_type='text/html')

    def on_to(self, request: Request) -> Response:
        return Response(status_code=302, headers={'location': request.query_params['url'], 'set-cookie': 'a=b'})

    def on_loop(self, request: Request) -> Response:
        return RedirectResponse(f'/loop?key={SECRET}')

    def on_nowhere(self, request: Request) -> Response:
        return Response(status_code=302)

    def on_status(self, request: Request) -> Response:
        return PlainTextResponse(SECRET, int(request.query_params['code']))

    def on_zeros(self, request: Request) -> Response:
        """As many bytes of text as asked for, compressed if asked for, with or without their number in a header."""
        count = int(request.query_params['count'])
        if 'gzip' in request.query_params:
            body, headers = gzip.compress(b'0' * count), {'content-encoding': 'gzip'}
        else:
            body, headers = b'0' * count, {}
        if 'length' in request.query_params:
            return Response(body, headers=headers, media_type='text/plain')

        async def pieces() -> AsyncIterator[bytes]:
            for start in range(0, len(body), 50_000):
                yield body[start : start + 50_000]

        return StreamingResponse(pieces(), headers=headers, media_type='text/plain')

    def on_encoded(self, request: Request) -> Response:
        whole = gzip.compress(b'one ') + gzip.compress(b'two') + b'\0' * 10
        body = {'members': whole, 'cut': whole[:-20], 'broken': b'no gzip at all', 'br': whole, 'none': b''}
        name = request.query_params['name']
        encoding = 'br' if name == 'br' else 'gzip'
        return Response(body[name], headers={'content-encoding': encoding}, media_type='text/plain')

    def on_trickle(self, request: Request) -> Response:
        async def forever() -> AsyncIterator[bytes]:
            try:
                while True:
                    yield b'.'
                    self.streaming.set()
                    await anyio.sleep(0.01)
            finally:
                self.lost.set()

        return StreamingResponse(forever(), media_type='text/plain')

    def on_cut(self, request: Request) -> Response:
        return Response(b'short', headers={'content-length': '1000'}, media_type='text/plain')

    def on_json(self, request: Request) -> Response:
        return Response('{"a": [1,  2]}', media_type='application/problem+json')

    def on_pdf(self, request: Request) -> Response:
        return Response(b'%PDF-1.7\n1 0 obj', media_type='application/pdf')

    def on_headers(self, request: Request) -> Response:
        return PlainTextResponse('\n'.join(f'{name}: {value}' for name, value in request.headers.items()))


@contextmanager
def serve(**tls: Any) -> Iterator[tuple[Site, uvicorn.Config]]:
    with socket.create_server(('127.0.0.1', 0)) as listener:
        site = Site(listener.getsockname()[1])
        app = Starlette(routes=[Route('/{name}', site.answer), Route('/{name}/{rest:path}', site.answer)])
        config = uvicorn.Config(app, log_level=CRITICAL, lifespan='off', timeout_graceful_shutdown=1, **tls)
        config.load()
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        while not server.started:
            time.sleep(0.005)
        yield site, config
        server.should_exit = True
        thread.join()


@pytest.fixture(scope='module')
def server() -> Iterator[Site]:
    with serve() as (site, _):
        yield site


@pytest.fixture
def site(server: Site) -> Site:
    server.requests.clear()
    server.lost.clear()
    server.streaming.clear()
    return server


class Names:
    """A resolver that knows the names it is told, and addresses; nothing asks the network."""

    def __init__(self) -> None:
        self.answers: dict[str, list[list[str]]] = {}
        self.asked: list[str] = []
        self._real: Callable[..., Infos] = socket.getaddrinfo

    def __call__(self, host: str, port: int, *args: Any, **kwargs: Any) -> Infos:
        self.asked.append(host)
        if host not in self.answers:
            return self._real(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        answers = self.answers[host]
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        return [(None, None, 6, '', (address, port)) for address in addresses]


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    resolver = Names()
    monkeypatch.setattr(socket, 'getaddrinfo', resolver)
    return resolver


def allowing(*hosts: str, **settings: Any) -> Settings:
    return Settings(fetch_allow_hosts=hosts, **settings)


async def refusal(url: str, settings: Settings) -> str:
    with pytest.raises(FetchError) as caught:
        await fetch(url, settings)
    # A traceback shows what it came from, too.
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert SECRET not in str(caught.value)
    return str(caught.value)


async def test_a_page_becomes_markdown(site: Site) -> None:
    before = datetime.now(UTC)
    page = await fetch(f'{site.url}/page?a=b#part', allowing(site.host))
    assert (page.title, page.url) == ('Gannet Dyke', f'{site.url}/page?a=b')
    assert before <= page.fetched_at <= datetime.now(UTC)
    assert page.text == snapshot("""\
# Gannet Dyke

Gannet Dyke is the northern sea wall of the Saltmarsh. It was raised in 1412 by the drainers of Holm & Ness, and has been breached twice since.

## Breaches

The first breach, in 1570, drowned the village of Ness. Warden Ilse Marrow rebuilt the wall within two summers, against the will of the council.

- 1570: eighty yards, at the Ness gate
- 1953: eleven yards, at the pump house

### Wardens

| Warden      | Years     |
| ----------- | --------- |
| Ilse Marrow | 1568-1591 |\
""")


async def test_other_text_stays_as_it_is(site: Site) -> None:
    page = await fetch(f'{site.url}/json/some%20d%C3%A4ta.json?x', allowing(site.host))
    assert (page.text, page.title) == ('{"a": [1,  2]}', 'some däta.json')


async def test_a_request_says_who_asks_and_nothing_else(site: Site) -> None:
    page = await fetch(f'{site.url}/headers', allowing(site.host))
    assert page.text.replace(str(site.port), 'PORT') == snapshot("""\
host: 127.0.0.1:PORT
user-agent: summarizer-tool/0.1.0
accept: text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, */*;q=0.5
accept-encoding: gzip\
""")


async def test_what_is_not_text_is_named(site: Site) -> None:
    assert (
        await refusal(f'{site.url}/pdf', allowing(site.host))
        == f'{site.host}/pdf holds application/pdf, which is not text'
    )


def test_nothing_slow_is_imported_for_nothing() -> None:
    code = 'import sys, summarizer_tool.web.fetch; print({"trafilatura", "lxml"} & sys.modules.keys())'
    ran = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert ran.stdout == 'set()\n'


@pytest.mark.parametrize(
    ('host', 'kind'),
    [
        ('127.0.0.1', 'loopback'),
        ('2130706433', 'loopback'),
        ('0x7f000001', 'loopback'),
        ('017700000001', 'loopback'),
        ('0x7f.1', 'loopback'),
        ('127.1', 'loopback'),
        ('127.0.0.1.', 'loopback'),
        ('127。0。0。1', 'loopback'),
        ('0', 'unspecified'),
        ('10.1.2.3', 'private'),
        ('172.31.0.1', 'private'),
        ('192.168.1.1', 'private'),
        ('100.64.0.1', 'carrier-internal'),
        ('169.254.1.1', 'link-local'),
        ('224.0.0.1', 'multicast'),
        ('255.255.255.255', 'reserved'),
        ('192.0.2.1', 'reserved'),
        ('169.254.169.254', 'cloud metadata'),
        ('0xa9fea9fe', 'cloud metadata'),
        ('168.63.129.16', 'cloud metadata'),
        ('[::]', 'unspecified'),
        ('[::1]', 'loopback'),
        ('[fe80::1]', 'link-local'),
        ('[fd12::1]', 'private'),
        ('[fec0::1]', 'private'),
        ('[ff02::1]', 'multicast'),
        ('[fd00:ec2::254]', 'cloud metadata'),
        ('[2001:db8::1]', 'reserved'),
        ('[4000::1]', 'reserved'),
        ('[::ffff:127.0.0.1]', 'loopback'),
        ('[::ffff:a00:1]', 'private'),
        ('[::127.0.0.1]', 'reserved'),
        ('[2002:7f00:1::]', 'loopback'),
        ('[64:ff9b::10.0.0.1]', 'private'),
        ('[64:ff9b::169.254.169.254]', 'cloud metadata'),
        ('[64:ff9b:1::a00:1]', 'reserved'),
        ('[2001:0:a00:1::f5ff:fffe]', 'reserved'),
        ('[2a00:1:2:3:0:5efe:127.0.0.1]', 'loopback'),
        ('[2a00:1:2:3:a9:fea9:fe00:0]', 'cloud metadata'),
    ],
)
async def test_addresses_that_are_not_public(host: str, kind: str) -> None:
    message = await refusal(f'http://{host}/x?key={SECRET}', Settings())
    assert f'leads to an address that is not public ({kind})' in message


@pytest.mark.parametrize(
    'url', ['http://0177.0.0.1/', 'http://[fe80::1%25eth0]/', 'http://１２７.０.０.１/', 'http://%31/']
)
async def test_notations_that_are_no_hosts(url: str) -> None:
    assert 'valid' in await refusal(url, Settings())


async def test_a_name_with_any_private_address_is_refused(names: Names) -> None:
    names.answers['wiki.test'] = [[PUBLIC, '10.0.0.7']]
    assert await refusal(f'http://wiki.test/secret/page?key={SECRET}', Settings()) == snapshot(
        'wiki.test/secret/page leads to an address that is not public (private); SUMMARIZER_FETCH_ALLOW_HOSTS=wiki.test:80 would allow it'
    )
    names.answers['wiki.test'] = [['fe80::1%2']]
    assert '(link-local)' in await refusal('https://wiki.test/', Settings())


async def test_the_allow_list_names_host_and_port(site: Site, names: Names) -> None:
    names.answers['wiki.test'] = [['127.0.0.1']]
    url = f'http://wiki.test:{site.port}/page'
    for listed in ('wiki.test:1', f'127.0.0.1:{site.port}', f'x.wiki.test:{site.port}', f'[:{site.port}'):
        assert '(loopback)' in await refusal(url, allowing(listed))
    for listed in ('wiki.test', ':', ':80', 'wiki.test:http'):
        with pytest.raises(ConfigurationError, match='host:port'):
            Settings.load(fetch_allow_hosts=listed)
    assert (await fetch(url, allowing(f'WIKI.test.:{site.port}'))).title == 'Gannet Dyke'
    assert (await fetch(url.replace('test', 'TEST.'), allowing(f'wiki.test:{site.port}'))).url == url
    # The address is on the list, but not as it is written here.
    assert '(loopback)' in await refusal(f'http://2130706433:{site.port}/page', allowing(site.host))
    assert 'cannot be connected to' in await refusal('http://[0:0::1]:9/', allowing('[::1]:9'))


async def test_metadata_is_refused_whatever_is_allowed(names: Names) -> None:
    names.answers['wiki.test'] = [['169.254.169.254']]
    for host in ('wiki.test', '169.254.169.254'):
        assert await refusal(f'http://{host}/', allowing(f'{host}:80')) == (
            f'{host}/ leads to an address that is not public (cloud metadata) and is never fetched'
        )


@pytest.mark.parametrize(
    'url',
    [
        'file:///etc/passwd',
        'ftp://example.org/',
        'example.org/page',
        '',
        'http://',
        'http:///x',
        'http://h:0/',
        'http://h:99999/',
        'http://h:x/',
        'http://a b/',
        'http://[::1/',
        'http://h/\nx',
        'http://\udc80/',
        f'http://user:{SECRET}@example.org/',
        f'https://{SECRET}@example.org/',
    ],
)
async def test_what_is_no_url_to_fetch(url: str, names: Names) -> None:
    assert await refusal(url, Settings())
    assert names.asked == []


@given(st.text(max_size=60).map(lambda rest: f'http://{rest}') | st.text(max_size=60))
def test_any_url_is_understood_or_refused(text: str) -> None:
    try:
        url = fetching._parse(text)
    except FetchError:
        return
    assert url.scheme in ('http', 'https')
    assert not url.userinfo
    assert fetching._shown(url).isprintable()


async def test_a_name_that_does_not_exist() -> None:
    assert await refusal('http://nowhere.test/x', Settings()) == 'nowhere.test/x: the host name cannot be resolved'
    assert 'cannot be resolved' in await refusal(f'http://{"a" * 70}.test/x', Settings())


async def test_a_name_is_resolved_once(site: Site, names: Names) -> None:
    # The second answer is where an attacker would want the connection to go.
    names.answers['wiki.test'] = [['127.0.0.1'], ['127.0.0.9']]
    page = await fetch(f'http://wiki.test:{site.port}/headers', allowing(f'wiki.test:{site.port}'))
    assert names.asked == ['wiki.test']
    assert f'host: wiki.test:{site.port}' in page.text


async def test_a_name_that_turns_private_is_refused_at_its_next_hop(site: Site, names: Names) -> None:
    names.answers['wiki.test'] = [['127.0.0.1']]
    names.answers['other.test'] = [[PUBLIC], ['127.0.0.1']]
    settings = allowing(f'wiki.test:{site.port}')
    names('other.test', 80)  # the answer that whoever made the link has seen
    names.asked.clear()
    message = await refusal(f'http://wiki.test:{site.port}/to?url=http://other.test:{site.port}/page', settings)
    assert message == f'other.test:{site.port}/page leads to an address that is not public (loopback); ' + (
        f'SUMMARIZER_FETCH_ALLOW_HOSTS=other.test:{site.port} would allow it'
    )
    assert names.asked == ['wiki.test', 'other.test']
    assert [request.url.path for request in site.requests] == ['/to']


async def test_the_next_address_is_tried(site: Site, names: Names) -> None:
    names.answers['wiki.test'] = [['::1', '127.0.0.9', '127.0.0.1']]  # only at the last is anything
    page = await fetch(f'http://wiki.test:{site.port}/page', allowing(f'wiki.test:{site.port}'))
    assert page.title == 'Gannet Dyke'


async def test_the_environment_has_no_say(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ('HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'):
        monkeypatch.setenv(name, 'http://127.0.0.1:9')
    assert (await fetch(f'{site.url}/page', allowing(site.host))).title == 'Gannet Dyke'


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A key and a certificate that it has signed itself, for `wiki.test`."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, 'wiki.test')])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName('wiki.test')]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / 'server.pem'
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path


async def test_certificates_are_checked_against_the_name(
    certificate: Path, names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    names.answers = {'wiki.test': [['127.0.0.1']], 'other.test': [['127.0.0.1']]}
    asked_for: list[str | None] = []
    with serve(ssl_keyfile=certificate, ssl_certfile=certificate) as (site, config):
        assert config.ssl is not None
        config.ssl.sni_callback = lambda _socket, name, _context: asked_for.append(name)
        settings = allowing(f'wiki.test:{site.port}', f'other.test:{site.port}', site.host)
        url = f'https://wiki.test:{site.port}/headers'
        assert await refusal(f'{url}?key={SECRET}', settings) == (
            f'wiki.test:{site.port}/headers has a certificate that does not hold: self-signed certificate'
        )
        monkeypatch.setattr(fetching, '_trusted', lambda: ssl.create_default_context(cafile=str(certificate)))
        assert f'host: wiki.test:{site.port}' in (await fetch(url, settings)).text
        assert asked_for == ['wiki.test', 'wiki.test']
        assert 'is not valid for' in await refusal(url.replace('wiki', 'other'), settings)
        assert 'is not valid for' in await refusal(url.replace('wiki.test', '127.0.0.1'), settings)
        # On the way to another name at the same address no connection is used again.
        over = f'https://wiki.test:{site.port}/to?url=https://other.test:{site.port}/page'
        assert 'is not valid for' in await refusal(over, settings)
        down = f'https://wiki.test:{site.port}/to?url=http://wiki.test:{site.port}/page'
        assert await refusal(down, settings) == (
            f'wiki.test:{site.port}/to redirects from https to http, which is not followed'
        )
        assert 'does not speak HTTP' in await refusal(url.replace('https', 'http'), settings)


async def test_a_server_without_tls(site: Site) -> None:
    assert 'does not speak TLS' in await refusal(f'https://{site.host}/page', allowing(site.host))


async def test_redirects_are_followed(site: Site) -> None:
    with serve() as (other, _):
        settings = allowing(site.host, other.host)
        page = await fetch(f'{site.url}/to?url=/to/x%3Furl={other.url}/headers%23part', settings)
    assert page.url == f'{other.url}/headers'
    assert [request.url.path for request in (*site.requests, *other.requests)] == ['/to', '/to/x', '/headers']
    assert 'cookie' not in page.text


async def test_redirects_end(site: Site) -> None:
    assert await refusal(f'{site.url}/loop', allowing(site.host)) == (
        f'{site.host}/loop redirects more often than SUMMARIZER_FETCH_MAX_REDIRECTS=5 times'
    )
    assert len(site.requests) == 6
    assert 'REDIRECTS=0' in await refusal(f'{site.url}/to?url=/page', allowing(site.host, fetch_max_redirects=0))


@pytest.mark.parametrize(
    ('location', 'reason'),
    [
        ('http://127.0.0.1:1/', 'leads to an address that is not public (loopback)'),
        ('//169.254.169.254/latest', 'cloud metadata'),
        ('file:///etc/passwd', 'redirects to where it cannot be followed: file URLs are not fetched'),
        (f'http://user:{SECRET}@127.0.0.1:1/', 'holds a user name or password, which are never sent'),
        ('http://[', 'redirects to where it cannot be followed'),
    ],
)
async def test_redirects_are_checked(location: str, reason: str, site: Site) -> None:
    message = await refusal(f'{site.url}/to?url={location}', allowing(site.host))
    assert reason in message


@pytest.mark.parametrize('query', ['', '&length', '&gzip', '&gzip&length'])
async def test_size_counts_after_decompression(query: str, site: Site) -> None:
    settings = allowing(site.host, fetch_max_mb=0.1)
    page = await fetch(f'{site.url}/zeros?count=100000{query}', settings)
    assert len(page.text) == 100_000
    assert await refusal(f'{site.url}/zeros?count=100001{query}', settings) == (
        f'{site.host}/zeros is over SUMMARIZER_FETCH_MAX_MB=0.1 MB'
    )


async def test_a_bomb_is_not_held(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[int] = []
    real = response_body._Gunzip.pieces

    def counted(self: response_body._Gunzip, raw: bytes) -> Iterator[bytes]:
        for piece in real(self, raw):
            pieces.append(len(piece))
            yield piece

    monkeypatch.setattr(response_body._Gunzip, 'pieces', counted)
    message = await refusal(f'{site.url}/zeros?count=100000000&gzip', allowing(site.host, fetch_max_mb=2))
    assert 'SUMMARIZER_FETCH_MAX_MB=2' in message
    assert sum(pieces) <= 3 * response_body.PIECE


async def test_compression(site: Site) -> None:
    settings = allowing(site.host)
    assert (await fetch(f'{site.url}/encoded?name=members', settings)).text == 'one two'
    assert 'holds no text' in await refusal(f'{site.url}/encoded?name=none', settings)
    for name in ('cut', 'broken'):
        assert 'sent broken gzip' in await refusal(f'{site.url}/encoded?name={name}', settings)
    assert 'not asked for' in await refusal(f'{site.url}/encoded?name=br', settings)


async def test_a_server_that_trickles_is_cut_off(site: Site) -> None:
    message = await refusal(f'{site.url}/trickle?key={SECRET}', allowing(site.host, fetch_timeout_seconds=0.3))
    assert message == f'{site.host}/trickle took longer than SUMMARIZER_FETCH_TIMEOUT_SECONDS=0.3 seconds'
    assert await anyio.to_thread.run_sync(site.lost.wait, 10)


async def test_a_resolver_that_hangs_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = threading.Event()
    monkeypatch.setattr(socket, 'getaddrinfo', lambda *_, **__: answer.wait(10))
    assert 'took longer than' in await refusal('http://slow.test/', Settings(fetch_timeout_seconds=0.1))
    answer.set()


async def test_cancellation_closes_the_connection(site: Site) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(fetch, f'{site.url}/trickle', allowing(site.host))
        assert await anyio.to_thread.run_sync(site.streaming.wait, 10)
        tasks.cancel_scope.cancel()
    assert await anyio.to_thread.run_sync(site.lost.wait, 10)


async def test_failures_name_host_and_path(site: Site) -> None:
    settings = allowing(site.host, '127.0.0.1:9')
    for code in (304, 404, 500):
        assert await refusal(f'{site.url}/status?code={code}', settings) == f'{site.host}/status answered HTTP {code}'
    assert 'answered HTTP 302' in await refusal(f'{site.url}/nowhere', settings)
    assert 'holds no text' in await refusal(f'{site.url}/status?code=204', settings)
    assert await refusal(f'http://127.0.0.1:9/x?{SECRET}', settings) == '127.0.0.1:9/x cannot be connected to'
    long = await refusal(f'{site.url}/none/{"x" * 500}', settings)
    assert long.endswith('x… answered HTTP 404')
    assert len(long) < 150


async def test_nothing_of_a_url_is_logged(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level('INFO'):
        await fetch(f'{site.url}/page?key={SECRET}', allowing(site.host))
    assert caplog.text == ''


def test_a_page_is_plain_data() -> None:
    page = FetchedPage(Page('text'), 'title', 'https://example.org/', 'https://example.org/', datetime.now(UTC))
    assert page.text == 'text'
    with pytest.raises(AttributeError):
        page.title = 'other'  # pyright: ignore[reportAttributeAccessIssue]


async def test_each_hop_is_asked_for(site: Site) -> None:
    asked: list[tuple[str, int]] = []

    async def may_fetch(url: str) -> None:
        asked.append((url.removeprefix(site.url), len(site.requests)))

    page = await fetch(f'{site.url}/to?url=/to?url=/page%23part', allowing(site.host), may_fetch=may_fetch)
    # Each before its request.
    assert asked == [('/to?url=/to?url=/page%23part', 0), ('/to?url=/page', 1), ('/page', 2)]
    assert (page.asked_url, page.url) == (f'{site.url}/to?url=/to?url=/page%23part', f'{site.url}/page')


async def test_what_may_not_be_fetched_is_not_asked_for(site: Site) -> None:
    async def may_fetch(url: str) -> None:
        if url == f'{site.url}/page':
            raise FetchError('robots.txt does not allow it')

    with pytest.raises(FetchError, match=r'^robots\.txt does not allow it$'):
        await fetch(f'{site.url}/to?url=/page', allowing(site.host), may_fetch=may_fetch)
    assert [request.url.path for request in site.requests] == ['/to']


async def test_to_wait_for_ones_turn_takes_none_of_the_time(site: Site) -> None:
    async def may_fetch(_: str) -> None:
        await anyio.sleep(2)

    page = await fetch(f'{site.url}/page', allowing(site.host, fetch_timeout_seconds=1.5), may_fetch=may_fetch)
    assert page.title == 'Gannet Dyke'


async def test_a_failure_has_its_status(site: Site) -> None:
    for code in (404, 410, 503):
        with pytest.raises(FetchError) as caught:
            await fetch(f'{site.url}/status?code={code}', allowing(site.host))
        assert caught.value.status == code
    with pytest.raises(FetchError) as caught:
        await fetch(f'{site.url}/pdf', allowing(site.host))
    assert caught.value.status is None


async def test_an_answer_as_it_is(site: Site) -> None:
    settings = allowing(site.host)
    found = await get(f'{site.url}/to?url=/json', settings, max_mb=1)
    assert (found.status, found.body, found.url) == (200, b'{"a": [1,  2]}', f'{site.url}/json')
    missing = await get(f'{site.url}/robots.txt', settings, max_mb=1)
    assert (missing.status, missing.body, missing.content_type) == (404, b'', 'text/plain; charset=utf-8')
    with pytest.raises(FetchError, match='is over'):
        await get(f'{site.url}/zeros?count=3000', settings, max_mb=0.002)


async def test_an_answer_comes_by_the_same_rules(site: Site, names: Names) -> None:
    names.answers['inside.test'] = [['10.0.0.7']]
    with pytest.raises(FetchError, match='private'):
        await get('http://inside.test/robots.txt', Settings(), max_mb=1)
    with pytest.raises(FetchError, match='private'):
        await get(f'{site.url}/to?url=http://inside.test/', allowing(site.host), max_mb=1)


async def test_links_are_relative_to_where_the_page_was_found(site: Site) -> None:
    page = (await fetch(f'{site.url}/to?url=/page', allowing(site.host))).page
    assert [(link.text, link.url.removeprefix(site.url), link.section) for link in page.links] == [
        ('Saltmarsh', '/saltmarsh', 'Gannet Dyke'),
        ('Ilse Marrow', '/ilse', 'Breaches'),
    ]
