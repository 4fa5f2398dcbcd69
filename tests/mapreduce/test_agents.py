"""The sub-agents keep what is whole of an answer, and ask again where that helps."""

import pytest
from openai import AsyncOpenAI
from pydantic import JsonValue
from pydantic_ai import ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.models.openrouter import OpenRouterModel
from pydantic_ai.providers.openrouter import OpenRouterProvider
from pydantic_ai.usage import RunUsage

from summarizer_tool import ExtractiveModel
from summarizer_tool.llm.typed_query import QueryResult
from summarizer_tool.mapreduce.sub_agent_runner import CHUNK_SUMMARIZER
from summarizer_tool.schemas import ChunkSummary
from summarizer_tool.settings import OutputMode, Settings
from tests.support.provider import serve
from tests.support.replies import Behaviour, Cut, Json, Reply, Text, script
from tests.support.scripted_model import ScriptedModel

pytestmark = pytest.mark.anyio

MODES: list[OutputMode] = ['tool', 'native', 'prompted']
PROMPT = '<source>\n1 Vael rules Marn.\n</source>'
FACTS: list[JsonValue] = [
    {'text': 'Vael {"text"} rules "Marn".', 'importance': 4, 'evidence': [1, 23]},
    {'text': 'Morn is his brother.', 'importance': 2, 'evidence': [2]},
    {'text': 'Ödegård “lies” in the north.', 'importance': 3, 'evidence': [345]},
]
VALUE: dict[str, JsonValue] = {'facts': FACTS, 'entities': ['Vael', 'Morn']}
WHOLE = ChunkSummary.model_validate(VALUE)


async def ask(
    model: Model, mode: OutputMode = 'tool', *, retries: int = 1
) -> tuple[QueryResult[ChunkSummary], RunUsage]:
    settings = Settings(llm_output_mode=mode, llm_output_retries=retries)
    usage = RunUsage()
    result = await CHUNK_SUMMARIZER.configured(settings).ask(
        model, PROMPT, usage=usage, model_settings={'max_tokens': 500}
    )
    return result, usage


@pytest.mark.usefixtures('model_requests')
@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize(
    ('replies', 'requests', 'kept'),
    [
        ([Cut(VALUE)], 1, 1),
        ([Cut(VALUE, 160)], 1, 2),
        ([Cut(VALUE, 10_000)], 1, 3),
        ([Text('I am sorry, but here is prose.'), Json(VALUE)], 2, 3),
        ([Text(''), Json(VALUE)], 2, 3),
        ([Json({'facts': [3]}), Json(VALUE)], 2, 3),
        ([Json({'facts': []}), Json(VALUE)], 2, 3),
        ([Json({}), Json(VALUE)], 2, 3),
    ],
)
async def test_cut_off_and_useless_answers_over_the_wire(
    mode: OutputMode, replies: list[Reply], requests: int, kept: int
) -> None:
    with serve(Behaviour(answer=script(*replies))) as provider:
        client = AsyncOpenAI(base_url=provider.base_url, api_key='x', max_retries=0)
        model = OpenRouterModel('openai/gpt-4o-mini', provider=OpenRouterProvider(openai_client=client))
        result, usage = await ask(model, mode)
        await client.close()

    assert result.output is not None
    assert result.output.facts == WHOLE.facts[:kept]
    assert len(provider.requests) == usage.requests == requests


@pytest.mark.parametrize('retries', [0, 1])
async def test_an_answer_that_stays_empty_is_taken_as_it_is(retries: int) -> None:
    result, usage = await ask(ScriptedModel({'facts': []}, {'facts': []}).model, retries=retries)

    assert result == QueryResult(ChunkSummary())
    assert usage.requests == retries + 1


async def test_the_embedded_model_is_asked_once_and_costs_nothing() -> None:
    asked: list[str] = []

    class Counting(ExtractiveModel):
        async def request(self, *args: object) -> ModelResponse:
            asked.append('once')
            return await super().request(*args)  # pyright: ignore[reportArgumentType]

    spent = RunUsage()
    result = await CHUNK_SUMMARIZER.ask(Counting(), '<source>\n1 \n</source>', usage=spent, spent=spent)

    assert result == QueryResult(ChunkSummary())
    assert (asked, spent) == (['once'], RunUsage())
