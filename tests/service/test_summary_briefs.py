"""Summaries in the form of a brief: within the budget, with quotes of the lines that they rest on."""

import re
from typing import Any

import anyio
import pytest
from inline_snapshot import snapshot

from summarizer_tool import (
    AddSourceRequest,
    ExtractionRequest,
    RequestError,
    Service,
    Settings,
    SourceStore,
    Summarizer,
    SummarizeRequest,
)
from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.text import tokens
from tests.support.texts import CHRONICLE, HARBOUR, chronicle

pytestmark = pytest.mark.anyio


def make() -> Service:
    settings = Settings.load(llm_model='extractive', default_chunk_size_tokens=500)
    return Service(Summarizer(settings), SourceStore().collection())


@pytest.mark.parametrize('budget', [500, 2000, 0])
async def test_a_brief_keeps_to_its_budget_and_quotes_the_lines(budget: int) -> None:
    service = make()
    source = (await service.add_source(AddSourceRequest(content=CHRONICLE))).source
    for asked in (SummarizeRequest, ExtractionRequest):
        answer = await service.summarize(
            asked(source_ids=source.id, max_output_tokens=budget, schema_hint='', format='brief')
        )
        assert answer.text == answer.summary.text
        assert tokens.count(answer.text) == answer.summary.stats.tokens_out <= (budget or answer.summary.stats.budget)
        assert answer.summary.stats.budget == (budget or answer.summary.stats.budget)
        assert f'1. {source.id} · ' in answer.text
        quotes = re.findall(r'^\[C\d+\] .* · line (\d+) · "(.*)"$', answer.text, re.MULTILINE)
        assert quotes
        assert all(quote in CHRONICLE.splitlines()[int(number) - 1] for number, quote in quotes)
        assert answer.text.splitlines()[-1].startswith('tokens: ')


async def test_a_brief_of_a_small_text_and_of_several_sources() -> None:
    service = make()
    added = [(await service.add_source(AddSourceRequest(content=text))).source for text in (HARBOUR, chronicle(3))]
    answer = await service.summarize(
        SummarizeRequest(source_ids=[source.id for source in added], max_output_tokens=1500, format='brief')
    )
    assert [line for line in answer.text.splitlines() if re.match(r'\d+\. src_', line)] == snapshot(
        ['1. src_34d3d80a216a · Harbour of Marn', '2. src_8c5c108d9a13 · untitled']
    )
    small = await service.summarize(SummarizeRequest(content=HARBOUR, format='brief'))
    assert small.source_ids == (added[0].id,)
    evidence = small.text[small.text.index('[EVIDENCE]') : small.text.index('[STATS]')]
    assert evidence.splitlines()[1:-1] == [
        '[E1] source 1 · lines 1-11 · whole source',
        *(f'{number}| {line}' for number, line in enumerate(HARBOUR.splitlines(), 1) if line),
    ]
    assert '\nstate: unchanged\n' in small.text


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ({'format': 'brief', 'max_output_tokens': 499}, 'give at least 500'),
        ({'format': 'table'}, "format: must be 'text' or 'brief'"),
    ],
)
async def test_briefs_that_cannot_be(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        await make().summarize(SummarizeRequest.of({'content': HARBOUR, **arguments}))


async def test_a_brief_that_has_no_time_is_a_makeshift(monkeypatch: pytest.MonkeyPatch) -> None:
    async def wait(*_: object, **__: object) -> None:
        await anyio.sleep_forever()

    service = make()
    monkeypatch.setattr(Summarizer, 'run', wait)
    call = RequestOptions(deadline=Deadline(0.2, grace=0.1))
    answer = await service.summarize(SummarizeRequest(content=CHRONICLE, max_output_tokens=600, format='brief'), call)
    assert tokens.count(answer.text) <= 600
    assert answer.summary.state == 'degraded'
    assert 'only its beginning' in answer.text.splitlines()[-1]
