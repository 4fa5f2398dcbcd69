"""Raw lines with their numbers, and outlines."""

import re

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool import Document
from summarizer_tool.documents.reading import outline, read, title_of
from summarizer_tool.errors import RequestError
from summarizer_tool.text import tokens
from tests.support.texts import HARBOUR

_NEXT = re.compile(r'start_line=(\d+)(?:, offset=(\d+))?\.]$')


def test_lines_have_their_numbers() -> None:
    document = Document(HARBOUR)
    assert read(document, 5, 2000) == snapshot("""\
5| Ada Brook founded the Tide Guild in 1840. She led it for twelve years.
6|
7| The guild owns 14 ships. Its rival is the Salt League under Morn Keld.
8|
9| ## The fire
10|
11| On 3 May 1852 a fire burned the Lower Quay. Morn Keld was accused of it by Ilse Quarry.
[src_34d3d80a216a, 5 to 11 of 11 lines: the end.]\
""")
    assert read(document, 1, 70) == snapshot("""\
1| # Harbour of Marn
2|
3| Home | Wiki | Log in
4|
[src_34d3d80a216a, 1 to 4 of 11 lines; to read on: start_line=5.]\
""")


@hypothesis_settings(max_examples=60)
@given(
    text=st.lists(st.text('ab é漢\r', max_size=40) | st.just('word ' * 300), min_size=1, max_size=12).map('\n'.join),
    room=st.integers(50, 400),
)
def test_reading_on_gives_the_whole_text_within_the_bounds(text: str, room: int) -> None:
    document = Document(text)
    lines: dict[int, str] = {}
    place = (1, 0)
    while True:
        shown = read(document, place[0], room, place[1])
        assert tokens.count(shown) <= room
        *numbered, position = shown.split('\n')
        for line in numbered:
            number, _, rest = line.partition('|')
            lines[int(number)] = lines.get(int(number), '') + rest.removeprefix(' ')
        onward = _NEXT.search(position)
        if onward is None:
            break
        following = (int(onward[1]), int(onward[2] or 0))
        assert following > place
        place = following
    assert '\n'.join(lines.values()).rstrip('\n') == re.sub(r'\r+(?=\n|$)', '', text).rstrip('\n')


@pytest.mark.parametrize(('line', 'offset'), [(0, 0), (13, 0), (-1, 0), (1, 18), (1, -1)])
def test_a_place_that_is_not_there(line: int, offset: int) -> None:
    with pytest.raises(RequestError, match=r'has lines 1 to 11|has 17 characters'):
        read(Document(HARBOUR), line, 100, offset)


def test_outlines() -> None:
    assert outline(Document(HARBOUR)) == snapshot('1| Harbour of Marn\n  9| The fire')
    assert outline(Document('plain text')) == ''
    many = ''.join(
        f'# Part {part}\n' + ''.join(f'## Section {part}.{n}\n\ntext\n' for n in range(9)) for part in range(7)
    )
    lines = outline(Document(many)).split('\n')
    assert lines[0] == '1| Part 0'
    assert (len(lines), lines[-1]) == (8, '(63 more)')


def test_a_title_is_the_first_heading() -> None:
    assert title_of(HARBOUR) == 'Harbour of Marn'
    assert title_of('no heading here') == ''
    assert title_of('==========\nThe harbour\n==========\n\nIt is old.\n') == 'The harbour'
    assert title_of('+++\nweight = 1\ntitle = "The mill"\n+++\n\n### Synopsis\n') == 'The mill'
    assert title_of('---\nsection: 1\ntitle: "The mill"\n---\n\n### Synopsis\n') == 'The mill'
    assert title_of('It grinds.\n\n## Use\n\nTurn.\n\n## Care\n\nOil.\n\n## End\n\nStop.\n') == ''
    assert title_of('# v3\n\nNew.\n\n# v2\n\nOld.\n\n# v1\n\nFirst.\n') == ''


def test_lines_of_long_tokens_keep_the_bounds() -> None:
    for line in ('-' * 24_100 + ' ordinary words' * 20_000, ' ' * 24_100 + 'x', 'Mixed text, 12 words. ' * 9):
        for room in (50, 60, 100, 2000):
            assert tokens.count(read(Document(f'{line}\n{line}'), 1, room)) <= room


def test_a_page_break_is_counted_as_what_it_is() -> None:
    """Its label may not fit, and is then no part of the line that is read on."""
    document = Document('\f\r\nAda met Brook.\n\f\nCarl came.\n')
    assert read(document, 3, 400).startswith('3| [p. 3]\n4| Carl came.\n')
    assert read(document, 1, 50).endswith('to read on: start_line=1, offset=1.]')
