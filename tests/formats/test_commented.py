"""Settings with comments: what comments say is text, settings stand for themselves, other texts stay as they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool import Settings, Summarizer
from summarizer_tool.extractive.statements import Kind, statements
from summarizer_tool.formats import commented
from summarizer_tool.formats.reading import plain_text
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text.structure import parse

pytestmark = pytest.mark.anyio

SETTINGS = """\
# Example of the sluice keeper's settings.
#
################################ GATES #################################

# The number of gates that are opened at once. More than four of them
# wash the tow path away.
#
# gates 2
gates 4

# The policy says which gate closes first when the mill pond falls:
#
#   oldest    The one that has been open for longest, which
#             spares the hinges.
#   widest
# - lowest
close-policy oldest
#close-depth = 3
        # metres; 2 until 1931

[night watch]
bell 22:30
"""


def test_comments_are_text_and_settings_stand_for_themselves() -> None:
    assert commented.markdown(SETTINGS) == snapshot("""\
Example of the sluice keeper's settings.

### GATES

The number of gates that are opened at once. More than four of them
wash the tow path away.

- #gates 2
- gates 4

The policy says which gate closes first when the mill pond falls:

oldest    The one that has been open for longest, which
spares the hinges.
- #widest
- #- lowest
- close-policy oldest
- #close-depth = 3
metres; 2 until 1931

- [night watch]
- bell 22:30
""")


@pytest.mark.parametrize(
    ('written', 'read'),
    [
        (
            '# It is 80, and nobody\n# should change\n# it.\n# port 80',
            'It is 80, and nobody\nshould change\nit.\n- #port 80',
        ),
        ('##########\n# NETWORK\n##########', '\n## NETWORK\n'),
        ('; ----- Storage -----', '### Storage'),
        ('### Never set this to zero.', 'Never set this to zero.'),
        ('### GATES', '### GATES'),
    ],
)
def test_what_a_comment_is(written: str, read: str) -> None:
    others = '# The port that the gate listens on.\n# It is 8080.\n' * 3
    assert commented.markdown(f'{others}\n{written}\n\nport 80\n').partition('\n\n')[2] == f'{read}\n\n- port 80\n'


@pytest.mark.parametrize(
    'text',
    [
        '# Title\n\nText of the first.\n\n## Part\n\n## Other\n\nText.\n\n# More\n\nText.\n\n# Last\n\nText.\n',
        '#!/bin/sh\n# Starts\n# the\n# mill\n# at\n# dawn.\nstart mill\n',
        '# a\n# b\n# c\n# d\n# e\ndef mill(x):\n    y = wheel(x)\n    return turn(y)\n',
        '# a\n# b\n# c\n# d\n# e\nmill:\n  wheels: 3\n  name: Lower\n',
        'A text.\n# Not a comment.\nMore text.\n',
        '',
    ],
    ids=['markdown', 'script', 'program', 'yaml', 'prose', 'empty'],
)
def test_other_texts_are_left_alone(text: str) -> None:
    assert commented.markdown(text) == ''


def test_lines_may_end_as_on_windows() -> None:
    read = commented.markdown(SETTINGS.replace('\n', '\r\n'))
    assert [line.rstrip() for line in read.split('\n')] == commented.markdown(SETTINGS).split('\n')


def test_markdown_is_known_by_its_name() -> None:
    assert plain_text(SETTINGS, 'mill.conf').startswith("Example of the sluice keeper's settings.")
    assert plain_text(SETTINGS, 'mill.md') == SETTINGS


@given(
    st.lists(
        st.sampled_from(
            [
                '# a text of some words',
                '#x = 1',
                '',
                'y 2',
                '####',
                '# - z',
                '[s]',
                '\t# on',
                '#',
                '# \xa0',
                '#\r',
                '\r',
            ]
        ),
        max_size=30,
    )
)
def test_each_line_stays_a_line(lines: list[str]) -> None:
    text = '\n'.join(lines)
    read = commented.markdown(text)
    assert not read or read.count('\n') == text.count('\n')


def test_a_banner_of_tildes_opens_no_block_of_code() -> None:
    text = '~~~ WARNING ~~~ The mill is open\nto all.\n\n## Gates\n\nThe gates are kept by Ada.\n'
    assert parse(text).levels == [2]
    lines = [NumberedLine(at, line, blank_after=True) for at, line in enumerate(text.split('\n'), 1) if line]
    assert [said.kind for said in statements(lines)[0] if 'Ada' in said.text] == [Kind.PROSE]


async def test_a_summary_says_what_comments_say_and_keeps_settings_apart() -> None:
    summary = await Summarizer(Settings(llm_model='extractive')).summarize(
        SETTINGS, max_output_tokens=60, focus_areas='how many gates are opened at once'
    )
    assert summary.text == snapshot("""\
Example of the sluice keeper's settings.
The number of gates that are opened at once.
More than four of them wash the tow path away.
oldest The one that has been open for longest, which spares the hinges.
GATES: [night watch]; bell 22:30\
""")
