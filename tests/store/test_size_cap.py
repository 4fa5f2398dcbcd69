"""What is evicted when a store is full, and what is told of it."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import StoreError, UnknownSourceError
from summarizer_tool.html.page import Link
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.store.vectors import Vectors, normalised
from tests.support.passages import passages_of
from tests.support.stores import HARBOUR, held, ids, make_room, sound, taken, titles
from tests.support.texts import CHRONICLE


def test_what_was_not_used_for_longest_goes_first(path: str) -> None:
    old, young = Document('a' * 30, title='Old'), Document('d' * 20, title='Young')
    answer, summary, small, other = 'b' * 1000, 'c' * 20, Document('e'), Document('f' * 20)
    with SourceStore(path, max_mb=(taken(old, young) + len(answer) + len(summary)) / 1e6) as store:
        mine = store.collection('mine')
        mine.add(old)
        mine.keep_answer('key', 100, answer)
        mine.keep_answer('key', 0, summary)
        mine.add(young)
        assert store.size() == round(mine.database.cap)
        mine.document(old.id)
        mine.add(small)  # the answer was used the longest time ago
        assert mine.answer('key', least=0, most=1000) is None
        assert store.size() == taken(old, young, small) + len(summary)
        assert mine.answer('key', least=0, most=0) == summary
        mine.add(other)  # Young is older now than Old and the summary
        assert (titles(mine), mine.answer('key', least=0, most=0)) == (['', '', 'Old'], summary)
        assert store.size() == taken(old, small, other) + len(summary)
        with pytest.raises(UnknownSourceError, match=r'there is no source "src_76b7e4422b33"; .* src_\w+ \("Old"\)'):
            mine.document(young.id)
        assert mine.add(Document('d' * 20)).title == ''
        assert mine.document(young.id).text == 'd' * 20


def test_additions_of_one_collection_evict_nothing_of_another_that_has_less(path: str) -> None:
    mine, each = Document('a' * 40, title='Mine'), taken(Document(f'{10:20}'))
    assert taken(mine) < 3 * each
    with SourceStore(path, max_mb=(taken(mine) + 3 * each) / 1e6) as store:
        greedy, modest = store.collection('greedy'), store.collection('modest')
        kept = modest.add(mine)
        for number in range(10, 30):
            greedy.add(Document(f'{number:20}'))
        assert modest.document(kept.id) == mine
        assert (len(ids(greedy)), store.size()) == (3, taken(mine) + 3 * each)


def test_vectors_count(store: SourceStore) -> None:
    collection = store.collection()
    source = collection.add(HARBOUR)
    for model in ('first', 'second'):
        before = store.size()
        Vectors(collection.database, collection.name, model).keep(
            [passage.id for passage in passages_of(collection, source.id)],
            normalised([[1.0] * 100]),
        )
        assert store.size() == before + 400
    make_room(collection, to=0)
    assert (store.size(), ids(collection)) == (0, [])


def test_vectors_make_room_for_themselves(path: str) -> None:
    old, new = Document('a'), Document('b')
    with SourceStore(path, max_mb=(taken(old, new) + 100) / 1e6) as store:
        collection = store.collection()
        first, second = collection.add(old), collection.add(new)
        vectors = Vectors(collection.database, collection.name, 'model')
        missing = vectors.missing([second.id], 9)
        vectors.keep(missing, normalised([[1.0] * 100]))
        assert (ids(collection), store.size()) == ([second.id], taken(new) + 400)
        vectors.keep(missing, normalised([[1.0] * 10_000]))  # more than the store may hold
        assert (ids(collection), store.size()) == ([second.id], taken(new) + 400)
        assert not collection.has(first.id)


@pytest.mark.parametrize(('text', 'count'), [(CHRONICLE, 5), ('tiny', 500)], ids=['long', 'tiny'])
def test_the_file_of_a_full_store_is_about_as_large_as_its_cap(file: Path, text: str, count: int) -> None:
    SourceStore(file).close()
    empty = file.stat().st_size
    with SourceStore(file) as store:
        for number in range(count):
            store.collection().add(Document(f'{number} {text}'))
        size = store.size()
    assert 0.8 * size <= file.stat().st_size - empty <= 1.3 * size


STEPS = st.sampled_from(['add', 'embed', 'give back'])


@hypothesis_settings(max_examples=12)
@given(
    st.lists(
        st.tuples(STEPS, st.sampled_from(['a', '# B\n\nsalt', 'c' * 900]), st.sampled_from(['', 'Dyke', 'Ö' * 9])),
        max_size=8,
    )
)
def test_the_size_is_the_sum_of_what_is_there(steps: list[tuple[str, str, str]]) -> None:
    with TemporaryDirectory() as folder, SourceStore(path := Path(folder) / 'store.db') as store:
        collection = store.collection()
        vectors = Vectors(collection.database, collection.name, 'model')
        for step, text, title in steps:
            if step == 'add':
                collection.add(Document(text, title=title, url=title), links=[Link(title)] * len(title))
            elif step == 'embed' and (missing := vectors.missing([], 3)):
                vectors.keep(missing, normalised([[1.0, 2.0]] * len(missing)))
            elif step == 'give back' and (size := store.size()):
                make_room(collection, to=size - 1)
            assert store.size() == held(path)
        make_room(collection, to=0)
        assert store.size() == 0


def test_the_thing_just_added_stays(path: str) -> None:
    cap = taken(Document('a' * 100))
    with SourceStore(path, max_mb=cap / 1e6) as store:
        collection = store.collection()
        for letter in 'abc':
            source = collection.add(Document(letter * 100))
            assert (ids(collection), store.size()) == ([source.id], cap)
        collection.keep_answer('key', 1, 'x' * cap)
        collection.keep_answer('key', 1, 'y' * cap)
        assert (collection.answer('key', least=1, most=1), ids(collection)) == ('y' * cap, [])
        collection.keep_answer('key', 0, 'z' * cap)
        assert collection.answer('key', least=0, most=0) == 'z' * cap


def test_what_is_larger_than_the_store(path: str) -> None:
    with SourceStore(path, max_mb=0.001) as store:
        kept = store.collection().add(HARBOUR)
        with pytest.raises(StoreError) as error:
            store.collection().add(Document('x' * 1001))
        assert str(error.value) == snapshot(
            'the text is 0.001001 MB, over SUMMARIZER_STORE_MAX_MB=0.001, all that the store may hold; split it or raise the limit'
        )
        with pytest.raises(StoreError) as error:
            store.collection().add(Document('x' * 900))
        assert str(error.value) == snapshot(
            'the text is 0.0009 MB, 0.002364 with its index, over SUMMARIZER_STORE_MAX_MB=0.001, all that the store may hold; split it or raise the limit'
        )
        store.collection().keep_answer('key', 1, 'x' * 1001)
        store.collection().keep_answer('key', 0, 'x' * 1001)
        assert (ids(store.collection()), store.size()) == ([kept.id], taken(HARBOUR))


def test_a_smaller_cap_holds_from_the_next_addition(file: Path) -> None:
    with SourceStore(file) as store:
        for number in range(400):
            store.collection().add(Document(f'{number:0100}'))
    each = taken(Document(f'{0:0100}'))
    with SourceStore(file, max_mb=10 * each / 1e6) as store:
        assert store.size() == 400 * each
        store.collection().keep_answer('key', 0, 'x')
        assert (store.size(), len(store.collection().sources())) == (9 * each + 1, 9)
    assert sound(file)


COLLECTIONS = st.sampled_from(['mine', 'yours'])
TEXTS = st.builds(str.__mul__, st.sampled_from('abcdef'), st.integers(0, 60))
ANSWERS = TEXTS.map(lambda text: text * 10)
KEYS = st.sampled_from(['k', 'l'])
TARGETS = st.integers(1, 3)
CAP = 3 * taken(Document('a' * 60))


@cache
def size_of(name: tuple[object, ...], text: str) -> int:
    """What an entry takes of the cap."""
    return taken(Document(text)) if name[1] == 'source' else len(text)


class AgainstADictionary(RuleBasedStateMachine):
    """A store does what a dictionary would that over a size drops the oldest entries of whoever has most."""

    def __init__(self) -> None:
        super().__init__()
        self.store = SourceStore(max_mb=CAP / 1e6)
        self.kept: dict[tuple[object, ...], str] = {}
        """By collection and name, least recently used first."""

    def teardown(self) -> None:
        self.store.close()

    def size(self) -> int:
        return sum(size_of(name, text) for name, text in self.kept.items())

    def use(self, name: tuple[object, ...]) -> str:
        text = self.kept.pop(name)
        self.kept[name] = text
        return text

    def keep(self, name: tuple[object, ...], text: str) -> None:
        self.kept.pop(name, None)
        while self.size() + size_of(name, text) > CAP:
            held = {str(collection): 0 for collection, *_ in self.kept}
            for (collection, *rest), other in [*self.kept.items(), (name, text)]:
                if collection in held:
                    held[str(collection)] += size_of((collection, *rest), other)
            largest = max(held, key=lambda collection: (held[collection], collection))
            oldest = next(entry for entry in self.kept if entry[0] == largest)
            del self.kept[oldest]
        self.kept[name] = text

    @rule(name=COLLECTIONS, text=TEXTS)
    def add(self, name: str, text: str) -> None:
        document = Document(text)
        assert self.store.collection(name).add(document).id == document.id
        if (name, 'source', document.id) in self.kept:
            self.use((name, 'source', document.id))
        else:
            self.keep((name, 'source', document.id), text)

    @rule(name=COLLECTIONS, text=TEXTS)
    def read(self, name: str, text: str) -> None:
        handle = Document(text).id
        collection = self.store.collection(name)
        if (name, 'source', handle) in self.kept:
            assert collection.document(handle).text == self.use((name, 'source', handle)) == text
        else:
            with pytest.raises(UnknownSourceError):
                collection.document(handle)

    @rule(name=COLLECTIONS, key=KEYS, made_for=TARGETS, text=ANSWERS)  # `target` is Hypothesis's own
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

    @rule(name=COLLECTIONS, key=KEYS, text=ANSWERS)
    def keep_summary(self, name: str, key: str, text: str) -> None:
        self.store.collection(name).keep_answer(key, 0, text)
        self.keep((name, 'summary', key), text)

    @rule(name=COLLECTIONS, key=KEYS)
    def summary(self, name: str, key: str) -> None:
        found = self.store.collection(name).answer(key, least=0, most=0)
        assert found == (self.use((name, 'summary', key)) if (name, 'summary', key) in self.kept else None)

    @invariant()
    def lists_and_size_agree(self) -> None:
        assert self.store.size() == self.size() <= CAP
        for name in ('mine', 'yours'):
            sources = [entry[2] for entry in reversed(self.kept) if entry[:2] == (name, 'source')]
            assert ids(self.store.collection(name)) == sources


TestAgainstADictionary = AgainstADictionary.TestCase
TestAgainstADictionary.settings = hypothesis_settings(max_examples=20, stateful_step_count=40)
