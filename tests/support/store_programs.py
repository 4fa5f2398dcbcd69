"""What processes do with a store: one each, forked from one that has imported what they need.

done = at_once(fill, [(path, number, 60) for number in range(4)])
"""

import os
import tempfile
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import ConfigurationError, StoreError, UnknownSourceError
from summarizer_tool.evidence.search import candidates
from summarizer_tool.store import index
from summarizer_tool.store.source_store import SourceStore
from tests.support.stores import taken

T = TypeVar('T')

SECONDS = 100.0
"""What takes longer hangs."""

FORKS = get_context('forkserver')
FORKS.set_forkserver_preload([__name__])


def at_once(program: Callable[..., T], arguments: Sequence[tuple[object, ...]]) -> list[T]:
    """What a program returns for each of the arguments, in processes of their own; what fails in one fails here."""
    with FORKS.Pool(len(arguments)) as pool:
        return pool.starmap_async(program, arguments, chunksize=1).get(SECONDS)


def write_for_ever(path: Path, name: int, said: Connection) -> None:
    """Write until killed, and say after each write what was written."""
    with SourceStore(path) as store:
        collection = store.collection()
        for number in range(1_000_000):
            text = f'{name} {number} ' + 'x y ' * (number % 7 * 1000)
            said.send(('source', collection.add(Document(text)).id))
            collection.keep_answer(f'{name} {number}', number, text)
            said.send(('answer', str(number)))


def fill(path: Path, me: int, times: int) -> None:
    """Add to a store, of which a cap makes each evict what others add."""
    with SourceStore(path, max_mb=0.3) as store:
        shared, own = store.collection(), store.collection(str(me))
        for number in range(times):
            source = own.add(Document(f'{me} {number} ' + 'x y ' * (number % 9 * 600)))
            try:
                assert own.document(source.id).text.startswith(f'{me} {number} ')
            except UnknownSourceError as error:  # the others may have filled the store since
                assert source.id in str(error)  # noqa: PT017
            shared.add(Document(f'shared {number}'))
            shared.keep_answer(f'{number}', 100, f'answer {number}')
            assert shared.answer(f'{number - 1}', least=0, most=1000) in (None, f'answer {number - 1}')
            assert len(shared.sources(3)) <= 3
            assert store.size() <= 300_000


def use_after_fork(path: str) -> str:
    """What a child is told of a store that its parent has opened."""
    with SourceStore(path) as store:
        collection = store.collection()
        first = collection.add(Document('before')).id
        heard, answer = os.pipe()
        if not os.fork():
            said = 'nothing'
            try:
                collection.document(first)
            except StoreError as error:
                said = str(error)
            os.write(answer, said.encode())
            os._exit(0)
        os.wait()
        assert collection.document(first).text == 'before'
        return os.read(heard, 10_000).decode()


def fill_the_disk(path: Path) -> str:
    """Write more than files may hold, and go on once there is room again; of one process that size can be limited."""
    import resource

    said = ''
    with SourceStore(path) as store:
        collection = store.collection()
        kept = collection.add(Document('kept'))
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
        try:
            collection.add(Document('x ' * 300_000))
        except StoreError as error:
            said = str(error)
        assert collection.document(kept.id).text == 'kept'
        assert store.size() == taken(Document('kept'))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        collection.keep_answer('key', 0, 'a summary')
    return said


def read_until(path: Path, most: int) -> None:
    """Read while another process writes, three passages at a time."""
    with SourceStore(path) as store:
        collection, seen = store.collection(), 0
        while seen < most:
            with collection.database.read() as db:
                db.execute('BEGIN')
                rows = candidates.rows_with(db, ['salt'], index.spans_of(db, 'default'), 1000)
                passages = index.passages(db, 'default', rows)
                known = index.count_passages(db, 'default')
            # All or nothing of each source, and never less than before.
            assert len(rows) == len(passages) == known >= seen, (len(rows), len(passages), known, seen)
            assert known % 3 == 0, known
            seen = known


def add_to_what_is_there(path: Path, me: int, times: int) -> list[str]:
    """Add to a store whose file may be damaged, each again where it is not taken the first time; the handles."""
    added: list[str] = []
    with SourceStore(path) as store:
        for number in range(times):
            document = Document(f'{me} {number} of many')
            try:
                added.append(store.collection().add(document).id)
            except StoreError:
                added.append(store.collection().add(document).id)
    return added


def open_without_rights(file_mode: int, folder_mode: int, is_damaged: bool) -> str:
    """Open a store whose file or folder somebody may not write, who is not root; what is said of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / 'data'
        folder.mkdir()
        path = folder / 'store.db'
        with SourceStore(path) as store:
            store.collection().add(Document('kept'))
        if is_damaged:
            path.write_bytes(path.read_bytes()[:100] + b'\xff' * 8192)
        kept = path.read_bytes()
        for each, mode in ((path, file_mode), (folder, folder_mode), (Path(name), 0o755)):
            each.chmod(mode)
        heard, answer = os.pipe()
        if pid := os.fork():
            assert os.waitpid(pid, 0)[1] == 0
        else:
            said = b'nothing'
            if not os.getuid():
                os.setuid(65534)
            try:
                SourceStore(path).close()
            except (ConfigurationError, StoreError) as error:
                said = str(error).replace(str(path), 'PATH').encode()
            os.write(answer, said)
            os._exit(0)
        said = os.read(heard, 10_000).decode()
        assert path.read_bytes() == kept
        assert [entry.name for entry in folder.iterdir()] == [path.name]
        folder.chmod(0o700)
    return said
