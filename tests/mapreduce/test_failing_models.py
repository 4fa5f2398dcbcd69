"""What each kind of failure of a model leaves: a summary within its budget, or the original, and what is said of it."""

import asyncio
import json
from dataclasses import replace

import anyio
import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from summarizer_tool import (
    Document,
    ExtractiveModel,
    RequestOptions,
    SummarizationFailedError,
    Summarizer,
    Summary,
    prompts,
)
from summarizer_tool.mapreduce.request import SummarizeRequest
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.settings import OnFailure
from summarizer_tool.text import tokens
from tests.support.map_models import Answer, failing, good, lines_of, make, model_of, read, tool_call
from tests.support.texts import CHRONICLE, HARBOUR, chronicle


def test_a_chunk_whose_call_fails_is_degraded_and_named() -> None:
    def answer(request: prompts.ParsedRequest, info: AgentInfo) -> ModelResponse:
        if any('Year 603 ' in text for _, text in lines_of(request)):
            raise ModelHTTPError(status_code=500, model_name='scripted', body='secret body')
        return good(request, info)

    document = Document(CHRONICLE)
    summary = Summarizer(make(), model=model_of(answer)).summarize_sync(document, max_output_tokens=800)
    assert summary.state == 'degraded'
    assert [(part.state, part.reason) for part in summary.degraded] == snapshot([('degraded', 'HTTP 500')])
    part = summary.degraded[0]
    inside = [f for f in summary.facts if part.first_segment <= f.evidence[0].segment <= part.last_segment]
    assert inside, 'the degraded chunk has facts of its own in the summary'
    assert 'secret' not in summary.model_dump_json()


@pytest.mark.parametrize(
    ('on_failure', 'state'), [('original', 'original'), ('extractive', 'degraded')], ids=['original', 'extractive']
)
def test_when_every_call_fails(on_failure: OnFailure, state: str, caplog: pytest.LogCaptureFixture) -> None:
    summary = Summarizer(make(on_failure=on_failure), model=model_of(failing(500))).summarize_sync(
        CHRONICLE, max_output_tokens=200
    )
    assert summary.state == state
    assert (summary.text == CHRONICLE) == summary.over_budget == (state == 'original')
    assert any(record.levelname == 'WARNING' for record in caplog.records)
    assert 'sk-123' not in caplog.text


def test_when_every_call_fails_and_an_error_is_wanted() -> None:
    with pytest.raises(SummarizationFailedError) as error:
        Summarizer(make(on_failure='error'), model=model_of(failing(503))).summarize_sync(
            CHRONICLE, max_output_tokens=200
        )
    assert str(error.value) == snapshot(
        'every call of scripted failed (HTTP 503; chunks: 5); check the model and its key, or set SUMMARIZER_ON_FAILURE=extractive for a summary without it'
    )


def test_at_the_deadline_the_rest_is_done_without_the_model() -> None:
    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if any('Year 601 ' in text for _, text in lines_of(read(messages))):
            deadline.bring_forward(3)
            return good(read(messages), info)
        return await hang(messages, info)

    async def summarize() -> Summary:
        nonlocal deadline
        deadline = Deadline(60)
        summarizer = Summarizer(make(), model=FunctionModel(answer))
        options = RequestOptions(deadline=deadline)
        return await summarizer.run(Document(CHRONICLE), SummarizeRequest(max_output_tokens=300), options)

    deadline: Deadline
    summary = asyncio.run(summarize())
    assert summary.state == 'degraded'
    assert {part.reason for part in summary.degraded} == {'deadline'}
    assert 0 < len(summary.degraded) < len(summary.parts)
    assert summary.stats.seconds < 30
    assert summary.stats.tokens_out <= 300


async def hang(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    await anyio.sleep(60)
    raise AssertionError('not reached')


def test_a_deadline_without_any_answer_still_gives_a_summary_not_the_original() -> None:
    summary = Summarizer(make(deadline_seconds=0.5), model=FunctionModel(hang)).summarize_sync(
        CHRONICLE, max_output_tokens=300
    )
    assert summary.state == 'degraded'
    assert 150 < summary.stats.tokens_out <= 300


def test_a_merge_that_is_cut_off_loses_no_fact() -> None:
    def answer(request: prompts.ParsedRequest, info: AgentInfo) -> ModelResponse:
        if not request.merges:
            return good(request, info)
        reply = tool_call(info, '{"facts": [{"text": "Year 601.", "evidence": [1], "importance": 3}, {"te')
        return replace(reply, finish_reason='length')

    summary = Summarizer(make(), model=model_of(answer)).summarize_sync(chronicle(12), max_output_tokens=400)
    assert summary.stats.reduce_calls
    assert 'a merge failed (cut off); its facts were chosen from without a model' in summary.warnings
    assert not any(fact.text == 'Year 601.' for fact in summary.facts)


def test_a_model_whose_facts_are_all_invented_is_replaced() -> None:
    summary = Summarizer(make(), model=TestModel()).summarize_sync(CHRONICLE, max_output_tokens=200)
    assert summary.state == 'degraded'
    assert {part.reason for part in summary.degraded} == snapshot({'no supported facts'})
    assert 100 < summary.stats.tokens_out <= 200


def test_an_empty_answer_is_asked_about_once() -> None:
    calls = 0

    def answer(request: prompts.ParsedRequest, info: AgentInfo) -> ModelResponse:
        nonlocal calls
        calls += 1
        return tool_call(info, {'facts': []})

    summary = Summarizer(make(), model=model_of(answer)).summarize_sync(CHRONICLE, max_output_tokens=200)
    assert calls == 2 * (summary.stats.map_calls + summary.stats.reduce_calls)
    assert {part.reason for part in summary.degraded} == snapshot({'empty answer'})


BAD_ANSWERS: dict[str, Answer] = {
    'ignores its limit': lambda request, info: tool_call(
        info,
        {
            'facts': [{'text': text, 'evidence': [number]} for number, text in lines_of(request)] * 3,
            'entities': ['X'] * 500,
        },
    ),
    'returns nothing': lambda request, info: tool_call(info, {'facts': [], 'entities': []}),
    'returns garbage': lambda request, info: ModelResponse(parts=[TextPart('I cannot do that, sorry.')]),
    'returns half a JSON': lambda request, info: tool_call(
        info, json.dumps({'facts': [{'text': text, 'evidence': [number]} for number, text in lines_of(request)]})[:-9]
    ),
    'is one endless fact': lambda request, info: tool_call(
        info, {'facts': [{'text': ' '.join(text for _, text in lines_of(request)), 'evidence': [1]}]}
    ),
}


_words = st.text(st.characters(codec='utf-8', exclude_categories=('Cs',)), min_size=1, max_size=12)


_texts = st.one_of(
    st.lists(_words, min_size=1, max_size=60).map(' '.join),
    st.integers(1, 4).map(lambda n: chronicle(n, seed=n)),
    st.lists(
        st.sampled_from([*HARBOUR.splitlines(), '| a | b |', '```', '- x', '😀' * 40, '漢字' * 60]), max_size=60
    ).map('\n'.join),
    st.builds(lambda unit, times: unit * times, _words, st.integers(1, 400)),
)


@pytest.mark.parametrize('name', [*BAD_ANSWERS, 'extractive'])
@hypothesis_settings(max_examples=8)
@given(text=_texts, budget=st.integers(50, 1200))
@example(text='\x81' * 26, budget=50)
def test_the_budget_is_never_exceeded(name: str, text: str, budget: int) -> None:
    model = ExtractiveModel() if name == 'extractive' else model_of(BAD_ANSWERS[name])
    summary = Summarizer(make(on_failure='extractive'), model=model).summarize_sync(text, max_output_tokens=budget)
    assert tokens.count(summary.text) == summary.stats.tokens_out <= budget
    assert bool(summary.text.strip()) == bool(text.strip())


def test_a_call_that_cancels_itself_is_one_failed_call() -> None:
    calls = 0

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise asyncio.CancelledError
        return good(read(messages), info)

    summary = Summarizer(make(), model=FunctionModel(answer)).summarize_sync(CHRONICLE, max_output_tokens=400)
    assert [(part.state, part.reason) for part in summary.degraded] == [('degraded', 'cancelled')]
    assert calls == summary.stats.map_calls + summary.stats.reduce_calls


def test_a_model_that_exits_does_not_take_later_calls_with_it() -> None:
    def answer(request: prompts.ParsedRequest, info: AgentInfo) -> ModelResponse:
        raise SystemExit(3)

    # A limit of its own: the calls that are left behind give no place back, which other tests would wait for.
    with pytest.raises(SystemExit):
        Summarizer(make(max_concurrent_llm_calls=7), model=model_of(answer)).summarize_sync(
            CHRONICLE, max_output_tokens=300
        )
    assert Summarizer(make()).summarize_sync(CHRONICLE, max_output_tokens=300).state == 'complete'


def test_a_blank_part_does_not_hide_that_every_call_failed() -> None:
    documents = [Document(CHRONICLE), Document(' \n' * 8000), Document(chronicle(6, seed=3))]
    summary = Summarizer(make(), model=model_of(failing(500))).summarize_sync(documents, max_output_tokens=300)
    assert summary.state == 'original'


def test_when_even_the_reserve_is_over_the_beginnings_have_to_do() -> None:
    text = chronicle(100)
    settings = make(deadline_seconds=0.01, default_chunk_size_tokens=4000)
    summary = Summarizer(settings, model=FunctionModel(hang)).summarize_sync(text, max_output_tokens=2000)
    assert {part.reason for part in summary.parts} == {'deadline'}
    assert 0.5 * 2000 < summary.stats.tokens_out <= 2000
    assert all(fact.text.rstrip('.…') in ' '.join(text.split()) for fact in summary.facts)
