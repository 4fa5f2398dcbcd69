"""A typed question: what becomes of good, broken and missing answers, what they cost, and what is traced and logged."""

import asyncio
import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import anyio
import logfire
import pytest
from logfire.testing import CaptureLogfire
from pydantic import BaseModel
from pydantic_ai import Agent, ModelResponse, TextPart, UnexpectedModelBehavior
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError, UsageLimitExceeded, UserError
from pydantic_ai.messages import FinishReason, ModelMessage
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage, RunUsage, UsageLimits

from summarizer_tool.llm.typed_query import QueryResult, TypedQuery
from summarizer_tool.settings import OutputMode, Settings
from tests.support.scripted_model import ScriptedModel

pytestmark = pytest.mark.anyio

MODES: list[OutputMode] = ['tool', 'native', 'prompted']
SETTINGS = Settings.load(llm_model='test', llm_timeout_seconds=5)
REQUEST = 'Who rules Marn?'


class Names(BaseModel):
    names: list[str]


VAEL = {'names': ['Vael', 'Morn']}
PLAIN = TypedQuery('namer', 'merger', Names)
RECOVERING = TypedQuery('namer', 'merger', Names, members='names')
COMPLAINING = TypedQuery('namer', 'merger', Names, members='names', empty_prompt='empty_answer')
AFRESH = TypedQuery('namer', 'merger', Names, members='names', again_prompt='research/answer_again', retries=2)


async def ask(model: Model, query: TypedQuery[Names] = PLAIN, **more: Any) -> QueryResult[Names]:
    return await query.ask(model, REQUEST, **({'usage': RunUsage()} | more))


def failing(error: BaseException) -> Model:
    return ScriptedModel(error).model


# Answers.


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize(
    ('query', 'answers', 'finish_reason', 'names', 'reason', 'requests'),
    [
        (PLAIN, [VAEL], 'stop', ['Vael', 'Morn'], '', 1),
        (PLAIN, ['no', VAEL], 'stop', ['Vael', 'Morn'], '', 2),
        (PLAIN, ['{"names": ["Vael", 3]}', 'no'], 'stop', None, 'invalid output', 2),
        (RECOVERING, ['{"names": ["Vael", 3]}'], 'stop', ['Vael'], '', 1),
        (RECOVERING, ['{"names": ["Vael", "Mo'], 'length', ['Vael'], '', 1),
        (RECOVERING, ['{"names": ["Va'], 'length', None, 'cut off', 1),
        (RECOVERING, [{'names': []}], 'stop', [], '', 1),
        (COMPLAINING, [{'names': []}, VAEL], 'stop', ['Vael', 'Morn'], '', 2),
        (COMPLAINING, [{'names': []}, {'names': []}], 'stop', [], '', 2),
        (AFRESH, ['no', 'no', VAEL], 'stop', ['Vael', 'Morn'], '', 3),
        (AFRESH, ['no', 'no', 'no'], 'stop', None, 'invalid output', 3),
        (AFRESH, ['{"names": ["Va'], 'length', None, 'cut off', 1),
    ],
)
async def test_what_becomes_of_an_answer(
    query: TypedQuery[Names],
    answers: list[object],
    finish_reason: FinishReason,
    names: list[str] | None,
    reason: str,
    requests: int,
    mode: OutputMode,
) -> None:
    scripted = ScriptedModel(*answers, finish_reason=finish_reason)
    usage = RunUsage()
    configured = query if query is AFRESH else query.configured(SETTINGS.model_copy(update={'llm_output_mode': mode}))
    result = await ask(scripted.model, configured, usage=usage)

    assert (result.output and result.output.names, result.reason) == (names, reason)
    assert result.is_partial == (names == ['Vael'])
    assert len(scripted.asked) == usage.requests == requests


@pytest.mark.parametrize(
    ('answer', 'ending'),
    [
        ('{"names": ["Vael", "Mo', 'cut off'),
        ('{"names": ["Vael", ', 'cut off'),
        ('```json\n["Vael"', 'none'),
        ('{"names": ["Vael", "Morn"]', 'broken'),
        ('{"names": ["Vael", "the "Morn""]}', 'cut off'),
        ('{"names": ["Vael", 3]}', 'broken'),
    ],
)
async def test_an_answer_that_ends_in_its_list_is_cut_off_whatever_the_model_says_of_it(
    answer: str, ending: str
) -> None:
    result = await ask(ScriptedModel(answer, 'no').model, RECOVERING)
    assert (result.ending, result.is_partial) == (ending, ending != 'none')


async def test_what_is_nested_too_deep_to_be_read_is_no_answer() -> None:
    for first, output in ((VAEL, Names(**VAEL)), (RecursionError('Vael'), None)):
        result = await ask(ScriptedModel(RecursionError('Vael'), first).model)
        assert (result.output, result.reason) == (output, '' if output else 'invalid output')


async def test_a_new_run_does_not_show_the_model_its_broken_answer() -> None:
    for query, messages in ((PLAIN, 3), (AFRESH, 1)):
        scripted = ScriptedModel('no', VAEL)
        await ask(scripted.model, query)
        assert [len(asked) for asked in scripted.asked] == [1, messages]


async def test_an_endpoint_that_refuses_tools_is_asked_for_json_once_it_has_said_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked: list[bool] = []

    def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(bool(info.output_tools))
        if info.output_tools:
            raise ModelHTTPError(
                400, 'm', {'error': {'message': '"auto" tool choice requires --enable-auto-tool-choice'}}
            )
        return ModelResponse(parts=[TextPart(json.dumps(VAEL))])

    model = FunctionModel(answer)
    for query in (PLAIN, PLAIN, replace(PLAIN, output_mode='tool')):
        assert (await ask(model, query)).output == Names(**VAEL)
    assert asked == [True, False, False, False]
    assert (await ask(FallbackModel(FunctionModel(answer), FunctionModel(answer)), PLAIN)).output == Names(**VAEL)
    assert asked[4:] == [True, True, False]
    assert caplog.messages == ['the endpoint takes no tools: JSON is asked for'] * 2


# Failures.


@pytest.mark.parametrize(
    ('error', 'reason', 'logged'),
    [
        (ModelHTTPError(429, 'm', {'message': 'Vael sent too much'}), 'HTTP 429', 'WARNING'),
        (ModelAPIError('m', 'Vael'), 'ModelAPIError', 'WARNING'),
        (TimeoutError('Vael'), 'timeout', 'WARNING'),
        (ConnectionError('Vael'), 'ConnectionError', 'WARNING'),
        (UnexpectedModelBehavior('Vael'), 'invalid output', 'WARNING'),
        (asyncio.CancelledError('Vael'), 'cancelled', 'WARNING'),
        (KeyError('Vael'), 'KeyError', 'ERROR'),
        (UserError('Vael'), 'UserError', 'ERROR'),
        (UsageLimitExceeded('Vael'), 'usage limit', None),
    ],
)
async def test_a_failure_is_a_reason_without_content(
    error: BaseException, reason: str, logged: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    result = await ask(failing(error))

    assert (result.output, result.reason, type(result.error)) == (None, reason, type(error))
    assert 'Vael' not in caplog.text
    assert [(each.levelname, each.message, vars(each)['agent'], vars(each)['reason']) for each in caplog.records] == (
        [(logged, 'model call failed', 'namer', reason)] if logged else []
    )


async def hang(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
    await anyio.sleep_forever()
    raise AssertionError


async def test_to_cancel_is_to_cancel() -> None:
    task = asyncio.create_task(ask(FunctionModel(hang)))
    await anyio.wait_all_tasks_blocked()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    with anyio.move_on_after(0.05) as scope:
        await ask(FunctionModel(hang))
    assert scope.cancelled_caught


# Cost.


async def test_what_is_asked_at_once_counts_its_own_cost() -> None:
    async def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(0.01)
        usage = RequestUsage(input_tokens=10, output_tokens=2, cost=Decimal('0.5'))
        return ModelResponse(parts=[TextPart('{"names": []}')], usage=usage)

    usage = RunUsage(requests=3, input_tokens=100)
    each = [RunUsage() for _ in range(5)]
    query = PLAIN.configured(SETTINGS.model_copy(update={'llm_output_mode': 'prompted'}))
    await asyncio.gather(*(ask(FunctionModel(answer), query, usage=usage, spent=spent) for spent in each))

    assert each == [RunUsage(requests=1, input_tokens=10, output_tokens=2, cost=Decimal('0.5'))] * 5
    assert (usage.requests, usage.input_tokens, usage.cost) == (8, 150, Decimal('2.5'))


async def test_the_limits_count_what_was_spent_before() -> None:
    usage, spent = RunUsage(requests=4), RunUsage()
    limits = UsageLimits(request_limit=5, input_tokens_limit=10**9, count_tokens_before_request=True)
    result = await ask(ScriptedModel('no', VAEL).model, usage=usage, spent=spent, usage_limits=limits)

    assert (result.output, result.reason) == (None, 'usage limit')
    assert (usage.requests, spent.requests) == (5, 1)


async def test_the_limits_count_what_others_ask_again_meanwhile() -> None:
    async def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(0.01)
        return ModelResponse(parts=[TextPart('no')], usage=RequestUsage(input_tokens=10))

    usage, query = RunUsage(requests=2), PLAIN.configured(SETTINGS.model_copy(update={'llm_output_retries': 5}))
    limits = UsageLimits(request_limit=9)
    asking = (ask(FunctionModel(answer), query, usage=usage, usage_limits=limits) for _ in range(4))
    assert {result.reason for result in await asyncio.gather(*asking)} == {'usage limit'}
    assert (usage.requests, usage.input_tokens) == (9, 70)


# Traces.


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('traced', [False, True])
async def test_content_is_in_the_spans_only_if_it_is_asked_for(
    mode: OutputMode, traced: bool, capfire: CaptureLogfire
) -> None:
    settings = SETTINGS.model_copy(update={'trace_content': traced})
    answers = ([VAEL], ['{"names": ["Vael", 3]}'], ['Vael', 'Vael'], [ModelHTTPError(500, 'm', {'message': 'Vael'})])
    logfire.instrument_pydantic_ai()
    try:
        for each in answers:
            scripted = ScriptedModel(*each)
            await ask(scripted.model, RECOVERING.configured(settings.model_copy(update={'llm_output_mode': mode})))
    finally:
        Agent.instrument_all(False)

    spans = json.dumps(capfire.exporter.exported_spans_as_dict(), default=str)
    assert 'namer run' in spans
    for content in ('Vael', 'Marn', 'You merge facts'):
        assert (content in spans) == traced
