"""The database below a store: its transactions, the uses it notes, and its size cap."""

import os
import time
import weakref
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summarizer_tool.errors import StoreError
from summarizer_tool.extras import naming_extra
from summarizer_tool.settings import POSTGRES_SCHEMES, variable
from summarizer_tool.store import index, page_details
from summarizer_tool.store.connection import StoreConnection
from summarizer_tool.store.connections import Connections
from summarizer_tool.store.source import shown
from summarizer_tool.store.sqlite_file import MEMORY, DatabaseFormat, not_writable

if TYPE_CHECKING:
    from summarizer_tool.store.postgres import PostgresConnections

_SOURCES = (
    # The text stands apart, since a changed row is written as a whole, and `used_at` changes often.
    """CREATE TABLE sources (
        collection TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, url TEXT NOT NULL,
        fetched_at INTEGER, added_at INTEGER NOT NULL, used_at INTEGER NOT NULL,
        size INTEGER NOT NULL, tokens INTEGER NOT NULL, lines INTEGER NOT NULL, digest BLOB NOT NULL,
        -- Bytes of all that is kept of it: its text, passages and their words, links and addresses.
        held INTEGER NOT NULL,
        PRIMARY KEY (collection, id)) STRICT""",
    # A BLOB, since SQLite's own functions end a TEXT at its first NUL character.
    """CREATE TABLE texts (
        collection TEXT NOT NULL, id TEXT NOT NULL, text BLOB NOT NULL, PRIMARY KEY (collection, id)) STRICT""",
    """CREATE TABLE work (
        collection TEXT NOT NULL, kind TEXT NOT NULL, key BLOB NOT NULL, target INTEGER NOT NULL,
        used_at INTEGER NOT NULL, size INTEGER NOT NULL, text BLOB NOT NULL,
        PRIMARY KEY (collection, kind, key, target)) STRICT""",
    # They cover what is asked for to make room, and what is used last.
    'CREATE INDEX sources_by_use ON sources (collection, used_at, held)',
    'CREATE INDEX work_by_use ON work (collection, used_at, size)',
    # The running total changes in the transaction of what it counts, whoever writes and whenever the process dies.
    'CREATE TABLE total (bytes INTEGER NOT NULL) STRICT',
    'INSERT INTO total VALUES (0)',
    'CREATE TRIGGER source_added AFTER INSERT ON sources BEGIN UPDATE total SET bytes = bytes + new.held; END',
    """CREATE TRIGGER source_grown AFTER UPDATE OF held ON sources BEGIN
        UPDATE total SET bytes = bytes + new.held - old.held; END""",
    """CREATE TRIGGER source_deleted AFTER DELETE ON sources BEGIN
        UPDATE total SET bytes = bytes - old.held;
        DELETE FROM texts WHERE collection = old.collection AND id = old.id; END""",
    'CREATE TRIGGER work_added AFTER INSERT ON work BEGIN UPDATE total SET bytes = bytes + new.size; END',
    'CREATE TRIGGER work_deleted AFTER DELETE ON work BEGIN UPDATE total SET bytes = bytes - old.size; END',
)

FORMAT: Final = DatabaseFormat(
    application=0x53756D31,  # 'Sum1'
    version=7,
    tables=(*_SOURCES, *index.SCHEMA, *page_details.SCHEMA),
    unusable=f'{variable("store")}={{path}} cannot be used',
    way_out=f'move it away, or set {variable("store")} to another path',
)
"""The files of a store."""

_TOUCH_MICROSECONDS = 60_000_000
"""A use is written at once if the last written one is older than this, else together with the next write."""


class Database:
    """Transactions, uses and the size cap, below all collections."""

    def __init__(self, path: str | Path, max_mb: float) -> None:
        self.max_mb = max_mb
        self.cap = max_mb * 1e6
        self.touched: dict[tuple[str, int], int] = {}
        """Uses that are not written yet, as (table, row): microseconds. Only atomic operations change it."""
        self._connections = connections_to(path)
        self.path = self._connections.path
        self.read: Callable[[], AbstractContextManager[StoreConnection]] = self._connections.borrow
        """A connection, whose errors are told as ours."""
        self._last_time = 0
        # A file that is found to be damaged here is empty then.
        with suppress(StoreError), self.read() as db:
            [self._last_time] = db.execute(
                'SELECT coalesce(max(used_at), 0) FROM '
                '(SELECT used_at FROM sources UNION ALL SELECT used_at FROM work) AS uses'
            ).fetchone()
        # Closes the file in order where nobody has, at the end of the program at the latest. Not the store's own, which
        # a caller may drop while a collection is in use.
        self._close = weakref.finalize(self, self._connections.close)

    def close(self) -> None:
        """Write what is noted, and close the file."""
        self.write_touches()
        self._close()

    @contextmanager
    def write(self) -> Generator[StoreConnection]:
        """A connection within a transaction, which is committed at the end or, after an error, undone."""
        # Threads queue here, in order and without polling; SQLite's own lock is for other processes.
        with self._connections.writing, self._transaction() as db:
            yield db

    @contextmanager
    def _transaction(self, *, waits: bool = True) -> Generator[StoreConnection]:
        with self.read() as db:
            self._last_time = max(self._last_time, self._connections.begin(db, waits=waits))
            # The noted uses. If it fails they are lost, which only ages what they name.
            for table, row in [*self.touched]:
                used_at = self.touched.pop((table, row), 0)  # which another thread may have taken
                # The row may belong to something newer by now, which is then no older than this.
                update = f'UPDATE {table} SET used_at = max(used_at, ?) WHERE rowid = ?'  # noqa: S608 - one of two
                db.execute(update, (used_at, row))
            yield db
            self._connections.commit(db, self._last_time)

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
            with suppress(StoreError), self._transaction(waits=False):
                pass
        finally:
            writing.release()

    def make_room(self, db: StoreConnection, now: int) -> None:
        """Evict until all fits, but nothing that is used `now`.

        It is always the collection that has most that gives what it has not used for longest: so one that has no more
        than its share loses nothing to another.
        """
        over = total_of(db) - self.cap
        if over <= 0:
            return
        held: dict[str, int] = dict(
            db.execute(
                'SELECT collection, sum(held) FROM (SELECT collection, held FROM sources UNION ALL '
                'SELECT collection, size FROM work) AS kept GROUP BY collection'
            ).fetchall()
        )
        while over > 0 and held:
            largest = max(held, key=lambda name: (held[name], name))
            oldest = db.execute(
                "SELECT 'sources', rowid, held, used_at FROM sources WHERE collection = ? AND used_at < ? "
                "UNION ALL SELECT 'work', rowid, size, used_at FROM work WHERE collection = ? AND used_at < ? "
                'ORDER BY used_at LIMIT 1',
                (largest, now, largest, now),
            ).fetchone()
            if oldest is None:
                del held[largest]
                continue
            table, row, freed, _used_at = oldest
            if table == 'sources':
                [source_id] = db.execute('SELECT id FROM sources WHERE rowid = ?', (row,)).fetchone()
                index.forget(db, largest, source_id)
            db.execute(f'DELETE FROM {table} WHERE rowid = ?', (row,))  # noqa: S608 - one of two
            held[largest] -= freed
            over -= freed


def connections_to(path: str | Path) -> 'Connections | PostgresConnections':
    """The connections to a file, whatever the folder is later, to memory or to a Postgres."""
    url = str(path)
    if url.startswith(POSTGRES_SCHEMES):
        with naming_extra('batch'):
            from summarizer_tool.store.postgres import PostgresConnections
        return PostgresConnections(url, FORMAT.version, FORMAT.tables)
    if '://' in url:  # of the protocols of databases there is one; what follows may be a password
        raise not_writable(f'{shown(url.partition("://")[0])}://…', 'it is the URL of no Postgres', FORMAT)
    try:
        return Connections(url if url == MEMORY else os.path.realpath(Path(path).expanduser()), FORMAT)
    except (ValueError, RuntimeError) as error:  # no path
        raise not_writable(shown(url), str(error), FORMAT) from None


def total_of(db: StoreConnection) -> int:
    """The bytes that count against the size cap."""
    [total] = db.execute('SELECT bytes FROM total').fetchone()
    return total
