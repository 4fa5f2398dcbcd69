"""Follow an answer while it is written, and count it: at the model, where an agent's streaming takes thrice as long."""

from collections.abc import AsyncIterable, Awaitable, Callable

from pydantic_ai import ModelResponse, ModelResponseStreamEvent
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

Follower = Callable[[AsyncIterable[ModelResponseStreamEvent]], Awaitable[None]]
"""Reads the events of one answer to their end."""


class FollowedModel(WrapperModel):
    """A model whose answers are noted, and followed where somebody follows; to whoever asks they are whole."""

    def __init__(self, wrapped: Model, follow: Follower | None, usage: RunUsage, limits: UsageLimits) -> None:
        super().__init__(wrapped)
        self._follow, self._usage, self._limits = follow, usage, limits
        self.answers: list[ModelResponse] = []
        self.broken_off: ModelResponse | None = None
        """As far as it was written: the answer in the middle of which a request has ended."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask the model, for a stream where it is followed, and return all of it.

        Requests that are under way count for all who ask at once; an agent counts its own when they are answered.
        """
        self._limits.check_before_request(self._usage)
        self._usage.requests += 1
        try:
            if self._follow is None:
                answer = await self.wrapped.request(messages, model_settings, model_request_parameters)
            else:
                async with self.wrapped.request_stream(messages, model_settings, model_request_parameters) as stream:
                    try:
                        await self._follow(stream)
                    except BaseException:
                        self.broken_off = stream.get()
                        raise
                answer = stream.get()
        finally:
            self._usage.requests -= 1
        self.answers.append(answer)
        return answer
