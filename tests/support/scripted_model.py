"""A model that gives answers one after the other, and remembers what it was asked."""

import json

from pydantic_ai import ModelResponse, ToolCallPart
from pydantic_ai.messages import FinishReason, ModelMessage, ModelRequest, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


class ScriptedModel:
    """Answers are values, raw text or exceptions."""

    def __init__(self, *answers: object, finish_reason: FinishReason = 'stop') -> None:
        self.answers = list(answers)
        self.asked: list[list[ModelMessage]] = []
        self.infos: list[AgentInfo] = []
        self.finish_reason: FinishReason = finish_reason
        self.model = FunctionModel(self.answer, model_name='scripted')

    async def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked.append(messages)
        self.infos.append(info)
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        raw = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        part = ToolCallPart(info.output_tools[0].name, raw) if info.output_tools else TextPart(raw)
        return ModelResponse(parts=[part], finish_reason=self.finish_reason)

    @property
    def prompt(self) -> str:
        """The last user prompt."""
        [request] = [message for message in self.asked[-1] if isinstance(message, ModelRequest)]
        part = request.parts[-1]  # pydantic-ai says something before what looks like a frame of its own
        assert isinstance(part, UserPromptPart)
        assert isinstance(part.content, str)
        return part.content
