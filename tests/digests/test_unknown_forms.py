"""XML that is not as it should be, and text of no known form: what is digested of them, and what is prose."""

import base64
import random

import pytest
from inline_snapshot import snapshot

from summarizer_tool.digests.digest import digest
from summarizer_tool.digests.xml_reading import read_xml
from summarizer_tool.text.lines import is_written

ITEMS = ''.join(f'<berth id="{n}"><state>{"sunk" if n == 41 else "free"}</state></berth>' for n in range(400))


@pytest.mark.parametrize(
    'text',
    [
        pytest.param(f'<?xml version="1.0"?><!DOCTYPE pier SYSTEM "pier.dtd"><pier>{ITEMS}</pier>', id='doctype'),
        pytest.param(f'The piers:\n\n<pier>{ITEMS}</pier>', id='words before'),
        pytest.param(f'<pier>{ITEMS}'[:-20], id='cut'),
        pytest.param(f'<pier>{ITEMS}</pier>'.replace('berth', 'ns:berth'), id='prefix'),
        pytest.param(f'<pier>{ITEMS}</pier>'.replace('<state>free', '<state>&nbsp;free'), id='entity'),
        pytest.param(ITEMS, id='no root'),
        pytest.param(f'<pier>{ITEMS}</pier><?xml version="1.0"?><pier>{ITEMS}</pier>', id='two'),
    ],
)
def test_xml_that_is_not_as_it_should_be(text: str) -> None:
    found = digest(text, 300)
    assert found.kind == 'json'
    assert '41: state=sunk' in found.text


def test_of_cut_xml_what_is_complete() -> None:
    read = read_xml('<pier><berth><id>1</id><s>free</s></berth><berth><id>2</id><s>fr')
    assert read is not None
    assert (read.value, read.broken) == snapshot(
        ({'pier': {'berth': {'id': '1', 's': 'free'}}}, 'XML invalid from character 62 of 64')
    )


@pytest.mark.parametrize(
    'text',
    [
        pytest.param('<!DOCTYPE html><html><body><p>A pier.</p></body></html>', id='page'),
        pytest.param('<div><p>A pier.</p></div>', id='part of a page'),
        pytest.param('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', id='entities'),
        pytest.param('a < b and c > d', id='no tags'),
        pytest.param(f'{"The pier is old. " * 40}<a>b</a>', id='mostly words'),
    ],
)
def test_what_is_not_read_as_xml(text: str) -> None:
    assert read_xml(text) is None


def test_a_line_without_end_is_read_in_pieces() -> None:
    packed = ''.join(f'function a{n}(b){{return b[{n}]}};' for n in range(900)).replace('a41(b)', 'a41(b,lost)')
    found = digest(packed, 200)
    assert found.kind == 'log'
    assert found.text == snapshot("""\
1 lines; 5 templates
1| a32(b){return b[32]};function a33(b){return b[33]};function … a40(b){return b[40]};function a41(b,lost){return b[41]};function a42(b){return
×84 in 1-1: {a11, … 84 distinct}(b){return b[{11..885}]};function {a12, … 84 distinct}(b){return b[{12..886}]};function … ction {a17, … 84 distinct}(b){return b …
… and 1 more templates (line 1)\
""")


def test_what_programs_write_of_their_lists() -> None:
    found = digest(str([{'berth': n, 'state': 'sunk' if n == 41 else 'free', 'note': None} for n in range(300)]), 200)
    assert '#42: state=sunk (usually free)' in found.text


@pytest.mark.parametrize(
    ('text', 'is_prose'),
    [
        ('The keeper said: “It’s well-known (or so they say) that 3 boats lay in.” ' * 9, True),
        ('# Piers\n\n- the *old* one, built in 1412\n- the [new](https://example.org/new) one of the town\n' * 9, True),
        ('港の灯台守は、三艘の船が北の桟橋に停泊していると記した。' * 9, True),
        (base64.b64encode(random.Random(1).randbytes(3000)).decode(), False),
        (' '.join(str(number / 7) for number in range(500)), False),
        ("{'a': 1, 'b': None}, " * 99, False),
    ],
)
def test_who_has_written_it(text: str, is_prose: bool) -> None:
    assert is_written(text) is is_prose


def test_lines_that_a_process_marks_as_its_own_are_no_source_code() -> None:
    lines = [
        *(
            f'==4711==    at 0x48{at:03}: lease_{at} (gate{at}.c:{at})\n==4711==    by 0x10{at:03}: main (mill.c:9)'
            for at in range(60)
        ),
        '==4711== 40 bytes in 1 blocks are definitely lost in loss record 7 of 9',
        *(f'--4711-- Reading syms from /usr/lib/mill{at}.so' for at in range(60)),
    ]
    assert '121| ==4711== 40 bytes' in digest('\n'.join(lines), 200, focus='Which blocks are lost?').text
