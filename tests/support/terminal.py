"""The `summarizer` command as a person has it: with a terminal, and with a hand on Ctrl-C."""

import os
import pty
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from typer.testing import Result

from tests.support import forking


def said(done: Result | subprocess.CompletedProcess[bytes]) -> str:
    """Exit code, stdout and stderr of a command, with bars between them and without their last line ends."""
    if isinstance(done, Result):
        status, out, errors = done.exit_code, done.stdout, done.stderr
    else:
        status, out, errors = done.returncode, done.stdout.decode(), done.stderr.decode()
    return f'{int(status)}|{out.rstrip()}|{settled(errors.rstrip())}'


def settled(errors: str) -> str:
    """An error message without the words that other versions of typer and pydantic-ai have other words for."""
    errors = re.sub(r"(Error: Invalid value for '[^']+'): .*", r'\1', errors)
    errors = re.sub(r'(Usage: .*\|-\])\.\.\.$', r'\1', errors, flags=re.MULTILINE).replace('{query}', 'QUERY')
    return re.sub(r"(did you mean '\w+:)[^']+", r'\1…', errors)


def interrupted(*arguments: str | Path, when: Callable[[], bool], **environment: str) -> tuple[int, bytes, bytes]:
    """Run a command that is interrupted when something is so.

    Returns:
        Its exit code, stdout and stderr.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors, Path(os.devnull).open('rb') as nothing:
        files = (nothing.fileno(), out.fileno(), errors.fileno())
        process = forking.start('summarizer_tool', *arguments, environment={**os.environ, **environment}, files=files)
        while not when() and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        status = process.wait(timeout=30)
        out.seek(0)
        errors.seek(0)
        return status, out.read(), errors.read()


def with_terminal(*arguments: str | Path, **environment: str) -> tuple[int, bytes, bytes]:
    """Run a command whose stderr is a terminal.

    Returns:
        Its exit code, its stdout, which is a file, and what the terminal shows.
    """
    ours, theirs = pty.openpty()
    shown = b''
    with tempfile.TemporaryFile() as out, Path(os.devnull).open('rb') as nothing:
        process = forking.start(
            'summarizer_tool',
            *arguments,
            environment={**os.environ, 'TERM': 'xterm', **environment},
            files=(nothing.fileno(), out.fileno(), theirs),
        )
        os.close(theirs)
        with suppress(OSError):  # the other end has closed
            while part := os.read(ours, 65536):
                shown += part
        os.close(ours)
        status = process.wait()
        out.seek(0)
        return status, out.read(), shown
