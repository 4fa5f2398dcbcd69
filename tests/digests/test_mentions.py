"""What a digest shows of machine output where something is asked for."""

import json

import pytest
from inline_snapshot import snapshot

from summarizer_tool.digests.columns import quantity
from summarizer_tool.digests.digest import digest
from summarizer_tool.digests.statements import focus_words

PACKAGES = '\n'.join(
    [
        'Name                 Version    Description',
        'libtls-openssl       3.7        wrapper of openssl for tls',
        *(f'lib{name}               1.{at}        library of {name}' for at, name in enumerate('abcdefghijklmnop')),
        'openssl              3.0.19     secure sockets',
        'xml-openssl          1.2        openssl engine of xml',
        'zlib                 1.3        to compress',
    ]
)
JOBS = '\n'.join(
    [
        'USER   PID %CPU %MEM COMMAND',
        *(f'root  {at:4}  0.0  0.{at % 7} [cpuhp/{at}]' for at in range(10, 40)),
        'root  4000 54.0  0.2 python bench.py',
        'root  4001  0.0  0.1 cat',
    ]
)
SALES = '\n'.join(
    [
        'region,month,units,returns',
        *(f'{region},2026-0{month},9{month},{month}' for region in ('North', 'South', 'West') for month in range(1, 9)),
        'South,2026-09,12,41',
        'North,2026-09,99,60',
    ]
)


def mentions(text: str, focus: str, budget: int = 150) -> list[str]:
    return [each.text for each in digest(text, budget, focus=focus).lines if each.topic == 'mentioned']


def test_a_word_is_told_by_itself_rather_than_what_only_holds_it() -> None:
    assert '19| openssl 3.0.19 secure sockets' in mentions(PACKAGES, 'Which version of openssl is installed?', 60)
    lines = [f'net.ip_forward_{name} = 1' for name in 'abcdefgh']
    assert mentions('\n'.join([*lines, 'net.ip_forward = 0', 'net.y = 2']), 'net.ip_forward', 30) == snapshot(
        ['9| net.ip_forward = 0']
    )


def test_titles_of_a_table_are_no_mention_and_most_of_a_column_comes_first() -> None:
    first, *others = mentions(JOBS, 'Which process uses most CPU?')
    assert first == '%CPU=54.0 (most): root 4000 54.0 0.2 python bench.py'
    assert not any('USER' in each or 'cpuhp' in each for each in others)
    assert mentions(SALES, 'returns in the South', 100) == snapshot(
        [
            '26| South,2026-09,12,41',
            '10| South,2026-01,91,1',
            '11| South,2026-02,92,2',
            '12| South,2026-03,93,3',
            'returns=8 (2. most): South,2026-08,98,8',
            '13| South,2026-04,94,4',
        ]
    )
    assert mentions(SALES, 'lowest returns', 100)[0] == snapshot('returns=1 (least, as 2 more): North,2026-01,91,1')
    assert mentions(SALES.replace('returns', 'all_returns'), 'highest all_returns', 100)[0] == snapshot(
        'all_returns=60 (most): North,2026-09,99,60'
    )


def test_a_word_may_begin_within_a_name_where_a_capital_does() -> None:
    lines = [
        f'Mem{name:10} {at}{at} kB' for at, name in enumerate(['Used', 'Free', *(f'In{at}' for at in range(30))], 10)
    ]
    assert mentions('\n'.join(lines), 'free memory', 60) == snapshot(['2| MemFree 1111 kB'])


def test_a_short_number_counts_with_the_word_before_it() -> None:
    assert focus_words('What did Customer 7 buy in October 2026, on /?') == (
        'customer', 'buy', 'october', '2026', 'customer 7',
    )  # fmt: skip
    rows = ['id,customer,paid', *(f'{at},Customer {at % 70},{at}.50' for at in range(1000, 1700))]
    told = mentions('\n'.join(rows), 'What about Customer 7?', 200)
    assert len(told) > 3
    assert all('Customer 7,' in each for each in told)
    disks = [('Filesystem', 'Size', 'Used', 'Mounted on'), ('/dev/vda', '252G', '48G', '/')]
    disks += [('tmpfs', f'{at}G', '0', f'/sys/{at}') for at in range(5)]
    text = '\n'.join(f'{name:12} {size:>5} {used:>5} {at}' for name, size, used, at in disks)
    assert '/dev/vda 252G 48G /' in digest(text, 60, focus='disk usage of /').text


def test_a_path_is_found_by_its_end() -> None:
    names = ('hosts', *(f'gate{at}.conf' for at in range(30)))
    lines = [f'-rw-r--r-- 1 root root {at:5} May {at % 20 + 10} 2026 {name}' for at, name in enumerate(names, 188)]
    assert mentions('\n'.join(lines), 'How large is /etc/hosts?', 60) == snapshot(
        ['1| -rw-r--r-- 1 root root 188 May 18 2026 hosts']
    )


def test_of_lines_with_the_same_words_the_odd_one_comes_first() -> None:
    lines = [f'12:00:{at:02} INFO gate {at} opened by keeper in 12ms' for at in range(60)]
    for at in (10, 15, 20, 25, 30):
        lines[at] = lines[at].replace('keeper', 'warden')
    lines[25] = lines[25].replace('12ms', '99412ms')
    assert mentions('\n'.join(lines), 'warden', 200)[0] == f'26| {lines[25]}'


def test_a_word_that_stands_nowhere_is_found_in_what_begins_as_it_does() -> None:
    rows = [f'{at},Alder desk,{at * 7}' for at in range(40)]
    minutes = [f'Tom told of mill {at}.' for at in range(12)]
    text = '\n'.join([*minutes, 'DECISION: we move on 18 April.', *minutes, '', 'id,what,units', *rows])
    assert mentions(text, 'What was decided?') == snapshot([])


@pytest.mark.parametrize('sign', ['[', ' ', '7', 'a/', 'customer 7 '])
def test_long_lines_are_read_in_time_in_keeping_with_their_length(sign: str) -> None:
    text = '\n'.join([sign * (80_000 // len(sign))] * 6)
    assert digest(text, 100, focus='customer 7 in /a').text is not None


def test_a_value_is_asked_for_with_the_name_of_its_field() -> None:
    lines = [f'gate{at} by=oar{at % 5} of={"oak" if at % 2 else "elm"}' for at in range(60)]
    lines[31] = 'gate31 by=oak of=elm'
    assert mentions('\n'.join(lines), 'Which gate has by=oak?', 60)[0] == snapshot('32| gate31 by=oak of=elm')


def test_of_a_field_that_all_records_have_what_few_have_there_is_told() -> None:
    gates = [{'name': f'gate-{at}', 'seal': f'wax-{at % 3}'} for at in range(60)]
    gates[20]['seal'] = 'pitch'
    assert 'gate-20: seal=pitch' in digest(json.dumps(gates, indent=1), 200, focus='Which seal is odd?').text


def test_a_heading_is_told_with_what_is_below_it() -> None:
    lines = [f'  upper{at}={at % 7}' for at in range(30)] + ['  Lock:', '    oak=1', "    gate='shut'", '  end=2']
    assert mentions('\n'.join(lines), 'Which lock?', 60) == snapshot(["31| Lock: oak=1 gate='shut'"])


def test_numbers_of_other_countries_are_numbers() -> None:
    rows = ['name;paid', *(f'boat {at};{at % 7},{at % 10}0' for at in range(40)), 'boat 41;1.214,88']
    assert mentions('\n'.join(rows), 'Who has paid most?')[0] == 'paid=1.214,88 (most): boat 41;1.214,88'
    assert [quantity(text) for text in ('1,234.5', '0,5 %', '3,4,5', '1,23,456')] == [1234.5, 0.5, None, None]


def test_of_long_stack_traces_the_first_and_the_last_cause_are_told() -> None:
    frames = [f'\tat org.mill.web.filter.Chain{at}.doFilter(Chain{at}.java:{at})' for at in range(20)]
    event = [
        '2026-03-14T02:07:05Z ERROR mill.Orders : Could not keep order 7',
        'org.mill.transaction.CannotBeginException: Could not open a session for the transaction of this order',
        *frames,
        'Caused by: org.mill.pool.TransientException: no connection is free, timed out after 30 s',
        *frames,
    ]
    lines = [*(f'2026-03-14T02:06:{at:02}Z INFO mill.Orders : kept order {at}' for at in range(50)), *event]
    [told] = [each.text for each in digest('\n'.join(lines), 300).lines if each.topic == 'errors']
    assert told == snapshot(
        '51| 2026-03-14T02:07:05Z ERROR mill.Orders : Could not keep order 7 | org.mill.transaction.CannotBeginException: Could not open a session for the transaction of this order | Caused by: org.mill.pool.TransientException: no connection is free, timed out after 30 s'
    )


def test_calls_of_the_system_that_fail_are_warnings() -> None:
    calls = [
        'close(3) = 0',
        'read(3, "", 90) = 0',
        'mmap(NULL, 8, PROT_READ, MAP_PRIVATE, 3, 0) = 0x7f',
        'fsync(5) = 0',
    ]
    lines = [f'03:05:{at:02}.87 {calls[at % 4]}' for at in range(60)]
    lines[30] = '03:05:30.87 write(4, "row", 3) = -1 ENOSPC (No space left on device)'
    told = digest('\n'.join(lines), 200)
    assert [each.text for each in told.lines if each.topic == 'warnings'] == snapshot(
        ['31| 03:05:30.87 write(4, "row", 3) = -1 ENOSPC (No space left on device)']
    )
    assert 'ENOSPC ×1' in told.lines[0].text
