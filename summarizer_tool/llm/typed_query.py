"""One typed question to the summarizer's own model, beside a search: who answers it, at what cost, and what if not."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TypeVar

import anyio
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.concurrency import AbstractConcurrencyLimiter
from pydantic_ai.exceptions import AgentRunError, UsageLimitExceeded
from pydantic_ai.framing import RegisteredTag, wrap
from pydantic_ai.models import Model
from pydantic_ai.models.concurrency import ConcurrencyLimitedModel
from pydantic_ai.models.instrumented import InstrumentationSettings, InstrumentedModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.output import OutputSpec
from pydantic_ai.usage import RunUsage, UsageLimits

from summarizer_tool import prompts
from summarizer_tool.errors import SummarizerError
from summarizer_tool.extractive.model import ExtractiveModel
from summarizer_tool.llm import failures, models
from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.runtime.concurrency_limits import shared_limiter
from summarizer_tool.settings import OutputMode, Settings

MAX_CHARACTERS = 2000
"""Of a question, an intent or constraints that a model is shown; what is longer is no question."""

OutputT = TypeVar('OutputT', bound=BaseModel)

_logger = logging.getLogger('summarizer_tool')


class UnansweredError(SummarizerError):
    """A model that helps a search has given no answer, or none of use; the search can do without it."""


@dataclass(frozen=True, slots=True)
class TypedQuery:
    """Asks one model, as the summarizer does: within its limits, and without content in traces."""

    settings: Settings
    model_name: str
    model: Model | None = None
    """Instead of the one that the settings name, which is connected for each call."""
    limiter: AbstractConcurrencyLimiter | None = None
    """Bounds the model calls at once; by default the summarizer's own."""
    options: RequestOptions = field(default_factory=RequestOptions)
    """For its model, output mode, deadline, usage and usage limits."""

    @classmethod
    def of(
        cls,
        settings: Settings,
        *,
        model: Model | None = None,
        limiter: AbstractConcurrencyLimiter | None = None,
        options: RequestOptions | None = None,
    ) -> 'TypedQuery | None':
        """Who can be asked; `None` where there is but the embedded model, which can judge nothing.

        Args:
            settings: The summarizer's.
            model: The summarizer's, where it was given one.
            limiter: The summarizer's, where it was given one.
            options: What the request at hand brings along; its model goes before the others.
        """
        options = options or RequestOptions()
        own = options.model or model
        name = own.model_name if own else models.model_id(settings)
        if name == models.SAMPLING or name == 'extractive' or (own and _is_embedded(own)):
            return None
        return cls(settings, name, model, limiter, options)

    @property
    def output_mode(self) -> OutputMode:
        """How structured output is asked for."""
        return self.options.output_mode or self.settings.llm_output_mode

    async def ask(self, agent: Agent[None, OutputT], prompt: str, max_tokens: int) -> OutputT:
        """Run an agent once, for as long as one attempt may take: nobody waits longer for what a search can do without.

        Args:
            agent: Made by `typed_agent`.
            prompt: Its request; everything untrusted in it is framed.
            max_tokens: What the answer may hold.

        Raises:
            UnansweredError: If there is no answer: the model failed, or had no time, or a usage limit is reached.
            ConfigurationError: If the model cannot be built.
        """
        deadline = self.options.deadline
        with (
            deadline.calling() if deadline else nullcontext(),
            anyio.move_on_after(self.settings.llm_timeout_seconds),
        ):
            async with self._connected() as model:
                return await self._run(agent, model, prompt, max_tokens)
        raise self._unanswered(agent, 'no answer in time')

    async def _run(self, agent: Agent[None, OutputT], model: Model, prompt: str, max_tokens: int) -> OutputT:
        usage = self.options.usage if self.options.usage is not None else RunUsage()
        before, own = copy(usage), copy(usage)  # others may count in it at the same time
        try:
            result = await agent.run(
                prompt,
                model=model,
                model_settings=models.request_settings(self.settings, max_tokens, self.model_name),
                usage=own,
                usage_limits=_limits(self.options.usage_limits),
                retries={'output': self.settings.llm_output_retries},
            )
        except UsageLimitExceeded as error:
            raise self._unanswered(agent, 'the usage limit is reached') from error
        except Exception as error:  # whatever a provider's code raises, the search goes on without it
            level = logging.WARNING if isinstance(error, AgentRunError | OSError) else logging.ERROR
            raise self._unanswered(agent, failures.reason(error), level) from error
        finally:
            usage.incr(own - before)
        return result.output

    def _unanswered(self, agent: Agent[None, OutputT], reason: str, level: int = logging.WARNING) -> UnansweredError:
        _logger.log(level, 'model call failed', extra={'agent': agent.name, 'reason': reason})
        return UnansweredError(f'{self.model_name} as {agent.name}: {reason}')

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[Model]:
        """The model for one call, limited in concurrency; connections are closed with the call."""
        own = self.options.model or self.model
        async with nullcontext(own) if own else models.connect(self.settings, self.model_name) as model:
            # The caller's own instrumentation would put the content into its traces.
            while isinstance(model, InstrumentedModel) and not self.settings.trace_content:
                model = model.wrapped
            if self.options.model is not None:  # bounded by the request it came with
                yield model
                return
            limiter = self.limiter or shared_limiter(self.settings.max_concurrent_llm_calls)
            yield ConcurrencyLimitedModel(model, limiter)


def typed_agent(
    name: str, prompt: str, output_type: type[OutputT], output_mode: OutputMode, *, trace_content: bool
) -> Agent[None, OutputT]:
    """An agent that answers in one type, and whose traces hold content only if they may.

    Args:
        name: In traces and logs.
        prompt: The file of its instructions.
        output_type: What it answers.
        output_mode: How that is asked for.
        trace_content: Whether traces may hold what it is asked and answers.
    """
    agent = Agent(name=name, output_type=_output(output_type, output_mode), instructions=prompts.load(prompt))
    agent.instrument = InstrumentationSettings(include_content=trace_content, include_binary_content=trace_content)
    return agent


def framed(tag: RegisteredTag, text: str, **attributes: str) -> str:
    """A text as data that cannot close its frame, and that any encoding can carry."""
    return wrap(tag, text.encode(errors='replace').decode(), **attributes)


def _output(output_type: type[OutputT], mode: OutputMode) -> OutputSpec[OutputT]:
    match mode:
        case 'auto':
            return output_type
        case 'tool':
            return ToolOutput(output_type)
        case 'native':
            return NativeOutput(output_type)
        case 'prompted':
            return PromptedOutput(output_type)


def _limits(given: UsageLimits | None) -> UsageLimits:
    if given is None:
        return UsageLimits(request_limit=None)
    # Models that cannot count beforehand would fail, and these requests are small.
    return replace(given, count_tokens_before_request=False)


def _is_embedded(model: Model) -> bool:
    while isinstance(model, WrapperModel):
        model = model.wrapped
    return isinstance(model, ExtractiveModel)
