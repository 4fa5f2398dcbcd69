"""Get the pages of one answer, several at once, and keep account of each: what it gave, or why it gave nothing."""

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import anyio
from anyio import CapacityLimiter

from summarizer_tool.errors import SummarizerError
from summarizer_tool.runtime.executors import in_io_thread
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source import Source
from summarizer_tool.text.addresses import host_of, key_of, without_fragment

StopReason = Literal[
    'fast mode',
    'enough evidence',
    'plateau',
    'no promising links',
    'expansion budget',
    'deadline',
    'nothing fetched',
]


@dataclass(frozen=True, slots=True)
class TracePage:
    """One page that an answer fetched, or tried to."""

    url: str
    depth: int = 0
    """0: named by the caller."""
    source_id: str = ''
    """Where it is stored; empty if it failed."""
    failure: str = ''
    """Why there is no text of it; empty if there is."""


MAX_AT_ONCE = 5
"""Pages that are fetched at the same time."""

_MAX_PER_HOST = 2
"""Of these, from one host."""

_LOST_AFTER = 2
"""Failures after which a host that has given nothing is not asked again."""

NOT_IN_TIME = 'the deadline came before it was there; ask again, or give the call more time'


AddPage = Callable[[str], Awaitable[Source]]
"""Fetches one URL and stores the page; raises a `SummarizerError` (`FetchError`) where that fails.

It keeps the rules about addresses and robots.txt, redirects included: nothing else here does.
"""


class PageLoader:
    """The pages of one answer, in the order in which they were asked for."""

    def __init__(self, stored: Collection, add_page: AddPage) -> None:
        self._stored = stored
        self._add_page = add_page
        self._hosts: defaultdict[str, CapacityLimiter] = defaultdict(lambda: CapacityLimiter(_MAX_PER_HOST))
        self._all = CapacityLimiter(MAX_AT_ONCE)
        self._tokens: dict[str, int] = {}
        self.pages: list[TracePage] = []
        """All that was asked for."""
        self.seen: set[str] = set()
        """Keys of the URLs that were asked for, and of those that answered."""

    @property
    def source_ids(self) -> tuple[str, ...]:
        """The sources that are there, each once."""
        return tuple(self._tokens)

    @property
    def tokens(self) -> int:
        """Of these sources together."""
        return sum(self._tokens.values())

    @property
    def lost_hosts(self) -> frozenset[str]:
        """Hosts that have failed and given nothing."""
        giving = {host_of(page.url) for page in self.pages if not page.failure}
        failures = Counter(host_of(page.url) for page in self.pages if page.failure)
        return frozenset(host for host, count in failures.items() if count >= _LOST_AFTER and host not in giving)

    async def get(
        self, wanted: Sequence[TracePage], *, on_done: Callable[[int], None] = lambda _: None
    ) -> list[tuple[int, Source]]:
        """Get pages, of which URL (or handle) and depth are given, at once, unless they were asked for before.

        Calls `on_done` with the number of pages that are done, after each. Returns the pages that are there and were
        not before, each with its place in the trace, in the order of `wanted`; a failure is in the trace.
        """
        fresh: dict[str, TracePage] = {}
        for page in wanted:
            if (key := key_of(page.url)) not in self.seen:
                # What is not replaced was not there in time.
                fresh.setdefault(key, replace(page, url=without_fragment(page.url), failure=NOT_IN_TIME))
        self.seen.update(fresh)
        outcomes: list[tuple[TracePage, Source | None]] = [(page, None) for page in fresh.values()]
        done = 0

        async def get_one(place: int) -> None:
            nonlocal done
            outcomes[place] = await self._one(outcomes[place][0])
            done += 1
            on_done(done)

        there: list[tuple[int, Source]] = []
        try:
            async with anyio.create_task_group() as group:
                for place in range(len(outcomes)):
                    group.start_soon(get_one, place)
        finally:
            # When the deadline comes this is left by cancellation; what is there by then counts.
            for record, source in outcomes:
                self.pages.append(record)
                if source is not None and source.id not in self._tokens:
                    there.append((len(self.pages) - 1, source))
                    self._tokens[source.id] = source.tokens
        return there

    async def _one(self, page: TracePage) -> tuple[TracePage, Source | None]:
        try:
            if source := await in_io_thread(self._stored_at, page.url):
                page = replace(page, url=source.url or page.url)
            else:
                async with self._hosts[host_of(page.url)], self._all:
                    source = await self._add_page(page.url)
        except SummarizerError as error:
            return replace(page, failure=str(error)), None
        self.seen.add(key_of(source.url or page.url))
        return replace(page, source_id=source.id, failure=''), source

    def _stored_at(self, place: str) -> Source | None:
        """The source that a place names, if it is stored; raises `UnknownSourceError` for a handle that is not."""
        return self._stored.source(place) if is_handle(place) else self._stored.at(place)


def is_handle(place: str) -> bool:
    """Return whether a place is the handle of a source rather than a URL."""
    return place.strip().casefold().removeprefix('source://').startswith('src_')
