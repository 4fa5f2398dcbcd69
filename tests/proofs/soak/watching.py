"""A server process that can be looked into: memory, files, connections, threads, and tasks of its event loop."""

import os
import signal
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.proofs.load.crowd import memory_of
from tests.support import serving

_PROGRAM = """
import asyncio, os, signal, sys
from pathlib import Path

def tell(*_):
    told = Path(sys.argv[1])
    told.with_suffix('.new').write_text(str(len(asyncio.all_tasks())))
    told.with_suffix('.new').rename(told)

signal.signal(signal.SIGUSR1, tell)
from summarizer_tool.cli.main import app
app(['serve', *sys.argv[2:]])
"""


@dataclass(frozen=True, slots=True)
class Held:
    """What a server holds at a moment."""

    megabytes: float
    """With its worker processes."""
    files: int
    """Open, connections and pipes included."""
    connections: int
    threads: int
    tasks: int

    def __str__(self) -> str:
        return (
            f'{self.megabytes:.0f} MB, {self.files} files, {self.connections} connections, '
            f'{self.threads} threads, {self.tasks} tasks'
        )


@contextmanager
def watched(folder: Path, variables: Mapping[str, str]) -> Generator[serving.Program]:
    """Run a server that says how many tasks it has, to a file, when it gets SIGUSR1."""
    command = [sys.executable, '-c', _PROGRAM, str(folder / 'tasks')]
    with serving.program(folder, command=command, **variables) as server:
        yield server


def held(server: serving.Program, folder: Path) -> Held:
    """Look into a server."""
    told = folder / 'tasks'
    told.unlink(missing_ok=True)
    server.process.send_signal(signal.SIGUSR1)
    for _ in range(500):
        if told.exists():
            break
        time.sleep(0.02)
    pid = server.process.pid
    links = [_link(path) for path in Path(f'/proc/{pid}/fd').iterdir()]
    return Held(
        megabytes=memory_of(pid),
        files=len(links),
        connections=sum(link.startswith('socket:') for link in links),
        threads=len([*Path(f'/proc/{pid}/task').iterdir()]),
        tasks=int(told.read_text()),
    )


def _link(path: Path) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115 - no path
    except FileNotFoundError:
        return ''
