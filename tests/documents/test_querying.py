"""Questions to JSON, CSV and lines: what is found, how it is written, and where it ends."""

import contextlib
import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.documents import querying
from summarizer_tool.documents.document import Document
from summarizer_tool.documents.querying import query, read_records
from summarizer_tool.errors import RequestError
from summarizer_tool.text import tokens

PODS = Document(
    json.dumps(
        {'items': [{'name': f'pod-{n}', 'restarts': n, 'phase': 'Failed' if n == 7 else 'ok'} for n in range(40)]}
    )
)
BERTHS = Document(
    'berth;depth;note\n'
    + ''.join(f'B-{n:03};{n}.5;{"sunk; and lost" if n == 3 else "free"}\n' for n in range(30)).replace(
        'sunk; and lost', '"sunk; and lost"'
    )
)
LOG = Document(
    '\n'.join(f'2026-03-0{n % 9 + 1} 02:{n:02}:01,120 {"ERROR" if n == 5 else "INFO"} served' for n in range(40))
)
EVENTS = Document('\n'.join(json.dumps({'level': 'error' if n == 5 else 'info', 'ms': n}) for n in range(40)))

NOTHING = "JSON: nothing found. It has items. Compare text with 'single quotes' and numbers with `backticks`"
QUOTES = "text stands in 'single quotes', a number in `backticks`"


def test_no_number_is_cut() -> None:
    counted = Document(json.dumps([{'id': n, 'text': 'mill ' * n} for n in range(1, 2000)]))
    for room in range(1, 60, 3):
        with contextlib.suppress(RequestError):
            assert query(counted, 'sum([].id)', room).startswith('1999000')
        with contextlib.suppress(RequestError):
            told = query(counted, '{total: sum([].id), failed: length(@), mean: avg([].id)}', room)
            assert set(re.findall(r'\d+', told.splitlines()[0])) <= {'1999000', '1999', '1000', '0'}
    with pytest.raises(RequestError, match=r'longer than max_tokens by \d+ tokens'):
        query(
            counted, '{total: sum([].id), failed: length(@), mean: avg([].id), last: max([].id), first: min([].id)}', 50
        )


@pytest.mark.parametrize(
    ('document', 'expression', 'found', 'told'),
    [
        (PODS, "items[?phase=='Failed'].[name, restarts]", '["pod-7", 7]', 'JSON: one result'),
        (PODS, 'items[-2:].name', '"pod-38"\n"pod-39"', 'JSON: 2 results'),
        (PODS, 'length(items)', '40', 'JSON: one result'),
        (PODS, 'items[0]', '{"name": "pod-0", "restarts": 0, "phase": "ok"}', 'JSON: one result'),
        (PODS, 'items[?restart > `1`]', '', NOTHING),
        (PODS, 'pods', '', NOTHING),
        (BERTHS, 'max_by(@, &depth)', '{"berth": "B-029", "depth": 29.5, "note": "free"}', 'CSV, 30 rows: one result'),
        (
            BERTHS,
            "[?note != 'free']",
            '{"berth": "B-003", "depth": 3.5, "note": "sunk; and lost"}',
            'CSV, 30 rows: one result',
        ),
        (
            LOG,
            "[?contains(text, 'ERROR')]",
            '{"line": 6, "text": "2026-03-06 02:05:01,120 ERROR served"}',
            'lines, 40 of them: one result',
        ),
        (LOG, "length([?contains(text, 'INFO')])", '39', 'lines, 40 of them: one result'),
        (EVENTS, "[?level == 'error']", '{"line": 6, "level": "error", "ms": 5}', 'JSON lines, 40: one result'),
    ],
)
def test_what_is_found(document: Document, expression: str, found: str, told: str) -> None:
    assert query(document, expression, 200) == f'{found}\n[{document.id}, read as {told}.]'.lstrip()


def test_a_number_stays_what_it_was() -> None:
    assert read_records('item,price\na,2.5\nb,13.10\n')[0] == [
        {'item': 'a', 'price': 2.5},
        {'item': 'b', 'price': 13.1},
    ]
    assert read_records('mill,version\na,3.9\nb,3.10\nc,')[0] == [
        {'mill': 'a', 'version': '3.9'},
        {'mill': 'b', 'version': '3.10'},
        {'mill': 'c', 'version': None},
    ]
    assert query(Document('mill,cost\na,2.50\nb,3.25'), 'sum([].cost)', 400).startswith('5.75\n')
    assert query(Document('[{"size": 1E400}]'), '[0].size', 400).startswith('"1E400"\n')


def test_what_is_no_number_is_left_out_of_orders() -> None:
    depths = Document('berth,depth,note\na,5,\nb,,"  "\nc,9,x\nd,n/a,x\n')
    told = {
        '[?depth > `6`].berth': '"c"',
        "[?depth <= 'x'].berth": '"d"',
        '[?depth == `null`].berth': '"b"',
        '[?!note].berth': '"a"\n"b"',
        "avg([?type(depth) == 'number'].depth)": '7.0',
    }
    for expression, found in told.items():
        assert query(depths, expression, 200).rpartition('\n')[0] == found


def test_what_does_not_fit_is_counted() -> None:
    assert query(PODS, 'items[].name', 80) == snapshot("""\
"pod-0"
"pod-1"
"pod-2"
"pod-3"
"pod-4"
"pod-5"
[src_bde2d414ac13, read as JSON: 40 results, 6 shown; for the others ask for fewer fields, or for a slice with `| [6:]`.]\
""")
    assert query(Document(json.dumps([{'name': 'mill', 'log': 'word ' * 900}])), '[0]', 90) == snapshot("""\
"name": "mill"
[src_a5cd5536111a, read as JSON, 1 items: one result, 1 of 2 parts shown; ask for single fields, or with more max_tokens.]\
""")
    assert tokens.count(query(PODS, '@', 60)) <= 60
    assert tokens.count(query(Document(json.dumps(['word ' * 900])), '[0]', 60)) <= 60


@pytest.mark.parametrize(
    ('expression', 'problem'),
    [
        ('items[', 'Invalid jmespath expression: Incomplete expression: "items[" ^'),
        ('nope(@)', 'Unknown function: nope()'),
        (
            'length(items[0].restarts)',
            "In function length(), invalid type for value: 0, expected one of: ['string', 'array', 'object'], "
            'received: "number"',
        ),
        (
            "items[?contains(none, 'x')]",
            "In function contains(), invalid type for value: None, expected one of: ['array', 'string'], "
            'received: "null"',
        ),
        ('items[::0]', 'slice step cannot be zero'),
        ("ceil(to_number('inf'))", 'cannot convert float infinity to integer'),
        ('(' * 1500, 'maximum recursion depth exceeded'),
    ],
)
def test_what_is_refused(expression: str, problem: str) -> None:
    with pytest.raises(RequestError) as refused:
        query(PODS, expression, 200)
    assert str(refused.value) == f'the query is no JMESPath that fits: {problem} (JSON; {QUOTES})'


def test_limits_of_time_and_size(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RequestError, match='the query has 3,000 characters, over 2,000; ask for less at once'):
        query(PODS, 'x' * 3000, 200)
    monkeypatch.setattr(querying, 'MAX_CHARACTERS', 100)
    with pytest.raises(RequestError, match='over the 100 that can be queried; use read_source'):
        query(PODS, '@', 200)
    monkeypatch.undo()
    monkeypatch.setattr(querying, 'MAX_SECONDS', -1.0)
    with pytest.raises(RequestError, match='filter first'):
        query(PODS, '@', 200)
    monkeypatch.undo()
    monkeypatch.setattr(querying, '_MAX_SIZE', 1000)
    for expression in (
        'to_string(items)',
        "join(',', items[].name)",
        'items[].{a: @, b: @} | [@]',
        '[@,@]' + '|[@,@]' * 60,
        '[@,@][]' + '|[@,@][]' * 60,
    ):
        with pytest.raises(RequestError, match='select fewer'):
            query(PODS, expression, 200)


@pytest.mark.parametrize(
    ('text', 'form', 'first'),
    [
        ('a,b\n1,2.50\n007,x\n', 'CSV, 2 rows', {'a': 1, 'b': 2.5}),
        ('a\tb\r\n1\t2\r\n', 'CSV, 1 rows', {'a': 1, 'b': 2}),
        ('a,b\n1,2,3,4\n' + '1,2\n' * 20, 'CSV, 21 rows', {'a': 1, 'b': 2, 'more': [3, 4]}),
        ('a,b\n"one\ntwo",2\n', 'CSV, 1 rows', {'a': 'one\ntwo', 'b': 2}),
        ('a,a\n1,2\n', 'lines, 2 of them', {'line': 1, 'text': 'a,a'}),
        ('1,2\n3,4\n', 'lines, 2 of them', {'line': 1, 'text': '1,2'}),
        ('{"a": 1}\n\nnone\n', 'lines, 3 of them', {'line': 1, 'text': '{"a": 1}', 'a': 1}),
        ('{"a": 1}\n{"line": "x"}\n', 'JSON lines, 2', {'line': 1, 'a': 1}),
        ('{"a": 1} {"a": 2', 'lines, 1 of them', {'line': 1, 'text': '{"a": 1} {"a": 2'}),
        ('[1]', 'JSON, 1 items', 1),
        ('"text"', 'lines, 1 of them', {'line': 1, 'text': '"text"'}),
        ('', 'lines, 0 of them', None),
    ],
)
def test_how_a_text_is_read(text: str, form: str, first: object) -> None:
    records, read_as = read_records(text)
    assert read_as == form
    assert isinstance(records, list)
    assert (records[0] if records else None) == first


@pytest.mark.filterwarnings('ignore::PendingDeprecationWarning')  # of literals that are no JSON
@example('&@')
@example('[{a: &@}]')
@given(st.text(alphabet='[]{}@*.,`"\'&|?!=<>:abc019() ', max_size=30))
def test_any_expression_is_answered_or_refused(expression: str) -> None:
    with contextlib.suppress(RequestError):
        assert tokens.count(query(BERTHS, expression, 100)) <= 100


def test_a_table_with_a_quotation_mark_that_is_not_closed_is_read_as_lines() -> None:
    assert read_records('id,name\n1,"6 in pipe\n2,"two\nlines"\n3,x\n')[1] == 'lines, 5 of them'
    assert read_records('id,name\n1,6" pipe\n2,"two\nlines"\n')[1] == 'CSV, 2 rows'


@pytest.mark.parametrize(('written', 'read'), [('"item" two', 'item two'), ('"5"" pipe', None)])
def test_a_field_with_wrong_quotation_marks_takes_no_table(written: str, read: str | None) -> None:
    table = 'id,name,n\n' + ''.join(f'{number},{written if number == 60 else "pipe"},2\n' for number in range(90))
    rows, form = read_records(table)
    assert isinstance(rows, list)
    assert form == ('CSV, 90 rows' if read else 'lines, 91 of them')
    assert read is None or rows[60] == {'id': 60, 'name': read, 'n': 2}


def test_a_column_of_codes_is_text_in_each_row() -> None:
    """`90210` is no number where `01234` is none, nor is a hash that happens to have no letter."""
    coded = read_records('zip,hash,load\n01234,12e4567,5\n90210,1234567,N/A\n,abc1234,7\n')[0]
    assert coded == [
        {'zip': '01234', 'hash': '12e4567', 'load': 5},
        {'zip': '90210', 'hash': '1234567', 'load': 'N/A'},
        {'zip': None, 'hash': 'abc1234', 'load': 7},
    ]


def test_a_column_is_of_codes_by_what_stands_in_it() -> None:
    """Numbers of builds are numbers, and `3.10` is a version."""
    rows = [f'{number},3.{number},{number}' for number in range(8, 12)]
    read = read_records('\n'.join(['build,version,load', *rows]).replace('9,3.9,9', '9,3.9,09'))[0]
    assert query(Document(json.dumps(read)), 'max([].build)', 100).startswith('11\n')
    assert query(Document(json.dumps(read)), '[].version', 100).startswith('"3.8"\n"3.9"\n"3.10"\n')
    assert query(Document(json.dumps(read)), '[].load', 100).startswith('8\n"09"\n10\n')
    hashes = 'sha,n\n' + ',1\n'.join(['a1b2c3d', '1234567', '9f8e7d6', '0a1b2c3', 'abc1234', '7654321', ''])
    assert query(Document(hashes), "[?sha == '1234567'].n", 100).startswith('1\n')


def test_half_an_emoji_can_be_sent() -> None:
    assert query(Document(r'[{"said": "so \ud83d"}]'), '[0].said', 400).startswith('"so ?"\n')
