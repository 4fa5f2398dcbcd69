"""Run a reader in a process of its own: a file made to harm may crash it, or keep it busy for ever."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

MOST_SECONDS = 60
"""A page takes some milliseconds; what takes longer for them all was made to."""

_GRACE_SECONDS = 10
_MEMORY = 3 << 30
"""Bytes."""

_PASSED_ON = ('PATH', 'SYSTEMROOT', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH')
"""Variables of the environment that the process may need; the others hold secrets."""


def run(program: str, body: bytes, *arguments: int) -> Any:
    """What a program of this folder, with arguments, makes of bytes on its stdin: JSON on its stdout.

    Raises:
        TimeoutError: If it takes longer than `MOST_SECONDS`.
        ChildProcessError: If it crashes, or wants more memory than it may have.
    """
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment['PYTHONPATH'] = os.pathsep.join(filter(None, sys.path))
    try:
        done = subprocess.run(  # noqa: S603 - nothing of it is from outside
            [sys.executable, '-P', str(Path(__file__).with_name(program)), *map(str, arguments)],
            input=body,
            capture_output=True,
            timeout=MOST_SECONDS + _GRACE_SECONDS,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    if done.returncode:
        raise ChildProcessError
    return json.loads(done.stdout)


def given() -> bytes:
    """In such a program: bound what it may use, where the system can, and read what it is given."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        seconds = MOST_SECONDS + _GRACE_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return sys.stdin.buffer.read()


def answer(made: object) -> None:
    """In such a program: give back what was made."""
    sys.stdout.buffer.write(json.dumps(made).encode('ascii'))
    sys.stdout.flush()
