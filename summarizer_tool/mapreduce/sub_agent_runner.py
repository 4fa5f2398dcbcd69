"""One job's calls of the sub-agents: counted, within its deadline, and none any more once an error would repeat."""

import math
from dataclasses import dataclass, field
from functools import partial

import anyio
from pydantic_ai.exceptions import UsageLimitExceeded, UserError
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage

from summarizer_tool.llm import failures, models
from summarizer_tool.llm.failures import DEADLINE
from summarizer_tool.llm.options import DEFAULT_OPTIONS, Phase, RequestOptions
from summarizer_tool.llm.typed_query import QueryResult, TypedQuery
from summarizer_tool.mapreduce.fact_stream import FactStream
from summarizer_tool.mapreduce.job import RunStats
from summarizer_tool.mapreduce.pace import Pace, Writing
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_thread
from summarizer_tool.schemas import ChunkSummary
from summarizer_tool.settings import Settings
from summarizer_tool.text import tokens

STRUCTURE_FACTOR = 1.8
STRUCTURE_TOKENS = 160
"""Room in `max_tokens` for the JSON around the facts, their evidence and the entities."""


@dataclass
class SubAgentRunner:
    """Runs the sub-agents of one job on its model."""

    settings: Settings
    model: Model
    model_name: str
    deadline: Deadline
    tally: RunStats
    options: RequestOptions = DEFAULT_OPTIONS
    """For its usage, in which others may count at the same time, usage limits, output mode and `on_fact`."""
    spent: RunUsage = field(default_factory=RunUsage)
    """By the calls of this job alone."""
    window: float = math.inf
    """Characters of a request that the model's window holds, as far as its errors have said."""
    _hopeless: str = ''

    def __post_init__(self) -> None:
        self.pace = Pace(self.model_name, self.deadline, self.settings.llm_timeout_seconds, self.tally.warnings)
        self._usage = self.options.usage if self.options.usage is not None else RunUsage()

    @property
    def is_extractive(self) -> bool:
        """Whether the model is the embedded one."""
        return models.is_embedded(self.model)

    def skip_reason(self) -> str:
        """Why no further call should be made: the deadline, or an error that every call would meet; empty if none."""
        return DEADLINE if anyio.current_time() >= self.deadline.last_call else self._hopeless

    async def fit_window(self, request: str, error: BaseException) -> None:
        """Learn the window from the error that a request was too long for it: by the figures it names, else half."""
        fits = 0.5
        if over := failures.over_window(error):
            fits = max(fits / 4, 0.95 - over / await in_thread(tokens.count, request))
        self.window = min(self.window, len(request) * fits)

    async def ask(
        self, query: TypedQuery[ChunkSummary], request: str, target_tokens: int, phase: Phase
    ) -> QueryResult[ChunkSummary]:
        """Run a sub-agent once; of an answer in the map that is broken off, what is complete is kept.

        Raises:
            UsageLimitExceeded: If the caller's limits are reached.
            UserError: If the agent or the model is set up wrongly.
        """
        self.tally.calls[phase] += 1
        options = self.options
        on_fact = options.on_fact if phase == 'map' else None
        stream, within = None, self.deadline.calling()
        if phase == 'map' and models.can_stream(self.model):
            call = Writing(target_tokens)
            stream, within = FactStream(partial(self.pace.wrote, call), on_fact), self.pace.calling(call)
        max_tokens = round(target_tokens * STRUCTURE_FACTOR) + STRUCTURE_TOKENS
        result = await query.configured(self.settings, options.output_mode).ask(
            self.model,
            request,
            usage=self._usage,
            spent=self.spent,
            usage_limits=options.usage_limits,
            model_settings=models.request_settings(self.settings, max_tokens, self.model_name),
            on_events=stream,
            within=within,
        )
        if isinstance(result.error, UsageLimitExceeded | UserError):
            raise result.error
        if result.error is not None and failures.is_hopeless(result.error):
            self._hopeless = result.reason
        if on_fact and stream is None and result.output is not None:
            for fact in result.output.facts:
                on_fact(fact.text)
        return result
