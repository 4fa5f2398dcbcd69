"""The file of a store: whose it is, what is refused, and what becomes of a failing disk."""

import gc
import os
import re
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import ConfigurationError, StoreError
from summarizer_tool.settings import Settings
from summarizer_tool.store import sqlite_file
from summarizer_tool.store.database import Database
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.store.sqlite_file import MEMORY
from tests.support.store_programs import at_once, fill_the_disk, open_without_rights
from tests.support.stores import HARBOUR, ids, query, sound, taken


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
        db.execute('PRAGMA user_version = 99')
        db.execute('PRAGMA journal_mode = DELETE')
    said.append(refused(file))
    assert said == snapshot(
        [
            'PATH is no SQLite file, or is damaged; it is left as it is: move it away, or set SUMMARIZER_STORE to another path',
            'PATH is no SQLite file, or is damaged; it is left as it is: move it away, or set SUMMARIZER_STORE to another path',
            'PATH belongs to another program; it is left as it is: move it away, or set SUMMARIZER_STORE to another path',
            'PATH has schema version 99, and this program reads 7; it is left as it is: move it away, or set SUMMARIZER_STORE to another path',
        ]
    )


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / 'a file').write_text('x')
    said = []
    files = (tmp_path, tmp_path / 'a file' / 'store.db', Path('/dev/null'), Path('/proc/store.db'), Path('a\0b'))
    for path in (*files, 'mysql://bob:hunter2@db/fen'):
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
            'SUMMARIZER_STORE=mysql://… cannot be used: it is the URL of no Postgres; name a file in a folder that you may write, or :memory:',
        ]
    )


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, 'setuid'), reason='files have no such modes')
def test_what_may_not_be_written_stays_and_is_told() -> None:
    cases = [(0o444, 0o777, False), (0o666, 0o555, False), (0o000, 0o777, False), (0o666, 0o555, True)]
    assert at_once(open_without_rights, cases) == snapshot(
        [
            'SUMMARIZER_STORE=PATH cannot be used: permission denied for the file or its folder; name a file in a folder that you may write, or :memory:',
            'SUMMARIZER_STORE=PATH cannot be used: permission denied for the file or its folder; name a file in a folder that you may write, or :memory:',
            'SUMMARIZER_STORE=PATH cannot be used: permission denied for the file or its folder; name a file in a folder that you may write, or :memory:',
            'SUMMARIZER_STORE=PATH cannot be used: permission denied for the file or its folder; name a file in a folder that you may write, or :memory:',
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


def test_a_full_disk_is_told_and_survived(file: Path) -> None:
    [said] = at_once(fill_the_disk, [(file,)])
    assert said.replace(str(file), 'PATH') == snapshot(
        'the store PATH cannot be read or written: disk I/O error; see to the file, move it away, or set SUMMARIZER_STORE to another path'
    )
    assert sound(file)


@pytest.mark.parametrize('path', ['memory', 'file'], indirect=True)
def test_a_full_store_is_told(store: SourceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = store.collection().add(HARBOUR)
    with store._database.read() as db:  # SQLite's own limit, which fails as a full disk does
        db.execute('PRAGMA max_page_count = 40')
    with pytest.raises(StoreError) as error:
        store.collection().keep_answer('key', 0, 'x' * 1_000_000)
    assert str(error.value).replace(store.path, 'PATH') == snapshot(
        'the store PATH cannot be read or written: database or disk is full; free some space'
    )
    assert ids(store.collection()) == [kept.id]
    assert store.size() == taken(HARBOUR)
    store.collection().keep_answer('key', 0, 'a summary')


def test_damage_is_told(file: Path) -> None:
    text = 'Ada Brook founded the guild. ' * 10_000
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
    assert said == snapshot(['the text of src_23598436e8e7 in PATH is damaged; move the file away and start again'])


def test_a_file_that_was_taken_away(file: Path) -> None:
    store = SourceStore(file)
    file.unlink()
    with pytest.raises(StoreError, match='cannot be read or written'):
        store.collection().add(HARBOUR)
    assert not file.exists()
    store.close()


def test_one_more_connection_fails_as_a_store(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(file, 10)

    def refuse(*_: object, **__: object) -> None:
        raise sqlite_file.sqlite3.OperationalError('unable to open database file')

    with database.read():
        monkeypatch.setattr(sqlite_file, '_connect', refuse)
        with pytest.raises(StoreError, match='unable to open'), database.read():
            pass
    database.close()
