"""A server on loopback of which each path does something else, and a resolver that knows only what it is told."""

import gzip
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from summarizer_tool import Settings
from summarizer_tool.errors import FetchError
from summarizer_tool.web.fetch import fetch
from tests.support.pdfs import lines, pdf
from tests.support.threaded_server import served

PAGE = """<!doctype html>
<html><head><title>Gannet Dyke - The Saltmarsh Wiki</title><meta property="og:title" content="Gannet Dyke"></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/all">All pages</a></li></ul></nav><main><article>
<h1>Gannet Dyke</h1><p>Gannet Dyke is the sea wall of the <a href="/saltmarsh">Saltmarsh</a>. It was raised in 1412 by the
drainers of Holm &amp; Ness, and has been breached twice since.</p>
<h2>Breaches</h2><p>The first breach, in 1570, drowned the village of Ness. Warden <a href="/ilse">Ilse Marrow</a> rebuilt
the wall within two summers, against the will of the council.</p></article></main>
<footer><p>Content is available under CC BY-SA.</p></footer><script>track("everybody");</script></body></html>"""

BOOK = pdf([lines('The wall was raised in 1412.'), lines('It was breached in 1570.')], title='Gannet Dyke')

SECRET = 'hunter2'
"""Stands in queries and user info, and so must stand in no error."""

Infos = list[tuple[Any, ...]]


class Site:
    """What a server has seen, and where it is."""

    port: int
    host: str
    url: str

    def __init__(self) -> None:
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

    def on_json(self, request: Request) -> Response:
        return Response('{"a": [1,  2]}', media_type='application/problem+json')

    def on_pdf(self, request: Request) -> Response:
        return Response(b'%PDF-1.7\n1 0 obj', media_type='application/pdf')

    def on_book(self, request: Request) -> Response:
        return Response(BOOK, media_type='application/octet-stream')

    def on_headers(self, request: Request) -> Response:
        return PlainTextResponse('\n'.join(f'{name}: {value}' for name, value in request.headers.items()))


@contextmanager
def serve(**tls: Any) -> Iterator[tuple[Site, uvicorn.Config]]:
    site = Site()
    app = Starlette(routes=[Route('/{name}', site.answer), Route('/{name}/{rest:path}', site.answer)])
    with served(app, lifespan='off', **tls) as running:
        site.host, site.url, site.port = running.host, running.origin, int(running.host.partition(':')[2])
        yield site, running.config


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
