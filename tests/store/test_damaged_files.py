"""A file of ours that is damaged is set aside, said so, and replaced; nothing else is."""

import logging
import os
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import StoreError
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.store.sqlite_file import alone_with, move_aside
from tests.support.store_programs import add_to_what_is_there, at_once
from tests.support.stores import HARBOUR, ids, sound

TEXT = 'Ada Brook founded the guild. ' * 3000
PAGE = 4096
HEAD = 100
"""Bytes of a file's head, which says whose it is."""


def filled(file: Path) -> bytes:
    """What a store's file holds."""
    with SourceStore(file) as store:
        store.collection().add(Document(TEXT))
    return file.read_bytes()


def written_over(content: bytes, start: int) -> bytes:
    return content[:start] + os.urandom(len(content) - start)


def aside(file: Path) -> list[Path]:
    """What was set aside, without what SQLite keeps beside it."""
    found = file.parent.glob('*.damaged-*')
    return sorted(path for path in found if not path.name.endswith(('-wal', '-shm')))


def shown(said: str, file: Path) -> str:
    return re.sub(r'\.damaged-\d{8}T\d{6}\.\d{6}', '.damaged-NOW', said.replace(str(file), 'PATH'))


def test_at_opening(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    content = filled(file)
    for damaged in (written_over(content, HEAD), content[:300], content[: PAGE + 700]):
        before = aside(file)
        file.write_bytes(damaged)
        caplog.clear()
        with SourceStore(file) as store:
            if not caplog.records:  # what is cut off shows when it is asked for
                with pytest.raises(StoreError, match='was damaged'):
                    store.collection().add(HARBOUR)
            assert ids(store.collection()) == []
            store.collection().add(HARBOUR)
        [moved] = set(aside(file)) - set(before)
        assert moved.read_bytes() == damaged
        [record] = caplog.records
        assert (record.levelno, record.getMessage()) == (logging.WARNING, 'a damaged file was set aside')
        assert sound(file)


def test_in_use(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    SourceStore(file).close()
    tables = file.stat().st_size
    content = filled(file)
    file.write_bytes(written_over(content, tables))
    with SourceStore(file) as store, SourceStore(file) as other:
        collection = store.collection()
        assert ids(other.collection()) == [Document(TEXT).id]
        with pytest.raises(StoreError) as error:
            collection.document(Document(TEXT).id)
        assert shown(str(error.value), file) == snapshot(
            'PATH was damaged (database disk image is malformed): it is PATH.damaged-NOW now, and a new one takes its place, empty'
        )
        collection.add(HARBOUR)
        assert ids(other.collection()) == ids(collection) == [HARBOUR.id]  # whoever had the old one open
        other.collection().add(Document('more'))
        assert len(ids(collection)) == 2
    assert [record.getMessage() for record in caplog.records] == ['a damaged file was set aside']
    assert len(aside(file)) == 1
    assert sound(file)


def test_what_was_written_last_is_set_aside_with_it(file: Path) -> None:
    SourceStore(file).close()
    with SourceStore(file) as writer:
        writer.collection().add(HARBOUR)
        assert Path(f'{file}-wal').exists()
        file.write_bytes(file.read_bytes()[:HEAD] + b'\xff' * (3 * PAGE))
        os.truncate(f'{file}-wal', 0)
        with SourceStore(file) as store:
            store.collection().add(Document('new'))
            assert len(aside(file)) == 1
            assert ids(store.collection()) == ids(writer.collection()) == [Document('new').id]
    assert sound(file)


def test_what_belongs_to_a_file_goes_with_it(file: Path) -> None:
    parts = {'': b'tables', '-wal': b'pages', '-shm': b'index'}
    for part, content in parts.items():
        Path(f'{file}{part}').write_bytes(content)
    moved = move_aside(str(file))
    assert {path.name: path.read_bytes() for path in file.parent.iterdir()} == {
        f'{Path(moved).name}{part}': content for part, content in parts.items()
    }


@pytest.mark.parametrize('is_ours', [False, True])
def test_what_is_of_others_or_of_another_version_stays(file: Path, is_ours: bool) -> None:
    filled(file)
    with closing(sqlite3.connect(file)) as db:
        db.execute('PRAGMA user_version = 99' if is_ours else 'PRAGMA application_id = 7')
        db.execute('PRAGMA journal_mode = DELETE')
    damaged = written_over(file.read_bytes(), HEAD)
    file.write_bytes(damaged)
    with pytest.raises(StoreError, match='it is left as it is'):
        SourceStore(file)
    assert file.read_bytes() == damaged
    assert aside(file) == []


def test_threads_that_find_it_at_once_replace_it_once(file: Path) -> None:
    SourceStore(file).close()
    tables = file.stat().st_size
    file.write_bytes(written_over(filled(file), tables))
    with SourceStore(file) as store, ThreadPoolExecutor(8) as pool:
        collection = store.collection()

        def add(number: int) -> str:
            document = Document(f'{number} {HARBOUR.text}')
            try:
                return collection.add(document).id
            except StoreError:
                return collection.add(document).id

        added = set(pool.map(add, range(40)))
        assert added == set(ids(collection))
    assert len(aside(file)) == 1
    assert sound(file)


def test_a_file_that_is_being_replaced_is_waited_for(file: Path) -> None:
    with SourceStore(file) as store, ThreadPoolExecutor(1) as pool:
        with alone_with(str(file)):
            file.rename(elsewhere := file.with_suffix('.moved'))
            found = pool.submit(ids, store.collection())
            wait([found], timeout=0.3)
            elsewhere.rename(file)
        assert list(found.result(timeout=20)) == []


@pytest.mark.slow
def test_processes_that_find_it_at_once_replace_it_once(file: Path) -> None:
    SourceStore(file).close()
    tables = file.stat().st_size
    file.write_bytes(written_over(filled(file), tables))
    added = at_once(add_to_what_is_there, [(file, me, 10) for me in range(3)])
    with SourceStore(file) as store:
        kept = set(ids(store.collection()))
        assert {handle for handles in added for handle in handles} == kept
    assert len(aside(file)) == 1
    assert sound(file)


@hypothesis_settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_is_written_over_it_the_store_goes_on(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp('damage') / 'store.db'
    content = bytearray(filled(file))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(HEAD, len(content) - 1))
        noise = data.draw(st.binary(min_size=1, max_size=200))
        content[start : start + len(noise)] = noise[: len(content) - start]
    file.write_bytes(content[: data.draw(st.integers(HEAD, len(content)))])
    with SourceStore(file) as store:
        for _ in range(2):  # an addition, and the search for a text, find a damaged part each at most
            with suppress(StoreError):
                store.collection().add(HARBOUR)
                assert store.collection().document(HARBOUR.id) == HARBOUR
        store.collection().add(HARBOUR)
        assert store.collection().document(HARBOUR.id) == HARBOUR
