"""What a started server writes to its stderr, on that of the proxy without secrets."""

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Thread
from typing import TextIO

MAX_PENDING = 1_000_000
"""Bytes of a line that are waited for; a longer one is passed on in pieces."""


@contextmanager
def masked_stderr(masked: Callable[[str], str]) -> Generator[TextIO]:
    """A file to start a server with: whole lines of it appear on stderr, as `masked` returns them."""
    reading, writing = os.pipe()
    # Of its own, for it waits as long as anything that the server has started holds the pipe.
    Thread(target=_pass_on, args=(reading, masked), daemon=True).start()
    with os.fdopen(writing, 'w') as file:
        yield file


def _pass_on(reading: int, masked: Callable[[str], str]) -> None:
    pending = b''
    while chunk := os.read(reading, 65_536):
        pending += chunk
        lines, newline, rest = pending.rpartition(b'\n')  # together: a key has many lines
        if newline or len(pending) > MAX_PENDING:
            _write(masked((lines + newline or pending).decode('utf-8', 'replace')))
            pending = rest if newline else b''
    os.close(reading)
    if pending:
        _write(masked(pending.decode('utf-8', 'replace')))


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):  # nobody reads it; the server is not to notice
        return
