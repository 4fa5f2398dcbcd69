"""Follow an answer while it is written: at the model, since an agent's own streaming takes three times as long."""

from collections.abc import AsyncIterable, Awaitable, Callable

from pydantic_ai import ModelResponse, ModelResponseStreamEvent
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

Follower = Callable[[AsyncIterable[ModelResponseStreamEvent]], Awaitable[None]]
"""Reads the events of one answer to their end."""


class FollowedModel(WrapperModel):
    """A model whose answers are followed; to whoever asks they are whole."""

    def __init__(self, wrapped: Model, follow: Follower) -> None:
        super().__init__(wrapped)
        self._follow = follow
        self.broken_off: ModelResponse | None = None
        """As far as it was written: the answer in the middle of which a request has ended."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask the model for a stream, and return all of it."""
        async with self.wrapped.request_stream(messages, model_settings, model_request_parameters) as stream:
            try:
                await self._follow(stream)
            except BaseException:
                self.broken_off = stream.get()
                raise
        return stream.get()
