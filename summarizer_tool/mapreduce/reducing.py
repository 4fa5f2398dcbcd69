"""The reduce step: facts that are far over the budget are merged by the model, each once, or topic by topic."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from summarizer_tool import prompts, telemetry
from summarizer_tool.documents.chunking import Chunk
from summarizer_tool.mapreduce import agents, grounding, merging, topics
from summarizer_tool.mapreduce.answer_cache import AnswerCache
from summarizer_tool.mapreduce.calls_at_once import Call, CallsAtOnce
from summarizer_tool.mapreduce.job import Job, RunStats
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.mapreduce.numbering import merged
from summarizer_tool.mapreduce.sub_agent_runner import SubAgentRunner
from summarizer_tool.mapreduce.targets import MIN_TARGET_TOKENS, ChunkTarget, in_steps
from summarizer_tool.prompts import Focus, NumberedLine
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_process, in_thread
from summarizer_tool.schemas import ChunkSummary
from summarizer_tool.settings import Settings

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

    settings: Settings
    job: Job
    deadline: Deadline
    tally: RunStats
    caller: SubAgentRunner
    finished: AnswerCache
    at_once: CallsAtOnce
    target: ChunkTarget

    async def union(self, facts: Sequence[GroundedFact]) -> list[GroundedFact]:
        """The facts without duplicates, which are counted."""
        kept, duplicates = await in_process(merging.union, facts)
        self.tally.dropped.duplicate += duplicates
        return kept

    def plan(self, chunks: Sequence[Chunk], sizes: Sequence[int]) -> list[range]:
        """The runs of chunks whose facts are merged together; none where the facts of all are about as many as fit.

        It follows from what is asked for, not from what is answered nor when: the same chunks are merged alike always,
        and each run as soon as all of it is there.

        Args:
            chunks: All of them.
            sizes: Tokens that each is asked for.
        """
        total = sum(sizes)
        if self.job.focus.topics or total <= self.job.budget * merging.FITS:
            return []
        firsts = [chunk.pieces[0] for chunk in chunks]
        marks = [piece.document.text[piece.start : piece.start + MARK] for piece in firsts]
        return list(merging.groups(sizes, marks, self._window(total)))

    async def merge(self, facts: Sequence[GroundedFact], share: float) -> list[GroundedFact]:
        """Condense a planned run's facts to its share of the budget, unless they are about as few already."""
        facts = await self.union(facts)
        room = self.job.budget * share
        total = await in_thread(merging.size, facts)
        if total <= room * merging.FITS:
            return facts
        at_once = replace(self.at_once, on_progress=None)  # whoever has planned the run tells of it
        return await self._condensed(
            facts, room, total, window=self._most(OVERFULL * self.target.most), at_once=at_once
        )

    async def reduce(self, facts: list[GroundedFact]) -> list[GroundedFact]:
        """Condense what a model has said far beyond what it was asked for, while dropping alone would lose too much."""
        total = await in_thread(merging.size, facts)
        if total <= self.job.budget * merging.FITS:
            return facts
        if reason := self.caller.skip_reason():
            self.tally.mark_cut_short(reason)
            return facts
        window = self._window(total)
        return await self.union(
            await self._condensed(facts, self.job.budget, total, window=window, at_once=self.at_once)
        )

    async def _condensed(
        self, facts: Sequence[GroundedFact], room: float, total: int, *, window: int, at_once: CallsAtOnce
    ) -> list[GroundedFact]:
        """Facts of so many tokens in all, merged into the room for them by as many calls as their size needs."""
        self.tally.levels = 1
        share = room * merging.MERGE_TARGET / max(1, total)
        calls = [
            Call(
                partial(self._merge_group, group, self.target(share * merging.size(group)), self.job.focus),
                'reduce',
                'merged group',
            )
            for group in merging.fact_groups(facts, window)
        ]
        condensed = await at_once(calls)
        return [fact for group in condensed for fact in group]

    def _window(self, total: int) -> int:
        """Tokens of one group, of so many in all."""
        at_once = max(MIN_GROUP_TOKENS, -(-total // self.settings.max_concurrent_llm_calls))
        return self._most(min(self.target.most, in_steps(at_once)))

    def _most(self, wanted: float) -> int:
        return max(MIN_TARGET_TOKENS, int(min(wanted, self.caller.window / LONG_TOKEN_CHARACTERS)))

    async def reduce_topics(self, facts: list[GroundedFact], places: Sequence[Sequence[float]]) -> list[GroundedFact]:
        """Condense the facts of topics that have far too many, by one call each.

        Args:
            facts: Of all topics.
            places: For each topic, how much the place of each fact is about it.
        """
        asked = self.job.focus.topics
        over = await in_process(
            topics.overfull, facts, places, asked, self.job.budget, self.settings.default_chunk_size_tokens
        )
        calls = [
            Call(
                partial(self._merge_group, [facts[index] for index in own], self.target(target), asked[place].focus),
                'reduce',
                'merged topic',
            )
            for place, own, target in over
        ]
        if not calls:
            return facts
        self.tally.levels = 1
        condensed = await self.at_once(calls)
        merged_away = {index for _, own, _ in over for index in own}
        rest = [fact for index, fact in enumerate(facts) if index not in merged_away]
        for (place, _, _), group in zip(over, condensed, strict=True):
            rest += [replace(fact, topics=fact.topics or (place + 1,)) for fact in group]
        return await self.union(sorted(rest, key=lambda fact: fact.evidence))

    async def _merge_group(self, facts: list[GroundedFact], target: int, focus: Focus) -> list[GroundedFact]:
        """One call of the merger; where it fails, the facts stay as they are and the fit chooses among them."""
        if reason := self.caller.skip_reason():
            self.tally.mark_cut_short(reason)
            return facts
        lines = [NumberedLine(place, fact.text) for place, fact in enumerate(facts, 1)]
        with telemetry.span(
            'reduce group',
            facts=len(facts),
            tokens_in=merging.size(facts),
            target_tokens=target,
            model=self.caller.model_name,
        ) as span:
            answer = await self._merge(lines, focus, target)
            if isinstance(answer, str):
                self.tally.warnings.append(f'a merge failed ({answer}); its facts were chosen from without a model')
                span.set_attribute('reason', answer)
                return facts
            checked = await in_process(grounding.ground, answer, lines)
            self.tally.merged(checked)
            found = merged(checked, facts) or facts
            span.set_attributes({'facts_out': len(found), 'tokens_out': merging.size(found)})
        return found

    async def _merge(self, lines: list[NumberedLine], focus: Focus, target: int) -> ChunkSummary | str:
        """The merger's answer, or why there is none."""
        has_cache = self.finished.cache is not None
        key = await in_thread(self.finished.reduce_key, lines, focus, target) if has_cache else ''
        async with self.finished.only_one(key, self.deadline):
            if kept := await self.finished.find(key, target):
                return kept
            prompt = await in_thread(prompts.merge_request, lines, focus, target)
            answer = await self.caller.ask(agents.MERGER, prompt, target, 'reduce')
            if answer.output is None:
                return answer.reason
            if answer.output.facts:
                await self.finished.keep(key, target, answer.output)
            return answer.output
