"""The work of a research: crawl the given pages, let each step gather, keep of all pages what each asks, extract it."""

from pathlib import Path
from typing import TypeVar

import anyio
from pydantic import BaseModel
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from researcher_integration.lore.checkpoint import Failure, Step
from researcher_integration.lore.configuration import Topic
from researcher_integration.lore.crawl.crawling import Crawler, StepDeps
from researcher_integration.lore.crawl.pages import is_url, key_of_file
from researcher_integration.lore.crawl.researcher import LoreResearcher
from researcher_integration.lore.extraction.cross_reference import compared, conflict_query
from researcher_integration.lore.extraction.typed_extraction import extracted, extraction_query
from researcher_integration.lore.extraction.windowed_query import RETRIES, MaterialAnswer, WindowedQuery
from researcher_integration.lore.material import TOPIC_IDS, CrawledPage, Material, ResearchError, TopicId
from researcher_integration.lore.steps.research_run import (
    ResearchProgress,
    ResearchRun,
    assign,
    gathering_limits,
    limits_left,
    step_budget,
    summary_limits,
)
from researcher_integration.lore.steps.step_summarizer import ZoneSummarizer, section
from summarizer_tool import Progress as SummaryProgress
from summarizer_tool import RequestOptions, SummarizerError, in_io_thread, in_thread, shown_address, trace_span, url_key

T = TypeVar('T', bound=BaseModel)


MAX_CRAWLS = 4
"""Pages that are crawled at once."""


class ResearchSteps:
    """Run what a checkpoint lacks: the steps, the extractions, the cross-reference."""

    def __init__(self, work: ResearchRun) -> None:
        self._work = work
        self._checkpoint = work.checkpoint
        self._topics = work.topics
        self._topic: TopicId | None = None
        """Of the step whose agent is at work."""
        self._crawler = Crawler(work.service, work.configuration.tiers, work.checkpoint.pages, on_page=self._keep_pages)

    async def crawl(self) -> None:
        """Crawl the given pages that are not there yet, those that failed before included; failures are recorded."""
        pages, has = self._work.pages(), self._work.service.collection.has
        lost = [page for page in pages if not await in_io_thread(has, page.source_id)]
        if lost:
            raise ResearchError(
                f'the store has lost the texts of {len(lost)} of {len(pages)} pages crawled before, first that of '
                f'{shown_address(lost[0].url)}; begin anew with --fresh, if it was too small with a larger '
                'SUMMARIZER_STORE_MAX_MB'
            )
        known = self._checkpoint.pages
        places = [
            place
            for place in dict.fromkeys(self._work.request.places)
            if (url_key(place.strip()) if is_url(place) else key_of_file(Path(place))) not in known
        ]
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
                name = shown_address(place) if is_url(place) else Path(place).name
                self._work.tell(
                    ResearchProgress('crawl', f'{name} failed' if place in failed else name, done, len(places))
                )

        async with anyio.create_task_group() as tasks:
            for place in places:
                tasks.start_soon(one, place)
        self._checkpoint.failures = [
            Failure(place=shown_address(place) if is_url(place) else place, reason=failed[place])
            for place in places
            if place in failed
        ]

    async def assign(self) -> None:
        """Assign each page crawled so far to a step."""
        pages = [page for page in self._work.pages() if page.source_id not in self._checkpoint.assigned]
        if pages:
            texts = {page.source_id: await self._work.text(page.source_id) for page in pages}
            assigned = await in_thread(assign, self._work.request.zone, pages, texts, self._topics)
            self._checkpoint.assigned |= assigned
            await self._work.save()

    async def run(self) -> None:
        """Gather for each topic what is missing, then summarize all pages for all of them, unless that is done."""
        work = self._work
        if work.model is not None:
            agent = LoreResearcher(
                work.model,
                work.backend.toolset(),
                way=work.request.way,
                search=work.configuration.search if work.request.search else (),
                trace_content=work.settings.trace_content,
            )
            for topic in self._topics:
                done = self._checkpoint.gathered.get(topic.id)
                if done is not None and not done.is_finished:
                    self._checkpoint.forget_steps()
                if done is None or not done.is_finished:
                    await self._gather(agent, topic)
        if not self._is_kept():
            await self._keep()

    def _is_kept(self) -> bool:
        """Return whether every step has kept something of what there is, by the model that was asked for."""
        steps = self._checkpoint.steps.values()
        kept = {handle for step in steps for handle in step.pages}
        has_all = len(steps) == len(self._topics) and kept >= {page.source_id for page in self._work.pages()}
        return has_all and not any(step.state == 'degraded' for step in steps)

    async def _keep_pages(self, _key: str, page: CrawledPage) -> None:
        self._checkpoint.pages = dict(self._crawler.pages)
        if self._topic is not None:
            self._checkpoint.assigned.setdefault(page.source_id, self._topic)
        await self._work.save()

    async def _gather(self, agent: LoreResearcher, topic: Topic) -> None:
        """Let the agent of a step gather and report; it begins with the pages that are its own already."""
        work, self._topic = self._work, topic.id
        limits = gathering_limits(work.limits, work.usage, topic, self._topics, work.request.way)
        said = f'{topic.header} (at most {(limits.request_limit or 0) - work.usage.requests} calls)'
        work.tell(ResearchProgress('step', said, self._topics.index(topic) + 1, len(self._topics)))
        owned = [handle for handle, owner in self._checkpoint.assigned.items() if owner == topic.id]
        deps = StepDeps(self._crawler, owned)
        with trace_span('research step', topic=topic.id, way=work.request.way) as span:
            findings = await agent.research(
                work.request.zone, topic, deps, budget=self._budget(topic), usage=work.usage, usage_limits=limits
            )
            span.set_attributes({'pages': len(deps.asked), 'requests': findings.spent.requests})
        self._checkpoint.gathered[topic.id] = findings
        await work.save()

    async def _keep(self) -> None:
        """Summarize all pages for all topics, and write down what each step keeps of them."""
        pages, gathered = self._work.pages(), self._checkpoint.gathered
        is_at_source = self._work.request.way == 'at-source'

        def tell(progress: SummaryProgress) -> None:
            self._work.tell(ResearchProgress('summarize', progress.message, progress.done, progress.total))

        limits = summary_limits(self._work.limits, self._work.usage)
        options = RequestOptions(on_progress=tell, usage=self._work.usage, usage_limits=limits)
        self._work.tell(ResearchProgress('summarize', f'{len(pages)} pages for {len(self._topics)} topics'))
        with trace_span('summarize zone', pages=len(pages), way=self._work.request.way) as span:
            backends = self._work.backend, self._work.embedded
            kept = await ZoneSummarizer(*backends, self._topics, options).summarize(
                pages,
                self._work.room(),
                self._checkpoint.assigned,
                {topic: each.notes for topic, each in gathered.items()},
                {topic: each.summaries for topic, each in gathered.items()} if is_at_source else {},
            )
            span.set_attributes({'requests': kept.spent.requests})
        before = {topic: step.blocks for topic, step in self._checkpoint.steps.items()}
        self._checkpoint.summarized += kept.spent
        self._checkpoint.warnings = kept.warnings
        for topic in self._topics:
            self._checkpoint.steps[topic.id] = self._finished(topic, kept.steps[topic.id])
        if before and before != {topic: step.blocks for topic, step in self._checkpoint.steps.items()}:
            self._checkpoint.forget_extractions()  # what was extracted from the others is no longer all there is
        await self._work.save()

    def _finished(self, topic: Topic, kept: Step) -> Step:
        """The step with its budget, and what its agent has spent and said."""
        step = kept.model_copy(update={'budget': self._budget(topic)})
        if (gathered := self._checkpoint.gathered.get(topic.id)) is not None:
            step.summaries, step.seconds = gathered.by_tool, gathered.seconds
            step.agent = gathered.spent - gathered.by_tool
            step.warnings = (*gathered.warnings, *kept.warnings)
        return step

    def _budget(self, topic: Topic) -> int:
        return step_budget(topic, self._topics, self._work.room())

    async def material(self) -> Material:
        """The kept text of all steps, which is within the window."""
        pages, read = self._work.pages(), self._work.text
        sections = [await section(topic, self._checkpoint.steps[topic.id], pages, read) for topic in self._topics]
        return Material(self._work.request.zone, sections, pages)

    async def extract(self, model: Model, material: Material) -> None:
        """Extract each category that is missing or has failed, all at once."""
        extractions = self._checkpoint.extractions
        topics = [each for each in self._work.topics if each.id not in extractions or extractions[each.id].reason]
        left, usage = self._left(), self._work.usage
        is_near = left.request_limit is not None and usage.requests + len(topics) * (RETRIES + 1) > left.request_limit
        may_reach = is_near or any((left.input_tokens_limit, left.output_tokens_limit, left.cost_limit))
        # Those that run at once do not know of each other, and could go over a limit together.
        limiter = anyio.CapacityLimiter(1 if may_reach else len(TOPIC_IDS))
        done = 0

        async def one(topic: Topic) -> None:
            nonlocal done
            async with limiter:
                with trace_span('extract', category=topic.id) as span:
                    answer = await self._ask(model, extraction_query(topic.id, self._work.settings), material)
                    extraction = await in_thread(extracted, topic.id, answer, material.pages)
                    span.set_attributes({'records': len(extraction.records), 'dropped': extraction.dropped})
                extractions[topic.id] = extraction
                self._checkpoint.cross_reference = None
                await self._work.save()
                done += 1
                self._work.tell(ResearchProgress('extract', topic.header, done, len(topics)))

        async with anyio.create_task_group() as tasks:
            for topic in topics:
                tasks.start_soon(one, topic)

    async def cross_reference(self, model: Model, material: Material) -> None:
        """Run the cross-reference if it is missing or has failed."""
        if self._checkpoint.cross_reference is not None and not self._checkpoint.cross_reference.reason:
            return
        self._work.tell(ResearchProgress('cross-reference', 'comparing what the sources say'))
        with trace_span('cross-reference') as span:
            answer = await self._ask(model, conflict_query(self._work.settings), material)
            found = await in_thread(compared, answer, material.pages)
            span.set_attribute('conflicts', len(found.conflicts))
        self._checkpoint.cross_reference = found
        await self._work.save()

    async def _ask(self, model: Model, query: WindowedQuery[T], material: Material) -> MaterialAnswer[T]:
        work = self._work
        return await query.ask(model, material, work.text, usage=work.usage, usage_limits=self._left())

    def _left(self) -> UsageLimits:
        """The usage limits of the last phase: all that is left."""
        return limits_left(self._work.limits, self._work.usage)
