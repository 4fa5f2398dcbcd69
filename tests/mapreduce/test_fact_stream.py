"""Facts are told of while the answer is still being written."""

from collections.abc import AsyncIterator

import pytest
from inline_snapshot import snapshot
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from summarizer_tool import ExtractiveModel, RequestOptions, Settings, Summarizer, SummarizeRequest
from tests.support import provider
from tests.support.texts import CHRONICLE

pytestmark = pytest.mark.anyio

ANSWER = (
    '{"facts":[{"text":"Ansgar \\"the Reed\\" holds the bridge.","importance":5,"evidence":[1]},'
    '{"text":"Bera built {it}.","importance":3,"evidence":[2]}],"entities":["Ansgar"]}'
)
TEXT = 'Ansgar "the Reed" holds the bridge.\n\nBera built {it}.\n\n' + 'The mill stands empty in winter. ' * 20


async def summarized(model: FunctionModel | ExtractiveModel, told: list[str]) -> None:
    await Summarizer(Settings(llm_model='extractive'), model=model).run(
        TEXT, SummarizeRequest(max_output_tokens=100), RequestOptions(on_fact=told.append)
    )


async def test_a_call_that_begins_with_a_part_of_its_arguments_loses_no_fact() -> None:
    told: list[str] = []

    async def write(_: list[ModelMessage], info: AgentInfo) -> AsyncIterator[DeltaToolCalls]:
        yield {0: DeltaToolCall(name=info.output_tools[0].name, json_args=ANSWER[:20])}
        yield {0: DeltaToolCall(json_args=ANSWER[20:])}

    await summarized(FunctionModel(stream_function=write), told)
    assert told == ['Ansgar "the Reed" holds the bridge.', 'Bera built {it}.']


async def test_each_fact_is_told_of_when_it_is_complete() -> None:
    told: list[str] = []
    seen: list[tuple[int, list[str]]] = []

    async def write(_: list[ModelMessage], info: AgentInfo) -> AsyncIterator[DeltaToolCalls]:
        yield {0: DeltaToolCall(name=info.output_tools[0].name, json_args='')}
        for at in range(0, len(ANSWER), 7):
            yield {0: DeltaToolCall(json_args=ANSWER[at : at + 7])}
            if not seen or seen[-1][1] != told:
                seen.append((at, list(told)))

    await summarized(FunctionModel(stream_function=write), told)
    assert told == ['Ansgar "the Reed" holds the bridge.', 'Bera built {it}.']
    assert seen == snapshot(
        [
            (0, []),
            (84, ['Ansgar "the Reed" holds the bridge.']),
            (140, ['Ansgar "the Reed" holds the bridge.', 'Bera built {it}.']),
        ]
    )


async def test_the_embedded_model_tells_of_its_facts_too() -> None:
    told: list[str] = []
    await summarized(ExtractiveModel(), told)
    assert 'Ansgar "the Reed" holds the bridge.' in told


@pytest.mark.usefixtures('model_requests')
async def test_over_the_wire_and_with_the_same_result() -> None:
    told: list[str] = []
    with provider.serve() as served:
        settings = Settings(llm_model='openai/gpt-4o-mini', openrouter_base_url=served.base_url)
        streamed = await Summarizer(settings).run(
            CHRONICLE, SummarizeRequest(max_output_tokens=300), RequestOptions(on_fact=told.append)
        )
        whole = await Summarizer(settings).run(CHRONICLE, SummarizeRequest(max_output_tokens=300))
        assert [request.body.stream for request in served.requests] == snapshot([True, True])
    assert told
    assert {fact.text for fact in streamed.facts} & set(told)
    assert (streamed.text, streamed.state) == (whole.text, whole.state)
    assert streamed.stats.usage.input_tokens == whole.stats.usage.input_tokens
