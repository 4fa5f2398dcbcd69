"""Digests of what programs print that nobody has looked at here: what is a record, what it is called, what is unlike."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool.digests.asked import NamedRows, extremes
from summarizer_tool.digests.digest import digest

ASKED = 'Is anything wrong or unusual here?'
WOODS = ['oak', 'elm', 'ash', 'fir', 'yew', 'box', 'bay', 'fig']


def lines(text: str, focus: str = ASKED, budget: int = 400) -> list[str]:
    return digest(text, budget, focus=focus).text.split('\n')


@pytest.mark.parametrize(
    ('cells', 'latest', 'earliest'),
    [
        ('2021-07-04 2019-01-05 2020-03-03', '2021-07-04', '2019-01-05'),
        (
            '18/May/2015:03:05:01|2/Jun/2015:01:00:00|18/May/2015:02:59:59',
            '2/Jun/2015:01:00:00',
            '18/May/2015:02:59:59',
        ),
        (
            'Thu 15 Aug 2019 10:53:29 PM UTC|Thu, 15 Aug 2019 10:53:29 +0000|Thu 15 Aug 2019 12:10:00 AM UTC',
            'Thu 15 Aug 2019 10:53:29 PM UTC',
            'Thu 15 Aug 2019 12:10:00 AM UTC',
        ),
    ],
)
def test_what_was_last_or_first_is_told_of_times(cells: str, latest: str, earliest: str) -> None:
    rows = [{'Changed On': cell, 'ms': '5'} for cell in (cells.split('|') if '|' in cells else cells.split())]
    things = NamedRows([f'gate {at}' for at in range(len(rows))], rows)
    last, first = (next(each.text for each in extremes(things, [word, 'changed'])) for word in ('newest', 'oldest'))
    assert last.endswith(f'Changed On={latest} (latest)')
    assert first.endswith(f'Changed On={earliest} (earliest)')
    assert not [*extremes(things, ['changed'])]


def test_a_table_drawn_with_strokes_is_one() -> None:
    rows = [f'│ {at:<3} │ {"fault" if at == 31 else "ok":<5} │ {at % 9}.5 │' for at in range(60)]
    text = '\n'.join(['┌─────┬───────┬─────┐', '│ id  │ state │ oil │', '├─────┼───────┼─────┤', *rows])
    assert lines(text)[:3] == snapshot(
        ['table: 60 items with 3 fields', '35| │ 31 │ fault │ 4.5 │', 'state: ok ×59, fault ×1']
    )
