"""What an answer makes of the search index of a site, over HTTP."""

import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from inline_snapshot import snapshot
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from summarizer_tool.evidence.answer import site_index
from summarizer_tool.evidence.answer.page_loading import StoredPage
from summarizer_tool.evidence.answer.site_index import SiteIndexes
from summarizer_tool.web import fetch
from tests.support.asked_site import fetching
from tests.support.threaded_server import served

pytestmark = pytest.mark.anyio

ASKED = 'At which head do the turbines start?'

TEXTS = {
    'mill/': 'The mill grinds barley and rye for the whole valley.',
    'kaplan/': 'Both turbines start at a head of four metres, and stop below three.',
    'eels/': 'Eels climb the ladder beside the weir in April.',
}

MKDOCS = {
    'config': {'lang': ['en']},
    'docs': [
        {'location': '', 'title': 'The station', 'text': ''},
        *({'location': path, 'title': path.strip('/').title(), 'text': ''} for path in TEXTS),
        *({'location': f'{path}#more', 'title': 'More', 'text': f'<p>{text}</p>'} for path, text in TEXTS.items()),
    ],
}

SPHINX = {
    'docnames': ['index', 'mill', 'kaplan', 'guide/index'],
    'titles': ['The station', 'The mill', 'Kaplan', 'Guide'],
    'alltitles': {'Head and stop': [[2, 'head-and-stop']], 'Kaplan': [[2, None]]},
    'terms': {'barley': 1, 'turbin': [2], 'start': [2, 3], 'four': 2, 'mill': [0, 1]},
    'titleterms': {'mill': 1, 'kaplan': 2},
}


def page(text: str, links: str = '') -> str:
    return f'<html><head><title>Page</title></head><body><main><h1>Page</h1><p>{text}</p>{links}</main></body></html>'


PAGES: dict[str, str | bytes] = {'/': page('All about the station.')} | {
    f'/{path}': page(text) for path, text in TEXTS.items()
}


@dataclass
class Served:
    """A site that runs, and what it was asked for."""

    origin: str = ''
    asked: list[str] = field(default_factory=list[str])


@contextmanager
def site(files: dict[str, Any]) -> Generator[Served]:
    """Serve pages, and what else is there: text, bytes, or what becomes JSON."""
    running = Served()

    async def reply(request: Request) -> Response:
        running.asked.append(request.url.path)
        if (body := files.get(request.url.path)) is None:
            return Response('Not found', 404)
        is_page = isinstance(body, str)
        return Response(
            body if isinstance(body, str | bytes) else json.dumps(body), media_type='text/html' if is_page else None
        )

    with served(Starlette(routes=[Route('/{path:path}', reply)])) as server:
        running.origin = server.origin
        yield running


async def read(web: Served, **asked: Any) -> list[str]:
    """The pages that one answer has read, from the first page on."""
    with fetching(web.origin) as retriever:
        found = await retriever.answer(f'{web.origin}/', ASKED, **{'research_mode': 'deep', **asked})
        assert not found.is_error
        return sorted(source.url.removeprefix(web.origin) for source in retriever.collection.sources())


async def test_pages_that_no_link_leads_to_are_found_by_the_index_of_mkdocs() -> None:
    with site({**PAGES, '/search/search_index.json': MKDOCS}) as web:
        assert await read(web, expansion_budget=1) == ['/', '/kaplan/']
        assert web.asked == snapshot(['/robots.txt', '/', '/search/search_index.json', '/kaplan/'])


async def test_sphinx_says_which_page_has_which_words() -> None:
    script = f'Search.setIndex({json.dumps(SPHINX)})'.encode()
    with site({'/': PAGES['/'], '/kaplan.html': PAGES['/kaplan/'], '/searchindex.js': script}) as web:
        assert await read(web, expansion_budget=1) == ['/', '/kaplan.html']
    # Where the pages are folders, the links of the first one show it.
    first = page('All about the station.', '<p><a href="/mill/">The mill</a></p>')
    with site({**PAGES, '/': first, '/searchindex.js': script}) as web:
        assert '/kaplan/' in await read(web)


async def test_an_index_is_asked_for_once_and_where_it_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    index = '/search/search_index.json'
    with site({**PAGES, index: MKDOCS}) as web, fetching(web.origin) as retriever:
        await retriever.answer(f'{web.origin}/', ASKED, research_mode='fast')
        await retriever.answer(f'{web.origin}/', ASKED, research_mode='deep', expansion_budget=0)
        await retriever.answer(f'{web.origin}/kaplan/', ASKED, research_mode='auto')
        assert index not in web.asked
        for _ in range(2):
            await retriever.answer(f'{web.origin}/', ASKED, research_mode='deep')
        assert web.asked.count(index) == 1
        # What it says is no evidence.
        assert retriever.collection.totals().documents == 2
    with site(PAGES) as web, fetching(web.origin) as retriever:
        for _ in range(2):
            await retriever.answer(f'{web.origin}/', ASKED, research_mode='deep')
        assert [web.asked.count(name) for name in (index, '/searchindex.js')] == [1, 1]
        monkeypatch.setattr(site_index, '_ASKED_AGAIN', timedelta(0))
        await retriever.answer(f'{web.origin}/', ASKED, research_mode='deep')
        assert [web.asked.count(name) for name in (index, '/searchindex.js')] == [2, 2]


async def test_it_is_looked_for_beside_the_first_page_and_at_the_root() -> None:
    docs = [{'location': 'docs/kaplan/', 'title': '', 'text': TEXTS['kaplan/']}]
    files = {'/docs/': PAGES['/'], '/docs/kaplan/': PAGES['/kaplan/'], '/docs/searchindex.js': b'{'}
    with site({**files, '/search/search_index.json': {'docs': docs}}) as web, fetching(web.origin) as retriever:
        await retriever.answer(f'{web.origin}/docs/', ASKED, research_mode='deep')
        assert web.asked == snapshot(
            [
                '/robots.txt',
                '/docs/',
                '/docs/search/search_index.json',
                '/docs/searchindex.js',
                '/search/search_index.json',
                '/docs/kaplan/',
            ]
        )


async def test_robots_txt_holds_for_an_index_and_for_its_pages() -> None:
    index = '/search/search_index.json'
    with site({**PAGES, index: MKDOCS, '/robots.txt': b'User-agent: *\nDisallow: /search/\n'}) as web:
        assert await read(web) == ['/']
        assert index not in web.asked
    with site({**PAGES, index: MKDOCS, '/robots.txt': b'User-agent: *\nDisallow: /kaplan/\n'}) as web:
        assert '/kaplan/' not in await read(web)
        assert '/kaplan/' not in web.asked


@pytest.mark.parametrize(
    'body',
    [
        b'{"docs": [{"location": ',
        b'[]',
        {'docs': 7},
        {'docs': []},
        {'docs': [{'location': 'http://ness.example/kaplan', 'title': 'Kaplan', 'text': ASKED}]},
        {'docs': [{'location': 'javascript:start()', 'title': 'Kaplan', 'text': ASKED}]},
        b' ' * int(site_index.MAX_MB * 1e6 + 1),
    ],
)
async def test_an_index_that_is_of_no_use_changes_nothing(body: Any) -> None:
    with site({**PAGES, '/search/search_index.json': body}) as web:
        assert await read(web) == ['/']


async def test_failures_are_counted() -> None:
    with site({'/search/search_index.json': b'{'}) as web, fetching(web.origin) as retriever:

        async def get(url: str) -> fetch.Response:
            return await fetch.get(url, retriever.settings, max_mb=site_index.MAX_MB)

        sites = SiteIndexes(retriever.collection, get)
        assert await sites.pages(StoredPage('', f'{web.origin}/'), ASKED, ()) == []
        assert sites.failures == 1
        assert await sites.pages(StoredPage('', ''), ASKED, ()) == []


def test_a_text_cannot_stand_for_another_page() -> None:
    texts = ['# p0 The mill', '```', '=====', '&lt;!-- x\n# p0', '\u2028# p0']
    docs = [{'location': f'{number}/', 'title': text, 'text': text} for number, text in enumerate(texts)]
    body = json.dumps({'docs': docs}).encode()
    text, pages = site_index._read(body, 'http://ness.example/search/search_index.json', 'http://ness.example/', '/')
    assert [line.split()[1] for line in text.splitlines() if line.startswith('#')] == ['p0', 'p1', 'p2', 'p3', 'p4']
    assert [link.url for link in pages] == [f'http://ness.example/{number}/' for number in range(5)]


@pytest.mark.parametrize('character', ['<', '[', ' ', '7', '#'])
def test_a_hostile_text_takes_no_long_time(character: str) -> None:
    body = json.dumps({'docs': [{'location': 'a/', 'title': character * 9, 'text': character * 200_000}]}).encode()
    started = time.process_time()
    site_index._read(body, 'http://ness.example/search/search_index.json', 'http://ness.example/', '/')
    assert time.process_time() - started < 1


@pytest.mark.parametrize('name', ['alltitles', 'terms'])
def test_a_file_that_names_one_word_for_many_pages_makes_no_endless_text(name: str) -> None:
    many = [[0, None]] * 100_000 if name == 'alltitles' else [0] * 100_000
    words = {**SPHINX, name: {'x' * 1_000_000: many}}
    base = 'http://ness.example/'
    text, _ = site_index._read(json.dumps(words).encode(), f'{base}searchindex.js', base, '/')
    assert len(text) < 11_000_000
