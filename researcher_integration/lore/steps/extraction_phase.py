"""After the steps: what they have kept, the typed extraction of each category, and what contradicts what."""

from collections.abc import Sequence
from typing import TypeVar

import anyio
import anyio.to_thread
from pydantic import BaseModel
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.configuration import Topic
from researcher_integration.lore.extraction.cross_reference import compared, conflict_query
from researcher_integration.lore.extraction.typed_extraction import extracted, extraction_query
from researcher_integration.lore.extraction.windowed_query import RETRIES, MaterialAnswer, WindowedQuery, room
from researcher_integration.lore.material import CrawledPage, KeptSection, Material, ResearchError
from researcher_integration.lore.steps.research_run import ResearchProgress, ResearchRun
from researcher_integration.lore.steps.step_summarizer import build
from summarizer_tool import trace_span

T = TypeVar('T', bound=BaseModel)


class ExtractionPhase:
    """Run the extractions and the cross-reference that a checkpoint lacks."""

    def __init__(self, work: ResearchRun) -> None:
        self._work = work
        self._checkpoint = work.checkpoint
        self._extracting = {topic.id: extraction_query(topic.id, work.settings) for topic in work.topics}
        self._comparing = conflict_query(work.settings)

    def room(self, pages: Sequence[CrawledPage]) -> int:
        """The tokens that all sections may have together for each prompt to fit the window."""
        request = self._work.request
        sample = [KeptSection(topic.id, topic.header, 'x') for topic in self._work.topics]
        sizes = [query.most_tokens for query in (*self._extracting.values(), self._comparing)]
        try:
            return room(sizes, Material(request.zone, sample, pages), request.window_tokens)
        except ValueError as error:
            raise ResearchError(f'{error} (--window)') from None

    async def material(self) -> tuple[Material, list[str]]:
        """The kept text of all steps within the window, and notes on what was condensed for it."""
        work, pages = self._work, self._work.pages()
        known = {page.source_id: page for page in pages}
        built, said = await build(
            self._checkpoint.steps, work.topics, known, work.text, self.room(pages), work.settings
        )
        return Material(work.request.zone, built, pages), said

    async def extract(self, model: Model, material: Material) -> None:
        """Extract each category that is missing or has failed, all at once."""
        done_before = {topic for topic, extraction in self._checkpoint.extractions.items() if not extraction.reason}
        topics = [topic for topic in self._work.topics if topic.id not in done_before]
        done = 0

        async def one(topic: Topic) -> None:
            nonlocal done
            with trace_span('extract', category=topic.id) as span:
                answer = await self._ask(model, self._extracting[topic.id], material)
                extraction = await anyio.to_thread.run_sync(extracted, topic.id, answer, material.pages)
                span.set_attributes({'records': len(extraction.records), 'dropped': extraction.dropped})
            self._checkpoint.extractions[topic.id] = extraction
            self._checkpoint.cross_reference = None
            await self._work.save()
            done += 1
            self._work.tell(ResearchProgress('extract', topic.header, done, len(topics), topic.id))

        if _may_reach(self._work.limits_left(), self._work.usage, len(topics)):
            for topic in topics:  # those that run at once do not know of each other
                await one(topic)
            return
        async with anyio.create_task_group() as tasks:
            for topic in topics:
                tasks.start_soon(one, topic)

    async def cross_reference(self, model: Model, material: Material) -> None:
        """Run the cross-reference if it is missing or has failed."""
        if self._checkpoint.cross_reference is not None and not self._checkpoint.cross_reference.reason:
            return
        self._work.tell(ResearchProgress('cross-reference', 'comparing what the sources say'))
        with trace_span('cross-reference') as span:
            answer = await self._ask(model, self._comparing, material)
            extractions = [*self._checkpoint.extractions.values()]
            found = await anyio.to_thread.run_sync(compared, extractions, answer, material.pages)
            span.set_attribute('conflicts', len(found.conflicts))
        self._checkpoint.cross_reference = found
        await self._work.save()

    async def _ask(self, model: Model, query: WindowedQuery[T], material: Material) -> MaterialAnswer[T]:
        work = self._work
        return await query.ask(model, material, work.text, usage=work.usage, usage_limits=work.limits_left())


def _may_reach(limits: UsageLimits, usage: RunUsage, questions: int) -> bool:
    """Say if this many requests could reach a usage limit."""
    requests = questions * (RETRIES + 1)
    near = limits.request_limit is not None and usage.requests + requests > limits.request_limit
    others = (limits.input_tokens_limit, limits.output_tokens_limit, limits.cost_limit)
    return near or any(limit is not None for limit in others)
