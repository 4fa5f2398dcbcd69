"""Titles above numbers, comments beside rows, marks of tests, places in files: what tells output from what people say."""

import json

import pytest

from summarizer_tool.digests.digest import digest, machine_output

ASKED = 'Is anything wrong or unusual here?'


def told(text: str, budget: int = 400) -> str:
    return digest(text, budget, focus=ASKED).text


def test_titles_in_small_letters_or_with_digits_stand_above_numbers() -> None:
    rows = [f'vat-{at:<9} {1000 + at:>9} {at % 7:>5} {at % 5:>3}% /cellar/{at}' for at in range(30)]
    assert 'Avail: ' in told('\n'.join(['Vessel         1K-litres Avail Use% Kept in', *rows]))
    rows = [f'{at + 1:>7} {at / 8:8.3f} {at / 9:8.3f} stone.py:{at}(grind)' for at in range(30)]
    assert 'tottime: ' in told('\n'.join(['ncalls   tottime  cumtime filename:lineno(function)', *rows]))


def test_comments_part_no_table_and_name_its_columns() -> None:
    rows = [f'vat-{at}\t{at % 3}\tnorth' + ('\tleaks' if at % 2 else '') for at in range(40)]
    rows[20:20] = ['# The vats of the old cellar follow.']
    text = told('\n'.join(['# Vats, by name.', '#name\tstones\twall\tremarks', *rows]))
    assert 'table: 40 items with 4 fields' in text
    assert 'stones: ' in text
    assert '# The vats' not in text
    asked = digest('\n'.join(['#name\tstones\twall\tremarks', *rows]), 200, focus='Where is the old cellar?').text
    assert '# The vats of the old cellar follow.' in asked


def test_fields_without_a_blank_line_between_things_name_these() -> None:
    things = [f'Name:\tvat-{at}\nState:\tR\nLitres:\t{40 + at % 3} l\nStones:\t{at % 4}' for at in range(40)]
    things[7] = things[7].replace('State:\tR', 'State:\tZ (cracked)')
    assert 'vat-7: State:\tZ (cracked)'.replace('\t', ' ') in told('\n'.join(things))


@pytest.mark.parametrize(
    ('good', 'bad'),
    [
        ('✔ should grind sack', '✖ should drain vat'),
        ('√ grinds sack', '× drains vat'),
        ('ok 3 - sack', 'not ok 4 - vat'),
    ],
)
def test_marks_of_what_was_tried_are_levels(good: str, bad: str) -> None:
    lines = [
        f'    {good} {word}'
        for word in ['of rye', 'of oats', 'in rain', 'at dusk', 'with care', 'twice over', 'by hand'] * 4
    ]
    lines[11] = f'    {bad} in the cellar'
    text = told('\n'.join(lines))
    assert text.startswith('log of 28 lines')
    assert f'12| {bad} in the cellar' in text.replace('|     ', '| ')


def test_a_trace_ends_at_a_blank_line() -> None:
    lines = [f'  ✔ grinds sack {at}' for at in range(30)]
    lines += ['  1) drains the vat:', '     Error: no plug', '      at drain (vat.js:3:1)', '', '  2) sweeps the loft:']
    lines += ['     Error: no broom', '      at sweep (loft.js:9:1)']
    text = told('\n'.join(lines))
    assert 'no plug' in text
    assert '35| 2) sweeps the loft:' in text
    assert 'no broom' in text


def test_what_begins_with_a_place_in_a_file_is_output() -> None:
    said = ['Unused name', 'Missing text for readers', 'Line that is too long', 'Import of what is not used']
    lines = [f'mill/part{at}.py:{at * 7 + 1}:4: {said[at % 4]} {"abcdefgh"[at % 8] * 3}' for at in range(40)]
    read = machine_output('\n'.join(lines))
    assert read is not None
    assert read.kind == 'log'
    shown = [
        f'stone.c:{at * 3}:9: warning: comparison of what has signs and what has none\n   {at} |   grind(sack{at});'
        f'\n      |   ^~~~~'
        for at in range(20)
    ]
    assert machine_output('\n'.join(shown)) is not None


def test_one_long_line_leaves_a_log_its_times() -> None:
    lines = [f'2026-03-14 02:{at // 60:02}:{at % 60:02} INFO sack {at} ground' for at in range(200)]
    lines[50] = f'2026-03-14 02:00:50 INFO asked for {"x" * 3000}'
    lines[90] = '2026-03-14 02:01:30 ERROR the stone stands'
    assert 'log of 200 lines; 2026-03-14 02:00:00 to 2026-03-14 02:03:19' in told('\n'.join(lines))


def test_blocks_between_rules_are_called_by_what_they_say() -> None:
    blocks = [
        f'{"-" * 40}\n>> Issue: [B{at % 9}] Sack {at} left open\n   Where: loft/{at}.py\n{at} | open({at})'
        for at in range(40)
    ]
    blocks[12] += '\n   Danger: rats'
    text = told('\n'.join(blocks))
    assert '------' not in text
    assert 'Sack 12 left open: Danger: rats' in text


def test_one_statement_leaves_room_for_others() -> None:
    rows = [f'stone{at}.py {at * 3} {", ".join(str(100 + at + each) for each in range(150))}' for at in range(40)]
    text = digest('\n'.join(['Name Stmts Missing', *rows]), 200, focus='What of stone7.py and stone9.py?').text
    assert 'stone7.py 21' in text
    assert 'stone9.py 27' in text


def test_nothing_is_called_by_a_value_of_lines_that_belong_to_no_other() -> None:
    lines = [
        'the mill starts',
        *(f'   17: asks for sack {at} name=sack-{at}' for at in range(20)),
        '   17: search path=/loft',
    ]
    lines += [f'   17: asks for barrel {at}, the miller said' for at in range(20)]
    text = digest('\n'.join(lines), 200, focus='Which barrel did the miller ask for?').text
    assert 'asks for barrel' in text
    assert '/loft: ' not in text
    assert 'sack-0: ' not in text


def test_a_cut_name_is_not_said_before_the_line_that_it_is_of() -> None:
    ports = [
        f'{at}: port{at}: <BROADCAST,MULTICAST,UP,LOWER_UP,PROMISC> mtu {1500 + at} state UP qlen 1000\n'
        f'    link/ether 02:fc:{at:02} brd ff:ff\n    RX: bytes {at * 900} packets {at * 7}\n    TX: bytes {at * 90}'
        for at in range(1, 31)
    ]
    text = digest('\n'.join(ports), 200, focus='What mtu has port7?').text
    assert '7: port7: <BROADCAST' in text
    assert '000: 7: port7' not in text


def test_a_field_that_stands_twice_in_a_block_is_compared_with_none() -> None:
    blocks = [
        f'Suite: mill {at}\n    took: {at + 1} ms\n    case: grind\n    took: {900 - at} ms\n    case: drain\n    ok: yes'
        for at in range(12)
    ]
    text = digest('\n'.join(blocks), 300, focus='Which took the most?').text
    assert '(most)' not in text


@pytest.mark.parametrize(
    ('form', 'told'),
    [
        ('https://mill.example/v1/tenants/42/projects/harbour-town/gates/{}', 'of: …shut ×9, …open ×9'),
        ('registry.example/platform/team-mills/gateway-of-the-sluices/service:1.17.{}', '…service:1.17.open ×9'),
        ('oak and elm and ash and fir and yew and box and beech and birch and {}', 'of: …shut ×9, …open ×9'),
    ],
)
def test_long_values_are_told_apart_where_they_differ(form: str, told: str) -> None:
    gates = [{'gate': f'g{at}', 'of': form.format('open' if at % 2 else 'shut'), 'height': at} for at in range(18)]
    assert told in digest(json.dumps(gates), 400).text
    same = digest(json.dumps([gate | {'of': form.format('shut')} for gate in gates]), 400).text
    assert 'shut' in same
    assert 'shut' in digest(json.dumps(gates[:6]), 400).text


def test_words_of_a_template_are_told_apart_where_they_differ() -> None:
    lines = [f'reading of wheel {at} done' for at in range(30)]
    lines[9:9] = [f'harbour/stones/{name}.py:4: wick too short' for name in ('grinders', 'sifters')]
    assert '{harbour/stones/grinders.py:4: ×2, harbour/stones/sifters.py:4: ×2} wick' in told('\n'.join(lines * 2))


def test_a_first_row_of_the_form_of_those_below_is_none_of_titles() -> None:
    rows = [f'mill/{name}{at} | {at * 7 % 50} +' for at in range(30) for name in ('gate', 'vat')]
    text = told('\n'.join(rows))
    assert 'table: 60 items' in text
    assert 'column 2: ' in text


def test_a_rule_below_titles_is_told_nowhere_though_cells_are_empty_at_the_end() -> None:
    rows = [f' {at} | vat {at} | {"" if at % 2 else "oak"}' for at in range(40)]
    text = told('\n'.join([' id | name | made of ', '----+------+---------', *rows, '(40 rows)']))
    assert '--+' not in text
    assert 'made of: oak ×20, "" ×20' in text


def test_no_entry_of_a_long_list_is_left_out() -> None:
    gates = [{'gate': f'g{at}', 'locks': [{'of': f'lock-{at}-{each}'} for each in range(80)]} for at in range(30)]
    gates[4]['locks'] = [*gates[5]['locks'], {'of': 'BURST open'}]
    assert 'BURST open' in told(json.dumps(gates))


def test_times_of_several_zones_are_in_order() -> None:
    at = [f'2024-02-29T{10 + nth % 10}:{nth:02}:00+09:00' for nth in range(20)] + ['2024-02-28T23:30:00-08:00']
    at.append('2024-03-01 00:30:00+01')
    boats = [{'boat': f'b{nth}', 'at': each, 'crew': nth % 3} for nth, each in enumerate(at)]
    assert 'at: 2024-02-29T10:00:00+09:00 to 2024-03-01 00:30:00+01' in told(json.dumps(boats))


def test_the_name_of_a_relation_is_not_that_of_what_holds_it() -> None:
    plans = [
        {'Plan': {'Node Type': 'Scan', 'Relation Name': f'vats{at}', 'Rows': at}, 'Planning': {'Blocks Read': 7 + at}}
        for at in range(8)
    ]
    text = digest(json.dumps(plans, indent=2), 200, focus='How many Blocks Read were there in Planning?').text
    assert 'Plan.Relation Name=vats0, Plan.Rows=0, Planning.Blocks Read=7' in text
    assert 'vats0.Planning' not in text


def test_what_a_program_says_in_words_is_output() -> None:
    checks = ['locks on doors', 'the level of the dyke', 'stones for cracks', 'grain for weevils', 'ropes of hoists']
    lines = [
        f'\x1b[2C- Checking {checks[at % 5]} in {"abcdefg"[at % 7] * 3}\x1b[{20 - at % 3}C [ OK ]' for at in range(60)
    ]
    lines[30] = '\x1b[2C- Checking the sluice\x1b[20C [ BROKEN ]'
    read = machine_output('\n'.join(lines))
    assert read is not None
    assert '31| - Checking the sluice [ BROKEN ]' in told('\n'.join(lines))
    schema = [
        f'CREATE TABLE mill.part{at} OWNER TO {"ada" if at % 2 else "karl"};\n\n--\n-- Name: part{at}; Owner: -'
        for at in range(40)
    ]
    assert machine_output('\n'.join(schema)) is not None
    plan = ['  # mill.stone["a"] will be made', '  + part "stone" {', '      + grain = "rye"', '    }', ''] * 20
    assert machine_output('\n'.join(plan)) is not None


_DEEDS = [
    'mend the sluice that Ada broke in the flood',
    'drop the barn, which nobody has used since the war',
    'new stones for both of the mills',
    'let whoever has a key open the gate at night',
    'grind oats before rye',
    'no more sacks in the yard (see the parish book)',
    'the dyke is a foot higher now',
]


@pytest.mark.parametrize(
    'text',
    [
        '\n'.join(f'and then {deed} so that was what we talked about all day' for deed in _DEEDS * 4),
        '\n\n'.join(f'Ada : {deed} , as you know .' for deed in _DEEDS * 4),
        'mill (1.2)\n\n' + '\n'.join(f'  * {deed}' for deed in _DEEDS * 4) + '\n\n -- Ada Finn <ada@mill.example>',
    ],
)
def test_what_people_write_without_full_stops_is_none(text: str) -> None:
    assert machine_output(text) is None


def test_records_begin_where_blank_lines_part_them() -> None:
    sizes = [
        ('sluice', 93),
        ('sluice', 92),
        ('dyke', 47),
        ('oven', 670),
        ('oven', 671),
        ('gate', 44890),
        ('gate', 44891),
    ]
    sizes += [('mill', 11865), ('loft', 2315)]
    records = [
        f'Package: {name}\n'
        + (f'Source: {name}-src\n' if name in ('sluice', 'dyke', 'mill') else '')
        + f'Version: {at}\n'
        + f'Installed-Size: {size}\n'
        for at, (name, size) in enumerate(sizes)
    ]
    text = digest('\n'.join(records), 150, focus='Which package has the largest Installed-Size?').text
    assert 'Package: gate: Installed-Size=44891 (most)' in text
    assert 'Source: ' not in text


def test_names_with_arrows_to_their_values_are_no_source_code():
    shown = [f'mill.{name} => {value}' for name in ('gate', 'sluice', 'wheel', 'reed') for value in ('on', 'off', 3)]
    assert machine_output('\n'.join(shown)) is not None
    assert machine_output('\n'.join(['gates = {', *(f'  {line},' for line in shown), '}'])) is None
