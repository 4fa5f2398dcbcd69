"""The simulated provider answers over a real socket as the tests that build on it expect."""

import asyncio
import json
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from inline_snapshot import snapshot
from openai import AsyncOpenAI
from pydantic import BaseModel, JsonValue
from pydantic_ai import Agent, NativeOutput, UnexpectedModelBehavior
from pydantic_ai.agent import AgentRunResult
from pydantic_ai.models import override_allow_model_requests
from pydantic_ai.models.openrouter import OpenRouterModel
from pydantic_ai.output import OutputSpec
from pydantic_ai.providers.openrouter import OpenRouterProvider

from summarizer_tool.text import tokens
from tests.support.provider import (
    Behaviour,
    Body,
    Cut,
    Drop,
    Error,
    Hang,
    Json,
    Message,
    Provider,
    Request,
    Text,
    by_prompt,
    failing_first,
    script,
    serve,
    summarize,
)

CHUNK = """\
<source id="src_0123456789ab" title="Westfall">
1| # Westfall
2| Westfall is a dry farmland in the west of the Eastern Kingdoms. It was once fertile.
3| Gryan Stoutmantle leads the People's Militia from a keep on Sentinel Hill.
4| Harvest golems roam the fields that the farmers have left behind.
5| See also.
6| Edwin VanCleef and his Defias Brotherhood hold the Deadmines below Moonbrook!
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
    return '\n'.join(f'{n}| The village of Place{n} has {n} houses and {n * 7} people.' for n in range(1, lines + 1))


def request_for(prompt: str, max_tokens: int | None = None) -> Request:
    body = Body(messages=[Message(role='user', content=prompt)], max_tokens=max_tokens)
    return Request(number=1, body=body, headers={}, received=0.0)


def function(name: str, *properties: str) -> dict[str, object]:
    schema = {'type': 'object', 'properties': {key: {'type': 'string'} for key in properties}}
    return {'type': 'function', 'function': {'name': name, 'parameters': schema}}


def test_the_default_answer_summarizes_the_numbered_lines() -> None:
    with serve() as provider:
        response = ask(provider)

    assert json.loads(content(response)) == snapshot(
        {
            'facts': [
                {
                    'text': 'Westfall is a dry farmland in the west of the Eastern Kingdoms.',
                    'importance': 3,
                    'evidence': [2],
                },
                {
                    'text': "Gryan Stoutmantle leads the People's Militia from a keep on Sentinel Hill.",
                    'importance': 3,
                    'evidence': [3],
                },
                {
                    'text': 'Harvest golems roam the fields that the farmers have left behind.',
                    'importance': 3,
                    'evidence': [4],
                },
                {
                    'text': 'Edwin VanCleef and his Defias Brotherhood hold the Deadmines below Moonbrook!',
                    'importance': 3,
                    'evidence': [6],
                },
            ],
            'entities': [
                'Westfall',
                'Eastern',
                'Kingdoms',
                'Gryan',
                'Stoutmantle',
                "People's",
                'Militia',
                'Sentinel',
                'Hill',
                'Harvest',
            ],
        }
    )
    body = response.json()
    assert {key: body[key] for key in body if key not in ('choices', 'created')} == snapshot(
        {
            'id': 'gen-1',
            'object': 'chat.completion',
            'model': 'openai/gpt-4o-mini',
            'provider': 'Simulated',
            'usage': {'prompt_tokens': 114, 'completion_tokens': 159, 'total_tokens': 273},
        }
    )


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


def test_the_default_answer_finds_nothing_in_prose() -> None:
    assert summarize(request_for('What is Westfall?')) == Json({'facts': [], 'entities': []})


def test_requests_are_recorded() -> None:
    with serve() as provider:
        before = time.monotonic()
        ask(provider, max_tokens=300, temperature=0.2)
        ask(provider, prompt='second', max_completion_tokens=7)
        first, second = provider.requests

    assert (first.number, first.limit, first.body.model_extra) == (1, 300, {'temperature': 0.2})
    assert first.prompt == f'Summarize.\n\n{CHUNK}'
    assert first.headers['content-type'] == 'application/json'
    assert first.answered is not None
    assert before <= first.received <= first.answered <= second.received
    assert (second.number, second.limit, second.user_texts) == (2, 7, ['second'])
    assert provider.max_concurrency_seen == 1


def test_a_malformed_request_is_refused() -> None:
    with serve() as provider:
        response = httpx2.post(f'{provider.base_url}/chat/completions', content=b'{"messages": 1}')
        assert response.status_code == 400
        assert provider.requests == []


def test_models_are_listed() -> None:
    with serve() as provider:
        assert httpx2.get(f'{provider.base_url}/models').json() == snapshot(
            {'object': 'list', 'data': [{'id': 'openai/gpt-4o-mini', 'object': 'model', 'owned_by': 'openai'}]}
        )


def test_text_is_prose_even_where_a_tool_is_forced() -> None:
    with serve(Behaviour(script(Text('I cannot do that.', 'content_filter')))) as provider:
        response = ask(provider, tools=[function('final_result', 'facts')], tool_choice='required')

    assert content(response) == 'I cannot do that.'
    assert finish_reason(response) == 'content_filter'


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


def test_json_can_name_the_tool_to_call() -> None:
    with serve(Behaviour(script(Json({'q': 'VanCleef'}, tool='search')))) as provider:
        response = ask(provider, tools=[function('search', 'q'), function('final_result', 'facts')])

    assert response.json()['choices'][0]['message']['tool_calls'][0]['function'] == snapshot(
        {'name': 'search', 'arguments': '{"q":"VanCleef"}'}
    )


def test_an_answer_over_the_limit_is_cut_off() -> None:
    answer = Text('one two three four five six seven eight')
    with serve(Behaviour(script(answer))) as provider, serve(Behaviour(script(answer), ignore_limit=True)) as reckless:
        cut, whole = ask(provider, max_tokens=3), ask(reckless, max_tokens=3)

    assert (content(cut), finish_reason(cut)) == ('one two three', 'length')
    assert cut.json()['usage']['completion_tokens'] == 3
    assert (content(whole), finish_reason(whole)) == (answer.text, 'stop')


def test_cut_stops_in_the_middle_of_the_json() -> None:
    value: JsonValue = {'facts': ['one', 'two', 'three']}
    with serve(Behaviour(script(Cut(value, at=12), Cut(value), Cut(value)))) as provider:
        at, at_limit, in_half = ask(provider), ask(provider, max_tokens=5), ask(provider, max_tokens=500)

    assert [content(response) for response in (at, at_limit, in_half)] == snapshot(
        ['{"facts":["o', '{"facts":["one","', '{"facts":["one"']
    )
    assert {finish_reason(response) for response in (at, at_limit, in_half)} == {'length'}
    assert at_limit.json()['usage']['completion_tokens'] == 5


def test_errors_have_a_status_headers_and_a_body() -> None:
    busy, down, gateway = Error(429, {'Retry-After': '2'}), Error(500), Error(502, body='<h1>Bad Gateway</h1>')
    with serve(Behaviour(script(busy, down, gateway))) as provider:
        responses = [ask(provider) for _ in range(3)]
        assert all(request.answered for request in provider.requests)

    assert [response.status_code for response in responses] == [429, 500, 502]
    assert responses[0].headers['retry-after'] == '2'
    assert responses[1].json() == {'error': {'code': 500, 'message': 'simulated error 500'}}
    assert responses[2].text == '<h1>Bad Gateway</h1>'


def test_drop_closes_the_connection() -> None:
    with serve(Behaviour(script(Drop(), Text('back')))) as provider:
        with pytest.raises(httpx2.RemoteProtocolError, match='without sending a response'):
            ask(provider)
        assert content(ask(provider)) == 'back'
        assert provider.requests[0].answered is None


def test_hang_says_nothing_until_its_time_is_over() -> None:
    with serve(Behaviour(script(Hang(0.2)))) as provider:
        start = time.monotonic()
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(provider)
        assert time.monotonic() - start >= 0.2


def test_a_client_that_gives_up_no_longer_counts_as_waiting() -> None:
    with serve(Behaviour(script(Hang(60), Hang(60), Text('back')))) as provider:
        for _ in range(2):
            with pytest.raises(httpx2.ReadTimeout):
                ask(provider, prompt='word ' * 100_000, timeout=0.2)
            wait_until(lambda: all(connection.lost.is_set() for connection in provider._waiting))
        assert content(ask(provider)) == 'back'

    assert provider.max_concurrency_seen == 1


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


def test_latency_and_speed() -> None:
    with serve(Behaviour(script(Text('one two three four')), latency=0.1, tokens_per_second=40)) as provider:
        ask(provider)
        request = provider.requests[0]

    assert request.answered is not None
    assert 0.2 <= request.answered - request.received < 10


def test_concurrency_is_measured() -> None:
    async def ask_at_once(provider: Provider, times: int) -> None:
        body = {'messages': [{'role': 'user', 'content': CHUNK}]}
        async with httpx2.AsyncClient(base_url=provider.base_url) as client:
            await asyncio.gather(*(client.post('/chat/completions', json=body) for _ in range(times)))

    with serve(Behaviour(latency=1.0)) as provider:
        asyncio.run(ask_at_once(provider, 4))
        asyncio.run(ask_at_once(provider, 2))

    assert provider.max_concurrency_seen == 4
    assert len({request.number for request in provider.requests if request.answered}) == 6


def test_several_providers_run_at_once_and_start_fast() -> None:
    start = time.process_time()
    with serve(Behaviour(script(Text('one')))) as one, serve(Behaviour(script(Text('two')))) as two:
        assert time.process_time() - start < 0.6
        assert (content(ask(one)), content(ask(two))) == ('one', 'two')
    assert one.base_url != two.base_url
    assert not [thread for thread in threading.enumerate() if thread.name == 'simulated-provider']


def test_nothing_is_logged(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG, logger='uvicorn')
    with serve(Behaviour(script(Drop(), Text('back')))) as provider:
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(provider)
        ask(provider)

    assert [record for record in caplog.records if record.name.startswith(('uvicorn', 'starlette'))] == []
    assert capfd.readouterr() == ('', '')


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


def test_answers_are_made_of_others() -> None:
    answer = by_prompt(lambda prompt: 'merge' in prompt, Text('merged'), failing_first(2, Error(503), Text('mapped')))

    replies = [answer(request_for(prompt)) for prompt in ('a', 'merge', 'b', 'c', 'd')]

    assert replies == [Error(503), Text('merged'), Error(503), Text('mapped'), Text('mapped')]
    assert failing_first(0, Error(500))(request_for(CHUNK)) == summarize(request_for(CHUNK))
    with pytest.raises(ValueError, match='at least one reply'):
        script()


def test_a_script_gives_each_reply_once_to_many_threads() -> None:
    answer = script(*[Text(str(number)) for number in range(200)])
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(answer, [request_for('')] * 199))

    assert len(set(replies)) == 199


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


async def run_agent(provider: Provider, output_type: OutputSpec[ChunkSummary]) -> AgentRunResult[ChunkSummary]:
    async with AsyncOpenAI(base_url=provider.base_url, api_key='x', max_retries=0) as client:
        model = OpenRouterModel('openai/gpt-4o-mini', provider=OpenRouterProvider(openai_client=client))
        agent = Agent(model, output_type=output_type, model_settings={'max_tokens': 400})
        with override_allow_model_requests(True):
            return await agent.run(CHUNK)


async def stream_agent(provider: Provider, output_type: OutputSpec[ChunkSummary]) -> ChunkSummary:
    async with AsyncOpenAI(base_url=provider.base_url, api_key='x', max_retries=0) as client:
        model = OpenRouterModel('openai/gpt-4o-mini', provider=OpenRouterProvider(openai_client=client))
        agent = Agent(model, output_type=output_type, model_settings={'max_tokens': 400})
        with override_allow_model_requests(True):
            async with agent.run_stream(CHUNK) as result:
                return await result.get_output()


@pytest.mark.parametrize('output_type', [ChunkSummary, NativeOutput(ChunkSummary)], ids=['tool', 'native'])
def test_pydantic_ai_gets_valid_output(output_type: OutputSpec[ChunkSummary]) -> None:
    with serve() as provider:
        result = asyncio.run(run_agent(provider, output_type))
        streamed = asyncio.run(stream_agent(provider, output_type))

    assert result.output == streamed == ChunkSummary.model_validate(summarize(request_for(CHUNK, 400)).value)
    assert [request.limit for request in provider.requests] == [400, 400]
    assert result.usage.requests == 1
    assert result.usage.output_tokens == tokens.count(result.output.model_dump_json())
    assert result.response.provider_details is not None
    assert result.response.provider_details['downstream_provider'] == 'Simulated'


@pytest.mark.parametrize('output_type', [ChunkSummary, NativeOutput(ChunkSummary)], ids=['tool', 'native'])
def test_pydantic_ai_asks_again_for_output_that_does_not_validate(output_type: OutputSpec[ChunkSummary]) -> None:
    with serve(Behaviour(script(Json({'facts': 'many', 'entities': []}), summarize))) as provider:
        result = asyncio.run(run_agent(provider, output_type))

    assert result.usage.requests == 2
    assert [fact.evidence for fact in result.output.facts] == [[2], [3], [4], [6]]


def test_pydantic_ai_sees_output_that_is_cut_off() -> None:
    behaviour = Behaviour(lambda request: Cut(summarize(request).value))
    with serve(behaviour) as provider, pytest.raises(UnexpectedModelBehavior, match='token limit'):
        asyncio.run(run_agent(provider, ChunkSummary))
