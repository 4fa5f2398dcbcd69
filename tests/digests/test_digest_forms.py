"""Digests of outputs of many forms: what is unlike the rest, and where it stands."""

import json
import re
from collections.abc import Sequence

from summarizer_tool.digests.digest import digest, machine_output

ASKED = 'Is anything wrong or unusual here?'


def told(text: str) -> str:
    return digest(text, 400, focus=ASKED).text


def test_columns_that_begin_at_the_same_place() -> None:
    rows = [f'-rw-r--r--  1 miller  {size:>9} sack-{size}' for size in range(900, 1100)]
    rows[70] = '-rwsr-xr-x  1 miller       1200 open-door'
    rows[90] = '-rw-r--r--  1 thief        1201 purse'
    text = told('\n'.join(rows))
    assert '71| -rwsr-xr-x 1 miller 1200 open-door' in text
    assert 'thief' in text
    assert '×198 in 1-200' in text


def test_commits_with_their_odd_author_date_and_size() -> None:
    commits = [
        f'commit {at:040x}\nAuthor: Ada <ada@mill.example>\nDate:   Mon Mar {1 + at % 28} 10:00:00 2026 +0000\n\n'
        f'    Grind sack {at}\n\n mill/stone.py | {at % 9 + 1} ++--\n 1 file changed, {at % 9 + 1} insertions(+)\n'
        for at in range(60)
    ]
    commits[20] = (
        f'commit {"ab" * 20}\nAuthor: Rook <rook@barn.example>\nDate:   Sat Jan 1 03:00:00 1999 +0000\n\n'
        '    Unlock the door\n\n mill/door.py | 7123 ----\n 1 file changed, 7123 deletions(-)\n'
    )
    text = told('\n'.join(commits))
    assert all(each in text for each in ('60 items', 'Rook', '1999', 'Unlock the door', '7123', 'abababababab'))


def test_numbers_with_labels() -> None:
    lines = ['# TYPE up gauge', *(f'up{{vat="{at}"}} {0 if at == 17 else 1}' for at in range(30))]
    lines += [f'grind_errors_total{{stone="{at}"}} {4040 if at == 3 else 0}' for at in range(30)]
    text = told('\n'.join(lines))
    assert '19| up{vat="17"} 0' in text
    assert 'grind_errors_total{stone="3"} 4040' in text


def test_rows_of_a_database_dump() -> None:
    rows = [f"INSERT INTO `vats` VALUES ({at},'vat {at}, the old','ok',{40 + at % 7});" for at in range(90)]
    rows[12] = "INSERT INTO `vats` VALUES (12,'vat 12','leaks',9000);"
    text = told('\n'.join(['CREATE TABLE `vats` (id, name, state, litres);', *rows, 'DROP TABLE `audit`;']))
    assert "INSERT INTO `vats` VALUES (12,'vat 12','leaks',9000);" in text
    assert 'DROP TABLE' in text


def test_xml_is_read_and_what_declares_entities_is_not() -> None:
    cases = [f'<case name="c{at}" time="0.1"/>' for at in range(50)]
    cases[7] = '<case name="c7" time="88.5"><failure>stone broke</failure></case>'
    text = f'<suite>{"".join(cases)}</suite>'
    assert 'c7' in told(text)
    assert 'stone broke' in told(text)
    assert digest(f'<!DOCTYPE a [<!ENTITY b "c">]>{text}', 400).kind == 'prose'


def test_a_long_name_is_one() -> None:
    cases = [f'<case name="test_that_{"the grain is dry and " * 6}[stone-{at}]" time="0.1"/>' for at in range(50)]
    cases[7] = cases[7].replace('/>', '><failure>stone broke</failure></case>').replace('test_that', 'test_whether')
    assert 'test_whether_the grain is dry' in next(
        line for line in told(f'<suite>{"".join(cases)}</suite>').split('\n') if 'broke' in line
    )


def test_names_that_are_free_are_one_field() -> None:
    packages = {
        f'p{at}': {'version': f'1.{at}.0', 'license': 'MIT', 'needs': {f'q{at}': '^1.0', f'r{at}': '^2.0'}}
        for at in range(60)
    }
    packages['p33']['deprecated'] = 'leaks'
    text = told(json.dumps(packages))
    assert 'p33: deprecated=leaks' in text
    assert 'needs.q1' not in text


def test_values_in_quotes_reach_over_lines_and_blank_lines() -> None:
    rows = [f'{at},miller-{at % 3},"grind\n\nsack, {at} and ""more""",{20 + at % 5}' for at in range(40)]
    rows[17] = '17,,"grind\n\nsack 17",4000'
    rows[29] = '29,miller-1,"grind\n\nsack 29",N/A'
    found = digest('number,who,what,weight\n' + '\n'.join(rows), 400, focus=ASKED)
    assert found.kind == 'table'
    assert '53| 17,,"grind: weight=4000' in found.text
    assert '89| 29,miller-1,"grind: weight=N/A' in found.text


def test_rows_without_titles_are_all_rows() -> None:
    rows = [f'{4 + 4 * (at % 3)}\t/mill/sacks/{at}' for at in range(60)]
    text = told('\n'.join(rows).replace('4\t/mill/sacks/33', '734003200\t/mill/sacks/33'))
    assert '60 items' in text
    assert '34| 734003200 /mill/sacks/33' in text


def test_a_number_wider_than_its_column_is_whole() -> None:
    rows = [f'{calls:>9}    {calls / 1000:.3f} turn({calls})' for calls in range(100, 200)]
    rows[20] = '88123456789    0.120 turn(120)'
    text = told('\n'.join(['    CALLS  SECONDS FUNCTION', *rows]))
    assert 'CALLS: 100..151..88123456789 (min..median..max)' in text
    assert 'no number' not in text


def test_a_warning_of_the_tool_among_its_rows_is_told() -> None:
    rows = [f'{at:012x}  {at:016x} R_MILL_{64 if at % 9 else 32}   {at:08x} sack_{at}' for at in range(90)]
    rows[40:40] = ['sieve: Warning: vat 7 cracked at 41 in stone.9']
    rows[0:0] = ["Relocation of sacks '.mill' at 0xce0:"]
    text = told('\n'.join(rows))
    assert '42| sieve: Warning: vat 7 cracked at 41 in stone.9' in text


def test_what_a_program_calls_is_no_source_code() -> None:
    forms = (
        'read({0}, "sack {1}", {2}) = {0}',
        'close({0}) = 0',
        'mmap(NULL, {2}, PROT_READ, MAP_PRIVATE|MAP_FIXED, {1}, 0) = 0x7f{1:06x}',
        'fstat({0}, {{st_mode=S_IFREG|0644, st_size={1}, ...}}) = 0',
        'ioctl({0}, TCGETS, 0x7f{2:06x}) = {0}',
    )
    calls = [f'{700 + at % 3} {forms[at * 7 % 5].format(at % 5, at, 512 + at)}' for at in range(400)]
    calls[211] = '701 open("/mill/keys", O_RDWR) = -1 EACCES (Permission denied)'
    found = digest('\n'.join(calls), 200, focus=ASKED)
    assert found.kind == 'log'
    assert '212| 701 open("/mill/keys", O_RDWR) = -1 EACCES (Permission denied)' in found.text


def test_a_listing_of_links_is_no_source_code() -> None:
    rows = [f'lrwxrwxrwx 1 root root {20 + n % 9} Jun {1 + n % 28:2} 2025 tool{n} -> /opt/tools/{n}' for n in range(60)]
    rows[41] = 'lrwxrwxrwx 1 mill root 24 Jun  4 2025 tool41 -> /home/mill/41'
    found = digest('\n'.join(rows), 200)
    assert found.kind == 'log'
    assert '42| lrwxrwxrwx 1 mill root' in found.text


def test_tables_of_the_same_titles_are_one() -> None:
    tables = [
        f'NAME     STATE  AGE\nvat-{at:02}a  up     {at}m\nvat-{at:02}b  {"lost" if at == 7 else "up  "}   {at}m'
        for at in range(30)
    ]
    text = told('\n\n'.join(tables))
    assert 'table: 60 items' in text
    assert '31| vat-07b lost 7m' in text


def test_a_name_with_a_bad_word_is_no_warning() -> None:
    lines = [f'{at} fetch manifest {name}@^{at % 9}.0' for at, name in enumerate(['mill', 'sack', 'vat', 'stone'] * 30)]
    lines[40] = '40 fetch manifest http-errors@^2.0'
    lines[70] = '70 checksum of vat failed'
    odd = [line for line in digest('\n'.join(lines), 400, focus=ASKED).lines if line.topic == 'odd items']
    assert max(odd, key=lambda each: each.rank).lines == (71,)


def test_another_host_and_another_kind_of_hash() -> None:
    rows = [f'mill-{at},https://sacks.example/{at},sha256:{at * 7919:064x}' for at in range(100)]
    rows[44] = f'mill-44,http://purse.example/44,sha256:{44 * 7919:064x}'
    rows[55] = f'mill-55,https://sacks.example/55,md5:{55 * 7919:032x}'
    text = told('name,from,hash\n' + '\n'.join(rows))
    assert 'mill-44,http://purse.example/44,' in text
    assert 'mill-55,https://sacks.example/55,md5:' in text


def test_fields_behind_a_bar() -> None:
    rows = [
        f'-[ RECORD {at} ]-\nname    | mill_{at}\nsetting | {at}\nkind    | {"blob" if at == 31 else "bool"}'
        for at in range(1, 80)
    ]
    assert 'mill_31: kind | blob' in told('\n'.join(rows))


def test_an_odd_row_is_told_with_what_it_is() -> None:
    rows = [f'{n * 7 % 4001 + 1000}\t{n % 3}.0\t/usr/bin/berth --keeper pier-{n % 90}' for n in range(400)]
    rows[211] = '31337\t61.2\t/usr/local/bin/backup-agent --once'
    found = digest('\n'.join(['PID\t%MEM\tCOMMAND', *rows]), 300)
    assert '213| 31337 61.2 /usr/local/bin/backup-agent --once' in found.text


def test_what_stands_beside_a_table_is_told() -> None:
    rows = [f'{n:>6} keeper{n % 9:<4} {n % 3}.0 {n % 4}.1 berth-{n}' for n in range(40)]
    text = '\n'.join(
        ['tide - up 3 days, load 7.31', 'Boats: 40 in all, 1 sunk', '', '   PID USER       CPU MEM COMMAND', *rows]
    )
    found = digest(text, 300)
    assert 'beside table: Boats: 40 in all, 1 sunk' in found.text


def test_of_a_diff_the_changed_line_that_stands_alone() -> None:
    def file(name: str, changes: Sequence[str]) -> list[str]:
        gained = sum(line[0] == '+' for line in changes)
        head = [f'diff --git a/{name} b/{name}', f'--- a/{name}', f'+++ b/{name}']
        return [*head, f'@@ -1,{len(changes) - gained} +1,{gained} @@', *changes]

    lock = [
        f'{sign}    "hash": "sha256:{n * 7919 * (3 if sign == "+" else 5):032x}",' for n in range(300) for sign in '-+'
    ]
    moor = [f'{sign}    berth = quay.moor(boat, pier={n + (sign == "+")})' for n in range(30) for sign in '-+']
    moor.insert(31, '+    reply = ask(harbour, verify=False)')
    lines = [*file('harbour.lock', lock), *file('harbour/quay.py', moor)]
    found = digest('\n'.join(lines), 300, focus='Review this diff for security problems')
    number = 1 + lines.index('+    reply = ask(harbour, verify=False)')
    assert f'{number}| harbour/quay.py: + reply = ask(harbour, verify=False)' in found.text.splitlines()


def test_assignments_of_a_program_are_none() -> None:
    names = ['wheel', 'vat', 'sack', 'hopper', 'sluice', 'chute', 'sieve', 'bin', 'shaft', 'gear', 'belt', 'stone']
    lines = [line for at, name in enumerate(names) for line in (f'{name} = turn_{name}(', f'    {at}', ')', '')]
    assert machine_output('\n'.join(lines)) is None


def test_a_plan_that_looks_like_code_but_repeats_itself_is_told() -> None:
    blocks = [
        f'  # mill.wheel_{at} will be created\n  + resource "mill" "wheel_{at}" {{\n      + depth = {at % 3}\n'
        f'      + locked = true\n      + tags = {{\n          + team = "mill"\n        }}\n    }}\n'
        for at in range(60)
    ]
    blocks[41] = blocks[41].replace('true', 'false')
    found = digest('\n'.join(blocks), 200, focus=ASKED)
    assert re.search(r'mill\.wheel_41 .*locked = false', found.text)


def test_of_a_field_that_all_names_begin_with_the_rest_is_told() -> None:
    field = '    Title: country = NL, guild = Millers of the Lower Valley, mill = {}\n    Stones: {}'
    mills = [f'Mill:\n{field.format(f"wheel-{nth}", 9 if nth == 7 else 2)}\n    Sieve: fine' for nth in range(30)]
    assert '31| wheel-7: Stones: 9' in told('\n'.join(mills))


def test_odd_ones_of_records_of_two_lines_are_told() -> None:
    gates = [
        f'{"SHUT" if nth == 60 else "OPEN"} sluice-{nth}\n\tflow:{3 if nth == 90 else 40 + nth % 9} level:2'
        for nth in range(150)
    ]
    gates[:3] = [f'BUSY sluice-{nth}\n\tflow:44 level:2' for nth in range(3)]
    text = told('\n'.join(gates))
    assert '182| flow:3 level:2' in text
    assert '121| SHUT sluice-60' in text


def test_of_sections_each_tells_its_own() -> None:
    gates = [f'[gate{at}]\nheight = {4 if at != 5 else 9}\nkeeper = ada\n' for at in range(9)]
    assert 'gate5: height=9, keeper=ada' in digest('\n'.join(gates), 200).text


def test_blocks_are_called_by_what_tells_them_apart() -> None:
    pods = [
        f'- metadata:\n    generateName: mill-\n    labels:\n      app: mill\n    name: mill-{at * 7919 % 9973}\n'
        f'  status:\n    restarts: {41 if at == 13 else 0}'
        for at in range(30)
    ]
    assert 'mill-3217: restarts: 41' in digest('\n'.join(pods), 200).text


def test_times_within_a_minute_and_numbers_in_brackets() -> None:
    calls = [f'call weigh(3) took <0.000{at:03}>' for at in range(100, 300)]
    calls[44] = 'call weigh(3) took <2.871443>'
    assert '45| call weigh(3) took <2.871443>' in told('\n'.join(calls))
    visits = [{'mill': f'mill-{at}', 'came': f'2026-03-14T02:00:{at:02}Z'} for at in range(50, 10, -1)]
    assert '2026-03-14T02:00:11Z to 2026-03-14T02:00:50Z' in told(json.dumps(visits))


def test_a_list_of_news_with_long_links_is_written_by_people() -> None:
    link = '[notes](https://example.org/minutes/2031/05/{0}.md#16iic-what-was-said-of-the-gate-{0})'
    news = [
        f'- The {name} proposal and what was said of it advanced to the stage before the last one, '
        f'{link.format(at)}, {link.format(at + 20)}'
        for at, name in enumerate(3 * ('gate', 'wheel', 'Low Marsh', 'second weir', 'oak', 'mill pond', 'rye', 'lamp'))
    ]
    assert machine_output('# Summary\n\n' + '\n'.join(news)) is None


def test_a_comma_in_brackets_parts_nothing():
    lines = [f'opened_total{{gate="{at * 7}",by="keeper{at % 5}"}} {at}' for at in range(60)]
    assert 'column' not in digest('\n'.join([*lines, 'gates 9']), 200).text


def test_half_an_emoji_in_json_can_be_sent() -> None:
    text = ''.join(f'{{"id": {number}, "said": "cut \\ud83d off {number}"}}\n' for number in range(60))
    assert 'cut ? off' in digest(text, 200).text.encode().decode()


def test_blocks_with_times_or_words_for_what_is_bad_keep_their_names() -> None:
    findings = '\n'.join(
        f'sluice{at}  <{at}.0.0\nSeverity: {"high" if at == 14 else "low"}\n'
        f'Problem {at} - https://mill.example/{at}\nfix available via `mill fix`\ngates/sluice{at}\n'
        for at in range(20)
    )
    assert re.search(r'sluice14.*Severity: high', digest(findings, 500, focus='What is the worst?').text)


def test_secrets_that_are_masked_are_not_said_to_be_the_same() -> None:
    keepers = [{'keeper': f'k-{at}', 'role': 'miller', 'password': '[MASKED_PASSWORD]'} for at in range(60)]
    told = digest(json.dumps(keepers), 300).text
    assert 'the same in all: role=miller\n' in told
    assert 'masked in all: password' in told
