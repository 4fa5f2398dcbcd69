"""MCP sampling: the client's own model does the work, so that the server needs no key."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.mcp_sampling import MCPSamplingModel
from pydantic_ai.settings import ModelSettings
from starlette.requests import Request

from summarizer_tool.llm.failures import ModelRefusedError
from summarizer_tool.settings import Settings

if TYPE_CHECKING:
    from mcp import ServerSession


def sampling_model(context: ServerRequestContext[Any, Any], settings: Settings) -> Model | None:
    """The model of the client that makes a request; None where it lends none.

    A client must say that it does, and there must be a way back to it: sessions of protocol 2026-07-28 and sessions
    without state have none.
    """
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.sampling is None or not context.session.can_send_request:
        return None
    return SamplingModel(cast('ServerSession', _ThisRequest(context, settings.llm_timeout_seconds)))


_REFUSALS = frozenset({-1, types.INVALID_REQUEST, types.METHOD_NOT_FOUND})
"""Codes of a client whose user, or whose program, does not want to: -1 is what the protocol shows for the former."""


def sampling_scope(context: ServerRequestContext[Any, Any]) -> str:
    """Whose model it is, as far as that can be told: work of one client's model is not passed off on another."""
    request = cast('object', context.request)
    session = request.headers.get('mcp-session-id') if isinstance(request, Request) else None
    info = context.session.client_params.client_info if context.session.client_params else None
    return f'session {session}' if session else f'client {info.name} {info.version}' if info else 'unknown'


class SamplingModel(MCPSamplingModel):
    """Sampling as pydantic-ai has it, and the client's model is told what output is wanted."""

    # The request keeps its time limit by itself, and is never repeated.
    unsupported_settings = MCPSamplingModel.unsupported_settings - {'timeout', 'max_retries'}

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask the client's model."""
        # `MCPSamplingModel` sends the instructions of the messages, and in those the schema of the output is not.
        schema = self.prepare_request(model_settings, model_request_parameters)[1].prompted_output_instructions
        *earlier, last = messages
        if schema and isinstance(last, ModelRequest):
            messages = [*earlier, replace(last, instructions=f'{last.instructions or ""}\n\n{schema}')]
        try:
            return await super().request(messages, model_settings, model_request_parameters)
        except MCPError as error:
            if error.code in _REFUSALS:
                raise ModelRefusedError from None
            raise


@dataclass(frozen=True, slots=True)
class _ThisRequest:
    """As much of a session as sampling needs; what it asks the client goes the way of the answer to one request.

    The session itself would send it over a stream that the client may not have opened, and wait for ever.
    """

    context: ServerRequestContext[Any, Any]
    timeout: float

    async def create_message(self, messages: list[types.SamplingMessage], **options: Any) -> types.CreateMessageResult:
        given = {name: value for name, value in options.items() if value is not None}
        return await self.context.session.send_request(
            types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=messages, **given)),
            types.CreateMessageResult,
            request_read_timeout_seconds=self.timeout,
            metadata=ServerMessageMetadata(related_request_id=self.context.request_id),
        )
