"""The commands, as processes."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.proofs.batch.material import REPOSITORY
from tests.support.replies import MODEL


def environment(url: str = '', provider: str = '', **variables: str) -> dict[str, str]:
    """The environment of a command: a database, and a provider of models or the embedded one."""
    env = {
        name: value for name, value in os.environ.items() if not name.startswith(('SUMMARIZER_', 'LLM_', 'OPENROUTER_'))
    }
    env |= {'PYTHONPATH': str(REPOSITORY), 'LLM_MODEL': 'extractive'} | variables
    if url:
        env['SUMMARIZER_DATABASE_URL'] = url
    if provider:
        env |= {'LLM_MODEL': MODEL, 'OPENROUTER_BASE_URL': provider, 'OPENROUTER_API_KEY': 'simulated'}
    return env


def start(env: dict[str, str], *arguments: str | Path) -> subprocess.Popen[str]:
    """Start `summarizer`."""
    command = [sys.executable, '-m', 'summarizer_tool', *map(str, arguments)]
    return subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str], code: int = 0) -> str:
    """Wait for its end.

    Returns:
        What it has said.
    """
    _, said = process.communicate(timeout=3600)
    if process.returncode != code:
        raise RuntimeError(f'exit code {process.returncode}: {said[-2000:]}')
    return said


@contextmanager
def workers(env: dict[str, str], count: int) -> Generator[list[subprocess.Popen[str]]]:
    """So many `summarizer worker`, each with its log thrown away."""
    running = [
        subprocess.Popen(
            [sys.executable, '-m', 'summarizer_tool', 'worker', '--name', f'w{n}'], env=env, stdin=subprocess.DEVNULL
        )
        for n in range(count)
    ]
    try:
        yield running
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(30)


def until(so: Callable[[], bool], seconds: float = 600.0) -> None:
    """Wait for something to be so."""
    end = time.monotonic() + seconds
    while not so():
        if time.monotonic() > end:
            raise TimeoutError(so)
        time.sleep(0.02)


def children(pid: int) -> list[int]:
    """The processes that a process has started; none where it has gone."""
    try:
        return [int(child) for child in Path(f'/proc/{pid}/task/{pid}/children').read_text().split()]
    except OSError:
        return []


def kill(pid: int) -> None:
    """As `kill -9` does."""
    os.kill(pid, signal.SIGKILL)


def computing() -> float:
    """Seconds that processes which were started here and have ended have computed, and those that they had started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_mb(pid: int) -> float:
    """The most memory that a process has held, in megabytes; 0 where it has gone."""
    try:
        lines: Iterator[str] = iter(Path(f'/proc/{pid}/status').read_text().splitlines())
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith('VmHWM')), 0.0)
