"""The summary of one tool result: digests for what machines write, the summarizer for what people write.

What machines write (logs, lists of objects, tables) is digested first, without a model: errors, exceptions, patterns
and counts, out of all of it. A model then reads a larger digest rather than the raw text, and adds what matters for
the conversation at hand; so a result of any size costs it one request. What people write goes to the summarizer whole,
by map-reduce.
"""

import logging
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Literal

from pydantic import BaseModel
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.computing import computed_for
from researcher_integration.usage import limit_reached
from summarizer_tool import (
    Collection,
    Digest,
    Document,
    ExtractiveModel,
    RequestOptions,
    Settings,
    Summarizer,
    SummarizeRequest,
    SummarizerError,
    Summary,
    connect_model,
    count_tokens,
    defect_attributes,
    digest,
    fits_tokens,
    load_prompt,
    one_line,
    truncate_tokens,
)

REQUEST_TOKENS = 6000
"""What a model reads of machine output: a digest, the conversation and the prompts, in one request."""

PROMPT_TOKENS = 1400  # of that, for the prompts, and the numbers of the lines
DIGEST_SHARE = 0.6  # of a summary of machine output: what no model has a say in

RAISED_BY = "SummarizeToolResults(usage_limits=...) raises it, or the run's own limits, of which summaries have half"
"""The setting that a limit is raised with."""

MIN_ROOM = 20  # tokens that are left for a model beside the digest, at least

MAX_REASON = 200

EXTRACTIVE = 'extractive'

_FAILED = re.compile(r'failed \((.*); chunks: \d+\)')

_logger = logging.getLogger('researcher_integration')


class SummaryRequest(BaseModel):
    """What is to be summarized, how small, and for what."""

    text: str
    """Without secrets."""
    focus: str
    """The conversation at hand, without secrets."""
    words: str = ''
    """What was said in it: lines that mention it come first."""
    limit: int
    """Tokens of the summary."""
    seconds: float | None = None
    """For each model; by default as the settings say."""
    extractive_on_failure: bool = False
    """Whether the embedded model stands in when all others have failed."""


class ResultSummary(BaseModel):
    """A summary, in a form that durable execution can keep."""

    text: str = ''
    """Empty if nothing could be summarized."""
    model: str = ''
    state: str = 'failed'
    """That of `Summary`; `degraded` where the embedded model stood in; `failed` where `reason` says why; or what the
    failure policy has done."""
    reason: str = ''
    tokens: int = 0
    usage: RunUsage
    seconds: float = 0.0
    used: int | None = None
    """Which of the models that were to be tried has answered."""

    def figures(self) -> dict[str, str | int]:
        """By whom it was made or why not, and what it has cost."""
        usage = {name: getattr(self.usage, name) for name in ('requests', 'input_tokens', 'output_tokens')}
        return {'model': self.model, **usage, **({'reason': self.reason} if self.reason else {})}


@dataclass
class ResultSummarizer:
    """Summarizes one tool result on whichever of some models answers first."""

    settings: Settings
    collection: Collection
    request: SummaryRequest
    usage: RunUsage = field(default_factory=RunUsage)
    """Of all summaries of a run, against which limits are checked; that of this one is added."""
    usage_limits: UsageLimits | None = None
    on_fact: Callable[[str], None] | None = None
    _spent: RunUsage = field(default_factory=RunUsage)
    _has_asked: bool = False
    """Whether a model has been asked for the summary."""
    _digests: dict[int, Digest] = field(default_factory=dict[int, Digest])
    """By their budgets."""

    async def summarize(self, candidates: Sequence[Model | str], *, first: int = 0) -> ResultSummary:
        """Try the models in order, `first` before all others; a failure of all is a result that says so.

        What a limit stops is summarized without a model: a text that is too large for the limits would be so for the
        agent, too.
        """
        started = time.monotonic()
        reason = 'no model'
        made, is_stopped = None, False
        for index in (*range(first, len(candidates)), *range(min(first, len(candidates)))):
            candidate = candidates[index]
            try:
                made = await self._on(candidate)
                if self._has_asked:
                    made.used = index
                elif made.state == 'degraded':  # the embedded model was not done by then
                    made.reason = 'deadline'
                break
            except UsageLimitExceeded as error:
                reason, is_stopped = f'{limit_reached(error)}; {RAISED_BY}', True
                _logger.warning(
                    'a limit has stopped the summary of a tool result: %s', reason, extra={'reason': reason}
                )
                break
            except SummarizerError as error:
                # The summarizer's own messages have advice for whoever has set it up.
                said = one_line(str(error))
                failed = _FAILED.search(said)
                reason = one_line(failed[1] if failed else said, MAX_REASON)
            except Exception as error:
                reason = type(error).__name__
                _logger.exception('a summary failed', extra=defect_attributes(error), exc_info=False)
            # The reason may quote what the provider says, which may be anything.
            name = candidate if isinstance(candidate, str) else candidate.model_name
            _logger.warning('a model could not summarize a tool result: %s', name, extra={'model': name})
        if made is None and (self.request.extractive_on_failure or is_stopped):
            try:
                made = await self._without_model()
                made.state, made.reason = 'degraded', reason
            except SummarizerError as error:
                reason = f'{reason}; {str(error)[:200]}'
        made = made or ResultSummary(reason=reason, usage=self._spent)
        made.seconds = round(time.monotonic() - started, 3)
        return made

    async def _on(self, candidate: Model | str) -> ResultSummary:
        if candidate == EXTRACTIVE or isinstance(candidate, ExtractiveModel):
            return await self._without_model()
        found = await self._digest()
        if found.kind != 'prose' and fits_tokens(found.text, self.request.limit):
            return self._told(found)  # there is no more to be said
        if isinstance(candidate, Model):
            return await self._by_model(candidate, found)
        async with connect_model(self.settings, candidate) as model:
            return await self._by_model(model, found)

    async def _without_model(self) -> ResultSummary:
        found = await self._digest(self.request.limit)
        if found.kind != 'prose' and found.text:
            return self._told(found)
        summary = await self._summarized(ExtractiveModel(), self.request.text, self.request.limit, 'extractive')
        return self._made(summary.text, EXTRACTIVE, 'degraded' if summary.stats.cut_short else 'complete')

    async def _by_model(self, model: Model, found: Digest) -> ResultSummary:
        self._has_asked = True
        is_machine = found.kind != 'prose'
        certain = (await self._digest(int(self.request.limit * DIGEST_SHARE))).text if is_machine else ''
        room = self.request.limit - (count_tokens(f'{certain}\n\n') if certain else 0)
        text = _beside(found.text, certain) if is_machine else self.request.text
        if not is_machine and self.usage_limits is not None:  # before anything is spent on a part of it
            size = await computed_for(text, count_tokens, text)
            requests = ceil(size / self.settings.default_chunk_size_tokens)
            self.usage_limits.check_before_request(self.usage + RunUsage(requests=requests - 1, input_tokens=size))
        summary = await self._summarized(model, text, max(MIN_ROOM, room), 'error')
        if not summary.text.strip():
            raise SummarizerError(f'{model.model_name} had nothing to say')
        if summary.state == 'degraded' and all(part.state in ('degraded', 'failed') for part in summary.parts):
            raise SummarizerError(f'{model.model_name}: {summary.degraded[0].reason or "no use"}')
        return self._made(f'{certain}\n\n{summary.text}'.strip(), summary.stats.model, summary.state)

    async def _summarized(
        self, model: Model, text: str, budget: int, on_failure: Literal['error', 'extractive']
    ) -> Summary:
        # A digest costs one request; of what people write each chunk does, and merging.
        settings = self.settings.model_copy(update={'repair': False})
        if self.request.seconds is not None:
            left = min(settings.deadline_seconds, max(0.1, self.request.seconds))
            settings = settings.model_copy(update={'deadline_seconds': left})
        options = RequestOptions(
            usage=self.usage,
            spent=self._spent,
            usage_limits=self.usage_limits,
            model=model,
            on_failure=on_failure,
            cache=self.collection,
            merge=text is self.request.text,
            on_fact=self.on_fact,
        )
        # What goes by words goes by those that were said, not by the names of tools and who said it.
        focus = self.request.words if isinstance(model, ExtractiveModel) else self.request.focus
        request = SummarizeRequest(
            focus_areas=focus, schema_hint=load_prompt('tool_results/keep'), max_output_tokens=budget
        )
        return await Summarizer(settings, model=model).run(Document(text), request, options)

    async def _digest(self, budget: int = 0) -> Digest:
        """At most so many tokens; by default, what goes into one request, and so into one chunk, with the prompts."""
        room = REQUEST_TOKENS - PROMPT_TOKENS - count_tokens(self.request.focus)
        budget = budget or min(max(room, REQUEST_TOKENS // 2), self.settings.default_chunk_size_tokens)
        if budget not in self._digests:
            request = self.request
            found = await computed_for(request.text, digest, request.text, budget, focus=request.words)
            self._digests[budget] = found
        return self._digests[budget]

    def _told(self, found: Digest) -> ResultSummary:
        if self.on_fact is not None:
            for line in found.lines:
                self.on_fact(line.text)
        return self._made(found.text, EXTRACTIVE, 'complete')

    def _made(self, text: str, model: str, state: str) -> ResultSummary:
        text = text if fits_tokens(text, self.request.limit) else truncate_tokens(text, self.request.limit)
        return ResultSummary(text=text, model=model, state=state, tokens=count_tokens(text), usage=self._spent)


def _beside(text: str, certain: str) -> str:
    """The lines of a digest that a shorter one of the same text does not have, so that nothing is said twice."""
    said = set(certain.split('\n'))
    return '\n'.join(line for line in text.split('\n') if line not in said) or text
