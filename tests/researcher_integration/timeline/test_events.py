"""Events: how they are written, and what becomes of what is too large or cannot be sent."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import BaseModel, ValidationError

from researcher_integration.timeline.events import (
    MAX_TEXT,
    SummaryDelta,
    ToolCall,
    ToolResult,
    decoded,
    encoded,
)
from tests.support.timeline import call

NOON = datetime(2031, 5, 4, 12, tzinfo=UTC)


def test_what_a_front_end_gets() -> None:
    events = [
        draft.model_copy(update={'run_id': 'run-1', 'seq': seq, 'time': NOON})
        for seq, draft in enumerate(call(facts=('a lamp is out',)), 1)
    ]
    assert [encoded(event).decode() for event in events] == snapshot(
        [
            '{"run_id":"run-1","seq":1,"time":"2031-05-04T12:00:00Z","call_id":"c1","session_id":"","stage":"","model_call_id":"","capped":false,"type":"tool_call","status":"started","server":"ferry","tool":"list_pods","arguments":{"zone":"Kelderwick"},"size_characters":null,"size_tokens":null,"is_error":false}',
            '{"run_id":"run-1","seq":2,"time":"2031-05-04T12:00:00Z","call_id":"c1","session_id":"","stage":"","model_call_id":"","capped":false,"type":"tool_call","status":"completed","server":"ferry","tool":"list_pods","arguments":null,"size_characters":90000,"size_tokens":31000,"is_error":false}',
            '{"run_id":"run-1","seq":3,"time":"2031-05-04T12:00:00Z","call_id":"c1","session_id":"","stage":"","model_call_id":"","capped":false,"type":"tool_result","text":"pod ferry-gate-7 CrashLoopBackOff\\n","is_error":false,"source_id":"src_0123456789ab"}',
            '{"run_id":"run-1","seq":4,"time":"2031-05-04T12:00:00Z","call_id":"c1","session_id":"","stage":"","model_call_id":"","type":"tool_call.summarizing","estimated_tokens":31000}',
            '{"run_id":"run-1","seq":5,"time":"2031-05-04T12:00:00Z","call_id":"c1","session_id":"","stage":"","model_call_id":"","capped":false,"type":"summary.delta","index":0,"text":"a lamp is out"}',
            '{"run_id":"run-1","seq":6,"time":"2031-05-04T12:00:00Z","call_id":"c1","session_id":"","stage":"","model_call_id":"","capped":false,"type":"tool_summary","server":"","tool":"","text":"a lamp is out","original_tokens":31000,"summary_tokens":42,"model":"extractive","source_id":"src_0123456789ab","state":"complete"}',
        ]
    )
    assert [decoded(encoded(event)) for event in events] == events


def test_a_large_text_is_cut_and_says_so() -> None:
    event = ToolResult(call_id='c1', text='lamp ' * 60_000)
    assert event.capped
    assert len(event.text) <= MAX_TEXT
    assert event.text.startswith('lamp lamp')
    assert event.text.endswith('\n[cut here: 249,900 of 300,000 characters are kept in this event]')
    assert decoded(encoded(event)) == event


def test_so_are_large_arguments() -> None:
    event = ToolCall(call_id='c1', status='started', tool='write', arguments={'text': 'lamp ' * 60_000})
    assert event.capped
    assert isinstance(event.arguments, str)
    assert event.arguments.startswith('{"text": "lamp lamp')
    assert event.arguments.endswith('are kept in this event]')
    assert decoded(encoded(event)) == event


class Ferry(BaseModel):
    name: str
    seats: int


def test_arguments_of_any_kind_are_shown() -> None:
    deep: Any = 'bottom'
    for _ in range(10_000):
        deep = [deep]
    started = ToolCall(
        call_id='c1',
        status='started',
        tool='t',
        arguments={
            'model': Ferry(name='Heron', seats=12),
            'tuple': (1, 2.5, None, True),
            'bytes': b'\x00\xff',
            'nan': float('nan'),
            'half': '\ud800',
            7: 'seven',
        },
    )
    assert started.arguments == snapshot(
        {
            'model': {'name': 'Heron', 'seats': 12},
            'tuple': [1, 2.5, None, True],
            'bytes': 'AP8=',
            'nan': 'NaN',
            'half': '?',
            '7': 'seven',
        }
    )
    for too_much in (deep, 10**5_000):
        assert ToolCall(call_id='c1', status='started', tool='t', arguments=too_much).arguments == '…'


def test_a_function_of_the_agent_has_no_server() -> None:
    started = ToolCall.model_validate({'call_id': 'c1', 'status': 'started', 'tool': 'x' * 500, 'server': None})
    assert (started.server, len(started.tool)) == ('', 200)


def test_what_is_no_event_is_told_without_its_text() -> None:
    with pytest.raises(ValueError, match='no event') as raised:
        decoded(b'{"type":"tool_result","call_id":"c1","text":{"pass":"lamp-oil"}}')
    assert 'lamp-oil' not in str(raised.value)
    with pytest.raises(ValidationError):
        SummaryDelta(call_id='c1', index=-1, text='')


ANY_TEXT = st.text(st.characters(codec=None), max_size=60).map(lambda text: text * 10_000)


@given(ANY_TEXT)
def test_any_text_fits_and_can_be_read_again(text: str) -> None:
    event = ToolResult(call_id=text, source_id=text, text=text)
    body = encoded(event)
    assert len(event.text) <= MAX_TEXT
    assert b'\n' not in body
    assert decoded(body) == event


ANY_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec=None)), inner),
)


@given(ANY_VALUE)
def test_any_arguments_can_be_sent(value: object) -> None:
    event = ToolCall.model_validate({'call_id': 'c', 'status': 'started', 'tool': 't', 'arguments': value})
    body = encoded(event)
    json.loads(body, parse_constant=pytest.fail)
    assert decoded(body) == event
