"""The index: what is found by which words, that it goes with its source, and that collections stay apart."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.passage import Passage
from summarizer_tool.evidence.search import candidates
from summarizer_tool.html.page import Link
from summarizer_tool.store import index
from summarizer_tool.store.source import StoreTotals
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.text.terms import asked
from tests.support.passages import passages_of
from tests.support.store_programs import at_once, read_until
from tests.support.stores import found, rows, taken

HARBOUR = Document(
    '# Harbour\n\nAda Brook founded the guild in 1203.\n\n## Trade\n\nSalt and wool left on twelve ships.\n',
    title='Gannet Dyke',
    url='https://wiki.example/dyke',
)


def test_a_row_is_found_by_the_first_row_of_its_table(store: SourceStore) -> None:
    rows_ = '\n'.join(f'| Good of number {number}, sold by the cask | {number} marks |' for number in range(40))
    collection = store.collection()
    source = collection.add(
        Document(f'# Tolls\n\n| Ware | Duty at Velmside |\n|---|---|\n{rows_}\n\n## Else\n\nNo other is due.')
    )
    first, *middle, last = passages_of(collection, source.id)
    assert (first.header, first.header_line, last.header, last.header_line) == ('', 0, '', 0)
    assert {(each.header, each.header_line) for each in middle} == {('| Ware | Duty at Velmside |', 3)}
    assert 'Velmside' not in middle[-1].text
    assert found(collection, 'velmside duty 39') == [middle[-1].text]
    assert middle[-1].under('Rates').startswith('Rates > Tolls\n| Ware | Duty at Velmside |\n| Good of')
    with collection.database.write() as db:
        index.forget(db, collection.name, source.id)
        assert candidates.rows_with(db, asked('velmside').terms, [(0, 2**62)], 9) == []


def test_passages_as_they_are_stored(store: SourceStore) -> None:
    collection = store.collection()
    source = collection.add(HARBOUR)
    passages = passages_of(collection, source.id)
    id_ = 2**32
    assert passages == [
        Passage(id_, source.id, 1, 3, 3, 0, ('Harbour',), 'Ada Brook founded the guild in 1203.'),
        Passage(id_ + 1, source.id, 2, 7, 7, 0, ('Harbour', 'Trade'), 'Salt and wool left on twelve ships.'),
    ]
    assert collection.passages([passages[1].id, 12, passages[0].id]) == [passages[1], passages[0]]
    assert collection.passage_count() == collection.passage_count([source.id]) == 2
    assert collection.passage_count(['src_000000000000']) == 0
    assert collection.totals() == StoreTotals(documents=1, passages=2, tokens=source.tokens)
    # A passage is found by its headings and its source's title, too.
    assert found(collection, 'dyke trade salt') == [passages[1].text]


def test_adding_again_changes_no_passage(store: SourceStore) -> None:
    collection = store.collection()
    first = passages_of(collection, collection.add(HARBOUR).id)
    again = collection.add(Document(HARBOUR.text, url='https://wiki.example/'))
    assert again.url == 'https://wiki.example/'
    assert passages_of(collection, again.id) == first
    assert collection.passage_count() == 2


def test_another_title_is_found_in_place_of_the_old_one(store: SourceStore) -> None:
    collection = store.collection()
    source = collection.add(HARBOUR)
    before = passages_of(collection, source.id)
    with collection.database.write() as db:
        db.execute('INSERT INTO vectors VALUES (?, ?, ?)', ('model', before[0].id, b'1234'))
    collection.add(Document(HARBOUR.text, title='Zephyr handbook'))
    assert [each.text for each in passages_of(collection, source.id)] == [each.text for each in before]
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
            assert candidates.rows_with(db, [term], [(0, 2**62)], 9) == []


def test_everything_goes_with_the_source(tmp_path: Path) -> None:
    filling = Document('tide ' * 190)
    with SourceStore(tmp_path / 'store.db', max_mb=taken(filling) / 1e6) as store:
        collection = store.collection()
        source = collection.add(
            HARBOUR,
            links=[Link('https://wiki.example/b')],
            addresses=['u'],
        )
        # Another title by now than the one it was indexed with.
        collection.add(Document(HARBOUR.text, title='Renamed'))
        old = passages_of(collection, source.id)
        with collection.database.write() as db:
            db.execute('INSERT INTO vectors VALUES (?, ?, ?)', ('model', old[0].id, b'1234'))
        collection.add(filling)
        assert store.size() == taken(filling)
        assert not collection.has(source.id)
        assert (collection.links(source.id), collection.at('u')) == ((), None)
        assert collection.passages([passage.id for passage in old]) == passages_of(collection, source.id) == []
        assert [rows(collection, f'SELECT count(*) FROM {table}') for table in ('vectors', 'details', 'addresses')] == [
            0
        ] * 3
        for question in ('ada', 'salt', 'dyke', 'trade', 'renamed'):
            with collection.database.read() as db:
                assert candidates.rows_with(db, asked(question).terms, [(0, 2**62)], 9) == []
        # An id is given once, so that nothing that is remembered elsewhere means another passage.
        collection.add(HARBOUR)
        assert min(passage.id for passage in passages_of(collection, source.id)) > max(passage.id for passage in old)


def test_collections_stay_apart(store: SourceStore) -> None:
    mine, yours, empty = (store.collection(name) for name in ('mine', 'yours', 'empty'))
    for number in range(3):
        yours.add(Document(f'The salt of others, {number}.', url='https://wiki.example/salt'))
    source = mine.add(Document('The salt of mine.'))
    assert found(mine, 'salt') == ['The salt of mine.']
    assert len(found(yours, 'salt')) == 3
    assert (found(empty, 'salt'), empty.totals()) == ([], StoreTotals(0, 0, 0))
    [passage] = passages_of(mine, source.id)
    assert yours.passages([passage.id]) == passages_of(yours, source.id) == []
    assert (yours.passage_count([source.id]), mine.at('https://wiki.example/salt')) == (0, None)
    with mine.database.read() as db:
        [span], [other] = index.spans_of(db, 'mine'), index.spans_of(db, 'yours')
        assert candidates.frequency(db, 'salt', [span], 100) == 1
        assert candidates.frequency(db, 'salt', [other], 100) == 3


def test_sources_side_by_side_are_one_span(store: SourceStore) -> None:
    collection = store.collection()
    a, b, c, empty = (collection.add(Document(text)).id for text in ('a', 'b', 'c', ''))
    with collection.database.read() as db:
        sizes = [
            [last - first + 1 for first, last in index.spans_of(db, collection.name, chosen)]
            for chosen in ([a, b], [c, a], [c, b, a, a, empty], [empty], ['src_000000000000'])
        ]
    assert sizes == [[2], [1, 1], [3], [], []]


def test_frequent_words_are_counted_so_far_and_taken_from_everywhere(store: SourceStore) -> None:
    collection = store.collection()
    # The word is in all passages of the first half, and in none of the second.
    collection.add(Document('\n\n'.join(f'# {number}\n\nsalt {number}' for number in range(2000))))
    collection.add(Document('\n\n'.join(f'# {number}\n\nwool {number}' for number in range(2000))))
    with collection.database.read() as db:
        spans = index.spans_of(db, collection.name)
        assert candidates.frequency(db, 'salt', spans, 5000) == 2000
        assert candidates.frequency(db, 'salt', spans, 400) == 400
        assert candidates.frequency(db, 'tar', spans, 400) == 0
        sample = candidates.rows_with(db, ['salt'], spans, 160)
        assert 60 <= len(sample) <= 160
        assert max(sample) - min(sample) > 1000


def test_processes_that_read_while_one_writes(tmp_path: Path) -> None:
    path = tmp_path / 'store.db'
    with SourceStore(path) as store, ThreadPoolExecutor(1) as thread:
        readers = thread.submit(at_once, read_until, [(path, 60)] * 2)
        for number in range(20):
            store.collection().add(Document('\n'.join(f'# {part}\n\nsalt {number}' for part in range(3))))
        readers.result()
