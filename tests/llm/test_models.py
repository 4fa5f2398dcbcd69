"""Which model a name means, and what becomes of requests that fail, at a simulated provider on a real socket."""

import gc
import json
import logging
import re
import socket
import threading
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import anyio
import httpx2
import pytest
import tenacity
from inline_snapshot import snapshot
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError, ModelTimeoutError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.function import AgentInfo, FunctionModel

from summarizer_tool import ConfigurationError, ExtractiveModel, Settings, Summarizer
from summarizer_tool.llm import failures, models, retrying
from tests.support.provider import Provider, serve
from tests.support.replies import Answer, Behaviour, Drop, Error, Hang, Raw, Reply, Text, script

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures('model_requests')]


# Selection.


def chosen(model: str | None, **settings: object) -> str:
    name = models.check(configured := Settings.load(llm_model=model, **settings), embedded=ExtractiveModel)
    return f'{type(models.build(configured, name, embedded=ExtractiveModel)).__name__} {name}'


def test_no_model_and_no_key_is_extractive_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    models.warn_keyless.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert Summarizer().model_name == Summarizer().model_name == 'extractive'
    assert [(record.name, record.levelname, record.message) for record in caplog.records] == snapshot(
        [
            (
                'summarizer_tool',
                'WARNING',
                'no LLM_MODEL and no OPENROUTER_API_KEY: using the embedded extractive model; set one of them, or LLM_MODEL=extractive to say that this is meant',
            )
        ]
    )


def test_a_model_that_was_asked_for_is_no_reason_to_warn(caplog: pytest.LogCaptureFixture) -> None:
    assert Summarizer(Settings.load(llm_model='extractive')).model_name == 'extractive'
    assert not caplog.records


def test_selection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-secret')
    monkeypatch.setenv('OLLAMA_BASE_URL', 'http://127.0.0.1:11434/v1')
    key = {'openrouter_api_key': 'sk-or-secret'}
    assert [
        chosen(None, **key),
        chosen('meta/x:free', **key),
        chosen('openrouter:meta/x', **key),
        chosen('qwen/local', openrouter_base_url='http://127.0.0.1:8000/v1'),
        chosen('openai:gpt-4o', **key),
        chosen('openai-chat:gpt-4o'),
        chosen('ollama:llama3.2'),
        chosen('test'),
        chosen('extractive', **key),
    ] == snapshot(
        [
            'OpenRouterModel openai/gpt-4o-mini',
            'OpenRouterModel meta/x:free',
            'OpenRouterModel openrouter:meta/x',
            'OpenAIChatModel qwen/local',
            'OpenAIResponsesModel openai:gpt-4o',
            'OpenAIChatModel openai-chat:gpt-4o',
            'OllamaModel ollama:llama3.2',
            'TestModel test',
            'ExtractiveModel extractive',
        ]
    )


def test_where_requests_go() -> None:
    found: list[tuple[str, Any]] = []
    for base_url in (None, 'http://127.0.0.1:8000/v1'):
        model: Any = models.build(Settings.load(openrouter_api_key='x', openrouter_base_url=base_url), 'openai/gpt-4o')
        found.append((str(model.client.base_url), model.settings))
    # A small local model that draws its words at random repeats itself.
    assert found == [('https://openrouter.ai/api/v1/', None), ('http://127.0.0.1:8000/v1/', {'temperature': 0.0})]


def test_what_is_missing_is_said_in_one_line_at_construction(monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[str] = []
    for name in (
        'openai/gpt-4o',
        'openai:gpt-4o',
        'ollama:llama3.2',
        'azure:gpt-4o',
        'gateway/openai:gpt-4o',
        'bedrock:x',
        'google-cloud:x',
        'antropic:claude-sonnet-4-5',
        'qqqqqqqq',
        'nonsense:x',
        'sk-or-v1-0123456789abcdef',
    ):
        with pytest.raises(ConfigurationError) as caught:
            Summarizer(Settings.load(llm_model=name))
        # Which one is meant depends on the models that a version of pydantic-ai knows.
        messages.append(re.sub(r"(did you mean '\w+:)[^']+", r'\1…', str(caught.value)))
    assert messages == snapshot(
        [
            'LLM_MODEL=openai/gpt-4o goes to OpenRouter: set OPENROUTER_API_KEY, or OPENROUTER_BASE_URL for an endpoint that needs no key, or LLM_MODEL=extractive',
            'LLM_MODEL=openai:gpt-4o: Set the OPENAI_API_KEY environment variable',
            'LLM_MODEL=ollama:llama3.2: Set the OLLAMA_BASE_URL environment variable',
            'LLM_MODEL=azure:gpt-4o: Must provide the azure_endpoint argument or set the AZURE_OPENAI_ENDPOINT (or, for a Voice-Live-only provider, voice_live_endpoint / AZURE_VOICELIVE_ENDPOINT) environment variable',
            'LLM_MODEL=gateway/openai:gpt-4o: Set the PYDANTIC_AI_GATEWAY_API_KEY environment variable',
            'LLM_MODEL=bedrock:x needs a package that is not installed: pip install "pydantic-ai-slim[bedrock]"',
            'LLM_MODEL=google-cloud:x needs a package that is not installed: pip install "pydantic-ai-slim[google]"',
            "LLM_MODEL=antropic:claude-sonnet-4-5: no such model; did you mean 'anthropic:…'?",
            'LLM_MODEL=qqqqqqqq: no such model; give provider:model (openai:gpt-4o-mini), an OpenRouter model (openai/gpt-4o-mini), or extractive',
            'LLM_MODEL=nonsense:x: no such model; give provider:model (openai:gpt-4o-mini), an OpenRouter model (openai/gpt-4o-mini), or extractive',
            'LLM_MODEL looks like an API key, not like a model: name the model there, and put the key into its own variable, e.g. OPENROUTER_API_KEY',
        ]
    )
    assert not any('\n' in message or '0123456789abcdef' in message for message in messages)


# Requests.


@contextmanager
def provider(*replies: Reply | Answer) -> Iterator[Provider]:
    with serve(Behaviour(answer=script(*replies))) as running:
        yield running


def settings_for(running: Provider, **overrides: Any) -> Settings:
    given: dict[str, Any] = {'openrouter_api_key': 'sk-or-secret', 'openrouter_base_url': running.base_url}
    return Settings.load(**(given | overrides))


async def ask(running: Provider, **overrides: Any) -> str:
    settings = settings_for(running, **overrides)
    async with models.connect(settings, 'openai/gpt-4o-mini') as model:
        result = await Agent(model).run('Say hello.', model_settings=models.request_settings(settings, 50))
    return result.output


def waits(running: Provider) -> list[float]:
    """Seconds between the requests."""
    return [later.received - earlier.received for earlier, later in pairwise(running.requests)]


HELLO = Text('hello')


async def test_retry_after_is_honoured_or_told_where_it_is_long() -> None:
    """Without the header the first wait would be 0.5 to 1 seconds."""
    with provider(Error(429, {'Retry-After': '1'}), HELLO) as running:
        assert await ask(running) == 'hello'
    assert waits(running)[0] >= 1.0
    with provider(Error(429, {'Retry-After': '86400'}), HELLO) as running, pytest.raises(ModelHTTPError) as caught:
        await ask(running)
    assert len(running.requests) == 1
    assert failures.reason(caught.value) == 'HTTP 429, try again in 1 day, 0:00:00'
    assert failures.is_hopeless(caught.value)


@pytest.mark.parametrize(
    ('reply', 'retries', 'requests'),
    [
        (Error(429, {'Retry-After': '0'}), 0, 1),
        (Error(429, {'Retry-After': '0'}), 2, 3),
        (Error(500, {'Retry-After': '0'}), 2, 3),
        (Error(400), 2, 1),
        (Error(401), 2, 1),
        (Error(404), 2, 1),
        (Error(429, {'x-should-retry': 'false'}), 2, 1),
    ],
)
async def test_attempts_are_counted_once_and_the_last_answer_surfaces(
    reply: Error, retries: int, requests: int
) -> None:
    with provider(reply) as running, pytest.raises(ModelHTTPError) as caught:
        await ask(running, llm_max_retries=retries)
    assert (caught.value.status_code, len(running.requests)) == (reply.status, requests)


@pytest.mark.parametrize(
    ('kind', 'body'),
    [
        ('application/json', b'{"error": {"message": "Provider returned error", "code": %d}}'),
        (
            'text/event-stream',
            b': wait\n\ndata: {"id": "x", "error": {"code": %d, "message": "lost"}, "choices": []}\n\n',
        ),
    ],
)
@pytest.mark.parametrize(('status', 'requests'), [(502, 3), (402, 1)])
@pytest.mark.usefixtures('at_once')
async def test_an_error_in_an_answer_that_says_200_is_that_error(
    kind: str, body: bytes, status: int, requests: int
) -> None:
    with provider(Raw(body % status, kind)) as running, pytest.raises(ModelHTTPError) as caught:
        await ask(running, llm_max_retries=2)
    assert (caught.value.status_code, len(running.requests)) == (status, requests)


async def test_an_error_that_a_tool_is_told_of_is_none_of_the_answer() -> None:
    said = {'role': 'assistant', 'content': 'hello', 'tool': {'input': {'error': {'code': 502}}}}
    answer = {'id': 'x', 'object': 'chat.completion', 'created': 1, 'model': 'm'}
    answer['choices'] = [{'index': 0, 'finish_reason': 'stop', 'message': said}]
    with provider(Raw(json.dumps(answer).encode(), 'application/json')) as running:
        assert await ask(running, llm_max_retries=0) == 'hello'


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the waits between attempts."""
    for name in ('wait_exponential', 'wait_random'):
        monkeypatch.setattr(tenacity, name, lambda *_, **__: tenacity.wait_none())


@pytest.mark.usefixtures('at_once')
async def test_silence_and_lost_connections_are_repeated() -> None:
    with provider(Hang(60), Drop(), HELLO) as running:
        assert await ask(running, llm_timeout_seconds=1.5) == 'hello'
    assert len(running.requests) == 3
    with provider(Hang(60)) as running, pytest.raises(ModelTimeoutError):
        await ask(running, llm_timeout_seconds=0.2, llm_max_retries=0)
    with provider(Drop()) as running, pytest.raises(ModelAPIError):
        await ask(running, llm_max_retries=0)
    assert len(running.requests) == 1


def raw_server(*answers: list[bytes]) -> tuple[str, list[bytes]]:
    """Serve one connection after the other, each with an answer in pieces a sixth of a second apart; and what was asked."""
    listener = socket.create_server(('127.0.0.1', 0))
    asked: list[bytes] = []

    def run() -> None:
        for pieces in answers:
            connection, _ = listener.accept()
            with connection:
                asked.append(connection.recv(65536))
                for piece in pieces:
                    try:
                        connection.sendall(piece)
                    except OSError:
                        break
                    time.sleep(0.16)
        listener.close()

    threading.Thread(target=run, daemon=True).start()
    return f'http://127.0.0.1:{listener.getsockname()[1]}', asked


OK = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'


@pytest.mark.usefixtures('at_once')
async def test_an_attempt_is_bounded_and_repeated_as_a_whole() -> None:
    """A gateway that sends blanks while it waits never lets a read time out; an answer may also end half-way."""
    blanks = [OK + b'Content-Length: 100\r\n\r\n', *[b' '] * 9]
    half = [OK + b'Content-Length: 100\r\n\r\n{"half":']
    url, asked = raw_server(blanks, half, [OK + b'Content-Length: 2\r\nConnection: close\r\n\r\n{}'])
    async with retrying.retrying_client(Settings.load(llm_timeout_seconds=1.2)) as client:
        response = await client.post(url, json={})
    assert response.json() == {}
    assert len(asked) == 3


@pytest.mark.parametrize(
    'pieces',
    [
        [b': wait\n\n', b'event: it\ndata: 1\n\n'],
        [b': wait\n\nevent: it\n', b'data: 1\n\n'],
        [b': wa', b'it\r\n\r\n: wait\n\nev', b'ent: it\ndata: 1\n\n'],
    ],
)
async def test_an_answer_that_is_streamed_begins_behind_comments_wherever_it_is_cut(pieces: list[bytes]) -> None:
    url, _ = raw_server([OK.replace(b'application/json', b'text/event-stream') + b'Connection: close\r\n\r\n', *pieces])
    async with retrying.retrying_client(Settings.load()) as client:
        assert (await client.get(url)).content == b'event: it\ndata: 1\n\n'


async def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    url, asked = raw_server([OK + b'Content-Length: 2\r\nConnection: close\r\n\r\n{}'])
    monkeypatch.setenv('HTTP_PROXY', url)
    async with retrying.retrying_client(Settings.load()) as client:
        assert (await client.get('http://models.example/v1')).json() == {}
    assert asked[0].startswith(b'GET http://models.example/v1 HTTP/1.1\r\n')


async def test_connections_are_closed_after_use() -> None:
    with warnings.catch_warnings(record=True):
        gc.collect()  # what other tests have left is not meant
    with provider(HELLO) as running:
        settings = settings_for(running)
        async with models.connect(settings, 'openai/gpt-4o-mini') as model:
            await Agent(model).run('Say hello.')
            client: Any = model
            http_client: httpx2.AsyncClient = client.client._client
            assert not http_client.is_closed
        assert http_client.is_closed
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        gc.collect()
    assert [str(warning.message) for warning in caught if issubclass(warning.category, ResourceWarning)] == []


async def test_no_address_is_no_reason_to_wait() -> None:
    async with retrying.retrying_client(Settings.load()) as client:
        with pytest.raises(httpx2.UnsupportedProtocol):
            await client.get('ftp://example.org')


def test_sdks_that_retry_by_themselves() -> None:
    settings = Settings.load(llm_max_retries=4)
    assert {
        name: models.request_settings(settings, 10, name).get('max_retries')
        for name in ('openai/gpt-4o', 'anthropic:x', 'groq:x', 'gateway/openai:x', 'extractive')
    } == snapshot({'openai/gpt-4o': 0, 'anthropic:x': 0, 'groq:x': 4, 'gateway/openai:x': 4, 'extractive': 0})


@pytest.mark.parametrize('streams', [False, True])
async def test_a_model_that_is_given_gets_places_as_others_do(streams: bool) -> None:
    busy = most = 0

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await anyio.sleep(0.02)
        busy -= 1
        return ModelResponse([TextPart('hello')])

    async def write(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        await answer(messages, info)
        yield 'hello'

    given = FunctionModel(answer, stream_function=write, model_name=f'given {streams}')
    settings = Settings.load(llm_model='extractive', max_concurrent_llm_calls=2)

    async def ask() -> None:
        async with models.lent(settings, 'x', given) as model:
            asked = await (stream(model) if streams else model.request(QUESTION, None, ModelRequestParameters()))
            assert asked.text == 'hello'

    async with anyio.create_task_group() as group:
        for _ in range(6):
            group.start_soon(ask)
    assert most == 2


QUESTION: list[ModelMessage] = [ModelRequest([UserPromptPart('Say hello.')])]


async def stream(model: Model) -> ModelResponse:
    async with model.request_stream(QUESTION, None, ModelRequestParameters()) as answer:
        async for _ in answer:
            pass
    return answer.get()
