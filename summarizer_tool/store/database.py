"""The SQLite database below a store: its file, its connections, its transactions and its size cap."""

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from summarizer_tool.errors import ConfigurationError, StoreError
from summarizer_tool.settings import variable
from summarizer_tool.store import index, page_details
from summarizer_tool.store.tables import APPLICATION, MIGRATIONS, SCHEMA, VERSION

MEMORY: Final = ':memory:'
"""The path of a store that ends with its process."""

MAX_TOMBSTONES = 10_000
"""Evicted sources that are remembered by name, over all collections; the newest."""

_LEAST_BYTES = 512
"""Of a file of SQLite, which takes a smaller one for empty and would write over it."""

BUSY_SECONDS = 60.0
"""For the writers of other processes: one of them may be storing 50 MB on a slow disk, and others wait before us."""

_FORK_SECONDS = 5.0
"""How long a fork waits for calls in flight; a call takes milliseconds, unless other processes are in its way."""

_TOUCH_MICROSECONDS = 60_000_000
"""A use is written at once if the last written one is older than this, else together with the next write."""

_IDLE_CONNECTIONS = 8
"""Kept open for the next calls; more only while more threads call at once."""

_KEPT_FREE_PAGES = 1000
"""Free pages (of 4 KiB) left in the file for the next texts."""

_VACUUMED_PAGES = 5000
"""Pages given back to the file system in one go, so that no write waits long for it."""

MAX_SHOWN = 80
"""Characters of a title or a wrong handle that an error repeats."""


class Database:
    """Transactions, uses and the size cap, below all collections."""

    def __init__(self, path: str, max_mb: float) -> None:
        self.path = path
        self.max_mb = max_mb
        self.cap = max_mb * 1e6
        self.touched: dict[tuple[str, int], int] = {}
        """Uses that are not written yet, as (table, row): microseconds. Only atomic operations change it."""
        self._connections = _Connections(path)
        self._last_time = 0
        # Closes the file in order where nobody has, at the end of the program at the latest. Not the store's own, which
        # a caller may drop while a collection is in use.
        self._close = weakref.finalize(self, self._connections.close)

    def close(self) -> None:
        """Write what is noted, and close the file."""
        self.write_touches()
        self._close()

    @contextmanager
    def read(self) -> Generator[sqlite3.Connection]:
        """A connection, whose errors are told as ours."""
        try:
            with self._connections.borrow() as db:
                yield db
        except sqlite3.Error as error:
            raise StoreError(_explain(self.path, error)) from error

    @contextmanager
    def write(self) -> Generator[sqlite3.Connection]:
        """A connection within a transaction, which is committed at the end or, after an error, undone."""
        # Threads queue here, in order and without polling; SQLite's own lock is for other processes.
        with self._connections.writing, self.read() as db:
            db.execute('BEGIN IMMEDIATE')
            self._flush(db)
            yield db
            db.execute('COMMIT')
            _give_back(db)

    def now(self) -> int:
        """Microseconds since 1970, and never the same twice, so that uses have an order on a coarse clock too."""
        now = time.time_ns() // 1000
        if 0 <= self._last_time - now < 1_000_000:
            now = self._last_time + 1
        self._last_time = now
        return now

    def touch(self, table: str, row: int, used_at: int) -> None:
        """Note a use of a row whose last written use is `used_at`."""
        now = self.now()
        self.touched[table, row] = now
        if now - used_at > _TOUCH_MICROSECONDS:
            self.write_touches()

    def write_touches(self) -> None:
        """Write the noted uses unless somebody is writing: a read waits for nobody, and needs no room on the disk."""
        writing = self._connections.writing
        if not self.touched or not writing.acquire(blocking=False):
            return
        try:
            with suppress(sqlite3.Error, StoreError), self._connections.borrow() as db:
                db.execute('PRAGMA busy_timeout = 0')
                try:
                    db.execute('BEGIN IMMEDIATE')
                    self._flush(db)
                    db.execute('COMMIT')
                finally:
                    _wait_for_others(db)
        finally:
            writing.release()

    def _flush(self, db: sqlite3.Connection) -> None:
        """Write the noted uses within a transaction. If it fails they are lost, which only ages what they name."""
        while self.touched:
            try:
                (table, row), used_at = self.touched.popitem()
            except KeyError:  # another thread took the last one
                return
            # The row may belong to something newer by now, which is then no older than this.
            if table == 'sources':
                db.execute('UPDATE sources SET used_at = max(used_at, ?) WHERE rowid = ?', (used_at, row))
            else:
                db.execute('UPDATE work SET used_at = max(used_at, ?) WHERE rowid = ?', (used_at, row))

    def make_room(self, db: sqlite3.Connection, size: int) -> None:
        """Evict what has not been used for longest until `size` more bytes fit, which the caller then adds."""
        over = total_of(db) + size - self.cap
        while over > 0:
            oldest: list[tuple[str, int, int, int]] = db.execute(
                "SELECT 'sources', rowid, size, used_at FROM sources UNION ALL "
                "SELECT 'work', rowid, size, used_at FROM work ORDER BY used_at LIMIT 100"
            ).fetchall()
            if not oldest:
                return
            for table, row, freed, _used_at in oldest:
                if table == 'sources':
                    self._evict(db, row)
                else:
                    db.execute('DELETE FROM work WHERE rowid = ?', (row,))
                over -= freed
                if over <= 0:
                    return

    def _evict(self, db: sqlite3.Connection, row: int) -> None:
        """Delete a source, and remember that it was there."""
        [collection, source_id, title] = db.execute(
            'SELECT collection, id, title FROM sources WHERE rowid = ?', (row,)
        ).fetchone()
        db.execute(
            'INSERT OR REPLACE INTO evicted (collection, id, title, evicted_at) VALUES (?, ?, ?, ?)',
            (collection, source_id, shown(title), self.now()),
        )
        db.execute('DELETE FROM evicted WHERE number <= (SELECT max(number) FROM evicted) - ?', (MAX_TOMBSTONES,))
        index.forget(db, collection, source_id)
        page_details.forget_addresses(db, (collection, source_id))
        db.execute('DELETE FROM sources WHERE rowid = ?', (row,))


class _Connections:
    """The connections to one database, borrowed for a call each.

    Not one for all threads: a read would wait for the write of another thread, which WAL is there to avoid. Not one
    for each thread: those of a pool come and go, and nobody closes what they leave. A database in memory has one.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.writing = threading.Lock()
        self._gate = threading.Condition()
        self._idle: list[sqlite3.Connection] = []
        self._borrowed = 0
        self._is_closed = False
        self._is_held = False
        if path == MEMORY:
            self._idle.append(_connect(path))
        else:
            _prepare(path)
        with _forking:
            _all_connections.add(self)

    @contextmanager
    def borrow(self) -> Generator[sqlite3.Connection]:
        """A connection for the calling thread alone; an open transaction is undone at the end."""
        gate = self._gate
        with gate:
            gate.wait_for(self._is_free)
            if self._is_closed:
                raise StoreError(f'the store {self.path} is closed')
            db = self._idle.pop() if self._idle else None
            self._borrowed += 1
        try:
            if db is None:
                db = _connect(self.path)
            yield db
        finally:
            self._return(db)

    def _is_free(self) -> bool:
        return self._is_closed or not (self._is_held or (self.path == MEMORY and self._borrowed))

    def _return(self, db: sqlite3.Connection | None) -> None:
        is_broken = db is None
        if db is not None and db.in_transaction:
            try:
                db.execute('ROLLBACK')
            except sqlite3.Error:
                is_broken = db.in_transaction
        with self._gate:
            self._borrowed -= 1
            is_kept = not is_broken and not self._is_closed and len(self._idle) < _IDLE_CONNECTIONS
            if db is not None and is_kept:
                self._idle.append(db)
            self._gate.notify_all()
        if db is not None and not is_kept:
            _close(db)

    def close(self) -> None:
        """Close what is idle now, and what is borrowed when it comes back."""
        with self._gate:
            self._is_closed = True
            idle, self._idle = self._idle, []
            self._gate.notify_all()
        for db in idle:
            _close(db)

    def before_fork(self) -> None:
        """Wait for calls in flight, and close the file.

        SQLite keeps in the process what it has locked. A child would inherit the belief, but not the locks.
        """
        with self._gate:
            self._is_held = True
            self._gate.wait_for(lambda: not self._borrowed, _FORK_SECONDS)
            idle: list[sqlite3.Connection] = []
            if self.path != MEMORY:
                idle, self._idle = self._idle, []
        for db in idle:
            _close(db)

    def after_fork_in_parent(self) -> None:
        """Go on."""
        with self._gate:
            self._is_held = False
            self._gate.notify_all()

    def after_fork_in_child(self) -> None:
        """Go on with locks of its own; those of the parent may be held by threads that are not here."""
        self.writing = threading.Lock()
        self._gate = threading.Condition()
        self._is_held = False
        self._borrowed = 0


_all_connections: 'weakref.WeakSet[_Connections]' = weakref.WeakSet()
_forking = threading.Lock()
_creating = threading.Lock()


def _before_fork() -> None:
    _forking.acquire()
    for connections in list(_all_connections):
        connections.before_fork()


def _after_fork_in_parent() -> None:
    for connections in list(_all_connections):
        connections.after_fork_in_parent()
    _forking.release()


def _after_fork_in_child() -> None:
    global _forking, _creating
    _forking = threading.Lock()
    _creating = threading.Lock()
    for connections in list(_all_connections):
        connections.after_fork_in_child()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)


def absolute(path: str | Path) -> str:
    """The path without links, so that a later change of folder does not matter; unchanged where it is not a path."""
    if str(path) == MEMORY:
        return MEMORY
    try:
        return os.path.realpath(Path(path).expanduser())
    except (OSError, ValueError, RuntimeError) as error:
        raise _not_writable(shown(str(path)), str(error)) from None


def _prepare(path: str) -> None:
    """Make the file, or see that it is one of ours.

    Raises:
        ConfigurationError: If it cannot be made or written.
        StoreError: If it is not ours.
    """
    _make_file(Path(path))
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            with closing(sqlite3.connect(_uri(path), uri=True, isolation_level=None)) as db:
                _wait_for_others(db)
                _make_schema(db, path)
        except sqlite3.Error as error:
            code = _code(error)
            # Several processes may make the same file at once, and SQLite does not always wait there by itself.
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() < deadline:
                time.sleep(0.01)
                continue
            if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise _foreign(path, 'is no SQLite file, or is damaged') from error
            raise _not_writable(path, str(error)) from error
        return


def _make_file(path: Path) -> None:
    name = str(path)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # No other thread may open the file while this descriptor is there: closing it frees SQLite's locks.
        with _creating, suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        if not path.is_file():
            raise _not_writable(name, 'it is not a file')
    except FileExistsError:
        raise _not_writable(name, 'its folder is a file') from None
    except OSError as error:
        raise _not_writable(name, error.strerror or str(error)) from None
    if 0 < path.stat().st_size < _LEAST_BYTES:
        raise _foreign(name, 'is no SQLite file')
    if not (os.access(path, os.R_OK | os.W_OK) and os.access(path.parent, os.W_OK)):
        raise _not_writable(name, 'permission denied for the file or its folder')


def _make_schema(db: sqlite3.Connection, path: str) -> None:
    version = _version(db, path)
    if not version:
        db.execute('PRAGMA auto_vacuum = INCREMENTAL')  # only before there is anything in the file
    [mode] = db.execute('PRAGMA journal_mode = WAL').fetchone()
    if mode != 'wal':
        raise _not_writable(path, 'its file system cannot share memory, which SQLite needs for WAL')
    if version != VERSION:
        db.execute('BEGIN IMMEDIATE')
        version = _version(db, path)  # another process may have been quicker
        if version != VERSION:
            page_details.prepare(db)
            for statement in MIGRATIONS[version] if version else SCHEMA:
                db.execute(statement)
        db.execute('COMMIT')


def _version(db: sqlite3.Connection, path: str) -> int:
    """The version of the tables in the file; 0 if there is nothing in it yet.

    Raises:
        StoreError: If what is in it is not ours, or of a newer program.
    """
    is_own_transaction = not db.in_transaction
    if is_own_transaction:
        db.execute('BEGIN')  # for one view of all three
    [application] = db.execute('PRAGMA application_id').fetchone()
    [version] = db.execute('PRAGMA user_version').fetchone()
    [objects] = db.execute('SELECT count(*) FROM sqlite_schema').fetchone()
    if is_own_transaction:
        db.execute('COMMIT')
    if not (application or version or objects):
        return 0
    if application != APPLICATION:
        raise _foreign(path, 'belongs to another program')
    if version != VERSION and version not in MIGRATIONS:
        raise _foreign(path, f'has schema version {version}, and this program reads {VERSION} and older ones')
    return version


def _connect(path: str) -> sqlite3.Connection:
    is_memory = path == MEMORY
    # `mode=rw`, so that a file that was deleted is an error and not an empty store without tables.
    db = sqlite3.connect(
        MEMORY if is_memory else _uri(path), uri=not is_memory, isolation_level=None, check_same_thread=False
    )
    try:
        _wait_for_others(db)
        # Survives the end of the process at any moment; the last writes may be lost when the power goes.
        db.execute('PRAGMA synchronous = NORMAL')
        db.execute('PRAGMA journal_size_limit = 16777216')
        if is_memory:
            for statement in ('PRAGMA auto_vacuum = INCREMENTAL', *SCHEMA):
                db.execute(statement)
    except BaseException:
        _close(db)
        raise
    return db


def _close(db: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):  # nothing is lost: what was committed is in the file or its WAL
        db.close()


def _wait_for_others(db: sqlite3.Connection) -> None:
    db.execute(f'PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}')


def _give_back(db: sqlite3.Connection) -> None:
    """Return pages to the file system that evictions have left free, beyond those that the next texts take."""
    with suppress(sqlite3.Error):  # what was asked for is done already
        [free] = db.execute('PRAGMA freelist_count').fetchone()
        if free > _KEPT_FREE_PAGES:
            # As a script, since `execute` makes but one step of it, which is one page.
            db.executescript(f'PRAGMA incremental_vacuum({min(free - _KEPT_FREE_PAGES, _VACUUMED_PAGES)})')


def _uri(path: str) -> str:
    return f'{Path(path).as_uri()}?mode=rw'


def total_of(db: sqlite3.Connection) -> int:
    """The bytes that count against the size cap."""
    [total] = db.execute('SELECT bytes FROM total').fetchone()
    return total


def shown(text: str) -> str:
    """A short and printable form of any text, on one line."""
    cut = text.strip()[: MAX_SHOWN + 1]
    line = ' '.join(''.join(character if character.isprintable() else ' ' for character in cut).split())
    return line if len(cut) <= MAX_SHOWN else f'{line[: MAX_SHOWN - 1]}…'


def _code(error: sqlite3.Error) -> int:
    """The primary result code of SQLite; 0 where the error is Python's own."""
    return getattr(error, 'sqlite_errorcode', 0) & 0xFF


def _not_writable(path: str, why: str) -> ConfigurationError:
    return ConfigurationError(
        f'{variable("store")}={path} cannot be used: {why}; name a file in a folder that you may write, or {MEMORY}'
    )


def _foreign(path: str, why: str) -> StoreError:
    return StoreError(f'{path} {why}; it is left as it is: move it away, or set {variable("store")} to another path')


def _explain(path: str, error: sqlite3.Error) -> str:
    ways = {
        sqlite3.SQLITE_FULL: 'free some space',
        sqlite3.SQLITE_BUSY: 'another process has been writing for too long, try again',
        sqlite3.SQLITE_CORRUPT: 'it is damaged, move it away and start again',
        sqlite3.SQLITE_NOTADB: 'it is damaged, move it away and start again',
    }
    way = ways.get(_code(error), f'see to the file, or set {variable("store")} to another path')
    return f'the store {path} cannot be read or written: {error}; {way}'
