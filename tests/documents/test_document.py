"""Documents have stable names, and segments that evidence can point to."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.documents.cutting import measures
from summarizer_tool.documents.document import LONG_LINE, Document, Segment, segment_starts
from summarizer_tool.documents.page_numbers import PageNumbers
from tests.text.test_tokens import texts

NOTE = """\

# Harbour

Ada Brook founded the guild.
She led it for twelve years.

  - 14 ships

"""


def segments(text: str) -> list[str]:
    """The text of each segment, line breaks included."""
    return [text[start:end] for start, end in pairwise([*segment_starts(text), len(text)])]


def test_a_segment_is_a_line_with_the_blank_lines_after_it() -> None:
    assert segments(NOTE) == snapshot(
        ['\n# Harbour\n\n', 'Ada Brook founded the guild.\n', 'She led it for twelve years.\n\n', '  - 14 ships\n\n']
    )
    document = Document(NOTE)
    assert document.segment(3) == snapshot(Segment(number=3, line=5, start=41, end=71))
    assert document.segment_text(4) == snapshot('- 14 ships')
    assert [document.segment_at(offset) for offset in (0, 40, 41, len(NOTE))] == snapshot([1, 2, 3, 4])


def test_a_long_line_is_cut_into_sentences() -> None:
    line = 'The guild owns fourteen ships, and each has a crew of nine (“the Nine”). ' * 6
    assert [len(segment) for segment in segments(f'Title\n{line}\nEnd')] == snapshot([6, 146, 146, 147, 3])
    assert segments(line)[0] == snapshot(
        'The guild owns fourteen ships, and each has a crew of nine (“the Nine”). '
        'The guild owns fourteen ships, and each has a crew of nine (“the Nine”). '
    )


def test_a_question_in_a_title_ends_no_segment() -> None:
    line = '磨坊的帖子[《谁在招人？》](https://mill.example/1)，提供大量信息，欢迎访问或发布工作岗位。' * 8
    assert {segment.rstrip()[-1] for segment in segments(line)} == {'。'}


def test_no_segment_ends_at_an_abbreviation() -> None:
    line = ' '.join(
        f'The parcel of the upper mill, number {number}, went to Mr. Orme in the spring.' for number in range(30)
    )
    assert {segment.split()[-1] for segment in segments(line)} == {'spring.'}


def test_a_megabyte_of_json_on_one_line_has_segments() -> None:
    json = '{"name": "Morn Keld", "ships": [1, 2, 3]},' * 24_000
    found = segments(json)
    assert len(found) == snapshot(2667)
    assert [(len(segment), segment[:16]) for segment in found[:3]] == snapshot(
        [(378, '{"name": "Morn K'), (378, '{"name": "Morn K'), (378, '{"name": "Morn K')]
    )
    assert max(map(len, found)) <= LONG_LINE


@pytest.mark.parametrize('text', ['', '\n', ' \n\n\t\n', 'a' * 1_000_000, '\n' * 1_000_000, ' ' * 1_000_000])
def test_degenerate_texts(text: str) -> None:
    assert ''.join(segments(text)) == text
    assert bool(segments(text)) == bool(text)


def test_windows_line_ends_and_a_text_without_a_last_line_break() -> None:
    assert segments('a\r\n\r\nb\r\nc  ') == snapshot(['a\r\n\r\n', 'b\r\n', 'c  '])
    assert segments('a\n   ') == snapshot(['a\n   '])


@given(st.one_of(texts, st.lists(texts, max_size=40).map(' '.join)))
def test_segments_cover_the_text_and_none_is_blank(text: str) -> None:
    found = segments(text)
    assert ''.join(found) == text
    if text.strip():
        assert all(segment.strip() for segment in found)
    document = Document(text)
    lines = document.text.split('\n')
    for number in range(1, len(found) + 1):
        segment = document.segment(number)
        assert document.segment_at(segment.start) == document.segment_at(segment.end - 1) == number
        raw = document.text[segment.start : segment.end]
        begins = segment.start + (len(raw) - len(raw.lstrip()) if raw.strip() else 0)
        assert document.text.count('\n', 0, begins) == segment.line - 1
        assert segment.line <= len(lines)


def test_equal_texts_have_equal_ids() -> None:
    assert Document('Harbour', title='A').id == Document('Harbour', url='https://b').id == snapshot('src_d712d28b06e0')
    assert Document('Harbour ').id == snapshot('src_684c2e6d7415')


def test_lone_surrogates_become_replacement_characters() -> None:
    document = Document('a\ud800b', title='\udfff!', url='x')
    assert (document.text, document.title, document.url) == snapshot(('a�b', '�!', 'x'))
    assert document == Document('a\ufffdb', title='\ufffd!', url='x')


def test_a_segment_that_is_not_there() -> None:
    with pytest.raises(IndexError, match=r'src_[0-9a-f]{12} has segments 1 to 2, not 3'):
        Document('a\nb').segment(3)


def test_what_is_known_of_a_text_is_not_computed_again() -> None:
    document = Document('One.\n\nTwo.\n')
    assert (document.about_tokens, document.token_index) == (2, None)

    document.remember(*measures([document], 100)[0])

    assert (document.tokens, document.about_tokens) == (4, 4)
    assert document.token_index is not None
    assert document.segment_text(2) == 'Two.'


def test_a_line_behind_a_form_feed_is_on_the_next_page() -> None:
    pages = PageNumbers.of('one\ntwo\n\fthree\nfour \f five\n')
    assert [pages.of_lines(line, line) for line in (1, 2, 3, 4)] == ['p. 1', 'p. 1', 'p. 2', 'p. 2-3']
    assert pages.of_lines(2, 3) == 'p. 1-2'
