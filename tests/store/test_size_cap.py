"""What is evicted when a store is full, and what is told of it."""

from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import StoreError, UnknownSourceError
from summarizer_tool.store import collection as collection_module
from summarizer_tool.store import database
from summarizer_tool.store.source_store import SourceStore
from tests.support.stores import HARBOUR, ids, sound, titles


def test_what_was_not_used_for_longest_goes_first(path: str) -> None:
    with SourceStore(path, max_mb=100e-6) as store:
        mine = yours = store.collection('mine')
        old = mine.add(Document('a' * 30, title='Old'))
        mine.keep_answer('key', 100, 'b' * 30)
        mine.keep_summary('key', 'c' * 20)
        young = yours.add(Document('d' * 20, title='Young'))
        assert store.size() == 100
        mine.document(old.id)
        yours.add(Document('e'))  # the answer was used the longest time ago
        assert (store.size(), mine.answer('key', least=0, most=1000)) == (71, None)
        assert mine.summary('key') == 'c' * 20
        mine.add(Document('f' * 49))  # Young is older now than Old and the summary
        assert (titles(mine), mine.summary('key')) == (['', '', 'Old'], 'c' * 20)
        assert store.size() == 100
        with pytest.raises(UnknownSourceError) as error:
            yours.document(young.id)
        assert str(error.value) == snapshot(
            'src_76b7e4422b33 ("Young") was evicted on 2026-11-01, the store is over SUMMARIZER_STORE_MAX_MB=0.0001; add it again'
        )
        with pytest.raises(UnknownSourceError, match=r'there is no source'):
            store.collection('other').document(young.id)  # nor does another collection see what is gone
        assert yours.add(Document('d' * 20)).title == ''
        assert yours.document(young.id).text == 'd' * 20
        with store._database.read() as db:
            assert db.execute('SELECT count(*) FROM evicted WHERE id = ?', (young.id,)).fetchone() == (0,)


def test_additions_of_one_collection_evict_nothing_of_another_that_has_less(path: str) -> None:
    with SourceStore(path, max_mb=100e-6) as store:
        greedy, modest = store.collection('greedy'), store.collection('modest')
        kept = modest.add(Document('a' * 40, title='Mine'))
        for number in range(20):
            greedy.add(Document(f'{number:20}'))
        assert modest.document(kept.id).text == 'a' * 40
        assert (len(ids(greedy)), store.size()) == (3, 100)


def test_the_thing_just_added_stays(path: str) -> None:
    with SourceStore(path, max_mb=100e-6) as store:
        collection = store.collection()
        for letter in 'abc':
            source = collection.add(Document(letter * 100))
            assert (ids(collection), store.size()) == ([source.id], 100)
        collection.keep_answer('key', 1, 'x' * 100)
        collection.keep_answer('key', 1, 'y' * 100)
        assert (collection.answer('key', least=1, most=1), ids(collection)) == ('y' * 100, [])
        collection.keep_summary('key', 'z' * 100)
        assert collection.summary('key') == 'z' * 100


def test_what_is_larger_than_the_store(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with SourceStore(path, max_mb=0.001) as store:
        kept = store.collection().add(HARBOUR)
        with pytest.raises(StoreError) as error:
            store.collection().add(Document('x' * 1001))
        assert str(error.value) == snapshot(
            'the text is 0.001001 MB, over SUMMARIZER_STORE_MAX_MB=0.001, all that the store may hold; split it or raise the limit'
        )
        store.collection().keep_answer('key', 1, 'x' * 1001)
        store.collection().keep_summary('key', 'x' * 1001)
        assert (ids(store.collection()), store.size()) == ([kept.id], len(HARBOUR.text))
        monkeypatch.setattr(collection_module, 'MAX_TEXT_MB', 0.0005)
        with pytest.raises(StoreError, match=r'the text is 0.0009 MB, and the store takes at most 0.0005; split it'):
            store.collection().add(Document('x' * 900))


def test_a_smaller_cap_holds_from_the_next_addition(file: Path) -> None:
    with SourceStore(file) as store:
        for number in range(400):
            store.collection().add(Document(f'{number:100}'))
    with SourceStore(file, max_mb=0.001) as store:
        assert store.size() == 40_000
        store.collection().keep_summary('key', 'x')
        assert (store.size(), len(store.collection().sources())) == (901, 9)
    assert sound(file)


def test_only_so_many_tombstones(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, 'MAX_TOMBSTONES', 3)
    with SourceStore(path, max_mb=0.001) as store:
        collection = store.collection()
        handles = [collection.add(Document(f'{number:1000}')).id for number in range(6)]
        said = []
        for handle in handles[:5]:
            with pytest.raises(UnknownSourceError) as error:
                collection.source(handle)
            said.append('was evicted' in str(error.value))
        assert said == [False, False, True, True, True]


def test_room_is_given_back_to_the_file_system(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('summarizer_tool.text.tokens.count', len)
    with SourceStore(file, max_mb=20) as store:
        for number in range(4):
            store.collection().add(Document(f'{number:5000000}'))
    assert file.stat().st_size > 20e6
    with SourceStore(file, max_mb=1) as store:
        for number in range(3):
            store.collection().add(Document(f'{number:500000}'))
            store.collection().keep_summary(str(number), 'x')
    assert file.stat().st_size < 6e6
    assert sound(file)


COLLECTIONS = st.sampled_from(['mine', 'yours'])
TEXTS = st.builds(str.__mul__, st.sampled_from('abcdef'), st.integers(0, 60))
KEYS = st.sampled_from(['k', 'l'])
TARGETS = st.integers(1, 3)
CAP = 100


class AgainstADictionary(RuleBasedStateMachine):
    """A store does what a dictionary would that over a size drops the oldest entries of whoever has most."""

    def __init__(self) -> None:
        super().__init__()
        self.store = SourceStore(max_mb=CAP / 1e6)
        self.kept: dict[tuple[object, ...], str] = {}
        """By collection and name, least recently used first."""
        self.gone: set[tuple[str, str]] = set()

    def teardown(self) -> None:
        self.store.close()

    def use(self, name: tuple[object, ...]) -> str:
        text = self.kept.pop(name)
        self.kept[name] = text
        return text

    def keep(self, name: tuple[object, ...], text: str) -> None:
        self.kept.pop(name, None)
        while sum(map(len, self.kept.values())) + len(text) > CAP:
            held = {str(collection): 0 for collection, *_ in self.kept}
            for (collection, *_), other in [*self.kept.items(), (name, text)]:
                if collection in held:
                    held[str(collection)] += len(other)
            largest = max(held, key=lambda collection: (held[collection], collection))
            oldest = next(entry for entry in self.kept if entry[0] == largest)
            del self.kept[oldest]
            if oldest[1] == 'source':
                self.gone.add((str(oldest[0]), str(oldest[2])))
        self.kept[name] = text

    @rule(name=COLLECTIONS, text=TEXTS)
    def add(self, name: str, text: str) -> None:
        document = Document(text)
        assert self.store.collection(name).add(document).id == document.id
        if (name, 'source', document.id) in self.kept:
            self.use((name, 'source', document.id))
        else:
            self.keep((name, 'source', document.id), text)
        self.gone.discard((name, document.id))

    @rule(name=COLLECTIONS, text=TEXTS)
    def read(self, name: str, text: str) -> None:
        handle = Document(text).id
        collection = self.store.collection(name)
        if (name, 'source', handle) in self.kept:
            assert collection.document(handle).text == self.use((name, 'source', handle)) == text
        else:
            with pytest.raises(UnknownSourceError) as error:
                collection.document(handle)
            assert ('was evicted' in str(error.value)) == ((name, handle) in self.gone)

    @rule(name=COLLECTIONS, key=KEYS, made_for=TARGETS, text=TEXTS)  # `target` is Hypothesis's own
    def keep_answer(self, name: str, key: str, made_for: int, text: str) -> None:
        self.store.collection(name).keep_answer(key, made_for, text)
        self.keep((name, 'answer', key, made_for), text)

    @rule(name=COLLECTIONS, key=KEYS, least=TARGETS, most=TARGETS)
    def answer(self, name: str, key: str, least: int, most: int) -> None:
        found = self.store.collection(name).answer(key, least=least, most=most)
        for target in range(least, most + 1):
            if (name, 'answer', key, target) in self.kept:
                assert found == self.use((name, 'answer', key, target))
                return
        assert found is None

    @rule(name=COLLECTIONS, key=KEYS, text=TEXTS)
    def keep_summary(self, name: str, key: str, text: str) -> None:
        self.store.collection(name).keep_summary(key, text)
        self.keep((name, 'summary', key), text)

    @rule(name=COLLECTIONS, key=KEYS)
    def summary(self, name: str, key: str) -> None:
        found = self.store.collection(name).summary(key)
        assert found == (self.use((name, 'summary', key)) if (name, 'summary', key) in self.kept else None)

    @invariant()
    def lists_and_size_agree(self) -> None:
        assert self.store.size() == sum(map(len, self.kept.values())) <= CAP
        for name in ('mine', 'yours'):
            sources = [entry[2] for entry in reversed(self.kept) if entry[:2] == (name, 'source')]
            assert ids(self.store.collection(name)) == sources


TestAgainstADictionary = AgainstADictionary.TestCase
TestAgainstADictionary.settings = hypothesis_settings(max_examples=30, stateful_step_count=40)
