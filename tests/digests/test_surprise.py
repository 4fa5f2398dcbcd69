"""Lines unlike the others, in text of any form."""

import json

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.digests.digest import digest
from summarizer_tool.digests.places import OutputRecord
from summarizer_tool.digests.statements import one_line
from summarizer_tool.digests.surprise import surprising


def told(lines: list[str], count: int = 3) -> list[str]:
    return [
        each.text
        for each, _ in zip(
            surprising([OutputRecord(line, number) for number, line in enumerate(lines, 1)]), range(count), strict=False
        )
    ]


def test_what_is_rare_in_its_place_whatever_the_form() -> None:
    lines = [f'berth {at:03} <{"free" if at % 3 else "taken"}> depth={at % 7 + 3}m' for at in range(200)]
    lines[40] = 'berth 040 <sunk> depth=8m'
    lines[90] = 'berth 090 <taken> depth=900m'
    lines[150] = 'berth 150 <free> deep=6m'
    assert sorted(told(lines)) == snapshot(
        ['151| berth 150 <free> deep=6m', '41| berth 040 <sunk> depth=8m', '91| berth 090 <taken> depth=900m']
    )


def test_a_value_unlike_those_behind_the_same_name() -> None:
    blocks = [f'lamp {at}\n  colour: {"white" if at % 2 else "red"}\n  keeper: k{at}' for at in range(60)]
    blocks[31] = 'lamp 31\n  colour: none\n  keeper: k31'
    assert told('\n'.join(blocks).split('\n'), 1) == snapshot(['95| colour: none'])


def test_where_anything_may_stand_nothing_is_rare() -> None:
    assert told([f'{at * 7919 % 1009} ferry {at * 104729 % 997}' for at in range(200)]) == []


def test_of_a_long_text_every_form_that_is_rare_is_seen() -> None:
    lines = [
        f'{at % 24:02}:{at % 60:02} pool {at % 7} has served /mill/{at % 13} in {20 + at % 9} ms'
        for at in range(30_000)
    ]
    lines[2] = '02:02 the upper sluice is open'
    lines[15_000] = '00:00 the upper sluice is stuck half open'
    lines[20_000] = lines[20_000].replace(' in ', ' in 93')
    lines[-3] = '12:00 the lower sluice is shut'
    assert sorted(told(lines, 4)) == snapshot(
        [
            '15001| 00:00 the upper sluice is stuck half open',
            '20001| 08:20 pool 1 has served /mill/6 in 9322 ms',
            '29998| 12:00 the lower sluice is shut',
            '3| 02:02 the upper sluice is open',
        ]
    )


@given(st.lists(st.text('a1 =:"<\t\u0660', max_size=12), max_size=40))
def test_each_is_a_line_of_the_text_and_stands_once(lines: list[str]) -> None:
    found = [*surprising([OutputRecord(line, number) for number, line in enumerate(lines, 1)])]
    numbers = [each.lines for each in found]
    assert len(numbers) == len({*numbers})
    for each in found:
        [number] = each.lines
        assert each.text == f'{number}| {one_line(lines[number - 1].strip())}'


def test_the_field_that_is_unlike_the_others_is_told_not_one_with_the_same_value() -> None:
    things = [{'name': f'mill-{n}', 'locked': True, 'public': False, 'stones': n % 5} for n in range(60)]
    things[41]['public'] = True
    found = digest(json.dumps(things), 200).text
    assert 'mill-41: public=true (usually false)' in found
    assert 'locked=true (usually' not in found
