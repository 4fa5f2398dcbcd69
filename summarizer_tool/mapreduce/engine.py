"""Map and reduce: chunks to grounded facts, and facts to a text that fills its budget.

The computing parts are pure functions elsewhere and run off the event loop; this file only says what happens when.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import anyio
from pydantic_ai.models import Model

from summarizer_tool import prompts, telemetry
from summarizer_tool.documents.chunking import Chunk
from summarizer_tool.documents.cutting import ChunkCuts, chunks_of, cut
from summarizer_tool.errors import SummarizationFailedError
from summarizer_tool.llm.failures import DEADLINE
from summarizer_tool.llm.options import DEFAULT_OPTIONS, RequestOptions
from summarizer_tool.mapreduce import (
    audit,
    merging,
    render,
    repair,
    supersede,
    topics,
)
from summarizer_tool.mapreduce.answer_cache import AnswerCache, key_of, revision
from summarizer_tool.mapreduce.calls_at_once import Call, CallsAtOnce
from summarizer_tool.mapreduce.compose import Composer
from summarizer_tool.mapreduce.job import ChunkOutcome, Job, RunStats
from summarizer_tool.mapreduce.mapping import ChunkMapper
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.mapreduce.numbering import segment_relevances
from summarizer_tool.mapreduce.reducing import Reducer
from summarizer_tool.mapreduce.sub_agent_runner import SubAgentRunner
from summarizer_tool.mapreduce.targets import MIN_TARGET_TOKENS, ChunkTarget, chunk_shares, chunk_size, turns
from summarizer_tool.prompts import Focus
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_process, in_thread
from summarizer_tool.schemas import Summary
from summarizer_tool.settings import Settings
from summarizer_tool.text import scoring

OVERSAMPLE = 1.25
"""The map asks for this much more than fits, so that the last step has something to choose from."""

OVERSAMPLE_EMBEDDED = 1.6
"""The same for the embedded model, whose facts cost nothing."""

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

INVENTORY_SHARE = 0.15
"""Of the time, at most so much goes to the inventory of what the sources name."""

_logger = logging.getLogger('summarizer_tool')


@dataclass
class Engine:
    """Runs one job. Make a new one for each, on the event loop that runs it."""

    settings: Settings
    model: Model
    """The model to call, already limited in concurrency."""
    model_name: str
    job: Job
    deadline: Deadline
    options: RequestOptions = DEFAULT_OPTIONS

    def __post_init__(self) -> None:
        options = self.options
        self._tally = RunStats()
        self._index_of = {id(document): index for index, document in enumerate(self.job.documents)}
        self.deadline.reserve(0.2 + self.job.tokens_in / EXTRACTIVE_TOKENS_PER_SECOND)
        self._caller = SubAgentRunner(self.settings, self.model, self.model_name, self.deadline, self._tally, options)
        is_extractive = self._caller.is_extractive
        whose = (self.model.system, self.model.base_url or '', options.cache_scope)
        depends_on = (self.model_name, *whose, options.output_mode or self.settings.llm_output_mode, prompts.version())
        scope = key_of(*depends_on, revision() if is_extractive else '')
        self._finished = AnswerCache(options.cache, scope, is_exact=is_extractive)
        self._at_once = CallsAtOnce(self.settings.max_concurrent_llm_calls, options.on_progress)
        self._target = ChunkTarget(self.settings.default_chunk_size_tokens)
        self._reducer = Reducer(
            self.settings,
            self.job,
            self.deadline,
            self._tally,
            self._caller,
            self._finished,
            self._at_once,
            self._target,
        )
        self._mapper = ChunkMapper(
            self.job, self.deadline, self._tally, self._caller, self._finished, self._target, self._index_of
        )
        self._on_failure = options.on_failure or self.settings.on_failure
        self._ending_seconds = 0.0
        """What the last steps take: about as long as the first ones have taken."""
        self._cut = ChunkCuts()
        self._inventory = audit.Inventory()
        self._relevance: list[list[float]] = []
        self._by_topic: list[list[list[float]]] = []
        """For each topic: how much each segment of each document is about it."""
        self._targets: list[float] = []
        """Tokens that each chunk is asked for."""
        self._merged: dict[range, list[GroundedFact]] = {}
        """What neighbouring chunks say together, where that was merged."""

    async def run(self) -> Summary:
        """Do all of it.

        Returns:
            The summary; its text is within the budget unless its state is `original`.

        Raises:
            SummarizationFailedError: If every call failed for good and `on_failure` is `error`.
            UsageLimitExceeded: If the caller's usage limits are reached.
        """
        chunks = await self._chunks()
        self._relevance = await self._relevances()
        self._targets = await in_thread(
            chunk_shares, chunks, self._index_of, self._relevance, self.job.budget * self._oversample
        )
        outcomes = await self._map(chunks)
        if _has_failed(outcomes) and self._on_failure != 'extractive':
            summary = await self._give_up(chunks, outcomes)
        else:
            await self._degrade(chunks, outcomes)
            facts = await self._reduced(outcomes)
            facts = await self._repair(chunks, outcomes, facts)
            facts = await self._fill(chunks, outcomes, facts)
            summary = await self._compose(chunks, outcomes, facts)
        summary.stats.cached_calls = self._finished.found
        summary.stats.usage = self._caller.spent
        return summary

    @property
    def _composer(self) -> Composer:
        return Composer(self.job, self.model_name, self._tally, self._caller.spent, self._cut)

    async def _chunks(self) -> list[Chunk]:
        started, documents = anyio.current_time(), self.job.documents
        self._cut = await in_process(
            cut,
            documents,
            self._chunk_size(),
            self.settings.default_chunk_overlap_tokens,
            self.job.strategy,
        )
        left_out = [[(repeat.start, repeat.end) for repeat in found] for found in self._cut.repeats]
        self._inventory = await in_process(audit.take, documents, left_out, self.deadline.seconds * INVENTORY_SHARE)
        chunks = await in_thread(chunks_of, self._cut, documents)
        self._ending_seconds = anyio.current_time() - started
        return chunks

    def _chunk_size(self) -> int:
        """As configured, or what suits the size of the input; the least for the embedded model, which costs nothing."""
        settings, asked = self.settings, self.job.budget * self._oversample
        if self._caller.is_extractive or 'default_chunk_size_tokens' in settings.model_fields_set:
            return settings.default_chunk_size_tokens
        return chunk_size(settings.default_chunk_size_tokens, self.job.tokens_in, asked, self._at_once.most)

    async def _relevances(self) -> list[list[float]]:
        """How much each segment of each document is about the focus: about the topic that it is most about."""
        documents, asked = self.job.documents, self.job.focus
        if not asked.topics:
            return await in_process(segment_relevances, documents, asked)
        self._by_topic = [await in_process(segment_relevances, documents, topic.focus) for topic in asked.topics]
        return [
            [max(column) for column in zip(*document, strict=True)] for document in zip(*self._by_topic, strict=True)
        ]

    async def _give_up(self, chunks: Sequence[Chunk], outcomes: Sequence[ChunkOutcome]) -> Summary:
        """Every call has failed for good: the original content, or an error."""
        if self._on_failure == 'error':
            reason = next(outcome.reason for outcome in outcomes if outcome.is_failure)
            raise SummarizationFailedError(
                f'every call of {self.model_name} failed ({reason}; chunks: {len(chunks)}); '
                'check the model and its key, or set SUMMARIZER_ON_FAILURE=extractive for a summary without it'
            )
        return await in_thread(self._composer.original, chunks, outcomes)

    async def _compose(
        self, chunks: Sequence[Chunk], outcomes: Sequence[ChunkOutcome], facts: Sequence[GroundedFact]
    ) -> Summary:
        with telemetry.span('fit', facts=len(facts), budget=self.job.budget) as span:
            now = await in_process(supersede.current, facts, self.job.documents, self.job.budget)
            self._tally.dropped.superseded += now.left_out
            facts = now.facts
            if asked := self.job.focus.topics:
                rendered = await self._fit_topics(facts, outcomes, now.is_disputed)
                summary = await in_thread(
                    self._composer.summary, chunks, outcomes, facts, topics.joined(asked, rendered)
                )
                summary.topics = await in_thread(topics.summaries, asked, rendered, facts, self.job.documents)
            else:
                rendered = await in_process(
                    render.fit,
                    facts,
                    [outcome.entities for outcome in outcomes],
                    [document.title for document in self.job.documents],
                    self.job.budget,
                    self.job.focus,
                    self._places(facts, self._relevance),
                    now.is_disputed,
                    self.job.said_before,
                )
                summary = await in_thread(self._composer.summary, chunks, outcomes, facts, rendered)
            said = await self._said(summary.text)
            summary.coverage = await in_thread(audit.report, self._inventory, said, self.job.documents)
            span.set_attribute('tokens_out', summary.stats.tokens_out)
        return summary

    async def _fit_topics(
        self, facts: Sequence[GroundedFact], outcomes: Sequence[ChunkOutcome], is_disputed: bool
    ) -> list[render.RenderedFacts]:
        asked, documents = self.job.focus.topics, self.job.documents
        answers = [outcome.entities for outcome in outcomes]
        return await in_process(
            topics.fit,
            facts,
            await in_thread(topics.listed, answers, self._inventory, documents, self._by_topic),
            [document.title for document in documents],
            max(1, self.job.budget - topics.overhead(asked)),
            asked,
            [self._places(facts, of_topic) for of_topic in self._by_topic],
            is_disputed,
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
    def _oversample(self) -> float:
        if not self._caller.is_extractive:
            return OVERSAMPLE
        return OVERSAMPLE_ANSWER if scoring.Aim.of(self.job.focus) is scoring.Aim.ANSWER else OVERSAMPLE_EMBEDDED

    async def _map(self, chunks: Sequence[Chunk]) -> list[ChunkOutcome]:
        """Summarize all chunks, and merge the facts of neighbours as soon as these are there, where that is needed.

        What is merged with what stands beforehand, so that the answers can come in any order.
        """
        outcomes: list[ChunkOutcome] = [ChunkOutcome()] * len(chunks)

        async def summarize(index: int) -> None:
            target = self._target(self._targets[index])
            outcomes[index] = await self._mapper.summarize(chunks[index], target, index + 1, len(chunks))

        async def merge(group: range) -> None:
            if not any(outcomes[index].facts for index in group):
                return  # if nothing comes of the other chunks, either, there is nothing to degrade
            for index in group:
                await self._mapper.degrade(chunks[index], outcomes[index], self._targets[index], self._ending_seconds)
            facts = [fact for index in group for fact in outcomes[index].facts]
            self._merged[group] = await self._reducer.merge(facts, self._planned(group) / self._planned(everything))

        everything = range(len(chunks))
        groups = self._reducer.plan(chunks, list(map(self._planned_of, everything))) if self._may_merge else []
        ranks = turns(chunks, self._targets, list(map(self._planned_of, everything)))
        calls = [Call(partial(summarize, index), 'map', 'summarized chunk', rank=ranks[index]) for index in everything]
        calls += [Call(partial(merge, group), 'reduce', 'merged group', rank=-1, after=group) for group in groups]
        self._caller.pace.unasked = len(chunks)
        await self._at_once(calls)
        return outcomes

    @property
    def _may_merge(self) -> bool:
        # The embedded model has no words of its own: to merge is to choose, which the last step does best.
        return self.options.merge and not self._caller.is_extractive

    def _planned_of(self, index: int) -> int:
        return self._target(self._targets[index])

    def _planned(self, group: range) -> int:
        """Tokens of facts that are asked for from chunks."""
        return sum(map(self._planned_of, group))

    async def _degrade(self, chunks: Sequence[Chunk], outcomes: Sequence[ChunkOutcome]) -> None:
        """Let the embedded model summarize what the model did not."""
        if begun := [outcome.reason for outcome in outcomes if outcome.reached is not None]:
            self._tally.warnings.append(
                f'{len(begun)} of {len(outcomes)} answers were broken off ({", ".join(sorted(set(begun)))}): '
                'what they say is kept, and the extractive model has gone on from there'
            )
        for chunk, outcome, target in zip(chunks, outcomes, self._targets, strict=True):
            await self._mapper.degrade(chunk, outcome, target, self._ending_seconds)
        if left := [outcome.reason for outcome in outcomes if outcome.state == 'degraded']:
            _logger.warning(
                'chunks summarized by the extractive model instead',
                extra={'chunks': len(left), 'of': len(outcomes), 'reasons': sorted(set(left))},
            )

    async def _reduced(self, outcomes: Sequence[ChunkOutcome]) -> list[GroundedFact]:
        """The facts of all chunks, without duplicates, and merged where they are far too many."""
        if self._merged:
            in_groups = {index: group for group in self._merged for index in group}
            found = [
                self._merged[in_groups[index]] if index in in_groups else outcome.facts
                for index, outcome in enumerate(outcomes)
                if index not in in_groups or index == in_groups[index].start
            ]
            return await self._reducer.union([fact for facts in found for fact in facts])
        facts = await self._reducer.union([fact for outcome in outcomes for fact in outcome.facts])
        if not self._may_merge:
            return facts
        if not self.job.focus.topics:
            return await self._reducer.reduce(facts)
        return await self._reducer.reduce_topics(facts, [self._places(facts, each) for each in self._by_topic])

    # Repair

    async def _repair(
        self, chunks: Sequence[Chunk], outcomes: Sequence[ChunkOutcome], facts: list[GroundedFact]
    ) -> list[GroundedFact]:
        """Ask once more, for what is asked for and not said, where there is room and nothing had to be merged.

        The embedded model has no more to say.
        """
        room = self.job.budget - await in_thread(merging.size, facts)
        is_on = (
            self.settings.repair
            and not self._tally.levels
            and self.job.focus != Focus()
            and not self._caller.is_extractive
        )
        has_time = not self._caller.skip_reason() and all(outcome.reason != DEADLINE for outcome in outcomes)
        if not is_on or not has_time or room <= max(self.job.budget * UNUSED, MIN_TARGET_TOKENS):
            return facts
        said = await self._said('\n'.join(fact.text for fact in facts))
        lost = await in_thread(repair.losses, self._inventory, said, chunks, self._relevance, self.job)
        lost = [loss for loss in lost if outcomes[loss.chunk].state == 'summarized'][: repair.MAX_CHUNKS]
        if not lost:
            return facts
        with telemetry.span('repair', chunks=len(lost), room=room, model=self.model_name) as span:
            targets = repair.targets(lost, room * OVERSAMPLE)
            calls = [
                Call(
                    partial(self._mapper.ask_again, chunks[loss.chunk], loss.missing, self._target(target)),
                    'repair',
                    'asked again about chunk',
                )
                for loss, target in zip(lost, targets, strict=True)
            ]
            added = await self._at_once(calls)
            repaired = await self._reducer.union([*facts, *(fact for found in added for fact in found)])
            self._tally.recovered = len(repaired) - len(facts)
            span.set_attributes({'facts': self._tally.recovered, 'missing': sum(len(loss.missing) for loss in lost)})
        return sorted(repaired, key=lambda fact: fact.evidence)

    # Fill

    async def _fill(
        self, chunks: Sequence[Chunk], outcomes: Sequence[ChunkOutcome], facts: list[GroundedFact]
    ) -> list[GroundedFact]:
        """Offer more of the embedded model's facts where much of the budget is left.

        Beside a model that has said too little they are fillers: none takes the place of one of the model's facts.
        For the embedded model itself it is a second, longer helping, where its chunks have repeated each other.
        """
        is_own = self._caller.is_extractive
        size = merging.size if is_own else merging.exact_size
        total = await in_thread(size, facts)
        room = self.job.budget - total
        if room <= self.job.budget * (UNUSED if is_own else UNFILLED) or not (is_own or self.settings.fill_budget):
            return facts
        if self.deadline.seconds < self.job.tokens_in / EXTRACTIVE_TOKENS_PER_SECOND:
            self._tally.mark_cut_short(DEADLINE)
            return facts
        # More than is lacking, since much of it will be what is said already.
        scale = FILL_SCALE * self.job.budget / max(1, total)
        left = [index for index, outcome in enumerate(outcomes) if outcome.facts]
        if not is_own:  # last, and first to be taken, where it has said least of what it was asked for
            left.sort(key=lambda index: merging.size(outcomes[index].facts) / self._planned_of(index), reverse=True)
        filled, at_once = facts, len(left) if is_own else 1
        with telemetry.span('fill', room=room, model='extractive') as span:
            while left and size(filled) - total < FILL_SCALE * room:
                extra: list[GroundedFact] = []
                for index in left[-at_once:]:
                    found, _ = await self._mapper.extract(chunks[index], self._target(self._planned_of(index) * scale))
                    extra += found if is_own else [replace(fact, importance=1, is_filler=True) for fact in found]
                filled = await self._reducer.union([*filled, *extra])
                left, at_once = left[:-at_once], 2 * at_once
            span.set_attribute('facts', len(filled) - len(facts))
        return sorted(filled, key=lambda fact: fact.evidence)


def _has_failed(outcomes: Sequence[ChunkOutcome]) -> bool:
    """Return whether every call has failed for good; chunks without anything to ask about do not count."""
    failed = [outcome for outcome in outcomes if outcome.state == 'failed']
    return bool(failed) and all(outcome.is_failure for outcome in failed) and not any(o.facts for o in outcomes)
