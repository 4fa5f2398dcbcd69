"""A server as a process of its own: started, waited for, and always stopped."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

START_SECONDS = 30.0
"""A server that is not healthy by then is given up; far more than it needs."""

STOP_SECONDS = 20.0
"""What a server has for its calls in flight before it is killed."""


class ServerError(Exception):
    """A server that does not start; the message ends with the last lines it has written."""


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        return int(listener.getsockname()[1])


def bare_environment(home: Path) -> dict[str, str]:
    """The little that a program needs: nothing that the machine has set of settings, keys or proxies."""
    return {'PATH': os.environ['PATH'], 'HOME': str(home), 'LANG': 'C.UTF-8'}


@dataclass(slots=True)
class Server:
    """A running server and what it has written."""

    process: subprocess.Popen[bytes]
    log: Path

    def wait(self, is_healthy: Callable[[], bool]) -> float:
        """Wait until it is healthy.

        Returns:
            Seconds that took.

        Raises:
            ServerError: If it ends, or is not healthy within `START_SECONDS`.
        """
        started = time.monotonic()
        while not is_healthy():
            if (code := self.process.poll()) is not None:
                raise ServerError(f'the server ended with exit code {code}\n{self.tail()}')
            if time.monotonic() - started > START_SECONDS:
                raise ServerError(f'the server is not healthy after {START_SECONDS:g} s\n{self.tail()}')
            time.sleep(0.05)
        return time.monotonic() - started

    def tail(self, lines: int = 15) -> str:
        """The last lines it has written, to stdout or stderr."""
        return '\n'.join(self.log.read_text('utf-8', 'replace').splitlines()[-lines:])

    def stop(self) -> tuple[int | None, float]:
        """Ask it to stop.

        Returns:
            Its exit code, `None` if it does not stop within `STOP_SECONDS`; seconds that took.
        """
        started = time.monotonic()
        self.process.terminate()
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            code = None
        return code, time.monotonic() - started

    def leaves_processes(self) -> bool:
        """Whether processes that it has started live on a second after its end."""
        for _ in range(20):
            try:
                os.killpg(self.process.pid, 0)
            except ProcessLookupError:
                return False
            time.sleep(0.05)
        return True

    def kill(self) -> None:
        """End it and all that it has started, whatever state they are in."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def started(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> Generator[Server]:
    """Start a server in a process group of its own, which does not outlive the block.

    Args:
        command: The program and its arguments.
        environment: All of its environment variables.
        folder: Where the file goes that takes its stdout and stderr; its working directory is a new one in there.
    """
    work = folder / 'work'
    work.mkdir()
    log = folder / 'server.log'
    with log.open('wb') as output:
        process = subprocess.Popen(
            list(command),
            env=dict(environment),
            cwd=work,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    server = Server(process, log)
    try:
        yield server
    finally:
        server.kill()


def answers_ok(url: str) -> bool:
    """Whether a GET is answered with 200."""
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=2) as response:
            return response.status == 200
    except OSError:
        return False
