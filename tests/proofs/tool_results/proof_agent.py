"""A simulated model that plays the agent with noisy tools, answers questions about details, and summarizes.

It knows no answer: it takes handles from the notes over summaries, looks up with the reading tools, and reads the value
next to what it was asked about. As a summarizer it keeps lines of what it is given, in a way that is told to it.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from summarizer_tool.text import tokens

SUMMARY_TOKENS = 1000
"""What the summarizer writes where no limit is given: as much as the capability asks for by default."""

AT_ONCE = 3
"""Tools called in one turn."""

_NOTE = re.compile(r'\[(?:[\w-]+/)?(\w+): [\d,]+ tokens, summarized in [\d,]+\. The whole result is (src_\w+)')
_QUESTION = re.compile(r'^\d+\. In (\w+): (\w+) of (.+)\?$', re.MULTILINE)
_NUMBERED = re.compile(r'^(\d+)\|? ?(.*\S)', re.MULTILINE)
_OUTPUT = re.compile(r'<output>\n(.*)\n</output>', re.DOTALL)
_PLACE = re.compile(r'^(\d+)\| (?:\(offset (\d+)\))?', re.MULTILINE)
_PIECE = re.compile(r'.{1,300}(?!\S)|.{1,300}')
_ERROR = re.compile(r'(?i)\b(error|fatal|fail\w*|critical|exception|denied|refused|killed|mismatch)\b(?!": null)')
_WARNING = re.compile(r'(?i)\bwarn\w*\b')
_VARYING = re.compile(r'\b(?=\w*\d)\w+\b')

_FIELDS = {
    'bytes': r'bytes=(\d+)',
    'address': r'\b(\d+\.\d+\.\d+\.\d+)\b',
    'rows': r'\| (\d+) \|$',
    'uid': r'"uid":\s*"([^"]+)"',
    'login': r'"login":\s*"([^"]+)"',
}
"""How a value is read off the lines that a tool shows."""


@dataclass(frozen=True, slots=True)
class Question:
    """A detail of one result."""

    tool: str
    field: str
    key: str
    answer: str

    def asked(self, number: int) -> str:
        return f'{number}. In {self.tool}: {self.field} of {self.key}?'


@dataclass(slots=True)
class Spent:
    """What the summaries have cost at the model, by one yardstick for all who ask it."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    largest: int = 0
    """Tokens of the largest request."""


Choice = Callable[[Sequence[str]], Sequence[int]]
"""Indices of lines, those first that are to be kept first."""


def first_lines(lines: Sequence[str]) -> Sequence[int]:
    """As they come."""
    return range(len(lines))


def alarming_lines(lines: Sequence[str]) -> Sequence[int]:
    """Errors, then warnings, then as they come."""
    return sorted(
        range(len(lines)),
        key=lambda index: 0 if _ERROR.search(lines[index]) else 2 - bool(_WARNING.search(lines[index])),
    )


def rare_lines(lines: Sequence[str]) -> Sequence[int]:
    """Those first that fewest others look like, whatever numbers and identifiers are in them."""
    shapes = [_VARYING.sub('0', line) for line in lines]
    counts = Counter(shapes)
    return sorted(range(len(lines)), key=lambda index: counts[shapes[index]])


@dataclass
class Analyst:
    """An agent that calls tools, or answers the questions of the last prompt, and a summarizer."""

    tools: Sequence[str]
    choose: Choice = first_lines
    largest: int = 0
    """Tokens of the largest request of the agent, with its instructions."""
    requests: int = 0
    """Of the agent."""
    spent: Spent = field(default_factory=Spent)
    """Of the summarizer."""
    shown: str = ''
    """All text that the agent had in its last request."""

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self._answer, model_name='analyst')

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if not info.function_tools:
            return self._summary(messages, info)
        texts = [*_texts(messages)]
        self.requests += 1
        self.largest = max(self.largest, sum(map(_count, texts)))
        self.shown = '\n'.join(texts)
        questions = _QUESTION.findall(_last_prompt(messages))
        return self._look_up(questions, messages) if questions else self._investigate(messages)

    def _investigate(self, messages: Sequence[ModelMessage]) -> ModelResponse:
        called = len(_returns(messages))
        if called == len(self.tools):
            return ModelResponse([TextPart('I have seen what all tools say.')])
        calls = [ToolCallPart(name, {}) for name in self.tools[called : called + AT_ONCE]]
        return ModelResponse([TextPart('I look for errors and for what is out of the ordinary.'), *calls])

    def _look_up(self, questions: Sequence[tuple[str, str, str]], messages: Sequence[ModelMessage]) -> ModelResponse:
        """Search for what is asked about; where its line does not say it, read on from there."""
        handles = dict(_NOTE.findall('\n'.join(part.model_response_str() for part in _returns(messages))))
        start = next(
            index
            for index, message in reversed([*enumerate(messages)])
            if any(isinstance(part, UserPromptPart) for part in message.parts)
        )
        looked = iter(_returns(messages[start:]))
        answers: list[str] = []
        for tool, name, key in questions:
            found, last = None, ''
            for by in ('search_source', 'read_source'):
                shown = next(looked, None)
                if shown is None:
                    return ModelResponse([_call(by, handles[tool], key, last)])
                last = shown.model_response_str()
                found = re.search(_FIELDS[name], last[last.find(key) :] if key in last else '', re.MULTILINE)
                if found is not None:
                    break
            answers.append(f'{len(answers) + 1}. {found.group(1) if found else "unknown"}')
        return ModelResponse([TextPart('\n'.join(answers))])

    def _summary(self, messages: Sequence[ModelMessage], info: AgentInfo) -> ModelResponse:
        """Facts, or, if they are not asked for, text."""
        prompt = '\n'.join(_texts(messages))
        limit = (info.model_settings or {}).get('max_tokens') or SUMMARY_TOKENS
        raw = _OUTPUT.search(prompt)
        lines = (
            [(0, piece.strip()) for line in raw.group(1).split('\n') for piece in _PIECE.findall(line) if piece.strip()]
            if raw
            else [(int(number), line) for number, line in _NUMBERED.findall(prompt)]
        )
        kept: list[tuple[int, str]] = []
        room = int(limit * (1 if raw else 0.6))  # facts have keys, quotes and brackets around them
        for index in self.choose([line for _, line in lines]):
            line = tokens.truncate(lines[index][1], 100)
            room -= tokens.count(line) + (1 if raw else 25)
            if room < 0:
                break
            kept.append((lines[index][0], line))
        if raw:
            text = '\n'.join(line for _, line in kept)
            response = ModelResponse([TextPart(text)])
        else:
            facts = [{'text': line, 'importance': 3, 'evidence': [number]} for number, line in kept]
            args: dict[str, object] = {'facts': facts, 'entities': []}
            text = json.dumps(args)
            response = ModelResponse([ToolCallPart(info.output_tools[0].name, args)])
        size = tokens.count(prompt)
        self.spent.requests += 1
        self.spent.tokens_in += size
        self.spent.tokens_out += tokens.count(text)
        self.spent.largest = max(self.spent.largest, size)
        return response


def _call(by: str, handle: str, key: str, shown: str) -> ToolCallPart:
    if by == 'search_source':
        return ToolCallPart(by, {'source_id': handle, 'text': key, 'max_tokens': 150})
    place = _PLACE.search(shown)
    line, offset = (int(place.group(1)), int(place.group(2) or 0)) if place else (1, 0)
    return ToolCallPart(by, {'source_id': handle, 'start_line': line, 'offset': offset, 'max_tokens': 300})


def _returns(messages: Sequence[ModelMessage]) -> list[ToolReturnPart]:
    return [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def _last_prompt(messages: Sequence[ModelMessage]) -> str:
    prompts = [part for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
    return str(prompts[-1].content)


def _texts(messages: Sequence[ModelMessage]) -> Iterator[str]:
    """What a model reads of messages; the instructions are those of the last."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolReturnPart):
                yield part.model_response_str()
            elif isinstance(part, ToolCallPart):
                yield f'{part.tool_name} {part.args_as_json_str()}'
            else:
                yield str(getattr(part, 'content', ''))
    if messages and isinstance(messages[-1], ModelRequest):
        yield messages[-1].instructions or ''


@lru_cache(maxsize=4096)
def _count(text: str) -> int:
    return tokens.count(text)
