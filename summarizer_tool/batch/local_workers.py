"""Workers of this machine, started with a batch and ended with it."""

import os
import subprocess
import sys
from collections.abc import Mapping

from summarizer_tool.errors import SummarizerError

GIVEN_UP = frozenset({1, 2})
"""Exit codes of a worker that has said why it cannot go on."""

MAX_DEATHS = 12
"""Of workers since a document was last finished. More than a document that kills them is taken up."""


class LocalWorkers:
    """Processes that are started again when they die, as one does that a document has made too large."""

    def __init__(self, count: int, batch: str, environment: Mapping[str, str]) -> None:
        """Start none yet.

        Args:
            count: How many there are to be.
            batch: For their names: one that is started again goes on with what the dead one had begun.
            environment: Variables beside those of this process.
        """
        self._environment = {**os.environ, **environment}
        self._names = [f'{batch}-{number}' for number in range(1, count + 1)]
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._done = self._deaths = 0

    def watch(self, done: int) -> None:
        """Start those that do not run, for the first time or again.

        Args:
            done: Documents that are finished by now.

        Raises:
            SummarizerError: If one cannot go on, or they die again and again.
        """
        if done > self._done:
            self._done, self._deaths = done, 0
        for name in self._names:
            process = self._processes.get(name)
            if process is not None and process.poll() is None:
                continue
            code = process.returncode if process else None
            self._deaths += process is not None
            if code in GIVEN_UP or self._deaths > MAX_DEATHS:
                why = 'has said above why it stopped' if code in GIVEN_UP else 'dies again and again'
                raise SummarizerError(f'a worker {why}; what is done is kept, and --resume goes on')
            self._processes[name] = self._start(name)

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

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, '-m', 'summarizer_tool', 'worker', '--name', name, '--until-stdin-ends']
        # Where this process is killed, its end of the pipe closes, and they stop by themselves.
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        return subprocess.Popen(command, env=self._environment, stdin=pipe, stdout=nowhere)  # noqa: S603 - our own
