"""A simulated OpenAI-compatible provider on a real socket, as OpenRouter answers: slow, cut off, failing or silent.

with serve(Behaviour(answer=failing_first(2, Error(429, {'Retry-After': '0'})), latency=0.1)) as provider:
    client = AsyncOpenAI(base_url=provider.base_url, api_key='x', max_retries=0)
    ...
assert provider.max_concurrency_seen <= 4
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise

from pydantic import JsonValue, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request as HTTPRequest
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from summarizer_tool.text import tokens
from tests.support.replies import (
    MODEL,
    Behaviour,
    Body,
    BrokenOff,
    Cut,
    Drop,
    Error,
    FinishReason,
    Function,
    Hang,
    Json,
    Raw,
    Request,
    Text,
    Tool,
    dumps,
)
from tests.support.threaded_server import Connection, ConnectionProtocol, served

# What a model writes, and how it goes over the wire.


@dataclass(frozen=True, slots=True)
class _Completion:
    """What a model has written for one request."""

    text: str
    tool: str | None
    """The function whose arguments `text` is."""
    finish_reason: FinishReason
    output_tokens: int
    then: BrokenOff | None = None
    """What becomes of the connection instead of an end of the answer."""


def _fits(value: JsonValue, function: Function) -> bool:
    properties = function.parameters.get('properties')
    return isinstance(value, dict) and isinstance(properties, dict) and value.keys() <= properties.keys()


def _tool(value: JsonValue, body: Body) -> str | None:
    """The function that a model which understood the request calls with `value`; None if it answers with text."""
    if isinstance(body.tool_choice, Tool) and body.tool_choice.function is not None:
        return body.tool_choice.function.name
    functions = [tool.function for tool in body.tools if tool.function is not None]
    outputs = [function for function in functions if function.name.startswith('final_result')]
    if body.tool_choice == 'required':
        outputs = outputs or functions
    return next((function.name for function in outputs if _fits(value, function)), outputs[0].name if outputs else None)


def _write(reply: Json | Text | Cut | BrokenOff, request: Request, *, ignore_limit: bool) -> _Completion:
    """Write `reply` in the form and within the limit of `request`."""
    tool: str | None = None
    if isinstance(reply, Text):
        text, finish_reason = reply.text, reply.finish_reason
    elif isinstance(reply, Json):
        text, finish_reason = dumps(reply.value), reply.finish_reason
        tool = reply.tool or _tool(reply.value, request.body)
    elif isinstance(reply, BrokenOff):
        text, tool = dumps(reply.value)[: reply.at], _tool(reply.value, request.body)
        return _Completion(text, tool, 'stop', tokens.count(text), reply)
    else:
        text, finish_reason = _cut(reply, request.limit), 'length'
        tool = _tool(reply.value, request.body)
    if request.limit is not None and not ignore_limit and not tokens.fits(text, request.limit):
        text, finish_reason = tokens.truncate(text, request.limit), 'length'
    if tool is not None and finish_reason == 'stop':
        finish_reason = 'tool_calls'
    return _Completion(text, tool, finish_reason, tokens.count(text))


def _cut(reply: Cut, limit: int | None) -> str:
    text = dumps(reply.value)
    if reply.at is not None:
        return text[: reply.at]
    if limit is None or tokens.fits(text, limit):
        return text[: len(text) // 2]
    return tokens.truncate(text, limit)


def _input_tokens(body: Body) -> int:
    """Tokens of the messages and of the schemas that go with them."""
    schemas = body.model_dump_json(include={'tools', 'response_format'}, exclude_defaults=True)
    return tokens.count('\n'.join([*(message.text for message in body.messages), schemas]))


def _usage(input_tokens: int, output_tokens: int) -> JsonValue:
    return {
        'prompt_tokens': input_tokens,
        'completion_tokens': output_tokens,
        'total_tokens': input_tokens + output_tokens,
    }


def _message(request: Request, completion: _Completion) -> dict[str, JsonValue]:
    """The assistant's message; as a `delta` of a stream it has the same form."""
    if completion.tool is None:
        return {'role': 'assistant', 'content': completion.text}
    call: JsonValue = {
        'index': 0,
        'id': f'call_{request.number}',
        'type': 'function',
        'function': {'name': completion.tool, 'arguments': completion.text},
    }
    return {'role': 'assistant', 'content': None, 'tool_calls': [call]}


def _envelope(request: Request, kind: str, choice: Mapping[str, JsonValue] | None, usage: JsonValue = None) -> str:
    """One JSON object as OpenRouter sends it; the last of a stream has no choice, only usage."""
    choices: list[JsonValue] = []
    if choice is not None:
        finish_reason = choice.get('finish_reason')
        choices = [{'index': 0, 'finish_reason': None, **choice, 'native_finish_reason': finish_reason}]
    envelope: dict[str, JsonValue] = {
        'id': f'gen-{request.number}',
        'object': kind,
        'created': int(time.time()),
        'model': request.body.model,
        'provider': 'Simulated',
        'choices': choices,
    }
    if usage is not None:
        envelope['usage'] = usage
    return json.dumps(envelope)


def _json_response(value: JsonValue, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    # Not starlette's JSONResponse, which cannot send the lone surrogates that a cut may leave.
    return Response(json.dumps(value), status, headers, 'application/json')


def _error_response(error: Error) -> Response:
    if isinstance(error.body, str):
        return PlainTextResponse(error.body, error.status, error.headers)
    body: JsonValue = {'error': {'code': error.status, 'message': f'simulated error {error.status}'}}
    return _json_response(body if error.body is None else error.body, error.status, error.headers)


# The server.

_WINDOW = 16
"""Tokens of one streamed chunk."""


class Provider:
    """A running provider, and what it has seen."""

    base_url: str

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.max_concurrency_seen = 0
        """The most requests that waited for their answer at the same time."""
        self.refused = 0
        """Requests over `most_at_once`; they are not among `requests`."""
        self.errors: list[BaseException] = []
        """What the `answer` of the behaviour raised; the first is raised again when the server has stopped."""
        self._requests: list[Request] = []
        self._waiting: set[Connection] = set()

    @property
    def requests(self) -> Sequence[Request]:
        """The chat completion requests received so far, in the order of arrival."""
        return list(self._requests)

    def application(self) -> Starlette:
        """The endpoints."""
        return Starlette(
            routes=[
                Route('/v1/chat/completions', self._chat, methods=['POST']),
                Route('/v1/models', self._models, methods=['GET']),
            ]
        )

    async def _models(self, _: HTTPRequest) -> Response:
        return _json_response({'object': 'list', 'data': [{'id': MODEL, 'object': 'model', 'owned_by': 'openai'}]})

    async def _chat(self, http: HTTPRequest) -> Response:
        connection: Connection = http.state.connection
        try:
            body = Body.model_validate_json(await http.body())
        except ValidationError as error:
            return _error_response(Error(400, body={'error': {'code': 400, 'message': str(error)}}))
        # After a large body uvicorn leaves reading paused, and would not notice that the client goes away.
        connection.transport.resume_reading()
        if self.behaviour.most_at_once is not None and self._at_once() >= self.behaviour.most_at_once:
            self.refused += 1
            return _error_response(Error(429))
        request = self._arrive(body, http, connection)
        outcome = self._answer(request)
        start = request.received + (outcome.seconds if isinstance(outcome, Hang) else self.behaviour.latency)
        while self.behaviour.waits_to_refuse and not self.refused:
            if await connection.lost_before(time.monotonic() + 0.01):
                return Response(status_code=499)
        if isinstance(outcome, _Completion):
            # Counting a large prompt must not hold up the other requests.
            counted = _usage(await asyncio.to_thread(_input_tokens, body), outcome.output_tokens)
            usage = counted if self.behaviour.tells_usage else None
            if body.stream:
                chunks = self._stream(request, outcome, usage, connection, start)
                return StreamingResponse(chunks, media_type='text/event-stream')
            if not await connection.lost_before(start + self._seconds(outcome.output_tokens)):
                self._settle(request, connection)
                choice = {'message': _message(request, outcome), 'finish_reason': outcome.finish_reason}
                return Response(_envelope(request, 'chat.completion', choice, usage), media_type='application/json')
        elif not await connection.lost_before(start):
            if isinstance(outcome, Error):
                self._settle(request, connection)
                return _error_response(outcome)
            if isinstance(outcome, Raw):
                headers = {'content-length': f'{len(outcome.body) + outcome.missing}'}
                dripped = self._drip(outcome, connection)
                return StreamingResponse(dripped, headers=headers, media_type=outcome.content_type)
            self._waiting.discard(connection)
            await connection.close()
        return Response(status_code=499)  # to nobody: the connection is gone

    async def _stream(
        self, request: Request, completion: _Completion, usage: JsonValue, connection: Connection, start: float
    ) -> AsyncIterator[str]:
        """Server-sent events, a window of tokens each, at the speed of the model."""
        kind = 'chat.completion.chunk'
        places = sorted({0, *tokens.char_ends(completion.text)[_WINDOW - 1 :: _WINDOW], len(completion.text)})
        for index, (first, last) in enumerate([*pairwise(places)] or [(0, 0)]):
            written = min((index + 1) * _WINDOW, completion.output_tokens)
            if await connection.lost_before(start + self._seconds(written)):
                return
            delta: JsonValue = _message(request, replace(completion, text=completion.text[first:last]))
            if index and completion.tool is not None:  # only the first names the call
                call: JsonValue = {'index': 0, 'function': {'arguments': completion.text[first:last]}}
                delta = {'tool_calls': [call]}
            yield f'data: {_envelope(request, kind, {"delta": delta})}\n\n'
        if completion.then is not None:
            # What is written must have gone out before.
            if not await connection.lost_before(time.monotonic() + (0.05 if completion.then.closes else 60)):
                await connection.close()
            return
        self._settle(request, connection)
        yield f'data: {_envelope(request, kind, {"delta": {}, "finish_reason": completion.finish_reason})}\n\n'
        yield f'data: {_envelope(request, kind, None, usage)}\n\n'
        yield 'data: [DONE]\n\n'

    async def _drip(self, raw: Raw, connection: Connection) -> AsyncIterator[bytes]:
        pieces = [bytes([byte]) for byte in raw.body] if raw.seconds_a_byte else [raw.body]
        for piece in pieces:
            if await connection.lost_before(time.monotonic() + raw.seconds_a_byte):
                return
            yield piece
        self._waiting.discard(connection)
        if raw.missing and not await connection.lost_before(time.monotonic() + 0.05):
            await connection.close()

    def _answer(self, request: Request) -> _Completion | Error | Hang | Drop | Raw:
        try:
            reply = self.behaviour.answer(request)
            if isinstance(reply, Error | Hang | Drop | Raw):
                return reply
            return _write(reply, request, ignore_limit=self.behaviour.ignore_limit)
        except BaseException as error:  # noqa: BLE001 - also pytest.fail(); serve() raises it again
            self.errors.append(error)
            return Error(500, body={'error': {'code': 500, 'message': f'the answer of the behaviour raised {error!r}'}})

    def _seconds(self, output_tokens: int) -> float:
        rate = self.behaviour.tokens_per_second
        return 0.0 if rate is None else output_tokens / rate

    def _arrive(self, body: Body, http: HTTPRequest, connection: Connection) -> Request:
        request = Request(len(self._requests) + 1, body, dict(http.headers), time.monotonic())
        self._requests.append(request)
        self._waiting.add(connection)
        self.max_concurrency_seen = max(self.max_concurrency_seen, self._at_once())
        return request

    def _at_once(self) -> int:
        self._waiting = {other for other in self._waiting if not other.lost.is_set()}
        return len(self._waiting)

    def _settle(self, request: Request, connection: Connection) -> None:
        """Before the last bytes go out, so that whoever has them sees the request as answered."""
        self._requests[request.number - 1] = replace(request, answered=time.monotonic())
        self._waiting.discard(connection)


_WELL_BEHAVED = Behaviour()


@contextmanager
def serve(behaviour: Behaviour = _WELL_BEHAVED) -> Generator[Provider]:
    """Run a provider on a free port of 127.0.0.1 for the length of the `with` block.

    Raises:
        BaseException: What the `answer` of the behaviour raised, if the block itself raised nothing.
    """
    provider = Provider(behaviour)
    with served(provider.application(), http=ConnectionProtocol, lifespan='off') as running:
        provider.base_url = f'{running.origin}/v1'
        yield provider
    if provider.errors:
        raise provider.errors[0]
