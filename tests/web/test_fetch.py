"""Fetching, from real servers on loopback: pages, redirects, sizes, time, and what is said of failures."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import anyio
import anyio.to_thread
import pytest
from inline_snapshot import snapshot

from summarizer_tool import Settings
from summarizer_tool.errors import FetchError
from summarizer_tool.web import response_body
from summarizer_tool.web.fetch import fetch, get
from tests.support.fetched_site import SECRET, Site, allowing, refusal, serve

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures('names')]


async def test_a_page_becomes_markdown(site: Site) -> None:
    before = datetime.now(UTC)
    page = await fetch(f'{site.url}/page?a=b#part', allowing(site.host))
    assert (page.document.title, page.document.url) == ('Gannet Dyke', f'{site.url}/page?a=b')
    assert before <= page.fetched_at <= datetime.now(UTC)
    assert page.document.text == snapshot("""\
# Gannet Dyke

Gannet Dyke is the sea wall of the Saltmarsh. It was raised in 1412 by the drainers of Holm & Ness, and has been breached twice since.

## Breaches

The first breach, in 1570, drowned the village of Ness. Warden Ilse Marrow rebuilt the wall within two summers, against the will of the council.\
""")


async def test_other_text_stays_as_it_is(site: Site) -> None:
    page = await fetch(f'{site.url}/json/some%20d%C3%A4ta.json?x', allowing(site.host))
    assert (page.document.text, page.document.title) == ('{"a": [1,  2]}', 'some däta.json')


async def test_a_document_is_read_whatever_type_the_server_says(site: Site) -> None:
    page = await fetch(f'{site.url}/book', allowing(site.host))
    assert (page.document.text, page.document.title) == (
        'The wall was raised in 1412.\n\n\f\n\nIt was breached in 1570.',
        'Gannet Dyke',
    )


async def test_a_request_says_who_asks_and_nothing_else(site: Site) -> None:
    page = await fetch(f'{site.url}/headers', allowing(site.host))
    assert page.document.text.replace(str(site.port), 'PORT') == snapshot("""\
host: 127.0.0.1:PORT
user-agent: summarizer-tool/0.1.0
accept: text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, application/pdf;q=0.7, */*;q=0.5
accept-encoding: gzip\
""")


def test_nothing_slow_is_imported_for_nothing() -> None:
    code = 'import sys, summarizer_tool.web.fetch; print({"trafilatura", "lxml"} & sys.modules.keys())'
    ran = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert ran.stdout == 'set()\n'


async def test_redirects_are_followed(site: Site) -> None:
    with serve() as (other, _):
        settings = allowing(site.host, other.host)
        page = await fetch(f'{site.url}/to?url=/to/x%3Furl={other.url}/headers%23part', settings)
    assert page.document.url == f'{other.url}/headers'
    assert [request.url.path for request in (*site.requests, *other.requests)] == ['/to', '/to/x', '/headers']
    assert 'cookie' not in page.document.text


async def test_redirects_end(site: Site) -> None:
    assert await refusal(f'{site.url}/loop', allowing(site.host)) == (f'{site.host}/loop redirects more than 5 times')
    assert len(site.requests) == 6


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
    assert len(page.document.text) == 100_000
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
    assert (await fetch(f'{site.url}/encoded?name=members', settings)).document.text == 'one two'
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
    for code in (401, 403):
        assert 'refuses programs, or asks for a login' in await refusal(f'{site.url}/status?code={code}', settings)
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


async def test_each_hop_is_asked_for(site: Site) -> None:
    asked: list[tuple[str, int]] = []

    async def may_fetch(url: str) -> None:
        asked.append((url.removeprefix(site.url), len(site.requests)))

    page = await fetch(f'{site.url}/to?url=/to?url=/page%23part', allowing(site.host), may_fetch=may_fetch)
    # Each before its request.
    assert asked == [('/to?url=/to?url=/page%23part', 0), ('/to?url=/page', 1), ('/page', 2)]
    assert page.addresses == (f'{site.url}/to?url=/to?url=/page%23part', f'{site.url}/page')


async def test_what_may_not_be_fetched_is_not_asked_for(site: Site) -> None:
    async def may_fetch(url: str) -> None:
        if url == f'{site.url}/page':
            raise FetchError('robots.txt does not allow it')

    with pytest.raises(FetchError, match=r'^robots\.txt does not allow it$'):
        await fetch(f'{site.url}/to?url=/page', allowing(site.host), may_fetch=may_fetch)
    assert [request.url.path for request in site.requests] == ['/to']


async def test_to_wait_for_ones_turn_takes_none_of_the_time(site: Site) -> None:
    async def may_fetch(_: str) -> None:
        await anyio.sleep(1.2)

    page = await fetch(f'{site.url}/page', allowing(site.host, fetch_timeout_seconds=1), may_fetch=may_fetch)
    assert page.document.title == 'Gannet Dyke'


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
    assert (found.status, found.body) == (200, b'{"a": [1,  2]}')
    missing = await get(f'{site.url}/robots.txt', settings, max_mb=1)
    assert (missing.status, missing.body, missing.content_type) == (404, b'', 'text/plain; charset=utf-8')
    with pytest.raises(FetchError, match='is over'):
        await get(f'{site.url}/zeros?count=3000', settings, max_mb=0.002)


async def test_links_are_relative_to_where_the_page_was_found(site: Site) -> None:
    page = (await fetch(f'{site.url}/to?url=/page', allowing(site.host))).page
    assert [(link.text, link.url.removeprefix(site.url), link.section) for link in page.links] == [
        ('Saltmarsh', '/saltmarsh', 'Gannet Dyke'),
        ('Ilse Marrow', '/ilse', 'Breaches'),
    ]
