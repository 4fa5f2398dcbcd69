"""A research from the first page to the package: crawl, steps, extraction, cross-reference; resumable throughout."""

import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import anyio
import anyio.to_thread
from pydantic_ai.models import Model
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.usage import RunUsage

from researcher_integration import package, planning, sections
from researcher_integration.backends import InProcess, OverMCP, SummaryBackend
from researcher_integration.checkpoint import Checkpoint, Failure, Request, Step
from researcher_integration.crawling import Crawler
from researcher_integration.cross_reference import CrossReferencer
from researcher_integration.errors import ResearchError
from researcher_integration.extraction import Extractor
from researcher_integration.keeping import Keeper, Kept
from researcher_integration.locators import is_url, shown
from researcher_integration.material import Material, Page, TopicId
from researcher_integration.researcher import Findings, LoreResearcher, StepDeps, SummaryTaken
from researcher_integration.settings import ResearchSettings
from researcher_integration.spent import Spent
from researcher_integration.tiers import SourceTiers
from researcher_integration.topics import Limits, ResearchTopics, Topic
from summarizer_tool import Progress as SummaryProgress
from summarizer_tool import Service, SourceStore, Summarizer, SummarizerError, telemetry

MAX_CRAWLS = 4
"""Pages that are crawled at once."""

MAX_PAGES = 40
"""Of one zone."""

PAGE_TOKENS = 40
"""What another page costs beside its text: its line in the list of pages, and above what was kept of it."""

MORE_PAGES = 3
"""Pages that an agent may add in a step before the window gets tight; what then goes over it is condensed once more."""

STORE_FILE = 'sources.sqlite3'

_logger = logging.getLogger('researcher_integration')

Stage = Literal['crawl', 'step', 'summarize', 'extract', 'cross-reference', 'package']


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a research has come."""

    stage: Stage
    message: str
    """For a person."""
    done: int = 0
    total: int = 0
    topic: TopicId | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the files in `config/` say."""

    research: ResearchTopics
    tiers: SourceTiers
    search: Sequence[AbstractToolset[Any]] = ()


@dataclass
class Research:
    """One research of one zone."""

    request: Request
    configuration: Configuration
    settings: ResearchSettings
    folder: Path
    """Where checkpoint, store and package are."""
    model: Model | None = None
    """Of the agents, instead of the one that the settings name."""
    on_progress: Callable[[Progress], None] = field(default=lambda _: None)
    on_checkpoint: Callable[[Checkpoint], None] = field(default=lambda _: None)
    """Called after each time that the checkpoint was written, with a copy of what was written."""

    async def run(self, *, resume: bool = False, fresh: bool = False) -> package.Package:
        """Do the research, or what is missing of it.

        Args:
            resume: Go on from the checkpoint in the folder.
            fresh: Put a checkpoint aside that is not finished.

        Returns:
            The package, which is also written into the folder.

        Raises:
            ResearchError: If there is nothing to go on from, or something that would be lost, or no page at all.
            ConfigurationError: If the model cannot be had.
            StoreError: If the store cannot be opened.
        """
        checkpoint = await anyio.to_thread.run_sync(partial(self._begin, resume=resume, fresh=fresh))
        async with AsyncExitStack() as stack:
            stack.enter_context(
                telemetry.span('research zone', zone=checkpoint.request.zone, way=checkpoint.request.way)
            )
            job = await stack.enter_async_context(self._job(checkpoint))
            return await job.run()

    def _begin(self, *, resume: bool, fresh: bool) -> Checkpoint:
        found = None if fresh else Checkpoint.load(self.folder)
        if resume:
            if found is None:
                raise ResearchError(f'{self.folder} has no checkpoint to resume; leave --resume out to begin one')
            _check_same(self.request, found.request, self.folder)
            return found
        if found and not found.is_finished:
            raise ResearchError(
                f'{self.folder} holds an unfinished research of "{found.request.zone}"; go on with --resume, '
                'begin anew with --fresh, or name another --out'
            )
        if not self.request.places and not self.request.search:
            raise ResearchError('there is nothing to read: name pages with --pages, or let the agent search (--search)')
        return Checkpoint(request=self.request)

    @asynccontextmanager
    async def _job(self, checkpoint: Checkpoint) -> AsyncGenerator['_Job']:
        settings = self.settings
        async with AsyncExitStack() as stack:
            model = self.model
            if model is None:
                model = await stack.enter_async_context(settings.connect())
            if checkpoint.request.search and model is None:
                raise ResearchError(
                    'searching needs an agent: set RESEARCH_MODEL or LLM_MODEL to a model that calls tools, '
                    'or name pages with --pages'
                )
            store_path = settings.store or str(self.folder / STORE_FILE)
            store = await anyio.to_thread.run_sync(partial(SourceStore, store_path, max_mb=settings.store_max_mb))
            stack.push_async_callback(anyio.to_thread.run_sync, store.close)
            service = Service(Summarizer(settings), store.collection())
            backend: SummaryBackend = InProcess(settings, store)
            if settings.mcp_summarizer_url:
                backend = await stack.enter_async_context(
                    OverMCP(settings.mcp_summarizer_url, service.collection, token=settings.mcp_summarizer_token)
                )
            job = _Job(self, checkpoint, service, backend, model)
            yield job


def _check_same(asked: Request, begun: Request, folder: Path) -> None:
    """A research goes on as it was begun; what was not asked for this time is as it was then."""
    for name, value in asked.model_dump(exclude_unset=True).items():
        before = getattr(begun, name)
        if value != before and value not in ((), False):
            raise ResearchError(
                f'{folder} was begun with {name}={before!r}, not {value!r}; '
                'leave the difference out to go on, or name another --out'
            )


class _Job:
    """The work on one checkpoint."""

    def __init__(
        self,
        research: Research,
        checkpoint: Checkpoint,
        service: Service,
        backend: SummaryBackend,
        model: Model | None,
    ) -> None:
        self.checkpoint = checkpoint
        self.request = checkpoint.request
        self.research = research
        self.service = service
        self.backend = backend
        self.model = model
        self.warnings: list[str] = []
        self._topics = research.configuration.research.topics
        self._limits: Limits = research.configuration.research.limits
        self._tell = research.on_progress
        self._saving = anyio.Lock()
        self._begun = time.monotonic() - checkpoint.seconds
        self._researcher: LoreResearcher | None = None
        mode, trace_content = research.settings.llm_output_mode, research.settings.trace_content
        self._extractor = Extractor(
            model, window_tokens=self.request.window_tokens, output_mode=mode, trace_content=trace_content
        )
        self._cross_referencer = CrossReferencer(
            model, window_tokens=self.request.window_tokens, output_mode=mode, trace_content=trace_content
        )
        self._usage = RunUsage()
        for spent in _all_spent(checkpoint):
            self._usage.incr(spent.usage())
        self._crawler = Crawler(
            service,
            research.configuration.tiers,
            checkpoint.pages,
            on_page=self._keep_pages,
            max_pages=MAX_PAGES,
        )

    async def run(self) -> package.Package:
        await self._crawl()
        if not self.checkpoint.pages and not self.request.search:
            raise ResearchError(
                'no page could be crawled: '
                + '; '.join(f'{failure.place}: {failure.reason}' for failure in self.checkpoint.failures[:5])
            )
        await self._assign()
        self._room(self._pages())  # too small a window shows now
        for topic in self._topics:
            done = self.checkpoint.steps.get(topic.id)
            if done is None:
                await self._step(topic)
            elif done.state == 'raw':
                await self._keep_again(topic, done, done.pages)
        if late := self._unclaimed():  # given pages that could be crawled only when the research was resumed
            last = self._topics[-1]
            done = self.checkpoint.steps[last.id]
            await self._keep_again(last, done, (*done.pages, *late))
        if not self.checkpoint.pages:
            self.checkpoint.steps.clear()  # so that a resumed research searches again
            await self._save()
            raise ResearchError('the agent found no page; check the search servers of mcp_config.json, then --resume')
        material = await self._material()
        if self.model is not None:
            await self._extract(material)
            await self._cross_reference(material)
        self._tell(Progress('package', f'writing {self.research.folder}'))
        self.checkpoint.is_finished = True
        await self._save()
        built = package.build(
            self.checkpoint,
            self._topics,
            material,
            warnings=self.warnings,
            via=self.backend.name,
            has_model=self.model is not None,
        )
        await anyio.to_thread.run_sync(partial(package.write_to, built, self.research.folder))
        return built

    # Crawling.

    async def _crawl(self) -> None:
        """The given pages, those that failed before once more; a page that fails is missing, and says so."""
        places = self.request.places
        self.checkpoint.failures.clear()
        limiter = anyio.CapacityLimiter(MAX_CRAWLS)
        failed: dict[str, str] = {}
        done = 0

        async def one(place: str) -> None:
            nonlocal done
            async with limiter:
                try:
                    await (self._crawler.crawl if is_url(place) else self._crawler.crawl_file)(place)
                except SummarizerError as error:
                    failed[place] = str(error)
                done += 1
                name = shown(place) if is_url(place) else Path(place).name
                self._tell(Progress('crawl', f'{name} failed' if place in failed else name, done, len(places)))

        async with anyio.create_task_group() as tasks:
            for place in places:
                tasks.start_soon(one, place)
        for place in places:
            if place in failed:
                self.checkpoint.failures.append(Failure(place=place, reason=failed[place]))

    async def _keep_pages(self, _key: str, _page: Page) -> None:
        self.checkpoint.pages = dict(self._crawler.pages)
        await self._save()

    async def _assign(self) -> None:
        if self.checkpoint.assigned is None:
            pages = self._pages()
            texts = {page.source_id: await self._text(page.source_id) for page in pages}
            assigned = await anyio.to_thread.run_sync(planning.assign, self.request.zone, pages, texts, self._topics)
            self.checkpoint.assigned = {topic: tuple(handles) for topic, handles in assigned.items()}
            await self._save()

    # Steps.

    async def _step(self, topic: Topic) -> None:
        number = self._topics.index(topic) + 1
        self._tell(Progress('step', topic.header, number, len(self._topics), topic.id))
        started = time.monotonic()
        with telemetry.span('research step', topic=topic.id, way=self.request.way) as span:
            budget = self._budget(topic)
            before = self._usage.requests
            # Pages that nobody has claimed were crawled by this step before it was interrupted.
            deps = StepDeps(self._crawler, [*(self.checkpoint.assigned or {}).get(topic.id, ()), *self._unclaimed()])
            findings = await self._research(topic, deps, budget)
            kept = await self._keep(topic, deps.asked, findings, budget)
            by_tool = sum((Spent.of(taken.usage) for taken in findings.summaries), Spent())
            step = self._finished(topic, deps.asked, kept, budget)
            step.agent = findings.spent - by_tool
            step.summaries = by_tool + kept.spent
            step.warnings = (*findings.warnings, *kept.warnings)
            step.seconds = round(time.monotonic() - started, 2)
            span.set_attributes(
                {
                    'state': step.state,
                    'pages': len(step.pages),
                    'tokens_in': step.tokens_crawled,
                    'tokens_out': step.tokens_kept,
                    'requests': self._usage.requests - before,
                }
            )
        await self._keep_step(topic, step)

    async def _research(self, topic: Topic, deps: StepDeps, budget: int) -> Findings:
        if self.model is None:
            return Findings('', (), Spent(), ())
        self._researcher = self._researcher or LoreResearcher(
            self.model,
            self.backend.toolset(),
            way=self.request.way,
            search=self.research.configuration.search if self.request.search else (),
            trace_content=self.research.settings.trace_content,
        )
        return await self._researcher.research(
            self.request.zone, topic, deps, budget=budget, usage=self._usage, usage_limits=self._limits_of(topic)
        )

    async def _keep(self, topic: Topic, handles: Sequence[str], findings: Findings, budget: int) -> Kept:
        pages = [page for page in self._pages() if page.source_id in handles]
        keeper = Keeper(
            self.backend,
            topic.hint,
            self._usage,
            self._limits_of(topic),
            on_progress=partial(self._tell_of_summary, topic),
        )
        net = budget - min(budget // 4, sections.overhead(pages))
        if self.request.way == 'in-pipeline':
            return await keeper.in_pipeline(pages, findings.notes, net)
        return await keeper.at_source(pages, findings.notes, net, findings.summaries)

    async def _keep_again(self, topic: Topic, step: Step, handles: Sequence[str]) -> None:
        """Another try, when a research is resumed, for a step that stayed raw or has got another page."""
        started = time.monotonic()
        self._tell(Progress('step', topic.header, self._topics.index(topic) + 1, len(self._topics), topic.id))
        notes = next((block.text for block in step.blocks if block.kind == 'notes'), '')
        made = [
            SummaryTaken(block.source_ids, block.text, RunUsage()) for block in step.blocks if block.kind == 'summary'
        ]
        with telemetry.span('research step', topic=topic.id, way=self.request.way, again=True):
            kept = await self._keep(topic, handles, Findings(notes, tuple(made), Spent(), ()), step.budget)
        again = self._finished(topic, handles, kept, step.budget)
        again.agent, again.summaries = step.agent, step.summaries + kept.spent
        again.warnings = kept.warnings
        again.seconds = round(step.seconds + time.monotonic() - started, 2)
        if again.blocks != step.blocks:  # what was extracted from the others is no longer all there is
            for extracted in tuple(self.checkpoint.extractions):
                self._supersede(extracted)
        await self._keep_step(topic, again)

    def _unclaimed(self) -> list[str]:
        """Handles of crawled pages that belong to no step."""
        claimed = {handle for handles in (self.checkpoint.assigned or {}).values() for handle in handles}
        claimed |= {handle for step in self.checkpoint.steps.values() for handle in step.pages}
        return [page.source_id for page in self._pages() if page.source_id not in claimed]

    def _finished(self, topic: Topic, handles: Sequence[str], kept: Kept, budget: int) -> Step:
        known = {page.source_id: page for page in self._pages()}
        pages = tuple(dict.fromkeys(handle for handle in handles if handle in known))
        return Step(
            topic=topic.id,
            state=kept.state,
            pages=pages,
            blocks=kept.blocks,
            budget=budget,
            tokens_crawled=sum(known[handle].tokens for handle in pages),
            tokens_kept=kept.tokens,
            model=kept.model,
        )

    async def _keep_step(self, topic: Topic, step: Step) -> None:
        self.checkpoint.steps[topic.id] = step
        await self._save()

    def _budget(self, topic: Topic) -> int:
        """Of the room that all sections have, what this step may use: the same if it was interrupted and begins anew.

        So pages that nobody has claimed, which it had crawled by then, do not count.
        """
        unclaimed = self._unclaimed()
        pages = [page for page in self._pages() if page.source_id not in unclaimed]
        later = self._topics[self._topics.index(topic) + 1 :]
        more = MORE_PAGES * (len(later) + 1) if self.model is not None else 0
        room = self._room(pages) - PAGE_TOKENS * more
        known = {page.source_id: page for page in pages}
        used = sum(
            min(step.tokens_kept + sections.overhead([known[handle] for handle in step.pages]), step.budget)
            for step in self.checkpoint.steps.values()
        )
        sizes = {page.source_id: page.tokens for page in pages}
        expected: dict[TopicId, int] = {
            each: sum(sizes[handle] for handle in handles) for each, handles in (self.checkpoint.assigned or {}).items()
        }
        return planning.step_budget(topic, later, max(0, room - used), expected, more_may_come=self.model is not None)

    def _room(self, pages: Sequence[Page]) -> int:
        """Tokens of all sections together, so that each prompt keeps to the window."""
        zone = self.request.zone
        try:
            return min(self._extractor.room(zone, pages), self._cross_referencer.room(zone, pages))
        except ValueError as error:
            raise ResearchError(f'{error} (--window)') from None

    def _limits_of(self, topic: Topic) -> Any:
        shares = [each.share for each in self._topics[self._topics.index(topic) :]]
        left = sum(shares) + planning.extraction_share(self._topics)
        return planning.step_limits(self._limits, self._usage, topic.share, left)

    # Extraction.

    async def _material(self) -> Material:
        pages = self._pages()
        built, said = await sections.build(
            self.checkpoint.steps,
            self._topics,
            {page.source_id: page for page in pages},
            self._text,
            self._room(pages),
            self.research.settings,
        )
        self.warnings += said
        return Material(self.request.zone, built, pages)

    async def _extract(self, material: Material) -> None:
        topics = [topic for topic in self._topics if not self._is_extracted(topic.id)]
        limits = planning.step_limits(self._limits, self._usage, 1, 1)
        done = 0

        async def one(topic: Topic) -> None:
            nonlocal done
            with telemetry.span('extract', category=topic.id) as span:
                extraction = await self._extractor.extract(
                    topic.id, material, self._text, usage=self._usage, usage_limits=limits
                )
                span.set_attributes({'records': len(extraction.records), 'dropped': extraction.dropped})
            self._supersede(topic.id)
            self.checkpoint.extractions[topic.id] = extraction
            await self._save()
            done += 1
            self._tell(Progress('extract', topic.header, done, len(topics), topic.id))

        async with anyio.create_task_group() as tasks:
            for topic in topics:
                tasks.start_soon(one, topic)

    def _supersede(self, category: TopicId) -> None:
        """Forget what was extracted, and what was compared with it, but not what it has cost."""
        for made in (self.checkpoint.extractions.pop(category, None), self.checkpoint.cross_reference):
            if made is not None:
                self.checkpoint.superseded += made.spent
        self.checkpoint.cross_reference = None

    def _is_extracted(self, topic: TopicId) -> bool:
        done = self.checkpoint.extractions.get(topic)
        return done is not None and not done.reason

    async def _cross_reference(self, material: Material) -> None:
        found = self.checkpoint.cross_reference
        if found is not None and not found.reason:
            return
        self._tell(Progress('cross-reference', 'comparing what the sources say'))
        with telemetry.span('cross-reference') as span:
            found = await self._cross_referencer.cross_reference(
                material,
                list(self.checkpoint.extractions.values()),
                self._text,
                usage=self._usage,
                usage_limits=planning.step_limits(self._limits, self._usage, 1, 1),
            )
            span.set_attribute('conflicts', len(found.conflicts))
        if self.checkpoint.cross_reference is not None:
            self.checkpoint.superseded += self.checkpoint.cross_reference.spent
        self.checkpoint.cross_reference = found
        await self._save()

    # Common.

    def _pages(self) -> list[Page]:
        """Each page once, in the order of their numbers."""
        pages = {page.source_id: page for page in self.checkpoint.pages.values()}
        return sorted(pages.values(), key=lambda page: page.number)

    async def _text(self, handle: str) -> str:
        document = await anyio.to_thread.run_sync(self.service.collection.document, handle)
        return document.text

    async def _save(self) -> None:
        async with self._saving:
            self.checkpoint.seconds = round(time.monotonic() - self._begun, 2)
            written = self.checkpoint.model_copy(deep=True)  # extractions that run at once change it meanwhile
            await anyio.to_thread.run_sync(written.save, self.research.folder)
        self.research.on_checkpoint(written)

    def _tell_of_summary(self, topic: Topic, progress: SummaryProgress) -> None:
        self._tell(Progress('summarize', progress.message, progress.done, progress.total, topic.id))


def _all_spent(checkpoint: Checkpoint) -> list[Spent]:
    spent = [each for step in checkpoint.steps.values() for each in (step.agent, step.summaries)]
    spent += [checkpoint.superseded, *(extraction.spent for extraction in checkpoint.extractions.values())]
    if checkpoint.cross_reference is not None:
        spent.append(checkpoint.cross_reference.spent)
    return spent
