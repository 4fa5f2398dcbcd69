"""Ranking: a score that means the same everywhere, and a choice without copies."""

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.evidence.search.choosing import in_turn
from summarizer_tool.text import passage_score
from summarizer_tool.text.passage_score import PassageWords
from summarizer_tool.text.ranking import WeighedQuestion, fuse, idf, weigh
from summarizer_tool.text.terms import asked, terms_of, words_of

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


def test_each_ranking_has_its_turn() -> None:
    rankings, texts = [[0, 1, 2, 3], [1, 4], [], [5]], {item: str(item) for item in range(6)}
    assert [*in_turn(rankings, 10, texts).items()] == [(0, 0), (1, 1), (5, 3), (2, 0), (4, 1), (3, 0)]
    assert in_turn(rankings, 2, texts) == {0: 0, 1: 1}
    assert in_turn(rankings, 0, texts) == in_turn([], 5, texts) == {}
    # Of equal texts the first.
    assert [*in_turn([[0, 1, 2]], 5, {0: 'salt', 1: 'tax', 2: 'salt'}).items()] == [(0, 0), (1, 0)]


def read(*texts: str) -> list[PassageWords]:
    question = weighed('the salt tax')
    words = [words_of(text.casefold()) for text in texts]
    return [PassageWords(each, *question.read(each), not place) for place, each in enumerate(words)]


TOLLS = [f'{name} paid what was due at the gate.' for name in ('Ada', 'Brook', 'Clay', 'Dunn', 'Eve')]


def ranked(some: list[PassageWords]) -> list[float]:
    return [round(value, 2) for value in passage_score.values(some, weighed('the salt tax').weights, 'the salt tax')]


def test_what_is_said_around_a_passage_counts() -> None:
    assert ranked(read(*TOLLS[:2], 'The salt tax was heavy.', *TOLLS[2:])) == snapshot(
        [0.06, 0.06, 0.81, 0.06, 0.06, 0.06]
    )
    # Not what is said in another source, or elsewhere in its own.
    said = 'The salt tax was heavy.'
    assert ranked([*read(said), *read(*TOLLS)]) == snapshot([0.81, 0.05, 0.05, 0.05, 0.05, 0.05])
    assert ranked(read(*TOLLS)) == [0.0] * 5
    assert passage_score.values([], {}, '') == []


def test_what_stands_together_tells_more_than_what_is_said_anywhere() -> None:
    some = [
        PassageWords(
            (), 0.0, {'salt': 1} if place < 4 else {'talk': 1} if place % 6 == 5 else {}, is_apart=place % 4 == 0
        )
        for place in range(24)
    ]
    values = passage_score.values(some, {'salt': 2.0, 'talk': 2.0}, 'Talk of salt')
    assert min(values[:4]) > 1.2 * max(values[4:])


@given(st.lists(st.sampled_from([*TOLLS, 'Salt is sold.', 'The salt tax was heavy.', '', '漢字']), max_size=30))
def test_values_are_shares(texts: list[str]) -> None:
    values = ranked(read(*texts))
    assert all(0 <= value <= 1 for value in values)
    assert any(values) == any('alt' in text for text in texts)
