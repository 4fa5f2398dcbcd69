"""Citations: what is quoted, and that every quote stands where it is said to stand."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.brief.citations import (
    MAX_QUOTE,
    Citation,
    Quotable,
    choose,
    quotes_in,
    terms_to_quote,
    verify,
)
from summarizer_tool.evidence.brief.quoting import PLAIN_RUN, line_at

LOG = Document("""\
# Keeper's log

Dr. Hale came on 3 May 1931. She brought the first lamp, which burned for 40 hours.

| Gauge | Height |
|-------|--------|
| North | 3.2 m  |
- The lamp was replaced in 1940 by a larger one.
""")
LINES = list(enumerate(LOG.text.splitlines(), 1))


@pytest.mark.parametrize(
    ('quote', 'line', 'stands'),
    [
        ('She brought the first lamp', 3, True),
        ('She brought the first lamp', 4, False),
        ('| North | 3.2 m  |\n- The lamp', 7, False),
        ('she brought', 3, False),
        ('', 3, False),
        ('Dr', 0, False),
        ('one.', 8, True),
        ('one.', 9, False),
    ],
)
def test_a_quote_stands_in_its_line_or_does_not(quote: str, line: int, stands: bool) -> None:
    assert verify(quote, LOG.text, line) is stands


@given(st.text('a\n\r', max_size=30), st.integers(1, 9))
def test_lines_are_counted_as_read_source_counts_them(text: str, number: int) -> None:
    start, end = line_at(text, number)
    assert text[start:end] == ''.join(text.split('\n')[number - 1 : number])


def test_pieces_of_lines() -> None:
    assert [quotes_in(text) for _, text in LINES if text] == snapshot(
        [
            [],
            ['Dr. Hale came on 3 May 1931.', 'She brought the first lamp, which burned for 40 hours.'],
            ['Gauge | Height'],
            [],
            ['North | 3.2 m'],
            ['The lamp was replaced in 1940 by a larger one.'],
        ]
    )


def test_what_has_the_rarest_words_of_the_question_is_quoted() -> None:
    blocks = [
        Quotable('src_1', [(1, 'The lamp is lit at dusk. The lamp burned for 40 hours at first.')], 0.9, 0),
        Quotable('src_2', [(4, 'The lamp stands in the hall.'), (5, 'It was built by Hale.')], 0.5, 1),
        Quotable('src_3', [(6, 'Boats are for hire.')], 0.4, 2),
        Quotable('src_4', [(7, 'Tea is served at noon.')], 0.4, 3),
    ]
    words = terms_to_quote('For how many hours did the lamp burn, and who built it?')

    assert sorted(words) == snapshot(['built', 'burn', 'hour', 'lamp'])
    assert choose(blocks, words) == snapshot(
        [
            Citation(quote='The lamp burned for 40 hours at first.', source_id='src_1', line=1, evidence=0),
            Citation(quote='It was built by Hale.', source_id='src_2', line=5, evidence=1),
        ]
    )
    assert choose(blocks, words, 1) == choose(blocks, words)[:1]
    # The best are found by what stands above them, or by their meaning, where none of the words is in them.
    assert [citation.evidence for citation in choose(blocks, frozenset())] == [0, 1]


def test_what_answers_under_its_heading_is_quoted_and_no_quoted_question() -> None:
    words = terms_to_quote('Who built the weir?')
    heading = Quotable('src_1', [(2, 'Old Tam, in 1840.')], 0.9, 0)
    asked = Quotable(
        'src_2', [(1, '"Who built the weir?" asked the boy.'), (3, 'Tam built the weir, he said.')], 0.8, 1
    )
    assert [citation.quote for citation in choose([heading, asked], words)] == [
        'Old Tam, in 1840.',
        'Tam built the weir, he said.',
    ]


def test_what_says_more_than_was_asked_is_quoted_rather_than_a_heading() -> None:
    lines = [(1, '4. Total liability'), (2, '4.1 The liability shall not exceed £150,000.'), (3, 'Liability: 7')]
    words = terms_to_quote('total liability')
    assert choose([Quotable('src_1', lines)], words)[0].quote == '4.1 The liability shall not exceed £150,000.'
    assert choose([Quotable('src_1', lines[::2])], words)[0].quote == 'Liability: 7'
    assert choose([Quotable('src_1', lines[:1])], words)[0].quote == 'Total liability'


def test_a_row_is_quoted_for_the_names_of_its_columns() -> None:
    rows = [
        '| Lamp | Hours of light |',
        '| --- | :-: |',
        '| North | 40 |',
        '| South | 30 |',
        'The lamps are lit at dusk.',
    ]
    words = terms_to_quote('How many hours of light has the south lamp?')
    [citation] = choose([Quotable('src', list(enumerate(rows, 1)))], words, 1)
    assert (citation.line, citation.quote) == (4, 'South | 30')


def test_a_question_is_quoted_only_where_nothing_answers() -> None:
    lines = [(1, 'For how many hours did the first lamp burn?'), (2, 'It burned for 40 hours.')]
    words = terms_to_quote('How many hours did the lamp burn?')
    assert [citation.line for citation in choose([Quotable('src', lines)], words)] == [2]
    assert [citation.line for citation in choose([Quotable('src', lines[:1])], words)] == [1]
    # Within a paragraph it may be how somebody tells it.
    [citation] = choose([Quotable('src', [(1, 'Did it not burn for 40 hours, that lamp? It did.')])], words)
    assert citation.quote == 'Did it not burn for 40 hours, that lamp?'


def test_equal_pieces_are_quoted_once() -> None:
    same = [Quotable(f'src_{n}', [(1, 'The lamp burned for 40 hours.')], 0.5, n) for n in range(4)]

    assert len(choose(same, terms_to_quote('lamp hours'))) == 1


def test_a_quote_rests_on_no_filler() -> None:
    words = terms_to_quote('What stood throughout the winter?')
    assert words == {'stood', 'winter'}
    # Unless nothing else is asked for.
    assert terms_to_quote('throughout?') == {'throughout'}
    assert terms_to_quote('Wer hat die Mühle für den Müller gebaut?') == {'muhl', 'muller', 'gebaut'}
    assert terms_to_quote('من بنى البرج؟') == {'بنى', 'البرج'}


def test_other_scripts_are_asked_for_and_found() -> None:
    blocks = [
        Quotable('src_1', [(1, '茶は正午に出されます。灯台は一九三一年に建てられました。')], 0.9, 0),
        Quotable('src_2', [(2, 'Чай подают в полдень. Маяк построили в 1931 году.')], 0.9, 1),
    ]

    assert [
        citation.quote
        for citation in choose(blocks, terms_to_quote('灯台はいつ建てられましたか。 Когда построили маяк?'))
    ] == snapshot(['灯台は一九三一年に建てられました。', 'Маяк построили в 1931 году.'])


def test_long_sentences_are_cut_between_words() -> None:
    line = 'and the tide of the day was higher than that of the day before ' * 40
    pieces = quotes_in(line)

    assert all(len(piece) <= MAX_QUOTE and f' {piece} ' in f' {line} ' for piece in pieces)
    assert ' '.join(pieces) == line.strip()
    assert [len(piece) for piece in quotes_in('漢' * 700)] == [300, 300, 100]


SOUP = st.text(st.sampled_from('aB. !?。;é漢👩‍\t\r\u2028\x00\x1b\u202e#-|>*"1'), max_size=120)


@hypothesis_settings(max_examples=80)
@given(st.lists(SOUP | st.just('The lamp burned. ' * 30), min_size=1, max_size=6), SOUP)
def test_every_quote_is_a_substring_of_its_line_and_is_shown_as_it_is(lines: list[str], question: str) -> None:
    document = Document('\n'.join(lines))
    numbered = list(enumerate(document.text.split('\n'), 1))

    for citation in choose([Quotable(document.id, numbered, 1.0, 0)], terms_to_quote(question)):
        assert verify(citation.quote, document.text, citation.line)
        assert PLAIN_RUN.fullmatch(citation.quote)
        assert 0 < len(citation.quote) <= MAX_QUOTE
        assert isinstance(citation, Citation)


def test_what_is_asked_of_a_term_is_quoted_from_its_definition() -> None:
    text = """\
keep_for (integer)
: How long a lamp is kept lit. A value without a unit counts as minutes. The default is 40 minutes.

    It can be set by the keeper alone.

drain_after (integer)
: How long the tank stands. The default is two hours.
"""
    lines = list(enumerate(text.splitlines(), 1))
    asked = terms_to_quote('What is the default of keep_for?')

    assert choose([Quotable('src', lines)], asked, 1) == snapshot(
        [Citation(quote='The default is 40 minutes.', source_id='src', line=2)]
    )
    assert choose([Quotable('src', lines)], terms_to_quote('What is the default of drain_after?'), 1) == snapshot(
        [Citation(quote='The default is two hours.', source_id='src', line=7)]
    )
    assert choose([Quotable('src', lines)], terms_to_quote('Who can set keep_for?'), 1) == snapshot(
        [Citation(quote='It can be set by the keeper alone.', source_id='src', line=4)]
    )


def test_what_begins_with_a_number_sign_is_a_heading_only_before_a_blank() -> None:
    assert quotes_in('#4090: the sluice leaks when it rains.') == ['4090: the sluice leaks when it rains.']
    assert quotes_in('## The sluice leaks when it rains') == []
