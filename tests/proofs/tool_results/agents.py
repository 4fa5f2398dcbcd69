"""Agents on scripted models: what they call, what they saw, and how they summarize when they are asked to."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from researcher_integration.tool_results.capability import SummarizeToolResults
from researcher_integration.tool_results.rules import ToolResultRules
from summarizer_tool import Settings

Turn = Sequence[ToolCallPart]
Summarize = Callable[[str, AgentInfo], ModelResponse]

SETTINGS = Settings(llm_model='extractive')


def first_line(prompt: str, info: AgentInfo) -> ModelResponse:
    """A summary: the first line that is long enough, with what it rests on."""
    number, line = next(match for match in re.findall(r'^(\d+) (.{20,})$', prompt, re.MULTILINE))
    return facts(info, (line, int(number)))


def facts(info: AgentInfo, *found: tuple[str, int]) -> ModelResponse:
    """A summary of given facts and the lines they rest on."""
    listed = [{'text': text, 'importance': 5, 'evidence': [number]} for text, number in found]
    return ModelResponse([ToolCallPart(info.output_tools[0].name, {'facts': listed, 'entities': []})])


@dataclass
class Script:
    """A model that plays an agent and, when it is asked for facts, the summarizer."""

    turns: Sequence[Turn]
    summarize: Summarize = first_line
    name: str = 'scripted'
    requests: list[list[ModelMessage]] = field(default_factory=list[list[ModelMessage]])
    """Of the agent."""
    prompts: list[str] = field(default_factory=list[str])
    """Of the summarizer."""

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self._answer, model_name=self.name)

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if info.output_tools:
            prompt = prompt_of(messages)
            self.prompts.append(prompt)
            return self.summarize(prompt, info)
        self.requests.append(list(messages))
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn < len(self.turns):
            return ModelResponse([TextPart('I look for what is broken.'), *self.turns[turn]])
        return ModelResponse([TextPart('done')])


def calling(*names: str, **arguments: object) -> Script:
    """An agent that calls tools, one after the other."""
    return Script([[ToolCallPart(name, dict(arguments))] for name in names])


def prompt_of(messages: Sequence[ModelMessage]) -> str:
    """All text of a request."""
    return '\n'.join(
        str(part.content) for message in messages for part in message.parts if isinstance(part, UserPromptPart)
    )


def returned(messages: Sequence[ModelMessage]) -> list[ToolReturnPart]:
    """What the tools gave back."""
    return [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def rules(**defaults: object) -> ToolResultRules:
    """Rules for all servers; small sizes, so that tests need no large texts."""
    summarization = {'size_threshold_tokens': 300, 'summary_max_token_limit': 120, **defaults}
    return ToolResultRules.model_validate({'defaults': {'summarization': summarization}})


def summarizing(**options: Any) -> SummarizeToolResults[Any]:
    """The capability as tests have it."""
    return SummarizeToolResults(**{'settings': SETTINGS, 'rules': rules(), **options})


def agent(script: Script, *capabilities: Any, **options: Any) -> Agent[None, str]:
    """An agent on a script."""
    return Agent(script.model, capabilities=list(capabilities), **options)
