"""An agent that calls the tools it is told to, on the pages of a local site."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from summarizer_tool import Settings
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.toolset import SummarizerToolset
from tests.support.site import Site


@asynccontextmanager
async def agent_with(web: Site, *calls: Sequence[ToolCallPart], **settings: Any) -> AsyncGenerator[Agent[None, str]]:
    """An agent that makes calls, a turn after the other, and is done."""

    def act(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse(parts=[*calls[turn]] if turn < len(calls) else [TextPart('Done.')])

    given = Settings.load(llm_model='extractive', worker_processes=0, fetch_allow_hosts=web.host, **settings)
    with SourceStore() as store:
        yield Agent(FunctionModel(act), toolsets=[SummarizerToolset(settings=given, store=store)])


def returned(messages: Sequence[ModelMessage]) -> list[ToolReturnPart]:
    return [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def call(tool: str, **arguments: object) -> list[ToolCallPart]:
    return [ToolCallPart(tool, arguments)]
