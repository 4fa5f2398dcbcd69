"""The connections to one database: a pool that threads share."""

import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress

from summarizer_tool.errors import ConfigurationError, StoreError
from summarizer_tool.store.connection import Pool, StoreConnection
from summarizer_tool.store.sqlite_file import (
    MEMORY,
    DatabaseFormat,
    Identity,
    alone_with,
    close,
    error_code,
    identity_of,
    is_damage,
    open_database,
    set_aside,
    wait_for_others,
)

_IDLE_CONNECTIONS = 8
"""Kept open for the next calls; more only while more threads call at once."""


class Connections(Pool):
    """The connections to one database, borrowed for a call each.

    Not one for all threads: a read would wait for the write of another thread, which WAL is there to avoid. Not one
    for each thread: those of a pool come and go, and nobody closes what they leave. A database in memory has one.
    """

    def __init__(self, path: str, form: DatabaseFormat) -> None:
        super().__init__(path)
        self._form = form
        self._gate = threading.Condition()
        self._idle: list[sqlite3.Connection] = []
        self._identity: Identity | None = None
        """Which file the idle ones are of."""
        self._borrowed = 0
        first, self._identity = open_database(path, form)
        self._idle.append(first)

    @contextmanager
    def borrow(self) -> Generator[sqlite3.Connection]:
        """A connection for the calling thread alone; an open transaction is undone at the end.

        Raises:
            StoreError: If the store is closed or fails, or its file was found to be damaged, or replaced meanwhile.
            ConfigurationError: If a damaged file cannot be set aside.
        """
        self._check()
        self._leave_replaced_file()
        with self._gate:
            self._gate.wait_for(lambda: self._is_closed or not (self.path == MEMORY and self._borrowed))
            self._check()
            db = self._idle.pop() if self._idle else None
            identity = self._identity
            self._borrowed += 1
        try:
            if db is None:
                if identity is None:
                    with alone_with(self.path):  # another thread or process may be replacing it
                        identity = identity_of(self.path)
                if identity is None:
                    raise sqlite3.OperationalError('its file was taken away')  # and is not made anew
                try:
                    db, identity = open_database(self.path, self._form)
                except ConfigurationError as error:  # it could be opened before, and no setting is wrong
                    raise StoreError(str(error)) from error
            before = db.total_changes
            yield db
            has_written = db.total_changes != before
        except sqlite3.Error as error:
            if self.path == MEMORY or not is_damage(error):
                raise StoreError(_explain(self.path, error, self._form)) from error
            damage = error
        else:
            if has_written and identity_of(self.path) != identity and self.path != MEMORY:
                raise StoreError(f'{self.path} was replaced while it was written; try again')
            return
        finally:
            self._return(db, identity)
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

    def _leave_replaced_file(self) -> None:
        """Close what is open of a file that another one has replaced, as happens when it is damaged."""
        identity = None if self.path == MEMORY else identity_of(self.path)
        if identity != self._identity:
            with self._gate:
                self._identity = identity
                self._close_idle()

    def _return(self, db: sqlite3.Connection | None, identity: Identity | None) -> None:
        with suppress(sqlite3.Error):  # then it is still in its transaction
            if db is not None and db.in_transaction:
                db.execute('ROLLBACK')
        with self._gate:
            self._borrowed -= 1
            has_room = not self._is_closed and len(self._idle) < _IDLE_CONNECTIONS
            if db is not None and not db.in_transaction and has_room and identity == self._identity:
                self._idle.append(db)
                db = None
            self._gate.notify_all()
        if db is not None:
            close(db)

    def close(self) -> None:
        """Close what is idle now, and what is borrowed when it comes back."""
        with self._gate:
            self._is_closed = True
            self._gate.notify_all()
        self._close_idle()

    def _close_idle(self) -> None:
        with self._gate:
            idle, self._idle = self._idle, []
        for db in idle:
            close(db)


def _explain(path: str, error: sqlite3.Error, form: DatabaseFormat) -> str:
    ways = {
        sqlite3.SQLITE_FULL: 'free some space',
        sqlite3.SQLITE_BUSY: 'another process has been writing for too long, try again',
    }
    way = ways.get(error_code(error), f'see to the file, {form.way_out}')
    return f'the store {path} cannot be read or written: {error}; {way}'
