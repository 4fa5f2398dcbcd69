"""Texts below the fields of a package, and names that end as no syntax does."""

from summarizer_tool.documents.reading import title_of
from summarizer_tool.formats.reading import plain_text

FIELDS = """Metadata-Version: 2.4
Name: gatelock
Summary: Gates that open by themselves
License: MIT
        as it stands below
Description-Content-Type: text/x-rst; charset=UTF-8
Requires-Dist: water>=2
"""


def test_the_fields_of_a_package_are_front_matter() -> None:
    body = '========\nGatelock\n========\n\n|badge|\n\n.. |badge| image:: https://example.com/badge.svg\n   :target: /\n\nIt locks.\n'
    text = plain_text(f'{FIELDS}\n\n{body}', 'METADATA')
    assert text.startswith(f'---\n{FIELDS}---\n')
    assert text.split('---\n')[2].split() == ['#', 'Gatelock', 'It', 'locks.']
    assert title_of(text) == 'gatelock'


def test_other_fields_stay_as_they_are() -> None:
    log = 'Name: a\nState: up\nSince: 9:12\n\nName: b\nState: up\nSince: 9:13\n'
    assert plain_text(log) == log
    assert plain_text(FIELDS) == FIELDS


def test_a_word_with_a_capital_is_no_suffix() -> None:
    news = 'mill (1.2-1) unstable\n\n  * New gate.\n\n' + ''.join(
        f'mill (1.{n}-1) unstable\n\n  * It has a gate of oak, which the guild has asked for since it was built, and\n'
        '    which opens by itself.\n    It has two wheels.\n\n'
        for n in range(9)
    )
    assert '# mill (1.3-1) unstable' in plain_text(news, 'NEWS.Debian')
    assert plain_text(news, 'news.conf') == news
