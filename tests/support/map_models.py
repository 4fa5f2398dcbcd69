"""Models that answer map requests by a function, and settings for them."""

import json
from collections.abc import Callable

from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from summarizer_tool import Settings, prompts

Answer = Callable[[prompts.ParsedRequest, AgentInfo], ModelResponse]


def make(**overrides: object) -> Settings:
    return Settings.load(**{'llm_model': 'extractive', 'default_chunk_size_tokens': 500} | overrides)


def read(messages: list[ModelMessage]) -> prompts.ParsedRequest:
    content = messages[0].parts[-1].content
    assert isinstance(content, str)
    return prompts.parse(content)


def model_of(answer: Answer) -> FunctionModel:
    return FunctionModel(lambda messages, info: answer(read(messages), info), model_name='scripted')


def tool_call(info: AgentInfo, arguments: object) -> ModelResponse:
    name = info.output_tools[0].name
    return ModelResponse(parts=[ToolCallPart(name, arguments if isinstance(arguments, str) else json.dumps(arguments))])


def lines_of(request: prompts.ParsedRequest) -> list[tuple[int, str]]:
    return [(line.number, line.text) for source in request.sources for line in source.lines]


def facts_of(request: prompts.ParsedRequest) -> list[dict[str, object]]:
    """One fact for each line of prose: its first sentence."""
    return [
        {'text': text.split('. ')[0].rstrip('.') + '.', 'evidence': [number], 'importance': 3}
        for number, text in lines_of(request)
        if text.endswith('.')
    ]


def good(request: prompts.ParsedRequest, info: AgentInfo) -> ModelResponse:
    """Those facts, and two names."""
    return tool_call(info, {'facts': facts_of(request), 'entities': ['Ada Brook', 'Nobody Anywhere']})


def failing(status: int) -> Answer:
    def answer(request: prompts.ParsedRequest, info: AgentInfo) -> ModelResponse:
        raise ModelHTTPError(status_code=status, model_name='scripted', body={'message': 'secret: sk-123'})

    return answer
