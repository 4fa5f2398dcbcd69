"""The masker: expressions of an operator, failures, and time."""

import json
import time
from typing import Any

import pytest
from inline_snapshot import snapshot

from researcher_integration.masking.findings import Masked
from researcher_integration.masking.masking import Masker, MaskingError
from summarizer_tool import ConfigurationError

MASKER = Masker()


def test_expressions_of_ones_own() -> None:
    masker = Masker(patterns={'keeper_number': r'KN-\d{4}', 'lamp': r'lamp (?:no\.|number) (?P<secret>\w+)'})
    masked = masker.mask('KN-1234 holds lamp no. seven, and KN-99')
    assert masked == Masked(
        '[MASKED_KEEPER_NUMBER] holds lamp no. [MASKED_LAMP], and KN-99', {'KEEPER_NUMBER': 1, 'LAMP': 1}
    )
    assert Masker(patterns={'whole': '^KN.*$'}).mask_value(['KN-1', 'no KN-1']) == (
        ['[MASKED_WHOLE]', 'no KN-1'],
        {'WHOLE': 1},
    )
    wrong = {}
    for name, expression in {
        'a b': 'x',
        'open': '(',
        'empty': 'x*',
        'long': 'x' * 3000,
        'back': r'(?P<a>x)(?P=b)',
    }.items():
        with pytest.raises(ConfigurationError) as caught:
            Masker(patterns={name: expression})
        wrong[name] = str(caught.value)
    assert wrong == snapshot(
        {
            'a b': "'a b' is no name for a pattern: letters, digits and _, at most 40, a letter first",
            'open': 'the pattern open is no regular expression: missing ) at position 1',
            'empty': 'the pattern empty matches an empty text, so it would put masks between all characters; have it take one at least, as `.+` does',
            'long': 'the pattern long has 3000 characters, over 2000; split it',
            'back': 'the pattern back is no regular expression: unknown group at position 11',
        }
    )


def test_a_failure_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('researcher_integration.masking.patterns.SECONDS', 0.05)
    monkeypatch.setattr('researcher_integration.masking.patterns.SECONDS_PER_MB', 0.0)
    slow = Masker(patterns={'slow': r'(x|xx)+\1y'})
    for mask in (slow.mask, slow.mask_value):
        with pytest.raises(MaskingError) as caught:
            mask('sedge ' + 'x' * 100)
        assert str(caught.value) == 'could not be searched for secrets: an expression took too long'

    circle: list[object] = ['sedge']
    circle.append(circle)

    class Strange:
        def __repr__(self) -> str:
            return 'sedge'

    class Failing(dict[str, str]):
        def items(self) -> Any:
            raise RuntimeError('sedge')

    for value in (circle, Strange(), Failing(a='sedge')):
        with pytest.raises(MaskingError) as caught:
            MASKER.mask_value(value)
        assert 'sedge' not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__


def noisy(kilobytes: int) -> str:
    lines = (
        f'2026-03-01T09:12:{n % 60:02}.{n % 1000:03}Z INFO [worker-{n % 9}] request id={n:016x} path=/api/v1/lamps/{n} '
        f'status=200 latency_ms={n % 700} token_count={n % 90} key={n % 7}\n'
        for n in range(kilobytes * 7)
    )
    return ''.join(lines)[: kilobytes * 1000]


def seconds(text: str) -> float:
    started = time.process_time()
    MASKER.mask(text)
    return time.process_time() - started


def test_time_grows_with_the_text() -> None:
    assert seconds(noisy(100)) < 5  # far from what it takes: only a blow-up is caught
    objects = [{'id': n, 'name': f'lamp-{n}', 'note': 'a "quoted"\nnote', 'value': n} for n in range(1000)]
    assert seconds(json.dumps(objects)) < 20
    objects = [{'id': n, 'name': f'lamp-{n}', 'password': f'x{n}', 'token': None, 'ratio': n / 7} for n in range(1500)]
    assert seconds(json.dumps(objects)) < 20


PIECES = [
    'eyJ', 'eyJ.', '"', '\\"', 'password=', 'password="', '://a:', 'b@', 'login ', 'token: ', 'token=\\\\"', '\0', 'a: ', '\\',
    '{"password":', '-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----\n', '[MASKED_', 'cookie: a=', '\x1b[3', '\x1b[3m',
    'kind: Secret\ndata:\n a: |\n', 'name: token\n value: ', '- value: a   ',
    'password: A | ', 'a,password\n"a\n', '--token\n', 's:8:"password";s:', '“password”: ', "password='a''b",
    '\n {"kind":"Secret",', '\n {"kind": "Secret", "data": {"a": "b"}}', 'password:\n  - ', 'tokens: {', '{"a": {"password": "x", ',
]  # fmt: skip


@pytest.mark.parametrize('piece', PIECES)
def test_no_repetition_holds_it_up(piece: str) -> None:
    size = 7_500
    for text in (
        piece * (size // len(piece)),
        '"' + piece * (size // len(piece)),
        '://a:' + piece * (size // len(piece)),
        'password=' + piece * (size // len(piece)),
    ):
        assert seconds(text) < 5


@pytest.mark.parametrize(
    'piece',
    [
        "INSERT INTO t (a,password) VALUES ('",
        'insert into t (a,password) values (',
        'copy t (password) from stdin\n',
        'create table t (a,into ',
    ],
)
def test_statements_that_never_end_are_not_read_again_for_each(piece: str) -> None:
    long = min(seconds(piece * 1_000), seconds(piece * 1_000))  # something else may be collected meanwhile
    assert long < 12 * max(seconds(piece * 250), 0.02)


@pytest.mark.parametrize('after', ['', ' is', '</b>', '\n', ':', ' = <<A'])
@pytest.mark.parametrize('run', [' ', '\t', '\n', '\r\n', '\\', 'a ', '"'])
def test_no_run_behind_a_name_is_read_again_and_again(after: str, run: str) -> None:
    assert seconds('password' + after + run * (50_000 // len(run))) < 5


def test_names_within_one_another_are_not_read_again_for_each() -> None:
    assert seconds('x ' + 'secret:' * 12_000) < 10 * seconds('x ' + 'secret:' * 3_000)
