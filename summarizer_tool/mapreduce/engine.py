"""Map and reduce: chunks to grounded facts, and facts to a text that fills its budget.

The computing parts are pure functions elsewhere and run off the event loop; this file only says what happens when.
"""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import anyio
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.models import Model

from summarizer_tool import prompts, telemetry
from summarizer_tool.documents.chunking import Chunk
from summarizer_tool.documents.cutting import ChunkCuts, chunks_of, cut
from summarizer_tool.errors import SummarizationFailedError
from summarizer_tool.llm import failures
from summarizer_tool.llm.failures import DEADLINE
from summarizer_tool.llm.options import DEFAULT_OPTIONS, RequestOptions
from summarizer_tool.mapreduce import (
    agents,
    audit,
    extractive_fallback,
    grounding,
    merging,
    render,
    repair,
    supersede,
    topics,
)
from summarizer_tool.mapreduce.answer_cache import AnswerCache, key_of, revision
from summarizer_tool.mapreduce.calls_at_once import CallsAtOnce
from summarizer_tool.mapreduce.compose import Composer
from summarizer_tool.mapreduce.job import ChunkOutcome, Job, RunStats
from summarizer_tool.mapreduce.merging import GroundedFact, Place
from summarizer_tool.mapreduce.numbering import Numbered, number, segment_relevances
from summarizer_tool.mapreduce.reducing import Reducer
from summarizer_tool.mapreduce.sub_agent_runner import SubAgentRunner
from summarizer_tool.mapreduce.targets import MIN_TARGET_TOKENS, ChunkTarget, chunk_shares
from summarizer_tool.prompts import Focus
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_process, in_thread
from summarizer_tool.schemas import ChunkSummary, Summary
from summarizer_tool.settings import Settings
from summarizer_tool.text import scoring

OVERSAMPLE = 1.25
"""The map asks for this much more than fits, so that the last step has something to choose from."""

OVERSAMPLE_EMBEDDED = 1.6
"""The same for the embedded model, whose facts cost nothing."""

OVERSAMPLE_ANSWER = 4.0
"""The same where a focus is asked for: which chunk has the answer only shows once all of them are seen."""

UNUSED = 0.1
"""A model that leaves more than this share of the budget unused has said too little."""

LEAST_PART_CHARACTERS = 1000
"""A chunk is not split into smaller parts than this: a window that does not hold them holds no request."""

FILL_SCALE = 1.5
"""What is asked for to fill a budget, against what was asked for before."""

EXTRACTIVE_TOKENS_PER_SECOND = 40_000
"""A low estimate of the embedded model's speed: what is kept in reserve before the deadline."""

INVENTORY_SHARE = 0.15
"""Of the time, at most so much goes to the inventory of what the sources name."""

T = TypeVar('T')

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
        self._on_failure = options.on_failure or self.settings.on_failure
        self._ending_seconds = 0.0
        """What the last steps take: about as long as the first ones have taken."""
        self._cut = ChunkCuts()
        self._inventory = audit.Inventory()
        self._relevance: list[list[float]] = []
        self._by_topic: list[list[list[float]]] = []
        """For each topic: how much each segment of each document is about it."""
        self._targets: dict[int, float] = {}

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
        calls = [partial(self._map_chunk, chunk, place, len(chunks)) for place, chunk in enumerate(chunks, 1)]
        self._caller.pace.unasked = len(calls)
        outcomes = await self._at_once(calls, 'map', 'summarized chunk', self._weightiest_first(chunks))
        if _has_failed(outcomes) and self._on_failure != 'extractive':
            summary = await self._give_up(chunks, outcomes)
        else:
            await self._degrade(chunks, outcomes)
            facts = await self._reducer.union([fact for outcome in outcomes for fact in outcome.facts])
            # The embedded model has no words of its own: to merge is to choose, which the last step does best.
            if self.options.merge and not self._caller.is_extractive:
                facts = await self._reduced(facts)
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
            self.settings.default_chunk_size_tokens,
            self.settings.default_chunk_overlap_tokens,
            self.job.strategy,
        )
        left_out = [[(repeat.start, repeat.end) for repeat in found] for found in self._cut.repeats]
        self._inventory = await in_process(audit.take, documents, left_out, self.deadline.seconds * INVENTORY_SHARE)
        chunks = await in_thread(chunks_of, self._cut, documents)
        self._ending_seconds = anyio.current_time() - started
        return chunks

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

    # Map

    async def _map_chunk(self, chunk: Chunk, place: int, total: int) -> ChunkOutcome:
        has_time = self._caller.pace.has_time()
        if reason := self._caller.skip_reason() or ('' if has_time else DEADLINE):
            return ChunkOutcome(reason=reason, is_failure=failures.is_final(reason))
        numbered = await in_thread(number, chunk, self._index_of)
        if not numbered.places:
            return ChunkOutcome(state='summarized')
        target = self._target_of(chunk)
        about = {'chunk': place, 'chunks': total, 'tokens_in': chunk.tokens, 'target_tokens': target}
        with telemetry.span('map chunk', **about, model=self.model_name) as span:
            outcome = await self._summarize(numbered, target)
            sizes = {'facts': len(outcome.facts), 'tokens_out': merging.size(outcome.facts)}
            span.set_attributes({**sizes, 'state': outcome.state, 'reason': outcome.reason})
        return outcome

    def _target_of(self, chunk: Chunk) -> int:
        return self._target(self._targets[id(chunk)])

    @property
    def _oversample(self) -> float:
        if not self._caller.is_extractive:
            return OVERSAMPLE
        return OVERSAMPLE_ANSWER if scoring.Aim.of(self.job.focus) is scoring.Aim.ANSWER else OVERSAMPLE_EMBEDDED

    def _weightiest_first(self, chunks: Sequence[Chunk]) -> list[int]:
        """The order of the calls: where time runs out, it does so for what has least to do with the focus."""
        shares = [self._targets[id(chunk)] / chunk.tokens for chunk in chunks]
        return sorted(range(len(chunks)), key=lambda index: -round(10 * shares[index] / max(shares)))

    async def _summarize(self, numbered: Numbered, target: int, missing: Sequence[str] = ()) -> ChunkOutcome:
        has_cache = self.options.cache is not None
        key = await in_thread(self._finished.map_key, numbered.sources, self.job.focus, missing) if has_cache else ''
        async with self._finished.only_one(key, self.deadline):
            kept = await self._finished.find(key, target)
            if kept is not None:
                return await self._grounded(numbered, kept)
            prompt = await in_thread(prompts.chunk_request, numbered.sources, self.job.focus, target, missing)
            agent = agents.TOPICAL_SUMMARIZER if self.job.focus.topics else agents.CHUNK_SUMMARIZER
            if len(prompt) > self._caller.window:
                return await self._in_parts(numbered, target, missing, len(prompt))
            answer = await self._caller.ask(agent, prompt, target, 'repair' if missing else 'map')
            if answer.output is None and answer.reason == failures.CONTEXT_LENGTH and answer.error is not None:
                await self._caller.fit_window(prompt, answer.error)
                return await self._in_parts(numbered, target, missing, len(prompt))
            if answer.output is None:
                return ChunkOutcome(reason=answer.reason, is_failure=failures.is_final(answer.reason))
            outcome = await self._grounded(numbered, answer.output)
            if answer.reason and outcome.facts:
                outcome.reason, outcome.reached = answer.reason, max(fact.evidence[0] for fact in outcome.facts)
                outcome.state = 'failed' if numbered.after(outcome.reached).sources else 'summarized'
            elif outcome.state == 'summarized':
                await self._finished.keep(key, target, answer.output)
            return outcome

    async def _in_parts(self, numbered: Numbered, target: int, missing: Sequence[str], characters: int) -> ChunkOutcome:
        """A chunk whose request, of so many characters, is too long for the model: in parts, up to one that fails."""
        parts = numbered.parts(math.ceil(characters / self._caller.window))
        whole = ChunkOutcome(state='summarized')
        for part in parts:
            if len(parts) == 1 or part.characters < LEAST_PART_CHARACTERS:
                outcome = ChunkOutcome(reason=failures.CONTEXT_LENGTH)
            elif reason := self._caller.skip_reason():
                outcome = ChunkOutcome(reason=reason, is_failure=failures.is_final(reason))
            else:
                outcome = await self._summarize(part, self._target(target / len(parts)), missing)
            whole.facts, whole.entities = whole.facts + outcome.facts, whole.entities + outcome.entities
            if outcome.state != 'summarized':
                whole.state, whole.reason, whole.is_failure = outcome.state, outcome.reason, outcome.is_failure
                whole.reached = outcome.reached or whole.reached
                break
            whole.reason = outcome.reason or whole.reason
            whole.reached = numbered.places[part.lines[-1].number - 1]
        if whole.state == 'summarized':
            whole.reached = None
        return whole

    async def _grounded(self, numbered: Numbered, answer: ChunkSummary) -> ChunkOutcome:
        checked = await in_process(grounding.ground, answer, numbered.lines, numbered.context)
        self._tally.checked(len(answer.facts), checked)
        facts = numbered.found(checked)
        if facts or self._caller.is_extractive:
            return ChunkOutcome(facts, checked.entities, 'summarized')
        return ChunkOutcome(reason='no supported facts' if answer.facts else 'empty answer')

    async def _reduced(self, facts: list[GroundedFact]) -> list[GroundedFact]:
        if not self.job.focus.topics:
            return await self._reducer.reduce(facts)
        return await self._reducer.reduce_topics(facts, [self._places(facts, each) for each in self._by_topic])

    # Degrade

    async def _degrade(self, chunks: Sequence[Chunk], outcomes: list[ChunkOutcome]) -> None:
        """Let the embedded model summarize what the model did not."""
        left = [index for index, outcome in enumerate(outcomes) if outcome.state == 'failed']
        if begun := [outcome.reason for outcome in outcomes if outcome.reached is not None]:
            self._tally.warnings.append(
                f'{len(begun)} of {len(outcomes)} answers were broken off ({", ".join(sorted(set(begun)))}): '
                'what they say is kept, and the extractive model has gone on from there'
            )
        if not left:
            return
        _logger.warning(
            'chunks summarized by the extractive model instead',
            extra={'chunks': len(left), 'of': len(outcomes), 'reasons': sorted({outcomes[i].reason for i in left})},
        )
        for index in left:
            outcome = outcomes[index]
            with telemetry.span('degrade chunk', chunk=index + 1, reason=outcome.reason, model='extractive') as span:
                # When even the time in reserve is over, the beginning of each chunk has to do.
                has_time = self.deadline.seconds > self._ending_seconds
                take = self._extract if has_time else self._first_statements
                target = self._target(self._targets[id(chunks[index])] - merging.size(outcome.facts))
                facts, entities = await take(chunks[index], target, outcome.reached)
                outcome.facts, outcome.entities = outcome.facts + facts, outcome.entities + entities
                outcome.state = 'degraded'
                span.set_attribute('facts', len(facts))

    async def _numbered(self, chunk: Chunk, after: Place | None) -> Numbered:
        numbered = await in_thread(number, chunk, self._index_of)
        return numbered if after is None else numbered.after(after)

    async def _extract(
        self, chunk: Chunk, target: int, after: Place | None = None
    ) -> tuple[list[GroundedFact], list[str]]:
        """The embedded model's facts and entities of a chunk, or of what follows a place in it."""
        numbered = await self._numbered(chunk, after)
        facts, checked = await in_process(extractive_fallback.extract, numbered, self.job.focus, target)
        self._tally.checked(facts, checked)
        return numbered.found(checked), checked.entities

    async def _first_statements(
        self, chunk: Chunk, target: int, after: Place | None = None
    ) -> tuple[list[GroundedFact], list[str]]:
        numbered = await self._numbered(chunk, after)
        facts = await in_thread(extractive_fallback.first_statements, numbered, target)
        self._tally.facts_in += len(facts)
        return facts, []

    # Repair

    async def _repair(
        self, chunks: Sequence[Chunk], outcomes: Sequence[ChunkOutcome], facts: list[GroundedFact]
    ) -> list[GroundedFact]:
        """Ask once more, for what is asked for and not said, where there is room; the embedded model has no more."""
        room = self.job.budget - await in_thread(merging.size, facts)
        is_on = self.settings.repair and self.job.focus != Focus() and not self._caller.is_extractive
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
                partial(self._ask_again, chunks[loss.chunk], loss.missing, self._target(target))
                for loss, target in zip(lost, targets, strict=True)
            ]
            added = await self._at_once(calls, 'repair', 'asked again about chunk')
            repaired = await self._reducer.union([*facts, *(fact for found in added for fact in found)])
            self._tally.recovered = len(repaired) - len(facts)
            span.set_attributes({'facts': self._tally.recovered, 'missing': sum(len(loss.missing) for loss in lost)})
        return sorted(repaired, key=lambda fact: fact.evidence)

    async def _ask_again(self, chunk: Chunk, missing: Sequence[str], target: int) -> list[GroundedFact]:
        if self._caller.skip_reason():
            return []
        try:
            return (await self._summarize(await in_thread(number, chunk, self._index_of), target, missing)).facts
        except UsageLimitExceeded:  # what there is already is worth more than an error
            self._tally.warnings.append('the usage limit is reached; what is missing was not asked for again')
            return []

    # Fill

    async def _fill(
        self, chunks: Sequence[Chunk], outcomes: Sequence[ChunkOutcome], facts: list[GroundedFact]
    ) -> list[GroundedFact]:
        """Offer more of the embedded model's facts where much of the budget is left.

        Beside a model that has said too little they are fillers: none takes the place of one of the model's facts.
        For the embedded model itself it is a second, longer helping, where its chunks have repeated each other.
        """
        total = await in_thread(merging.size, facts)
        room = self.job.budget - total
        is_own = self._caller.is_extractive
        if room <= self.job.budget * UNUSED or not (is_own or self.settings.fill_budget):
            return facts
        if self.deadline.seconds < self.job.tokens_in / EXTRACTIVE_TOKENS_PER_SECOND:
            self._tally.mark_cut_short(DEADLINE)
            return facts
        # More than is lacking, since much of it will be what is said already.
        scale = FILL_SCALE * self.job.budget / max(1, total)
        extra: list[GroundedFact] = []
        with telemetry.span('fill', room=room, model='extractive') as span:
            for chunk, outcome in zip(chunks, outcomes, strict=True):
                if outcome.facts:
                    found, _ = await self._extract(chunk, self._target(self._target_of(chunk) * scale))
                    extra += found if is_own else [replace(fact, importance=1, is_filler=True) for fact in found]
            span.set_attribute('facts', len(extra))
        filled = await self._reducer.union([*facts, *extra])
        return sorted(filled, key=lambda fact: fact.evidence)


def _has_failed(outcomes: Sequence[ChunkOutcome]) -> bool:
    """Return whether every call has failed for good; chunks without anything to ask about do not count."""
    failed = [outcome for outcome in outcomes if outcome.state == 'failed']
    return bool(failed) and all(outcome.is_failure for outcome in failed) and not any(o.facts for o in outcomes)
