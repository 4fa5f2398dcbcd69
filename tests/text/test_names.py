"""The names, dates and numbers in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.text import names


def test_names_dates_and_numbers_are_found_as_they_are_written():
    text = 'However, Mara Quill of the Salt Guild sold 1,200 barrels to J. P. Orme on 3 May 1871 for $4.5 million.'
    assert names.mentions(text) == snapshot(
        ('Mara Quill of the Salt Guild', '1,200', 'J. P. Orme', '3 May 1871', '$4.5 million')
    )


def test_a_possessive_and_a_full_stop_are_no_part_of_a_name():
    assert names.mentions("Quill's ledger names Orme.") == snapshot(('Quill', 'Orme'))
    assert names.mentions('She moved to the U.S. with Karl XII of Sweden.') == snapshot(('U.S.', 'Karl XII of Sweden'))


def test_a_title_before_a_dash_is_no_part_of_a_name():
    text = 'Gate Opens Late - Ada Finn left Orme. Mill - The keepers met. Jean - Luc Brook stayed.'
    assert names.mentions(text) == snapshot(('Gate Opens Late', 'Ada Finn', 'Orme', 'Mill', 'Jean - Luc Brook'))


def test_scripts_without_capitals_have_names_in_quotation_marks():
    assert names.mentions('他在1921年写了《盐与铁》。') == snapshot(('1921', '盐与铁'))


def test_one_key_for_several_spellings():
    assert {names.key(mention) for mention in ('The Salt Guild', 'Salt Guild', 'salt guild')} == {'salt guild'}
    assert names.key('1,200') == names.key('1200')
    assert names.key('1,5') == names.key('1.5') != names.key('15')


def test_words_are_folded_and_elisions_split():
    assert names.words("Saint-Thomas d’Aquin's 1,200 Books") == snapshot(
        ['saint', 'thomas', 'd’', 'aquin', '1200', 'books']
    )


def test_a_lone_capital_at_the_beginning_may_be_no_name():
    assert names.opens_sentence('Barrels were sold.', 'Barrels')
    assert not names.opens_sentence('She sold Barrels.', 'Barrels')
    assert names.is_opener('However,')
    assert not names.is_opener('Quill')


def test_a_capital_within_a_sentence_belongs_to_a_name():
    assert names.mentions('Ada met Will Smith in Second Street in May.') == (
        'Ada',
        'Will Smith',
        'Second Street',
        'May',
    )
    assert names.mentions('In The Hague they said that We must.') == ('Hague',)


@given(st.text(max_size=200))
def test_a_mention_stands_in_the_text(text: str):
    assert all(mention in text and mention.strip() for mention in names.mentions(text))


def test_a_name_does_not_begin_with_a_date_or_a_unit():
    text = 'On 3 May 2020 Ada left at -5 °C. Version 3.10 came. In 1840 Brook met Division 12 Gate.'
    assert [said for _, said, _ in names.located(text)] == snapshot(
        ['3 May 2020', 'Ada', '5', 'Version', '3.10', '1840', 'Brook', 'Division 12 Gate']
    )


@pytest.mark.parametrize(
    ('text', 'date'),
    [
        ('On 12 March 1921 the gate opened.', '12 March 1921'),
        ('In March 1921 it fell.', 'March 1921'),
        ('In May 1921 it fell.', 'May 1921'),
        ('By May 5 it was dry.', 'May 5'),
        ('Tuesday 3 May was dry.', 'Tuesday 3 May'),
        ('It opened 12/03/1921, they say.', '12/03/1921'),
    ],
)
def test_a_date_is_one_however_its_sentence_begins(text: str, date: str):
    assert [(kind, said) for kind, said, _ in names.located(text)] == [('date', date)]
