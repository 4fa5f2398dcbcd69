"""A wiki on loopback: pages from markdown, as markdown and as the HTML that wikis send, and what goes wrong on the way."""

import threading
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape

import anyio
from markdown_it import MarkdownIt
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.support.threaded_server import served

with warnings.catch_warnings():
    # It warns that PySocks is missing, once, when it is first imported. In a test that would be an error, which is taken
    # for a page that cannot be read.
    warnings.simplefilter('ignore')
    import trafilatura as _trafilatura  # noqa: F401

_PAGE = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title} - The Compendium</title><meta property="og:title" content="{title}">
<script>var tracked = true;</script><style>nav {{ color: red }}</style></head>
<body>
<a href="#content">Skip to content</a>
<header><div class="logo">The Compendium</div><form><input name="q" placeholder="Search"></form></header>
<nav><ul><li><a href="/index.html">Home</a></li><li><a href="/all">All pages</a></li><li><a href="/log-in">Log in</a></li></ul></nav>
<aside class="sidebar"><h3>Recent changes</h3><ul>{links}</ul></aside>
<main id="content"><article>
{body}
</article></main>
<footer><p>Content is available under a free licence unless otherwise noted.</p><p><a href="/privacy">Privacy</a></p></footer>
</body></html>
"""

_markdown = MarkdownIt('commonmark').enable('table')


class Site:
    """Where the site is, and what it was asked for."""

    host: str
    """For `SUMMARIZER_FETCH_ALLOW_HOSTS`."""
    origin: str

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.pages = dict(pages)
        """Markdown by name; may be changed while the site runs."""
        self.requests: Counter[str] = Counter()
        """By path."""
        self.robots = ''
        """Its robots.txt."""
        self.delay = 0.1
        """Seconds that `/slow/…` takes."""
        self.slow = threading.Event()
        """Set as soon as something slow was asked for."""

    def routes(self) -> list[Route]:
        """`/{name}.md`, `/{name}.html`, `/index.html`, `/redirect/{name}`, `/slow/{name}`, `/broken`; all else is 404.

        What stands after `/redirect/` and `/slow/` is a page with its ending: `/slow/gull-marsh.html`.
        """
        return [
            Route('/robots.txt', self._robots),
            Route('/redirect/{name:path}', self._redirect),
            Route('/slow/{name}', self._slow),
            Route('/broken', self._broken),
            Route('/{name:path}', self._page),
        ]

    def _count(self, request: Request) -> None:
        self.requests[request.url.path] += 1

    async def _robots(self, _: Request) -> Response:  # no page, and not counted
        return PlainTextResponse(self.robots, 200 if self.robots else 404)

    async def _redirect(self, request: Request) -> Response:
        self._count(request)
        return RedirectResponse(f'/{request.path_params["name"]}', 302)

    async def _slow(self, request: Request) -> Response:
        self._count(request)
        self.slow.set()
        await anyio.sleep(self.delay)
        return self._answer(request.path_params['name'])

    async def _broken(self, request: Request) -> Response:
        self._count(request)
        return PlainTextResponse('the wiki is being repaired', 500)

    async def _page(self, request: Request) -> Response:
        self._count(request)
        return self._answer(request.path_params['name'].rstrip('/'))

    def _answer(self, file: str) -> Response:
        if file == 'index.html':
            return HTMLResponse(
                self._html('index', '# Index\n\n' + '\n'.join(f'- [{name}](/{name}.html)' for name in self.pages))
            )
        name, _, ending = file.rpartition('.')
        if name not in self.pages or ending not in ('md', 'html'):
            return PlainTextResponse('there is no such page', 404)
        if ending == 'md':
            return Response(self.pages[name], media_type='text/markdown')
        return HTMLResponse(self._html(name, self.pages[name]))

    def _html(self, name: str, markdown: str) -> str:
        headings = (line.removeprefix('# ').strip() for line in markdown.splitlines() if line.startswith('# '))
        links = ''.join(f'<li><a href="/{escape(other)}.html">{escape(other)}</a></li>' for other in self.pages)
        return _PAGE.format(title=escape(next(headings, name)), links=links, body=_markdown.render(markdown))


@contextmanager
def site(pages: Mapping[str, str]) -> Iterator[Site]:
    """Serve pages, in a thread, until the block ends.

    Args:
        pages: Markdown by name; a name is the last part of an address, without its ending.
    """
    asked = Site(pages)
    with served(Starlette(routes=asked.routes()), lifespan='off') as running:
        asked.host, asked.origin = running.host, running.origin
        yield asked
