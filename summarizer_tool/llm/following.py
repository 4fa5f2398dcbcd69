"""Follow an answer while it is written, and count it: at the model, where an agent's streaming takes thrice as long."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Literal

from pydantic_ai import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage, RunUsage, UsageLimits

from summarizer_tool.llm.models import unwrapped
from summarizer_tool.text import tokens

Follower = Callable[[StreamedResponse], Awaitable[None]]
"""Reads one answer to its end."""

Ending = Literal['whole', 'cut off', 'broken', 'none']
"""How an answer ended: whole; cut off in its list, at the output token limit or not, or broken in places, so that only
its complete members were kept; or there is none."""


class FollowedModel(WrapperModel):
    """A model while one question is asked: its answers are counted, and followed; to whoever asks they are whole."""

    def __init__(self, wrapped: Model, follow: Follower | None, *usages: RunUsage, limits: UsageLimits) -> None:
        """Count answers in all `usages`, in the first of which the agent counts whole ones by itself."""
        super().__init__(wrapped)
        self.inner = unwrapped(wrapped)
        self.follow = follow
        self.usages, self.limits = usages, limits
        self._answers: list[ModelResponse] = []
        self._broken_off: ModelResponse | None = None
        self.ending: Ending = 'whole'
        self.written = ''
        """What there was of the answer when the last run was broken off."""
        self.has_complained = False
        """Whether an answer without members is taken as it is, since the model has been asked once more."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask the model, for a stream where it is followed, and return all of it.

        Requests that are under way count for all who ask at once; an agent counts its own when they are answered.
        """
        usage = self.usages[0]
        self.limits.check_before_request(usage)
        usage.requests += 1
        try:
            if self.follow is None:
                answer = await self.wrapped.request(messages, model_settings, model_request_parameters)
            else:
                async with self.wrapped.request_stream(messages, model_settings, model_request_parameters) as stream:
                    try:
                        await self.follow(stream)
                    except BaseException:
                        self._broken_off = stream.get()
                        raise
                answer = stream.get()
        finally:
            usage.requests -= 1
        self._answers.append(answer)
        return answer

    def count(self, request: str) -> None:
        """Count what a run has cost beyond what its agent has counted; estimate what nobody has told."""
        answers, broken, untold = self._answers, self._broken_off, RunUsage()
        self._answers, self._broken_off, self.written = [], None, ''
        for usage in self.usages[1:]:
            usage.requests += len(answers)
            for each in answers:
                usage.incr(each.usage)
        if broken is not None:
            answers = [*answers, broken]
            self.written = written(broken) if broken.finish_reason is None else ''
            untold.requests += bool(broken.parts)
            untold.incr(broken.usage)
        for each in answers:
            if (each is answers[-1] and self.written) or not each.usage.has_values():
                untold.incr(untold_usage(each, request))
        for usage in self.usages:
            usage.incr(untold)


def written(response: ModelResponse) -> str:
    """The text of an answer, and the arguments of its calls, as far as they were written."""
    texts = [part.content for part in response.parts if isinstance(part, TextPart)]
    calls = [part for part in response.parts if isinstance(part, ToolCallPart) and part.args]
    # pydantic-ai puts arguments that are not whole into others.
    return '\n'.join(
        [*texts, *(call.args if isinstance(call.args, str) else call.args_as_json_str() for call in calls)]
    )


def thought(response: ModelResponse) -> str:
    """What the model has thought."""
    return ''.join(part.content for part in response.parts if isinstance(part, ThinkingPart))


def untold_usage(response: ModelResponse, request: str) -> RequestUsage:
    """What an answer, as far as it was written, has cost beyond what the provider has said: an estimate."""
    said = response.usage
    count = max(said.output_tokens, tokens.count(thought(response) + written(response)))
    estimate = replace(said, input_tokens=said.input_tokens or tokens.count(request), output_tokens=count)
    try:
        cost = replace(response, usage=estimate).cost().total_price - (said.cost or 0)
    except (AssertionError, LookupError, ValueError):  # no name, or no price
        cost = None
    return RequestUsage(
        input_tokens=estimate.input_tokens - said.input_tokens,
        output_tokens=estimate.output_tokens - said.output_tokens,
        cost=cost,
    )
