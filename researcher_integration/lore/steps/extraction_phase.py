"""After the steps: what they have kept, the typed extraction of each category, and what contradicts what."""

from collections.abc import Sequence

import anyio
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.configuration import Topic
from researcher_integration.lore.extraction import windowed_query
from researcher_integration.lore.extraction.cross_reference import CrossReferencer
from researcher_integration.lore.extraction.typed_extraction import Extractor
from researcher_integration.lore.extraction.windowed_query import RETRIES
from researcher_integration.lore.material import CrawledPage, KeptSection, Material, ResearchError, TopicId
from researcher_integration.lore.steps import step_summarizer
from researcher_integration.lore.steps.research_run import ResearchProgress, ResearchRun
from summarizer_tool import trace_span


class ExtractionPhase:
    """Run the extractions and the cross-reference that a checkpoint lacks."""

    def __init__(self, work: ResearchRun) -> None:
        self._work = work
        self._checkpoint = work.checkpoint
        self._extractor = Extractor(work.model, work.settings)
        self._cross_referencer = CrossReferencer(work.model, work.settings)

    def room(self, pages: Sequence[CrawledPage]) -> int:
        """The tokens that all sections may have together for each prompt to fit the window."""
        questions = (*self._extractor.questions.values(), self._cross_referencer.question)
        request = self._work.request
        sample = [KeptSection(topic.id, topic.header, 'x') for topic in self._work.topics]
        try:
            return windowed_query.room(
                [question.most_tokens for question in questions],
                Material(request.zone, sample, pages),
                request.window_tokens,
            )
        except ValueError as error:
            raise ResearchError(f'{error} (--window)') from None

    async def material(self) -> tuple[Material, list[str]]:
        """The kept text of all steps within the window, and notes on what was condensed for it."""
        work, pages = self._work, self._work.pages()
        built, said = await step_summarizer.build(
            self._checkpoint.steps,
            work.topics,
            {page.source_id: page for page in pages},
            work.text,
            self.room(pages),
            work.settings,
        )
        return Material(work.request.zone, built, pages), said

    async def extract(self, material: Material) -> None:
        """Extract each category that is missing or has failed, all at once."""
        topics = [topic for topic in self._work.topics if not self._is_extracted(topic.id)]
        limits = self._work.limits()
        done = 0

        async def one(topic: Topic) -> None:
            nonlocal done
            with trace_span('extract', category=topic.id) as span:
                extraction = await self._extractor.extract(
                    topic.id, material, self._work.text, usage=self._work.usage, usage_limits=limits
                )
                span.set_attributes({'records': len(extraction.records), 'dropped': extraction.dropped})
            self._supersede(topic.id)
            self._checkpoint.extractions[topic.id] = extraction
            await self._work.save()
            done += 1
            self._work.tell(ResearchProgress('extract', topic.header, done, len(topics), topic.id))

        if _may_reach(limits, self._work.usage, len(topics)):
            for topic in topics:  # those that run at once do not know of each other
                await one(topic)
            return
        async with anyio.create_task_group() as tasks:
            for topic in topics:
                tasks.start_soon(one, topic)

    async def cross_reference(self, material: Material) -> None:
        """Run the cross-reference if it is missing or has failed."""
        found = self._checkpoint.cross_reference
        if found is not None and not found.reason:
            return
        self._work.tell(ResearchProgress('cross-reference', 'comparing what the sources say'))
        with trace_span('cross-reference') as span:
            compared = await self._cross_referencer.cross_reference(
                material,
                list(self._checkpoint.extractions.values()),
                self._work.text,
                usage=self._work.usage,
                usage_limits=self._work.limits(),
            )
            span.set_attribute('conflicts', len(compared.conflicts))
        if found is not None:
            self._checkpoint.superseded += found.spent
        self._checkpoint.cross_reference = compared
        await self._work.save()

    def forget(self) -> None:
        """Drop all extractions and the cross-reference, because a step has changed."""
        for category in tuple(self._checkpoint.extractions):
            self._supersede(category)

    def _supersede(self, category: TopicId) -> None:
        """Drop an extraction and the cross-reference, and keep their cost."""
        for made in (self._checkpoint.extractions.pop(category, None), self._checkpoint.cross_reference):
            if made is not None:
                self._checkpoint.superseded += made.spent
        self._checkpoint.cross_reference = None

    def _is_extracted(self, topic: TopicId) -> bool:
        done = self._checkpoint.extractions.get(topic)
        return done is not None and not done.reason


def _may_reach(limits: UsageLimits, usage: RunUsage, questions: int) -> bool:
    """Say if this many requests could reach a usage limit."""
    requests = questions * (RETRIES + 1)
    near = limits.request_limit is not None and usage.requests + requests > limits.request_limit
    others = (limits.input_tokens_limit, limits.output_tokens_limit, limits.cost_limit)
    return near or any(limit is not None for limit in others)
