"""A folder that one process at a time has, and files that are written whole or not at all."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None

Failure = Callable[[str], Exception]
"""Makes an error of what is wrong."""


@contextmanager
def alone_in(
    folder: Path, lock: str, failure: Failure, *, name: str, busy: str, is_private: bool = False
) -> Generator[None]:
    """Keep other processes from a folder, by a lock in it where the system has such; the folder is made if need be.

    Raises a `failure` with what is `busy` if another process has it, or with its `name` if it cannot be written or
    locked.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700 if is_private else 0o777)
        file = (folder / lock).open('w')
    except OSError as error:
        raise failure(f'{name} cannot be written: {error.strerror}') from None
    with file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise failure(busy) from None
            except OSError as error:
                raise failure(f'{name} cannot be locked: {error.strerror}') from None
        yield


def write_whole(path: Path, text: str, failure: Failure, *, is_private: bool = False) -> None:
    """Replace a file: a reader finds the old text or the new one, never a part. Raises a `failure` if it cannot be."""
    partial = path.with_name(f'.{path.name}.part')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        opened = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600 if is_private else 0o666)
        with os.fdopen(opened, 'w', encoding='utf-8', errors='replace', newline='\n') as file:
            file.write(text)
            file.flush()
            os.fsync(opened)
        partial.replace(path)
    except OSError as error:
        raise failure(f'{path} cannot be written: {error.strerror}') from None
