"""Choosing what to say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.prompts import Focus
from summarizer_tool.text import names, scoring
from summarizer_tool.text.relevance import matches, relevances
from summarizer_tool.text.scoring import Aim, Item


def item(text: str, **options: object) -> Item:
    mentioned = tuple(map(names.key, names.mentions(text)))
    return Item(len(text.split()), mentioned, scoring.content_words(text), **options)  # pyright: ignore[reportArgumentType]


def test_new_names_come_before_known_ones():
    texts = [
        'the guild met again and talked',
        'so Mara Quill met Jonas Orme',
        'then Mara Quill met Jonas Orme in a house by the sea',
        'later Ada Finn met Mara Quill',
    ]
    chosen = scoring.choose([item(text) for text in texts], 12)
    assert [texts[index] for index in chosen] == snapshot(
        ['later Ada Finn met Mara Quill', 'so Mara Quill met Jonas Orme']
    )


def test_part_of_a_name_is_said_with_it():
    texts = ['so Mara Quill', 'so Quill', 'so Orme']
    assert scoring.choose([item(text) for text in texts], 5) == snapshot([2, 1])


def test_one_variant_of_a_thing_is_chosen():
    items = [item('so Mara Quill met Jonas Orme at last', variant_of=1), item('so Mara Quill', variant_of=1)]
    assert len(scoring.choose(items, 100, fill=True)) == 1


def test_what_adds_nothing_is_chosen_only_to_fill():
    items = [item('so Quill left'), item('so Quill left')]
    assert scoring.choose(items, 100) == [0]
    assert scoring.choose(items, 100, fill=True) == [0, 1]


def test_what_texts_say_in_one_is_one_thing():
    texts = ['Marks and Spencer sold the mill.', 'The marks of an exam are told in May.', 'Spencer drew a gate.']
    told = relevances(texts, Focus(focus_areas='Marks and Spencer'), breaks=(0, 1, 2))
    assert told[0] == max(told) > 2 * max(told[1:])


def test_what_headings_cost_is_paid_once():
    below = {'below': 'Mills', 'below_cost': 4}
    items = [
        item('so Mara Quill', **below),
        item('so Jonas Orme', **below),
        item('so Ada Finn', below='Ways', below_cost=4),
    ]
    assert scoring.choose(items, 14) == [0, 1]
    assert scoring.choose(items, 17) == [0, 1, 2]


def test_stop_words_are_those_of_the_language():
    assert scoring.content_words('Der Turm ist für die Stadt gebaut', 'de') == snapshot(('turm', 'stadt', 'gebaut'))
    assert scoring.content_words('The war was over', 'en') == snapshot(('war',))
    assert scoring.content_words('数字赋能农业') == snapshot(('数字', '字赋', '赋能', '能农', '农业'))
    assert scoring.language_of_texts(['Der Turm ist alt.', 'Das Tor und die Brücke']) == 'de'


def test_rarity_and_content_words():
    assert scoring.rarity([('salt', 'mill'), ('salt',), ('salt', 'guild')]) == snapshot(
        {'salt': 0.20751874963942185, 'mill': 1.0, 'guild': 1.0}
    )
    assert scoring.content_words('The factions of the town were fighting') == snapshot(('faction', 'town', 'fight'))


ITEMS = st.builds(
    Item,
    cost=st.integers(0, 30),
    names=st.lists(st.sampled_from(['ada finn', 'finn', 'orme', '1871']), unique=True).map(tuple),
    words=st.lists(st.sampled_from(['salt', 'mill', 'sea']), unique=True).map(tuple),
    weight=st.floats(0, 3),
    section=st.integers(0, 2),
    variant_of=st.none() | st.integers(0, 3),
)


@pytest.mark.parametrize('aim', scoring.Aim)
def test_what_matters_more_weighs_more(aim: scoring.Aim):
    for relevance in (0.0, 0.5, 1.0):
        weights = [scoring.fact_weight(importance, relevance, aim) for importance in range(6)]
        assert weights == sorted(set(weights))
    assert scoring.fact_weight(3, 1.0, aim) > scoring.fact_weight(3, 0.5, aim) > scoring.fact_weight(3, 0.0, aim)
    assert scoring.fact_weight(1, 0.0, aim) > scoring.fact_weight(5, 1.0, aim, is_filler=True)


@given(st.lists(ITEMS, max_size=30), st.integers(0, 100), st.booleans())
def test_the_choice_keeps_its_budget(items: list[Item], budget: int, fill: bool):
    chosen = scoring.choose(items, budget, fill=fill)
    assert len(set(chosen)) == len(chosen)
    assert sum(max(1, items[index].cost) for index in chosen) <= budget
    variants = [items[index].variant_of for index in chosen if items[index].variant_of is not None]
    assert len(set(variants)) == len(variants)


def test_what_most_of_a_text_says_is_its_gist():
    texts = ['salt wool tar', 'salt wool tin', 'a bell rang', 'salt ships']
    items = [Item(3, (), scoring.content_words(text)) for text in texts]
    assert set(scoring.choose(items, 6, scoring.Aim.GIST)) == {0, 1}


def test_what_is_said_again_but_for_its_number_gives_way():
    texts = [f'Committee {number} discussed the garden, the roof, the shed and the budget.' for number in range(6)]
    texts.append('Adults take 500 mg.')
    items = [Item(cost=15, names=(), words=scoring.content_words(text)) for text in texts]
    assert scoring.choose(items, 30, scoring.Aim.GIST, fill=True) == [0, 6]


def test_relevance_reaches_what_stands_near():
    texts = ['The harbour was built of oak.', *['It stood for years.'] * 90, 'Nobody spoke of wool.']
    relevance = relevances(texts, Focus(focus_areas='Who built the harbour?'))
    # What is said next is of the same passage, and what follows fades.
    assert relevance[0] == relevance[3] == 1.0
    assert 0.1 > relevance[30] > relevance[-1]
    # Not beyond another heading, nor in another source.
    assert relevances(['# Harbour', 'It was built.', '# Mill', 'It stood.'], Focus(focus_areas='harbour'))[2] < 0.1
    assert relevances(texts, Focus(focus_areas='harbour'), {1})[1] < 0.1


@pytest.mark.parametrize('focus', ['EU', 'AI', 'pier 47', 'Phase 2'])
def test_short_words_and_numbers_are_looked_for(focus: str):
    texts = ['The pier 4 fell.', 'The EU, by AI, at pier 47, in Phase 2, raised it.', 'Phase one ended.']
    relevance = relevances(texts, Focus(focus_areas=focus))
    assert max(relevance) == relevance[1] == 1.0


@pytest.mark.parametrize(
    ('asked', 'said'),
    [
        ('Who leads it?', 'Its leader is Ada.'),
        ('intentionality', 'Nothing shows an intention.'),
    ],
)
def test_words_of_one_root_meet(asked: str, said: str):
    texts = ['The mill stands by the weir.', said, 'Interest is paid in wool.']
    assert max(found := matches(texts, Focus(focus_areas=asked))) == found[1] == 1.0


@pytest.mark.parametrize(
    ('focus', 'aim'),
    [
        (Focus(), Aim.GIST),
        (Focus(focus_areas='the harbour'), Aim.ANSWER),
        (Focus(schema_hint='names, dates'), Aim.NAMES),
        (Focus(focus_areas='the harbour', schema_hint='names, dates'), Aim.NAMES),
        (Focus(schema_hint='Who built the harbour?'), Aim.ANSWER),
        (Focus(focus_areas='Who built it?', schema_hint='names, dates'), Aim.ANSWER),
        (Focus(schema_hint='url (https://a.example/?id=1)'), Aim.NAMES),
        (Focus(schema_hint='誰が港を建てたか？日付も'), Aim.ANSWER),
    ],
)
def test_a_question_wants_an_answer_wherever_it_stands(focus: Focus, aim: Aim):
    assert Aim.of(focus) is aim
