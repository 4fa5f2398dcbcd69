"""Agents whose model is a script, and what was said in their runs."""

import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from summarizer_tool import Settings, SourceStore, SummarizerToolset
from summarizer_tool.service.operations import OPERATIONS
from tests.support.site import Site

Step = Callable[[list[ModelMessage]], ToolCallPart | Sequence[ToolCallPart] | str]
Talk = Callable[..., Awaitable[list[ModelMessage]]]
"""Takes steps, gives the messages."""
Scripted = Step | ToolCallPart | str
HANDLE = re.compile(r'src_[0-9a-f]{12}')
ALL = [each.name for each in OPERATIONS]
LONG = 200
"""Characters; no argument of a tool should have more, unless the text has no handle yet."""


def call(tool: str, **arguments: object) -> ToolCallPart:
    return ToolCallPart(tool, arguments)


def scripted(*steps: Scripted) -> FunctionModel:
    """A model that does one thing after the other: a tool call, or an answer."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = steps[sum(isinstance(message, ModelResponse) for message in messages)]
        done = step(messages) if callable(step) else step
        if isinstance(done, str):
            return ModelResponse(parts=[TextPart(done)])
        return ModelResponse(parts=[done] if isinstance(done, ToolCallPart) else list(done))

    return FunctionModel(answer, model_name='scripted')


@asynccontextmanager
async def agent_with(web: Site, *steps: Scripted, **settings: Any) -> AsyncGenerator[Agent[None, str]]:
    """An agent that calls the tools of this package, a step after the other, on the pages of a local site."""
    given = Settings.load(llm_model='extractive', worker_processes=0, fetch_allow_hosts=web.host, **settings)
    with SourceStore() as store:
        yield Agent(scripted(*steps, 'Done.'), toolsets=[SummarizerToolset(settings=given, store=store)])


def last_text(messages: list[ModelMessage]) -> str:
    return returns(messages)[-1].model_response_str()


def last_handle(messages: list[ModelMessage]) -> str:
    return HANDLE.findall(last_text(messages))[-1]


def returns(messages: Sequence[ModelMessage]) -> list[ToolReturnPart]:
    return [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def calls(messages: Sequence[ModelMessage]) -> list[ToolCallPart]:
    return [part for message in messages for part in message.parts if isinstance(part, ToolCallPart)]


def longest_argument(messages: Sequence[ModelMessage]) -> int:
    values = [value for part in calls(messages) for value in part.args_as_dict().values()]
    return max(len(value if isinstance(value, str) else json.dumps(value)) for value in values)


def shown(messages: Sequence[ModelMessage]) -> list[str]:
    """Calls, results and answers, one line or more each; of long results the beginning and the end."""
    lines: list[str] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                lines.append(f'-> {part.tool_name} {json.dumps(part.args_as_dict())}')
            elif isinstance(part, ToolReturnPart):
                text = part.model_response_str()
                cut = f'{text[:180]} […] {text[-240:]}' if len(text) > 450 else text
                lines.append(f'<- {part.tool_name} {part.outcome}: {cut}')
            elif isinstance(part, TextPart):
                lines.append(f'== {part.content}')
    return lines


def instructions_of(messages: Sequence[ModelMessage]) -> str:
    [first, *_] = [message for message in messages if isinstance(message, ModelRequest)]
    return first.instructions or ''


def tagged(text: str) -> list[str]:
    """The tools that instructions speak of."""
    return re.findall(r'^- `(\w+)`', text, re.MULTILINE)
