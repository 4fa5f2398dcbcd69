"""Tables that are drawn with characters."""

import pytest

from summarizer_tool.formats.boxed import markdown

_HEAD = '\n| Mill | Sacks |\n| --- | --- |\n'


@pytest.mark.parametrize(
    ('drawn', 'read'),
    [
        (
            '+------+-------+\n| Mill | Sacks |\n|------+-------|\n| Old  | 12,   |\n| one  | daily |\n'
            '\xa0|------+-------|\n| 新   | a|b   |\n+------+-------+',
            f'{_HEAD}| Old one | 12, daily |\n| 新 | a\\|b |\n',
        ),
        (
            '+------+-------+\n| Mill | Sacks |\n+------+-------+\n| Old  | 12,   |\n|      | daily |\n| New  | 40    |\n'
            '+------+-------+',
            f'{_HEAD}| Old | 12, daily |\n| New | 40 |\n',
        ),
        ('+------+\n| One | box |\n+------+\n| spans |\n+------+', ''),
        ('+------+\n| A note. |\n+------+', ''),
        ('a | b\n+ c', ''),
    ],
)
def test_each_row_is_a_line(drawn: str, read: str) -> None:
    assert markdown(drawn) == (read or drawn)
