"""Map and reduce: chunks to grounded facts, and facts to a text that fills its budget.

The computing parts are pure functions elsewhere and run off the event loop; this file only says what happens when.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import anyio

from summarizer_tool import telemetry
from summarizer_tool.documents.chunking import Chunk
from summarizer_tool.documents.cutting import ChunkCuts, cut
from summarizer_tool.errors import SummarizationFailedError
from summarizer_tool.llm import failures
from summarizer_tool.llm.failures import DEADLINE
from summarizer_tool.mapreduce import audit, merging, render, topics
from summarizer_tool.mapreduce.job import MIN_TARGET_TOKENS, Call, ChunkWork, chunk_shares, chunk_size, ranks
from summarizer_tool.mapreduce.mapping import ChunkMapper
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.mapreduce.numbering import headings_of, segment_relevances
from summarizer_tool.mapreduce.reducing import Reducer
from summarizer_tool.mapreduce.report import Composer
from summarizer_tool.mapreduce.sub_agent_runner import SubAgentRunner
from summarizer_tool.prompts import Focus
from summarizer_tool.runtime.executors import in_process, in_thread
from summarizer_tool.schemas import Summary
from summarizer_tool.text import scoring

OVERSAMPLE = 1.25
"""The map asks for this much more than fits, so that the last step has something to choose from."""

OVERSAMPLE_EMBEDDED = 1.6
"""The same for the embedded model, whose facts cost nothing."""

SPARE_TOKENS = 400
"""At least so many more: of a small budget the next fact may be too long for what is left."""

OVERSAMPLE_ANSWER = 4.0
"""The same where a focus is asked for: which chunk has the answer only shows once all of them are seen."""

UNUSED = 0.1
"""A model that leaves more than this share of the budget unused is asked again for what a focus lacks."""

UNFILLED = 0.02
"""More than this share of the budget is not left empty, where the sources have more to say."""

FILL_SCALE = 1.5
"""What is asked for to fill a budget, against what was asked for before."""

EXTRACTIVE_TOKENS_PER_SECOND = 40_000
"""A low estimate of the embedded model's speed: what is kept in reserve before the deadline."""

RELEVANCE_SHARE = 0.3
"""Of the time, at most so much goes to what of the sources is about the focus."""

_logger = logging.getLogger('summarizer_tool')


class Engine:
    """Runs one job. Make a new one for each, on the event loop that runs it."""

    def __init__(self, runner: SubAgentRunner) -> None:
        self._runner, self._job, self._settings = runner, runner.job, runner.settings
        self._stats = runner.stats
        self._mapper, self._reducer = ChunkMapper(runner), Reducer(runner)
        runner.deadline.reserve(0.2 + runner.job.tokens_in / EXTRACTIVE_TOKENS_PER_SECOND)
        self._ending_seconds = 0.0
        """What the last steps take: about as long as the first ones have taken."""
        self._cut = ChunkCuts()
        self._inventory = audit.Inventory()
        self._relevance: list[list[float]] = []
        self._by_topic: list[list[list[float]]] = []
        """For each topic: how much each segment of each document is about it."""
        self._work: list[ChunkWork] = []

    async def run(self) -> Summary:
        """Do all of it; the text of the summary is within the budget unless its state is `original`.

        Raises:
            SummarizationFailedError: If every call failed for good and `on_failure` is `error`.
            UsageLimitExceeded: If the caller's usage limits are reached.
        """
        chunks = await self._cut_into_chunks()
        self._relevance = await self._relevances()
        shares = await in_thread(chunk_shares, chunks, self._relevance, self._asked)
        self._work = [
            ChunkWork(chunk, share, self._runner.target(share)) for chunk, share in zip(chunks, shares, strict=True)
        ]
        await self._map()
        on_failure = self._runner.options.on_failure or self._settings.on_failure
        # Why every call has failed for good, if so; chunks without anything to ask about do not count.
        reasons = [each.outcome.reason for each in self._work if each.outcome.state == 'failed']
        is_final = all(map(failures.is_final, reasons)) and not any(each.outcome.facts for each in self._work)
        reason = reasons[0] if reasons and is_final and on_failure != 'extractive' else ''
        if reason and on_failure == 'error':
            raise SummarizationFailedError(
                f'every call of {self._runner.model_name} failed ({reason}; chunks: {len(chunks)}); '
                'check the model and its key, or set SUMMARIZER_ON_FAILURE=extractive for a summary without it'
            )
        composer = Composer(self._job, self._stats, self._runner.warnings, self._cut)
        if reason:
            summary = await in_thread(composer.original, self._work, reason)
        else:
            await self._degrade()
            said = [each.outcome.facts if each.merged is None else each.merged for each in self._work]
            facts = await self._reducer.union([fact for some in said for fact in some])
            summary = await self._compose(await self._fill(await self._repair(facts)), composer)
        summary.stats.cached_calls = self._runner.answers.found
        summary.stats.usage = self._runner.spent
        return summary

    async def _cut_into_chunks(self) -> list[Chunk]:
        started, documents, size = anyio.current_time(), self._job.documents, self._chunk_size()
        before = await self._runner.answers.starts(documents, size)
        self._cut = await in_process(cut, documents, size, before)
        if self._cut.starts != before:
            await self._runner.answers.keep_starts(documents, size, self._cut.starts)
        # What is missing is asked of a model again, and what is named is listed for topics.
        if self._runner.options.is_audited or not self._runner.is_extractive or self._job.focus.topics:
            self._inventory = await in_process(audit.take, documents, self._cut.repeats)
        self._ending_seconds = anyio.current_time() - started
        return self._cut.chunks

    def _chunk_size(self) -> int:
        """As configured, or what suits the size of the input; the least for the embedded model, which costs nothing."""
        settings = self._settings
        if self._runner.is_extractive or 'default_chunk_size_tokens' in settings.model_fields_set:
            return settings.default_chunk_size_tokens
        return chunk_size(
            settings.default_chunk_size_tokens, self._job.tokens_in, self._asked, settings.max_concurrent_llm_calls
        )

    async def _relevances(self) -> list[list[float]]:
        """How much each segment of each document is about the focus: about the topic that it is most about.

        All are alike where there is not the time to tell.
        """
        documents, asked = self._job.documents, self._job.focus
        wanted = [topic.focus for topic in asked.topics] or [asked]
        with anyio.move_on_after(self._runner.deadline.seconds * RELEVANCE_SHARE):
            self._by_topic = [await in_process(segment_relevances, documents, focus) for focus in wanted]
        if not self._by_topic:
            self._runner.mark_cut_short(DEADLINE)
            self._by_topic = [segment_relevances(documents, Focus()) for _ in wanted]
        if len(wanted) == 1:
            return self._by_topic[0]
        return [
            [max(column) for column in zip(*document, strict=True)] for document in zip(*self._by_topic, strict=True)
        ]

    async def _compose(self, facts: Sequence[GroundedFact], composer: Composer) -> Summary:
        documents, budget = self._job.documents, self._job.budget
        with telemetry.span('fit', facts=len(facts), budget=budget) as span:
            facts, left_out = await in_process(merging.current, facts, documents, budget)
            self._stats.dropped.superseded += left_out
            texts: list[render.RenderedFacts] = []
            if asked := self._job.focus.topics:
                texts = await self._fit_topics(facts)
                rendered = topics.joined(asked, texts)
            else:
                rendered = await self._fit(facts)
            if not facts:
                for outcome in [each.outcome for each in self._work if each.outcome.state == 'summarized']:
                    outcome.state, outcome.reason = 'degraded', 'no facts found'
            summary = await in_thread(composer.summary, self._work, facts, rendered)
            if asked:
                summary.topics = await in_thread(topics.summaries, asked, texts, facts, documents)
            if self._runner.options.is_audited:
                said = await self._said(summary.text)
                summary.coverage = await in_thread(audit.report, self._inventory, said, documents)
            span.set_attribute('tokens_out', summary.stats.tokens_out)
        return summary

    async def _fit(self, facts: Sequence[GroundedFact]) -> render.RenderedFacts:
        return await in_process(
            render.fit,
            facts,
            [each.outcome.entities for each in self._work],
            [document.title for document in self._job.documents],
            self._job.budget,
            self._job.focus,
            self._places(facts, self._relevance),
            said_before=self._job.said_before,
            headings=await in_thread(headings_of, self._job.documents, facts),
        )

    async def _fit_topics(self, facts: Sequence[GroundedFact]) -> list[render.RenderedFacts]:
        asked, documents = self._job.focus.topics, self._job.documents
        unmet = await in_process(topics.unmet, facts, [document.text for document in documents], asked)
        self._runner.warnings += [f'no word of the topic {topic.name} is in the text' for topic in unmet]
        if len(unmet) < len(asked):
            asked = tuple(replace(topic, share=0.0) if topic in unmet else topic for topic in asked)
        answers = [each.outcome.entities for each in self._work]
        return await in_process(
            topics.fit,
            facts,
            await in_thread(topics.listed, answers, self._inventory, documents, self._by_topic),
            [document.title for document in documents],
            max(1, self._job.budget - topics.overhead(asked)),
            asked,
            [self._places(facts, of_topic) for of_topic in self._by_topic],
            await in_thread(headings_of, documents, facts),
        )

    @staticmethod
    def _places(facts: Sequence[GroundedFact], relevance: Sequence[Sequence[float]]) -> list[float]:
        """How much the place of each fact is about what `relevance` is of."""
        return [max(relevance[at][segment - 1] for at, segment in fact.evidence) for fact in facts]

    async def _said(self, text: str) -> list[bool]:
        """Which of what the sources name a text says."""
        return await in_process(audit.kept, [item.text for item in self._inventory.items], text)

    # Map and merge

    @property
    def _asked(self) -> float:
        """Tokens of facts that are asked for in all."""
        budget, is_answer = self._job.budget, scoring.Aim.of(self._job.focus) is scoring.Aim.ANSWER
        if not self._runner.is_extractive:
            return budget * OVERSAMPLE
        return budget * OVERSAMPLE_ANSWER if is_answer else max(budget * OVERSAMPLE_EMBEDDED, budget + SPARE_TOKENS)

    async def _map(self) -> None:
        """Summarize all chunks, and merge the facts of neighbours as soon as these are there, where that is needed.

        What is merged with what stands beforehand, so that the answers can come in any order.
        """
        work = self._work
        # The embedded model has no words of its own: to merge is to choose, which the last step does best.
        may_merge = self._runner.options.merge and not self._runner.is_extractive
        groups = self._reducer.plan(work) if may_merge else []
        calls = [
            Call(partial(self._mapper.summarize, each, len(work)), 'map', 'summarized chunk', rank)
            for each, rank in zip(work, ranks(work), strict=True)
        ]
        calls += [
            Call(partial(self._merge, work[group.start : group.stop]), 'reduce', 'merged group', after=group)
            for group in groups
        ]
        self._runner.pace.unasked = len(work)
        await self._runner.at_once(calls)

    async def _merge(self, group: Sequence[ChunkWork]) -> None:
        if not any(each.outcome.facts for each in group):
            return  # if nothing comes of the other chunks, either, there is nothing to degrade
        await self._degrade_chunks(group)
        facts = [fact for each in group for fact in each.outcome.facts]
        share = sum(each.asked for each in group) / sum(each.asked for each in self._work)
        found = await self._reducer.condense(facts, share)
        for each in group:
            each.merged, found = found, []

    async def _degrade_chunks(self, work: Sequence[ChunkWork]) -> None:
        for each in work:
            await self._mapper.degrade(each, self._ending_seconds)

    async def _degrade(self) -> None:
        await self._degrade_chunks(self._work)
        outcomes = [each.outcome for each in self._work]
        if begun := [outcome.reason for outcome in outcomes if outcome.is_broken_off]:
            self._runner.warnings.append(
                f'{len(begun)} of {len(outcomes)} answers were broken off ({", ".join(sorted(set(begun)))}): '
                'what they say is kept, and the extractive model has added what they leave out'
            )
        if left := [outcome.reason for outcome in outcomes if outcome.state == 'degraded']:
            _logger.warning(
                'chunks summarized by the extractive model instead',
                extra={'chunks': len(left), 'of': len(outcomes), 'reasons': sorted(set(left))},
            )

    # Repair

    async def _repair(self, facts: list[GroundedFact]) -> list[GroundedFact]:
        """Ask once more, for what is asked for and not said, where there is room and nothing had to be merged.

        The embedded model has no more to say.
        """
        work = self._work
        room = self._job.budget - await in_thread(merging.size, facts)
        is_on = (
            self._settings.repair
            and not self._stats.reduce_levels
            and self._job.focus != Focus()
            and not self._runner.is_extractive
        )
        has_time = not self._runner.skip_reason() and all(each.outcome.reason != DEADLINE for each in work)
        if not is_on or not has_time or room <= max(self._job.budget * UNUSED, MIN_TARGET_TOKENS):
            return facts
        said = await self._said('\n'.join(fact.text for fact in facts))
        chunks = [each.chunk for each in work]
        lost = await in_thread(audit.losses, self._inventory, said, chunks, self._relevance, self._job)
        lost = [loss for loss in lost if work[loss.chunk].outcome.state == 'summarized'][: audit.MAX_CHUNKS]
        if not lost:
            return facts
        with telemetry.span('repair', chunks=len(lost), room=room, model=self._runner.model_name) as span:
            targets = audit.targets(lost, room * OVERSAMPLE)
            asking = [
                partial(self._mapper.ask_again, chunks[loss.chunk], loss.missing, target)
                for loss, target in zip(lost, targets, strict=True)
            ]
            added = await self._runner.at_once([Call(ask, 'repair', 'asked again about chunk') for ask in asking])
            repaired = await self._reducer.union([*facts, *(fact for found in added for fact in found)])
            self._stats.facts_recovered = len(repaired) - len(facts)
            span.set_attributes(
                {'facts': self._stats.facts_recovered, 'missing': sum(len(loss.missing) for loss in lost)}
            )
        return sorted(repaired, key=lambda fact: fact.evidence)

    # Fill

    async def _fill(self, facts: list[GroundedFact]) -> list[GroundedFact]:
        """Offer more of the embedded model's facts where too little is said, or that again and again.

        They are fillers: none takes the place of one of the model's facts.
        """
        total = await in_thread(merging.size, facts)
        room = self._job.budget - total
        if room <= self._job.budget * UNFILLED or not self._settings.fill_budget:
            return facts
        if self._runner.deadline.seconds < self._job.tokens_in / EXTRACTIVE_TOKENS_PER_SECOND:
            self._runner.mark_cut_short(DEADLINE)
            return facts
        # More than is lacking, since much of it will be what is said already.
        scale = FILL_SCALE * self._job.budget / max(1, total)
        # Last, and first to be taken, where it has said least of what it was asked for.
        left = sorted(
            (each for each in self._work if each.outcome.facts),
            key=lambda each: merging.size(each.outcome.facts) / each.asked,
            reverse=True,
        )
        filled = facts
        with telemetry.span('fill', room=room, model='extractive') as span:
            while left and merging.size(filled) - total < FILL_SCALE * room:
                each = left.pop()
                found, _ = await self._mapper.extract(each.chunk, self._runner.target(each.asked * scale))
                fillers = [replace(fact, importance=1, is_filler=True) for fact in found]
                filled = await self._reducer.union([*filled, *fillers])
            span.set_attribute('facts', len(filled) - len(facts))
        return sorted(filled, key=lambda fact: fact.evidence)
