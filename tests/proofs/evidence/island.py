"""An island's site of 42 pages, and questions whose words seldom stand beside the link that leads to their answer.

Its first page leads to the others either by three lists, or to all of them at once under headings; tales and places have
or beside their title that tells something of them, as records have; persons have their name alone.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final, Literal

import regex
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from tests.support.threaded_server import served

Layout = Literal['lists', 'all']

_TEXT: Final = (Path(__file__).parent / 'island.md').read_text(encoding='utf-8')
_PAGES, *_ASKED = regex.split(r'^# (?:more )?questions\n', _TEXT, flags=regex.MULTILINE)
_LINK = regex.compile(r'\[([^\]]+)\]\(([^)]+)\)')


@dataclass(frozen=True, slots=True)
class IslandPage:
    """One page: what its links say of it, and its text, in which `@stories` stands for a list of links."""

    path: str
    title: str
    teaser: str
    text: str


@dataclass(frozen=True, slots=True)
class IslandQuestion:
    """A question, the only page that answers it, and words of the answer as they stand there."""

    path: str
    query: str
    words: str


def _page(text: str) -> IslandPage:
    head, _, body = text.partition('\n')
    path, title, *teaser = (part.strip() for part in head.split('|'))
    return IslandPage(path, title, ''.join(teaser), body.strip())


PAGES: Final = {page.path: page for page in map(_page, regex.split(r'^# ', _PAGES, flags=regex.MULTILINE)[1:])}
QUESTIONS, MORE_QUESTIONS = (
    tuple(IslandQuestion(*(part.strip() for part in line.split('|'))) for line in some.splitlines() if line.strip())
    for some in _ASKED
)
"""The rules were made with those of even place of the first; the last were asked when all rules stood."""


def _list(name: str) -> str:
    """Links to the pages of one part: tales by titles that are links, places in a list, the others by name alone."""
    chosen = [page for page in PAGES.values() if page.path.startswith(f'/{name}/') and not page.path.endswith('/')]
    forms = {
        'stories': '<h3><a href="{0}">{1}</a></h3>\n<p>{2}</p>',
        'places': '<li><a href="{0}">{1}</a><p>{2}</p></li>',
        'records': '<li><a href="{0}">{1}</a>: {2}</li>',
    }
    form = forms.get(name, '<li><a href="{0}">{1}</a></li>')
    rows = '\n'.join(form.format(page.path, escape(page.title), escape(page.teaser)) for page in chosen)
    return rows if name == 'stories' else f'<ul>\n{rows}\n</ul>'


def _html(page: IslandPage, layout: Layout) -> str:
    paragraphs: list[str] = []
    for paragraph in page.text.split('\n\n'):
        if paragraph.startswith('@'):
            paragraphs.append(f'<h2>{paragraph[1:].title()}</h2>\n{_list(paragraph[1:])}')
        else:
            paragraphs.append('<p>' + _LINK.sub(r'<a href="\2">\1</a>', paragraph) + '</p>')
    if page.path == '/' and layout == 'all':
        paragraphs += [f'<h2>{name.title()}</h2>\n{_list(name)}' for name in ('stories', 'places', 'records')]
    title, body = escape(page.title), '\n'.join(paragraphs)
    menu = '<nav><a href="/">Home</a> <a href="/contact">Contact</a></nav>'
    return (
        f'<!doctype html><html><head><title>{title}</title></head><body>{menu}<main><h1>{title}</h1>\n{body}</main>'
        '<footer>Kept by the islanders of Arrask.</footer></body></html>'
    )


@contextmanager
def island(layout: Layout) -> Generator[str]:
    """Serve the pages until the block ends: the origin."""

    async def reply(request: Request) -> HTMLResponse:
        page = PAGES.get(request.url.path)
        return HTMLResponse(_html(page, layout) if page else 'Not found', 200 if page else 404)

    with served(Starlette(routes=[Route('/{path:path}', reply)])) as running:
        yield running.origin
