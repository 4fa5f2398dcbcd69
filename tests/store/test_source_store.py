"""The store: handles that last, collections that stay apart, a size that is kept, and files that survive."""

import gc
import os
import re
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from dirty_equals import IsDatetime
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import ConfigurationError, StoreError, UnknownSourceError
from summarizer_tool.settings import Settings
from summarizer_tool.store import collection as collection_module
from summarizer_tool.store import database, tables
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source import Source
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.store.sqlite_file import MEMORY

NOW = IsDatetime(delta=timedelta(minutes=5), approx=datetime.now(UTC), enforce_tz=True)
HARBOUR = Document('# Harbour\n\nAda Brook founded the guild.\n', title='Harbour', url='https://wiki.example/harbour')


@pytest.fixture(params=['memory', 'file'])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Both kinds of store do the same."""
    return MEMORY if request.param == 'memory' else str(tmp_path / 'store.db')


@pytest.fixture
def store(path: str) -> Iterator[SourceStore]:
    with SourceStore(path) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / 'store.db'


def ids(collection: Collection) -> list[str]:
    return [source.id for source in collection.sources()]


def titles(collection: Collection) -> list[str]:
    return [source.title for source in collection.sources()]


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(sql).fetchall()


def sound(path: Path) -> bool:
    """Whether SQLite finds no fault, and the running total, the texts and the index agree with the rows."""
    assert query(path, 'PRAGMA integrity_check') == [('ok',)]
    assert query(path, "INSERT INTO words (words) VALUES ('integrity-check')") == []
    assert query(path, 'SELECT count(*) FROM sources') == query(
        path, 'SELECT count(*) FROM indexed JOIN sources ON id = source AND sources.collection = indexed.collection'
    )
    assert query(path, 'SELECT coalesce(sum(passages), 0) FROM indexed') == query(
        path,
        'SELECT count(*) FROM passages JOIN sources ON sources.id = source AND sources.collection = passages.collection',
    )
    assert query(path, 'SELECT count(*) FROM sources') == query(
        path, 'SELECT count(*) FROM texts JOIN sources USING (collection, id)'
    )
    return query(path, 'SELECT bytes FROM total') == query(
        path,
        'SELECT coalesce((SELECT sum(length(text)) FROM texts), 0) + coalesce((SELECT sum(length(text)) FROM work), 0)',
    )


def run(program: str, *arguments: object) -> 'subprocess.Popen[str]':
    """A Python program that begins by importing what it needs of the store."""
    head = 'import os, sys, threading\nfrom summarizer_tool.documents.document import Document\nfrom summarizer_tool.store.source_store import SourceStore\n'
    return subprocess.Popen(
        # Newer Pythons warn of a fork beside threads, which is what one test is about.
        [
            sys.executable,
            '-W',
            'ignore::DeprecationWarning',
            '-c',
            head + textwrap.dedent(program),
            *map(str, arguments),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(process: 'subprocess.Popen[str]') -> str:
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, '')
    return out


# Sources


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
    assert collection.sources() == [collection.source(source.id)]
    assert collection.source(source.id).used_at > source.used_at
    assert store.size() == 40


@pytest.mark.parametrize('text', ['', '\0', 'a\0b\r\n\0', '\ud800 alone', '𝔘nicode 🏝', '\n\n'])
def test_every_text_comes_back(store: SourceStore, text: str) -> None:
    document = Document(text, title='\0 \ud800', url='\0')
    source = store.collection().add(document)
    assert store.collection().document(source.id) == document
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
    assert store.size() == len(HARBOUR.text)


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


def test_a_document_of_50_mb(store: SourceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('summarizer_tool.text.tokens.count', len)  # which other tests time
    text = 'Ada Brook founded the guild, with twelve ships.\0\n' * 1_020_409
    source = store.collection().add(Document(text))
    assert (source.size, source.lines) == (50_000_041, 1_020_409)
    assert store.collection().document(source.id).text == text


# Collections


def test_collections_do_not_see_each_other(store: SourceStore) -> None:
    mine, yours = store.collection('mine'), store.collection('yours')
    secret = mine.add(Document('The same text', title='Mine'))
    mine.keep_answer('key', 100, 'an answer')
    mine.keep_summary('key', 'a summary')
    assert yours.sources() == []
    assert (yours.answer('key', least=0, most=1000), yours.summary('key')) == (None, None)
    for look in (yours.document, yours.source):
        for asked in (secret.id, secret.id[:-1], 'Mine'):
            with pytest.raises(UnknownSourceError) as error:
                look(asked)
            assert 'nor any other' in str(error.value)
            assert '"Mine")' not in str(error.value)

    own = yours.add(Document('The same text', title='Yours'))
    assert own.id == secret.id
    assert store.size() == 2 * len('The same text') + len('an answer') + len('a summary')
    assert (mine.document(own.id).title, yours.document(own.id).title) == ('Mine', 'Yours')
    assert (mine.name, yours.name, store.collection().name) == ('mine', 'yours', 'default')


def test_a_name_is_only_itself(store: SourceStore) -> None:
    names = ['', 'a', 'A', 'a ', 'a\0', 'ä', 'a\u0308', '%', '_', "'; DROP TABLE sources; --"]
    for name in names:
        store.collection(name).keep_summary('key', repr(name))
    assert [store.collection(name).summary('key') for name in names] == list(map(repr, names))
    with pytest.raises(ValueError, match='surrogate'):
        store.collection('\ud800')


# Finished work


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
    collection.keep_answer(text, 0, text)
    collection.keep_summary(text, f'{text}!')
    assert (collection.answer(text, least=0, most=0), collection.summary(text)) == (text, f'{text}!')
    collection.keep_summary(text, text)
    assert collection.summary(text) == text
    assert collection.summary(f'{text} ') is None


# The size cap


def test_what_was_not_used_for_longest_goes_first(path: str) -> None:
    with SourceStore(path, max_mb=100e-6) as store:
        mine, yours = store.collection('mine'), store.collection('yours')
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
        assert (titles(mine), titles(yours), mine.summary('key')) == (['', 'Old'], [''], 'c' * 20)
        assert store.size() == 100
        with pytest.raises(UnknownSourceError) as error:
            yours.document(young.id)
        assert str(error.value).replace(f'{datetime.now(UTC):%Y-%m-%d}', 'TODAY') == snapshot(
            'src_76b7e4422b33 ("Young") was evicted on TODAY, the store is over SUMMARIZER_STORE_MAX_MB=0.0001; add it again'
        )
        with pytest.raises(UnknownSourceError, match=r'there is no source'):
            mine.document(young.id)  # nor does another collection see what is gone
        assert yours.add(Document('d' * 20)).title == ''
        assert yours.document(young.id).text == 'd' * 20
        with store._database.read() as db:
            assert db.execute('SELECT count(*) FROM evicted WHERE id = ?', (young.id,)).fetchone() == (0,)


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


# Unknown handles


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
        'there is no source "src_0123456789ab", nor any other yet; add_source takes a text or a URL and gives a handle'
    )
    for place in ('Westfall', 'Deadmines', 'Stranglethorn Vale', 'Harbour of Gannet Dyke', '', 'Duskwood', 'Redridge'):
        collection.add(Document(f'About {place}', title=place))
    [westfall] = [source.id for source in collection.sources() if source.title == 'Westfall']
    assert [
        unknown(collection, asked)
        for asked in (
            f'[{westfall[:-1]}0]',
            westfall[:-3],
            'deadmines',
            'Strangelthorn vale',
            'gannet dyke',
            'src_ffffffffffff',
            '',
        )
    ] == snapshot(
        [
            'there is no source "[src_96d43f5c8f80]"; did you mean src_96d43f5c8f8b ("Westfall")? add_source gives a handle for a text or a URL',
            'there is no source "src_96d43f5c8"; did you mean src_96d43f5c8f8b ("Westfall")? add_source gives a handle for a text or a URL',
            'there is no source "deadmines"; did you mean src_1fbc2305d39b ("Deadmines")? add_source gives a handle for a text or a URL',
            'there is no source "Strangelthorn vale"; did you mean src_5186d26871ce ("Stranglethorn Vale")? add_source gives a handle for a text or a URL',
            'there is no source "gannet dyke"; did you mean src_37b841bd8bd0 ("Harbour of Gannet Dyke")? add_source gives a handle for a text or a URL',
            'there is no source "src_ffffffffffff"; the last used are src_b4f11b130495 ("Redridge"), src_6176e9b0128b ("Duskwood"), src_c381a5010d7e, src_37b841bd8bd0 ("Harbour of Gannet Dyke"), src_5186d26871ce ("Stranglethorn Vale"); add_source gives a handle for a text or a URL',
            'there is no source ""; the last used are src_b4f11b130495 ("Redridge"), src_6176e9b0128b ("Duskwood"), src_c381a5010d7e, src_37b841bd8bd0 ("Harbour of Gannet Dyke"), src_5186d26871ce ("Stranglethorn Vale"); add_source gives a handle for a text or a URL',
        ]
    )


@pytest.mark.parametrize(
    'asked', ['x' * 300_000, ' ' * 300_000, '\0\x1b[31m\n' * 100_000, '[' * 300_000, '\ud800\udfff', '\u202e']
)
def test_junk_is_quoted_short_and_printable(store: SourceStore, asked: str) -> None:
    collection = store.collection()
    collection.add(Document('text', title='x\n\x1b' * 1000))
    said = unknown(collection, asked)
    assert said.isprintable()
    assert len(said) < 400


# Files


def test_a_file_is_its_owners_alone_and_lasts(tmp_path: Path) -> None:
    path = tmp_path / 'data' / 'summarizer' / 'a name? #1%20.db'
    with SourceStore(path) as store:
        assert store.path == str(path)
        store.collection('mine').add(HARBOUR)
        store.collection('mine').keep_answer('key', 100, 'an answer')
        modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.iterdir()}
        assert modes == {path.name: 0o600, f'{path.name}-wal': 0o600, f'{path.name}-shm': 0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    with SourceStore(path) as store:
        assert store.collection('mine').document(HARBOUR.id) == HARBOUR
        assert store.collection('mine').answer('key', least=100, most=100) == 'an answer'
    assert query(path, 'PRAGMA journal_mode') == [('wal',)]
    assert query(path, 'PRAGMA auto_vacuum') == [(2,)]
    assert sound(path)


def test_a_relative_path_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with SourceStore('store.db') as store:
        (tmp_path / 'elsewhere').mkdir()
        monkeypatch.chdir(tmp_path / 'elsewhere')
        store.collection().add(HARBOUR)
        assert store.path == str(tmp_path / 'store.db')
    assert not list((tmp_path / 'elsewhere').iterdir())


def test_the_home_folder_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('HOME', str(tmp_path))
    with SourceStore('~/store.db') as store:
        assert store.path == str(tmp_path / 'store.db')


def test_the_settings_name_the_store(file: Path) -> None:
    with SourceStore.open(Settings.load()) as store:
        assert store.path == MEMORY
    with SourceStore.open(Settings.load(store=str(file), store_max_mb=0.5)) as store:
        assert store.path == str(file)
        with pytest.raises(StoreError, match=r'SUMMARIZER_STORE_MAX_MB=0.5'):
            store.collection().add(Document('x' * 500_001))
    with SourceStore.open(Settings.load(), default=file) as store:
        assert store.path == str(file)


def refused(path: Path) -> str:
    """The error for a file that is not ours, which stays as it was."""
    before = path.read_bytes()
    with pytest.raises(StoreError) as error:
        SourceStore(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    return str(error.value).replace(str(path), 'PATH')


def test_the_files_of_others_are_left_alone(file: Path) -> None:
    said = []
    for content in (b'x', b'My diary. ' * 1000):
        file.write_bytes(content)
        said.append(refused(file))
    for size in (99, 100, 511, 512, 513, 4095, 4096):
        file.write_bytes(b'\0' * size)
        refused(file)
    file.unlink()
    with closing(sqlite3.connect(file)) as db:
        db.execute('CREATE TABLE diary (day TEXT)')
    said.append(refused(file))
    file.unlink()
    SourceStore(file).close()
    with closing(sqlite3.connect(file)) as db:
        db.execute('PRAGMA user_version = 3')
        db.execute('PRAGMA journal_mode = DELETE')
    said.append(refused(file))
    assert said == snapshot(
        [
            'PATH is no SQLite file; it is left as it is: move it away, or set SUMMARIZER_STORE to another path',
            'PATH is no SQLite file, or is damaged; it is left as it is: move it away, or set SUMMARIZER_STORE to another path',
            'PATH belongs to another program; it is left as it is: move it away, or set SUMMARIZER_STORE to another path',
            'PATH has schema version 3, and this program reads 2 and older ones; it is left as it is: move it away, or set SUMMARIZER_STORE to another path',
        ]
    )


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / 'a file').write_text('x')
    said = []
    for path in (tmp_path, tmp_path / 'a file' / 'store.db', Path('/dev/null'), Path('/proc/store.db'), Path('a\0b')):
        with pytest.raises(ConfigurationError) as error:
            SourceStore(path)
        # Versions of Python say it differently.
        message = re.sub(r'(lstat: )?embedded null \w+( in path)?', 'embedded null', str(error.value))
        said.append(message.replace(str(tmp_path), 'FOLDER'))
    assert said == snapshot(
        [
            'SUMMARIZER_STORE=FOLDER cannot be used: it is not a file; name a file in a folder that you may write, or :memory:',
            'SUMMARIZER_STORE=FOLDER/a file/store.db cannot be used: its folder is a file; name a file in a folder that you may write, or :memory:',
            'SUMMARIZER_STORE=/dev/null cannot be used: it is not a file; name a file in a folder that you may write, or :memory:',
            'SUMMARIZER_STORE=/proc/store.db cannot be used: No such file or directory; name a file in a folder that you may write, or :memory:',
            'SUMMARIZER_STORE=a b cannot be used: embedded null; name a file in a folder that you may write, or :memory:',
        ]
    )


def test_an_empty_file_becomes_a_store(file: Path) -> None:
    file.touch()
    with SourceStore(file) as store:
        store.collection().add(HARBOUR)
    assert sound(file)


def test_a_closed_store(path: str) -> None:
    store = SourceStore(path)
    collection = store.collection()
    collection.add(HARBOUR)
    store.close()
    store.close()
    for call in (lambda: collection.document(HARBOUR.id), lambda: collection.add(HARBOUR), store.size):
        with pytest.raises(StoreError, match='is closed'):
            call()


def test_a_collection_keeps_its_store_open(path: str) -> None:
    collection = SourceStore(path).collection()
    gc.collect()
    collection.add(HARBOUR)
    assert collection.document(HARBOUR.id) == HARBOUR


def test_the_last_uses_are_written_at_the_end(file: Path) -> None:
    with SourceStore(file) as store:
        a, b = (store.collection().add(Document(text)).id for text in 'ab')
        store.collection().document(a)
    with SourceStore(file) as store:
        assert ids(store.collection()) == [a, b]


def test_many_reads_are_one_write(file: Path) -> None:
    with SourceStore(file) as store, closing(sqlite3.connect(file)) as other:
        collection = store.collection()
        collection.add(HARBOUR)
        collection.keep_answer('key', 1, 'an answer')

        def writes() -> int:
            """Changes whenever somebody else has written."""
            before = other.execute('PRAGMA data_version').fetchone()
            for _ in range(20):
                collection.document(HARBOUR.id)
                collection.answer('key', least=1, most=1)
            return int(other.execute('PRAGMA data_version').fetchone() != before)

        assert writes() == 0
        other.execute('UPDATE sources SET used_at = used_at - 61000000')
        other.commit()
        assert (writes(), writes()) == (1, 0)
        assert collection.source(HARBOUR.id).used_at == NOW


def test_reads_wait_for_no_writer(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SourceStore(file) as store, closing(sqlite3.connect(file, isolation_level=None)) as other:
        collection = store.collection()
        collection.add(HARBOUR)
        collection.keep_answer('key', 1, 'an answer')
        # Uses are due to be written, and somebody else is writing.
        other.execute('UPDATE sources SET used_at = 1')
        other.execute('UPDATE work SET used_at = 1')
        other.execute('BEGIN IMMEDIATE')
        with ThreadPoolExecutor(1) as pool:  # a read that waits does so for twice as long
            limit = tables.FORMAT.busy_seconds / 2
            assert pool.submit(collection.document, HARBOUR.id).result(limit) == HARBOUR
            assert pool.submit(collection.answer, 'key', least=1, most=1).result(limit) == 'an answer'
            assert [source.used_at for source in pool.submit(collection.sources).result(limit)] == [NOW]
        monkeypatch.setattr(tables, 'FORMAT', replace(tables.FORMAT, busy_seconds=0.05))
        with SourceStore(file) as impatient, pytest.raises(StoreError) as error:
            impatient.collection().keep_summary('key', 'a summary')
        assert str(error.value).replace(str(file), 'PATH') == snapshot(
            'the store PATH cannot be read or written: database is locked; another process has been writing for too long, try again'
        )
        other.execute('COMMIT')
        collection.keep_summary('key', 'a summary')
    assert query(file, 'SELECT used_at > 1 FROM sources UNION ALL SELECT used_at > 1 FROM work') == [(1,)] * 3


def test_a_read_does_not_wait_for_a_write_of_another_thread(file: Path) -> None:
    with SourceStore(file) as store, closing(sqlite3.connect(file, isolation_level=None)) as other:
        collection = store.collection()
        collection.add(HARBOUR)
        other.execute('BEGIN IMMEDIATE')
        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(collection.keep_summary, 'key', 'a summary')
            assert collection.document(HARBOUR.id) == HARBOUR
            assert collection.summary('key') is None
            assert not writing.done()
            other.execute('COMMIT')
            writing.result(60)
        assert collection.summary('key') == 'a summary'


# Failures of the disk


def test_a_full_disk_is_told_and_survived(file: Path) -> None:
    # Of one process, the size of files can be limited.
    program = """
        import resource
        from summarizer_tool.errors import StoreError
        with SourceStore(sys.argv[1]) as store:
            collection = store.collection()
            kept = collection.add(Document('kept'))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
            try:
                collection.add(Document('x y ' * 400_000))
            except StoreError as error:
                print(error)
            assert collection.document(kept.id).text == 'kept'
            assert store.size() == 4
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            collection.keep_summary('key', 'a summary')
    """
    assert output(run(program, file)).replace(str(file), 'PATH') == snapshot(
        'the store PATH cannot be read or written: disk I/O error; see to the file, or set SUMMARIZER_STORE to another path\n'
    )
    assert sound(file)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_a_full_store_is_told(store: SourceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = store.collection().add(HARBOUR)
    with store._database.read() as db:  # SQLite's own limit, which fails as a full disk does
        db.execute('PRAGMA max_page_count = 40')
    with pytest.raises(StoreError) as error:
        store.collection().keep_summary('key', 'x' * 1_000_000)
    assert str(error.value).replace(store.path, 'PATH') == snapshot(
        'the store PATH cannot be read or written: database or disk is full; free some space'
    )
    assert ids(store.collection()) == [kept.id]
    assert store.size() == len(HARBOUR.text)
    store.collection().keep_summary('key', 'a summary')


def test_damage_is_told(file: Path) -> None:
    text = 'Ada Brook founded the guild. ' * 10_000
    SourceStore(file).close()
    tables = file.stat().st_size
    with SourceStore(file) as store:
        source = store.collection().add(Document(text))
    content = file.read_bytes()
    at = content.index(b'Ada Brook', len(content) // 2)
    file.write_bytes(content[:at] + b'Eve' + content[at + 3 :])
    said = []
    with SourceStore(file) as store:
        with pytest.raises(StoreError) as error:
            store.collection().document(source.id)
        said.append(str(error.value).replace(str(file), 'PATH'))
    file.write_bytes(content[:tables] + os.urandom(len(content) - tables))
    with SourceStore(file) as store:
        for call in (lambda: store.collection().document(source.id), lambda: store.collection().add(HARBOUR)):
            with pytest.raises(StoreError) as error:
                call()
            said.append(str(error.value).replace(str(file), 'PATH'))
    assert said == snapshot(
        [
            'the text of src_23598436e8e7 in PATH is damaged; move the file away and start again',
            'the store PATH cannot be read or written: database disk image is malformed; it is damaged, move it away and start again',
            'the store PATH cannot be read or written: database disk image is malformed; it is damaged, move it away and start again',
        ]
    )


def test_a_file_that_was_taken_away(file: Path) -> None:
    store = SourceStore(file)
    file.unlink()
    with pytest.raises(StoreError, match='cannot be read or written'):
        store.collection().add(HARBOUR)
    assert not file.exists()
    store.close()


# Several at once


def test_killed_at_any_moment(file: Path) -> None:
    program = """
        with SourceStore(sys.argv[1]) as store:
            collection = store.collection()
            print('ready', flush=True)
            for number in range(1_000_000):
                text = f'{sys.argv[2]} {number} ' + 'x y ' * (number % 7 * 1000)
                print('source', collection.add(Document(text)).id, flush=True)
                collection.keep_answer(f'{sys.argv[2]} {number}', number, text)
                print('answer', number, flush=True)
    """
    reported: list[tuple[int, str, str]] = []
    for round_ in range(3):
        process = run(program, file, round_)
        assert process.stdout is not None
        # Not while it waits for us to read, but while it works.
        reader = threading.Thread(
            target=lambda lines=process.stdout, round_=round_: reported.extend(
                (round_, *line.split()) for line in lines if line.endswith('\n') and line != 'ready\n'
            )
        )
        reader.start()
        while sum(entry[0] == round_ for entry in reported) < 40 + 13 * round_:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        reader.join()
        process.communicate()
    with SourceStore(file) as store:
        collection = store.collection()
        for round_, kind, name in reported:
            if kind == 'source':
                assert collection.document(name).text.startswith(f'{round_} ')
            else:
                assert collection.answer(f'{round_} {name}', least=int(name), most=int(name))
        collection.add(HARBOUR)
    assert len(reported) > 100
    assert sound(file)


def test_four_processes_with_one_file(file: Path) -> None:
    # They make it together, too; and the cap makes each evict what others add.
    program = """
        from summarizer_tool.errors import UnknownSourceError
        me = sys.argv[2]
        print('ready', flush=True)
        sys.stdin.readline()
        with SourceStore(sys.argv[1], max_mb=0.3) as store:
            shared, own = store.collection(), store.collection(me)
            for number in range(80):
                source = own.add(Document(f'{me} {number} ' + 'x y ' * (number % 9 * 300)))
                try:
                    assert own.document(source.id).text.startswith(f'{me} {number} ')
                except UnknownSourceError as error:  # the others may have filled the store since
                    assert 'was evicted' in str(error)
                shared.add(Document(f'shared {number}'))
                shared.keep_answer(f'{number}', 100, f'answer {number}')
                assert shared.answer(f'{number - 1}', least=0, most=1000) in (None, f'answer {number - 1}')
                assert len(shared.sources(3)) <= 3
                assert store.size() <= 300_000
        print('done')
    """
    processes = [run(program, file, me) for me in range(4)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == 'ready\n'
    for process in processes:
        assert process.stdin is not None
        process.stdin.write('\n')
        process.stdin.flush()
    assert [output(process) for process in processes] == ['done\n'] * 4
    assert sound(file)
    with SourceStore(file) as store:
        assert 290_000 < store.size() <= 300_000


def test_threads(store: SourceStore) -> None:
    def work(me: int) -> int:
        collection = store.collection(f'{me % 2}')
        for number in range(40):
            source = collection.add(Document(f'{me} {number} ' + 'x' * 1000))
            assert collection.document(source.id).text.startswith(f'{me} {number} ')
            collection.keep_answer(f'{number}', me, f'{me}')
            assert collection.answer(f'{number}', least=me, most=me) == f'{me}'
        return len(collection.sources(1000))

    with ThreadPoolExecutor(8) as pool:
        assert max(pool.map(work, range(8))) == 160
    assert [len(store.collection(name).sources(1000)) for name in ('0', '1')] == [160, 160]


def test_a_fork(path: str) -> None:
    # The parent forks while its other threads read and write, and the children outlive it.
    program = """
        store = SourceStore(sys.argv[1])
        collection = store.collection()
        first = collection.add(Document('before')).id
        stop = threading.Event()

        def work(me):
            number = 0
            while not stop.is_set():
                number += 1
                collection.keep_answer(f'{me} {number % 50}', 1, 'x' * 1000)
                collection.document(first)

        threads = [threading.Thread(target=work, args=(me,)) for me in range(2)]
        for thread in threads:
            thread.start()
        children = []
        for child in range(4):
            pid = os.fork()
            if not pid:
                code = 1
                try:
                    # SQLite's locks are not inherited, so nothing that it has open may be.
                    fds = [f'/proc/self/fd/{fd}' for fd in os.listdir('/proc/self/fd')] if sys.platform == 'linux' else []
                    assert not [fd for fd in fds if os.path.exists(fd) and os.readlink(fd).startswith(sys.argv[1])]
                    assert collection.document(first).text == 'before'
                    for number in range(30):
                        collection.add(Document(f'child {child} {number}'))
                    store.close()
                    code = 0
                finally:
                    os._exit(code)
            children.append(pid)
        print([os.waitpid(pid, 0)[1] for pid in children])
        stop.set()
        for thread in threads:
            thread.join()
        print(len(collection.sources(1000)))
        store.close()
    """
    assert output(run(program, path)) == f'[0, 0, 0, 0]\n{1 if path == MEMORY else 121}\n'
    assert path == MEMORY or sound(Path(path))


# Any sequence of calls


COLLECTIONS = st.sampled_from(['mine', 'yours'])
TEXTS = st.builds(str.__mul__, st.sampled_from('abcdef'), st.integers(0, 60))
KEYS = st.sampled_from(['k', 'l'])
TARGETS = st.integers(1, 3)
CAP = 100


class AgainstADictionary(RuleBasedStateMachine):
    """A store does what a dictionary would that drops its oldest entries over a size."""

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
            oldest = next(iter(self.kept))
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
TestAgainstADictionary.settings = hypothesis_settings(max_examples=60, stateful_step_count=40)
