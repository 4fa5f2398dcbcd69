"""Several threads and processes with one store, forks, and a process that is killed."""

import signal
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import StoreError
from summarizer_tool.store import tables
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.store.sqlite_file import MEMORY
from tests.support.stores import HARBOUR, NOW, output, query, run, sound


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
