"""The simulated provider answers over a real socket as providers do; all else of it shows in the tests that use it."""

import json
from typing import Any

import httpx2
import pytest
from inline_snapshot import snapshot

from tests.support.provider import Provider, serve
from tests.support.replies import (
    Behaviour,
    Body,
    Json,
    Message,
    Request,
    Text,
    script,
    summarize,
)

CHUNK = """\
<source id="src_0123456789ab" title="Westfall">
1 # Westfall
2 Westfall is a dry farmland in the west of the Eastern Kingdoms. It was once fertile.
3 Gryan Stoutmantle leads the People's Militia from a keep on Sentinel Hill.
4 Harvest golems roam the fields that the farmers have left behind.
5 See also.
6 Edwin VanCleef and his Defias Brotherhood hold the Deadmines below Moonbrook!
</source>"""


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
