"""Runs a server for the proxy, and ends it when the proxy has gone, however it went.

A program of its own, which imports nothing of the package: `python guard.py PROXY_PID PROGRAM ARGUMENT…`. A server sees
the end of its standard input when the proxy dies, but need not care, and what started it (`npx`, a shell) may care even
less. So the server has a process group, and all of that goes when the server has ended, or the proxy.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

LOOK_SECONDS = 0.5  # between two looks at whether the proxy is there

GRACE_SECONDS = 1.0
"""For a server to end by itself when the proxy has gone, and again once it was told to; less than the MCP SDK waits."""

REST_SECONDS = 0.3  # for what a server leaves behind when it ends


def main(arguments: Sequence[str]) -> int:
    """Run the server to its end; returns its exit code."""
    proxy = int(arguments[0])
    told: list[int] = []
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: told.append(number))
    server = subprocess.Popen(list(arguments[1:]), process_group=0)  # noqa: S603 - what the user has asked for
    # The ends of the pipes are the server's alone, or nobody would see them close.
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    while server.poll() is None and not told and os.getppid() == proxy:
        if select.select([wake], [], [], LOOK_SECONDS)[0]:
            os.read(wake, 4096)
    if not told:
        _wait(GRACE_SECONDS, lambda: server.poll() is not None)
    # Whatever the server leaves behind has less time: an orphan that nobody waits for counts as there for ever.
    seconds = GRACE_SECONDS if server.poll() is None else REST_SECONDS
    with suppress(OSError):  # all have gone
        os.killpg(server.pid, signal.SIGTERM)
        _wait(seconds, lambda: server.poll() is not None and _has_gone(server.pid))
        os.killpg(server.pid, signal.SIGKILL)
    code = server.wait()
    return code if code >= 0 else 128 - code


def _wait(seconds: float, until: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not until() and time.monotonic() < end:
        time.sleep(0.02)


def _has_gone(group: int) -> bool:
    with suppress(OSError):
        os.killpg(group, 0)
        return False
    return True


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
