"""The log of timelines: the events of runs, in SQLite, for those who come later or from another process.

One process writes a run, any number may read it meanwhile. When everything together is over the size cap the oldest
events go, and ended runs with their last one.
"""

import os
import sqlite3
import time
import weakref
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Self

from pydantic import BaseModel

from researcher_integration.timeline.events import TimelineEvent, decoded, encoded
from summarizer_tool import DatabaseConnections, DatabaseFormat, StoreError

MEMORY: Final = ':memory:'

_TABLES = (
    """CREATE TABLE runs (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, began_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
        is_closed INTEGER NOT NULL DEFAULT 0, events INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0,
        dropped INTEGER NOT NULL DEFAULT 0) STRICT""",
    """CREATE TABLE events (
        run INTEGER NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run, seq)) STRICT""",
)

FORMAT = DatabaseFormat(
    application=0x54696D31,  # 'Tim1'
    version=1,
    tables=_TABLES,
    unusable='{path} cannot be used as a log of timelines',
    busy_seconds=10.0,
)

MAX_MB = 200.0
"""Of all events together, in MB (10⁶ bytes)."""

_ROW_BYTES = 200
"""What a row takes besides its event."""

_RUN = (
    'SELECT id, began_at / 1e6, updated_at / 1e6, is_closed, '
    '(SELECT coalesce(max(seq), 0) FROM events WHERE run = number), events, dropped FROM runs'
)

_Row = tuple[Any, ...]


class LoggedRun(BaseModel):
    """What a log knows of a run."""

    run_id: str
    began_at: datetime
    updated_at: datetime
    is_closed: bool
    """Whether it has ended. A run whose process has died stays open."""
    last_seq: int = 0
    events: int = 0
    dropped: int = 0
    """The oldest ones, that were not kept for the size cap."""


class EventLog:
    """The events of runs, in one SQLite file or in memory; a context manager that closes it.

    May be used by several threads, and a file by several processes. Calls block, for milliseconds; each raises a
    `StoreError` if the log cannot be read or written, or what it holds is damaged.

    Args:
        path: The file, made with its folder if absent, for its owner alone; or `:memory:`.
        max_mb: The size cap in MB (10⁶ bytes) of all events together.

    Raises:
        ConfigurationError: If the file cannot be made or written.
        StoreError: If the file belongs to another program, or to another version of this one.
    """

    path: str
    """The absolute path of the file, or `:memory:`."""

    def __init__(self, path: str | Path = MEMORY, *, max_mb: float = MAX_MB) -> None:
        self.path = MEMORY if str(path) == MEMORY else os.path.realpath(Path(path).expanduser())
        self._cap = max_mb * 1e6
        self._connections = DatabaseConnections(self.path, FORMAT)
        self._read = self._connections.borrow
        self._close = weakref.finalize(self, self._connections.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        self._close()

    def begin(self, run_id: str) -> int:
        """Open a run, also one that has ended before; returns the sequence number of its last event."""
        with self._write() as db:
            number = self._run(db, run_id)
            db.execute('UPDATE runs SET is_closed = 0 WHERE number = ?', (number,))
            [last] = db.execute('SELECT coalesce(max(seq), 0) FROM events WHERE run = ?', (number,)).fetchone()
            return last

    def append(self, event: TimelineEvent) -> None:
        """Keep an event that has its place in a run; a second one with its number is a `StoreError`."""
        body = encoded(event)
        size = len(body) + _ROW_BYTES
        with self._write() as db:
            number = self._run(db, event.run_id)
            self._make_room(db, size)
            db.execute('INSERT INTO events VALUES (?, ?, ?)', (number, event.seq, body))
            db.execute(
                'UPDATE runs SET bytes = bytes + ?, events = events + 1, updated_at = ? WHERE number = ?',
                (size, _now(), number),
            )

    def end(self, run_id: str) -> None:
        """Say that nothing comes after the last event of a run."""
        with self._write() as db:
            db.execute('UPDATE runs SET is_closed = 1 WHERE number = ?', (self._run(db, run_id),))

    def read(self, run_id: str, *, after: int = 0, limit: int = 100) -> Sequence[TimelineEvent]:
        """The first `limit` events of a run with sequence numbers over `after`; none of a run that is not known."""
        with self._read() as db:
            rows: list[_Row] = db.execute(
                'SELECT body FROM events WHERE run = (SELECT number FROM runs WHERE id = ?) AND seq > ? '
                'ORDER BY seq LIMIT ?',
                (run_id, min(after, 2**63 - 1), max(0, limit)),
            ).fetchall()
        try:
            return [decoded(body) for [body] in rows]
        except ValueError as error:
            raise StoreError(f'{self.path} holds {error}; move it away and start again') from None

    def run(self, run_id: str) -> LoggedRun | None:
        """What is known of a run, if it is."""
        with self._read() as db:
            row: _Row | None = db.execute(f'{_RUN} WHERE id = ?', (run_id,)).fetchone()
        return None if row is None else _logged(row)

    def runs(self, limit: int = 100) -> Sequence[LoggedRun]:
        """The runs, those first that began last."""
        with self._read() as db:
            rows: list[_Row] = db.execute(
                f'{_RUN} ORDER BY began_at DESC, number DESC LIMIT ?', (max(0, limit),)
            ).fetchall()
        return [_logged(row) for row in rows]

    def _run(self, db: sqlite3.Connection, run_id: str) -> int:
        """The number of a run, which is made if absent: another process may have needed its room."""
        now = _now()
        db.execute('INSERT OR IGNORE INTO runs (id, began_at, updated_at) VALUES (?, ?, ?)', (run_id, now, now))
        [number] = db.execute('SELECT number FROM runs WHERE id = ?', (run_id,)).fetchone()
        return number

    def _make_room(self, db: sqlite3.Connection, size: int) -> None:
        """Drop the oldest events of all until a size fits, and the runs that have ended and have none left."""
        while db.execute('SELECT coalesce(sum(bytes), 0) FROM runs').fetchone()[0] + size > self._cap:
            oldest: _Row | None = db.execute(
                'DELETE FROM events WHERE rowid = (SELECT min(rowid) FROM events) RETURNING run, length(body)'
            ).fetchone()
            if oldest is None:
                return
            number, length = oldest
            db.execute(
                'UPDATE runs SET bytes = bytes - ?, events = events - 1, dropped = dropped + 1 WHERE number = ?',
                (length + _ROW_BYTES, number),
            )
            db.execute('DELETE FROM runs WHERE number = ? AND is_closed AND events = 0', (number,))

    @contextmanager
    def _write(self) -> Generator[sqlite3.Connection]:
        """The connection within a transaction, which is committed at the end or, after an error, undone."""
        with self._connections.writing, self._read() as db:
            self._connections.begin(db)
            yield db
            self._connections.commit(db, 0)


def _logged(row: _Row) -> LoggedRun:
    return LoggedRun.model_validate(dict(zip(LoggedRun.model_fields, row, strict=True)))


def _now() -> int:
    return time.time_ns() // 1000
