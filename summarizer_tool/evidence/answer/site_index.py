"""Which pages of a site have what is asked for, by what its generator publishes for the search of its visitors.

That is the text of all pages (MkDocs), or the words of each (Sphinx), in one file beside the first page. It comes from
a stranger and may be old: it ranks pages, which are fetched by the same rules as any other, and nothing of it is shown.
"""

import html
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from urllib.parse import urljoin

import anyio
import regex
from pydantic import BaseModel

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.passage import Passage
from summarizer_tool.errors import StoreError, SummarizerError
from summarizer_tool.evidence.answer.page_loading import StoredPage
from summarizer_tool.evidence.search.results import Query
from summarizer_tool.evidence.search.search import search
from summarizer_tool.html.page import Link
from summarizer_tool.runtime.executors import in_io_thread, in_process, in_thread
from summarizer_tool.store import index
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source import Source
from summarizer_tool.text import names, word_vectors
from summarizer_tool.text.addresses import origin_of, without_fragment
from summarizer_tool.text.terms import LONGEST_TERM
from summarizer_tool.web.fetch import Response

MAX_MB = 5.0
"""Of one file."""

_MOST_TEXT = int(2 * MAX_MB * 1e6)
"""Characters that are made of one file: it may name one word for a million pages."""

MAX_PAGES = 3000
"""Of one site: as many as the store keeps links of a source."""

_SECONDS = 10.0
"""For all requests to one site, the pauses it asks for included."""

_HITS = 200
"""Passages of a site that are found by their words."""

_NEAR = 2000
"""Passages of a site that are ranked by what their words mean as well, whichever these are."""

_READ = 1000
"""Characters of a passage that count there."""

_ASKED_AGAIN = timedelta(hours=1)
"""After which a site that had no such file is asked for it once more."""

_TAG = regex.compile('<[^<>]*>')
_NO_TEXT_FIRST = '#=~`>|-*+_: '
"""What makes something else than a paragraph of a line that begins with it."""

_Part = tuple[str, str, str]
"""Of a page: where it is, as the file says it, a heading, and the text below."""

Get = Callable[[str], Awaitable[Response]]
"""Asks for a URL, within the rules about addresses and robots.txt, for at most `MAX_MB`."""


class _Section(BaseModel):
    location: str
    title: str = ''
    text: str = ''


class _MkDocs(BaseModel):
    docs: list[_Section]

    def parts(self, _ending: str) -> Iterator[_Part]:
        return ((each.location, each.title, _TAG.sub(' ', each.text)) for each in self.docs)


class _Sphinx(BaseModel):
    docnames: list[str]
    titles: list[str]
    terms: dict[str, int | list[int]]
    titleterms: dict[str, int | list[int]] = {}
    alltitles: dict[str, list[tuple[int, str | None]]] = {}

    def parts(self, ending: str) -> Iterator[_Part]:
        words: defaultdict[int, list[str]] = defaultdict(list)
        for term, pages in (*self.titleterms.items(), *self.terms.items()):
            for page in pages if isinstance(pages, list) else [pages]:
                words[page].append(term[:LONGEST_TERM])
        places: dict[int, str] = {}
        for page, (name, title) in enumerate(zip(self.docnames, self.titles, strict=False)):
            is_folder = name == 'index' or (ending == '/' and name.endswith('/index'))
            places[page] = name.removesuffix('index') if is_folder else f'{name}{ending}'
            yield places[page], title, ' '.join(words[page])
        for heading, where in self.alltitles.items():
            yield from ((places[page], heading, '') for page, _ in where if page in places)


_FILES: dict[str, type[_MkDocs | _Sphinx]] = {'search/search_index.json': _MkDocs, 'searchindex.js': _Sphinx}
"""Where the file is, from the first page of the site."""


class SiteIndexes:
    """What sites have published, kept with a collection but apart from it, where nobody else looks."""

    def __init__(self, collection: Collection, get: Get) -> None:
        self._kept = Collection(collection.database, f'{collection.name}\nsite indexes')
        self._get = get
        self.failures = 0
        """Files that could not be had, or read; one that there is not is no failure."""

    async def pages(self, first: StoredPage, question: str, parts: tuple[str, ...]) -> list[tuple[str, float]]:
        """The pages of a site that have what is asked for, best first, with a value over 0.

        Of a site that is not known yet the files are asked for beside this page, and at the root of its host.
        """
        origin, known = origin_of(first.url), None
        with anyio.move_on_after(_SECONDS):
            for base in dict.fromkeys((urljoin(first.url, '.'), f'{origin}/') if origin else ()):
                for name in _FILES:
                    known = known or await self._known(base, name, first.links)
        if known is None:
            return []
        hits = (await search(self._kept, Query(question, parts, source_ids=(known.id,), top_k=_HITS))).hits
        worth = {hit.passage.id: hit.value for hit in hits}
        urls, first_ones = await in_io_thread(self._of, known.id)
        passages = [*{each.id: each for each in (*first_ones, *(hit.passage for hit in hits))}.values()]
        meanings = await in_thread(_meanings, passages, question)
        found: dict[str, float] = {}
        for passage, meaning in zip(passages, meanings, strict=True):
            url = urls.get(passage.path[0].partition(' ')[0]) if passage.path else None
            value = worth.get(passage.id, 0.0) + meaning
            if url and value > found.get(url, 0.0):
                found[url] = value
        return sorted(found.items(), key=lambda page: -page[1])

    def _of(self, source_id: str) -> tuple[dict[str, str], list[Passage]]:
        """The pages of a site by their numbers, and its first passages."""
        with self._kept.database.read() as db:
            passages = index.passages_of_source(db, self._kept.name, source_id)[:_NEAR]
        return {f'p{number}': link.url for number, link in enumerate(self._kept.links(source_id))}, passages

    async def _known(self, base: str, name: str, links: Sequence[Link]) -> Source | None:
        """What is in one file of a site, fetched unless it is kept; `None` where nothing is, which is kept, too."""
        url = f'{base}{name}'
        kept = await in_io_thread(self._kept.at, url)
        if kept is None or (kept.lines == 1 and datetime.now(UTC) - kept.used_at > _ASKED_AGAIN):
            text, pages = url, list[Link]()
            # Sphinx does not say whether its pages are files or folders.
            is_folders = any(link.url.startswith(base) and link.url.endswith('/') for link in links)
            try:
                answer = await self._get(url)
                if 200 <= answer.status < 300:
                    text, pages = await in_process(_read, answer.body, url, base, '/' if is_folders else '.html')
                self.failures += answer.status >= 500
            except (SummarizerError, ValueError):
                self.failures += 1
            with suppress(StoreError):
                kept = await in_io_thread(self._kept.add, Document(text, url=url), links=pages)
        return kept if kept and kept.lines > 1 else None


def _read(body: bytes, url: str, base: str, ending: str) -> tuple[str, list[Link]]:
    """A text in which each page of a file is a section, numbered from 0, and where these pages are."""
    start, end = body.find(b'{'), body.rfind(b'}')  # a script has a call around it
    pages: defaultdict[str, list[str]] = defaultdict(list)
    read = _FILES[url.removeprefix(base)].model_validate_json(body[start : end + 1])
    room = _MOST_TEXT
    for place, title, text in read.parts(ending):
        room -= len(title) + len(text)
        if room < 0:
            break
        page = without_fragment(urljoin(base, place))
        if page in pages or (len(pages) < MAX_PAGES and origin_of(page) == origin_of(base)):
            pages[page].append(f'{_line(title)}\n\n{_line(text)}')
    texts = ('\n\n## '.join((f'# p{number} {parts[0]}', *parts[1:])) for number, parts in enumerate(pages.values()))
    return '\n\n'.join((url, *texts)), [*map(Link, pages)]


def _meanings(passages: Sequence[Passage], question: str) -> list[float]:
    return word_vectors.nearness([names.words(each.under('')[:_READ]) for each in passages], question)


def _line(text: str) -> str:
    return ' '.join(html.unescape(text).split()).lstrip(_NO_TEXT_FIRST)
