"""The map step: one chunk to grounded facts, by the model, or where it does not answer by the embedded one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic_ai.exceptions import UsageLimitExceeded

from summarizer_tool import prompts, telemetry
from summarizer_tool.documents.chunking import Chunk
from summarizer_tool.extractive import choosing
from summarizer_tool.llm import failures
from summarizer_tool.llm.failures import DEADLINE
from summarizer_tool.mapreduce import extractive_fallback, merging, sub_agent_runner
from summarizer_tool.mapreduce.grounding import Grounding
from summarizer_tool.mapreduce.job import ChunkOutcome, ChunkWork
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.mapreduce.numbering import Numbered, number
from summarizer_tool.mapreduce.sub_agent_runner import SubAgentRunner, TooLongError
from summarizer_tool.runtime.executors import in_process, in_thread
from summarizer_tool.text import scoring

LEAST_PART_CHARACTERS = 1000
"""A chunk is not split into smaller parts than this: a window that does not hold them holds no request."""


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

        Beside the facts of an answer that was broken off it says what rests on other lines, and outranks none of them.
        Where only `spare` seconds are left, the beginning of the chunk has to do.
        """
        chunk, outcome = work.chunk, work.outcome
        if outcome.state != 'failed':
            return
        with telemetry.span('degrade chunk', chunk=chunk.index + 1, reason=outcome.reason, model='extractive') as span:
            target, entities = self.runner.target(work.share + merging.size(outcome.facts)), list[str]()
            if self.runner.deadline.seconds > spare:
                facts, entities = await self.extract(chunk, target)
            else:
                numbered = await in_thread(number, chunk, self.runner.job.documents)
                answer = await in_thread(choosing.first_statements, numbered.lines, target)
                facts = numbered.found(Grounding(answer.facts, [], 0, 0))
                self.runner.stats.facts_in += len(facts)
            said = {place for fact in outcome.facts for place in fact.evidence}
            most = max((fact.importance for fact in outcome.facts), default=scoring.MOST_IMPORTANT)
            outcome.facts += [
                replace(fact, importance=min(fact.importance, most)) for fact in facts if fact.evidence[-1] not in said
            ]
            outcome.entities, outcome.state = outcome.entities + entities, 'degraded'
            span.set_attribute('facts', len(facts))

    async def extract(self, chunk: Chunk, target: int) -> tuple[list[GroundedFact], list[str]]:
        """The embedded model's facts and entities of a chunk."""
        numbered = await in_thread(number, chunk, self.runner.job.documents)
        count, checked = await in_process(extractive_fallback.extract, numbered, self.runner.job.focus, target)
        self.runner.checked(checked, count)
        return numbered.found(checked), checked.entities

    async def _asked(self, chunk: Chunk) -> Numbered:
        """What the model is shown of a chunk."""
        return await in_thread(number, chunk, self.runner.job.documents, is_paid=not self.runner.is_extractive)

    async def _ask(self, numbered: Numbered, target: int, missing: Sequence[str] = ()) -> ChunkOutcome:
        focus, phase = self.runner.job.focus, 'repair' if missing else 'map'
        agent = sub_agent_runner.TOPICAL_SUMMARIZER if focus.topics else sub_agent_runner.CHUNK_SUMMARIZER
        request = await in_thread(prompts.chunk_request, numbered.sources, focus, target, missing)
        try:
            checked, reason = await self.runner.grounded(
                agent, request, numbered.lines, target, phase, numbered.context
            )
        except TooLongError as error:
            return await self._in_parts(numbered, target, missing, error.parts)
        if checked is None or (reason and not checked.facts):
            return ChunkOutcome(reason=reason)
        state = 'failed' if reason else 'summarized'
        return ChunkOutcome(numbered.found(checked), checked.entities, state, reason, is_broken_off=bool(reason))

    async def _in_parts(self, numbered: Numbered, target: int, missing: Sequence[str], count: int) -> ChunkOutcome:
        """A chunk whose request is too long for the model: in so many parts at most, up to one that fails."""
        whole, parts = ChunkOutcome(state='summarized'), numbered.parts(count)
        for part in parts:
            if len(parts) == 1 or part.characters < LEAST_PART_CHARACTERS:
                outcome = ChunkOutcome(reason=failures.CONTEXT_LENGTH)
            elif reason := self.runner.skip_reason():
                outcome = ChunkOutcome(reason=reason)
            else:
                outcome = await self._ask(part, self.runner.target(target / len(parts)), missing)
            whole.facts, whole.entities = whole.facts + outcome.facts, whole.entities + outcome.entities
            if outcome.state != 'summarized':
                whole.state, whole.reason, whole.is_broken_off = 'failed', outcome.reason, bool(whole.facts)
                break
        return whole
