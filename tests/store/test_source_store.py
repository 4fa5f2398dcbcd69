"""The store: handles that last, collections that stay apart, a size that is kept, and files that survive."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import StoreError, UnknownSourceError
from summarizer_tool.store import page_details
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source import Source
from summarizer_tool.store.source_store import SourceStore
from tests.support.stores import HARBOUR, NOW, ids, taken


def test_a_source_and_its_text(store: SourceStore) -> None:
    collection = store.collection()
    source = collection.add(HARBOUR, fetched_at=datetime(2026, 1, 2, 4, tzinfo=timezone(timedelta(hours=1))))
    assert source == snapshot(
        Source(
            id='src_8e460b4d008b',
            title='Harbour',
            url='https://wiki.example/harbour',
            fetched_at=datetime(2026, 1, 2, 3, 0, tzinfo=UTC),
            added_at=NOW,
            used_at=NOW,
            size=40,
            tokens=9,
            lines=3,
        )
    )
    assert source.fetched_at is not None
    assert source.fetched_at.tzinfo is UTC
    assert source.added_at.tzinfo is UTC
    assert collection.source(source.id) == source
    assert collection.document(source.id) == HARBOUR
    assert collection.same(Document(HARBOUR.text)) == HARBOUR
    assert collection.same(Document(f'{HARBOUR.text} ')) is None
    assert collection.sources() == [collection.source(source.id)]
    assert collection.source(source.id).used_at > source.used_at
    assert store.size() == taken(HARBOUR)


@pytest.mark.parametrize('text', ['', '\0', 'a\0b\r\n\0', '\ud800 alone', '𝔘nicode 🏝', '\n\n'])
def test_every_text_comes_back(store: SourceStore, text: str) -> None:
    document = Document(text, title='\x1a \ud800', url='\x1a')
    source = store.collection().add(document)
    assert store.collection().document(source.id) == document == store.collection().same(Document(text))
    assert (source.size, source.lines) == (
        len(document.text.encode()),
        document.text.count('\n') + (not document.text.endswith('\n')),
    )


def test_adding_again_takes_what_is_given(store: SourceStore) -> None:
    collection = store.collection()
    first = collection.add(HARBOUR)
    fetched = datetime(2026, 1, 2, tzinfo=UTC)
    second = collection.add(Document(HARBOUR.text, title='The harbour'), fetched_at=fetched)
    assert (second.title, second.url, second.fetched_at) == ('The harbour', HARBOUR.url, fetched)
    assert (second.added_at, second.used_at > first.used_at) == (first.added_at, True)
    third = collection.add(Document(HARBOUR.text, url='https://mirror.example'))
    assert (third.title, third.url, third.fetched_at) == ('The harbour', 'https://mirror.example', fetched)
    before = page_details._ADDRESS_BYTES + 4 * len(HARBOUR.url)  # it is found there, too
    assert store.size() == taken(Document(HARBOUR.text, 'The harbour', 'https://mirror.example')) + before


def test_a_time_without_a_zone_is_refused(store: SourceStore) -> None:
    with pytest.raises(ValueError, match='time zone'):
        store.collection().add(HARBOUR, fetched_at=datetime(2026, 1, 2))


def test_another_text_under_the_same_handle_is_an_error(store: SourceStore) -> None:
    collection = store.collection()
    collection.add(HARBOUR)
    other = Document('Another text')
    object.__setattr__(other, 'id', HARBOUR.id)
    with pytest.raises(StoreError) as error:
        collection.add(other)
    assert str(error.value) == snapshot(
        'another text in this collection has the handle src_8e460b4d008b already (their hashes begin alike); change a character of this one, such as a line break at its end, and add it again'
    )
    assert collection.document(HARBOUR.id) == HARBOUR
    assert store.collection('other').add(other).id == HARBOUR.id  # of no concern there


def test_the_most_recently_used_come_first(store: SourceStore) -> None:
    collection = store.collection()
    a, b, c = (collection.add(Document(text)).id for text in 'abc')
    assert ids(collection) == [c, b, a]
    collection.document(a)
    collection.source(b)
    assert ids(collection) == [a, c, b]
    collection.add(Document('b'))
    assert ids(collection) == [b, a, c]
    assert [source.id for source in collection.sources(2)] == [b, a]
    assert collection.sources(0) == collection.sources(-1) == []


@pytest.mark.slow
def test_a_document_of_50_mb(store: SourceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('summarizer_tool.text.tokens.count', len)  # which other tests time
    text = 'Ada Brook founded the guild, with twelve ships.\0\n' * 1_020_409
    source = store.collection().add(Document(text))
    assert (source.size, source.lines) == (50_000_041, 1_020_409)
    assert store.collection().document(source.id).text == text


def test_collections_do_not_see_each_other(store: SourceStore) -> None:
    mine, yours = store.collection('mine'), store.collection('yours')
    secret = mine.add(Document('The same text', title='Mine'))
    mine.keep_answer('key', 100, 'an answer')
    mine.keep_answer('key', 0, 'a summary')
    assert yours.sources() == []
    assert (yours.answer('key', least=0, most=1000), yours.answer('key', least=0, most=0)) == (None, None)
    for look in (yours.document, yours.source):
        for asked in (secret.id, secret.id[:-1], 'Mine'):
            with pytest.raises(UnknownSourceError) as error:
                look(asked)
            assert 'nor any other' in str(error.value)
            assert '"Mine")' not in str(error.value)

    own = yours.add(Document('The same text', title='Yours'))
    assert own.id == secret.id
    assert store.size() == (
        taken(Document('The same text', title='Mine'))
        + taken(Document('The same text', title='Yours'))
        + len('an answer' + 'a summary')
    )
    assert (mine.document(own.id).title, yours.document(own.id).title) == ('Mine', 'Yours')
    assert (mine.name, yours.name, store.collection().name) == ('mine', 'yours', 'default')


def test_a_name_is_only_itself(store: SourceStore) -> None:
    names = ['', 'a', 'A', 'a ', 'a\0', 'ä', 'a\u0308', '%', '_', "'; DROP TABLE sources; --"]
    for name in names:
        store.collection(name).keep_answer('key', 0, repr(name))
    assert [store.collection(name).answer('key', least=0, most=0) for name in names] == list(map(repr, names))
    with pytest.raises(ValueError, match='surrogate'):
        store.collection('\ud800')


def test_the_smallest_answer_that_serves(store: SourceStore) -> None:
    collection = store.collection()
    for target in (400, 100, 200):
        collection.keep_answer('key', target, f'for {target}')
    assert [
        collection.answer('key', least=least, most=most)
        for least, most in ((100, 400), (101, 400), (201, 1000), (101, 199), (401, 1000), (0, 99), (200, 200))
    ] == snapshot(['for 100', 'for 200', 'for 400', None, None, None, 'for 200'])
    assert collection.answer('other key', least=0, most=1000) is None
    collection.keep_answer('key', 200, 'better')
    assert collection.answer('key', least=200, most=200) == 'better'
    assert store.size() == len('for 100' + 'better' + 'for 400')


@pytest.mark.parametrize('text', ['', '\0', 'a\0b', '\ud800', '{"facts": []}', 'long ' * 50_000])
def test_keys_and_answers_are_any_text(store: SourceStore, text: str) -> None:
    collection = store.collection()
    collection.keep_answer(text, 1, text)
    collection.keep_answer(text, 0, f'{text}!')
    assert [collection.answer(text, least=size, most=size) for size in (1, 0)] == [text, f'{text}!']
    collection.keep_answer(text, 0, text)
    assert collection.answer(text, least=0, most=0) == text
    assert collection.answer(f'{text} ', least=0, most=0) is None


@pytest.mark.parametrize(
    'asked',
    [
        '{id}', ' {id}\n', '"{id}"', "'{id}'", '`{id}`', '[{id}]', '<{id}>', '({id}).', 'source://{id}',
        '"source://{id}"', '[`{ID}`]', 'SOURCE://{ID}', '“{id}”', '{id},',
    ],
)  # fmt: skip
def test_a_handle_as_models_write_it(store: SourceStore, asked: str) -> None:
    collection = store.collection()
    collection.add(HARBOUR)
    asked = asked.format(id=HARBOUR.id, ID=HARBOUR.id.upper())
    assert collection.document(asked) == HARBOUR
    assert collection.source(asked).id == HARBOUR.id


def unknown(collection: Collection, asked: str) -> str:
    with pytest.raises(UnknownSourceError) as error:
        collection.document(asked)
    with pytest.raises(UnknownSourceError) as other:
        collection.source(asked)
    assert str(other.value) == str(error.value)
    return str(error.value)


def test_an_unknown_handle_names_the_near_ones(store: SourceStore) -> None:
    collection = store.collection()
    assert unknown(collection, 'src_0123456789ab') == snapshot(
        'there is no source "src_0123456789ab", nor any other yet; add a text or a URL as a source, which gives a handle'
    )
    for place in ('Westfall', 'Deadmines', 'Stranglethorn Vale', 'Harbour of Gannet Dyke', '', 'Duskwood', 'Redridge'):
        collection.add(Document(f'About {place}', title=place))
    [westfall] = [source.id for source in collection.sources() if source.title == 'Westfall']
    assert [
        unknown(collection, asked)
        for asked in (
            f'[{westfall[:-1]}0]',
            westfall[:-3],
            'src_ffffffffffff',
            '',
            'gannet dyke',
        )
    ] == snapshot(
        [
            'there is no source "[src_96d43f5c8f80]"; did you mean src_96d43f5c8f8b ("Westfall")? a text or a URL that is added as a source gets a handle',
            'there is no source "src_96d43f5c8"; did you mean src_96d43f5c8f8b ("Westfall")? a text or a URL that is added as a source gets a handle',
            'there is no source "src_ffffffffffff"; the last used are src_b4f11b130495 ("Redridge"), src_6176e9b0128b ("Duskwood"), src_c381a5010d7e, src_37b841bd8bd0 ("Harbour of Gannet Dyke"), src_5186d26871ce ("Stranglethorn Vale"); a text or a URL that is added as a source gets a handle',
            'there is no source ""; the last used are src_b4f11b130495 ("Redridge"), src_6176e9b0128b ("Duskwood"), src_c381a5010d7e, src_37b841bd8bd0 ("Harbour of Gannet Dyke"), src_5186d26871ce ("Stranglethorn Vale"); a text or a URL that is added as a source gets a handle',
            'there is no source "gannet dyke"; did you mean src_37b841bd8bd0 ("Harbour of Gannet Dyke")? a text or a URL that is added as a source gets a handle',
        ]
    )


@pytest.mark.parametrize(
    'asked', ['x' * 300_000, ' ' * 300_000, '\0\x1b[31m\n' * 100_000, '[' * 300_000, '\ud800\udfff', '\u202e']
)
def test_junk_is_quoted_short_and_printable(store: SourceStore, asked: str) -> None:
    collection = store.collection()
    collection.add(Document('text', title='x\n\x1b' * 1000))
    said = unknown(collection, asked)
    with pytest.raises(UnknownSourceError):
        collection.find(asked)
    assert said.isprintable()
    assert len(said) < 400
