"""The sub-agents keep what is whole of an answer, ask again where that helps, and leave no content in traces."""

import json
from typing import Any

import logfire
import pytest
from hypothesis import given
from hypothesis import strategies as st
from logfire.testing import CaptureLogfire
from openai import AsyncOpenAI
from pydantic import JsonValue
from pydantic_ai import Agent, ModelResponse, OutputTokenLimitExceeded, TextPart, ToolCallPart, UnexpectedModelBehavior
from pydantic_ai.messages import FinishReason, ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openrouter import OpenRouterModel
from pydantic_ai.providers.openrouter import OpenRouterProvider

from summarizer_tool.mapreduce.agents import SubAgentTask, chunk_summarizer, merger, salvage
from summarizer_tool.schemas import ChunkSummary, Fact
from summarizer_tool.settings import OutputMode
from tests.support.provider import Behaviour, Cut, Json, Reply, Text, script, serve

pytestmark = pytest.mark.anyio

MODES: list[OutputMode] = ['tool', 'native', 'prompted']
PROMPT = '<source>\n1| Vael rules Marn.\n</source>'
FACTS: list[JsonValue] = [
    {'text': 'Vael {"text"} rules "Marn".', 'importance': 4, 'evidence': [1, 23]},
    {'text': 'Morn is his brother.', 'importance': 2, 'evidence': [2]},
    {'text': 'Ödegård “lies” in the north.', 'importance': 3, 'evidence': [345]},
]
VALUE: dict[str, JsonValue] = {'facts': FACTS, 'entities': ['Vael', 'Morn']}
WHOLE = ChunkSummary.model_validate(VALUE)


def saying(*answers: str, finish_reason: FinishReason = 'stop', as_text: bool = False) -> FunctionModel:
    """A model that gives the answers one after the other, in the form the request asks for."""
    following = iter(answers)

    def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        text = next(following)
        part = ToolCallPart(info.output_tools[0].name, text) if info.output_tools and not as_text else TextPart(text)
        return ModelResponse(parts=[part], finish_reason=finish_reason)

    return FunctionModel(answer)


async def test_a_cut_off_answer_keeps_its_complete_facts_without_a_second_request() -> None:
    raw = json.dumps(VALUE, ensure_ascii=False)
    for mode in MODES:
        task = SubAgentTask()
        model = saying(raw[: raw.index('north')], finish_reason='length')
        result = await chunk_summarizer(mode).run(PROMPT, model=model, deps=task, retries={'output': 1})

        assert result.output.facts == WHOLE.facts[:2]
        assert task.salvaged
        assert result.usage.requests == 1


@pytest.mark.usefixtures('model_requests')
@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize(('at', 'kept'), [(None, 1), (160, 2), (10_000, 3)])
async def test_a_cut_off_answer_over_the_wire(mode: OutputMode, at: int | None, kept: int) -> None:
    with serve(Behaviour(answer=script(Cut(VALUE, at)))) as provider:
        client = AsyncOpenAI(base_url=provider.base_url, api_key='x', max_retries=0)
        model = OpenRouterModel('openai/gpt-4o-mini', provider=OpenRouterProvider(openai_client=client))
        result = await merger(mode).run(PROMPT, model=model, deps=SubAgentTask(), model_settings={'max_tokens': 500})
        await client.close()

    assert result.output.facts == WHOLE.facts[:kept]
    assert len(provider.requests) == 1


@pytest.mark.parametrize('mode', MODES)
async def test_an_answer_that_is_cut_off_before_its_first_fact_is_not_asked_for_again(mode: OutputMode) -> None:
    for raw in ('{"facts":[{"text":"Vael ru', '{'):
        with pytest.raises(OutputTokenLimitExceeded):
            await chunk_summarizer(mode).run(PROMPT, model=saying(raw, finish_reason='length'), deps=SubAgentTask())


@pytest.mark.usefixtures('model_requests')
@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize(
    'first', [Text('I am sorry, but here is prose.'), Text(''), Json({'facts': [3]}), Json({'facts': []}), Json({})]
)
async def test_what_holds_no_fact_is_asked_for_once_more(mode: OutputMode, first: Reply) -> None:
    with serve(Behaviour(answer=script(first, Json(VALUE)))) as provider:
        client = AsyncOpenAI(base_url=provider.base_url, api_key='x', max_retries=0)
        model = OpenRouterModel('openai/gpt-4o-mini', provider=OpenRouterProvider(openai_client=client))
        result = await chunk_summarizer(mode).run(PROMPT, model=model, deps=SubAgentTask(), retries={'output': 1})
        await client.close()

    assert result.output == WHOLE
    assert len(provider.requests) == 2


async def test_prose_again_and_again_is_unexpected_behaviour() -> None:
    with pytest.raises(UnexpectedModelBehavior):
        await chunk_summarizer('native').run(
            PROMPT, model=saying('no', 'no'), deps=SubAgentTask(), retries={'output': 1}
        )


@pytest.mark.parametrize('retries', [0, 1])
async def test_an_answer_that_stays_empty_is_taken_as_it_is(retries: int) -> None:
    task = SubAgentTask()
    model = saying('{"facts":[]}', '{"facts":[]}')
    result = await chunk_summarizer('tool').run(PROMPT, model=model, deps=task, retries={'output': retries})

    assert result.output == ChunkSummary()
    assert not task.has_content
    assert result.usage.requests == retries + 1


async def test_an_empty_answer_is_right_where_there_is_no_content() -> None:
    result = await merger('tool').run(PROMPT, model=saying('{"facts":[]}'), deps=SubAgentTask(has_content=False))

    assert result.usage.requests == 1


RAW = json.dumps(VALUE, ensure_ascii=False)


@pytest.mark.parametrize(
    'raw',
    [
        RAW,
        f'```json\n{RAW}\n```',
        f'Here are {{3}} facts [as asked]:\n{RAW}\nAnything else?',
        f'{RAW[:-1]}',
        json.dumps({'facts': [3, None, {'text': 7}, *FACTS, {'importance': 1}, []], 'entities': VALUE['entities']}),
        RAW.replace('{"text": "Morn', '{"text": "He said "no" to"}, {"text": "Morn'),
        {'facts': [*FACTS, {'text': None}], 'entities': ['Vael', 'Morn']},
        {'facts': json.dumps(FACTS), 'entities': ['Vael', 'Morn']},
    ],
)
def test_whole_facts_are_salvaged(raw: str | dict[str, Any]) -> None:
    summary = salvage(raw)

    assert summary is not None
    assert summary.facts == WHOLE.facts


@pytest.mark.parametrize(
    'raw',
    [
        '',
        '{}',
        '[]',
        'prose {"a": 1}',
        '{"facts": "x"}',
        '{"facts": 3}',
        {'facts': None},
        {},
        '[' * 9999,
        '{"facts":[' + '{"a":' * 9999,
    ],
)
def test_where_there_is_none_nothing_is_salvaged(raw: str | dict[str, Any]) -> None:
    assert salvage(raw) is None


def test_a_bare_list_and_facts_that_are_only_text_are_salvaged() -> None:
    assert salvage(json.dumps(FACTS)[:-20]) == ChunkSummary(facts=WHOLE.facts[:2])
    assert salvage('{"facts": ["Vael rules.", "Morn fol') == ChunkSummary(facts=[Fact(text='Vael rules.')])


@given(st.integers(0, len(RAW)), st.booleans())
def test_a_fact_that_is_cut_in_its_middle_never_survives(at: int, ascii_only: bool) -> None:
    raw = json.dumps(VALUE, ensure_ascii=ascii_only)[:at]
    summary = salvage(raw) or ChunkSummary()

    assert summary.facts == WHOLE.facts[: len(summary.facts)]
    assert summary.entities == WHOLE.entities[: len(summary.entities)]
    assert len(summary.facts) >= min(len(FACTS), raw.count(']}'))


@pytest.mark.parametrize('mode', MODES)
async def test_no_content_is_in_any_span_whatever_the_application_instruments(
    mode: OutputMode, capfire: CaptureLogfire
) -> None:
    logfire.instrument_pydantic_ai()
    try:
        for raws in ([RAW], ['{"facts":[{"text":"Vael"},{"text":3', RAW], ['Vael says no', RAW], ['Vael', 'Vael']):
            agent = chunk_summarizer(mode)
            try:
                await agent.run(PROMPT, model=saying(*raws), deps=SubAgentTask(), retries={'output': 1})
            except UnexpectedModelBehavior:
                continue
    finally:
        Agent.instrument_all(False)

    spans = json.dumps(capfire.exporter.exported_spans_as_dict(), default=str)
    assert 'chunk_summarizer run' in spans
    for content in ('Vael', 'Marn', 'You compress source text'):
        assert content not in spans


async def test_content_is_in_the_spans_if_it_is_asked_for(capfire: CaptureLogfire) -> None:
    await merger('tool', trace_content=True).run(PROMPT, model=saying(RAW), deps=SubAgentTask())

    assert 'Marn' in json.dumps(capfire.exporter.exported_spans_as_dict(), default=str)
