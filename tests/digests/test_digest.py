"""Digests of machine output: what an agent reads instead of a log, a list or a table."""

import json
from collections.abc import Sequence

import pytest
from inline_snapshot import snapshot

from summarizer_tool.digests.digest import digest
from summarizer_tool.text import tokens
from tests.proofs.tool_results import noise, noise_held_out
from tests.proofs.tool_results.noise_forms import Fact, Noise, surviving

BUDGET = 1000


def survived(cases: Sequence[Noise]) -> tuple[int, int]:
    """How many of the planted facts stand in digests of 1,000 tokens, and how many there are."""
    kept = planted = 0
    for text, facts in cases:
        short = digest(text, BUDGET)
        assert tokens.count(short.text) <= BUDGET
        kept += sum(fact.survives(short.text) for fact in facts)
        planted += len(facts)
    return kept, planted


def test_planted_facts_survive() -> None:
    kept, planted = survived(
        [
            noise.logs(1, 600, 17),
            noise.json_list(4, 500, 17),
            noise.pods(7, 700, 17),
            noise.table(10, 1000, 17),
        ]
    )
    assert planted == 68
    assert kept >= 0.95 * planted


@pytest.mark.slow
def test_facts_of_other_tools_survive() -> None:
    kept, planted = survived([*noise_held_out.cases()])
    assert planted == 240
    assert kept >= 0.9 * planted


def test_a_fact_needs_all_of_its_needles_as_whole_words() -> None:
    fact = Fact('37', 'CrashLoopBackOff')
    assert fact.survives('CrashLoopBackOff ×37')
    assert not fact.survives('CrashLoopBackOff ×371')
    assert surviving([fact, fact], 'Running ×37') == 0


LOG = '\n'.join(
    [
        *(
            f'2026-03-14T02:{minute:02d}:00Z INFO served /mill/{minute * 7} for user u{minute} in {20 + minute % 9}ms'
            for minute in range(50)
        ),
        '2026-03-14T02:50:00Z WARN pool is nearly empty (2 of 40)',
        '2026-03-14T02:51:00Z ERROR sluice 7 did not close',
        'Traceback (most recent call last):',
        '  File "/srv/mill/run.py", line 8, in run',
        '    close(sluice)',
        '  File "/srv/mill/sluice.py", line 71, in close',
        "    raise Jammed('gate 7')",
        'mill.errors.JammedError: gate 7',
        '2026-03-14T02:52:00Z ERROR sluice 9 did not close',
        '2026-03-14T02:53:00Z INFO served /mill/3 for user u4 in 7200ms',
    ]
)


def test_of_many_lines_those_are_told_with_a_value_that_is_asked_for() -> None:
    lines = [f'06:{n // 60:02}:{n % 60:02} INFO request {n} served /mill/{n % 20} by gate-7' for n in range(600)]
    found = digest('\n'.join(lines), 300, focus='Show requests for /mill/1')
    told = [each.text for each in found.lines if each.topic == 'mentioned']
    assert told[:2] == [f'2| {lines[1]}', f'22| {lines[21]}']
    assert all(' /mill/1 ' in each for each in told)
    # What all lines have, and a word that many have, tell none from the others.
    for asked in ('What has gate-7 served?', 'How was request served by the mill?', 'What was /mill/999?'):
        assert not any(each.topic == 'mentioned' for each in digest('\n'.join(lines), 300, focus=asked).lines)


@pytest.mark.parametrize('form', ['json', 'yaml'])
def test_of_a_record_of_several_lines_the_one_asked_for_is_told_with_its_name(form: str) -> None:
    orders = [
        {'id': f'ORD-{at}', 'status': 'paid', 'to': {'town': 'Marn'}, 'total': at * 7.5} for at in range(1000, 1100)
    ]
    yaml = '\n'.join(
        f'- id: {each["id"]}\n  status: paid\n  to:\n    town: Marn\n  total: {each["total"]}' for each in orders
    )
    text = json.dumps({'orders': orders}, indent=2) if form == 'json' else f'orders:\n{yaml}\n'
    told = digest(text, 150, focus='What is the total of ORD-1042?').text
    assert '\nORD-1042: total=7815.0, ' in told


def test_a_log_out_of_order_is_told_from_its_earliest_time_to_its_latest() -> None:
    *lines, last = LOG.splitlines()
    overview = digest('\n'.join([lines[0], last, *lines[1:]]), 300).text.splitlines()[0]
    assert '2026-03-14T02:00:00Z to 2026-03-14T02:53:00Z' in overview
    newest_first = [f'2026-03-{day:02} 04:12:00 ERROR gate {day} did not close' for day in range(28, 0, -1)]
    assert '×28 in 1-28: 2026-03-01 04:12:00 to 2026-03-28 04:12:00 ERROR' in digest('\n'.join(newest_first), 100).text


def test_a_log_is_told_as_templates_errors_and_odd_lines() -> None:
    assert digest(LOG, 300).text == snapshot("""\
log of 60 lines; 54 events; 2026-03-14T02:00:00Z to 2026-03-14T02:53:00Z; INFO ×51, ERROR ×2, WARN ×1; 4 templates
59| 2026-03-14T02:52:00Z ERROR sluice 9 did not close
52| 2026-03-14T02:51:00Z ERROR sluice 7 did not close | mill.errors.JammedError: gate 7 [File "/srv/mill/sluice.py", line 71, in close]
51| 2026-03-14T02:50:00Z WARN pool is nearly empty (2 of 40)
60| 2026-03-14T02:53:00Z INFO served /mill/3 for user u4 in 7200ms
×51 in 1-60: INFO served {/mill/0, … 51 distinct} for user {u4 ×2, … 50 distinct} in {20ms..24ms..7200ms}\
""")


def test_lines_name_where_they_come_from() -> None:
    found = [line.lines for line in digest(LOG, 300).lines]
    assert found == snapshot(
        [
            (),
            (59,),
            (52,),
            (51,),
            (60,),
            (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 60),
        ]
    )


def test_the_budget_keeps_the_errors_and_says_what_is_left_out() -> None:
    assert digest(LOG, 110).text == snapshot("""\
log of 60 lines; 54 events; 2026-03-14T02:00:00Z to 2026-0 … ARN ×1; 4 templates
59| 2026-03-14T02:52:00Z ERROR sluice 9 did not close
51| 2026-03-14T02:50:00Z WARN pool is nearly empty (2 of 40)
… and 3 more statements (lines 1-60)\
""")


def test_the_focus_brings_a_common_line_forward() -> None:
    assert 'user u31 ' not in digest(LOG, 200).text
    assert digest(LOG, 200, focus='what did user u31 do').text.splitlines()[0] == snapshot(
        '32| 2026-03-14T02:31:00Z INFO served /mill/217 for user u31 in 24ms'
    )


def test_colours_line_ends_and_levels_of_many_formats() -> None:
    text = '\r\n'.join(
        [
            '\x1b[31m2026/03/14 02:00:01 [error] 31#31: *5 connect() failed (111: Connection refused)\x1b[0m',
            'E0314 02:00:02.000001       1 sync.go:120] field hay: no parcel',
            'Mar 14 02:00:03 dairy systemd[1]: churn.service: Main process exited, code=exited, status=3/n/a',
            'ts=2026-03-14T02:00:04Z level=warn msg="retrying webhook" target=a.example',
            '10.0.0.9 - - [14/Mar/2026:02:00:05 +0000] "POST /mill HTTP/1.1" 503 61 "-" "curl/8.4.0"',
        ]
    )
    assert digest(text, 400).text == snapshot("""\
log of 5 lines; 2026/03/14 02:00:01 to 14/Mar/2026:02:00:05 +0000; ERROR ×2, WARN ×1, status 503 ×1; 5 templates
2| E0314 02:00:02.000001 1 sync.go:120] field hay: no parcel
1| 2026/03/14 02:00:01 [error] 31#31: *5 connect() failed (111: Connection refused)
5| 10.0.0.9 - - [14/Mar/2026:02:00:05 +0000] "POST /mill HTTP/1.1" 503 61 "-" "curl/8.4.0"
4| ts=2026-03-14T02:00:04Z level=warn msg="retrying webhook" target=a.example
3| Mar 14 02:00:03 dairy systemd[1]: churn.service: Main process exited, code=exited, status=3/n/a\
""")


def test_a_list_of_objects_is_told_by_its_fields_and_its_exceptions() -> None:
    items = [{'name': f'vat-{at}', 'status': 'ok', 'litres': 40 + at % 7, 'lid': {'closed': True}} for at in range(200)]
    items[17] |= {'status': 'leaking', 'error': 'seam 4 is open'}
    items[90]['litres'] = 9000
    del items[120]['lid']
    text = json.dumps({'items': items, 'metadata': {'total': 200}})
    assert digest(text, 400).text == snapshot("""\
items: 200 items with 5 fields, named by name
vat-17: status=leaking (usually ok), error=seam 4 is open, litres=43
vat-120: lid.closed missing (usually true), litres=41
vat-90: litres=9000
status: ok ×199, leaking ×1
lid.closed: true ×199, (missing) ×1
litres: 40 ×29, 41 ×29, 42 ×29, 43 ×29, 44 ×28, 45 ×28, 46 ×27, 9000 ×1
name: 200 distinct, like vat-0
error: (missing) ×199, seam 4 is open ×1
metadata.total: 200\
""")


def test_an_odd_part_of_a_thing_is_told_with_its_name() -> None:
    runs = [
        {'id': f'run-{at}', 'jobs': [{'name': name, 'steps': at % 3, 'result': 'ok'} for name in ('mill', 'sieve')]}
        for at in range(60)
    ]
    runs[41]['jobs'][1] |= {'result': 'jammed', 'note': 'a stone'}  # pyright: ignore[reportOperatorIssue,reportIndexIssue]
    found = digest(json.dumps(runs), 300)
    assert 'run-41 > sieve: result=jammed (usually ok), note=a stone' in found.text


def test_of_few_things_the_odd_ones_are_told_by_name_with_all_that_is_odd_in_them() -> None:
    boats = [
        {
            'name': f'boat-{at}',
            'moored': {'berth': f'pier-{at}', 'ropes': [f'/pier/{at}'], 'last': {'state': 'afloat', 'pumps': 0}},
            'papers': {f'paper-{nth}': 'licensed for the upper reach in 2021' for nth in range(9)},
        }
        for at in range(9)
    ]
    boats[4]['moored'] = {'berth': 'pier-4', 'ropes': ['/pier/4'], 'last': {'state': 'sunk', 'pumps': 27}}
    boats[6]['moored'] = {
        'berth': 'pier-6',
        'ropes': ['/pier/6', '/quay.ring'],
        'last': {'state': 'afloat', 'pumps': 0},
    }
    told = digest(json.dumps(boats), 400).text
    assert 'boat-4: moored.last.state=sunk (usually afloat), moored.last.pumps=27 (usually 0)' in told
    assert 'boat-6: moored.ropes.length=2 (usually 1), moored.ropes=[/pier/6, /quay.ring]' in told
    assert 'moored.last.pumps: 0 ×8, 27 ×1' in told


def test_small_json_is_told_whole() -> None:
    text = json.dumps(
        {'service': 'mill', 'replicas': {'wanted': 3, 'ready': 2}, 'last_error': 'disk full', 'tags': ['a']}
    )
    assert digest(text, 200).text == snapshot("""\
last_error: disk full
service: mill
tags: [a]
replicas: wanted=3, ready=2\
""")


def test_settings_that_are_not_the_default() -> None:
    settings = [{'key': f'mill.{at}', 'value': str(at % 5), 'default': str(at % 5)} for at in range(100)]
    settings[40]['value'] = '77'
    assert 'mill.40: value=77' in digest(json.dumps(settings), 200).text


def test_a_list_of_identifiers_is_a_pattern_a_count_and_exceptions() -> None:
    names = [f'vat-{at}' for at in range(500)]
    names[3] = 'barrel/old'
    assert digest(json.dumps(names), 200).text == snapshot("""\
values: value=barrel/old
values: 500 values, 500 distinct, like vat-0\
""")


def test_json_values_one_after_another() -> None:
    text = '\n'.join(json.dumps({'id': n, 'state': 'sunk' if n == 41 else 'free'}, indent=2) for n in range(300))
    assert '41: state=sunk (usually free)' in digest(text, 200).text
    cut = digest(text[:-20], 200)
    assert cut.kind == 'json'
    assert '41: state=sunk (usually free)' in cut.text


def test_json_that_is_cut_off_is_told_as_far_as_it_goes() -> None:
    text = json.dumps([{'name': f'vat-{at}', 'status': 'ok'} for at in range(100)])[:-20]
    assert digest(text, 200).text == snapshot("""\
items: 99 items with 2 fields, named by name
JSON invalid from character 3564 of 3570
the same in all: status=ok
name: 99 distinct, like vat-0\
""")


def test_a_number_at_which_json_is_cut_off_is_not_told() -> None:
    text = json.dumps({'sluice': 'open', 'mills': ['upper', 'lower'], 'toll': 123456})[:-5]
    assert 'toll: …' in digest(text, 200).text


def test_a_log_inside_json() -> None:
    found = digest(json.dumps([{'type': 'text', 'text': LOG}]), 300)
    assert found.kind == 'json'
    assert 'ERROR sluice' in found.text


@pytest.mark.parametrize('separator', [',', '\t', ' | '])
def test_a_table_is_told_by_its_columns(separator: str) -> None:
    rows = [['vat', 'litres', 'state'], *([f'v{at}', str(40 + at % 7), 'ok'] for at in range(100))]
    rows[40][2] = 'leaking'
    lines = [separator.join(row) for row in rows]
    if separator == ' | ':
        lines = [f'| {line} |' for line in lines]
        lines.insert(1, '|---|---|---|')
    found = digest('\n'.join(lines), 200)
    assert found.kind == 'table'
    assert 'state: ok ×99, leaking ×1' in found.text
    [odd] = [line for line in found.lines if line.topic == 'odd items']
    number = 42 if separator == ' | ' else 41
    assert (odd.lines, odd.text) == ((number,), f'{number}| {" ".join(lines[number - 1].split())}')


def test_columns_of_a_command_line_tool() -> None:
    text = (
        'Filesystem      Size  Used Avail Use% Mounted on\n'
        '/dev/sda1        50G   48G  2.0G  97% /\n'
        'tmpfs           3.9G     0  3.9G   0% /dev/shm\n'
        '/dev/sdb1       500G  120G  380G  24% /data\n'
        '/dev/sdc1       500G  121G  379G  25% /backup\n'
    )
    assert digest(text, 300).text == snapshot("""\
table: 4 items with 6 fields
Filesystem=/dev/sda1, Size=50G, Used=48G, Avail=2.0G, Use%=97%, Mounted on=/
Filesystem=tmpfs, Size=3.9G, Used=0, Avail=3.9G, Use%=0%, Mounted on=/dev/shm
Filesystem=/dev/sdb1, Size=500G, Used=120G, Avail=380G, Use%=24%, Mounted on=/data
Filesystem=/dev/sdc1, Size=500G, Used=121G, Avail=379G, Use%=25%, Mounted on=/backup\
""")


def test_prose_is_left_to_the_summarizer(crawl: dict[str, str]) -> None:
    for name, page in crawl.items():
        found = digest(page, 500)
        assert (found.kind, found.text, found.lines) == ('prose', '', ()), name


def test_the_same_text_has_the_same_digest() -> None:
    text, _ = noise.logs(1, 500, 8)
    assert digest(text, 300) == digest(text, 300)


@pytest.mark.parametrize(
    ('form', 'good', 'bad'),
    [
        ('{1}: harbour/berth-{0}.exp: moor and exit {0}', 'PASS', 'FAIL'),
        ('test_berth_{0} (harbour.tests.Moorings.test_berth_{0}) ... {1}', 'ok', 'ERROR'),
        ('tests/test_harbour.py::test_berth_{0} {1} [ {0}%]', 'PASSED', 'FAILED'),
        ('{1} {0} - berth takes a boat', 'ok', 'not ok'),
        ('{0}/400 Test #{0}: berth ....... {1} 0.02 sec', 'Passed', '***Failed'),
    ],
)
def test_outcomes_of_tests_are_counted_and_the_bad_ones_listed(form: str, good: str, bad: str) -> None:
    lines = [form.format(number, bad if number in (40, 311) else good) for number in range(400)]
    found = digest('\n'.join(lines), 300, focus='Did all of this output pass?')
    assert any('×398' in each.text and good in each.text for each in found.lines)
    assert {41, 312} <= {line for each in found.lines if bad in each.text for line in each.lines}


def test_a_word_of_the_question_that_many_lines_have_says_nothing_about_them() -> None:
    lines = [f'boat {n} shows its output to keeper {n % 7} of pier {n % 5}' for n in range(400)]
    lines[77] = 'boat 77 hides its cargo from keeper 0 of pier 2'
    found = digest('\n'.join(lines), 300, focus='Which cargo is odd in this output?')
    assert [each.text for each in found.lines if each.topic == 'mentioned'] == [f'78| {lines[77]}']


def test_lines_are_counted_as_a_store_counts_them() -> None:
    lines = [f'12:00:{n:02} INFO lock {n} opened' for n in range(60)]
    lines[3] += '\rand closed'
    lines[20] = '\r'.join(f'{n} %' for n in range(0, 101, 10))
    lines[41] = '12:00:41 ERROR lock 41 is stuck'
    found = digest('\n'.join(lines), 200)
    assert [line.lines for line in found.lines if 'ERROR lock 41' in line.text] == [(42,)]
    assert '60 lines' in found.text


def test_a_trace_alone_tells_where_it_was_thrown() -> None:
    frames = [f'  File "/app/step{n}.py", line {n}, in run\n    return self.next{n}(load)' for n in range(1500)]
    thrown = '  File "/app/gears.py", line 88, in turn\n    raise ValueError(n)\nValueError: tooth 17 is broken'
    assert digest('\n'.join(['Traceback (most recent call last):', *frames, thrown]), 200).text == snapshot("""\
log of 3004 lines; 1 events; exception ×1; 1 templates
1| ValueError: tooth 17 is broken [File "/app/gears.py", line 88, in turn]\
""")


def test_a_ruled_heading_is_told_with_what_went_wrong_below_it() -> None:
    case = '_____ setup of {0} _____\n\npath = {0}\n\n    def db(path):\n>       open(path)\nE   OSError: no such lock: {0}\n'
    cases = '\n'.join(case.format(name) for name in ('weir', 'mill', 'quay', 'gate'))
    told = digest('2026-01-01 INFO run begins\n' * 40 + cases, 300, focus='What broke in setup of mill?').text
    assert told.split('\n')[0] == snapshot('log of 71 lines; 60 events; INFO ×40; 15 templates')
