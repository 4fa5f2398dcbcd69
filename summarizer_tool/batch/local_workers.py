"""Workers of this machine, started with a batch and ended with it."""

import os
import secrets
import subprocess
import sys

from summarizer_tool.batch.database import BatchDatabase
from summarizer_tool.errors import SummarizerError

GIVEN_UP = frozenset({1, 2})
"""Exit codes of a worker that has said why it cannot go on."""

MAX_DEATHS = 12
"""Of workers since a document was last finished. More than a document that kills them is taken up."""


class LocalWorkers:
    """Processes that are started again when they die, as one does that a document has made too large."""

    def __init__(self, count: int, batch: str, database: BatchDatabase) -> None:
        """Start none yet of the `count` workers, which are named by the batch and look for work in the database."""
        self._environment = {**os.environ, 'SUMMARIZER_DATABASE_URL': database.url}
        self._database = database
        self._batch = batch
        self._count = count
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._done = self._deaths = 0

    def watch(self, done: int) -> None:
        """Start those that do not run; raises `SummarizerError` if they die again and again, or one cannot go on."""
        if done > self._done:
            self._done, self._deaths = done, 0
        if not self._processes:
            # Nobody else starts any for this batch: those that are known are of a run that was killed.
            self._database.forget_those_of(self._batch)
        for name in [name for name, process in self._processes.items() if process.poll() is not None]:
            has_given_up = self._processes.pop(name).returncode in GIVEN_UP
            self._deaths += 1
            if has_given_up or self._deaths > MAX_DEATHS:
                why = 'has said above why it stopped' if has_given_up else 'dies again and again'
                raise SummarizerError(f'a worker {why}; what is done is kept, and --resume goes on')
            self._database.forget(name)
        while len(self._processes) < self._count:
            # Each has a name of its own: one that is about to end must not give back what its successor has begun.
            self._start(f'{self._batch}-{secrets.token_hex(4)}')

    def end(self) -> None:
        """Tell them to stop, and wait for it."""
        for process in self._processes.values():
            if process.stdin:
                process.stdin.close()
        for process in self._processes.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self, name: str) -> None:
        command = [sys.executable, '-m', 'summarizer_tool', 'worker', '--name', name, '--until-stdin-ends']
        # Where this process is killed, its end of the pipe closes, and they stop by themselves.
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        started = subprocess.Popen(command, env=self._environment, stdin=pipe, stdout=nowhere)  # noqa: S603 - our own
        self._processes[name] = started
