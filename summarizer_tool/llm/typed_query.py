"""Ask a model a question whose answer has a type: retries, recovery, usage, limits and failures in one place."""

import logging
import math
from asyncio import CancelledError, current_task
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, TypeVar

import anyio
from anyio import CancelScope
from pydantic import BaseModel, ValidationError
from pydantic_ai import (
    Agent,
    ModelRetry,
    NativeOutput,
    PromptedOutput,
    RunContext,
    ToolOutput,
)
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from pydantic_ai.models import Model
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.output import OutputSpec
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from summarizer_tool import prompts, telemetry
from summarizer_tool.llm import failures, models
from summarizer_tool.llm.failures import BrokenOffError, NoAnswerError, OutOfTimeError
from summarizer_tool.llm.following import FollowedModel, Follower
from summarizer_tool.llm.recover_partial import (
    Ending,
    QueryState,
    RecoverPartial,
    recover_partial,
    untold_usage,
    written,
)
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
        state = QueryState(may_be_empty=is_free or not self.empty_prompt)
        output: OutputT | None = None
        error: BaseException | None = None
        runs_left = self.retries if self.again_prompt else 0
        unreadable_left = self.retries
        prompt = request
        usage, spent = (RunUsage(), RunUsage()) if is_free else (usage, spent if spent is not None else RunUsage())
        # Models that cannot count beforehand would fail, and requests are no larger than a chunk or a window.
        given = UsageLimits(request_limit=None) if is_free or usage_limits is None else usage_limits
        limits = replace(given, count_tokens_before_request=False)
        with within or CancelScope() as scope:
            try:
                while output is None:
                    followed = FollowedModel(model, follow, usage, limits)
                    asked = f'{prompts.load(self.prompt)}\n{prompt}'
                    try:
                        with _noting_what_was_written(asked, followed, state, usage, spent), _telling_unreadable(state):
                            result = await _agent(self, is_traced=telemetry.is_received()).run(
                                prompt,
                                model=followed,
                                deps=state,
                                model_settings=model_settings,
                                usage=usage,
                                usage_limits=limits,
                                retries={'output': 0 if self.again_prompt else self.retries},
                            )
                        output = result.output
                    except NoAnswerError:
                        if not unreadable_left:
                            raise
                        unreadable_left -= 1
                        follow = None  # the transport and the client see all of what does not stream
                    except UnexpectedModelBehavior as broken:
                        if not runs_left or failures.is_cut_off(broken) or isinstance(broken, ContentFilterError):
                            raise
                        prompt = self.again(request)
                        runs_left -= 1
                    except ModelAPIError as broken:
                        if not state.written or self._kept(state) or failures.reason(broken) == 'timeout':
                            raise
                        follow = None  # what does not stream is repeated by the transport, and by a fallback
            except CancelledError as cancelled:
                if _is_cancelled():
                    raise
                error = cancelled  # by the provider's code, which has given up by itself
            except Exception as raised:  # noqa: BLE001 - whatever a provider's code raises, the caller has another way
                error = raised
        if output is None:
            output = self._kept(state)
            state.ending = 'none' if output is None else 'broken'
            error = OutOfTimeError() if scope.cancel_called else _in_the_end(error, state)
        self._log_error(error)
        return QueryResult(output, state.ending, error)

    def _kept(self, state: QueryState) -> OutputT | None:
        return recover_partial(state.written, self.output_type, self.members) if self.members else None

    def _log_error(self, error: BaseException | None) -> None:
        if error is not None and not isinstance(error, UsageLimitExceeded | OutOfTimeError):
            level = logging.WARNING if isinstance(error, _EXPECTED) else logging.ERROR
            _logger.log(level, 'model call failed', extra={'agent': self.name, 'reason': failures.reason(error)})


_OUTPUTS: dict[OutputMode, Callable[[Any], OutputSpec[Any]]] = {
    'auto': lambda output_type: output_type,
    'tool': ToolOutput,
    'native': NativeOutput,
    'prompted': PromptedOutput,
}


@cache
def _agent(query: TypedQuery[Any], *, is_traced: bool) -> Agent[QueryState, Any]:
    agent: Agent[QueryState, Any] = Agent(
        name=query.name,
        deps_type=QueryState,
        output_type=_OUTPUTS[query.output_mode](query.output_type),
        instructions=prompts.load(query.prompt),
        capabilities=[RecoverPartial(query.output_type, query.members)] if query.members else [],
    )

    @agent.output_validator
    async def complain_if_empty(ctx: RunContext[QueryState], output: Any) -> Any:
        if not ctx.deps.may_be_empty and not getattr(output, query.members):
            ctx.deps.may_be_empty = True
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


@contextmanager
def _noting_what_was_written(
    request: str, model: FollowedModel, state: QueryState, usage: RunUsage, spent: RunUsage
) -> Generator[None]:
    """Keep what a run has written of an answer that is broken off, and estimate what nobody has counted.

    What the run has counted in `usage` counts in `spent`, too.
    """
    try:
        yield
    finally:
        untold = RunUsage()
        answers = list(model.answers)
        spent.requests += len(answers)
        for each in answers:
            spent.incr(each.usage)
        state.written = ''
        if (broken := model.broken_off) is not None:
            answers.append(broken)
            state.written = written(broken) if broken.finish_reason is None else ''
            untold.requests += bool(broken.parts)
            untold.incr(broken.usage)
        for each in answers:
            if (each is answers[-1] and state.written) or not each.usage.has_values():
                untold.incr(untold_usage(each, request))
        usage.incr(untold)
        spent.incr(untold)


@contextmanager
def _telling_unreadable(state: QueryState) -> Generator[None]:
    """Tell what is no answer at all from an answer that does not fit."""
    try:
        yield
    except (UnexpectedModelBehavior, ModelAPIError, IndexError, RecursionError, ValidationError) as error:
        if state.written or not failures.is_unreadable(error):
            raise
        raise NoAnswerError from error


def _in_the_end(error: BaseException | None, state: QueryState) -> BaseException | None:
    """The error of a question: an answer that had begun, and of which nothing is kept, speaks for a provider."""
    is_lost = state.written and state.ending == 'none' and isinstance(error, ModelAPIError)
    return BrokenOffError() if is_lost else error


def _is_cancelled() -> bool:
    task = current_task()
    return anyio.current_effective_deadline() == -math.inf or (task is not None and task.cancelling() > 0)
