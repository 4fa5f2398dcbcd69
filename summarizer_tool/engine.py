"""Map and reduce: chunks to grounded facts, and facts to a text that fills its budget.

The computing parts are pure functions elsewhere and run in worker threads; this file only says what happens when.
"""

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import anyio
from pydantic_ai import Agent
from pydantic_ai.exceptions import AgentRunError, UsageLimitExceeded, UserError
from pydantic_ai.models import Model
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.usage import RunUsage, UsageLimits

from summarizer_tool import agents, extractive, failures, grounding, merging, models, prompts, render, telemetry, tokens
from summarizer_tool.agents import Task
from summarizer_tool.chunking import Chunk, chunk
from summarizer_tool.documents import Document
from summarizer_tool.errors import SummarizationFailedError
from summarizer_tool.extractive import ExtractiveModel
from summarizer_tool.failures import DEADLINE
from summarizer_tool.merging import Found
from summarizer_tool.numbering import Numbered, merged, number
from summarizer_tool.offload import offload
from summarizer_tool.report import entities_of, joined, parts_of, sourced
from summarizer_tool.schemas import ChunkSummary, DroppedFacts, PartState, Stats, Summary
from summarizer_tool.settings import Settings
from summarizer_tool.statements import Line

OVERSAMPLE = 1.25
"""The map asks for this much more than fits, so that the last step has something to choose from."""

OVERSAMPLE_EMBEDDED = 1.6
"""The same for the embedded model, whose facts cost nothing."""

FITS = 1.75
"""Up to this many times the budget the last step only has to drop facts, which needs no model; above, the merger
condenses them first."""

MERGE_TARGET = 1.1
"""What a level of merging asks for, in budgets."""

MAX_LEVELS = 4
"""Levels of merging; each must shrink the whole by a tenth, or the deterministic fit ends it."""

MIN_GROUP_TOKENS = 1500
"""A level is cut into as many groups as may run at once, but not into smaller ones: duplicates are found in a group."""

MIN_TARGET_TOKENS = 96
"""The least that a call is asked for: two or three facts."""

STRUCTURE_FACTOR = 1.8
STRUCTURE_TOKENS = 160
"""Room in `max_tokens` for the JSON around the facts, their evidence and the entities."""

LONE_WORD = 0.6
"""Worth of a single word that one chunk names, against 1 for any other name."""

UNUSED = 0.2
"""A model that leaves more than this share of the budget unused has said too little."""

EXTRACTIVE_TOKENS_PER_SECOND = 40_000
"""A low estimate of the embedded model's speed: what is kept in reserve before the deadline."""

_logger = logging.getLogger('summarizer_tool')


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a request has come: one of these after each finished call."""

    phase: Literal['map', 'reduce']
    done: int
    total: int
    message: str


@dataclass(frozen=True, slots=True)
class Job:
    """One request, checked and complete."""

    documents: Sequence[Document]
    wish: prompts.Wish
    budget: int
    strategy: str
    tokens_in: int


@dataclass(slots=True)
class _Outcome:
    """What became of one chunk."""

    facts: list[Found] = field(default_factory=list[Found])
    entities: list[str] = field(default_factory=list[str])
    state: PartState = 'failed'
    reason: str = ''
    is_failure: bool = False
    """Whether the model's call failed for good, rather than lacking time or answering with too little."""


@dataclass
class Engine:
    """Runs one job. Make a new one for each, on the event loop that runs it."""

    settings: Settings
    model: Model
    """What does the work; already limited in concurrency."""
    model_name: str
    job: Job
    usage: RunUsage = field(default_factory=RunUsage)
    usage_limits: UsageLimits | None = None
    on_progress: Callable[[Progress], None] | None = None

    def __post_init__(self) -> None:
        self._started = time.monotonic()
        self._calls: Counter[str] = Counter()
        self._levels = 0
        self._facts_in = self._repaired = 0
        self._dropped = DroppedFacts()
        self._warnings: list[str] = []
        self._hopeless = ''
        self._index_of = {id(document): index for index, document in enumerate(self.job.documents)}
        deadline = self.settings.deadline_seconds
        reserve = min(deadline / 2, 0.2 + self.job.tokens_in / EXTRACTIVE_TOKENS_PER_SECOND)
        self._call_deadline = anyio.current_time() + deadline - reserve

    async def run(self) -> Summary:
        """Do all of it.

        Returns:
            The summary; its text is within the budget unless its state is `original`.

        Raises:
            SummarizationFailedError: If every call failed for good and `on_failure` is `error`.
            UsageLimitExceeded: If the caller's usage limits are reached.
        """
        chunks = await offload(
            chunk,
            self.job.documents,
            size=self.settings.default_chunk_size_tokens,
            overlap=self.settings.default_chunk_overlap_tokens,
            strategy=self.job.strategy,
        )
        outcomes = await self._map(chunks)
        if outcomes and all(outcome.is_failure for outcome in outcomes) and self.settings.on_failure != 'extractive':
            return await offload(self._give_up, chunks, outcomes)
        await self._degrade(chunks, outcomes)
        facts = await self._union([fact for outcome in outcomes for fact in outcome.facts])
        facts = await self._reduce(facts)
        facts = await self._fill(chunks, outcomes, facts)
        return await self._fit(chunks, outcomes, facts)

    # Map

    async def _map(self, chunks: Sequence[Chunk]) -> list[_Outcome]:
        outcomes = [_Outcome() for _ in chunks]

        async def one(index: int) -> None:
            outcomes[index] = await self._map_chunk(chunks[index], index, len(chunks))

        await self._each(one, len(chunks), 'map', 'summarized chunk')
        return outcomes

    async def _each(
        self, work: Callable[[int], Awaitable[None]], total: int, phase: Literal['map', 'reduce'], what: str
    ) -> None:
        """Do `work` for each index, as many at once as calls are allowed, so that no more requests than that exist."""
        waiting = iter(range(total))
        done = 0

        async def worker() -> None:
            nonlocal done
            for index in waiting:
                await work(index)
                done += 1
                if self.on_progress is not None:
                    self.on_progress(Progress(phase, done, total, f'{what} {done} of {total}'))

        try:
            async with anyio.create_task_group() as group:
                for _ in range(min(total, self.settings.max_concurrent_llm_calls)):
                    group.start_soon(worker)
        except ExceptionGroup as errors:
            # A usage limit or a mistake in the setup ends all workers; the caller wants to catch it by its own type.
            raise failures.first_of(errors) from None

    async def _map_chunk(self, chunk: Chunk, index: int, total: int) -> _Outcome:
        if why_not := self._no_more_calls():
            return _Outcome(reason=why_not, is_failure=why_not != DEADLINE)
        numbered = await offload(number, chunk, self._index_of)
        if not numbered.places:
            return _Outcome(state='summarized')
        target = self._target_of(chunk)
        with telemetry.span(
            'map chunk',
            chunk=index + 1,
            chunks=total,
            tokens_in=chunk.tokens,
            target_tokens=target,
            model=self.model_name,
        ) as span:
            outcome = await self._summarize(numbered, target)
            span.set_attributes(
                {
                    'facts': len(outcome.facts),
                    'tokens_out': merging.size(outcome.facts),
                    'state': outcome.state,
                    'reason': outcome.reason,
                }
            )
        return outcome

    def _target_of(self, chunk: Chunk) -> int:
        """The chunk's share of the budget, by its share of the input."""
        oversample = OVERSAMPLE_EMBEDDED if self._is_extractive else OVERSAMPLE
        return self._target(self.job.budget * oversample * chunk.tokens / max(1, self.job.tokens_in))

    def _target(self, wanted: float) -> int:
        return max(MIN_TARGET_TOKENS, min(round(wanted), self.settings.default_chunk_size_tokens))

    async def _summarize(self, numbered: Numbered, target: int) -> _Outcome:
        prompt = await offload(prompts.chunk_request, numbered.sources, self.job.wish, target)
        agent = agents.chunk_summarizer(self.settings.llm_output_mode, trace_content=self.settings.trace_content)
        answer = await self._ask(agent, prompt, target, 'map')
        if isinstance(answer, str):
            return _Outcome(reason=answer, is_failure=answer != DEADLINE)
        checked = await offload(grounding.ground, answer, numbered.lines, numbered.context)
        self._count(answer, checked)
        facts = numbered.found(checked)
        if facts or self._is_extractive:
            return _Outcome(facts, checked.entities, 'summarized')
        return _Outcome(reason='no supported facts' if answer.facts else 'empty answer')

    async def _ask(
        self, agent: Agent[Task, ChunkSummary], prompt: str, target: int, phase: Literal['map', 'reduce']
    ) -> ChunkSummary | str:
        """One run of a sub-agent: its answer, or in a few words why there is none."""
        self._calls[phase] += 1
        with anyio.move_on_at(self._call_deadline):
            try:
                result = await agent.run(
                    prompt,
                    model=self.model,
                    # The embedded model has nothing to add when it is asked a second time.
                    deps=Task(has_content=not self._is_extractive),
                    model_settings=models.request_settings(
                        self.settings, round(target * STRUCTURE_FACTOR) + STRUCTURE_TOKENS, self.model_name
                    ),
                    usage=self.usage,
                    usage_limits=self.usage_limits or UsageLimits(request_limit=None),
                    retries={'output': self.settings.llm_output_retries},
                )
            except (UsageLimitExceeded, UserError):
                raise
            except Exception as error:  # noqa: BLE001 - whatever a provider's code raises, the chunk has another way
                reason = failures.reason(error)
                if failures.is_hopeless(error):
                    self._hopeless = reason
                level = logging.WARNING if isinstance(error, AgentRunError | OSError) else logging.ERROR
                _logger.log(level, 'model call failed', extra={'agent': agent.name, 'reason': reason})
                return reason
            return result.output
        return DEADLINE

    @property
    def _is_extractive(self) -> bool:
        model = self.model
        while isinstance(model, WrapperModel):
            model = model.wrapped
        return isinstance(model, ExtractiveModel)

    def _no_more_calls(self) -> str:
        """Why no further call should be made, if so."""
        return DEADLINE if anyio.current_time() >= self._call_deadline else self._hopeless

    def _count(self, answer: ChunkSummary, checked: grounding.Grounding) -> None:
        self._facts_in += len(answer.facts)
        self._repaired += checked.repaired
        self._dropped.unsupported += checked.unsupported

    # Degrade

    async def _degrade(self, chunks: Sequence[Chunk], outcomes: list[_Outcome]) -> None:
        """Let the embedded model summarize what the model did not."""
        left = [index for index, outcome in enumerate(outcomes) if outcome.state == 'failed']
        if not left:
            return
        _logger.warning(
            'chunks summarized by the extractive model instead',
            extra={'chunks': len(left), 'of': len(outcomes), 'reasons': sorted({outcomes[i].reason for i in left})},
        )
        for index in left:
            reason = outcomes[index].reason
            with telemetry.span('degrade chunk', chunk=index + 1, reason=reason, model='extractive') as span:
                facts, entities = await offload(self._extract, chunks[index], self._target_of(chunks[index]))
                outcomes[index] = _Outcome(facts, entities, 'degraded', reason)
                span.set_attribute('facts', len(facts))

    def _extract(self, chunk: Chunk, target: int) -> tuple[list[Found], list[str]]:
        """The embedded model's facts and entities of a chunk."""
        numbered = number(chunk, self._index_of)
        request = prompts.Request(numbered.sources, self.job.wish, target, merges=False)
        answer = extractive.summarize_sources(request, target)
        checked = grounding.ground(answer, numbered.lines, numbered.context)
        self._count(answer, checked)
        return numbered.found(checked), checked.entities

    async def _fill(self, chunks: Sequence[Chunk], outcomes: Sequence[_Outcome], facts: list[Found]) -> list[Found]:
        """Offer the embedded model's facts for what a model that said too little has left of the budget.

        They have the lowest importance, so none of them takes the place of one of the model's.
        """
        room = self.job.budget - await offload(merging.size, facts)
        late = anyio.current_time() >= self._call_deadline
        if room <= self.job.budget * UNUSED or late or self._is_extractive or not self.settings.fill_budget:
            return facts
        extra: list[Found] = []
        with telemetry.span('fill', room=room, model='extractive') as span:
            for chunk, outcome in zip(chunks, outcomes, strict=True):
                if outcome.state == 'summarized':
                    target = self._target(room * OVERSAMPLE * chunk.tokens / max(1, self.job.tokens_in))
                    found, _ = await offload(self._extract, chunk, target)
                    extra += [replace(fact, importance=1) for fact in found]
            span.set_attribute('facts', len(extra))
        filled = await self._union([*facts, *extra])
        return sorted(filled, key=lambda fact: fact.evidence)

    # Reduce

    async def _union(self, facts: Sequence[Found]) -> list[Found]:
        kept, duplicates = await offload(merging.union, facts)
        self._dropped.duplicate += duplicates
        return kept

    async def _reduce(self, facts: list[Found]) -> list[Found]:
        """Condense with the merger, level by level, while dropping alone would lose too much."""
        total = await offload(merging.size, facts)
        for level in range(1, MAX_LEVELS + 1):
            if total <= self.job.budget * FITS or self._no_more_calls():
                break
            self._levels = level
            with telemetry.span('reduce level', level=level, facts=len(facts), tokens_in=total) as span:
                condensed = await self._merge_level(facts, level, total)
                shrunk = await offload(merging.size, condensed)
                span.set_attributes({'facts_out': len(condensed), 'tokens_out': shrunk})
            if shrunk >= total:
                break
            facts, before, total = condensed, total, shrunk
            if shrunk > before * 0.9:
                break
        return facts

    async def _merge_level(self, facts: Sequence[Found], level: int, total: int) -> list[Found]:
        at_once = max(MIN_GROUP_TOKENS, -(-total // self.settings.max_concurrent_llm_calls))
        groups = list(merging.groups(facts, min(self.settings.default_chunk_size_tokens, at_once)))
        condensed: list[list[Found]] = [[] for _ in groups]

        async def one(index: int) -> None:
            target = self._target(self.job.budget * MERGE_TARGET * merging.size(groups[index]) / max(1, total))
            condensed[index] = await self._merge_group(groups[index], target, level, index + 1)

        await self._each(one, len(groups), 'reduce', f'level {level}: merged group')
        return await self._union([fact for group in condensed for fact in group])

    async def _merge_group(self, facts: list[Found], target: int, level: int, index: int) -> list[Found]:
        """One call of the merger; where it fails, the facts stay as they are and the fit chooses among them."""
        if self._no_more_calls():
            return facts
        lines = [Line(place, fact.text) for place, fact in enumerate(facts, 1)]
        agent = agents.merger(self.settings.llm_output_mode, trace_content=self.settings.trace_content)
        with telemetry.span(
            'reduce group', level=level, group=index, facts=len(facts), target_tokens=target, model=self.model_name
        ) as span:
            prompt = await offload(prompts.merge_request, lines, self.job.wish, target)
            answer = await self._ask(agent, prompt, target, 'reduce')
            if isinstance(answer, str):
                self._warnings.append(f'a merge failed ({answer}); its facts were chosen from without a model')
                span.set_attribute('reason', answer)
                return facts
            checked = await offload(grounding.ground, answer, lines)
            self._repaired += checked.repaired
            self._dropped.unsupported += checked.unsupported
            span.set_attribute('facts_out', len(checked.facts))
        return merged(checked, facts) or facts

    # Fit

    async def _fit(self, chunks: Sequence[Chunk], outcomes: Sequence[_Outcome], facts: Sequence[Found]) -> Summary:
        with telemetry.span('fit', facts=len(facts), budget=self.job.budget) as span:
            summary = await offload(self._compose, chunks, outcomes, facts)
            span.set_attribute('tokens_out', summary.stats.tokens_out)
        return summary

    def _compose(self, chunks: Sequence[Chunk], outcomes: Sequence[_Outcome], facts: Sequence[Found]) -> Summary:
        """The summary of the facts: their text, and the account of everything."""
        rendered = self._render(facts, _ranked(outcomes))
        text = rendered.text
        if not text:
            text = self._cut_off(facts)
            what = 'not one fact fits the budget' if facts else 'no facts found'
            self._warnings.append(f'{what}; the text is cut off')
        self._dropped.over_budget += len(facts) - len(rendered.kept)
        kept = [facts[index] for index in rendered.kept]
        return Summary(
            text=text,
            state='complete' if all(outcome.state == 'summarized' for outcome in outcomes) else 'degraded',
            facts=[sourced(fact, self.job.documents) for fact in kept],
            entities=entities_of(kept, rendered.entities),
            parts=[
                part
                for chunk, outcome in zip(chunks, outcomes, strict=True)
                for part in parts_of(chunk, outcome.state, outcome.reason)
            ],
            warnings=self._warnings,
            stats=self._stats(text, len(chunks), len(kept)),
        )

    def _render(self, facts: Sequence[Found], entities: Sequence[str]) -> render.Rendered:
        relevance = extractive.relevances([fact.text for fact in facts], self.job.wish)
        candidates = [
            # The first line of its evidence may be the heading that its subject was taken from.
            render.Candidate(fact.text, fact.importance, fact.evidence[-1], relevance[index])
            for index, fact in enumerate(facts)
        ]
        titles = [document.title for document in self.job.documents]
        return render.fit(candidates, entities, titles, self.job.budget)

    def _cut_off(self, facts: Sequence[Found]) -> str:
        """Something within the budget where no fact fits it: the best fact, or the source, cut off."""
        best = max(facts, key=lambda fact: (fact.importance, -len(fact.text)), default=None)
        text = best.text if best else joined(self.job.documents).strip()
        return render.shorten(text, self.job.budget)

    def _give_up(self, chunks: Sequence[Chunk], outcomes: Sequence[_Outcome]) -> Summary:
        """Every call has failed for good: the original content, or an error."""
        reason = outcomes[0].reason
        if self.settings.on_failure == 'error':
            raise SummarizationFailedError(
                f'every call of {self.model_name} failed ({reason}; chunks: {len(chunks)}); '
                'check the model and its key, or set SUMMARIZER_ON_FAILURE=extractive for a summary without it'
            )
        text = joined(self.job.documents)
        stats = self._stats(text, len(chunks), 0)
        _logger.warning(
            'every model call failed; the original content is returned',
            extra={'reason': reason, 'output_size': stats.tokens_out, 'budget': self.job.budget},
        )
        return Summary(
            text=text,
            state='original',
            parts=[
                part
                for chunk, outcome in zip(chunks, outcomes, strict=True)
                for part in parts_of(chunk, 'failed', outcome.reason)
            ],
            warnings=[
                f'every model call failed ({reason}): this is the original content, {stats.tokens_out} tokens '
                f'for a budget of {self.job.budget}'
            ],
            stats=stats,
        )

    def _stats(self, text: str, chunks: int, facts_out: int) -> Stats:
        return Stats(
            tokens_in=self.job.tokens_in,
            tokens_out=tokens.count(text),
            budget=self.job.budget,
            chunks=chunks,
            map_calls=self._calls['map'],
            reduce_calls=self._calls['reduce'],
            reduce_levels=self._levels,
            usage=self.usage,
            seconds=round(time.monotonic() - self._started, 3),
            model=self.model_name,
            strategy=self.job.strategy,
            facts_in=self._facts_in,
            facts_out=facts_out,
            facts_repaired=self._repaired,
            dropped=self._dropped,
        )


def _ranked(outcomes: Sequence[_Outcome]) -> list[str]:
    """The entities of all chunks by worth per token: what many chunks name, or name first, before the rest.

    A single word that only one chunk names is worth less: it is often no more than a capitalized noun.
    """
    worth: defaultdict[str, float] = defaultdict(float)
    chunks: Counter[str] = Counter()
    for outcome in outcomes:
        for place, entity in enumerate(outcome.entities):
            worth[entity] += 1.0 - place / (2 * len(outcome.entities))
            chunks[entity] += 1

    def density(entity: str) -> float:
        doubt = LONE_WORD if chunks[entity] == 1 and ' ' not in entity else 1.0
        return doubt * worth[entity] / (tokens.count_cached(f' {entity}') + 1)

    return sorted(worth, key=density, reverse=True)
