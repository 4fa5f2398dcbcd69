"""The SQLite file below a log of timelines."""

import os
import sqlite3
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

from summarizer_tool import ConfigurationError, StoreError

MEMORY: Final = ':memory:'
"""The path of a log that ends with its process."""

BUSY_SECONDS = 10.0
"""For the writers of other processes."""

_APPLICATION = 0x54696D31  # 'Tim1', which tells our files from those of others
_SCHEMA_VERSION = 1

_SCHEMA = (
    """CREATE TABLE runs (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, began_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
        is_closed INTEGER NOT NULL DEFAULT 0, reserved INTEGER NOT NULL DEFAULT 0, events INTEGER NOT NULL DEFAULT 0,
        bytes INTEGER NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0) STRICT""",
    """CREATE TABLE events (
        run INTEGER NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run, seq)) STRICT""",
    'CREATE INDEX runs_by_use ON runs (is_closed DESC, updated_at)',
    # The sum changes in the transaction of what it counts, whoever writes and whenever the process dies.
    'CREATE TABLE total (bytes INTEGER NOT NULL) STRICT',
    'INSERT INTO total VALUES (0)',
    """CREATE TRIGGER run_changed AFTER UPDATE OF bytes ON runs BEGIN
        UPDATE total SET bytes = bytes + new.bytes - old.bytes; END""",
    """CREATE TRIGGER run_deleted AFTER DELETE ON runs BEGIN
        UPDATE total SET bytes = bytes - old.bytes; DELETE FROM events WHERE run = old.number; END""",
    f'PRAGMA application_id = {_APPLICATION}',
    f'PRAGMA user_version = {_SCHEMA_VERSION}',
)


def open_file(path: str) -> sqlite3.Connection:
    """A connection to a log, which is made if absent."""
    is_memory = path == MEMORY
    try:
        if not is_memory:
            Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        uri = MEMORY if is_memory else f'{Path(path).as_uri()}?mode=rw'
        with ExitStack() as on_error:
            db = sqlite3.connect(
                uri, uri=not is_memory, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            on_error.callback(close, db)
            db.execute('PRAGMA synchronous = NORMAL')
            db.execute('PRAGMA journal_size_limit = 16777216')
            _make_schema(db, path)
            on_error.pop_all()
    except (OSError, ValueError, sqlite3.Error) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigurationError(
            f'{path} cannot be used as a log of timelines: {why}; name a file that you may write, or {MEMORY}'
        ) from error
    return db


def _make_schema(db: sqlite3.Connection, path: str) -> None:
    _is_new(db, path)  # before anything is written to a file of somebody else
    # Several processes may make the same file at once; for a change of the mode SQLite does not always wait.
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute('PRAGMA journal_mode = WAL')
            break
        except sqlite3.OperationalError as error:
            if getattr(error, 'sqlite_errorcode', 0) & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
    db.execute('BEGIN IMMEDIATE')
    if _is_new(db, path):
        for statement in _SCHEMA:
            db.execute(statement)
    db.execute('COMMIT')


def _is_new(db: sqlite3.Connection, path: str) -> bool:
    """Whether nothing is in the file yet; a `StoreError` if what is in it is not ours."""
    # One statement, so that all are of one moment.
    found = db.execute(
        'SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) '
        'FROM pragma_application_id, pragma_user_version'
    ).fetchone()
    if any(found) and found[:2] != (_APPLICATION, _SCHEMA_VERSION):
        raise StoreError(f'{path} belongs to another program or version; it is left as it is: name another path')
    return not any(found)


def close(db: sqlite3.Connection) -> None:
    """Close a connection; what was committed is in the file or its WAL."""
    with suppress(sqlite3.Error):
        db.close()
