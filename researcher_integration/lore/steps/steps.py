"""The work of a research: crawl the given pages, let each step gather, keep of all pages what each asks, extract it."""

import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import anyio
from pydantic import BaseModel
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage

from researcher_integration.lore.checkpoint import Checkpoint, Failure, Step
from researcher_integration.lore.configuration import Configuration, Limits, ResearchSettings, Topic
from researcher_integration.lore.crawl.crawling import Crawler, StepDeps
from researcher_integration.lore.crawl.pages import is_url, key_of
from researcher_integration.lore.crawl.researcher import LoreResearcher
from researcher_integration.lore.extraction.cross_reference import compared, conflict_query
from researcher_integration.lore.extraction.typed_extraction import PageIndex, extracted, extraction_query
from researcher_integration.lore.extraction.windowed_query import QuestionOutcome, WindowedQuery, room
from researcher_integration.lore.material import CrawledPage, Material, ResearchError, TopicId
from researcher_integration.lore.steps.planning import (
    assign,
    gathering_limits,
    limits_left,
    step_budget,
    summary_limits,
)
from researcher_integration.lore.steps.reading import SummaryReading
from researcher_integration.lore.steps.step_summarizer import ZoneSummarizer, section
from researcher_integration.lore.summaries.backends import InProcess
from summarizer_tool import Progress as SummaryProgress
from summarizer_tool import (
    RequestOptions,
    SummarizerError,
    in_io_thread,
    in_thread,
    shown_address,
    trace_span,
)

if TYPE_CHECKING:
    from researcher_integration.lore.summaries.over_mcp import SummaryBackend

T = TypeVar('T', bound=BaseModel)

MAX_CRAWLS = 4
"""Pages that are crawled at once."""

Stage = Literal['plan', 'resume', 'crawl', 'step', 'summarize', 'extract', 'cross-reference', 'package']


@dataclass(frozen=True, slots=True)
class ResearchProgress:
    """How far a research has come."""

    stage: Stage
    message: str
    done: int = 0
    total: int = 0


@dataclass(eq=False)
class ResearchRun:
    """One running research: does what its checkpoint lacks."""

    checkpoint: Checkpoint
    folder: Path
    configuration: Configuration
    settings: ResearchSettings
    backend: 'SummaryBackend'
    embedded: InProcess
    model: Model | None
    tell: Callable[[ResearchProgress], None]
    on_checkpoint: Callable[[Checkpoint], None]

    def __post_init__(self) -> None:
        self.request = self.checkpoint.request
        self.service = self.embedded.service
        self.topics: Sequence[Topic] = self.configuration.research.topics
        self.limits: Limits = self.configuration.research.limits
        self.summaries = copy(self.checkpoint.summarized)
        """What all summaries have cost, those before an interruption included; limits are held against it."""
        self.usage = self.checkpoint.spent - self.summaries
        """The same of all other calls."""
        self._summarizer = ZoneSummarizer(self.backend, self.embedded, self.topics)
        self._reading = anyio.Lock()
        self._topic: Topic | None = None
        self._crawler = Crawler(self.service, self.configuration.tiers, self.checkpoint.pages, on_page=self._keep_page)
        self._saving = anyio.Lock()
        self._begun = time.monotonic() - self.checkpoint.seconds

    def pages(self) -> list[CrawledPage]:
        """Each page once, in the order of their numbers."""
        return self._crawler.numbered()

    def room(self) -> int:
        """Tokens that all sections may have together for each extraction to fit the window."""
        return room(self.request.zone, self.pages(), self.request.window_tokens)

    async def texts(self, pages: Sequence[CrawledPage]) -> dict[int, str]:
        """The texts of pages by their numbers, without those that cannot be read: what needs one says so."""
        found: dict[int, str] = {}
        for page in pages:
            with suppress(SummarizerError, OSError):
                found[page.number] = (await in_io_thread(self.service.collection.document, page.source_id)).text
        return found

    async def save(self) -> None:
        """Write the checkpoint."""
        async with self._saving:
            self.checkpoint.seconds = round(time.monotonic() - self._begun, 2)
            self.checkpoint.summarized = copy(self.summaries)
            self.checkpoint.spent = self.usage + self.summaries
            written = self.checkpoint.model_copy(deep=True)  # extractions that run at once change it meanwhile
            await in_io_thread(written.save, self.folder)
        self.on_checkpoint(written)

    async def crawl(self) -> None:
        """Crawl the given pages that are not there yet, those that failed before included; failures are recorded."""
        pages, has = self.pages(), self.service.collection.has
        lost = [page for page in pages if not await in_io_thread(has, page.source_id)]
        if lost:
            raise ResearchError(
                f'the store has lost the texts of {len(lost)} of {len(pages)} pages crawled before, first that of '
                f'{shown_address(lost[0].url)}; begin anew with --fresh, if it was too small with a larger '
                'SUMMARIZER_STORE_MAX_MB'
            )
        places = [each for each in dict.fromkeys(self.request.places) if key_of(each) not in self.checkpoint.pages]
        limiter = anyio.CapacityLimiter(MAX_CRAWLS)
        failed: dict[str, Failure] = {}
        done = 0

        async def one(place: str) -> None:
            nonlocal done
            name = shown_address(place) if is_url(place) else Path(place).name
            async with limiter:
                try:
                    await (self._crawler.crawl if is_url(place) else self._crawler.crawl_file)(place)
                except SummarizerError as error:
                    failed[place] = Failure(place=name if is_url(place) else place, reason=str(error))
                    name += ' failed'
                done += 1
                self.tell(ResearchProgress('crawl', name, done, len(places)))

        async with anyio.create_task_group() as tasks:
            for place in places:
                tasks.start_soon(one, place)
        self.checkpoint.failures = [failed[place] for place in places if place in failed]

    async def _keep_page(self, key: str, page: CrawledPage) -> None:
        self.checkpoint.pages[key] = page
        if self._topic is not None:
            self.checkpoint.assigned.setdefault(page.source_id, self._topic.id)
        await self.save()

    async def assign(self) -> None:
        """Assign each page crawled so far to a step."""
        pages = [page for page in self.pages() if page.source_id not in self.checkpoint.assigned]
        if pages:
            texts = await self.texts(pages)
            self.checkpoint.assigned |= await in_thread(assign, self.request.zone, pages, texts, self.topics)
            await self.save()

    async def run_steps(self) -> None:
        """Gather for each topic what is missing, then summarize all pages for all of them, unless that is done."""
        if self.model is not None:
            agent = LoreResearcher(
                self.model,
                SummaryReading(self.embedded.toolset(), self._read),
                way=self.request.way,
                search=self.configuration.search if self.request.search else (),
                trace_content=self.settings.trace_content,
            )
            for topic in self.topics:
                done = self.checkpoint.gathered.get(topic.id)
                if done is not None and not done.is_finished:
                    self.checkpoint.forget_steps()
                if done is None or not done.is_finished:
                    await self._gather(agent, topic)
        steps = self.checkpoint.steps.values()
        kept = {handle for step in steps for handle in step.pages}
        has_all = len(steps) == len(self.topics) and kept >= {page.source_id for page in self.pages()}
        if not has_all or any(step.state == 'degraded' for step in steps):
            await self._keep()

    async def _gather(self, agent: LoreResearcher, topic: Topic) -> None:
        """Let the agent of a step gather and report; it begins with the pages that are its own already."""
        self._topic = topic
        limits = gathering_limits(self.limits, self.usage, topic, self.topics)
        said = f'{topic.header} (at most {(limits.request_limit or 0) - self.usage.requests} calls)'
        self.tell(ResearchProgress('step', said, self.topics.index(topic) + 1, len(self.topics)))
        owned = [handle for handle, owner in self.checkpoint.assigned.items() if owner == topic.id]
        deps = StepDeps(self._crawler, owned)
        with trace_span('research step', topic=topic.id, way=self.request.way) as span:
            findings = await agent.research(
                self.request.zone, topic, deps, budget=self._budget(topic), usage=self.usage, usage_limits=limits
            )
            span.set_attributes({'pages': len(deps.asked), 'requests': findings.spent.requests})
        self.checkpoint.gathered[topic.id] = findings
        await self.save()

    async def _keep(self) -> None:
        """Summarize all pages for all topics, and write down what each step keeps of them."""
        pages, gathered = self.pages(), self.checkpoint.gathered
        before = _kept(self.checkpoint)
        self.tell(ResearchProgress('summarize', f'{len(pages)} pages for {len(self.topics)} topics'))
        with self._summarizing(self.usage) as options:
            kept, self.checkpoint.warnings = await self._summarizer.summarize(
                pages,
                self.room(),
                self.checkpoint.assigned,
                {topic: each.notes for topic, each in gathered.items() if each.notes},
                options,
            )
        for topic in self.topics:
            self.checkpoint.steps[topic.id] = self._finished(topic, kept[topic.id])
        if before and before != _kept(self.checkpoint):
            self.checkpoint.forget_extractions()  # what was extracted from the others is no longer all there is
        await self.save()

    async def _read(self, wanted: Collection[str]) -> str:
        """What the summary of all pages crawled so far says of some of them."""
        async with self._reading:  # what one has asked a model for, the next finds
            with self._summarizing(None) as options:
                return await self._summarizer.read(self._topic, self.pages(), wanted, self.room(), options)

    @contextmanager
    def _summarizing(self, agents: RunUsage | None) -> Generator[RequestOptions]:
        """What a summary of the zone brings along; `agents` is what these have spent, if they have ended."""

        def tell(progress: SummaryProgress) -> None:
            self.tell(ResearchProgress('summarize', progress.message, progress.done, progress.total))

        limits, before = summary_limits(self.limits, agents), self.summaries.requests
        with trace_span('summarize zone', pages=len(self.pages()), way=self.request.way) as span:
            yield RequestOptions(on_progress=tell, usage=self.summaries, usage_limits=limits, is_audited=False)
            span.set_attributes({'requests': self.summaries.requests - before})

    def _finished(self, topic: Topic, kept: Step) -> Step:
        step = kept.model_copy(update={'budget': self._budget(topic)})
        if (gathered := self.checkpoint.gathered.get(topic.id)) is not None:
            step.agent, step.seconds = gathered.spent, gathered.seconds
            step.warnings = (*gathered.warnings, *kept.warnings)
        return step

    def _budget(self, topic: Topic) -> int:
        return step_budget(topic, self.topics, self.room())

    async def material(self) -> Material:
        """The kept text of all steps, which is within the window."""
        pages = self.pages()
        raw = await self.texts(pages)
        sections = {each.header: section(self.checkpoint.steps[each.id], pages, raw) for each in self.topics}
        return Material(self.request.zone, sections, pages, raw)

    async def extract(self, model: Model, material: Material) -> None:
        """Extract each category that is missing or has failed, all at once, and then compare what the sources say."""
        index = await in_thread(PageIndex, material)
        extractions = self.checkpoint.extractions
        topics = [each for each in self.topics if each.id not in extractions or extractions[each.id].reason]
        # What those that run at once will cost they do not know of each other; how many calls they make they do.
        has_price = any((self.limits.input_tokens, self.limits.output_tokens, self.limits.cost))
        limiter = anyio.CapacityLimiter(1 if has_price else len(self.topics))
        done = 0

        async def one(topic: Topic) -> None:
            nonlocal done
            async with limiter:
                with trace_span('extract', category=topic.id) as span:
                    answer = await self._ask(model, extraction_query(topic.id, self.settings), material)
                    extraction = await in_thread(extracted, topic.id, *answer, index)
                    span.set_attributes({'records': len(extraction.records), 'dropped': extraction.dropped})
                extractions[topic.id] = extraction
                self.checkpoint.cross_reference = None
                await self.save()
                done += 1
                self.tell(ResearchProgress('extract', topic.header, done, len(topics)))

        async with anyio.create_task_group() as tasks:
            for topic in topics:
                tasks.start_soon(one, topic)
        if self.checkpoint.cross_reference is not None and not self.checkpoint.cross_reference.reason:
            return
        self.tell(ResearchProgress('cross-reference', 'comparing what the sources say'))
        with trace_span('cross-reference') as span:
            answer = await self._ask(model, conflict_query(self.settings), material)
            found = await in_thread(compared, *answer, index)
            span.set_attribute('conflicts', len(found.conflicts))
        self.checkpoint.cross_reference = found
        await self.save()

    async def _ask(self, model: Model, query: WindowedQuery[T], material: Material) -> tuple[QuestionOutcome, T | None]:
        left = limits_left(self.limits, self.usage, others=self.summaries)
        return await query.ask(model, material, usage=self.usage, usage_limits=left)


def _kept(checkpoint: Checkpoint) -> dict[TopicId, tuple[Sequence[str], str, str]]:
    """What is extracted from."""
    return {topic: (step.pages, step.notes, step.summary) for topic, step in checkpoint.steps.items()}
