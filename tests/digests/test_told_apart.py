"""What is rare is told with the thing that it is of, and the same is not told again and again."""

import json

from summarizer_tool.digests.columns import describe
from summarizer_tool.digests.digest import digest
from summarizer_tool.digests.statements import DigestStatement, choose

ASKED = 'Is anything wrong or unusual here?'
GATES = [f'gate-{n}' for n in range(40)]


def test_what_stands_once_is_told_with_its_row_what_went_wrong_first() -> None:
    column = describe('state', [*['open'] * 34, 'a', 'b', 'c', 'd', 'e', 'failed'], GATES)
    assert column.text == (
        'open ×34, failed ×1 (gate-39), a ×1 (gate-34), b ×1 (gate-35), c ×1 (gate-36), … 2 more values'
    )


def test_of_few_numbers_the_farthest_is_told_first() -> None:
    column = describe('load', [*['0.0'] * 34, '0.1', '0.2', '0.3', '9.5', '0.4', '0.5'], GATES)
    assert column.text.startswith('0.0 ×34, 9.5 ×1 (gate-37), 0.5 ×1 (gate-39)')


def test_least_and_most_are_told_with_their_rows() -> None:
    column = describe('level', ['-7', *map(str, range(10, 49))], GATES)
    assert column.text == '-7 (gate-0)..29..48 (gate-39) (min..median..max)'
    column = describe('opened', [f'2026-03-{1 + n % 28:02} 04:05' for n in range(1, 41)], GATES)
    assert column.text == '2026-03-01 04:05 (gate-27) to 2026-03-28 04:05 (gate-26)'


def test_a_row_is_called_by_its_name_and_says_for_which_field_it_is_told() -> None:
    rows = [f'gate-{n:02},{"north" if n % 2 else "south"},{40 + n % 9},{20 + n % 7},open' for n in range(60)]
    rows[31] = 'gate-31,north,43,-21,open'
    rows[44] = 'gate-44,south,48,22,stuck'
    found = digest('\n'.join(['name,side,level,flow,state', *rows]), 400, focus=ASKED).text.split('\n')
    assert '33| gate-31,north,43,-21,open' in found
    assert 'state: open ×59, stuck ×1 (gate-44, line 46)' in found
    assert 'flow: 20 ×9, 21 ×9, 22 ×9, 23 ×8, 24 ×8, 25 ×8, 26 ×8, -21 ×1 (gate-31, line 33)' in found


def test_what_says_the_same_again_gives_way_to_what_does_not() -> None:
    alike = [DigestStatement(f'the north sluice {n} did not close in time', 70.0, 'errors') for n in range(9)]
    other = DigestStatement('water in the cellar', 64.0, 'errors')
    told, _ = choose([*alike, other], 60)
    assert other.text in [each.text for each in told]


def test_an_odd_heading_is_told_with_what_is_below_it() -> None:
    lines = [f'  {"wheel " * (1 + n % 4)}turns at {n % 9}' for n in range(90)]
    lines[60:60] = ['Locks that wait for each other:', '===', '"gate-3":', '  held by "gate-9"', '', 'and so on']
    lines[30:30] = ['  Kept for:', '    the miller']
    told = digest('\n'.join(lines), 200, focus=ASKED).text
    assert '63| Locks that wait for each other: "gate-3": held by "gate-9"\n' in told
    assert '31| Kept for: the miller\n' in told


def test_fields_of_blocks_tell_least_and_most_with_the_block() -> None:
    text = '\n'.join(
        f'Permit:\n  Holder: {{}}{n:02}\n  Ends: Mar {1 + n % 28} 2031\n  Fee: {20 + n}' for n in range(40)
    )
    text = text.replace('Mar 5 2031', 'Mar 5 2019', 1)
    told = digest(text.replace('{}', 'boat-').replace('Holder', 'Name'), 500, focus=ASKED).text
    assert 'Ends: Mar 5 2019 (boat-04) to Mar 28 2031 (boat-27)' in told
    assert 'Fee: 20 (line 1)..40..59 (line 157) (min..median..max)' in digest(text, 500, focus=ASKED).text


def test_where_few_have_any_field_it_says_little_to_have_one() -> None:
    boats = [{'boat': f'b{n}', 'berth': f'https://quay.example/{n}', f'flag{n % 50}': 'yes'} for n in range(100)]
    boats[61]['berth'] = 'http://shoal.example/61'
    assert digest(json.dumps(boats), 300, focus=ASKED).text.split('\n')[1].startswith('b61: berth=http://shoal.example')


def test_of_what_is_odd_in_a_thing_what_went_wrong_comes_first() -> None:
    boats = [{'boat': f'b{n}', 'mast': 'oak', 'crew': n % 5} for n in range(100)]
    boats[30] |= {'mast': 'tin', 'note': 'invalid permit', 'ballast': 'sand', 'sail': 'red'}
    told = digest(json.dumps(boats), 300, focus=ASKED).text
    assert 'b30: note=invalid permit, ' in told
