"""What a model has written when its answer is broken off is kept, counted and told of, over a real socket."""

import json
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import JsonValue
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from summarizer_tool import Settings, Summarizer, Summary
from summarizer_tool.llm import models
from summarizer_tool.settings import OutputMode
from summarizer_tool.text import tokens
from tests.support.provider import Provider, serve
from tests.support.replies import Behaviour, BrokenOff, Cut, Json, script

pytestmark = pytest.mark.usefixtures('model_requests')

TOWNS = ('Arvel', 'Borne', 'Cadra', 'Delm', 'Erran', 'Fossa', 'Gaude', 'Hessel')
TEXT = '\n\n'.join(
    f'The town of {town} has a gate of grey stone and {at}0 houses by its harbour.' for at, town in enumerate(TOWNS, 1)
)
FACTS = [f'{town} counts {at}0 houses.' for at, town in enumerate(TOWNS, 1)]
ANSWER: JsonValue = {
    'facts': [{'text': fact, 'importance': 3, 'evidence': [at]} for at, fact in enumerate(FACTS, 1)],
    'entities': ['Arvel'],
}
RAW = json.dumps(ANSWER, separators=(',', ':'))
IN_FOURTH = RAW.index('Delm') + 8
"""Three facts are whole by then."""


def run(provider: Provider, *, text: str = TEXT, **overrides: Any) -> Summary:
    settings = Settings.load(
        **{'llm_model': 'openai/gpt-4o-mini', 'openrouter_base_url': provider.base_url, 'llm_max_retries': 0}
        | overrides
    )
    return Summarizer(settings).summarize_sync(text, max_output_tokens=120)


BREAKS: list[tuple[BrokenOff, dict[str, Any], str]] = [
    (BrokenOff(ANSWER, IN_FOURTH), {}, 'ModelConnectionError'),
    (BrokenOff(ANSWER, IN_FOURTH, closes=False), {'llm_timeout_seconds': 2.0}, 'timeout'),
    (BrokenOff(ANSWER, IN_FOURTH, closes=False), {'deadline_seconds': 2.0}, 'deadline'),
]


@pytest.mark.parametrize('mode', ['tool', 'native', 'prompted'])
@pytest.mark.parametrize(('reply', 'limits', 'reason'), BREAKS, ids=['cut', 'timeout', 'deadline'])
def test_what_was_written_is_kept(reply: BrokenOff, limits: dict[str, Any], reason: str, mode: OutputMode) -> None:
    with serve(Behaviour(script(reply))) as provider:
        summary = run(provider, llm_output_mode=mode, **limits)
        assert len(provider.requests) == 1

    said = [fact.text for fact in summary.facts]
    assert said[:3] == FACTS[:3]
    assert 'The town of Delm has a gate of grey stone and 40 houses by its harbour.' in said, (
        'the embedded model adds it'
    )
    assert [(part.first_line, part.last_line, part.state, part.reason) for part in summary.parts] == [
        (1, 15, 'degraded', reason)
    ]
    # On a busy machine the deadline may leave no time to fill the budget either, which is told, too.
    assert (summary.state, summary.warnings[: 1 if reason == 'deadline' else None]) == (
        'degraded',
        [
            f'1 of 1 answers were broken off ({reason}): what they say is kept, and the extractive model has added '
            'what they leave out'
        ],
    )
    usage = summary.stats.usage
    assert (usage.requests, usage.output_tokens, usage.input_tokens > 300) == (1, tokens.count(RAW[:IN_FOURTH]), True)


def test_what_stands_below_a_line_that_was_said_is_not_said_with_it() -> None:
    text = '# Gates\n\n' + '\n\n'.join(
        f'The gate of {town} was built by the guild of {town} in {at}40:\n\n'
        f'- of grey stone from the quarry of {town}\n- with {at}0 oak beams, which the reeve of {town} paid for'
        for at, town in enumerate(TOWNS, 1)
    )
    fact: JsonValue = {'text': 'The gate of Arvel was built of grey stone.', 'importance': 3, 'evidence': [1, 2, 3]}
    raw = json.dumps({'facts': [fact, fact]}, separators=(',', ':'))
    with serve(Behaviour(script(BrokenOff({'facts': [fact, fact]}, len(raw) - 9)))) as provider:
        summary = run(provider, text=text)
    said = [fact.text for fact in summary.facts]
    assert said[0] == 'The gate of Arvel was built of grey stone.'
    assert any('10 oak beams' in fact for fact in said)


@pytest.mark.parametrize('mode', ['tool', 'native', 'prompted'])
def test_where_an_answer_reaches_its_limit_the_embedded_model_adds_what_it_leaves_out(mode: OutputMode) -> None:
    with serve(Behaviour(script(Cut(ANSWER, IN_FOURTH)))) as provider:
        summary = run(provider, llm_output_mode=mode)
        assert len(provider.requests) == 1
    assert [fact.text for fact in summary.facts][:3] == FACTS[:3]
    assert [(part.first_line, part.last_line, part.state, part.reason) for part in summary.parts] == [
        (1, 15, 'degraded', 'cut off')
    ]
    assert 'answers were broken off (cut off)' in summary.warnings[0]


def test_what_a_provider_does_not_count_is_estimated() -> None:
    with serve(Behaviour(script(Json(ANSWER)), tells_usage=False)) as provider:
        usage = run(provider).stats.usage
    assert (usage.requests, usage.output_tokens, usage.input_tokens > 300) == (1, tokens.count(RAW), True)


def test_the_deadline_holds_while_a_slow_model_writes() -> None:
    with serve(Behaviour(script(Json(ANSWER)), tokens_per_second=50)) as provider:
        started = time.monotonic()
        summary = run(provider, deadline_seconds=3)
        assert time.monotonic() - started < 8
    assert {part.state for part in summary.parts} == {'degraded'}
    assert summary.stats.usage.output_tokens > 50


def test_what_breaks_before_one_fact_is_whole_is_asked_for_again() -> None:
    with serve(Behaviour(script(BrokenOff(ANSWER, 30), Json(ANSWER)))) as provider:
        summary = run(provider)
        assert [request.body.stream for request in provider.requests] == [True, False]
    assert (summary.state, summary.warnings) == ('complete', [])
    assert summary.stats.usage.output_tokens > tokens.count(RAW)


def test_a_fallback_takes_over_where_an_answer_has_broken_off_too_soon() -> None:
    async def write(_: list[ModelMessage], info: AgentInfo) -> AsyncIterator[DeltaToolCalls]:
        yield {0: DeltaToolCall(info.output_tools[0].name, RAW[:30])}
        raise ModelAPIError('first', 'gone')

    def refuse(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise ModelAPIError('first', 'gone')

    def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, RAW)])

    async def stream(_: list[ModelMessage], info: AgentInfo) -> AsyncIterator[DeltaToolCalls]:
        yield {0: DeltaToolCall(info.output_tools[0].name, RAW)}

    second = FunctionModel(answer, stream_function=stream)
    model = FallbackModel(FunctionModel(refuse, stream_function=write), second)
    summary = Summarizer(Settings.load(llm_model='extractive'), model=model).summarize_sync(TEXT, max_output_tokens=120)
    assert (summary.state, summary.facts[0].text) == ('complete', FACTS[0])
    assert [models.can_stream(each) for each in (model, FallbackModel(second, FunctionModel(answer)))] == [True, False]
