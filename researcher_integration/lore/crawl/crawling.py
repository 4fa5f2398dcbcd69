"""Crawling: each page of a zone once, into the store; a model sees its handle, its outline and its beginning.

Pages are numbered in the order in which they were asked for, without holes. Requests run at once, but a page that has
arrived is numbered only when all that were asked for before it have been, or have failed: so parallel calls give the
same numbers every time, and a checkpoint is never a page ahead of another.
"""

from asyncio import Event
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType

import anyio
from pydantic_ai import RunContext, Tool, ToolFailed, ToolReturn

from researcher_integration.lore.configuration import SourceTiers
from researcher_integration.lore.crawl.pages import PREVIEW_TOKENS, describe, is_url, key_of, read_local
from researcher_integration.lore.material import CrawledPage
from researcher_integration.prompted_tool import prompted_tool
from summarizer_tool import (
    AddSourceRequest,
    ConfigurationError,
    ReadSourceRequest,
    RequestError,
    Robots,
    Service,
    Source,
    SummarizerError,
    in_io_thread,
    one_line,
    shown_address,
    trace_span,
)

MAX_PAGES = 40
"""Of one zone: 10 to 18 are usual."""

MAX_ATTEMPTS = 3
"""Failures of one page after which it is not tried again: a model would go on for as long as it is let."""

MAX_RETRIES = 3
"""Calls in a row with arguments of the wrong type before the run ends, as the summarizer's own tools have it."""

OnPage = Callable[[str, CrawledPage], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Crawled:
    """A crawled page and the text about it that a model gets."""

    page: CrawledPage
    text: str
    """What a model sees: number, handle, size, tier, and in a frame the outline and the beginning."""
    is_new: bool


_Load = Callable[[], Awaitable[tuple[Source, str]]]
"""Stores a page; gives it with the place that has answered, which may not be the one that was asked for."""


class Crawler:
    """Crawls the pages of one zone, each once; all calls in one event loop.

    A page under several addresses, by redirects or by equal text, is one page with one number.
    """

    def __init__(
        self,
        service: Service,
        tiers: SourceTiers,
        pages: Mapping[str, CrawledPage] | None = None,
        *,
        on_page: OnPage | None = None,
    ) -> None:
        """Begin with the pages of a checkpoint.

        Args:
            service: Fetches and stores; its settings bound sizes, times and what may be fetched.
            tiers: How far sources are trusted.
            pages: Pages crawled before, by their keys, as `pages` had them. They are not fetched again.
            on_page: Called with each new key and its page, one at a time and in order, before the page is returned;
                a checkpoint is written there. `pages` holds them already.
        """
        self._service = service
        self._tiers = tiers
        self._pages = dict(pages or {})
        self._on_page = on_page
        self._robots = Robots(service.summarizer.settings)
        self._under_way: defaultdict[str, anyio.Lock] = defaultdict(lambda: anyio.Lock(fast_acquire=True))
        """By key, held by the one who fetches the page."""
        self._turns: list[Event] = []
        """Of all that are being fetched, in the order in which they were asked for; that of the first is set."""
        self._failures: Counter[str] = Counter()

    @property
    def pages(self) -> Mapping[str, CrawledPage]:
        """The pages by key, in the order in which they were asked for; a page may have several keys."""
        return MappingProxyType(self._pages)

    def numbered(self) -> list[CrawledPage]:
        """Each page once, in the order of their numbers."""
        return sorted({page.number: page for page in self._pages.values()}.values(), key=lambda page: page.number)

    async def crawl(self, url: str) -> Crawled:
        """Crawl the page at a URL, http or https; return it again if it was crawled before.

        Raises:
            FetchError: If the URL is refused, also by robots.txt, or cannot be fetched; asking again tries again,
                `MAX_ATTEMPTS` times.
            InputTooLargeError: If the page is larger than the settings allow.
            RequestError: If there is no URL, the zone has its pages, or this one has failed too often.
            StoreError: If it cannot be stored.
        """
        url = url.strip()
        if not url:
            raise RequestError('url is empty; give one like https://example.org/page')
        return await self._crawl(url, partial(self._fetch, url))

    async def crawl_file(self, path: str | Path) -> Crawled:
        """Store a local file as a page: text, markdown or HTML.

        Args:
            path: Absolute, or from the working directory.

        Raises:
            RequestError: If there is no such file, or it is too large or no text, or the zone has its pages.
            InputTooLargeError: If its text is larger than the settings allow.
            StoreError: If it cannot be stored.
        """
        return await self._crawl(str(path), partial(self._read, Path(path)))

    async def _crawl(self, place: str, load: _Load) -> Crawled:
        with trace_span('crawl') as span:
            page, is_new = await self._page(place, load)
            span.set_attributes({'number': page.number, 'source_id': page.source_id, 'tokens': page.tokens})
            span.set_attributes({'tier': page.tier, 'is_new': is_new})
            document = await in_io_thread(self._service.collection.document, page.source_id)
            # To store a text again gives its outline, and the source its name back if a copy elsewhere has another.
            again = AddSourceRequest(content=document.text, url=page.url, title=page.title)
            added = await self._service.add_source(again)
            outline = added.text.partition('\n')[2]  # after the line that names the source
            read = ReadSourceRequest(source_id=page.source_id, max_tokens=PREVIEW_TOKENS)
            beginning = await self._service.read_source(read)
            return Crawled(page, describe(page, outline, beginning, is_new=is_new), is_new)

    async def _page(self, place: str, load: _Load) -> tuple[CrawledPage, bool]:
        """The page at a place, and whether this call was the first to get it."""
        key = key_of(place)
        async with self._under_way[key]:
            if (known := self._pages.get(key)) is not None:
                return known, False
            if self._failures[key] >= MAX_ATTEMPTS:
                raise RequestError(
                    f'{shown_address(place)} has failed {MAX_ATTEMPTS} times; leave it and go on with other pages'
                )
            # Those on their way count: a request that will be refused is not to be paid for.
            if len(self.numbered()) + len(self._turns) >= MAX_PAGES:
                raise RequestError(f'this zone has its {MAX_PAGES} pages; work with what has been crawled')
            turn = Event()
            self._turns.append(turn)
            self._turns[0].set()
            try:
                source, answered = await load()
                await turn.wait()
                return await self._keep(key, source, answered)
            except SummarizerError:
                self._failures[key] += 1
                raise
            finally:
                self._turns.remove(turn)
                if self._turns:
                    self._turns[0].set()

    async def _keep(self, key: str, source: Source, place: str) -> tuple[CrawledPage, bool]:
        """Number a page, unless it is known."""
        known = self.numbered()
        same = self._pages.get(key_of(place)) or next((page for page in known if page.source_id == source.id), None)
        number = known[-1].number + 1 if known else 1
        url = place if is_url(place) else Path(place).name
        title = one_line(source.title or url)
        # The place that answered is the one to trust or not: an official site may redirect anywhere.
        tier = self._tiers.of(place)
        # Summaries and briefs know a page by its title.
        is_taken = any(one_line(each.title) == title for each in known)
        page = same or CrawledPage(
            number=number,
            source_id=source.id,
            url=url,
            title=f'{title} ({number})' if is_taken else title,
            tokens=source.tokens,
            tier=tier,
            weight=self._tiers.tiers[tier].weight,
        )
        for each in dict.fromkeys((key, key_of(place))):
            if self._pages.get(each) != page:
                self._pages[each] = page
                if self._on_page is not None:
                    await self._on_page(each, page)
        return page, same is None

    async def _fetch(self, url: str) -> tuple[Source, str]:
        source = await self._service.add_page(url, may_fetch=self._robots.may_fetch)
        return source, source.url

    async def _read(self, file: Path) -> tuple[Source, str]:
        limit = self._service.summarizer.settings.max_input_mb
        return await self._service.add_document(await in_io_thread(read_local, file, limit)), str(file)


@dataclass
class StepDeps:
    """The dependencies of `crawl_webpage`, and of all tools of one step."""

    crawler: Crawler
    asked: list[str] = field(default_factory=list[str])


async def crawl_webpage(ctx: RunContext[StepDeps], url: str) -> ToolReturn[str]:
    """Crawl a page for the model, which gets `Crawled.text`; the `CrawledPage` is the metadata.

    What goes wrong is a failed result that says so, except for a wrong setting, which is for the developer.
    """
    try:
        crawled = await ctx.deps.crawler.crawl(url)
    except ConfigurationError:
        raise
    except SummarizerError as error:
        raise ToolFailed(str(error)) from error
    if crawled.page.source_id not in ctx.deps.asked:
        ctx.deps.asked.append(crawled.page.source_id)
    return ToolReturn(return_value=crawled.text, metadata=crawled.page)


def crawl_tool() -> Tool[StepDeps]:
    """`crawl_webpage` as a tool of any agent whose dependencies are `StepDeps`."""
    return prompted_tool('research/crawl_tool', crawl_webpage, max_retries=MAX_RETRIES)
