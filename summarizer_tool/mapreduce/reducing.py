"""The reduce step: facts that are far over the budget are merged by the model, each once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from summarizer_tool import prompts, telemetry
from summarizer_tool.llm import failures
from summarizer_tool.mapreduce import grounding, merging, sub_agent_runner
from summarizer_tool.mapreduce.job import MIN_TARGET_TOKENS, Call, ChunkWork, in_steps
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.mapreduce.numbering import merged
from summarizer_tool.mapreduce.sub_agent_runner import SubAgentRunner
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.runtime.executors import in_process, in_thread
from summarizer_tool.schemas import ChunkSummary

MIN_GROUP_TOKENS = 1500
"""Facts are cut into as many groups as may be merged at once, but not into smaller ones: duplicates are found in a
group."""

OVERFULL = 2
"""A planned group is merged by one call up to this many times the size it could have been planned with."""

MARK = 200
"""Characters of the beginning of a chunk that tell it from others."""

LONG_TOKEN_CHARACTERS = 6
"""A high estimate of the characters of a token, with which a group of facts fits a window in characters."""


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
        """The runs of chunks whose facts are merged together; none where the facts of all are about as many as fit.

        It follows from the tokens that each is asked for, not from what is answered nor when: the same chunks are
        always merged alike, each run as soon as all of it is there.
        """
        sizes = [each.asked for each in work]
        total = sum(sizes)
        if total <= self.runner.job.budget * merging.FITS:
            return []
        firsts = [each.chunk.pieces[0] for each in work]
        texts = [document.text for document in self.runner.job.documents]
        marks = [texts[piece.document][piece.start : piece.start + MARK] for piece in firsts]
        return list(merging.groups(sizes, marks, self._window(total)))

    async def condense(
        self, facts: Sequence[GroundedFact], share: float = 1.0, *, is_planned: bool = False
    ) -> list[GroundedFact]:
        """Merge facts, of a planned run or of all, into their share of the budget, unless about as few are left."""
        facts = await self.union(facts)
        room, total = self.runner.job.budget * share, await in_thread(merging.size, facts)
        if total <= room * merging.FITS:
            return facts
        size = self.runner.settings.default_chunk_size_tokens
        groups = merging.fact_groups(facts, self._most(OVERFULL * size) if is_planned else self._window(total))
        scale = room * merging.MERGE_TARGET / total
        calls = [
            Call(
                partial(self._merge_group, group, self.runner.target(scale * merging.size(group))),
                'reduce',
                'merged group',
            )
            for group in groups
        ]
        self.runner.stats.reduce_levels = 1
        found = await self.runner.at_once(calls, is_told=not is_planned)  # whoever has planned the run tells
        facts = [fact for group in found for fact in group]
        return facts if is_planned else await self.union(facts)

    def _window(self, total: int) -> int:
        """Tokens of one group, of so many in all."""
        # Of topics a call for each at most: groups that are not full are up to twice as many.
        topics = len(self.runner.job.focus.topics)
        count = max(1, topics // 2) if topics else self.runner.settings.max_concurrent_llm_calls
        at_once = max(MIN_GROUP_TOKENS, -(-total // count))
        return self._most(min(self.runner.settings.default_chunk_size_tokens, in_steps(at_once)))

    def _most(self, wanted: float) -> int:
        return max(MIN_TARGET_TOKENS, int(min(wanted, self.runner.window / LONG_TOKEN_CHARACTERS)))

    async def _merge_group(self, facts: list[GroundedFact], target: int) -> list[GroundedFact]:
        """One call of the merger; where it fails, the facts stay as they are and the fit chooses among them."""
        if reason := self.runner.skip_reason():
            self.runner.mark_cut_short(reason)
            return facts
        lines = [NumberedLine(place, fact.text) for place, fact in enumerate(facts, 1)]
        about = {'facts': len(facts), 'tokens_in': merging.size(facts), 'target_tokens': target}
        with telemetry.span('reduce group', **about, model=self.runner.model_name) as span:
            answer = await self._merge(lines, target)
            if isinstance(answer, str):
                self.runner.warnings.append(f'a merge failed ({answer}); its facts were chosen from without a model')
                span.set_attribute('reason', answer)
                return facts
            checked = await in_process(grounding.ground, answer, lines)
            self.runner.checked(checked)
            found = merged(checked, facts) or facts
            span.set_attributes({'facts_out': len(found), 'tokens_out': merging.size(found)})
        return found

    async def _merge(self, lines: list[NumberedLine], target: int) -> ChunkSummary | str:
        """The merger's answer, or why there is none."""
        answers = self.runner.answers
        prompt = await in_thread(prompts.merge_request, lines, self.runner.job.focus, target)
        key = answers.key(await in_thread(prompts.merge_request, lines, self.runner.job.focus, 0))
        async with answers.asking(key, target, self.runner.deadline) as kept:
            if kept is not None:
                return kept
            answer = await self.runner.ask(sub_agent_runner.MERGER, prompt, target, 'reduce')
            if answer.output is None or answer.ending == 'cut off':  # what it leaves out may be any of the facts
                return answer.reason or failures.CUT_OFF
            if answer.output.facts:
                await answers.keep(key, target, answer.output)
            return answer.output
