"""Digests of many things with fields, where something is asked for: the things that have it, whole."""

import json
from collections.abc import Iterator

import pytest
from inline_snapshot import snapshot

from summarizer_tool.digests.asked import NamedRows, extremes
from summarizer_tool.digests.digest import digest

PODS = [
    {
        'name': f'pod-{at}',
        'spec': {'image': 'mill:1', 'limits': {'memory': '512Mi'}} if at != 31 else {'image': 'mill:1'},
        'wait': {'gracePeriodSeconds': 600 if at == 7 else 30},
        'notes': [{'text': 'uses exec' if at == 12 else 'fine', 'line': at * 3}],
    }
    for at in range(60)
]


def answers(text: str, focus: str) -> list[str]:
    return [line.text for line in digest(text, 300, focus=focus).lines if line.topic == 'mentioned']


def test_of_data_the_thing_is_told_that_has_what_is_asked_for() -> None:
    text = json.dumps(PODS, indent=1)
    assert answers(text, 'Where is exec used?')[0] == snapshot('pod-12: text=uses exec, line=36')
    assert answers(json.dumps(PODS), 'Where is exec used?')[0] == snapshot('pod-12: text=uses exec, line=36')
    assert answers(text, 'How many seconds does pod-7 get to end?')[:1] == snapshot(
        ['pod-7: gracePeriodSeconds=600, image=mill:1, memory=512Mi, text=fine, line=21']
    )
    missing = 'pod-31: spec.limits.memory missing, others have one, such as 512Mi'
    assert missing in answers(text, 'Which has no limit for its memory?')


def test_the_slowest_is_the_one_of_the_longest_duration() -> None:
    text = json.dumps(
        {'tests': [{'test': f'case {at}', 'duration_ms': 9000 if at == 17 else at % 9} for at in range(40)]}
    )
    assert answers(text, 'Which is the slowest?')[0] == snapshot('case 17: duration_ms=9000 (most)')


def test_a_block_is_told_with_its_fields_and_what_it_is_about() -> None:
    about = ['1.4.0', 'Take the old router out', *(f'Mend the gate of pier {at}' for at in range(30))]
    text = '\n'.join(
        f'commit {at:040x}\nAuthor: {"Ada" if at == 1 else "Bo"} <x@mill.example>\nDate:   2019-03-{at % 28 + 1:02}\n\n'
        f'    {title}\n\n lib/gate{at}.js | 2 +-\n lib/pier{at}.js | 4 ++--\n 2 files changed\n'
        for at, title in enumerate(about)
    )
    assert answers(text, 'Who removed the router?')[0] == snapshot(
        '15| 0000000000000000000000000000000000000001: Take the old router out'
    )
    told = answers(text, 'When was the commit called just 1.4.0 made?')
    assert told[0] == snapshot('5| 0000000000000000000000000000000000000000: 1.4.0')


@pytest.mark.parametrize(
    ('field', 'cells', 'most', 'least'),
    [
        ('burning', '5m 90s 2h 10m 3m', '2h', '90s'),
        ('oil', '1.5 2.25 1.125 0.5', '2.25', '0.5'),
        ('burning', '1m30.5s 900ms 2h3m4.5s 40s', '2h3m4.5s', '900ms'),
        ('burning', '2y35d 5h 247d 13d', '2y35d', '5h'),
        ('wick', '1.5P 13G 2.1T 900M', '1.5P', '900M'),
        ('wick', '10kb 1.5mb 900bytes 1.2TiB', '1.2TiB', '900bytes'),
        ('burning', '2.5s 900μs 14ms 1.5ms', '2.5s', '900μs'),
        ('frost', '−5 3 −28.5 7', '7', '−28.5'),
    ],
)
def test_a_column_tells_how_its_numbers_are_read(field: str, cells: str, most: str, least: str) -> None:
    names = [f'lamp-{at}' for at in range(len(cells.split()))]
    things = NamedRows(names, [{field: cell} for cell in cells.split()])
    said = {each.text.partition(': ')[2] for word in ('most', 'least') for each in extremes(things, [word, field])}
    assert {f'{field}={most} (most)', f'{field}={least} (least)'} <= said


@pytest.mark.parametrize(
    'cells',
    [
        '100m 2 1500m 3 50m 4 200m',
        '1.234,50 999,00 2.500 12.000 750 77 3.100,25',
        '1.234 2,5 0.125 3,7 100 7,0',
        '2,5 12,500 900,75 0,125 7,0',
    ],
)
def test_nothing_is_most_of_what_may_be_read_in_two_ways(cells: str) -> None:
    rows = [{'oil': cell} for cell in cells.split()]
    assert not [*extremes(NamedRows([f'lamp-{at}' for at in range(len(rows))], rows), ['most', 'oil'])]


def test_things_that_have_as_much_are_of_one_rank_however_they_are_called() -> None:
    lamps = '\n'.join(
        f'Lamp: {name}\nKind: {at}\nBurns-Oil: {oil}\nState: lit\n'
        for at, (name, oil) in enumerate([('quay', 1000), ('quay', 20), ('mole', 12), ('reed', 1000), ('sand', 15)])
    )
    assert [line for line in answers(lamps, 'largest Burns-Oil') if 'most' in line] == snapshot(
        [
            'Lamp: quay: Burns-Oil=1000 (most, as 1 more): Lamp: quay | Kind: 0 | Burns-Oil: 1000',
            'Lamp: reed: Burns-Oil=1000 (most, as 1 more)',
        ]
    )


class Walked(list[dict[str, str]]):
    """Rows that count how often somebody walks through them."""

    times = 0

    def __iter__(self) -> Iterator[dict[str, str]]:
        self.times += 1
        return super().__iter__()


def test_most_of_many_rows_is_looked_for_once_not_once_for_each_row() -> None:
    few, many = (Walked({'ms': str(at % 7)} for at in range(size)) for size in (20, 2000))
    for rows in (few, many):
        assert [*extremes(NamedRows([str(at) for at in range(len(rows))], rows), ['highest', 'ms'])]
    assert 0 < many.times == few.times
