"""The database below a store: its transactions, the uses it notes, and its size cap."""

import os
import sqlite3
import time
import weakref
from collections import Counter, deque
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from summarizer_tool.errors import StoreError
from summarizer_tool.settings import variable
from summarizer_tool.store import index, page_details, tables
from summarizer_tool.store.connections import Connections
from summarizer_tool.store.sqlite_file import MEMORY, error_code, not_writable, wait_for_others
from summarizer_tool.store.unknown_handles import shown

MAX_TOMBSTONES = 10_000
"""Evicted sources that are remembered by name, over all collections; the newest."""

_TOUCH_MICROSECONDS = 60_000_000
"""A use is written at once if the last written one is older than this, else together with the next write."""

_KEPT_FREE_PAGES = 1000
"""Free pages (of 4 KiB) left in the file for the next texts."""

_VACUUMED_PAGES = 5000
"""Pages given back to the file system in one go, so that no write waits long for it."""


class Database:
    """Transactions, uses and the size cap, below all collections."""

    def __init__(self, path: str, max_mb: float) -> None:
        self.path = path
        self.max_mb = max_mb
        self.cap = max_mb * 1e6
        self.touched: dict[tuple[str, int], int] = {}
        """Uses that are not written yet, as (table, row): microseconds. Only atomic operations change it."""
        self._connections = Connections(path, tables.FORMAT)
        self._last_time = 0
        # A file that is found to be damaged here is empty then.
        with suppress(StoreError), self.read() as db:
            [self._last_time] = db.execute(
                'SELECT coalesce(max(used_at), 0) FROM (SELECT used_at FROM sources UNION ALL SELECT used_at FROM work)'
            ).fetchone()
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
        """Microseconds since 1970, later each time than what was written before, whatever the clock does.

        So uses and versions keep their order where the clock is coarse, or is set back; what is written meanwhile has
        the time of the last use.
        """
        self._last_time = max(time.time_ns() // 1000, self._last_time + 1)
        return self._last_time

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
                    wait_for_others(db, tables.FORMAT.busy_seconds)
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

    def make_room(self, db: sqlite3.Connection, size: int, collection: str) -> None:
        """Evict until `size` more bytes fit, which the caller then adds to a collection.

        It is always the collection that has most, the new bytes included, that gives what it has not used for longest:
        so one that has no more than its share loses nothing to another.
        """
        over = total_of(db) + size - self.cap
        if over <= 0:
            return
        held: Counter[str] = Counter({collection: size})
        for name, kept in db.execute(
            'SELECT collection, sum(held) FROM (SELECT collection, held FROM sources UNION ALL '
            'SELECT collection, size FROM work) GROUP BY collection'
        ):
            held[name] += kept
        oldest: dict[str, deque[tuple[str, int, int, int]]] = {}
        while over > 0 and held:
            largest = max(held, key=lambda name: (held[name], name))
            if not oldest.get(largest):
                oldest[largest] = deque(self._oldest(db, largest))
            if not oldest[largest]:  # all that it has is still to be added
                del held[largest]
                continue
            table, row, freed, _used_at = oldest[largest].popleft()
            if table == 'sources':
                self._evict(db, row)
            else:
                db.execute('DELETE FROM work WHERE rowid = ?', (row,))
            held[largest] -= freed
            over -= freed

    def _oldest(self, db: sqlite3.Connection, collection: str) -> list[tuple[str, int, int, int]]:
        """What a collection has not used for longest: table, row, size and last use of each."""
        return db.execute(
            "SELECT 'sources', rowid, held, used_at FROM sources WHERE collection = ?1 UNION ALL "
            "SELECT 'work', rowid, size, used_at FROM work WHERE collection = ?1 ORDER BY used_at LIMIT 100",
            (collection,),
        ).fetchall()

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


def absolute(path: str | Path) -> str:
    """The path without links, so that a later change of folder does not matter; unchanged where it is not a path."""
    if str(path) == MEMORY:
        return MEMORY
    try:
        return os.path.realpath(Path(path).expanduser())
    except (OSError, ValueError, RuntimeError) as error:
        raise not_writable(shown(str(path)), str(error), tables.FORMAT) from None


def _give_back(db: sqlite3.Connection) -> None:
    """Return pages to the file system that evictions have left free, beyond those that the next texts take."""
    with suppress(sqlite3.Error):  # what was asked for is done already
        [free] = db.execute('PRAGMA freelist_count').fetchone()
        if free > _KEPT_FREE_PAGES:
            # As a script, since `execute` makes but one step of it, which is one page.
            db.executescript(f'PRAGMA incremental_vacuum({min(free - _KEPT_FREE_PAGES, _VACUUMED_PAGES)})')


def total_of(db: sqlite3.Connection) -> int:
    """The bytes that count against the size cap."""
    [total] = db.execute('SELECT bytes FROM total').fetchone()
    return total


def _explain(path: str, error: sqlite3.Error) -> str:
    ways = {
        sqlite3.SQLITE_FULL: 'free some space',
        sqlite3.SQLITE_BUSY: 'another process has been writing for too long, try again',
    }
    way = ways.get(error_code(error), f'see to the file, or set {variable("store")} to another path')
    return f'the store {path} cannot be read or written: {error}; {way}'
