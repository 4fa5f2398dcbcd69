"""Open SQLite files that several processes share: made privately, checked to be ours, and moved away if damaged."""

import logging
import os
import sqlite3
import struct
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from summarizer_tool.errors import ConfigurationError, StoreError
from summarizer_tool.store.connection import StoreConnection

try:
    import fcntl
except ImportError:  # as on Windows
    fcntl = None

_logger = logging.getLogger('summarizer_tool')

MEMORY: Final = ':memory:'  # the path of a database that ends with its process

_LEAST_BYTES = 512
"""Size of the smallest SQLite file. SQLite takes a smaller one for empty and would write over it."""


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


Identity = tuple[int, int]
"""What tells a file from another one that has had its name: its device and its inode."""

Opened = tuple[sqlite3.Connection, Identity | None]
"""A connection, and to which file; none in memory."""


def identity_of(path: str) -> Identity | None:
    """Which file has a name at the moment, if any."""
    if path != MEMORY:
        with suppress(OSError):
            found = os.stat(path)  # noqa: PTH116 - done for each call of a store
            return found.st_dev, found.st_ino
    return None


@contextmanager
def alone_with(path: str) -> Generator[None]:
    """Keep others from opening or renaming a file meanwhile, where the system can lock its folder."""
    folder: int | None = None
    with suppress(OSError):  # not all file systems lock
        if fcntl is not None:
            folder = os.open(Path(path).parent, os.O_RDONLY)
            fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if fcntl is not None and folder is not None:
            with suppress(OSError):  # said aloud, since a child that was forked meanwhile holds it, too
                fcntl.flock(folder, fcntl.LOCK_UN)
            os.close(folder)


def move_aside(path: str) -> str:
    """Rename a file, with what SQLite keeps beside it, while nobody else opens it.

    Its new path is `NAME.damaged-YYYYMMDDTHHMMSS.microseconds`. Raises `OSError`.
    """
    new = f'{path}.damaged-{datetime.now().astimezone():%Y%m%dT%H%M%S.%f}'
    # The file itself last: a new one must find nothing of the old one.
    for part in ('-shm', '-wal', ''):
        with suppress(FileNotFoundError):
            Path(f'{path}{part}').rename(f'{new}{part}')
    return new


def open_database(path: str, form: DatabaseFormat) -> Opened:
    """Connect to a file, which is made for its owner alone if absent, and given its tables if empty.

    A file of ours that is damaged is set aside, with a warning in the log, and a new one takes its place. The
    connection commits by itself (`isolation_level=None`), writes ahead (WAL), and may be used by any one thread. The
    path is absolute, or `:memory:`. Raises `ConfigurationError` if the file cannot be made or written, `StoreError` if
    it belongs to another program, or to another version of this one; it is left as it is.
    """
    if path == MEMORY:
        db = _connect(path, form)
        _fill(db, form)
        return db, None
    identity = identity_of(path)
    try:
        return _opened(path, form)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise not_writable(path, str(error), form) from error
        set_aside(path, form, identity, error)
        return _opened(path, form)


def _opened(path: str, form: DatabaseFormat) -> Opened:
    with _naming(path, form):
        Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with alone_with(path):
        _make_file(Path(path), form)
        if Path(path).stat().st_size in range(1, _LEAST_BYTES):
            error = sqlite3.DatabaseError('it is too short')
            error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
            raise error
        db = _connect(path, form)
        try:
            _make_tables(db, path, form)
        except BaseException:
            close(db)
            raise
        return db, identity_of(path)


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether SQLite says that a file is none, or damaged."""
    return error_code(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def set_aside(path: str, form: DatabaseFormat, identity: Identity | None, error: sqlite3.Error) -> str:
    """Put an empty file in the place of a damaged one, which is renamed, unless another process has done so.

    `identity` is which file was damaged: by now its path may be that of another one. Returns what was done, as a
    sentence. Raises `ConfigurationError` if it cannot be renamed, `StoreError` as `open_database`.
    """
    with alone_with(path):
        if identity_of(path) != identity:
            return f'{path} was damaged ({error}), and a new one has taken its place'
        try:
            # Read without SQLite, whose locks of the file in this process are free when it is closed again.
            with Path(path).open('rb') as file:
                head = file.read(72)
            marks = head[60:64] + head[68:72]
            if not head.startswith(b'SQLite format 3\0') or marks != struct.pack('>II', form.version, form.application):
                raise _foreign(path, 'is no SQLite file, or is damaged', form) from error
            name = move_aside(path)
            _make_file(Path(path), form)
        except OSError as failure:
            raise not_writable(path, f'it is damaged, and cannot be renamed: {failure.strerror}', form) from error
    _logger.warning('a damaged file was set aside', extra={'file': path, 'set_aside_as': name, 'reason': str(error)})
    return f'{path} was damaged ({error}): it is {name} now, and a new one takes its place, empty'


def _connect(path: str, form: DatabaseFormat) -> sqlite3.Connection:
    name = MEMORY if path == MEMORY else f'{Path(path).as_uri()}?mode=rw'
    db = sqlite3.connect(name, uri=name != MEMORY, isolation_level=None, check_same_thread=False)
    wait_for_others(db, form.busy_seconds)
    # Survives the end of the process at any moment; the last writes may be lost when the power goes.
    db.execute('PRAGMA synchronous = NORMAL')
    db.execute('PRAGMA journal_size_limit = 16777216')
    return db


def close(db: sqlite3.Connection) -> None:
    """Close a connection; what was committed is in the file or its WAL, so nothing is lost."""
    with suppress(sqlite3.Error):
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
    with _naming(name, form), suppress(FileExistsError):
        # Nobody may open the file while this descriptor is there: closing it frees SQLite's locks.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    if not path.is_file():
        raise not_writable(name, 'it is not a file', form)
    if not (os.access(path, os.R_OK | os.W_OK) and os.access(path.parent, os.W_OK)):
        raise not_writable(name, 'permission denied for the file or its folder', form)


@contextmanager
def _naming(path: str, form: DatabaseFormat) -> Generator[None]:
    try:
        yield
    except OSError as error:
        why = 'its folder is a file' if isinstance(error, FileExistsError) else error.strerror or str(error)
        raise not_writable(path, why, form) from None


def _make_tables(db: sqlite3.Connection, path: str, form: DatabaseFormat) -> None:
    version = _version(db, path, form)
    [mode] = db.execute('PRAGMA journal_mode = WAL').fetchone()
    if mode != 'wal':
        raise not_writable(path, 'its file system cannot share memory, which SQLite needs for WAL', form)
    if version != form.version:
        db.execute('BEGIN IMMEDIATE')
        version = _version(db, path, form)  # another process may have been quicker
        if version != form.version:
            _fill(db, form)
        db.execute('COMMIT')


def _fill(db: sqlite3.Connection, form: DatabaseFormat) -> None:
    marks = f'PRAGMA application_id = {form.application}', f'PRAGMA user_version = {form.version}'
    for statement in (*form.tables, *marks):
        db.execute(statement)


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
