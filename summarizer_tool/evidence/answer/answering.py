"""Answer a question from pages: get them, search them, judge what was found, and follow links while that is not enough.

Nothing here writes the answer. What comes out is evidence, with an account of where it was looked for and why the
looking stopped.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field

from summarizer_tool import telemetry
from summarizer_tool.errors import RequestError
from summarizer_tool.evidence import sub_queries
from summarizer_tool.evidence.answer import links, sufficiency
from summarizer_tool.evidence.answer.links import Reference
from summarizer_tool.evidence.answer.page_loading import AddPage, PageLoader, StopReason, TracePage
from summarizer_tool.evidence.answer.sufficiency import Judgement
from summarizer_tool.evidence.question import AnswerRequest, QuestionTopic, check, scope_of, topic_of
from summarizer_tool.evidence.search.results import Query, SearchResult
from summarizer_tool.llm.options import DEFAULT_OPTIONS, RequestOptions
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_io_thread, in_thread
from summarizer_tool.settings import Settings
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source import Source
from summarizer_tool.text.addresses import host_of

TOP_K = 40
"""Passages that an answer looks for; its brief has room for about a hundred."""

MAX_NAMED = 50
"""Pages that one question may name."""

RESERVED_SECONDS = 2.0
"""Of the deadline, for the last search and for what is made of it."""

_PATIENCE = 2
_THOROUGH_PATIENCE = 4
"""Rounds without gain after which an answer that is not enough stops; the latter in the deep mode."""

_AS_GOOD = 0.5
"""What a link must be worth to be followed in one round with a better one, of what that is worth."""

_MAX_STARTS = 5
"""Sources whose links are followed where no page was named: those of the best hits."""

Search = Callable[[Query], Awaitable[SearchResult]]


@dataclass(frozen=True, slots=True)
class GatheredEvidence:
    """The evidence for an answer."""

    found: SearchResult
    parts: tuple[str, ...]
    """The sub-queries; the question itself where it asks but one thing."""
    pages: tuple[TracePage, ...]
    """All that was fetched, in order."""
    rounds: int
    """Of following links; 0 in the fast mode."""
    stop_reason: StopReason
    source_ids: tuple[str, ...]
    """The sources that were named or fetched. Where none was named, all of the collection was searched beside them."""
    is_partial: bool
    """Whether the deadline came before all was done."""

    @property
    def failures(self) -> tuple[TracePage, ...]:
        """The pages of which there is no text."""
        return tuple(page for page in self.pages if page.failure)


@dataclass(slots=True)
class Answerer:
    """Answers one question from a collection: it looks, then finishes, with whatever looking came to."""

    stored: Collection
    settings: Settings
    """For the bounds of following links."""
    request: AnswerRequest
    _: KW_ONLY
    room: int = 0
    """Tokens that all of the sources together may have to be given whole; 0: never."""
    add_page: AddPage
    """Fetches and stores one page, within the rules about addresses and robots.txt."""
    search: Search
    """Searches the collection."""
    options: RequestOptions = DEFAULT_OPTIONS
    """For its deadline, by which there is what there is, and its progress: each page and each phase, in numbers."""

    gathering: PageLoader = field(init=False)
    parts: tuple[str, ...] = field(default=(), init=False)
    is_named: bool = field(default=False, init=False)
    """Whether pages were named, to which the search keeps; else all of the collection is searched."""
    stop_reason: StopReason = field(default='fast mode', init=False)
    found: SearchResult = field(default=SearchResult((), (), 0, 0, 0), init=False)
    is_current: bool = field(default=False, init=False)
    """Whether that is of all pages that are there."""
    judgement: Judgement = field(default_factory=Judgement, init=False)
    references: list[Reference] = field(default_factory=list[Reference], init=False)
    rounds: int = field(default=0, init=False)
    stalled: int = field(default=0, init=False)
    """Rounds in a row that have brought nothing."""

    async def answer(self, places: Sequence[str]) -> GatheredEvidence:
        """Gather the evidence for the question from pages and stored sources, or from all of the collection.

        Every failure is in the account of the result; where nothing could be had there are no hits.

        Raises:
            RequestError: If the question is blank, or it or what goes with it is too long, or over `MAX_NAMED` pages
                are named.
        """
        named = [place.strip() for place in places if place.strip()]
        check(self.request.query, intent=self.request.intent, constraints=self.request.rules)
        if len(named) > MAX_NAMED:
            raise RequestError(f'{len(named)} URLs are named, over {MAX_NAMED}; ask about fewer at a time')
        with telemetry.span('gather evidence', mode=self.request.research_mode, named=len(named)):
            deadline = self.options.deadline or Deadline(self.settings.deadline_seconds)
            deadline.reserve(RESERVED_SECONDS)
            self.gathering = PageLoader(self.stored, self.add_page)
            self.parts = await in_thread(sub_queries.split, self.request.query)
            self.is_named = bool(named)
            with deadline.calling() as looking:
                await self._look(named)
            with deadline.answering() as finishing:
                await self._finish()
            is_late = looking.cancelled_caught or finishing.cancelled_caught
            return GatheredEvidence(
                self.found,
                self.parts,
                tuple(self.gathering.pages),
                self.rounds,
                'deadline' if is_late else self.stop_reason,
                self.gathering.source_ids,
                is_late,
            )

    @property
    def budget(self) -> int:
        """Pages that may be had by following links."""
        most = self.settings.answer_max_pages
        given = self.request.expansion_budget
        return most if given is None else min(given, most)

    @property
    def is_settled(self) -> bool:
        """Whether there is enough for who wants no more."""
        return self.request.research_mode == 'auto' and self.judgement.is_enough

    @property
    def followed(self) -> int:
        """Pages that were had so; of those that failed every other one counts, so that there is an end."""
        failed = [bool(page.failure) for page in self.gathering.pages if page.depth]
        return len(failed) - (sum(failed) + 1) // 2

    async def _look(self, named: Sequence[str]) -> None:
        """Get the pages, search them, and follow links until there is a reason to stop."""
        pages = await self._fetch(named)
        if self.is_named and not self.gathering.source_ids:
            self.stop_reason = 'nothing fetched'
            return
        await self._refer(pages)
        await self._look_at_all()
        if self.found.documents == 0 and not self.is_named:
            self.stop_reason = 'nothing fetched'
        elif self.request.research_mode != 'fast':
            if not pages:  # the sources of the best hits stand for them
                best = [TracePage(source.id) for source in self.found.sources[:_MAX_STARTS]]
                await self._refer(await self.gathering.get(best))
            await self._expand()

    async def _finish(self) -> None:
        """Find what was added last, and give the sources whole if they have room.

        Where the deadline cuts this off, what was found before is there.
        """
        room, is_anything = self.room, bool(self.gathering.source_ids) or not self.is_named
        every = self.gathering if self.is_named or not room else await in_io_thread(self.stored.totals)
        if is_anything and (not self.is_current or every.tokens <= room):
            self.found = await self.searched(room)
        self.options.tell('assemble', f'{len(self.found.hits)} passages found', 0)

    async def _fetch(self, named: Sequence[str]) -> list[tuple[int, Source]]:
        wanted = [TracePage(place) for place in dict.fromkeys(named)]
        total = len(wanted)

        def report(done: int) -> None:
            self.options.tell('fetch', f'{done} of {total} pages done', done, total)

        if wanted:
            report(0)
        pages = await self.gathering.get(wanted, on_done=report)
        if wanted:
            there = len(self.gathering.source_ids)
            self.options.tell('index', f'{there} sources in the index', there, there)
        return pages

    async def _look_at_all(self) -> None:
        self.found = await self.searched(0)
        self.judgement = await in_thread(sufficiency.judge, self.found.hits, self.parts)
        self.is_current = True
        self.options.tell('search', f'{len(self.found.hits)} passages found', self.rounds + 1, self.rounds + 1)

    async def searched(self, room: int) -> SearchResult:
        """What is there for the question, ranked, or whole if it has room of so many tokens."""
        parts = self.parts if len(self.parts) > 1 else ()
        source_ids = self.gathering.source_ids if self.is_named else ()
        return await self.search(Query(self.request.query, parts, self.request.aside, source_ids, TOP_K, room))

    async def _expand(self) -> None:
        """Follow the most promising links, round by round."""
        while True:
            candidates = await in_thread(self._candidates)
            reason = self._exhausted(candidates)
            if reason is not None:
                self.stop_reason = reason
                return
            self.rounds += 1
            self.is_current = False
            before = self.judgement.score
            await self._refer(await self._follow(candidates))
            await self._look_at_all()
            has_gained = self.judgement.score - before >= sufficiency.LEAST_GAIN
            self.stalled = 0 if has_gained else self.stalled + 1

    def _exhausted(self, candidates: Sequence[Reference]) -> StopReason | None:
        """Why no more links can, or need be followed."""
        if not candidates:
            return 'enough evidence' if self.is_settled else 'no promising links'
        if self.followed >= self.budget:
            return 'enough evidence' if self.is_settled else 'expansion budget'
        if not self.judgement.is_hopeful:
            return None
        patience = _THOROUGH_PATIENCE if self.request.research_mode == 'deep' else _PATIENCE
        patience = 1 if self.judgement.is_enough else patience
        return 'plateau' if self.stalled >= patience else None

    def _candidates(self) -> list[Reference]:
        within, lost = scope_of(self.request.rules), self.gathering.lost_hosts
        found = links.promising(
            self.references,
            self._topic(),
            seen=self.gathering.seen,
            allows=lambda url: within.allows(url) and host_of(url) not in lost,
            is_anywhere=bool(within.only),
        )
        if not self.is_settled:
            return found
        # Only those that say of themselves that they tell what is asked, unless such have just brought nothing.
        leading = set[str]() if self.stalled else links.leading(self.references, self.parts)
        return [each for each in found if each.is_told and each.key in leading]

    async def _follow(self, candidates: Sequence[Reference]) -> list[tuple[int, Source]]:
        at_once = self.settings.answer_max_pages_per_round
        if not candidates[0].is_told:  # what is read of these tells where to go on
            at_once = (at_once + 1) // 2
        most = min(at_once, self.budget - self.followed)
        chosen = [candidate for candidate in candidates[:most] if candidate.value >= _AS_GOOD * candidates[0].value]
        before, total = self.followed, self.budget

        def report(done: int) -> None:
            message = f'round {self.rounds}: {done} of {len(chosen)} links followed'
            self.options.tell('expand', message, before + done, total)

        wanted = [TracePage(candidate.url, candidate.depth) for candidate in chosen]
        return await self.gathering.get(wanted, on_done=report)

    async def _refer(self, pages: Sequence[tuple[int, Source]]) -> None:
        topic = await in_thread(self._topic)
        for index, source in pages:
            depth, place = self.gathering.pages[index].depth, source.url or source.id
            leading = await in_io_thread(self.stored.links, source.id)
            self.references += await in_thread(links.references, leading, page_url=place, depth=depth, topic=topic)

    def _topic(self) -> QuestionTopic:
        open_ = self.judgement.open_parts(self.parts) or self.parts
        return topic_of(open_, aside=self.request.aside)
