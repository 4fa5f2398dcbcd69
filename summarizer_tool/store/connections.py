"""The connections to one database: a pool that threads share."""

import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager, nullcontext, suppress

from summarizer_tool.errors import ConfigurationError, StoreError
from summarizer_tool.store.connection import Pool, StoreConnection
from summarizer_tool.store.sqlite_file import (
    MEMORY,
    DatabaseFormat,
    Identity,
    Opened,
    alone_with,
    close,
    error_code,
    identity_of,
    is_damage,
    open_database,
    set_aside,
    wait_for_others,
)

_IDLE_CONNECTIONS = 8  # kept open for the next calls; more only while more threads call at once


class Connections(Pool):
    """The connections to one database, borrowed for a call each.

    Not one for all threads: a read would wait for the write of another thread, which WAL is there to avoid. Not one
    for each thread: those of a pool come and go, and nobody closes what they leave. A database in memory has one.
    """

    def __init__(self, path: str, form: DatabaseFormat) -> None:
        super().__init__(path)
        self._form = form
        self._turn = threading.Lock() if path == MEMORY else nullcontext()
        self._idle: list[Opened] = [open_database(path, form)]

    @contextmanager
    def borrow(self) -> Generator[sqlite3.Connection]:
        """A connection for the calling thread alone; an open transaction is undone at the end.

        Raises:
            StoreError: If the store is closed or fails, or its file was found to be damaged, or replaced meanwhile.
            ConfigurationError: If a damaged file cannot be set aside.
        """
        with self._turn:
            self._check()
            db, identity = self._take()
            try:
                before = db.total_changes
                yield db
                if db.total_changes != before and identity_of(self.path) != identity:
                    raise StoreError(f'{self.path} was replaced while it was written; try again')
            except sqlite3.Error as error:
                if self.path == MEMORY or not is_damage(error):
                    raise StoreError(_explain(self.path, error, self._form)) from error
                damage = error
            else:
                return
            finally:
                self._give_back(db, identity)
            raise StoreError(set_aside(self.path, self._form, identity, damage)) from damage

    def begin(self, db: StoreConnection, *, waits: bool = True) -> int:
        """Begin to write when no other process does; without `waits` an error where one does."""
        if not waits:
            wait_for_others(db, 0)
        try:
            db.execute('BEGIN IMMEDIATE')
        finally:
            if not waits:
                wait_for_others(db, self._form.busy_seconds)
        return 0

    def commit(self, db: StoreConnection, _last_time: int) -> None:
        """Write what was begun."""
        db.execute('COMMIT')

    def _take(self) -> Opened:
        """An idle connection or a new one, to the file that is there now: a damaged one is replaced by another."""
        identity = identity_of(self.path)
        with suppress(IndexError):
            while True:
                idle = self._idle.pop()
                if idle[1] == identity:
                    return idle
                close(idle[0])
        try:
            with alone_with(self.path):  # another thread or process may be replacing it
                is_there = identity_of(self.path) is not None
            if is_there:  # and is not made anew
                return open_database(self.path, self._form)
            gone = sqlite3.OperationalError('its file was taken away')
            raise StoreError(_explain(self.path, gone, self._form))
        except ConfigurationError as error:  # it could be opened before, and no setting is wrong
            raise StoreError(str(error)) from error

    def _give_back(self, db: sqlite3.Connection, identity: Identity | None) -> None:
        with suppress(sqlite3.Error):  # then it is still in its transaction
            if db.in_transaction:
                db.execute('ROLLBACK')
        if db.in_transaction or len(self._idle) >= _IDLE_CONNECTIONS:
            close(db)
        else:
            self._idle.append((db, identity))
        if self._is_closed:
            self.close()

    def close(self) -> None:
        """Close what is idle now, and what is borrowed when it comes back."""
        self._is_closed = True
        with suppress(IndexError):
            while True:
                close(self._idle.pop()[0])


def _explain(path: str, error: sqlite3.Error, form: DatabaseFormat) -> str:
    ways = {
        sqlite3.SQLITE_FULL: 'free some space',
        sqlite3.SQLITE_BUSY: 'another process has been writing for too long, try again',
    }
    way = ways.get(error_code(error), f'see to the file, {form.way_out}')
    return f'the store {path} cannot be read or written: {error}; {way}'
