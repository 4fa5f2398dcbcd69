"""Digests of text that nobody meant to be read: no error, no excess, no wait."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summarizer_tool.digests.digest import digest
from summarizer_tool.text import tokens

pieces = st.sampled_from(
    [
        '2026-03-14T02:00:00Z ', 'ERROR ', 'level=warn ', 'status=503 ', '\tat a.B.c(D.java:1)', 'Caused by: x', '{"a": 1}',
        '[', ']', '{', '}', '"', ',', ':', '|', '|---|', '\n', '\r\n', '\t', '  ', 'NAME   READY', 'Traceback (most recent',
        '  File "x", line 1', 'NaN', '1e999', '9' * 50, '\x1b[31m', '\x00', '\x01', '\ud800', '…', '"\\', 'key=value', '0/1',
    ]
)  # fmt: skip
texts = st.lists(pieces | st.text(max_size=12), max_size=80).map(''.join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=8), inner, max_size=6),
    max_leaves=60,
)
budgets = st.integers(50, 2000)


@settings(max_examples=60)
@given(text=texts | st.text(), budget=budgets, focus=st.text(max_size=30))
def test_any_text_stays_within_its_budget(text: str, budget: int, focus: str) -> None:
    found = digest(text, budget, focus=focus)
    assert tokens.count(found.text) <= budget
    assert all(1 <= number <= len(text) + 1 for line in found.lines for number in line.lines)


@settings(max_examples=50)
@given(value=values, budget=budgets, times=st.integers(1, 30), cut=st.floats(0.3, 1))
def test_any_json_stays_within_its_budget(value: object, budget: int, times: int, cut: float) -> None:
    text = json.dumps({'items': [value] * times})
    assert tokens.count(digest(text, budget).text) <= budget
    assert tokens.count(digest(text[: int(len(text) * cut)], budget).text) <= budget


@settings(max_examples=60)
@given(
    lines=st.lists(
        st.lists(st.text('ab1 =:"/.-', min_size=1, max_size=12), min_size=3, max_size=3), min_size=4, max_size=40
    ),
    separator=st.sampled_from([',', '\t', ' | ', '   ']),
    budget=budgets,
)
def test_any_table_stays_within_its_budget(lines: list[list[str]], separator: str, budget: int) -> None:
    text = '\n'.join(map(separator.join, [['NAME', 'STATE', 'AGE'], *lines]))
    assert tokens.count(digest(text, budget).text) <= budget


HOSTILE = {
    'deep lists': '[' * 100_000 + ']' * 100_000,
    'open objects': '{"a":' * 50_000,
    'one long word': 'a' * 300_000,
    'one line of signs': '=' * 500_000,
    'words and digits': 'a1' * 100_000,
    'paths': '/a' * 100_000,
    'quotes': '"' * 500_000,
    'backslashes': '{"a' + '\\' * 500_000,
    'escapes': '\x1b[' * 200_000,
    'pipes': ('|' * 300 + '\n') * 500,
    'huge number': '{"a": ' + '9' * 100_000 + '}',
    'not a number': '[' + '{"a": NaN, "b": -Infinity, "c": 1e99999},' * 200 + '{"a": 1}]',
    'one key': '{' + ','.join(f'"a": {number}' for number in range(10_000)) + '}',
    'blank lines': '\n' * 100_000,
    'blanks': ' ' * 500_000,
    'zeros': '\x00\x01' * 100_000,
    'one trace': 'ERROR x\n' + '\tat a.b.C(D.java:1)\n' * 7_000,
    'exceptions': 'A.' * 70_000 + 'Exception',
    'a cell without an end': 'a,b,"c\n' * 6 + 'a,' + 'b' * 200_000 + ',"c\n',
    'lone surrogates': 'ERROR \ud800 x\n' * 100,
}


@pytest.mark.parametrize('text', HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_no_trouble(text: str) -> None:
    found = digest(text, 300, focus='a1 exception')
    assert tokens.count(found.text) <= 300
