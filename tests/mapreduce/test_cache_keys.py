"""What a kept answer belongs to: another request, model or prompt must not get it."""

import asyncio
from dataclasses import replace
from typing import Literal

import pytest
from pydantic_ai.models.function import FunctionModel

from summarizer_tool import (
    Document,
    RequestOptions,
    Settings,
    SourceStore,
    Summarizer,
    SummarizeRequest,
    Summary,
    prompts,
)
from summarizer_tool.mapreduce.answer_cache import AnswerCache
from summarizer_tool.prompts import Focus, NumberedLine, PromptSource
from summarizer_tool.store.collection import Collection
from tests.support.map_models import good as answer_well
from tests.support.map_models import model_of
from tests.support.texts import CHRONICLE

LINES = [NumberedLine(1, 'Ada Brook founded the guild.'), NumberedLine(2, 'It owns 14 ships.')]
OTHER_LINES = [LINES[0], NumberedLine(2, 'It owns 15 ships.')]
SHIFTED_LINES = [NumberedLine(2, LINES[0].text), NumberedLine(3, LINES[1].text)]
FOCUS = Focus('ships', 'name, founder')
CACHE = AnswerCache(None, 'model and prompts', is_exact=False)
OTHER_CACHE = AnswerCache(None, 'other prompts', is_exact=False)


def map_key(sources: list[PromptSource], focus: Focus = FOCUS, cache: AnswerCache = CACHE) -> str:
    return cache.key(prompts.chunk_request(sources, focus, 0))


def reduce_key(lines: list[NumberedLine], focus: Focus = FOCUS, target: int = 100, cache: AnswerCache = CACHE) -> str:
    return cache.key(prompts.merge_request(lines, focus, target))


def test_the_key_of_a_request() -> None:
    source = PromptSource(LINES, path=('The guild',))
    asked = [
        map_key([source]),
        map_key([source], replace(FOCUS, schema_hint='name')),
        map_key([source], replace(FOCUS, focus_areas='crews')),
        map_key([source], Focus(FOCUS.schema_hint, FOCUS.focus_areas)),
        map_key([replace(source, path=('The crews',))]),
        map_key([replace(source, lines=OTHER_LINES)]),
        map_key([replace(source, lines=SHIFTED_LINES)]),
        map_key([source, source]),
        map_key([source], cache=OTHER_CACHE),
        reduce_key(LINES),
        reduce_key(LINES, replace(FOCUS, schema_hint='name')),
        reduce_key(LINES, replace(FOCUS, focus_areas='crews')),
        reduce_key(LINES, target=101),
        reduce_key(OTHER_LINES),
        reduce_key(SHIFTED_LINES),
        reduce_key(LINES, cache=OTHER_CACHE),
    ]
    assert len(set(asked)) == len(asked)
    assert [map_key([source]), reduce_key(LINES)] == [asked[0], asked[9]]


class Elsewhere(FunctionModel):
    """A model at an address."""

    @property
    def base_url(self) -> str:
        return 'https://elsewhere.example/v1'


def summarize(
    cache: Collection,
    *,
    name: str = 'model',
    at: type[FunctionModel] = FunctionModel,
    llm_output_mode: Literal['auto', 'prompted'] = 'auto',
) -> Summary:
    model = at(model_of(answer_well).function, model_name=name)
    settings = Settings(llm_model='extractive', default_chunk_size_tokens=900, llm_output_mode=llm_output_mode)
    summarizer = Summarizer(settings, model=model)
    given = RequestOptions(cache=cache)
    return asyncio.run(summarizer.run(Document(CHRONICLE), SummarizeRequest(max_output_tokens=400), given))


def test_another_model_or_prompt_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """For every chunk: none gets an answer that another model gave, or this one to other instructions."""
    cache = SourceStore().collection()
    chunks = summarize(cache).stats.map_calls
    assert chunks > 1
    asked = {
        'the same': summarize(cache),
        'another name': summarize(cache, name='other'),
        'another address': summarize(cache, at=Elsewhere),
        'another output mode': summarize(cache, llm_output_mode='prompted'),
    }
    monkeypatch.setattr(prompts, 'version', lambda: 'another')
    asked['other prompts'] = summarize(cache)
    assert {what: summary.stats.map_calls for what, summary in asked.items()} == {
        'the same': 0,
        'another name': chunks,
        'another address': chunks,
        'another output mode': chunks,
        'other prompts': chunks,
    }
    assert asked['the same'].stats.from_cache
