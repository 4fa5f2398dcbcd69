"""Move a damaged SQLite file out of the way of a new one, while other processes may open or replace it, too."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

try:
    import fcntl
except ImportError:  # as on Windows
    fcntl = None

Identity = tuple[int, int]
"""What tells a file from another one that has had its name: its device and its inode."""

_MAGIC = b'SQLite format 3\0'


def identity_of(path: str) -> Identity | None:
    """Which file has a name at the moment, if any."""
    try:
        found = os.stat(path)  # noqa: PTH116 - done for each call of a store
    except OSError:
        return None
    return found.st_dev, found.st_ino


def marks_of(path: str) -> tuple[int, int] | None:
    """The `application_id` and the `user_version` of a SQLite file, read without SQLite; None of another file.

    For damaged files alone: when it is closed again, what SQLite has locked of the file in this process is free.
    """
    with Path(path).open('rb') as file:
        head = file.read(100)
    if not head.startswith(_MAGIC) or len(head) < 100:
        return None
    return int.from_bytes(head[68:72]), int.from_bytes(head[60:64])


@contextmanager
def keeping_names(path: str, *, alone: bool = False) -> Generator[None]:
    """Keep who opens a file apart from one (`alone`) that renames it, where the system can lock its folder."""
    folder: int | None = None
    with suppress(OSError):  # without a folder there is no file either; not all file systems lock
        if fcntl is not None:
            folder = os.open(Path(path).parent, os.O_RDONLY)
            fcntl.flock(folder, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
    try:
        yield
    finally:
        if folder is not None:
            if fcntl is not None:
                with suppress(OSError):  # said aloud, since a child that was forked meanwhile holds it, too
                    fcntl.flock(folder, fcntl.LOCK_UN)
            os.close(folder)


def move_aside(path: str) -> str:
    """Rename a file, with what SQLite keeps beside it, within `keeping_names(alone=True)`.

    Its new path is `NAME.damaged-YYYYMMDDTHHMMSS`, with a number where there is one. Raises `OSError`.
    """
    base = new = f'{path}.damaged-{datetime.now().astimezone():%Y%m%dT%H%M%S}'
    number = 1
    while os.path.lexists(new):
        number += 1
        new = f'{base}-{number}'
    # The file itself last: a new one must find nothing of the old one.
    for part in ('-shm', '-wal', ''):
        with suppress(FileNotFoundError):
            old = Path(f'{path}{part}')
            if part == '-shm' or (part and not old.stat().st_size):
                old.unlink()  # made anew from what is in the other two
            else:
                old.rename(f'{new}{part}')
    return new
