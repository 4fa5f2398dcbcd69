"""Run a reader in a process of its own: a file made to harm may crash it, or keep it busy for ever."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from pydantic import TypeAdapter

from summarizer_tool.errors import FetchError
from summarizer_tool.extras import naming_extra
from summarizer_tool.html.page import Page

MOST_SECONDS = 60
"""A page takes some milliseconds; what takes longer for them all was made to."""

_GRACE_SECONDS = 10
_MEMORY = 3 << 30
"""Bytes."""

_PASSED_ON = ('PATH', 'SYSTEMROOT', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH')
"""Variables of the environment that the process may need; the others hold secrets."""


def read(program: str, package: str, kind: str, repair: str, body: bytes) -> Page:
    """What a program of this folder, which needs a package, makes of bytes, which are a document of some kind.

    Raises:
        FetchError: If it says so, takes longer than `MOST_SECONDS`, crashes, or wants more memory than it may have.
    """
    with naming_extra():
        import_module(package)
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment['PYTHONPATH'] = os.pathsep.join(filter(None, sys.path))
    try:
        done = subprocess.run(  # noqa: S603 - nothing of it is from outside
            [sys.executable, '-P', str(Path(__file__).with_name(program))],
            input=body,
            capture_output=True,
            timeout=MOST_SECONDS + _GRACE_SECONDS,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise FetchError(f'is {kind} that takes longer than {MOST_SECONDS} seconds to read; split it') from None
    if done.returncode:
        raise FetchError(f'is {kind} that is broken; {repair}')
    made = TypeAdapter(Page | str).validate_json(done.stdout)
    if isinstance(made, str):
        raise FetchError(made)
    return made


def serve(reader: Callable[[bytes], Page]) -> None:
    """In such a program: bound what it may use, where the system can, and answer with what is made of its stdin."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        seconds = MOST_SECONDS + _GRACE_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        made = reader(sys.stdin.buffer.read())
    except FetchError as error:
        made = str(error)
    sys.stdout.buffer.write(TypeAdapter(Page | str).dump_json(made))
    sys.stdout.flush()
