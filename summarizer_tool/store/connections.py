"""The connections to one database: a pool that threads share."""

import os
import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress

from summarizer_tool.errors import StoreError
from summarizer_tool.store.connection import StoreConnection
from summarizer_tool.store.sqlite_file import (
    MEMORY,
    DatabaseFormat,
    Identity,
    close,
    connect,
    error_code,
    identity_of,
    is_damage,
    keeping_names,
    open_database,
    set_aside,
    wait_for_others,
)

_IDLE_CONNECTIONS = 8
"""Kept open for the next calls; more only while more threads call at once."""


class Connections:
    """The connections to one database, borrowed for a call each.

    Not one for all threads: a read would wait for the write of another thread, which WAL is there to avoid. Not one
    for each thread: those of a pool come and go, and nobody closes what they leave. A database in memory has one.
    """

    writing: threading.Lock
    """Held by the thread that writes."""

    def __init__(self, path: str, form: DatabaseFormat) -> None:
        self.path = path
        self.writing = threading.Lock()
        self._form = form
        self._gate = threading.Condition()
        self._idle: list[sqlite3.Connection] = []
        self._identity: Identity | None = None
        self._checked: Identity | None = None
        """The file that is known to have its tables."""
        self._borrowed = 0
        self._is_closed = False
        self._process = os.getpid()
        first = open_database(path, form)
        if path == MEMORY:
            self._idle.append(first)
        else:
            close(first)

    @contextmanager
    def borrow(self) -> Generator[sqlite3.Connection]:
        """A connection for the calling thread alone; an open transaction is undone at the end.

        Raises:
            StoreError: If the store is closed or fails, or its file was found to be damaged, or replaced meanwhile.
            ConfigurationError: If a damaged file cannot be set aside.
        """
        gate = self._gate
        if os.getpid() != self._process:  # which has the locks that SQLite believes to have here
            raise StoreError(f'the store {self.path} was opened before a fork; open it in the process that uses it')
        self._leave_replaced_file()
        with gate:
            gate.wait_for(lambda: self._is_closed or not (self.path == MEMORY and self._borrowed))
            if self._is_closed:
                raise StoreError(f'the store {self.path} is closed')
            db = self._idle.pop() if self._idle else None
            identity = self._identity
            self._borrowed += 1
        damage: sqlite3.Error | None = None
        has_written = False
        try:
            if db is None:
                identity, db = self._connect()
            before = db.total_changes
            yield db
            has_written = db.total_changes != before
        except sqlite3.Error as error:
            if self.path == MEMORY or not is_damage(error):
                raise StoreError(_explain(self.path, error, self._form)) from error
            damage = error
        finally:
            self._return(db, identity)
        if damage is not None:
            said = set_aside(self.path, self._form, identity, damage)
            raise StoreError(said) from damage
        if has_written and self.path != MEMORY and identity_of(self.path) != identity:
            raise StoreError(f'{self.path} was replaced while it was written; try again')

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

    def _connect(self) -> tuple[Identity | None, sqlite3.Connection]:
        """A new connection, and the file that it is of, or an earlier one that has been replaced."""
        with keeping_names(self.path):
            identity = None if self.path == MEMORY else identity_of(self.path)
            if identity is None or identity == self._checked:
                return identity, connect(self.path, self._form)
        db = open_database(self.path, self._form)
        self._checked = identity
        return identity, db

    def _leave_replaced_file(self) -> None:
        """Close what is open of a file that another one has replaced, as happens when it is damaged."""
        identity = None if self.path == MEMORY else identity_of(self.path)
        if identity == self._identity:
            return
        with self._gate:
            self._identity = identity
            idle, self._idle = self._idle, []
        for db in idle:
            close(db)

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
        close(db)

    def close(self) -> None:
        """Close what is idle now, and what is borrowed when it comes back."""
        with self._gate:
            self._is_closed = True
            idle, self._idle = self._idle, []
            self._gate.notify_all()
        for db in idle:
            close(db)


def _explain(path: str, error: sqlite3.Error, form: DatabaseFormat) -> str:
    ways = {
        sqlite3.SQLITE_FULL: 'free some space',
        sqlite3.SQLITE_BUSY: 'another process has been writing for too long, try again',
    }
    way = ways.get(error_code(error), f'see to the file, {form.way_out}')
    return f'the store {path} cannot be read or written: {error}; {way}'
