"""Several threads and processes with one store, a fork, and a process that is killed."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import StoreError
from summarizer_tool.store import database
from summarizer_tool.store.source_store import SourceStore
from tests.support.store_programs import FORKS, at_once, fill, use_after_fork, write_for_ever
from tests.support.stores import HARBOUR, NOW, ids, query, sound, taken


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
            limit = database.FORMAT.busy_seconds / 2
            assert pool.submit(collection.document, HARBOUR.id).result(limit) == HARBOUR
            assert pool.submit(collection.answer, 'key', least=1, most=1).result(limit) == 'an answer'
            assert pool.submit(ids, collection).result(limit) == [HARBOUR.id]
            pool.submit(_read_and_close, file).result(limit)
        monkeypatch.setattr(database, 'FORMAT', replace(database.FORMAT, busy_seconds=0.05))
        with SourceStore(file) as impatient, pytest.raises(StoreError) as error:
            impatient.collection().keep_answer('key', 0, 'a summary')
        assert str(error.value).replace(str(file), 'PATH') == snapshot(
            'the store PATH cannot be read or written: database is locked; another process has been writing for too long, try again'
        )
        other.execute('COMMIT')
        collection.keep_answer('key', 0, 'a summary')
    assert query(file, 'SELECT used_at > 1 FROM sources UNION ALL SELECT used_at > 1 FROM work') == [(1,)] * 3


def _read_and_close(file: Path) -> None:
    with SourceStore(file) as store:
        store.collection().document(HARBOUR.id)


def test_a_source_that_another_process_reads_is_not_evicted(file: Path) -> None:
    with SourceStore(file, max_mb=taken(HARBOUR, Document('b')) / 1e6) as writing, SourceStore(file) as reading:
        mine, theirs = writing.collection(), reading.collection()
        mine.add(HARBOUR)
        for letter in 'bcd':
            with mine.database.write() as db:
                db.execute('UPDATE sources SET used_at = used_at - 61000000')
            theirs.document(HARBOUR.id)
            mine.add(Document(letter))
        assert theirs.has(HARBOUR.id)


def test_a_read_does_not_wait_for_a_write_of_another_thread(file: Path) -> None:
    with SourceStore(file) as store, closing(sqlite3.connect(file, isolation_level=None)) as other:
        collection = store.collection()
        collection.add(HARBOUR)
        other.execute('BEGIN IMMEDIATE')
        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(collection.keep_answer, 'key', 0, 'a summary')
            assert collection.document(HARBOUR.id) == HARBOUR
            assert collection.answer('key', least=0, most=0) is None
            assert not writing.done()
            other.execute('COMMIT')
            writing.result(60)
        assert collection.answer('key', least=0, most=0) == 'a summary'


def test_killed_at_any_moment(file: Path) -> None:
    reported: list[tuple[int, str, str]] = []
    for round_ in range(3):
        heard, said = FORKS.Pipe(duplex=False)
        process = FORKS.Process(target=write_for_ever, args=(file, round_, said))
        process.start()
        said.close()
        reported.extend((round_, *heard.recv()) for _ in range(40 + 13 * round_))
        process.kill()
        with suppress(EOFError, OSError):  # what it has said since, the last of which may be cut off
            while True:
                reported.append((round_, *heard.recv()))
        process.join()
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
    at_once(fill, [(file, me, 30) for me in range(4)])  # they make it together, too
    assert sound(file)
    with SourceStore(file) as store:
        assert 270_000 < store.size() <= 300_000


def test_threads(store: SourceStore) -> None:
    def work(me: int) -> int:
        collection = store.collection(f'{me % 2}')
        for number in range(20):
            source = collection.add(Document(f'{me} {number} ' + 'x' * 1000))
            assert collection.document(source.id).text.startswith(f'{me} {number} ')
            collection.keep_answer(f'{number}', me, f'{me}')
            assert collection.answer(f'{number}', least=me, most=me) == f'{me}'
        return len(collection.sources(1000))

    with ThreadPoolExecutor(8) as pool:
        assert max(pool.map(work, range(8))) == 80
    assert [len(store.collection(name).sources(1000)) for name in ('0', '1')] == [80, 80]


def test_a_fork(path: str) -> None:
    [said] = at_once(use_after_fork, [(path,)])
    assert said.endswith('was opened before a fork; open it in the process that uses it')
