"""The research steps: crawl the given pages, give each to a step, and let each step gather, report and keep."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
import anyio.to_thread
from pydantic_ai.usage import UsageLimits

from researcher_integration.lore.checkpoint import Failure, GatheredMaterial, Step
from researcher_integration.lore.crawl.crawling import Crawler
from researcher_integration.lore.crawl.locators import is_url, shown
from researcher_integration.lore.crawl.researcher import Findings, LoreResearcher, StepDeps, SummaryTaken
from researcher_integration.lore.material import CrawledPage, TopicId
from researcher_integration.lore.steps import planning, sections
from researcher_integration.lore.steps.extraction_phase import ExtractionPhase
from researcher_integration.lore.steps.step_summarizer import StepSummarizer, StepSummary
from researcher_integration.lore.steps.work import ResearchProgress, ResearchRun
from researcher_integration.lore.topics import Topic
from researcher_integration.usage import Spent, share_of
from summarizer_tool import Progress as SummaryProgress
from summarizer_tool import RequestOptions, SummarizerError, trace_span

MAX_CRAWLS = 4
"""Pages that are crawled at once."""

AGENT_SHARE = 0.6
"""Of the limits of a step, for its agent: what is left is for summaries of what it has found, however long it looks."""

PAGE_TOKENS = 40
"""What another page costs beside its text: its line in the list of pages, and above what was kept of it."""

MORE_PAGES = 3
"""Pages that an agent may add in a step before the window gets tight; what then goes over it is condensed once more."""


class ResearchSteps:
    """Run the steps that a checkpoint lacks."""

    def __init__(self, work: ResearchRun, extraction: ExtractionPhase) -> None:
        self._work = work
        self._extraction = extraction
        self._checkpoint = work.checkpoint
        self._topics = work.topics
        self._researcher: LoreResearcher | None = None
        self._crawler = Crawler(work.service, work.configuration.tiers, work.checkpoint.pages, on_page=self._keep_pages)

    async def crawl(self) -> None:
        """Crawl the given pages, and those that failed before again; failures are recorded."""
        before = {page.source_id: page.number for page in self._work.pages()}
        lost = [page.url for page in self._work.pages() if is_url(page.url) and not await self._has(page.source_id)]
        places = list(dict.fromkeys((*self._work.request.places, *lost)))
        self._checkpoint.failures.clear()
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
                self._work.tell(
                    ResearchProgress('crawl', f'{name} failed' if place in failed else name, done, len(places))
                )

        async with anyio.create_task_group() as tasks:
            for place in places:
                tasks.start_soon(one, place)
        for place in places:
            if place in failed:
                named = shown(place) if is_url(place) else place
                self._checkpoint.failures.append(Failure(place=named, reason=failed[place]))
        after = {page.number: page.source_id for page in self._work.pages()}
        changed = {old: new for old, number in before.items() if (new := after.get(number, old)) != old}
        if changed:
            self._replace(changed)

    async def _has(self, handle: str) -> bool:
        return await anyio.to_thread.run_sync(self._work.service.collection.has, handle)

    def _replace(self, changed: Mapping[str, str]) -> None:
        """Redo the steps that rest on pages whose text has changed."""
        if self._checkpoint.assigned is not None:
            self._checkpoint.assigned = {
                topic: tuple(changed.get(handle, handle) for handle in handles)
                for topic, handles in self._checkpoint.assigned.items()
            }
        for topic, step in tuple(self._checkpoint.steps.items()):
            if not changed.keys().isdisjoint(step.pages):
                self._drop(topic)
        gathered = self._checkpoint.gathered
        if gathered is not None and not changed.keys().isdisjoint(gathered.pages):
            self._checkpoint.superseded += gathered.agent + gathered.by_tool
            self._checkpoint.gathered = None

    async def assign(self) -> None:
        """Assign each page crawled so far to a step, once."""
        if self._checkpoint.assigned is None:
            pages = self._work.pages()
            texts = {page.source_id: await self._work.text(page.source_id) for page in pages}
            assigned = await anyio.to_thread.run_sync(
                planning.assign, self._work.request.zone, pages, texts, self._topics
            )
            self._checkpoint.assigned = {topic: tuple(handles) for topic, handles in assigned.items()}
            await self._work.save()

    async def run(self) -> None:
        """Run the missing steps, and redo those that have no summary or got another page."""
        for topic in self._topics:
            done = self._checkpoint.steps.get(topic.id)
            if done is not None and not done.has_report and self._work.model is not None:
                self._drop(topic.id)
                await self._step(topic, done.pages)
            elif done is None:
                await self._step(topic)
            elif done.state == 'raw':
                await self._keep_again(topic, done, done.pages)
        if late := self._unclaimed():  # given pages that could be crawled only when the research was resumed
            last = self._topics[-1]
            done = self._checkpoint.steps[last.id]
            await self._keep_again(last, done, (*done.pages, *late))

    def forget(self) -> None:
        """Drop all steps, and keep their cost."""
        for topic in tuple(self._checkpoint.steps):
            self._drop(topic)

    async def _keep_pages(self, _key: str, _page: CrawledPage) -> None:
        self._checkpoint.pages = dict(self._crawler.pages)
        await self._work.save()

    async def _step(self, topic: Topic, known: Sequence[str] = ()) -> None:
        self._begin(topic)
        started = time.monotonic()
        with trace_span('research step', topic=topic.id, way=self._work.request.way) as span:
            limits = self._limits(topic)
            gathered = self._checkpoint.gathered
            if gathered is None or gathered.topic != topic.id:
                gathered = await self._gather(topic, known, limits)
                gathered.seconds = round(time.monotonic() - started, 2)
                started = time.monotonic()
                if self._work.model is not None:
                    self._checkpoint.gathered = gathered
                    await self._work.save()
            kept = await self._keep(topic, gathered.pages, gathered.notes, gathered.summaries, gathered.budget, limits)
            step = self._finished(topic, gathered.pages, kept, gathered.budget)
            step.agent = gathered.agent
            step.summaries = gathered.by_tool + kept.spent
            step.warnings = (*gathered.warnings, *kept.warnings)
            step.has_report = gathered.is_finished
            step.seconds = round(gathered.seconds + time.monotonic() - started, 2)
            span.set_attributes(_figures(step))
        self._checkpoint.gathered = None
        self._checkpoint.steps[topic.id] = step
        await self._work.save()

    async def _gather(self, topic: Topic, known: Sequence[str], limits: UsageLimits) -> GatheredMaterial:
        budget = self._budget(topic)
        # Pages that nobody has claimed were crawled by this step before it was interrupted.
        assigned = (self._checkpoint.assigned or {}).get(topic.id, ())
        deps = StepDeps(self._crawler, list(dict.fromkeys((*assigned, *known, *self._unclaimed()))))
        findings = await self._research(topic, deps, budget, limits)
        by_tool = sum((Spent.of(taken.usage) for taken in findings.summaries), Spent())
        return GatheredMaterial(
            topic=topic.id,
            pages=tuple(dict.fromkeys(deps.asked)),
            budget=budget,
            notes=findings.notes.encode(errors='replace').decode(),
            summaries=findings.summaries,
            agent=findings.spent - by_tool,
            by_tool=by_tool,
            warnings=findings.warnings,
            is_finished=findings.is_finished,
        )

    async def _research(self, topic: Topic, deps: StepDeps, budget: int, limits: UsageLimits) -> Findings:
        work = self._work
        if work.model is None:
            return Findings('', (), Spent(), ())
        self._researcher = self._researcher or LoreResearcher(
            work.model,
            work.backend.toolset(),
            way=work.request.way,
            search=work.configuration.search if work.request.search else (),
            trace_content=work.settings.trace_content,
        )
        return await self._researcher.research(
            work.request.zone,
            topic,
            deps,
            budget=budget,
            usage=work.usage,
            usage_limits=share_of(limits, AGENT_SHARE, work.usage),
        )

    async def _keep(
        self,
        topic: Topic,
        handles: Sequence[str],
        notes: str,
        taken: Sequence[SummaryTaken],
        budget: int,
        limits: UsageLimits,
    ) -> StepSummary:
        pages = [page for page in self._work.pages() if page.source_id in handles]

        def tell(progress: SummaryProgress) -> None:
            self._work.tell(ResearchProgress('summarize', progress.message, progress.done, progress.total, topic.id))

        options = RequestOptions(on_progress=tell, usage=self._work.usage, usage_limits=limits)
        summarizer = StepSummarizer(self._work.backend, topic.hint, options)
        net = budget - min(budget // 4, sections.overhead(pages))
        if self._work.request.way == 'in-pipeline':
            return await summarizer.in_pipeline(pages, notes, net)
        return await summarizer.at_source(pages, notes, net, taken)

    async def _keep_again(self, topic: Topic, step: Step, handles: Sequence[str]) -> None:
        """Summarize a step again that stayed raw or got another page."""
        self._begin(topic)
        started = time.monotonic()
        notes = next((block.text for block in step.blocks if block.kind == 'notes'), '')
        made = [SummaryTaken(block.source_ids, block.text) for block in step.blocks if block.kind == 'summary']
        with trace_span('research step', topic=topic.id, way=self._work.request.way, again=True) as span:
            budget = self._budget(topic)
            kept = await self._keep(topic, handles, notes, made, budget, self._limits(topic))
            again = self._finished(topic, handles, kept, budget)
            again.agent, again.summaries, again.has_report = step.agent, step.summaries + kept.spent, step.has_report
            again.warnings = kept.warnings
            again.seconds = round(step.seconds + time.monotonic() - started, 2)
            span.set_attributes(_figures(again))
        if again.blocks != step.blocks:  # what was extracted from the others is no longer all there is
            self._extraction.forget()
        self._checkpoint.steps[topic.id] = again
        await self._work.save()

    def _drop(self, topic: TopicId) -> None:
        """Drop a step and all extractions, and keep their cost."""
        dropped = self._checkpoint.steps.pop(topic)
        self._checkpoint.superseded += dropped.agent + dropped.summaries
        self._extraction.forget()

    def _begin(self, topic: Topic) -> None:
        number = self._topics.index(topic) + 1
        self._work.tell(ResearchProgress('step', topic.header, number, len(self._topics), topic.id))

    def _finished(self, topic: Topic, handles: Sequence[str], kept: StepSummary, budget: int) -> Step:
        known = {page.source_id: page for page in self._work.pages()}
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

    def _unclaimed(self) -> list[str]:
        """Handles of crawled pages that belong to no step."""
        claimed = {handle for handles in (self._checkpoint.assigned or {}).values() for handle in handles}
        claimed |= {handle for step in self._checkpoint.steps.values() for handle in step.pages}
        return [page.source_id for page in self._work.pages() if page.source_id not in claimed]

    def _budget(self, topic: Topic) -> int:
        """This step's part of the room for all sections; the same after an interruption.

        So pages that nobody has claimed, which it had crawled by then, do not count.
        """
        unclaimed = self._unclaimed()
        pages = [page for page in self._work.pages() if page.source_id not in unclaimed]
        later = self._topics[self._topics.index(topic) + 1 :]
        has_agent = self._work.model is not None
        more = MORE_PAGES * (len(later) + 1) if has_agent else 0
        room = self._extraction.room(pages) - PAGE_TOKENS * more
        known = {page.source_id: page for page in pages}
        used = sum(
            min(step.tokens_kept + sections.overhead([known[handle] for handle in step.pages]), step.budget)
            for each, step in self._checkpoint.steps.items()
            if each != topic.id and not (step.state == 'raw' and each in {one.id for one in later})
        )
        sizes = {page.source_id: page.tokens for page in pages}
        expected: dict[TopicId, int] = {
            each: sum(sizes[handle] for handle in handles)
            for each, handles in (self._checkpoint.assigned or {}).items()
        }
        return planning.step_budget(topic, later, max(0, room - used), expected, more_may_come=has_agent)

    def _limits(self, topic: Topic) -> UsageLimits:
        """The usage limits of one step, all its calls together."""
        shares = [each.share for each in self._topics[self._topics.index(topic) :]]
        return self._work.limits(topic.share, sum(shares) + planning.extraction_share(self._topics))


def _figures(step: Step) -> dict[str, str | int]:
    return {
        'state': step.state,
        'pages': len(step.pages),
        'tokens_in': step.tokens_crawled,
        'tokens_out': step.tokens_kept,
        'requests': step.agent.requests + step.summaries.requests,
    }
