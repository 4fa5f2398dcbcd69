"""One job's calls of the sub-agents: cached, counted, within its deadline, none any more once an error would repeat."""

import logging
import math
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

import anyio
from anyio import CancelScope
from pydantic_ai.exceptions import UsageLimitExceeded, UserError
from pydantic_ai.models import Model, StreamedResponse
from pydantic_ai.usage import RunUsage

from summarizer_tool import prompts
from summarizer_tool.llm import failures, models
from summarizer_tool.llm.failures import DEADLINE
from summarizer_tool.llm.following import thought, written
from summarizer_tool.llm.options import DEFAULT_OPTIONS, Phase, RequestOptions
from summarizer_tool.llm.recover_partial import recover_partial
from summarizer_tool.llm.typed_query import TypedQuery
from summarizer_tool.mapreduce import grounding
from summarizer_tool.mapreduce.answer_cache import AnswerCache, key_of, revision
from summarizer_tool.mapreduce.grounding import Grounding
from summarizer_tool.mapreduce.job import MIN_TARGET_TOKENS, Call, Job, calls_at_once, in_steps
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_process, in_thread
from summarizer_tool.schemas import ChunkSummary, TopicalChunkSummary
from summarizer_tool.settings import Settings
from summarizer_tool.text import tokens

T = TypeVar('T')

TRIAL = 0.1
"""The part of the time for calls after which a model's speed is believed: before, answers are only beginning."""

MIN_TOKENS = 32
"""The least that must have been written to tell a speed."""

MARGIN = 1.5
"""A model is too slow if it needs more than this many times what is left: no estimate is better than that."""

_logger = logging.getLogger('summarizer_tool')


@dataclass
class TooLongError(Exception):
    """A request is too long for the model's window."""

    parts: int
    """In how many it would fit."""


@dataclass(eq=False, slots=True)
class Writing:
    """One call, whose answer is followed while it is written."""

    target: int
    """Tokens that it was asked for."""
    wrote: Callable[['Writing', int], None] | None = None
    """Is told how many tokens have just been written."""
    on_fact: Callable[[str], None] | None = None
    """Is told each fact once, as soon as it is complete, before it is grounded."""
    scope: CancelScope = field(default_factory=CancelScope)
    tokens: int = 0
    """Written so far."""
    reported: set[str] = field(default_factory=set[str])

    @property
    def left(self) -> float:
        """The part of it that is not written, 0 to 1."""
        return max(0.0, 1 - self.tokens / self.target)

    async def follow(self, stream: StreamedResponse) -> None:
        """Follow an answer; of one that is asked for again only what is new in it is reported."""
        seen = 0
        async for _ in stream:
            answer = stream.get()
            raw = written(answer)
            text = thought(answer) + raw
            new, seen = text[seen:], len(text)
            if new and self.wrote:
                self.wrote(self, tokens.count(new))
            # A fact is complete at its bracket, one that is a mere text at its quotation mark.
            if self.on_fact and ('}' in new or ('"' in new and raw.count('{') < 2)):
                summary = recover_partial(raw, ChunkSummary, 'facts')
                for fact in summary.facts if summary else ():
                    if fact.text.strip() and fact.text not in self.reported:
                        self.reported.add(fact.text)
                        self.on_fact(fact.text)


@dataclass(eq=False, slots=True)
class Pace:
    """The speed of a job's model: what it has no time for is given up as soon as that can be told."""

    model_name: str
    deadline: Deadline
    warnings: list[str]
    unasked: int = 0
    """Chunks that no call has been made for; the weightiest come first."""
    _room: float = math.inf
    """How many of them there is time for, once that has been told."""
    _calls: list[Writing] = field(default_factory=list[Writing])
    _asked: float = math.inf
    _began: float = math.inf
    """When the first tokens came; how long these have taken to write, nobody knows."""
    _written: int = 0
    """Tokens that all calls have written since then."""

    def has_time(self) -> bool:
        """Take the next chunk, and say whether there is time for it."""
        self.unasked -= 1
        self._room -= 1
        return self._room >= 0

    @contextmanager
    def calling(self, call: Writing) -> Generator[CancelScope]:
        """The scope of one call, which is cancelled when there is no time for it."""
        self._asked = min(self._asked, anyio.current_time())
        with self.deadline.calling() as call.scope:
            self._calls.append(call)
            try:
                yield call.scope
            finally:
                self._calls.remove(call)

    def wrote(self, call: Writing, tokens: int) -> None:
        """Count tokens that have just come, and give up what there is no time for: all but the first calls."""
        now, ends = anyio.current_time(), self.deadline.last_call
        call.tokens += tokens
        self._written += tokens if now > self._began else 0
        self._began = min(self._began, now)
        is_early = now - self._asked < TRIAL * (ends - self._asked)
        if is_early or self._written < MIN_TOKENS or self._room < math.inf:
            return
        rate = self._written / (now - self._began)
        room = rate * (ends - now) * len(self._calls) / sum(each.target for each in self._calls)
        total = len(self._calls) + self.unasked
        if MARGIN * room >= self.unasked + sum(each.left for each in self._calls):
            return
        kept = [each for each in self._calls if (room := room - each.left) >= 0] or self._calls[:1]
        more = max(0, int(room))
        if len(kept) + more >= total:
            return
        self._room = more
        for each in self._calls[len(kept) :]:
            each.scope.cancel()
        warning = (
            f'{self.model_name} writes {rate:.1f} tokens per second, too slow for {total} chunks in {ends - now:.0f} '
            f's: it does {len(kept) + more}, the extractive model the rest'
        )
        self.warnings.append(warning)
        _logger.warning(warning)


CHUNK_SUMMARIZER = TypedQuery(
    'chunk_summarizer', 'chunk_summarizer', ChunkSummary, members='facts', empty_prompt='empty_answer'
)
"""The map agent: numbered source lines in, facts with line numbers as evidence out."""

TOPICAL_SUMMARIZER: TypedQuery[ChunkSummary] = replace(CHUNK_SUMMARIZER, output_type=TopicalChunkSummary)
"""The same for a request with topics: each fact says which of them it serves."""

MERGER = replace(CHUNK_SUMMARIZER, name='merger', prompt='merger')
"""The reduce agent: numbered facts in, fewer and denser facts with fact numbers as evidence out."""

STRUCTURE_FACTOR = 1.8
STRUCTURE_TOKENS = 160
"""Room in `max_tokens` for the JSON around the facts, their evidence and the entities."""


@dataclass
class SubAgentRunner:
    """Runs the sub-agents of one job on its model, and counts what they do. It belongs to one event loop."""

    settings: Settings
    model: Model
    """The model to call, already limited in concurrency."""
    model_name: str
    job: Job
    deadline: Deadline
    options: RequestOptions = DEFAULT_OPTIONS
    """For its usage, in which others may count at the same time, usage limits, `cache` and `on_fact`."""
    window: float = math.inf
    """Characters of a request that the model's window holds, as far as its errors have said."""
    _hopeless: str = ''

    def __post_init__(self) -> None:
        settings, model, options = self.settings, self.model, self.options
        self.stats = self.job.stats(self.model_name)
        self.spent = self.stats.usage = RunUsage() if options.spent is None else options.spent
        self.warnings: list[str] = []
        self.is_extractive = models.is_embedded(model)
        """Whether the model is the embedded one."""
        self.pace = Pace(self.model_name, self.deadline, self.warnings)
        whose = (self.model_name, model.system, model.base_url or '')
        asked = (settings.llm_output_mode, prompts.version())
        scope = key_of(*whose, *asked, revision() if self.is_extractive else '')
        self.answers = AnswerCache(options.cache, scope, is_exact=self.is_extractive)
        self._usage = options.usage if options.usage is not None else RunUsage()

    def target(self, wanted: float) -> int:
        """The tokens of facts that a call is asked for, where so many are wanted."""
        return max(MIN_TARGET_TOKENS, min(in_steps(wanted), self.settings.default_chunk_size_tokens))

    def mark_cut_short(self, reason: str) -> None:
        """Say that what follows the map was cut short."""
        self.stats.cut_short = True
        warning = f'not all was merged or filled ({reason}); facts were chosen without a model'
        if warning not in self.warnings:
            self.warnings.append(warning)

    def checked(self, grounded: Grounding, facts: int = 0) -> None:
        """Count what grounding has done to facts, and how many these are, if they are the sources' own."""
        self.stats.facts_in += facts
        self.stats.facts_repaired += grounded.repaired
        self.stats.dropped.unsupported += grounded.unsupported

    def skip_reason(self) -> str:
        """Why no further call should be made: the deadline, or an error that every call would meet; empty if none."""
        return DEADLINE if anyio.current_time() >= self.deadline.last_call else self._hopeless

    async def at_once(self, calls: Sequence[Call[T]]) -> list[T]:
        """Make calls, as many at the same time as the settings allow; returns their results in order."""
        return await calls_at_once(calls, self.settings.max_concurrent_llm_calls, self.options.on_progress)

    async def grounded(
        self,
        query: TypedQuery[ChunkSummary],
        request: str,
        lines: Sequence[NumberedLine],
        target: int,
        phase: Phase,
        context: str = '',
    ) -> tuple[Grounding | None, str]:
        """What its lines support of the answer to a request, kept or new, if there is one; and what is wrong with it.

        `context` stands beside the lines. Raises `TooLongError` if the request is too long for the model,
        `UsageLimitExceeded` at the caller's limits, and `UserError` of what is set up wrongly.
        """
        # Behind the last frame it says how many tokens are wanted.
        key = self.answers.key(request[: request.rfind('>') + 1])
        async with self.answers.asking(key, target, self.deadline) as kept:
            answer, reason = (kept, '') if kept else await self._ask(query, request, target, phase)
            if answer is None:
                return None, reason
            checked = await in_process(grounding.ground, answer, lines, context)
            self.checked(checked, 0 if phase == 'reduce' else len(answer.facts))
            if not (reason or checked.facts or self.is_extractive):
                reason = failures.UNSUPPORTED if answer.facts else failures.EMPTY
            if not (kept or reason):
                await self.answers.keep(key, target, answer)
            return checked, reason

    async def _ask(
        self, query: TypedQuery[ChunkSummary], request: str, target: int, phase: Phase
    ) -> tuple[ChunkSummary | None, str]:
        """A sub-agent's answer, and why there is none, or why it is not whole."""
        if len(request) > self.window:
            raise TooLongError(math.ceil(len(request) / self.window))
        counter = f'{phase}_calls'
        setattr(self.stats, counter, getattr(self.stats, counter) + 1)
        options = self.options
        on_fact = options.on_fact if phase == 'map' else None
        stream, within = None, self.deadline.calling()
        if phase == 'map' and models.can_stream(self.model):
            call = Writing(target, self.pace.wrote, on_fact)
            stream, within = call.follow, self.pace.calling(call)
        max_tokens = round(target * STRUCTURE_FACTOR) + STRUCTURE_TOKENS
        result = await query.configured(self.settings).ask(
            self.model,
            request,
            usage=self._usage,
            spent=self.spent,
            usage_limits=options.usage_limits,
            model_settings=models.request_settings(self.settings, max_tokens, self.model_name),
            follow=stream,
            within=within,
        )
        error = result.error
        if isinstance(error, UsageLimitExceeded | UserError):
            raise error
        if error is not None and failures.is_hopeless(error):
            self._hopeless = result.reason
        if error is not None and result.output is None and result.reason == failures.CONTEXT_LENGTH:
            fits = 0.5
            if over := failures.over_window(error):
                fits = max(fits / 4, 0.95 - over / await in_thread(tokens.count, request))
            self.window = min(self.window, len(request) * fits)
            raise TooLongError(math.ceil(len(request) / self.window))
        if on_fact and stream is None and result.output is not None:
            for fact in result.output.facts:
                on_fact(fact.text)
        return result.output, failures.CUT_OFF if result.ending == 'cut off' else result.reason
