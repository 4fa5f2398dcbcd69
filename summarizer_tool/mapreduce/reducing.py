"""The reduce step: facts that are far over the budget are merged by the model, each once."""

from collections.abc import Sequence
from dataclasses import dataclass

from summarizer_tool import prompts, telemetry
from summarizer_tool.llm import failures
from summarizer_tool.mapreduce import merging, sub_agent_runner
from summarizer_tool.mapreduce.job import ChunkWork, in_steps
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.mapreduce.numbering import merged
from summarizer_tool.mapreduce.sub_agent_runner import SubAgentRunner, TooLongError
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.runtime.executors import in_process, in_thread

MIN_GROUP_TOKENS = 1500
"""Chunks are put into as many groups as may be merged at once, but not into smaller ones: duplicates are found in a
group."""

MARK = 200
"""Characters of the beginning of a chunk that tell it from others."""


@dataclass(frozen=True, slots=True)
class Reducer:
    """Merges the facts of one job."""

    runner: SubAgentRunner

    async def union(self, facts: Sequence[GroundedFact]) -> list[GroundedFact]:
        """The facts without duplicates, which are counted."""
        kept, duplicates = await in_process(merging.union, facts)
        self.runner.stats.dropped.duplicate += duplicates
        return kept

    def plan(self, work: Sequence[ChunkWork]) -> list[range]:
        """The runs of chunks whose facts are merged together, where they are too many.

        It follows from the tokens that each is asked for, not from what is answered nor when: the same chunks are
        always merged alike, each run as soon as all of it is there.
        """
        job, settings = self.runner.job, self.runner.settings
        sizes = [each.asked for each in work]
        firsts = [each.chunk.pieces[0] for each in work]
        marks = [job.documents[piece.document].text[piece.start : piece.start + MARK] for piece in firsts]
        # Of topics a call for each at most: groups that are not full are up to twice as many.
        topics = len(job.focus.topics)
        count = max(1, topics // 2) if topics else settings.max_concurrent_llm_calls
        window = in_steps(max(MIN_GROUP_TOKENS, -(-sum(sizes) // count)))
        return list(merging.groups(sizes, marks, min(settings.default_chunk_size_tokens, window)))

    async def condense(self, facts: Sequence[GroundedFact], share: float) -> list[GroundedFact]:
        """Merge the facts of a run into their share of the budget, unless about as few are left.

        Where these are too long for its window, it is given halves; where it fails, the facts stay as they are, and
        the fit chooses among them.
        """
        facts = await self.union(facts)
        room, size = self.runner.job.budget * share, await in_thread(merging.size, facts)
        if size <= room * merging.FITS:
            return facts
        if reason := self.runner.skip_reason():
            self.runner.mark_cut_short(reason)
            return facts
        self.runner.stats.reduce_levels = 1
        lines = [NumberedLine(place, fact.text) for place, fact in enumerate(facts, 1)]
        target = self.runner.target(room * merging.MERGE_TARGET)
        about = {'facts': len(facts), 'tokens_in': size, 'target_tokens': target, 'model': self.runner.model_name}
        with telemetry.span('reduce group', **about) as span:
            request = await in_thread(prompts.merge_request, lines, self.runner.job.focus, target)
            try:
                checked, reason = await self.runner.grounded(sub_agent_runner.MERGER, request, lines, target, 'reduce')
            except TooLongError:
                checked, reason = None, failures.CONTEXT_LENGTH
                if len(facts) > 1:
                    halves = facts[: len(facts) // 2], facts[len(facts) // 2 :]
                    return [fact for half in halves for fact in await self.condense(half, share / 2)]
            if reason not in ('', failures.EMPTY, failures.UNSUPPORTED):  # what it leaves out may be any of the facts
                self.runner.warnings.append(f'a merge failed ({reason}); its facts were chosen from without a model')
                span.set_attribute('reason', reason)
                return facts
            found = (checked and merged(checked, facts)) or facts
            span.set_attributes({'facts_out': len(found), 'tokens_out': merging.size(found)})
        return found
