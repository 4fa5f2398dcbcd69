"""One run of a sub-agent: its answer, or in a few words why there is none."""

import logging
from asyncio import CancelledError, current_task
from copy import copy
from dataclasses import dataclass, field, replace

import anyio
from pydantic_ai import Agent
from pydantic_ai.exceptions import AgentRunError, UsageLimitExceeded, UserError
from pydantic_ai.models import Model
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.usage import RunUsage, UsageLimits

from summarizer_tool.extractive.model import ExtractiveModel
from summarizer_tool.llm import failures, models
from summarizer_tool.llm.failures import DEADLINE
from summarizer_tool.llm.options import Phase
from summarizer_tool.mapreduce.agents import SubAgentTask
from summarizer_tool.mapreduce.fact_stream import FactStream, OnFact
from summarizer_tool.mapreduce.job import RunStats
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.schemas import ChunkSummary
from summarizer_tool.settings import Settings

STRUCTURE_FACTOR = 1.8
STRUCTURE_TOKENS = 160
"""Room in `max_tokens` for the JSON around the facts, their evidence and the entities."""

_logger = logging.getLogger('summarizer_tool')


@dataclass
class SubAgentRunner:
    """Runs the sub-agents of one job on its model."""

    settings: Settings
    model: Model
    model_name: str
    deadline: Deadline
    tally: RunStats
    usage: RunUsage = field(default_factory=RunUsage)
    """Perhaps the calling agent's; other jobs may count in it at the same time."""
    spent: RunUsage = field(default_factory=RunUsage)
    """By the calls of this job alone."""
    usage_limits: UsageLimits | None = None
    on_fact: OnFact | None = None
    """Told of the facts of chunks while they are written."""
    _hopeless: str = ''

    @property
    def is_extractive(self) -> bool:
        """Whether the embedded model does the work anyway."""
        model = self.model
        while isinstance(model, WrapperModel):
            model = model.wrapped
        return isinstance(model, ExtractiveModel)

    @property
    def _streams(self) -> bool:
        """Whether answers can be followed while they are written; not every model can be asked for that."""
        model = self.model
        while isinstance(model, WrapperModel):
            model = model.wrapped
        can_stream = type(model).request_stream is not Model.request_stream
        return can_stream and not (isinstance(model, FunctionModel) and model.stream_function is None)

    @property
    def _limits(self) -> UsageLimits:
        if self.usage_limits is None:
            return UsageLimits(request_limit=None)
        # Models that cannot count beforehand would fail, and the requests of this package are no larger than a chunk.
        return replace(self.usage_limits, count_tokens_before_request=False)

    def why_not(self) -> str:
        """Why no further call should be made, if so: the deadline, or an error that every call would meet."""
        return DEADLINE if anyio.current_time() >= self.deadline.last_call else self._hopeless

    async def ask(
        self, agent: Agent[SubAgentTask, ChunkSummary], prompt: str, target_tokens: int, phase: Phase
    ) -> ChunkSummary | str:
        """Run `agent` once.

        Args:
            agent: The chunk summarizer or the merger.
            prompt: Its request.
            target_tokens: Size of the facts that the request asks for.
            phase: What the call counts as.

        Returns:
            The answer, or why there is none.

        Raises:
            UsageLimitExceeded: If the caller's limits are reached.
            UserError: If the agent or the model is set up wrongly.
        """
        self.tally.calls[phase] += 1
        on_fact = self.on_fact if phase == 'map' else None
        stream = FactStream(on_fact) if on_fact and self._streams else None
        max_tokens = round(target_tokens * STRUCTURE_FACTOR) + STRUCTURE_TOKENS
        before, own = copy(self.usage), copy(self.usage)
        with self.deadline.calling() as scope:
            try:
                result = await agent.run(
                    prompt,
                    model=self.model,
                    # The embedded model has nothing to add when it is asked a second time.
                    deps=SubAgentTask(has_content=not self.is_extractive),
                    model_settings=models.request_settings(self.settings, max_tokens, self.model_name),
                    usage=own,
                    usage_limits=self._limits,
                    retries={'output': self.settings.llm_output_retries},
                    event_stream_handler=stream,
                )
            except (UsageLimitExceeded, UserError):
                raise
            except CancelledError:
                task = current_task()
                if scope.cancel_called or (task is not None and task.cancelling()):
                    raise
                # Nobody has cancelled this call: the provider's code has given up by itself.
                return 'cancelled'
            except Exception as error:  # noqa: BLE001 - whatever a provider's code raises, the chunk has another way
                reason = failures.reason(error)
                if failures.is_hopeless(error):
                    self._hopeless = reason
                level = logging.WARNING if isinstance(error, AgentRunError | OSError) else logging.ERROR
                _logger.log(level, 'model call failed', extra={'agent': agent.name, 'reason': reason})
                return reason
            finally:
                used = own - before
                self.usage.incr(used)
                self.spent.incr(used)
            if on_fact and stream is None:
                for fact in result.output.facts:
                    on_fact(fact.text)
            return result.output
        return DEADLINE
