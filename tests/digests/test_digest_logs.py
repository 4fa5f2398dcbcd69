"""Digests of logs: their dates, levels, events and what stands between these."""

import json

import pytest
from inline_snapshot import snapshot

from summarizer_tool.digests.digest import digest

ASKED = 'Is anything wrong or unusual here?'


@pytest.mark.parametrize('asked', ['which vat is cracked?', 'Is anything wrong?'])
def test_a_log_of_many_days_has_its_dates(asked: str) -> None:
    lines = [f'Mar {1 + at // 40} 10:{at % 60:02d}:01 mill stone[{at}]: turned {at % 7} times' for at in range(400)]
    lines[250] = 'Mar 7 11:11:11 mill vats[9]: vat 12 is cracked'
    assert 'Mar 7 11:11:11 mill vats[9]: vat 12 is cracked' in digest('\n'.join(lines), 200, focus=asked).text


def test_a_time_far_from_all_others_in_a_log() -> None:
    lines = [f'2026-03-{at // 24 + 1:02d} {at % 24:02d}:00:00 mill {at % 7} ground' for at in range(200)]
    lines[120] = '1970-01-01 00:00:00 mill 3 ground'
    assert '121| 1970-01-01 00:00:00 mill 3 ground' in digest('\n'.join(lines), 400, focus=ASKED).text


def test_times_with_names_are_fields_of_records() -> None:
    records = [
        f'  File: /mill/sack-{at}\n  Size: {at * 37 % 991}   regular\nAccess: (0644/-rw-r--r--)  Uid: (0/ miller)\n'
        f'Access: 2026-05-{1 + at % 28:02} 05:43:10.000 +0000\nModify: 2026-05-{1 + at % 28:02} 05:43:10.000 +0000\n'
        f'Change: 2026-05-{1 + at % 28:02} 05:43:10.000 +0000\n Birth: 2026-01-01 00:00:00.000 +0000'
        for at in range(60)
    ]
    records[25] = records[25].replace('(0644/-rw-r--r--)', '(6777/-rwsrwsrwx)')
    found = digest('\n'.join(records), 400, focus=ASKED)
    assert found.kind == 'blocks'
    assert '178| /mill/sack-25: Access: (6777/-rwsrwsrwx) Uid: (0/ miller)' in found.text


def test_a_named_time_with_a_message_is_an_event() -> None:
    lines = [f'time: 2026-05-01 05:{at:02}:10 vat {at} was {"emptied" if at % 3 else "filled"}' for at in range(40)]
    assert digest('\n'.join(lines), 400).kind == 'log'


def test_a_trace_below_lines_of_which_none_is_an_error_is_one() -> None:
    lines = [f'2026-03-14 02:00:{at:02} INFO start job {at}' for at in range(40)]
    trace = ['Traceback (most recent call last):', '  File "/srv/run.py", line 8, in run', '    raise Jam(7)']
    lines[20:20] = [*trace, 'ValueError: gate 7 is jammed']
    told = digest('\n'.join(lines), 60).text
    assert '21| ValueError: gate 7 is jammed [File "/srv/run.py", line 8, in run]' in told
    assert 'exception ×1' in digest('\n'.join(lines), 200).text


def test_what_is_thrown_while_another_is_handled_is_one_event_and_keeps_its_names_and_messages() -> None:
    def frames(name: str) -> list[str]:
        return [f'  File "/usr/local/lib/mill/releases/2026-03-14/{name}.py", line 8, in turn', '    turn(n)']

    traced = ['Traceback (most recent call last):', *frames('wheels/gears'), 'JamError: tooth 17 is broken', '']
    handled = 'During handling of the above exception, another exception occurred:'
    thrown = [
        *traced,
        handled,
        '',
        traced[0],
        *frames('doors/sluice'),
        'mill.doors.Stuck: <gate 7 (no water behind it)>',
    ]
    text = '\n'.join(
        line
        for at in range(30)
        for line in (f'2026-03-14 02:00:{at:02} ERROR could not grind sack {at}, will do so again', *thrown)
    )
    assert digest(text, 400).text == snapshot("""\
log of 360 lines; 30 events; 2026-03-14 02:00:00 to 2026-03-14 02:00:29; ERROR ×30; 1 templates
×30 in 1-349: 2026-03-14 02:00:00 to 02:00:29 ERROR could not grind sack {0..29}, will do so again | JamError: tooth 17 is broken [File "…/wheels/gears.py", line 8, in turn] | mill.doors.Stuck: <gate 7 (no water behind it)> [File "…/doors/sluice.py", line 8, in turn]
most often behind File, of 2 in 60 lines: "…/wheels/gears.py" ×30, "…/doors/sluice.py" ×30\
""")


@pytest.mark.parametrize(
    ('first', 'last'),
    [
        ('01/03/2024 10:00:05', '01/17/2024 09:00:05'),
        ('3.1.2024 10:00:05', '17.1.2024 09:00:05'),
        ('03 Jan 2024 10:00:05', '17 Jan 2024 09:00:05'),
        ('2024年01月03日 10:00:05', '2024年01月17日 09:00:05'),
        ('20240103T100005Z', '20240117T090005Z'),
        ('1/3/2024 9:00:05 AM', '1/3/2024 1:00:05 PM'),
        ('9:00:05 AM', '1:00:05 PM'),
        ('2024-01-01T10:00:00+09:00', '2024-01-01T04:00:00Z'),
    ],
)
def test_a_log_is_told_from_its_first_date_to_its_last(first: str, last: str) -> None:
    text = '\n'.join(f'{time} INFO lamp {at} lit' for time in (first, last) for at in range(20))
    assert digest(text, 200).text.startswith(f'log of 40 lines; {first} to {last}; INFO ×40; 1 templates')


@pytest.mark.parametrize('what', ['sieve {}/{} of the second floor has no miller to turn it', 'sieve {}/{} is torn'])
def test_each_of_few_errors_is_told_whole(what: str) -> None:
    lines = [f'2026-03-14T02:{at // 60:02}:{at % 60:02}Z INFO ground sack {at}' for at in range(300)]
    words = [('rye', 'oat'), ('corn', 'malt'), ('bran', 'germ'), ('husk', 'chaff'), ('spelt', 'emmer')]
    odd = [what.format(*each) for each in words]
    for at, each in enumerate(odd):
        lines[50 * at + 20] = f'2026-03-14T02:{at:02}:30Z ERROR failed err="{each}"'
    text = digest('\n'.join(lines), 400).text
    assert [each for each in odd if each not in text] == []


def test_of_logged_objects_the_odd_one_is_told_and_what_stands_between_them() -> None:
    logged = [
        json.dumps({'time': f'2024-01-01T10:00:{at:02}Z', 'level': 50 if at == 7 else 30, 'msg': f'lamp {at} lit'})
        for at in range(30)
    ]
    trace = ['Traceback (most recent call last):', '  File "a.py", line 3, in f', '    x()', 'ValueError: disk full']
    told = digest('\n'.join(['Starting on port 80', *logged[:20], *trace, *logged[20:]]), 300)
    said = {each.text: each.lines for each in told.lines}
    assert next(lines for text, lines in said.items() if text.startswith('lamp 7 lit: level=50'))[0] == 9
    assert 'beside the JSON: Starting on port 80' in said
    assert (
        'beside the JSON: Traceback (most recent call last): File "a.py", line 3, in f x() ValueError: disk full'
        in said
    )
