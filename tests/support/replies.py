"""What a client asks of a simulated provider, and what that replies: answers made of others, and a summarizer's own."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from summarizer_tool.text import tokens

MODEL = 'openai/gpt-4o-mini'

FinishReason = Literal['stop', 'length', 'tool_calls', 'content_filter', 'error']


# What a client asks.


class _Lenient(BaseModel):
    model_config = ConfigDict(extra='allow', frozen=True)


class Function(_Lenient):
    """A function the model may call, or, in `tool_choice`, must call."""

    name: str
    parameters: dict[str, JsonValue] = Field(default_factory=dict)


class Tool(_Lenient):
    type: str = 'function'
    function: Function | None = None
    """Not given for the server tools of OpenRouter (`openrouter:web_search`)."""


class Part(_Lenient):
    text: str = ''


class Message(_Lenient):
    role: str
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """The text of the message, its parts joined."""
        if isinstance(self.content, list):
            return ''.join(part.text for part in self.content)
        return self.content or ''


class Body(_Lenient):
    """The body of a chat completion request; what is not a field here is in `model_extra`."""

    model: str = MODEL
    messages: list[Message]
    tools: list[Tool] = Field(default_factory=list[Tool])
    tool_choice: str | Tool | None = None
    response_format: dict[str, JsonValue] | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stream: bool = False


@dataclass(frozen=True)
class Request:
    """One recorded request. Times are seconds of `time.monotonic`."""

    number: int
    """From 1, in the order of arrival."""
    body: Body
    headers: Mapping[str, str]
    """Names in lower case."""
    received: float
    answered: float | None = None
    """When the last byte was handed to the socket; None while it waits, and if it hung, was dropped or was given up."""

    @property
    def limit(self) -> int | None:
        """The most output tokens the client wants."""
        return self.body.max_tokens if self.body.max_completion_tokens is None else self.body.max_completion_tokens

    @cached_property
    def prompt(self) -> str:
        """The text of all messages, instructions included."""
        return '\n\n'.join(message.text for message in self.body.messages)

    @property
    def user_texts(self) -> list[str]:
        """The texts of the user's messages, in order."""
        return [message.text for message in self.body.messages if message.role == 'user']


# What a provider replies.


@dataclass(frozen=True, slots=True)
class Json:
    """A value in the form the request asks for: the arguments of a tool call, or JSON text."""

    value: JsonValue
    finish_reason: FinishReason = 'stop'
    """A tool call says `tool_calls` instead of `stop`, as OpenRouter does."""
    tool: str | None = None
    """The function to call; by default the forced one, or the output tool (`final_result…`) whose fields fit."""


@dataclass(frozen=True, slots=True)
class Text:
    """Prose, whatever the request asks for."""

    text: str
    finish_reason: FinishReason = 'stop'


@dataclass(frozen=True, slots=True)
class Cut:
    """A value whose JSON text stops in the middle, with `finish_reason='length'`."""

    value: JsonValue
    at: int | None = None
    """Characters kept. None: as many as the token limit of the request allows, or half, if all of it would fit."""


@dataclass(frozen=True, slots=True)
class BrokenOff:
    """A value of whose JSON text the beginning goes out, to a client that streams; then the connection says no more."""

    value: JsonValue
    at: int
    """Characters sent."""
    closes: bool = True
    """Whether the connection is closed then, rather than left open."""


@dataclass(frozen=True, slots=True)
class Error:
    """An HTTP error."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: JsonValue = None
    """None: an error object as OpenRouter sends it; a string goes out as plain text, as a gateway in between does."""


@dataclass(frozen=True, slots=True)
class Hang:
    """Accepts the request and says nothing; closes the connection after `seconds`."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Drop:
    """Closes the connection without a word."""


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes that are no answer of a provider, as a broken gateway sends them."""

    body: bytes
    content_type: str = 'application/json'
    missing: int = 0
    """Bytes that the header announces and that never come: the connection is closed before."""
    seconds_a_byte: float = 0.0
    """How slowly the body drips."""


Reply = Json | Text | Cut | BrokenOff | Error | Hang | Drop | Raw
Answer = Callable[[Request], Reply]


# The default answer: a well-behaved summarizer.

_NUMBERED_LINE = re.compile(r'^(\d+)\|? (.*)$', re.MULTILINE)
_SENTENCE_END = re.compile(r'(?<=[.!?])\s')
_NAME = re.compile(r'\b[A-Z][\w’\'-]+')

_TRIVIAL = 6
"""Words below which a line states nothing."""

_LONGEST = 30
"""Words of a fact."""

_SHARE = 0.6
"""Of its token limit a model that keeps to its instructions uses about this much."""

_UNLIMITED = 1000
"""Tokens taken as the limit where the request has none."""


def dumps(value: JsonValue) -> str:
    """JSON as models write it: compact, and not escaped."""
    return json.dumps(value, ensure_ascii=False, separators=(',', ':'))


def _fact(number: int, text: str) -> JsonValue:
    return {'text': text, 'importance': 3, 'evidence': [number]}


def _evenly(count: int, of: int) -> Iterator[int]:
    """`count` different indices, evenly spaced in `range(of)`."""
    return ((2 * index + 1) * of // (2 * count) for index in range(count))


def summarize(request: Request) -> Json:
    """Keep the first sentence of numbered lines, evenly spaced, until about 0.6 of the token limit is used.

    The lines are those of the last user message that has any: a request to correct the output has none.
    """
    found: list[list[tuple[str, str]]] = [[], *map(_NUMBERED_LINE.findall, request.user_texts)]
    sentences = [
        (int(number), ' '.join(_SENTENCE_END.split(line.strip())[0].split()[:_LONGEST]))
        for number, line in next(filter(None, reversed(found)), found[0])
        if len(line.split()) >= _TRIVIAL
    ]
    limit = _UNLIMITED if request.limit is None else request.limit
    room = int(limit * _SHARE)
    costs = [tokens.count(dumps(_fact(*sentence))) + 1 for sentence in sentences]
    take = len(costs) if sum(costs) <= room else max(1, len(costs) * room // sum(costs))
    while take > 1 and sum(costs[index] for index in _evenly(take, len(costs))) > room:
        take -= 1
    kept = [sentences[index] for index in _evenly(take, len(costs))]
    facts = [_fact(*sentence) for sentence in kept]
    entities: list[JsonValue] = [*dict.fromkeys(_NAME.findall(' '.join(text for _, text in kept)))][:10]
    # Under a very small limit, drop names and then facts: a well-behaved model is never cut off.
    while (facts or entities) and not tokens.fits(dumps({'facts': facts, 'entities': entities}), limit):
        (entities or facts).pop()
    return Json({'facts': facts, 'entities': entities})


# Answers made of others.


def script(*replies: Reply | Answer) -> Answer:
    """Give the replies one after the other, in the order of the requests, and the last for ever."""
    if not replies:
        raise ValueError('script() needs at least one reply')
    lock = threading.Lock()
    following = iter(replies[:-1])

    def answer(request: Request) -> Reply:
        with lock:
            reply = next(following, replies[-1])
        return _resolve(reply, request)

    return answer


def failing_first(n: int, reply: Reply, then: Reply | Answer = summarize) -> Answer:
    """Give `reply` to the first `n` requests, and `then` to all others."""
    return script(*[reply] * n, then)


def by_prompt(predicate: Callable[[str], bool], reply: Reply | Answer, otherwise: Reply | Answer = summarize) -> Answer:
    """Give `reply` where `predicate` holds for the text of all messages, and `otherwise` elsewhere."""
    return lambda request: _resolve(reply if predicate(request.prompt) else otherwise, request)


def _resolve(reply: Reply | Answer, request: Request) -> Reply:
    return reply if isinstance(reply, Reply) else reply(request)


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How a provider answers, and how fast."""

    answer: Answer = summarize
    """Called on the server's event loop, in the order of arrival: it must not block."""
    latency: float = 0.0
    """Seconds from a request to the first token of its answer, or to its error."""
    tokens_per_second: float | None = None
    """How fast the answer is written after that; None: at once."""
    most_at_once: int | None = None
    """Requests that wait for their answer at the same time; one more is refused at once (429)."""
    waits_to_refuse: bool = False
    """Whether nothing is answered before a request was refused: however slowly a client sends, it finds the limit."""
    tells_usage: bool = True
    """Whether it says how many tokens a request and its answer have."""
    ignore_limit: bool = False
    """Whether the model writes on past its token limit instead of being cut off there."""
