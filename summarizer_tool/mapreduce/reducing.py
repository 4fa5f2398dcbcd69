"""The reduce step: facts that are far over the budget are merged by the model, level by level or topic by topic."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from summarizer_tool import prompts, telemetry
from summarizer_tool.mapreduce import agents, grounding, merging, topics
from summarizer_tool.mapreduce.answer_cache import AnswerCache
from summarizer_tool.mapreduce.calls_at_once import CallsAtOnce
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

MAX_LEVELS = 4
"""Levels of merging; each must shrink the whole by a tenth, or the deterministic fit ends it."""

MIN_GROUP_TOKENS = 1500
"""A level is cut into as many groups as may run at once, but not into smaller ones: duplicates are found in a group."""

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

    async def reduce(self, facts: list[GroundedFact]) -> list[GroundedFact]:
        """Condense with the merger, level by level, while dropping alone would lose too much."""
        total = await in_thread(merging.size, facts)
        for level in range(1, MAX_LEVELS + 1):
            if total <= self.job.budget * merging.FITS:
                break
            if reason := self.caller.skip_reason():
                self.tally.mark_cut_short(reason)
                break
            self.tally.levels = level
            with telemetry.span('reduce level', level=level, facts=len(facts), tokens_in=total) as span:
                condensed = await self._merge_level(facts, level, total)
                shrunk = await in_thread(merging.size, condensed)
                span.set_attributes({'facts_out': len(condensed), 'tokens_out': shrunk})
            if shrunk >= total:
                break
            facts, before, total = condensed, total, shrunk
            if shrunk > before * 0.9:
                break
        return facts

    async def _merge_level(self, facts: Sequence[GroundedFact], level: int, total: int) -> list[GroundedFact]:
        at_once = max(MIN_GROUP_TOKENS, -(-total // self.settings.max_concurrent_llm_calls))
        in_window = self.caller.window / LONG_TOKEN_CHARACTERS
        most = min(self.settings.default_chunk_size_tokens, in_steps(at_once), in_window)
        groups = merging.groups(facts, max(MIN_TARGET_TOKENS, int(most)))
        share = self.job.budget * merging.MERGE_TARGET / max(1, total)
        calls = [
            partial(self._merge_group, group, self.target(share * merging.size(group)), self.job.focus, level, place)
            for place, group in enumerate(groups, 1)
        ]
        condensed = await self.at_once(calls, 'reduce', f'level {level}: merged group')
        return await self.union([fact for group in condensed for fact in group])

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
            partial(
                self._merge_group,
                [facts[index] for index in own],
                self.target(target),
                asked[place].focus,
                1,
                place + 1,
            )
            for place, own, target in over
        ]
        if not calls:
            return facts
        self.tally.levels = 1
        with telemetry.span('reduce level', level=1, facts=len(facts), tokens_in=merging.size(facts)) as span:
            condensed = await self.at_once(calls, 'reduce', 'merged topic')
            merged_away = {index for _, own, _ in over for index in own}
            rest = [fact for index, fact in enumerate(facts) if index not in merged_away]
            for (place, _, _), group in zip(over, condensed, strict=True):
                rest += [replace(fact, topics=fact.topics or (place + 1,)) for fact in group]
            facts = await self.union(sorted(rest, key=lambda fact: fact.evidence))
            span.set_attributes({'facts_out': len(facts), 'tokens_out': merging.size(facts)})
        return facts

    async def _merge_group(
        self, facts: list[GroundedFact], target: int, focus: Focus, level: int, place: int
    ) -> list[GroundedFact]:
        """One call of the merger; where it fails, the facts stay as they are and the fit chooses among them."""
        if reason := self.caller.skip_reason():
            self.tally.mark_cut_short(reason)
            return facts
        lines = [NumberedLine(place, fact.text) for place, fact in enumerate(facts, 1)]
        with telemetry.span(
            'reduce group',
            level=level,
            group=place,
            facts=len(facts),
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
            span.set_attribute('facts_out', len(checked.facts))
        return merged(checked, facts) or facts

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
