"""Ask a model a question whose answer has a type: retries, recovery, usage, limits and failures in one place."""

import logging
import math
from asyncio import CancelledError, current_task
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import anyio
from anyio import CancelScope
from pydantic import BaseModel, ValidationError
from pydantic_ai import (
    Agent,
    IncompleteToolCall,
    ModelResponse,
    ModelRetry,
    NativeOutput,
    PromptedOutput,
    RunContext,
    ToolOutput,
)
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from pydantic_ai.models import Model
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.output import OutputContext, OutputSpec
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from summarizer_tool import prompts, telemetry
from summarizer_tool.llm import failures, models
from summarizer_tool.llm.failures import BrokenOffError, NoAnswerError, OutOfTimeError
from summarizer_tool.llm.following import Ending, FollowedModel, Follower
from summarizer_tool.llm.recover_partial import members_in, recover_partial
from summarizer_tool.settings import OutputMode, Settings

OutputT = TypeVar('OutputT', bound=BaseModel)

_EXPECTED = (AgentRunError, OSError, CancelledError, BrokenOffError, NoAnswerError)
"""Errors that are no defect of a provider's code."""

_logger = logging.getLogger('summarizer_tool')


@dataclass(frozen=True, slots=True)
class QueryResult(Generic[OutputT]):
    """An answer, or why there is none; both, if one was broken off."""

    output: OutputT | None
    ending: Ending = 'whole'
    error: BaseException | None = None
    """Not of an answer that was cut off at the output token limit, and of which something is kept."""

    @property
    def is_partial(self) -> bool:
        """Whether only the complete members of an answer were kept."""
        return self.ending in ('cut off', 'broken')

    @property
    def reason(self) -> str:
        """Why there is no answer, or why one was broken off, as `failures.reason` says it; else empty."""
        return '' if self.error is None else failures.reason(self.error)


@dataclass(frozen=True, slots=True)
class TypedQuery(Generic[OutputT]):
    """One kind of question: instructions, the type of the answer, and what to do with a broken one."""

    name: str
    """Of the agent, in traces and logs."""
    prompt: str
    """The prompt file of the instructions."""
    output_type: type[OutputT]
    members: str = ''
    """The list in the answer whose complete members are kept of a broken answer; by default a broken one is useless."""
    empty_prompt: str = ''
    """The prompt file of what an answer without members is told, once; by default it is taken as it is."""
    again_prompt: str = ''
    """The prompt file of what is put behind a request whose answer could not be read. Each attempt is then a new run,
    so that every request keeps to its size; by default the broken answer is shown to the model."""
    retries: int = 1
    """Times that an answer of which nothing can be read is asked for again, and, apart from those, one that is none."""
    output_mode: OutputMode = 'auto'
    """How the type of the answer is asked for; `auto`: as the model's profile says."""
    trace_content: bool = False
    """Whether requests and answers go into traces, whatever the application instruments."""

    def configured(self, settings: Settings) -> 'TypedQuery[OutputT]':
        """The question as the settings want it asked."""
        return replace(
            self,
            retries=settings.llm_output_retries,
            output_mode=settings.llm_output_mode,
            trace_content=settings.trace_content,
        )

    def again(self, request: str) -> str:
        """A request whose last answer could not be read."""
        return f'{request}\n\n{prompts.load(self.again_prompt)}'

    async def ask(
        self,
        model: Model,
        request: str,
        *,
        usage: RunUsage,
        spent: RunUsage | None = None,
        usage_limits: UsageLimits | None = None,
        model_settings: ModelSettings | None = None,
        follow: Follower | None = None,
        within: AbstractContextManager[CancelScope] | None = None,
    ) -> QueryResult[OutputT]:
        """Ask until something of an answer can be read; whatever fails is the result's `error`.

        Args:
            model: Who is asked.
            request: The user prompt; everything untrusted in it is framed.
            usage: What the answer has cost is added to it, which is nothing for the embedded model. Others may count
                in it at the same time.
            spent: The same is added to it, where nobody else counts.
            usage_limits: For `usage` and this question together.
            model_settings: For each request.
            follow: Follows the answer while it is written; of one that is broken off, the complete members are kept.
            within: The scope of the asking; when it is cancelled, the result's error is `OutOfTimeError`.
        """
        is_free = models.is_embedded(model)
        usages = [RunUsage()] if is_free else [usage, *([] if spent is None else [spent])]
        # Models that cannot count beforehand would fail, and requests are no larger than a chunk or a window.
        given = UsageLimits(request_limit=None) if is_free or usage_limits is None else usage_limits
        limits = replace(given, count_tokens_before_request=False)
        asked = FollowedModel(model, follow, *usages, limits=limits)
        asked.has_complained = is_free or not self.empty_prompt
        output: OutputT | None = None
        error: BaseException | None = None
        with within or CancelScope() as scope:
            try:
                output = await self._answered(asked, request, model_settings)
            except CancelledError as cancelled:
                if _is_cancelled():
                    raise
                error = cancelled  # by the provider's code, which has given up by itself
            except Exception as raised:  # noqa: BLE001 - whatever a provider's code raises, the caller has another way
                error = raised
        if output is None:
            output = self._kept(asked.written)
            asked.ending = 'none' if output is None else 'broken'
            if scope.cancel_called:
                error = OutOfTimeError()
            elif asked.written and output is None and isinstance(error, ModelAPIError):
                error = BrokenOffError()  # an answer that had begun speaks for a provider
        if error is not None and not isinstance(error, UsageLimitExceeded | OutOfTimeError):
            level = logging.WARNING if isinstance(error, _EXPECTED) else logging.ERROR
            _logger.log(level, 'model call failed', extra={'agent': self.name, 'reason': failures.reason(error)})
        return QueryResult(output, asked.ending, error)

    async def _answered(self, asked: FollowedModel, request: str, settings: ModelSettings | None) -> OutputT:
        """Ask until an answer can be read, each time in the way that the last error has left."""
        prompt = request
        left = {'unread': self.retries, 'misfit': self.retries if self.again_prompt else 0, 'toolless': 1, 'broken': 1}
        while True:
            try:
                return await self._run(asked, prompt, settings)
            except (AgentRunError, ExceptionGroup, IndexError, RecursionError, ValidationError) as error:
                kind = self._kind_of(error, asked)
                if not left.get(kind):
                    if kind == 'unread':
                        raise NoAnswerError from error
                    raise
                left[kind] -= 1
                if kind == 'misfit':
                    prompt = self.again(request)
                elif kind == 'toolless':
                    if self._mode(asked) != 'prompted':
                        _logger.warning('the endpoint takes no tools: JSON is asked for', extra={'agent': self.name})
                    _toolless[id(asked.inner)] = asked.inner
                else:  # the transport, the client and a fallback see all of what does not stream, and repeat it
                    asked.follow = None

    def _kind_of(self, error: Exception, asked: FollowedModel) -> str:
        """What is wrong with an answer, if asking in another way may help."""
        if not asked.written and failures.is_unreadable(error):
            return 'unread'
        if self.output_mode in _BY_TOOL and failures.refuses_tools(error):
            return 'toolless'
        if isinstance(error, UnexpectedModelBehavior):
            return '' if failures.is_cut_off(error) or isinstance(error, ContentFilterError) else 'misfit'
        is_lost = isinstance(error, ModelAPIError) and asked.written and not self._kept(asked.written)
        return 'broken' if is_lost and failures.reason(error) != 'timeout' else ''

    def _mode(self, asked: FollowedModel) -> OutputMode:
        is_toolless = _toolless.get(id(asked.inner)) is asked.inner
        return 'prompted' if is_toolless and self.output_mode in _BY_TOOL else self.output_mode

    async def _run(self, asked: FollowedModel, prompt: str, settings: ModelSettings | None) -> OutputT:
        query = replace(self, output_mode=self._mode(asked))
        try:
            result = await _agent(query, is_traced=telemetry.is_received()).run(
                prompt,
                model=asked,
                deps=asked,
                model_settings=settings,
                usage=asked.usages[0],
                usage_limits=asked.limits,
                retries={'output': 0 if self.again_prompt else self.retries},
            )
        finally:
            asked.count(f'{prompts.load(self.prompt)}\n{prompt}')
        return result.output

    def _kept(self, written: str) -> OutputT | None:
        return recover_partial(written, self.output_type, self.members) if self.members else None


_BY_TOOL: tuple[OutputMode, ...] = ('auto', 'tool')

_OUTPUTS: dict[OutputMode, Callable[[Any], OutputSpec[Any]]] = {
    'auto': lambda output_type: output_type,
    'tool': ToolOutput,
    'native': NativeOutput,
    'prompted': PromptedOutput,
}


_toolless: WeakValueDictionary[int, Model] = WeakValueDictionary()
"""Models whose endpoint has refused tools, by their ids: they are asked for JSON in the prompt."""


@cache
def _agent(query: TypedQuery[Any], *, is_traced: bool) -> Agent[FollowedModel, Any]:
    agent: Agent[FollowedModel, Any] = Agent(
        name=query.name,
        deps_type=FollowedModel,
        output_type=_OUTPUTS[query.output_mode](query.output_type),
        instructions=prompts.load(query.prompt),
        capabilities=[RecoverPartial(query.output_type, query.members)] if query.members else [],
    )

    @agent.output_validator
    async def complain_if_empty(ctx: RunContext[FollowedModel], output: Any) -> Any:
        if not ctx.deps.has_complained and not getattr(output, query.members):
            ctx.deps.has_complained = True
            if not ctx.last_attempt:
                raise ModelRetry(prompts.load(query.empty_prompt))
        return output

    traced = query.trace_content
    # The parameters of a request are the form of its answer, the same in each span, and take long to be written first.
    # Spans that nobody receives take an eighth of a run's time.
    agent.instrument = is_traced and InstrumentationSettings(
        include_content=traced, include_binary_content=traced, include_model_request_parameters=traced
    )
    return agent


@dataclass
class RecoverPartial(AbstractCapability[FollowedModel]):
    """Keeps the complete members of an answer that does not validate, instead of asking for all of it again."""

    envelope: type[BaseModel]
    key: str

    async def on_output_validate_error(
        self,
        ctx: RunContext[FollowedModel],
        *,
        output_context: OutputContext,
        output: str | dict[str, Any],
        error: ValidationError | ModelRetry,
    ) -> BaseModel:
        """Return what can be recovered, or raise the error so that the question is asked again.

        It is called before pydantic-ai looks at the finish reason, for tool arguments as for text.

        Raises:
            IncompleteToolCall: If the answer was cut off before its first member was complete: under the same
                limit the next one would be too. (pydantic-ai does so for text, but asks again for a tool call.)
        """
        recovered = recover_partial(output, self.envelope, self.key)
        last = ctx.messages[-1] if ctx.messages else None
        is_at_limit = isinstance(last, ModelResponse) and last.finish_reason == 'length'
        if recovered is None:
            if is_at_limit:
                raise IncompleteToolCall('the answer was cut off before one member was complete') from error
            raise error
        # A connection that is closed amid an answer may look like its end, and not all servers tell of their limit.
        is_cut_off = is_at_limit or (isinstance(output, str) and members_in(output, self.key, may_be_bare=True)[1])
        ctx.deps.ending = 'cut off' if is_cut_off else 'broken'
        return recovered


def _is_cancelled() -> bool:
    task = current_task()
    return anyio.current_effective_deadline() == -math.inf or (task is not None and task.cancelling() > 0)
