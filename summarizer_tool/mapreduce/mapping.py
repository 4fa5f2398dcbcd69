"""The map step: one chunk to grounded facts, by the model, or where it does not answer by the embedded one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic_ai.exceptions import UsageLimitExceeded

from summarizer_tool import prompts, telemetry
from summarizer_tool.documents.chunking import Chunk
from summarizer_tool.llm import failures
from summarizer_tool.llm.failures import DEADLINE
from summarizer_tool.mapreduce import extractive_fallback, grounding, merging, sub_agent_runner
from summarizer_tool.mapreduce.job import ChunkOutcome, ChunkWork
from summarizer_tool.mapreduce.merging import GroundedFact, Place
from summarizer_tool.mapreduce.numbering import Numbered, number
from summarizer_tool.mapreduce.sub_agent_runner import SubAgentRunner
from summarizer_tool.runtime.executors import in_process, in_thread
from summarizer_tool.schemas import ChunkSummary
from summarizer_tool.text import scoring

LEAST_PART_CHARACTERS = 1000
"""A chunk is not split into smaller parts than this: a window that does not hold them holds no request."""

LEAST_SAID = 0.25
"""Of what an answer that was broken off was asked to say up to there: one that says less has not done its part."""


@dataclass(frozen=True, slots=True)
class ChunkMapper:
    """Summarizes the chunks of one job."""

    runner: SubAgentRunner

    async def summarize(self, work: ChunkWork, chunks: int) -> None:
        """Ask the model about a chunk, one of so many."""
        chunk, target, has_time = work.chunk, work.asked, self.runner.pace.has_time()
        if reason := self.runner.skip_reason() or ('' if has_time else DEADLINE):
            work.outcome = ChunkOutcome(reason=reason)
            return
        numbered = await self._asked(chunk)
        if not numbered.places:
            work.outcome = ChunkOutcome(state='summarized')
            return
        about = {'chunk': chunk.index + 1, 'chunks': chunks, 'tokens_in': chunk.tokens, 'target_tokens': target}
        with telemetry.span('map chunk', **about, model=self.runner.model_name) as span:
            outcome = work.outcome = await self._ask(numbered, target)
            sizes = {'facts': len(outcome.facts), 'tokens_out': merging.size(outcome.facts)}
            span.set_attributes({**sizes, 'state': outcome.state, 'reason': outcome.reason})

    async def ask_again(self, chunk: Chunk, missing: Sequence[str], target: int) -> list[GroundedFact]:
        """Ask once more about a chunk, for what all answers leave out."""
        if self.runner.skip_reason():
            return []
        try:
            return (await self._ask(await self._asked(chunk), self.runner.target(target), missing)).facts
        except UsageLimitExceeded:  # what there is already is worth more than an error
            self.runner.warnings.append('the usage limit is reached; what is missing was not asked for again')
            return []

    async def degrade(self, work: ChunkWork, spare: float) -> None:
        """Let the embedded model summarize what the model did not; no more than once.

        It goes on where the answer was broken off, or begins anew where hardly anything had been said by then, and
        outranks the model in nothing. Where only `spare` seconds are left, the beginning of the chunk has to do.
        """
        chunk, outcome = work.chunk, work.outcome
        if outcome.state != 'failed':
            return
        with telemetry.span('degrade chunk', chunk=chunk.index + 1, reason=outcome.reason, model='extractive') as span:
            said = merging.size(outcome.facts)
            if outcome.reached:
                whole = await self._numbered(chunk, None)
                asked = work.share * (1 - whole.after(outcome.reached).characters / whole.characters)
                outcome.reached = outcome.reached if said > LEAST_SAID * asked else None
            target = self.runner.target(work.share - said)
            if self.runner.deadline.seconds > spare:
                facts, entities = await self.extract(chunk, target, outcome.reached)
            else:
                numbered, entities = await self._numbered(chunk, outcome.reached), []
                facts = await in_thread(extractive_fallback.first_statements, numbered, target)
                self.runner.stats.facts_in += len(facts)
            most = max((fact.importance for fact in outcome.facts), default=scoring.MOST_IMPORTANT)
            facts = [replace(fact, importance=min(fact.importance, most)) for fact in facts]
            outcome.facts, outcome.entities = outcome.facts + facts, outcome.entities + entities
            outcome.state = 'degraded'
            span.set_attribute('facts', len(facts))

    async def extract(
        self, chunk: Chunk, target: int, after: Place | None = None
    ) -> tuple[list[GroundedFact], list[str]]:
        """The embedded model's facts and entities of a chunk, or of what follows a place in it."""
        numbered = await self._numbered(chunk, after)
        facts, checked = await in_process(extractive_fallback.extract, numbered, self.runner.job.focus, target)
        self.runner.checked(checked, facts)
        return numbered.found(checked), checked.entities

    async def _asked(self, chunk: Chunk) -> Numbered:
        """What the model is shown of a chunk."""
        return await in_thread(number, chunk, self.runner.job.documents, is_paid=not self.runner.is_extractive)

    async def _numbered(self, chunk: Chunk, after: Place | None) -> Numbered:
        numbered = await in_thread(number, chunk, self.runner.job.documents)
        return numbered if after is None else numbered.after(after)

    async def _ask(self, numbered: Numbered, target: int, missing: Sequence[str] = ()) -> ChunkOutcome:
        answers, asked = self.runner.answers, (numbered.sources, self.runner.job.focus)
        prompt = await in_thread(prompts.chunk_request, *asked, target, missing)
        key = answers.key(await in_thread(prompts.chunk_request, *asked, 0, missing)) if answers.cache else ''
        async with answers.asking(key, target, self.runner.deadline) as kept:
            if kept is not None:
                return await self._grounded(numbered, kept)
            if len(prompt) > self.runner.window:
                return await self._in_parts(numbered, target, missing, len(prompt))
            has_topics = bool(self.runner.job.focus.topics)
            agent = sub_agent_runner.TOPICAL_SUMMARIZER if has_topics else sub_agent_runner.CHUNK_SUMMARIZER
            answer = await self.runner.ask(agent, prompt, target, 'repair' if missing else 'map')
            if answer.output is None and answer.reason == failures.CONTEXT_LENGTH and answer.error is not None:
                await self.runner.fit_window(prompt, answer.error)
                return await self._in_parts(numbered, target, missing, len(prompt))
            if answer.output is None:
                return ChunkOutcome(reason=answer.reason)
            outcome = await self._grounded(numbered, answer.output)
            reason = failures.CUT_OFF if answer.ending == 'cut off' else answer.reason
            if reason and outcome.facts:
                outcome.reason, outcome.reached = reason, max(fact.evidence[0] for fact in outcome.facts)
                outcome.state = 'failed' if numbered.after(outcome.reached).sources else 'summarized'
            elif outcome.state == 'summarized':
                await answers.keep(key, target, answer.output)
            return outcome

    async def _in_parts(self, numbered: Numbered, target: int, missing: Sequence[str], characters: int) -> ChunkOutcome:
        """A chunk whose request, of so many characters, is too long for the model: in parts, up to one that fails."""
        whole, parts = ChunkOutcome(state='summarized'), numbered.parts(math.ceil(characters / self.runner.window))
        for part in parts:
            if len(parts) == 1 or part.characters < LEAST_PART_CHARACTERS:
                outcome = ChunkOutcome(reason=failures.CONTEXT_LENGTH)
            elif reason := self.runner.skip_reason():
                outcome = ChunkOutcome(reason=reason)
            else:
                outcome = await self._ask(part, self.runner.target(target / len(parts)), missing)
            whole.facts, whole.entities = whole.facts + outcome.facts, whole.entities + outcome.entities
            if outcome.state != 'summarized':
                whole.state, whole.reason = outcome.state, outcome.reason
                whole.reached = outcome.reached or whole.reached
                break
            whole.reason = outcome.reason or whole.reason
            whole.reached = numbered.places[part.lines[-1].number - 1]
        if whole.state == 'summarized':
            whole.reached = None
        return whole

    async def _grounded(self, numbered: Numbered, answer: ChunkSummary) -> ChunkOutcome:
        checked = await in_process(grounding.ground, answer, numbered.lines, numbered.context)
        self.runner.checked(checked, len(answer.facts))
        facts = numbered.found(checked)
        if facts or self.runner.is_extractive:
            return ChunkOutcome(facts, checked.entities, 'summarized')
        return ChunkOutcome(reason=failures.UNSUPPORTED if answer.facts else failures.EMPTY)
