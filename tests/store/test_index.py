"""The index: what is found by which words, that it goes with its source, and that collections stay apart."""

import sqlite3
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.passage import Passage
from summarizer_tool.evidence.search import lookup, outdated
from summarizer_tool.html.page import Image, Link
from summarizer_tool.store import index
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.page_details import PageDetails
from summarizer_tool.store.source import StoreTotals
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.text.terms import asked, stem, terms_of
from tests.support.store_programs import at_once, read_until
from tests.support.stores import taken

HARBOUR = Document(
    '# Harbour\n\nAda Brook founded the guild in 1203.\n\n## Trade\n\nSalt and wool left on twelve ships.\n',
    title='Gannet Dyke',
    url='https://wiki.example/dyke',
)


def found(collection: Collection, question: str) -> list[str]:
    """The texts of the passages that have all terms of a question."""
    with collection.database.read() as db:
        rows = lookup.rows_with(db, asked(question).terms, index.spans_of(db, collection.name), 100)
    return [passage.text for passage in collection.passages(rows)]


def rows(collection: Collection, sql: str) -> int:
    with collection.database.read() as db:
        [count] = db.execute(sql).fetchone()
        return count


# Words


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
        ('Who are "The Who"?', 'the who'),
        ('What does the WHO do with IT?', 'who it'),
        ("What's Ada's v1.2.3, and why doesn't C++ work?", 'ada v1.2.3 v1 c++ work'),
        ('Who closed the door on the dying man?', 'clos door dying man'),
        ('Wann wurde die Brücke über den Fluss gebaut?', 'bruck fluss gebaut'),
        ('港口什么时候结冰？', '港口 口什 什么 么时 时候 候结 结冰'),
        ('', ''),
        ('?!', ''),
    ],
)
def test_what_a_question_asks_for(question: str, terms: str) -> None:
    assert asked(question).terms == tuple(terms.split())


def test_what_is_asked_for_is_bounded() -> None:
    assert asked('"salt wool" and "ships"').phrases == (('salt', 'wool'),)
    assert len(asked(' '.join(map(str, range(10_000)))).terms) == 64
    assert asked('"salt wool" ' * 1000).phrases == (('salt', 'wool'),)
    many = ' '.join(f'"{first} {second}"' for first in range(30, 40) for second in range(50, 60))
    assert len(asked(many).phrases) == 16


@pytest.mark.parametrize(
    ('words', 'term'),
    [
        ('found founds founded founding', 'found'), ('story stories', 'stori'), ('store stores stored storing', 'stor'),
        ('run runs running', 'run'), ('city cities', 'citi'), ('class classes', 'class'), ('quick quickly', 'quick'),
        ('hop hops hopped hopping', 'hop'), ('tie ties tied', 'tie'), ('model modelled modeling', 'model'),
        ('control controls controlled controlling', 'control'), ('call calls called calling', 'call'),
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
        assert [lookup.rows_with(db, [term], [(0, 9)], 9) for term in terms] == [[]] * len(terms)


# Passages


def test_a_row_is_found_by_the_first_row_of_its_table(store: SourceStore) -> None:
    rows_ = '\n'.join(f'| Good of number {number}, sold by the cask | {number} marks |' for number in range(40))
    collection = store.collection()
    source = collection.add(
        Document(f'# Tolls\n\n| Ware | Duty at Velmside |\n|---|---|\n{rows_}\n\n## Else\n\nNo other is due.')
    )
    first, *middle, last = collection.passages_of(source.id)
    assert (first.header, first.header_line, last.header, last.header_line) == ('', 0, '', 0)
    assert {(each.header, each.header_line) for each in middle} == {('| Ware | Duty at Velmside |', 3)}
    assert 'Velmside' not in middle[-1].text
    assert found(collection, 'velmside duty 39') == [middle[-1].text]
    assert middle[-1].under('Rates').startswith('Rates > Tolls\n| Ware | Duty at Velmside |\n| Good of')
    with collection.database.write() as db:
        index.forget(db, collection.name, source.id)
        assert lookup.rows_with(db, asked('velmside').terms, [(0, 2**62)], 9) == []


def test_passages_as_they_are_stored(store: SourceStore) -> None:
    collection = store.collection()
    source = collection.add(HARBOUR)
    passages = collection.passages_of(source.id)
    id_ = 2**32
    assert passages == [
        Passage(id_, source.id, 1, 3, 3, 0, ('Harbour',), 'Ada Brook founded the guild in 1203.'),
        Passage(id_ + 1, source.id, 2, 7, 7, 0, ('Harbour', 'Trade'), 'Salt and wool left on twelve ships.'),
    ]
    assert collection.passages([passages[1].id, 12, passages[0].id]) == [passages[1], passages[0]]
    assert collection.passages_of(source.id, 2, 2) == [passages[1]]
    assert collection.passage_count() == collection.passage_count([source.id]) == 2
    assert collection.passage_count(['src_000000000000']) == 0
    assert collection.totals() == StoreTotals(documents=1, passages=2, tokens=source.tokens)
    # A passage is found by its headings and its source's title, too.
    assert found(collection, 'dyke trade salt') == [passages[1].text]


def test_adding_again_changes_no_passage(store: SourceStore) -> None:
    collection = store.collection()
    first = collection.passages_of(collection.add(HARBOUR).id)
    again = collection.add(Document(HARBOUR.text, title='Another title'))
    assert again.title == 'Another title'
    assert collection.passages_of(again.id) == first
    assert collection.passage_count() == 2


def test_another_title_is_found_in_place_of_the_old_one(store: SourceStore) -> None:
    collection = store.collection()
    source = collection.add(HARBOUR)
    before = collection.passages_of(source.id)
    with collection.database.write() as db:
        db.execute('INSERT INTO vectors VALUES (?, ?, ?)', ('model', before[0].id, b'1234'))
    collection.add(Document(HARBOUR.text, title='Zephyr handbook'))
    assert collection.passages_of(source.id) == before
    assert (found(collection, 'zephyr handbook salt'), found(collection, 'gannet'), found(collection, 'dyke')) == (
        [before[1].text],
        [],
        [],
    )
    # A vector was made of the passage with its title.
    assert rows(collection, 'SELECT count(*) FROM vectors') == 0
    collection.add(Document(HARBOUR.text))  # without one the title stays
    assert len(found(collection, 'zephyr')) == 2
    with collection.database.write() as db:
        index.forget(db, collection.name, source.id)
        for term in ('zephyr', 'gannet', 'salt'):
            assert lookup.rows_with(db, [term], [(0, 2**62)], 9) == []


def test_everything_goes_with_the_source(tmp_path: Path) -> None:
    filling = Document('tide ' * 190)
    with SourceStore(tmp_path / 'store.db', max_mb=taken(filling) / 1e6) as store:
        collection = store.collection()
        source = collection.add(
            HARBOUR,
            images=[Image('https://wiki.example/a.png')],
            links=[Link('https://wiki.example/b')],
            addresses=['u'],
        )
        old = collection.passages_of(source.id)
        # Another title by now than the one it was indexed with.
        collection.add(Document(HARBOUR.text, title='Renamed'))
        with collection.database.write() as db:
            db.execute('INSERT INTO vectors VALUES (?, ?, ?)', ('model', old[0].id, b'1234'))
        collection.add(filling)
        assert store.size() == taken(filling)
        assert not collection.has(source.id)
        assert (collection.details(source.id), collection.at('u')) == (PageDetails(), None)
        assert collection.passages([passage.id for passage in old]) == collection.passages_of(source.id) == []
        assert [rows(collection, f'SELECT count(*) FROM {table}') for table in ('vectors', 'details', 'addresses')] == [
            0
        ] * 3
        for question in ('ada', 'salt', 'dyke', 'trade', 'renamed'):
            with collection.database.read() as db:
                assert lookup.rows_with(db, asked(question).terms, [(0, 2**62)], 9) == []
        # An id is given once, so that nothing that is remembered elsewhere means another passage.
        collection.add(HARBOUR)
        assert min(passage.id for passage in collection.passages_of(source.id)) > max(passage.id for passage in old)


def test_a_source_that_an_older_program_deletes(tmp_path: Path) -> None:
    with SourceStore(tmp_path / 'store.db') as store:
        collection = store.collection()
        collection.add(HARBOUR)
        with closing(sqlite3.connect(tmp_path / 'store.db')) as db:
            db.execute('DELETE FROM sources')
            db.commit()
        assert (collection.totals(), found(collection, 'salt')) == (StoreTotals(0, 0, 0), [])
        collection.add(HARBOUR)
        assert len(found(collection, 'salt')) == 1


def test_collections_stay_apart(store: SourceStore) -> None:
    mine, yours, empty = (store.collection(name) for name in ('mine', 'yours', 'empty'))
    for number in range(3):
        yours.add(Document(f'The salt of others, {number}.', url='https://wiki.example/salt'))
    source = mine.add(Document('The salt of mine.'))
    assert found(mine, 'salt') == ['The salt of mine.']
    assert len(found(yours, 'salt')) == 3
    assert (found(empty, 'salt'), empty.totals()) == ([], StoreTotals(0, 0, 0))
    [passage] = mine.passages_of(source.id)
    assert yours.passages([passage.id]) == yours.passages_of(source.id) == []
    assert (yours.passage_count([source.id]), mine.at('https://wiki.example/salt')) == (0, None)
    with mine.database.read() as db:
        [span], [other] = index.spans_of(db, 'mine'), index.spans_of(db, 'yours')
        assert lookup.frequency(db, 'salt', [span], 100) == 1
        assert lookup.frequency(db, 'salt', [other], 100) == 3


def test_sources_side_by_side_are_one_span(store: SourceStore) -> None:
    collection = store.collection()
    a, b, c, empty = (collection.add(Document(text)).id for text in ('a', 'b', 'c', ''))
    with collection.database.read() as db:
        sizes = [
            [last - first + 1 for first, last in index.spans_of(db, collection.name, chosen)]
            for chosen in ([a, b], [c, a], [c, b, a, a, empty], [empty], ['src_000000000000'])
        ]
    assert sizes == [[2], [1, 1], [3], [], []]


def test_frequent_words_are_estimated(store: SourceStore) -> None:
    collection = store.collection()
    # The word is in all passages of the first half, and in none of the second.
    collection.add(Document('\n\n'.join(f'# {number}\n\nsalt {number}' for number in range(2000))))
    collection.add(Document('\n\n'.join(f'# {number}\n\nwool {number}' for number in range(2000))))
    with collection.database.read() as db:
        spans = index.spans_of(db, collection.name)
        assert lookup.frequency(db, 'salt', spans, 5000) == 2000
        assert lookup.frequency(db, 'salt', spans, 400) == pytest.approx(2000, rel=0.15)
        assert lookup.frequency(db, 'tar', spans, 400) == 0
        sample = lookup.sample_with(db, ['salt'], spans, 160)
        assert 60 <= len(sample) <= 160
        assert max(sample) - min(sample) > 1500


# What stands beside a page


def test_details_of_a_page(store: SourceStore) -> None:
    collection = store.collection()
    image = Image('https://wiki.example/dyke.png', alt='The \ud800dyke', caption='From the north', section='Harbour')
    link = Link('https://wiki.example/salt', text='Salt', section='Trade')
    source = collection.add(HARBOUR, images=[image], links=[link] * 4000)
    details = collection.details(source.id)
    assert details.images == (Image(image.url, 'The ?dyke', image.caption, image.section),)
    assert details.links == (link,) * 3000
    collection.add(HARBOUR, links=[link])
    assert collection.details(source.id) == PageDetails(details.images, (link,))
    collection.add(HARBOUR)
    assert collection.details(source.id) == PageDetails(details.images, (link,))
    assert collection.details('src_000000000000') == PageDetails()
    beside = rows(collection, 'SELECT length(images) + length(links) FROM details')
    assert store.size() == taken(HARBOUR) + beside


def test_the_last_text_of_an_address(store: SourceStore) -> None:
    collection = store.collection()
    url = 'https://wiki.example/dyke?a=1#\ud800'
    old = collection.add(HARBOUR, addresses=[url, 'https://short.example/d', ''])
    new = collection.add(Document('The dyke was moved.', url=url.replace('\ud800', '\ufffd')), addresses=[url])
    assert [each and each.id for each in map(collection.at, (url, 'https://short.example/d', HARBOUR.url))] == [
        new.id,
        old.id,
        old.id,
    ]
    assert [each.id for each in collection.versions(url)] == [new.id, old.id]
    collection.add(HARBOUR, addresses=[url])  # as it was before
    assert [each.id for each in collection.versions(url)] == [old.id, new.id]
    assert (collection.at(''), collection.at('https://wiki.example/dyke/2')) == (None, None)


@pytest.mark.parametrize(
    'url',
    [
        'http://a.example/guide/?b=2&a=1',
        'http://a.example/guide?b=2&a=1',
        'http://a.example:80/guide/?b=2&a=1',
        'HTTP://A.Example/guide/?b=2&a=1',
        ' http://a.example/guide/?b=2&a=1#tides ',
        'http://a.example/guide/?a=1&b=2',
        'http://a.example/guide/?b=2&a=1&utm_source=mail',
    ],
)
def test_an_address_in_any_spelling(store: SourceStore, url: str) -> None:
    collection = store.collection()
    source = collection.add(Document('The guide.', url='http://a.example/guide/?b=2&a=1'))
    collection.add(Document('Another.', url='http://a.example/Guide/?b=2&a=1'))
    collection.add(Document('And another.', url='https://a.example/guide/?b=2&a=1'))
    assert collection.versions(url) == [source]
    # And the other way round.
    other = collection.add(Document('A guide.', url=url.strip()))
    assert collection.at('http://a.example/guide/?b=2&a=1') == other


def test_sections_that_are_stored_one_by_one(store: SourceStore) -> None:
    collection = store.collection()
    tides, keepers = (
        collection.add(Document(f'Of {name}.', url=f'http://a.example/guide#{name}')) for name in ('tides', 'keepers')
    )
    assert collection.versions('http://a.example/guide/#tides') == [tides]
    assert collection.versions('http://a.example/guide/#sluices') == [keepers, tides]
    assert collection.versions('http://a.example/guide') == [keepers, tides]
    assert outdated_ids(collection) == []


def outdated_ids(collection: Collection) -> list[str]:
    """The handles of the sources that a search leaves out."""
    with collection.database.read() as db:
        return [source_id for (source_id,) in db.execute('SELECT id FROM outdated ORDER BY id')]


def test_which_texts_are_outdated(tmp_path: Path) -> None:
    with SourceStore(tmp_path / 'store.db') as store:
        collection = store.collection()
        first, mirror, short = 'http://a.example/fees', 'http://b.example/fees', 'http://c.example/f'
        old = collection.add(Document('Fees of 1203.' + ' ' * 80, url=first), addresses=[short])
        new = collection.add(Document('Fees of 1204.' + ' ' * 80, url=f'{first}/?utm_source=mail'))
        assert outdated_ids(collection) == [old.id]
        # In another collection nothing has changed.
        store.collection('yours').add(Document('Fees of 1203.', url=first))
        assert outdated_ids(collection) == [old.id]
        collection.add(Document('Fees of 1203.' + ' ' * 80, url=mirror))  # there it is the last one
        assert outdated_ids(collection) == []
        newest = collection.add(Document('Fees of 1205.', url=mirror))
        assert outdated_ids(collection) == [old.id]
        collection.add(Document('Fees of 1203.' + ' ' * 80, url=first))  # as it was before
        assert outdated_ids(collection) == [new.id]
        # What only leads to a page, such as a page to log in, does not replace what was there.
        collection.add(Document('Log in.', url='http://a.example/login'), addresses=[first, mirror])
        assert outdated_ids(collection) == [new.id]
        # When the last text is evicted, the one before it is the last.
        for source_id in (new.id, newest.id):
            collection.document(source_id)
        collection.database.cap = store.size()
        collection.add(Document('x'))
        assert not collection.has(old.id)
        assert collection.has(new.id)
        assert outdated_ids(collection) == []


def spans_in(numbers: set[int]) -> list[index.Span]:
    """The runs of numbers, ascending."""
    starts = sorted(number for number in numbers if number - 1 not in numbers)
    return [(start, next(end for end in range(start, 100) if end + 1 not in numbers)) for start in starts]


NUMBERS = st.sets(st.integers(0, 40))


@given(NUMBERS, NUMBERS, NUMBERS)
def test_what_is_left_of_spans(all_: set[int], holes: set[int], rows: set[int]) -> None:
    inside = spans_in(all_ & holes)
    assert outdated.gaps(spans_in(all_), inside, 99) == spans_in(all_ - holes)
    assert outdated.outside(sorted(rows), inside) == sorted(rows - (all_ & holes))
    few = outdated.gaps(spans_in(all_), inside, 2)
    assert few in (spans_in(all_), spans_in(all_ - holes))


PLACES = st.sampled_from(
    ['http://a.example/1', 'http://a.example/1/', 'http://a.example/2', 'http://a.example/2#end', '']
)


@hypothesis_settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from('abcd') | st.none(), PLACES, PLACES), max_size=12))
def test_a_text_is_outdated_where_each_of_its_own_pages_has_a_later_one(
    steps: list[tuple[str | None, str, str]],
) -> None:
    stored: dict[str, dict[str, int]] = {}
    """By text, when it was stored last under each of its own pages."""
    own_urls: dict[str, set[str]] = {}
    text_of: dict[str, str] = {}
    with SourceStore(max_mb=1) as store:
        collection = store.collection()
        for now, (text, own, other) in enumerate(steps):
            if text is None:  # the text used least recently goes
                [*kept] = collection.sources()
                if kept:
                    wanted = int(collection.database.cap) - store.size() + 1
                    with collection.database.write() as db:
                        collection.database.make_room(db, wanted, collection.name)
                    del stored[text_of[kept[-1].id]]
                    own_urls.pop(text_of[kept[-1].id], None)
                continue
            text_of[collection.add(Document(text, url=own), addresses=[other]).id] = text
            pages = stored.setdefault(text, {})
            if own:
                own_urls.setdefault(text, set()).add(own)
            # A URL of its own that leads to it once more, from elsewhere, is its own still.
            for url in {own, other} & own_urls.get(text, set()):
                pages[url.rstrip('/')] = now
        last = {
            page: max(pages.get(page, -1) for pages in stored.values()) for pages in stored.values() for page in pages
        }
        expected = {
            text for text, pages in stored.items() if pages and all(last[page] > now for page, now in pages.items())
        }
        assert {text_of[source_id] for source_id in outdated_ids(collection)} == expected


def test_processes_that_read_while_one_writes(tmp_path: Path) -> None:
    path = tmp_path / 'store.db'
    with SourceStore(path) as store, ThreadPoolExecutor(1) as thread:
        readers = thread.submit(at_once, read_until, [(path, 60)] * 2)
        for number in range(20):
            store.collection().add(Document('\n'.join(f'# {part}\n\nsalt {number}' for part in range(3))))
        readers.result()
