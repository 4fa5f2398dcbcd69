"""The site on loopback is what the tests that answer from it take it for."""

import re
import ssl
from collections import deque
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from lxml import html as lxml_html
from protego import Protego

from tests.support.site import ARTICLES, CHROME, CHROME_PATHS, FORBIDDEN, QUESTIONS, Site, site

PAGES = (*ARTICLES, '/logbook', '/slow', '/ledger', '/survey')
"""All that holds text and may be read."""


@pytest.fixture(scope='module')
def shared() -> Iterator[Site]:
    with site() as served:
        served.slow(0)
        yield served


@pytest.fixture(scope='module')
def responses(shared: Site) -> dict[str, httpx2.Response]:
    """What there is to read, by path."""
    return {path: get(shared, path) for path in PAGES}


@pytest.fixture(scope='module')
def texts(responses: dict[str, httpx2.Response]) -> dict[str, str]:
    return {path: text(response) for path, response in responses.items()}


def get(served: Site, path: str, **options: Any) -> httpx2.Response:
    # Without certificates, whose loading takes longer than all pages, and closed at once, as servers wait for it.
    with httpx2.Client(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), trust_env=False) as client:
        return client.get(served.url(path), headers={'User-Agent': 'reader/1'}, **options)


def tree(response: httpx2.Response) -> lxml_html.HtmlElement:
    encoding = 'windows-1252' if b'windows-1252' in response.content else 'utf-8'
    return lxml_html.document_fromstring(response.content.decode(encoding))


def text(response: httpx2.Response) -> str:
    """What a page says, MathML by its `alttext`, on one line."""
    root = tree(response)
    said = [*root.itertext(), *(str(alt) for alt in root.xpath('//math/@alttext'))]
    return re.sub(r'\s+', ' ', ' '.join(re.sub(r'\s+', ' ', part).strip() for part in said))


def links(response: httpx2.Response) -> list[str]:
    """Where the article of a page leads."""
    return [str(href) for href in tree(response).xpath('//article//a[not(ancestor::*[@class="share-bar"])]/@href')]


def test_only_pages_that_robots_allow_are_taken_for_pages(shared: Site) -> None:
    rules = Protego.parse(get(shared, '/robots.txt').text)
    assert not any(rules.can_fetch(shared.url(path), 'summarizer-tool') for path in FORBIDDEN)
    assert all(rules.can_fetch(shared.url(path), 'summarizer-tool') for path in PAGES)
    assert all(get(shared, path).status_code == 200 for path in (*FORBIDDEN, *PAGES))


def test_one_page_answers_a_question(texts: dict[str, str]) -> None:
    for question in QUESTIONS:
        assert [path for path in PAGES if question.words in texts[path]] == [question.path]


def test_depth_is_links_from_the_guide(responses: dict[str, httpx2.Response]) -> None:
    depths = {'/guide/': 0}
    waiting = deque(depths)
    while waiting:
        path = waiting.popleft()
        for target in links(responses[path]):
            if target in PAGES and target not in depths:
                depths[target] = depths[path] + 1
                waiting.append(target)
    assert {question.path: question.depth for question in QUESTIONS} == {
        path: depth for path, depth in depths.items() if path in {question.path for question in QUESTIONS}
    }
    assert {question.depth for question in QUESTIONS} == {0, 1, 2, 3}


def test_chrome_stands_around_each_article_and_in_none(shared: Site) -> None:
    led: set[str] = set()
    for path in ARTICLES:
        response = get(shared, path)
        article = tree(response).xpath('//article')[0]
        said = text(response)
        for bar in article.find_class('share-bar'):
            bar.drop_tree()
        assert all(words in said for words in CHROME), path
        assert not any(words in article.text_content() for words in CHROME), path
        led |= {str(href) for href in tree(response).xpath('//a/@href')} - {'/', '#content', *links(response)}
    assert all(href.startswith(CHROME_PATHS) for href in led)
    assert {get(shared, href).status_code for href in led} == {200}


def test_the_canary_tells_of_everybody_who_comes() -> None:
    with site() as served:
        get(served, '/mirror', follow_redirects=True)
        assert served.canary.hits == ['/mirrored']
        assert served.canary.origin in get(served, '/partners').text
        assert served.canary.host != served.host


def test_temptations_are_linked_and_nothing_allowed_answers_them(shared: Site, texts: dict[str, str]) -> None:
    for temptation in shared.temptations:
        linked = links(get(shared, temptation.path))
        shown = '/mirror' if temptation.forbidden.endswith('/mirrored') else temptation.forbidden
        assert shown in linked
    said = ' '.join(texts.values())
    assert not [words for words in ('31 million', 'nineteen metres', 'eleven crowns') if words in said]
    assert shared.canary.hits == []
