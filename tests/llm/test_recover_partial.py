"""Of a broken answer its complete members are kept, and none is ever completed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, JsonValue

from summarizer_tool.llm.recover_partial import recover_partial
from summarizer_tool.schemas import ChunkSummary, Fact

FACTS: list[JsonValue] = [
    {'text': 'Vael {"text"} rules "Marn".', 'importance': 4, 'evidence': [1, 23]},
    {'text': 'Morn is his brother.', 'importance': 2, 'evidence': [2]},
    {'text': 'Ödegård “lies” in the north.', 'importance': 3, 'evidence': [345]},
]
VALUE: dict[str, JsonValue] = {'facts': FACTS, 'entities': ['Vael', 'Morn']}
WHOLE = ChunkSummary.model_validate(VALUE)
RAW = json.dumps(VALUE, ensure_ascii=False)


def recovered(raw: str | dict[str, Any]) -> ChunkSummary | None:
    return recover_partial(raw, ChunkSummary, 'facts')


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
def test_whole_members_are_kept(raw: str | dict[str, Any]) -> None:
    assert recovered(raw) == WHOLE


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
def test_where_there_is_none_nothing_is_kept(raw: str | dict[str, Any]) -> None:
    assert recovered(raw) is None


def test_the_list_alone_without_its_envelope_or_encoded_once_more() -> None:
    assert recovered(json.dumps(FACTS)[:-20]) == ChunkSummary(facts=WHOLE.facts[:2])
    assert recovered('{"facts": ["Vael rules.", "Morn fol') == ChunkSummary(facts=[Fact(text='Vael rules.')])
    assert recovered(json.dumps({'facts': json.dumps(FACTS)})) == ChunkSummary(facts=WHOLE.facts)


def test_any_envelope() -> None:
    class Names(BaseModel):
        names: list[int]

    assert recover_partial('{"names": [1, "x", 2, ', Names, 'names') == Names(names=[1, 2])
    assert recover_partial('[1, 2]', Names, 'names') is None


@given(st.integers(0, len(RAW)), st.booleans())
def test_a_member_that_is_cut_in_its_middle_never_survives(at: int, ascii_only: bool) -> None:
    raw = json.dumps(VALUE, ensure_ascii=ascii_only)[:at]
    summary = recovered(raw) or ChunkSummary()

    assert summary.facts == WHOLE.facts[: len(summary.facts)]
    assert summary.entities == WHOLE.entities[: len(summary.entities)]
    assert len(summary.facts) >= min(len(FACTS), raw.count(']}'))
