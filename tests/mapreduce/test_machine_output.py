"""What machines wrote, without a model: digested whole, beside documents that people wrote."""

import argparse
import inspect
import json

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool import (
    Document,
    ExtractiveModel,
    Summarizer,
    Summary,
    SummaryTopic,
)
from summarizer_tool.digests.digest import machine_output
from summarizer_tool.text import tokens
from tests.support.map_models import good, make, model_of
from tests.support.texts import CHRONICLE, HARBOUR

LOG = '\n'.join(
    f'2026-03-0{1 + minute // 600} {minute // 60 % 24:02}:{minute % 60:02}:00 INFO pump {minute % 7} ran {minute % 13} s'
    if minute != 700
    else '2026-03-02 11:40:00 INFO valve 3 stuck half open, by hand'
    for minute in range(1200)
)
LISTING = json.dumps([{'name': f'part-{at}', 'stock': at % 9, 'site': 'Marn'} for at in range(400)])


def _made(documents: list[Document], budget: int = 300) -> Summary:
    return Summarizer(make(), model=ExtractiveModel()).summarize_sync(documents, max_output_tokens=budget)


def test_a_log_is_digested_whole_with_the_lines_of_what_is_odd() -> None:
    log = Document(LOG, title='pumps.log')
    summary = _made([log])
    assert (summary.state, summary.stats.chunks, summary.coverage) == ('complete', 0, None)
    assert summary.text.split('\n')[:2] == snapshot(
        [
            'log of 1200 lines; 2026-03-01 00:00:00 to 2026-03-02 19:59:00; INFO ×1200; 2 templates',
            '701| 2026-03-02 11:40:00 INFO valve 3 stuck half open, by hand',
        ]
    )
    odd = next(fact for fact in summary.facts if 'valve' in fact.text)
    assert [(place.source_id, place.line) for place in odd.evidence] == [(log.id, 701)]
    assert [(part.state, part.first_line, part.last_line) for part in summary.parts] == [('summarized', 1, 1200)]
    assert summary.stats.tokens_out <= 300


def test_documents_of_both_kinds_share_the_budget() -> None:
    documents = [Document(LISTING, title='parts.json'), Document(CHRONICLE, title='Chronicle'), Document(LOG)]
    summary = _made(documents, 600)
    assert [line for line in summary.text.split('\n') if line.startswith('#')] == snapshot(
        [
            '# Chronicle',
            '## Year 601 of the Bellwater chronicle',
            '## Year 602 of the Ashgate chronicle',
            '## Year 603 of the the Salt Road chronicle',
            '## Year 604 of the Bellwater chronicle',
            '## Year 605 of the Bellwater chronicle',
            '## Year 606 of the Ashgate chronicle',
            '## Year 607 of the Lower Quay chronicle',
            '# parts.json',
            '# Untitled',
        ]
    )
    assert {place.source_id for fact in summary.facts for place in fact.evidence} == {each.id for each in documents}
    assert [*dict.fromkeys(part.source_id for part in summary.parts)] == [each.id for each in documents]
    assert 500 < summary.stats.tokens_out <= 600
    assert not summary.warnings


def test_what_people_wrote_is_said_before_statistics() -> None:
    """However short it is, whole, under one heading, and no warning says otherwise."""
    prose = [
        Document('The captain is Ada Low since 1901.', title='Captain'),
        Document('The pilot is Bo Dash.', title='Pilot'),
    ]
    summary = _made([*prose, Document(LOG, title='pumps.log')], 150)
    assert all(each.text in summary.text for each in prose)
    assert 'valve 3' in summary.text
    assert not summary.warnings
    own = Document('# Captain\r\n\r\nThe captain is Ada Low since 1901.\r\n', title='Captain')
    for budget in (30, 40, 60, 120):
        summary = _made([Document(LISTING, title='parts.json'), own], budget)
        assert 'Ada Low since 1901.' in summary.text
        assert [line for line in summary.text.splitlines() if line[:1] == '#'] == ['# Captain', '# parts.json']
        assert not summary.warnings
    page = _made([Document(CHRONICLE, title='Chronicle'), Document(LOG, title='pumps.log')], 120)
    assert {place.source_id for fact in page.facts for place in fact.evidence} >= {Document(CHRONICLE).id}


def test_what_an_earlier_document_says_is_digested_once() -> None:
    documents = [
        Document(LOG, title='pumps.log'),
        Document(LISTING, title='parts.json'),
        Document(LOG, title='pumps.log'),
    ]
    summary = _made(documents, 600)
    assert summary.text.count('valve 3 stuck half open') == 1
    assert [(part.state, part.reason) for part in summary.parts] == snapshot(
        [('summarized', ''), ('summarized', ''), ('repeated', 'document 1 is the same')]
    )


def test_a_model_reads_what_machines_wrote() -> None:
    summary = Summarizer(make(), model=model_of(good)).summarize_sync(Document(LOG[:9000]), max_output_tokens=300)
    assert summary.stats.map_calls > 0


@pytest.mark.anyio
async def test_topics_are_made_of_statements() -> None:
    summarizer = Summarizer(make(), model=ExtractiveModel())
    topics = [SummaryTopic(name='Pumps'), SummaryTopic(name='Valves')]
    summary = await summarizer.summarize_topics(Document(LOG[:20_000]), topics, max_output_tokens=300)
    assert [topic.name for topic in summary.topics] == ['Pumps', 'Valves']


@pytest.mark.parametrize(
    'text',
    [
        HARBOUR,
        CHRONICLE,
        pytest.param(inspect.getsource(argparse), id='source code'),
        '# Notes\n\nSome people wrote this page, which is not long. It has a table.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
        json.dumps({'title': 'Marn', 'story': CHRONICLE}),
        ''.join(f'## v1.{n}.0\n\n* mill#{n}: [`{n * 7919:06x}`](https://marn.example/c/{n})\n\n' for n in range(90)),
        '',
    ],
)
def test_what_people_wrote_is_no_machine_output(text: str) -> None:
    assert machine_output(text) is None


@hypothesis_settings(max_examples=20)
@given(
    st.lists(st.sampled_from([LOG[:6000], LISTING[:6000], HARBOUR, CHRONICLE[:3000]]), min_size=1, max_size=3),
    st.integers(1, 700),
)
def test_the_budget_holds(texts: list[str], budget: int) -> None:
    summary = _made([Document(text, title=f'No. {number}') for number, text in enumerate(texts)], budget)
    assert tokens.count(summary.text) == summary.stats.tokens_out <= budget
    assert {part.source_id for part in summary.parts} == {Document(text).id for text in texts}


def test_a_focus_is_looked_for_in_what_machines_wrote() -> None:
    log = '\n'.join(
        f'2026-03-01 10:{at // 60:02}:{at % 60:02} INFO order {7000 + at} of gate {at % 5} was paid at once'
        if at not in (311, 500)
        else f'2026-03-01 10:{at // 60:02}:{at % 60:02} INFO order {7000 + at} of gate {at % 5} was refunded twice'
        for at in range(600)
    )
    summary = Summarizer(model='extractive').summarize_sync(
        Document(log), max_output_tokens=150, focus_areas='What is said of order 7042?'
    )
    assert 'order 7042 of gate 2' in summary.text
    packed = json.dumps(
        [{'id': at, 'note': f'Crate {at} is of the {"salt" if at != 31 else "amber"} trade'} for at in range(60)]
    )
    summary = Summarizer(model='extractive').summarize_sync(
        Document(packed), max_output_tokens=120, focus_areas='Which crate is of the amber trade?'
    )
    assert '31: note=Crate 31 is of the amber trade' in summary.text


def test_messages_in_json_are_whole_records() -> None:
    said = [
        'Do we open the gate on Friday?',
        'No. It needs oil, and the keeper is away.',
        'Then we open it on Monday.',
    ] * 4
    data = json.dumps([{'user': f'U{at % 3}', 'text': text, 'at': at} for at, text in enumerate(said)], indent=1)
    assert machine_output(data) is not None
