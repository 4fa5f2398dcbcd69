"""Programs that are told to end, or killed, at a known point of their work: what they leave behind."""

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import replies, serving
from tests.support.provider import Provider
from tests.support.replies import Answer, Hang, Request
from tests.support.stores import query

SECONDS = 60.0
"""What takes longer hangs."""

PIPE_BYTES = 4096
"""What the pipe of a reader who reads nothing holds."""


def until(is_so: Callable[[], bool], what: str) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f'{what}: not within {SECONDS:g} s'
        time.sleep(0.02)


@dataclass
class Victim:
    """A program in a process group of its own, whose stdout is a pipe that nobody reads yet."""

    process: 'subprocess.Popen[bytes]'
    stdout: int
    log: Path
    _writable: int
    _parts: list[bytes] = field(default_factory=list[bytes])

    def send(self, data: bytes) -> None:
        """Write to its stdin."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def is_stuck(self) -> bool:
        """Whether its stdout is a pipe that is full."""
        return not select.select([], [self._writable], [], 0)[1]

    def read(self) -> bytes:
        """All that it writes until it closes its stdout."""
        while part := os.read(self.stdout, 65536):
            self._parts.append(part)
        return b''.join(self._parts)

    def end(self, number: int) -> int:
        """Send it a signal; its exit code, once nothing of it is left."""
        os.close(self._writable)
        self.process.send_signal(number)
        code = self.process.wait(SECONDS)
        until(lambda: not self._is_alive(), 'the end of all its processes')
        return code

    def _is_alive(self) -> bool:
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return False
        return True


@contextmanager
def started(folder: Path, arguments: Sequence[str], **variables: str) -> Generator[Victim]:
    """Run `python -m ARGUMENTS` with a worker process of its own."""
    import fcntl

    readable, writable = os.pipe()
    fcntl.fcntl(writable, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    log = folder / 'stderr'
    given = serving.environment({'SUMMARIZER_WORKER_PROCESSES': '1', **variables})
    with log.open('wb') as stderr:
        process = subprocess.Popen(
            [sys.executable, '-m', *arguments],
            env=given,
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=writable,
            stderr=stderr,
            start_new_session=True,
        )
    try:
        yield Victim(process, readable, log, writable)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(readable)
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.close()


def is_merge(request: Request) -> bool:
    """Whether the model is asked to merge facts."""
    return '<facts>' in request.prompt


def silent_while(stage: str) -> Answer:
    """A model that answers nothing any more once a stage is reached; one chunk is summarized before."""

    def answer(request: Request) -> replies.Reply:
        hangs = is_merge(request) if stage == 'reducing' else request.number > 1 and stage == 'mapping'
        return Hang(600) if hangs else replies.summarize(request)

    return answer


def is_reached(stage: str, model: Provider, store: Path) -> bool:
    """Whether the model is silent now, and what it has answered before is kept."""
    asked = model.requests
    answered = sum(request.answered is not None for request in asked)
    if not answered or len(asked) == answered or (stage == 'reducing' and not any(map(is_merge, asked))):
        return False
    return query(store, "SELECT count(*) FROM work WHERE kind = 'answer'") >= [(answered,)]


@contextmanager
def silent_site() -> Generator[tuple[str, Callable[[], bool]]]:
    """A web site that takes a request and says nothing: its host, and whether it was asked."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        listener.setblocking(False)
        taken: list[socket.socket] = []

        def is_asked() -> bool:
            with suppress(BlockingIOError):
                taken.append(listener.accept()[0])
            return bool(taken)

        try:
            yield f'127.0.0.1:{listener.getsockname()[1]}', is_asked
        finally:
            for connection in taken:
                connection.close()
