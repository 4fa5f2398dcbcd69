"""Shorter forms of a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.extractive import compression
from summarizer_tool.text import names


def test_asides_clauses_and_fillers_go():
    text = (
        'However, Mara Quill (a cooper by trade), who had also lost two ships, founded the Salt Guild in 1871, '
        'because nobody else would.'
    )
    assert compression.variants(text) == snapshot(
        [
            'Mara Quill (a cooper by trade), who had also lost two ships, founded the Salt Guild in 1871, because nobody else would.',
            'Mara Quill, who had also lost two ships, founded the Salt Guild in 1871, because nobody else would.',
            'Mara Quill founded the Salt Guild in 1871, because nobody else would.',
            'Mara Quill (a cooper by trade), who had also lost two ships, founded the Salt Guild in 1871.',
            'Mara Quill, who had also lost two ships, founded the Salt Guild in 1871.',
            'Mara Quill founded the Salt Guild in 1871.',
        ]
    )


def test_what_comes_in_two_parts_is_cut_with_neither():
    assert compression.variants(
        'The mill sells both what people need: flour, oil, salt — as well as finer goods: wool and glass.'
    ) == snapshot(['The mill sells both what people need: flour, oil, salt — as well as finer goods: wool and glass.'])
    assert 'It is shut so that the water in the mill.' not in compression.variants(
        'It is shut so that the water in the mill, including the spring flood, is kept.'
    )
    # An aside within one that is never closed is part of it.
    assert compression.variants('Programs must name what they need (e.g. mill (>= 3), mill (<< 4).') == snapshot(
        ['Programs must name what they need (e.g. mill (>= 3), mill (<< 4).']
    )


def test_a_leading_clause_goes():
    assert compression.variants('After the flood had taken the bridge, Orme sold the mill to Quill.') == snapshot(
        ['After the flood had taken the bridge, Orme sold the mill to Quill.', 'Orme sold the mill to Quill.']
    )


@pytest.mark.parametrize(
    'sentence',
    [
        'When the survey ends, the mill is sold again, now free of debt.',
        'The bridge, the mill is told, was never paid for.',
        'Rules are added with mill add rule [family] table chain.',
        'Each gate — even the small one — gets a keeper.',
        'The search is O(log n) and the calls of add() are not.',
        'wheel_speed was never set.',
        'The mill must be stopped before cleaning, greasing or mending the wheel.',
        'It provides a way of opening, shutting, and locking the gates.',
        'The gate takes a name, string or number.',
        'The tools of the mill, which include the saw, hammer, and axe, have handles.',
        'The level may be given as: a height in feet; a height in metres; a name.',
        'The gate cannot be opened by pushing the beam.',
        'You must lift the beam in order to open the gate.',
        'In 1871, the keeper sold the mill, moved to Port Ansel, and died.',
        'After a flood, the wheel is greased.',
        'If it is not set, counting from the top is meant.',
        'The mill was sold in 1892 – 93.',
    ],
)
def test_what_a_sentence_needs_is_never_cut(sentence: str) -> None:
    assert compression.variants(sentence) == [sentence]


def test_what_is_left_ends_with_no_clause_that_needs_what_followed():
    assert compression.variants(
        'The guild keeps the book of tides, which you need in order to open the sluice at night.'
    ) == snapshot(
        [
            'The guild keeps the book of tides, which you need in order to open the sluice at night.',
            'The guild keeps the book of tides.',
        ]
    )


def test_a_reason_is_left_with_what_it_is_the_reason_of() -> None:
    sentence = 'The mill cannot be sold, which is often a problem, since nobody owns it.'
    assert 'The mill cannot be sold since nobody owns it.' not in compression.variants(sentence)


def test_numbers_in_an_aside_are_kept_at_first():
    assert compression.variants('Jonas Orme (1820–1888) was a miller.') == snapshot(
        ['Jonas Orme (1820–1888) was a miller.', 'Jonas Orme was a miller.']
    )


def test_tidying_takes_off_what_an_extraction_left_empty():
    assert compression.tidy('in fact Orme ( , ) left;') == snapshot('In fact Orme left')


WORDS = st.sampled_from(
    'Quill sold also the mill , which while ( 1871 ) ; because Orme then [ x ] , including After the flood , "'.split()  # noqa: SIM905
)


@given(st.lists(WORDS, min_size=1, max_size=60).map(' '.join))
def test_every_form_is_made_of_the_words_in_their_order(text: str):
    whole = names.words(text)
    forms = compression.variants(text)
    assert len(forms) <= compression.MAX_FORMS
    for form in forms:
        rest = iter(whole)
        assert all(word in rest for word in names.words(form)), form


def test_a_long_line_of_clauses_completes():
    for unit in ('a, which b ', '(', '(a ', '; ', ' ', 'x, the y, ', '"', 'and '):
        compression.variants(unit * 20_000)


@pytest.mark.parametrize(
    'sentence',
    [
        'John Smith was convicted of fraud in Berlin in 2001, although the verdict was overturned by Judge Lee.',
        'The treaty was approved by Parliament in 1999, but later cancelled by the Crown.',
        'Trade with Marn is legal under the Treaty of 1931, if the truce with the League holds.',
        'Vael founded the guild in 840, as Morn Keld claimed in his memoirs.',
        'The bridge is open to carts all year, except in the month of Thaw.',
        'The gate stays closed to strangers, unless the Reeve allows it.',
        'The vaccine (never approved in Norway) was sold in Marn.',
    ],
)
def test_what_takes_back_or_limits_a_statement_is_never_cut(sentence: str) -> None:
    assert compression.variants(sentence) == [sentence]
