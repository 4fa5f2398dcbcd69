"""A small web in memory: pages, a collection that stores them, and a search by shares of words."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import anyio
import anyio.lowlevel

from summarizer_tool.documents.passage import Passage
from summarizer_tool.errors import FetchError, UnknownSourceError
from summarizer_tool.evidence.search.results import Hit, Query, SearchResult
from summarizer_tool.html.page import Link
from summarizer_tool.store.source import Source, StoreTotals
from summarizer_tool.text import terms
from summarizer_tool.text.addresses import key_of

ORIGIN = 'https://marn.example'


@dataclass(frozen=True)
class Leaf:
    """A page: paragraphs, and links by URL with what is shown of them, which may stand in a paragraph."""

    text: str
    links: tuple[tuple[str, str], ...] = ()
    moved_to: str = ''


@dataclass
class SmallWeb:
    """Fetches, stores and searches."""

    pages: dict[str, Leaf]
    fetched: list[str] = field(default_factory=list[str])
    stored: dict[str, tuple[Source, Leaf]] = field(default_factory=dict[str, tuple[Source, Leaf]])
    queries: list[Query] = field(default_factory=list[Query])

    # What an answer asks of a collection.

    def at(self, url: str, /) -> Source | None:
        return next((source for source, _ in [*self.stored.values()] if key_of(source.url) == key_of(url)), None)

    def source(self, source_id: str, /) -> Source:
        if source_id not in self.stored:
            raise UnknownSourceError(f'there is no source "{source_id}"')
        return self.stored[source_id][0]

    def links(self, source_id: str, /) -> tuple[Link, ...]:
        return _links(self.stored[source_id][1])

    def totals(self) -> StoreTotals:
        return StoreTotals(len(self.stored), 0, sum(source.tokens for source, _ in self.stored.values()))

    # What fetches and stores a page.

    async def add_page(self, url: str) -> Source:
        self.fetched.append(url)
        await anyio.lowlevel.checkpoint()
        leaf = self.pages.get(url)
        if leaf is None:
            raise FetchError(f'{url.removeprefix("https://")} answered HTTP 404', status=404)
        if leaf.moved_to:
            url, leaf = leaf.moved_to, self.pages[leaf.moved_to]
        return replace(self.keep(url, leaf), url=url)

    def keep(self, url: str, leaf: Leaf) -> Source:
        known = next((source for source, kept in self.stored.values() if kept.text == leaf.text), None)
        if known:
            return known
        # By its place in the web, whichever page comes first.
        number = [*self.pages, url].index(url) + 1
        now = datetime(2025, 5, 4, tzinfo=UTC)
        size = len(leaf.text)
        source = Source(f'src_{number:012x}', '', url, now, now, now, size, size // 4, leaf.text.count('\n') + 1)
        self.stored[source.id] = (source, leaf)
        return source

    # What searches: the score of a paragraph is 0.8 times the share of the question's words in it.

    async def search(self, query: Query) -> SearchResult:
        self.queries.append(query)
        await anyio.lowlevel.checkpoint()
        chosen = [self.stored[source_id] for source_id in query.source_ids or self.stored]
        hits = [
            Hit(passage, _share(part, passage), part if query.parts else '')
            for part in query.parts or (query.text,)
            for source, leaf in chosen
            for passage in _passages(source, leaf)
        ]
        sources = tuple(source for source, _ in chosen)
        count = sum(len(_passages(source, leaf)) for source, leaf in chosen)
        if sum(source.tokens for source in sources) <= query.room:
            whole = tuple(Hit(passage, 0.0) for source, leaf in chosen for passage in _passages(source, leaf))
            return SearchResult(whole, sources, len(chosen), count, count, is_full_context=True, ranking='none')
        best = sorted((hit for hit in hits if hit.score), key=lambda hit: -hit.score)
        at = [hit.passage.source_id for hit in best]
        order = sorted({*at}, key=at.index)
        return SearchResult(
            tuple(best[: query.top_k]),
            tuple(self.stored[source_id][0] for source_id in order),
            len(chosen),
            count,
            len(best),
        )


def leaf(text: str, *links: tuple[str, str], moved_to: str = '') -> Leaf:
    """A page with links as `(path or URL, text)`."""
    whole = ((url if '://' in url else ORIGIN + url, shown) for url, shown in links)
    return Leaf(text, tuple(whole), moved_to)


def web(pages: dict[str, Leaf]) -> SmallWeb:
    """A web of pages by path or URL."""
    return SmallWeb({place if '://' in place else ORIGIN + place: page for place, page in pages.items()})


def _links(page: Leaf) -> tuple[Link, ...]:
    return tuple(_link(page.text.split('\n'), *link) for link in page.links)


def _link(lines: list[str], url: str, shown: str) -> Link:
    """A link with the heading above it and the rest of its line, if it stands in one that is no row of a table."""
    place = next((at for at, line in enumerate(lines) if shown in line), 0)
    section = next((line.lstrip('# ') for line in lines[:place] if line.startswith('#')), '')
    line = lines[place]
    is_alone = shown not in line or line == shown or line.startswith('|')
    return Link(url, shown, section, '' if is_alone else line)


def _passages(source: Source, page: Leaf) -> list[Passage]:
    return [
        Passage(number, source.id, number, 2 * number - 1, 2 * number - 1, 0, (), text)
        for number, text in enumerate(page.text.split('\n\n'), 1)
    ]


def _share(part: str, passage: Passage) -> float:
    wanted = terms.asked(part).terms
    held = terms.terms_of(passage.text)
    return round(0.8 * sum(term in held for term in wanted) / len(wanted), 3) if wanted else 0.0
