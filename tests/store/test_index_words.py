"""The words of the index: what is found by which, and what a question asks for."""

import unicodedata

import pytest

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.search import candidates
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.text.terms import asked, stem, terms_of
from tests.support.stores import found


@pytest.mark.parametrize(
    ('text', 'question'),
    [
        ('The guild was founded by Ada Brook.', 'ADA founding guilds'),
        ('Every city has its stories.', 'story cities'),
        ('Der Fluß fließt in Zürich über Brücken.', 'fluss ZURICH brücken'),
        ('Les élèves naïfs sont là', 'eleves naif'),
        ('Le café est à l’eau', "l'eau"),
        ('Decomposed cafe\u0301 and re\u0301sume\u0301', 'café résumé'),
        ('see src_12 and foo.bar_baz, v1.2.3', 'src_12'),
        ('see src_12 and foo.bar_baz, v1.2.3', 'foo.bar_baz'),
        ('see src_12 and foo.bar_baz, v1.2.3', 'V1.2.3?'),
        ('error E-4021 in C++ and C#.', 'E-4021 c++ (C#)'),
        ('error E-4021 in C++', 'error 4021'),
        ('It cost 1,234,567 marks', '1234567'),
        ('It cost 1234567 marks', '1,234,567'),
        ('the state-of-the-art harbour', 'state of the art'),
        ('_emphasis_ and **strong**', 'emphasis strong'),
        ('东京都知事在二〇二〇年宣布了新的港口计划。', '港口计划'),
        ('港は冬に凍結します。', '凍結'),
        ('水', '水'),
        ('河水很深', '水'),
        ('항구는 겨울에 얼어붙습니다', '항구'),
        ('ท่าเรือเปิดทุกวัน', 'ท่าเรือ'),
        ('बंदरगाह सर्दियों में जम जाता है', 'बंदरगाह'),
        ('Гавань была построена', 'ГАВАНЬ'),
        ('ﬁne ｆｕｌｌ width', 'fine full'),
        ('The prophet ﷺ said so', 'said ﷺ'),
        ('The prophet ﷺ said so', 'صلى الله'),
        ('The prophet صلى الله عليه وسلم said so', 'ﷺ'),
        ('see ⑴⑵ and a⑶b', 'a⑶b ⑴⑵'),
    ],
)
def test_what_is_found(text: str, question: str) -> None:
    with SourceStore() as store:
        collection = store.collection()
        collection.add(Document('Something else: tide, sluice, 4022, d++, bar.foo.'))
        collection.add(Document(text))
        assert found(collection, question) == [text]


@pytest.mark.parametrize(
    'question',
    ['guild OR salt', 'NOT salt', 'gui*', 'terms:guild', '"guild', 'guild" OR "salt', '^guild', 'NEAR(guild salt)',
     '{terms}: guild', "guild'", 'guild AND', '-guild', 'guild + salt', '\0guild', '\ud800guild', '(' * 1000],
)  # fmt: skip
def test_a_question_is_no_syntax(question: str) -> None:
    with SourceStore() as store:
        collection = store.collection()
        collection.add(Document('The guild.'))
        collection.add(Document('The salt.'))
        wanted = {'guild', 'salt'} & {*asked(question).terms}
        others = {*asked(question).terms} - wanted
        expected = [] if others or len(wanted) != 1 else [f'The {wanted.pop()}.']
        if asked(question).terms:
            assert found(collection, question) == expected


@pytest.mark.parametrize(
    ('question', 'terms'),
    [
        ('What is the difference between salt and wool?', 'differenc salt wool'),
        ('the who', 'the who'),
        ('What does the WHO do with IT?', 'who it'),
        ("What's Ada's v1.2.3, and why doesn't C++ work?", 'ada v1.2.3 v1 c++ work'),
        ('Who closed the door on the dying man?', 'clos door dying man'),
        ('Wann wurde die Brücke über den Fluss gebaut?', 'bruck fluss gebaut'),
        ('港口什么时候结冰？', '港口 口什 么时 时候 候结 结冰'),
        ('', ''),
        ('?!', ''),
    ],
)
def test_what_a_question_asks_for(question: str, terms: str) -> None:
    assert asked(question).terms == tuple(terms.split())


def test_what_is_asked_for_is_bounded() -> None:
    assert len(asked(' '.join(map(str, range(10_000)))).terms) == 64


@pytest.mark.parametrize(
    ('words', 'term'),
    [
        ('found founds founded founding', 'found'), ('story stories', 'stori'), ('store stores stored storing', 'stor'),
        ('run runs running', 'run'), ('city cities', 'citi'), ('class classes', 'class'), ('quick quickly', 'quick'),
        ('hop hops hopped hopping', 'hop'), ('tie ties tied', 'tie'), ('model modelled modeling', 'model'),
        ('control controls controlled controlling', 'control'), ('call calls called calling', 'call'),
        ('terminate terminated terminations', 'terminat'), ('nation nations', 'nation'),
        ('use uses used using', 'use'), ('agree agrees agreed agreeing', 'agre'), ('add adds added adding', 'add'),
        ('proceed proceeded proceeding', 'proceed'),
    ],
)  # fmt: skip
def test_endings(words: str, term: str) -> None:
    assert {stem(word) for word in words.split()} == {term}


@pytest.mark.parametrize('word', ['is', 'bus', 'this', 'sing', 'bring', 'need', 'v1', 'ed', 'ing'])
def test_what_is_no_ending(word: str) -> None:
    assert stem(word) == word


def test_a_word_of_a_megabyte() -> None:
    assert all(len(term) <= 64 for term in terms_of('x' * 1_000_000 + ' ' + 'a.' * 1000 + ' ' + 'é' * 1000))


def test_every_term_is_one_word_to_the_index() -> None:
    """Some characters stand for several words, and FTS5 without places takes no phrases."""
    compatible = [chr(code) for code in range(0x80, 0x20000) if unicodedata.decomposition(chr(code)).startswith('<')]
    texts = [text for sign in compatible for text in (sign, sign * 2, f'a{sign}b', f'x-{sign}.5')]
    terms = {term for text in texts for term in (*terms_of(text), *asked(text).terms)}
    assert len(terms) > 3000
    with SourceStore() as store, store.collection().database.read() as db:
        assert [candidates.rows_with(db, [term], [(0, 9)], 9) for term in terms] == [[]] * len(terms)


def test_particles_of_a_script_without_spaces_are_not_looked_for() -> None:
    assert asked('どこから舟が来るか').terms == ('こか', 'ら舟', '舟が', 'が来', '来る')
    assert asked('から').terms == ('から',)
