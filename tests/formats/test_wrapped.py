"""Paragraphs that were wrapped are joined; what only looks so is left alone."""

import json
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.digests.digest import machine_output
from summarizer_tool.formats import mail, notebook
from summarizer_tool.formats.reading import plain_text
from summarizer_tool.formats.wrapped import titled, unwrap

PROSE = (
    'The fen is crossed by a single dyke, which the parish has kept in good order since it was flooded in the spring '
    'of the year that nobody speaks of. Those who live on its edge say that the water comes back every autumn, a '
    'little higher than before, and that the dyke is only as good as the people who look after it.'
)
WRAPPED = textwrap.fill(PROSE, 70)
KEPT = {
    'a list': '- a dyke that has to be looked after\n- somebody who has the time for it\n- a spade',
    'a table': 'Year     Owner        Price\n1874     Gann            90\n1908     Hale           120',
    'code': 'def dyke(length):\n    if length > 70:\n        return None\n    return length * 2',
    'a poem': 'Under the mill\nthe water is still\nand over the hill\nit is night until\nthe morning comes.',
    'a log': '\n'.join(
        f'2026-03-0{day} 10:15:0{day} INFO the dyke was looked at and found to be in good {word}'
        for day, word in enumerate(['order', 'state', 'health', 'shape'], 1)
    ),
    'rows': '\n'.join(
        f'gate{n} 200{n} 0.{n} ? S 04:0{n} 1.{n} python /srv/gates/open{n}.py --n {n} --all' for n in range(1, 6)
    ),
    'an address': 'Perpetua Gann\nThe Mill\nOstrey',
    'fields': 'Name: the mill of Ostrey, which was built in 1874 by the brothers\nOwner: nobody\nPrice: 90 crowns',
    'a quote': '> The fen is crossed by a single dyke, which the parish has kept in good\n> order since it was flooded',
    'a fence': '```\n' + WRAPPED + '\n```',
}


def test_a_version_ends_the_name_of_a_plain_text() -> None:
    text = f'{WRAPPED}\n\n{WRAPPED}\n'
    assert plain_text(text, 'FEN-2.0') == f'{PROSE}\n\n{PROSE}\n'
    assert plain_text(text, 'fen.1') == text


def test_a_wrapped_paragraph_is_one_line() -> None:
    text = f'The fen\n=======\n\n{WRAPPED}\n\n{WRAPPED}\n'
    assert unwrap(text) == f'The fen\n=======\n\n{PROSE}\n\n{PROSE}\n'


@pytest.mark.parametrize('kind', KEPT)
def test_what_only_looks_so_stays(kind: str) -> None:
    around = f'{WRAPPED}\n\n{{}}\n\n{WRAPPED}'
    assert unwrap(around.format(KEPT[kind])) == f'{PROSE}\n\n{KEPT[kind]}\n\n{PROSE}'
    assert unwrap(KEPT[kind]) == KEPT[kind]


def test_paragraphs_may_begin_with_an_indent_instead_of_a_blank_line() -> None:
    text = '\n'.join(textwrap.fill(PROSE, 70, initial_indent='    ') for _ in range(3))
    assert [line.strip() for line in unwrap(text).split('\n')] == [PROSE] * 3


def test_a_hyphen_is_the_words_own_unless_the_text_has_it_without() -> None:
    before = 'the word wellknown stands here and the paragraph goes on for so long that it'
    lines = [before, 'has to be broken after a hyphen as in well-', 'known']
    assert unwrap('\n\n'.join([WRAPPED, '\n'.join(textwrap.wrap(PROSE + ' It is a well-known dyke.', 70))])).endswith(
        'It is a well-known dyke.'
    )
    assert unwrap('\n'.join(lines)) == '\n'.join(lines)  # of three lines of such lengths nobody can say


def test_text_without_spaces_between_words_is_joined_without() -> None:
    sentence = '湿地には堤防が一つだけあり、村はそれを長いあいだ大切に守ってきた。' * 12
    wrapped = '\n'.join(sentence[start : start + 60] for start in range(0, len(sentence), 60))
    assert unwrap(wrapped) == sentence


def test_the_work_grows_with_the_text() -> None:
    """Each of these took minutes, or for ever, where a line is looked at once for each of those before it."""
    one = '\n'.join(textwrap.wrap(PROSE * 1500, 70))
    assert len(unwrap(one).split('\n')) == 1
    assert not mail.is_mail(b'From: x\r\n' + b' y\r\n' * 2000)
    cell = {'cell_type': 'markdown', 'source': '(data:' * 100_000}
    assert notebook.read(json.dumps({'nbformat': 4, 'cells': [cell]}).encode()).markdown == cell['source']


@given(st.text(max_size=400))
def test_no_word_is_lost(text: str) -> None:
    whole = f'{WRAPPED}\n\n{text}'
    assert unwrap(whole).split() == whole.split()


@given(st.lists(st.sampled_from(PROSE.split()), min_size=60, max_size=200), st.integers(50, 100))
def test_what_is_joined_can_be_wrapped_again(words: list[str], width: int) -> None:
    wrapped = textwrap.fill(' '.join(words), width)
    assert textwrap.fill(unwrap(wrapped), width) == wrapped


def test_items_that_hang_are_whole() -> None:
    items = [
        textwrap.fill(f'{label}  {PROSE}', 70, subsequent_indent=' ' * (len(label) + 2))
        for label in ('a.', 'bb.', '12)')
    ]
    assert unwrap('\n'.join(items)).split('\n') == [f'{label}  {PROSE}' for label in ('a.', 'bb.', '12)')]
    assert unwrap(f'{WRAPPED}\n\n{items[0]}').endswith(f'a.  {PROSE}')


def test_lines_without_blanks_are_not_joined() -> None:
    keepers = ''.join(
        f'{name}:x:{number}:/home/{name}:/usr/bin/sluice\n'
        for number, name in enumerate(
            ('finn', 'brook', 'karlbrandt', 'orme', 'adafinn', 'tobiasfenn', 'may', 'harbourmaster')
        )
    )
    assert unwrap(keepers) == keepers


_POLICY = """\
FERRY MUTUAL POLICY
Wording of 2025

PART A - WHAT WE COVER
B1 Loss of the boat up to the sum insured.

PART B - WHAT WE DO NOT COVER
C1 Wear and tear of the hull, unless a survey was made.

CLAIMS
Tell us within seven days of the loss.
"""


def test_in_capitals() -> None:
    """Lines in capitals above text are headings, the first one of all of it."""
    marked = [line for line in plain_text(_POLICY).splitlines() if line.startswith('#')]
    assert marked == snapshot(
        ['# FERRY MUTUAL POLICY', '## PART A - WHAT WE COVER', '## PART B - WHAT WE DO NOT COVER', '## CLAIMS']
    )


def test_who_speaks_in_a_play_is_no_heading() -> None:
    play = 'ADA\nWho opens the gate of the mill today?\n\nTOM\nThe miller does it, as he always has.\n\n' * 3
    assert titled(play) == play
    notice = 'NOTICE\nThe gate stays shut.\n\nAsk the miller.'
    assert titled(notice) == notice


def test_lines_of_machine_output_keep_their_numbers() -> None:
    text = '\n'.join(
        f'# HELP gate_{gate}_total Times that gate {gate} was opened by keepers.\n# TYPE gate_{gate}_total counter\n'
        + '\n'.join(f'gate_{gate}_total{{lock="{lock}"}} {lock * 7}' for lock in range(9))
        for gate in range(12)
    )
    assert machine_output(text)
    assert plain_text(text) == text


@pytest.mark.parametrize(
    ('written', 'read'),
    [
        ('Order\n~~~~~\n\nIt matters.\n', '### Order\n\nIt matters.\n'),
        ('~~~~~~~\n ``gate``\n~~~~~~~\nIt matters.\n', '### ``gate``\nIt matters.\n'),
        ('Unused\n^^^^^^\n\nMark it.\n', '### Unused\n\nMark it.\n'),
        ('.. _label:\n\n.. a comment that\n   goes on\n\nText.\n\n.. [1] A note.\n', '\n\nText.\n\n.. [1] A note.\n'),
        ('>>> def f():\n...     pass\n...\n', '>>> def f():\n...     pass\n...\n'),
        ('.. versionadded:: 3.1\n\n   Ropes.\n', '.. versionadded:: 3.1\n\n   Ropes.\n'),
    ],
)
def test_what_restructured_text_shows(written: str, read: str) -> None:
    assert plain_text(written, 'a.rst') == read


def test_what_is_at_the_margin_of_text_that_stands_in_is_a_heading() -> None:
    """As in manual pages, whose formatter divides words of lines that stay for themselves, too."""
    option = '       --sluice={n}\n              Open sluice {n}, the one be‐\n              hind the mill.\n\n'
    manual = ''.join(
        f'{title}\n\n       What is said of this is short.\n\n{"".join(option.format(n=place * 9 + n) for n in range(4))}'
        for place, title in enumerate(('1.  Gates of the valley', 'OPTIONS', "Author's address"))
    )
    told = plain_text(manual)
    assert [line for line in told.split('\n') if line.startswith('#')] == [
        '# 1.  Gates of the valley',
        '## OPTIONS',
        "## Author's address",
    ]
    assert told.count('the one behind\n') == 12
    assert plain_text(manual.replace('       ', '')).count('#') == 0
