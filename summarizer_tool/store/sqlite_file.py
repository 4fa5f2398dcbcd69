"""Open SQLite files that several processes share: made privately, and checked to be ours."""

import logging
import os
import sqlite3
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from summarizer_tool.errors import ConfigurationError, StoreError
from summarizer_tool.store.connection import StoreConnection
from summarizer_tool.store.damaged_files import Identity, identity_of, keeping_names, marks_of, move_aside

_logger = logging.getLogger('summarizer_tool')

MEMORY: Final = ':memory:'
"""The path of a database that ends with its process."""

_LEAST_BYTES = 512
"""Size of the smallest SQLite file. SQLite takes a smaller one for empty and would write over it."""

_creating = threading.Lock()


def _after_fork_in_child() -> None:
    global _creating
    _creating = threading.Lock()  # a thread that is not here may have held the old one


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_after_fork_in_child)


@dataclass(frozen=True, slots=True)
class DatabaseFormat:
    """What a program keeps in its SQLite files, and what it says of a file that it cannot use."""

    application: int
    """The `application_id` that tells these files from those of other programs."""
    version: int
    """The `user_version` of the tables, from 1."""
    tables: tuple[str, ...]
    """The SQL statements that fill an empty file."""
    unusable: str = '{path} cannot be used'
    """How the error for a file that cannot be written begins."""
    way_out: str = 'name another path'
    """What to do about a file of another program."""
    busy_seconds: float = 60.0
    """How long to wait for the writers of other processes."""


def open_database(path: str, form: DatabaseFormat) -> sqlite3.Connection:
    """Connect to a database, which is made for its owner alone if absent, and given its tables if empty.

    A file of ours that is damaged is set aside, with a warning in the log, and a new one takes its place. The
    connection commits by itself (`isolation_level=None`), writes ahead (WAL), and may be used by any one thread. The
    path is absolute, or `:memory:`.

    Raises:
        ConfigurationError: If the file cannot be made or written.
        StoreError: If the file belongs to another program, or to another version of this one; it is left as it is.
    """
    if path == MEMORY:
        return connect(path, form)
    was_set_aside = False
    deadline = time.monotonic() + form.busy_seconds
    while True:
        db: sqlite3.Connection | None = None
        identity: Identity | None = None
        try:
            with keeping_names(path):
                _make_file(Path(path), form)
                identity = identity_of(path)
                _check_length(path)
                db = connect(path, form)
            _make_tables(db, path, form)
        except BaseException as error:
            close(db)
            if not isinstance(error, sqlite3.Error):
                raise
            code = error_code(error)
            if is_damage(error) and not was_set_aside:
                was_set_aside = True
                set_aside(path, form, identity, error)
                continue
            # Several processes may make the same file at once, and SQLite does not always wait there by itself.
            if code not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or time.monotonic() > deadline:
                raise not_writable(path, str(error), form) from error
            time.sleep(0.01)
        else:
            if identity_of(path) == identity:
                return db
            close(db)  # another process has set it aside meanwhile


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite says that a file is none, or damaged."""
    return error_code(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def set_aside(path: str, form: DatabaseFormat, identity: Identity | None, error: sqlite3.Error) -> str:
    """Put an empty file in the place of a damaged one, which is renamed, unless another process has done so.

    `identity` is which file was damaged: by now its path may be that of another one. Returns what was done, as a
    sentence.

    Raises:
        ConfigurationError: If it cannot be renamed.
        StoreError: If it belongs to another program, or to another version of this one; it is left as it is.
    """
    with keeping_names(path, alone=True):
        if identity_of(path) != identity:
            return f'{path} was damaged ({error}), and a new one has taken its place'
        try:
            if marks_of(path) != (form.application, form.version):
                raise _foreign(path, 'is no SQLite file, or is damaged', form) from error
            name = move_aside(path)
            _make_file(Path(path), form)
        except OSError as failure:
            raise not_writable(path, f'it is damaged, and cannot be renamed: {failure.strerror}', form) from error
    _logger.warning('a damaged file was set aside', extra={'file': path, 'set_aside_as': name, 'reason': str(error)})
    return f'{path} was damaged ({error}): it is {name} now, and a new one takes its place, empty'


def connect(path: str, form: DatabaseFormat) -> sqlite3.Connection:
    """Connect to a file that `open_database` has made, or to a new database in memory with its tables."""
    is_memory = path == MEMORY
    # `mode=rw`, so that a file that was deleted is an error and not an empty one without tables.
    name = MEMORY if is_memory else f'{Path(path).as_uri()}?mode=rw'
    db = sqlite3.connect(name, uri=not is_memory, isolation_level=None, check_same_thread=False)
    try:
        wait_for_others(db, form.busy_seconds)
        # Survives the end of the process at any moment; the last writes may be lost when the power goes.
        db.execute('PRAGMA synchronous = NORMAL')
        db.execute('PRAGMA journal_size_limit = 16777216')
        if is_memory:
            for statement in ('PRAGMA auto_vacuum = INCREMENTAL', *form.tables, *_marks(form)):
                db.execute(statement)
    except BaseException:
        close(db)
        raise
    return db


def close(db: sqlite3.Connection | None) -> None:
    """Close a connection, if there is one; what was committed is in the file or its WAL, so nothing is lost."""
    with suppress(sqlite3.Error):
        if db is not None:
            db.close()


def wait_for_others(db: StoreConnection, seconds: float) -> None:
    """Let a connection wait so long for the writers of other processes."""
    db.execute(f'PRAGMA busy_timeout = {seconds * 1000:.0f}')


def error_code(error: sqlite3.Error) -> int:
    """The primary result code of SQLite; 0 where the error is Python's own."""
    return getattr(error, 'sqlite_errorcode', 0) & 0xFF


def not_writable(path: str, why: str, form: DatabaseFormat) -> ConfigurationError:
    """The error for a file that cannot be made or written."""
    unusable = form.unusable.format(path=path)
    return ConfigurationError(f'{unusable}: {why}; name a file in a folder that you may write, or {MEMORY}')


def _foreign(path: str, why: str, form: DatabaseFormat) -> StoreError:
    return StoreError(f'{path} {why}; it is left as it is: {form.way_out}')


def _make_file(path: Path, form: DatabaseFormat) -> None:
    name = str(path)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # No other thread may open the file while this descriptor is there: closing it frees SQLite's locks.
        with _creating, suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        if not path.is_file():
            raise not_writable(name, 'it is not a file', form)
    except FileExistsError:
        raise not_writable(name, 'its folder is a file', form) from None
    except OSError as error:
        raise not_writable(name, error.strerror or str(error), form) from None
    if not (os.access(path, os.R_OK | os.W_OK) and os.access(path.parent, os.W_OK)):
        raise not_writable(name, 'permission denied for the file or its folder', form)


def _check_length(path: str) -> None:
    if 0 < Path(path).stat().st_size < _LEAST_BYTES:
        error = sqlite3.DatabaseError('it is too short')
        error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
        raise error


def _make_tables(db: sqlite3.Connection, path: str, form: DatabaseFormat) -> None:
    version = _version(db, path, form)
    if not version:
        db.execute('PRAGMA auto_vacuum = INCREMENTAL')  # only before there is anything in the file
    [mode] = db.execute('PRAGMA journal_mode = WAL').fetchone()
    if mode != 'wal':
        raise not_writable(path, 'its file system cannot share memory, which SQLite needs for WAL', form)
    if version != form.version:
        db.execute('BEGIN IMMEDIATE')
        version = _version(db, path, form)  # another process may have been quicker
        if version != form.version:
            for statement in (*form.tables, *_marks(form)):
                db.execute(statement)
        db.execute('COMMIT')


def _marks(form: DatabaseFormat) -> tuple[str, str]:
    return f'PRAGMA application_id = {form.application}', f'PRAGMA user_version = {form.version}'


def _version(db: sqlite3.Connection, path: str, form: DatabaseFormat) -> int:
    """The version of the tables in the file; 0 if there is nothing in it yet."""
    # One statement, so that all three are of one moment.
    application, version, objects = db.execute(
        'SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) '
        'FROM pragma_application_id, pragma_user_version'
    ).fetchone()
    if not (application or version or objects):
        return 0
    if application != form.application:
        raise _foreign(path, 'belongs to another program', form)
    if version != form.version:
        raise _foreign(path, f'has schema version {version}, and this program reads {form.version}', form)
    return version
