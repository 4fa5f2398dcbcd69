"""Ranking: a score that means the same everywhere, and a choice without copies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.evidence.search.likeness import DiverseChoice, PassageLikeness, diverse
from summarizer_tool.evidence.search.ranking import WeighedQuestion, fuse, idf, weigh
from summarizer_tool.text.terms import asked, terms_of

FREQUENCIES = {'ada': 12, 'brook': 10, 'guild': 60, 'found': 200, 'year': 400, 'salt': 30, 'tax': 8}
PASSAGES = 1000


def weighed(question: str, intent: str = '') -> WeighedQuestion:
    return weigh(asked(question), asked(intent), FREQUENCIES, PASSAGES)


def test_how_much_a_term_says() -> None:
    assert [round(idf(frequency, 1000), 2) for frequency in (0, 1, 10, 100, 500, 1000, 2000)] == snapshot(
        [6.5, 6.5, 4.56, 2.3, 0.69, 0.0, 0.0]
    )
    assert idf(0, 0) > 0


def test_scores() -> None:
    question = weighed('In which year was the guild founded by Ada Brook?')
    assert {
        text: round(question.score(text), 2)
        for text in (
            'Ada Brook founded the guild in the year 1203.',
            'The guild was founded in 1203 by a woman of whom little more is known than the name: Ada, daughter of '
            'a miller who came from the north with nothing but a cart and two oxen, and settled by the Brook. That year '
            'was cold.',
            'Ada Brook sold her house.',
            'The guild had a good year.',
            'It was a good year.',
            'Wool.',
            '',
        )
    } == snapshot(
        {
            'Ada Brook founded the guild in the year 1203.': 0.81,
            'The guild was founded in 1203 by a woman of whom little more is known than the name: Ada, daughter of a miller who came from the north with nothing but a cart and two oxen, and settled by the Brook. That year was cold.': 0.77,
            'Ada Brook sold her house.': 0.54,
            'The guild had a good year.': 0.22,
            'It was a good year.': 0.05,
            'Wool.': 0.0,
            '': 0.0,
        }
    )


def test_headings_count_less_than_the_text() -> None:
    question = weighed('taxes on salt')
    in_text = question.score('The tax on salt was raised.')
    in_headings = question.score('It was raised twice.', frozenset(terms_of('Taxes > Salt')))
    both = question.score('The tax on salt was raised.', frozenset(terms_of('Taxes > Salt')))
    assert 0 < in_headings < in_text < both < 1


def test_a_phrase_counts_where_it_stands_as_asked() -> None:
    question = weighed('who founded "Ada Brook guild"')
    as_asked = question.score('The Ada Brook guild was founded.')
    assert as_asked > 0.75 > 0.6 > question.score('Brook, the guild, Ada, founded.') > 0.4
    # Without quotation marks the order matters little.
    plain = weighed('who founded Ada Brook guild')
    assert plain.score('The Ada Brook guild was founded.') - plain.score('Brook, the guild, Ada, founded.') < 0.1
    # A term that is made of others is itself in its place.
    assert weigh(asked('"foo.bar baz"'), asked(''), {'foo.bar': 1, 'baz': 1}, 9).score('a foo.bar baz') > 0.7


def test_the_intent_counts_less_than_the_question() -> None:
    question = weighed('salt', intent='the tax')
    plain, with_intent = question.score('Salt was sold.'), question.score('Salt was sold, without tax.')
    assert 0 < with_intent - plain < 0.1
    assert question.score('A tax.') == 0
    assert plain == weighed('salt').score('Salt was sold.')


def test_a_word_that_shares_its_beginning_counts_less() -> None:
    question = weighed('who leads the guild')
    assert question.score('The guild.') < question.score('The leader of the guild.')
    assert question.score('The leader of the guild.') < question.score('Who leads the guild.')
    assert question.score('The guild.') == question.score('A leaderboard of the guild.')


def test_an_identifier_that_is_not_there_is_its_parts() -> None:
    question = weigh(asked('error E-4021'), asked(''), {'error': 3, '4021': 1}, 50)
    assert list(question.weights) == ['error', '4021']
    assert question.score('Error 4021 means that the sluice is shut.') > 0.7
    # A word that nobody knows keeps the best from looking good.
    assert weigh(asked('error flurbish'), asked(''), {'error': 3}, 50).score('An error, an error, an error.') < 0.5


WORDS = st.lists(
    st.sampled_from(['Ada', 'Brook', 'guild', 'founded', 'years', 'salt', 'tax', 'wool', 'north', 'the']), max_size=40
).map(' '.join)


@given(WORDS, WORDS, WORDS, st.sampled_from(['', 'the tax']))
def test_more_of_the_question_is_never_worse(text: str, more: str, question: str, intent: str) -> None:
    asked_for = weighed(question, intent)
    score = asked_for.score(text)
    assert 0 <= score < 1
    assert asked_for.score(f'{text} {more}') >= score - 1e-12
    assert asked_for.score(text, frozenset(terms_of(more))) >= score - 1e-12
    assert (score > 0) == bool(asked_for.weights.keys() & terms_of(text))


def test_reciprocal_rank_fusion() -> None:
    assert fuse([[1, 2, 3], [3, 1, 4]]) == [1, 3, 2, 4]
    assert fuse([[], [2, 1]]) == [2, 1]
    assert fuse([[1, 2], [2, 1]]) == [1, 2]
    assert fuse([]) == []


def choose(texts: dict[str, float], wanted: int = 10) -> list[str]:
    """The texts that are chosen from one ranking."""
    named = dict(enumerate(texts))
    likenesses = {number: PassageLikeness(text) for number, text in named.items()}
    ranking = sorted(((number, texts[text]) for number, text in named.items()), key=lambda item: -item[1])
    return [named[number] for number, _ in diverse([ranking], likenesses, wanted).chosen]


LEDGER = 'The ledger of the guild names twelve ships that left with salt and wool in the spring of that year, and tar.'


def test_copies_are_shown_once() -> None:
    copy = LEDGER.replace(' and tar', ', and hemp').upper()
    other = 'The ledger of the town names nine ships that came with timber in the autumn of another year.'
    assert choose({LEDGER: 0.7, copy: 0.8, other: 0.5}) == [copy, other]
    assert choose({LEDGER: 0.8, copy: 0.7, other: 0.5}) == [LEDGER, other]
    assert choose({LEDGER: 0.8, f'{LEDGER} ': 0.8, '': 0.1, '?': 0.1, '!': 0.1}) == [LEDGER, '', '?', '!']


REPORT = (
    'In the winter the tidal station at the mouth of the river gave its energy to the grid of the county, most of its '
    'wheels were at work on all days, no accident was told by the wardens, and the visitors who came to see the '
    'gallery under the piers were counted at the gate by Ada Brook as in every year before.'
)


@pytest.mark.parametrize(
    ('old', 'new', 'are_copies'),
    [
        ('gallery', 'hall', True),
        ('winter', 'summer', True),
        ('year before', 'summer before', True),
        ('gallery', 'vaulted gallery', True),
        ('.', '!', True),
        ('the winter', 'the year 1204', False),
        ('no accident', 'an accident', False),
        ('most of', 'all of', False),
        ('every', 'every third', False),
        ('county', 'county of Velm', False),
        ('Ada Brook', 'Tom Brook', False),
        ('energy', 'power', False),  # a word of the question
        ('on all days', '✓ on all days', False),
        ('winter', '冬', False),
    ],
)
def test_what_is_a_copy(old: str, new: str, *, are_copies: bool) -> None:
    question = frozenset(asked('How much energy did the station give?').terms)
    one, other = PassageLikeness(REPORT, question), PassageLikeness(REPORT.replace(old, new, 1), question)
    assert one.is_copy(other) == other.is_copy(one) == are_copies


def test_numbers_in_another_order_or_of_another_sign() -> None:
    text = 'The tide at the mill was {} marks high in the morning and {} marks high in the evening of that very day.'
    cold = text.replace('high', 'over the sill')
    for one, other in (
        (('3', '5'), ('5', '3')),
        (('-3', '5'), ('3', '5')),
        (('$3', '5'), ('€3', '5')),
        (('3%', '5'), ('3', '5')),
    ):
        assert not PassageLikeness(cold.format(*one)).is_copy(PassageLikeness(cold.format(*other)))
    assert PassageLikeness(cold.format('3', '5')).is_copy(PassageLikeness(cold.format('3', '5').upper()))


def test_of_copies_the_newest_is_shown() -> None:
    texts = [REPORT, REPORT.replace('gallery', 'hall'), REPORT.replace('gallery', 'vault'), LEDGER]
    likenesses = {number: PassageLikeness(text) for number, text in enumerate(texts)}
    ranking = [(0, 0.9), (1, 0.8), (2, 0.7), (3, 0.1)]
    assert diverse([ranking], likenesses, 9, {0: 5, 1: 7, 2: 6, 3: 9}) == DiverseChoice(((1, 0), (3, 0)), {0: 1, 2: 1})
    assert diverse([ranking], likenesses, 9, {0: 7, 1: 7}) == DiverseChoice(((0, 0), (3, 0)), {1: 0, 2: 0})
    assert PassageLikeness('Salt').is_copy(PassageLikeness('salt'))
    assert likenesses[0].repeats(PassageLikeness(REPORT.upper()))
    assert not likenesses[0].repeats(likenesses[1])


def test_what_is_new_goes_before_what_is_alike() -> None:
    alike = LEDGER.replace('salt and wool', 'pans and pots').replace('twelve ships', 'eleven carts of ours')
    new = 'Nobody in the archive has ever seen a harbour master who could read.'
    assert choose({LEDGER: 0.8, alike: 0.7, new: 0.6}) == [LEDGER, new, alike]
    assert choose({LEDGER: 0.8, alike: 0.7, new: 0.3}) == [LEDGER, alike, new]


def test_each_ranking_has_its_turn() -> None:
    likenesses = {number: PassageLikeness(f'{number} ' * 3) for number in range(7)}
    rankings = [[(0, 0.9), (1, 0.8), (2, 0.7), (3, 0.6)], [(1, 0.3), (4, 0.2)], [], [(5, 0.1)]]
    assert diverse(rankings, likenesses, 10).chosen == ((0, 0), (1, 1), (5, 3), (2, 0), (4, 1), (3, 0))
    assert diverse(rankings, likenesses, 2).chosen == ((0, 0), (1, 1))
    assert diverse(rankings, likenesses, 0) == diverse([], {}, 5) == DiverseChoice((), {})
