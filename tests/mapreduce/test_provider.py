"""The simulated provider answers over a real socket as providers do; all else of it shows in the tests that use it."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from inline_snapshot import snapshot
from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.models import override_allow_model_requests
from pydantic_ai.models.openrouter import OpenRouterModel
from pydantic_ai.output import OutputSpec
from pydantic_ai.providers.openrouter import OpenRouterProvider

from summarizer_tool.text import tokens
from tests.support.provider import Provider, serve
from tests.support.replies import (
    Behaviour,
    Body,
    Hang,
    Json,
    Message,
    Request,
    Text,
    script,
    summarize,
)

pytestmark = pytest.mark.anyio

CHUNK = """\
<source id="src_0123456789ab" title="Westfall">
1 # Westfall
2 Westfall is a dry farmland in the west of the Eastern Kingdoms. It was once fertile.
3 Gryan Stoutmantle leads the People's Militia from a keep on Sentinel Hill.
4 Harvest golems roam the fields that the farmers have left behind.
5 See also.
6 Edwin VanCleef and his Defias Brotherhood hold the Deadmines below Moonbrook!
</source>"""


class Fact(BaseModel):
    text: str
    importance: int
    evidence: list[int]


class ChunkSummary(BaseModel):
    facts: list[Fact]
    entities: list[str]


def ask(provider: Provider, prompt: str = CHUNK, timeout: float = 5, **body: object) -> httpx2.Response:
    """One chat completion request, as a client without a library sends it."""
    messages = [{'role': 'system', 'content': 'Summarize.'}, {'role': 'user', 'content': prompt}]
    return httpx2.post(
        f'{provider.base_url}/chat/completions',
        json={'model': 'openai/gpt-4o-mini', 'messages': messages, **body},
        timeout=timeout,
    )


def content(response: httpx2.Response) -> str:
    return response.raise_for_status().json()['choices'][0]['message']['content']


def finish_reason(response: httpx2.Response) -> str:
    return response.json()['choices'][0]['finish_reason']


def numbered(lines: int) -> str:
    return '\n'.join(f'{n} The village of Place{n} has {n} houses and {n * 7} people.' for n in range(1, lines + 1))


def request_for(prompt: str, max_tokens: int | None = None) -> Request:
    body = Body(messages=[Message(role='user', content=prompt)], max_tokens=max_tokens)
    return Request(number=1, body=body, headers={}, received=0.0)


def function(name: str, *properties: str) -> dict[str, object]:
    schema = {'type': 'object', 'properties': {key: {'type': 'string'} for key in properties}}
    return {'type': 'function', 'function': {'name': name, 'parameters': schema}}


def test_the_default_answer_summarizes_the_numbered_lines() -> None:
    with serve() as provider:
        response = ask(provider)

    answer = json.loads(content(response))
    assert [(fact['text'], fact['evidence']) for fact in answer['facts']] == [
        ('Westfall is a dry farmland in the west of the Eastern Kingdoms.', [2]),
        ("Gryan Stoutmantle leads the People's Militia from a keep on Sentinel Hill.", [3]),
        ('Harvest golems roam the fields that the farmers have left behind.', [4]),
        ('Edwin VanCleef and his Defias Brotherhood hold the Deadmines below Moonbrook!', [6]),
    ]
    assert answer['entities'][:3] == ['Westfall', 'Eastern', 'Kingdoms']
    body = response.json()
    assert (body['model'], body['provider']) == ('openai/gpt-4o-mini', 'Simulated')
    assert body['usage'] == {'prompt_tokens': 108, 'completion_tokens': 159, 'total_tokens': 267}


def test_the_default_answer_uses_about_six_tenths_of_its_limit() -> None:
    prompt = numbered(400)
    for limit in (200, 1000, 4000):
        reply = summarize(request_for(prompt, limit))
        used = tokens.count(json.dumps(reply.value, separators=(',', ':')))
        assert 0.5 * limit < used < 0.8 * limit
        assert reply == summarize(request_for(prompt, limit))
    evidence = [
        fact.evidence[0] for fact in ChunkSummary.model_validate(summarize(request_for(prompt, 400)).value).facts
    ]
    assert evidence == snapshot([26, 76, 126, 176, 226, 276, 326, 376])


@pytest.mark.parametrize('limit', [16, 30, 60, 100])
def test_the_default_answer_is_never_cut_off(limit: int) -> None:
    with serve() as provider:
        response = ask(provider, numbered(50), max_tokens=limit)

    ChunkSummary.model_validate_json(content(response))
    assert finish_reason(response) == 'stop'


@pytest.mark.parametrize(
    ('asked', 'called'),
    [
        ({'tools': [function('final_result', 'facts')], 'tool_choice': 'required'}, 'final_result'),
        ({'tools': [function('search', 'q'), function('final_result', 'facts')]}, 'final_result'),
        ({'tools': [function('final_result_A', 'a'), function('final_result_B', 'facts')]}, 'final_result_B'),
        ({'tools': [function('a', 'a'), function('b', 'facts')], 'tool_choice': 'required'}, 'b'),
        (
            {
                'tools': [function('a', 'a'), function('b')],
                'tool_choice': {'type': 'function', 'function': {'name': 'b'}},
            },
            'b',
        ),
        ({'tools': [function('search', 'facts')], 'tool_choice': 'auto'}, None),
        ({'response_format': {'type': 'json_schema', 'json_schema': {'name': 'S', 'schema': {}}}}, None),
    ],
)
def test_json_takes_the_form_the_request_asks_for(asked: dict[str, Any], called: str | None) -> None:
    with serve(Behaviour(script(Json({'facts': []})))) as provider:
        response = ask(provider, **asked)

    message = response.json()['choices'][0]['message']
    if called is None:
        assert (message['content'], finish_reason(response)) == ('{"facts":[]}', 'stop')
    else:
        assert message['tool_calls'] == [
            {'index': 0, 'id': 'call_1', 'type': 'function', 'function': {'name': called, 'arguments': '{"facts":[]}'}}
        ]
        assert (message['content'], finish_reason(response)) == (None, 'tool_calls')


def test_an_answer_over_the_limit_is_cut_off() -> None:
    answer = Text('one two three four five six seven eight')
    with serve(Behaviour(script(answer))) as provider, serve(Behaviour(script(answer), ignore_limit=True)) as reckless:
        cut, whole = ask(provider, max_tokens=3), ask(reckless, max_tokens=3)

    assert (content(cut), finish_reason(cut)) == ('one two three', 'length')
    assert cut.json()['usage']['completion_tokens'] == 3
    assert (content(whole), finish_reason(whole)) == (answer.text, 'stop')


@pytest.mark.parametrize('stream', [False, True])
def test_the_provider_stops_at_once_under_hanging_requests(stream: bool) -> None:
    replies = {'hang': Hang(60), 'slow': Text('slow ' * 1000)}
    behaviour = Behaviour(lambda request: replies[request.user_texts[0]], tokens_per_second=10)
    with ThreadPoolExecutor(4) as pool:
        with serve(behaviour) as provider:
            calls = [pool.submit(ask, provider, prompt, stream=stream) for prompt in ('hang', 'slow') * 2]
            wait_until(lambda: len(provider.requests) == 4)
            start = time.monotonic()
        assert time.monotonic() - start < 30
        assert all(isinstance(call.exception(), httpx2.RemoteProtocolError) for call in calls)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_what_the_answer_raises_is_raised_by_serve() -> None:
    def answer(request: Request) -> Text:
        raise AssertionError(f'request {request.number} was not expected')

    responses: list[httpx2.Response] = []

    def run() -> None:
        with serve(Behaviour(answer)) as provider:
            responses.append(ask(provider))

    with pytest.raises(AssertionError, match='request 1 was not expected'):
        run()
    assert responses[0].status_code == 500
    assert 'request 1 was not expected' in responses[0].text


@pytest.mark.parametrize('tools', [[], [function('final_result', 'facts', 'entities')]])
def test_streams_carry_the_same_answer(tools: list[dict[str, object]]) -> None:
    with serve() as provider:
        lines = [line for line in ask(provider, stream=True, tools=tools).text.splitlines() if line]

    assert lines.pop() == 'data: [DONE]'
    chunks = [json.loads(line.removeprefix('data: ')) for line in lines]
    usage = chunks.pop()
    assert (usage['choices'], usage['usage']['completion_tokens']) == ([], snapshot(159))
    deltas = [chunk['choices'][0]['delta'] for chunk in chunks]
    if tools:
        text = ''.join(delta['tool_calls'][0]['function']['arguments'] for delta in deltas[:-1])
    else:
        text = ''.join(delta['content'] for delta in deltas[:-1])
    assert len(deltas) > 5
    assert json.loads(text) == summarize(request_for(CHUNK)).value
    assert chunks[-1]['choices'][0]['finish_reason'] == ('tool_calls' if tools else 'stop')


@pytest.mark.parametrize('output_type', [ChunkSummary, NativeOutput(ChunkSummary)], ids=['tool', 'native'])
async def test_pydantic_ai_gets_valid_output(output_type: OutputSpec[ChunkSummary]) -> None:
    with serve() as provider, override_allow_model_requests(True):
        async with AsyncOpenAI(base_url=provider.base_url, api_key='x', max_retries=0) as client:
            model = OpenRouterModel('openai/gpt-4o-mini', provider=OpenRouterProvider(openai_client=client))
            agent = Agent(model, output_type=output_type, model_settings={'max_tokens': 400})
            result = await agent.run(CHUNK)
            async with agent.run_stream(CHUNK) as stream:
                streamed = await stream.get_output()

    assert result.output == streamed == ChunkSummary.model_validate(summarize(request_for(CHUNK, 400)).value)
    assert [request.limit for request in provider.requests] == [400, 400]
    assert result.usage.requests == 1
    assert result.usage.output_tokens == tokens.count(result.output.model_dump_json())
    assert result.response.provider_details is not None
    assert result.response.provider_details['downstream_provider'] == 'Simulated'
