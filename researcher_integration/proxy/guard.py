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
from collections.abc import Sequence
from contextlib import suppress

LOOK_SECONDS = 0.5
"""Between two looks at whether the proxy is there."""

GRACE_SECONDS = 1.0
"""For a server to end by itself when the proxy has gone, and again once it was told to; less than the MCP SDK waits."""

REST_SECONDS = 0.3
"""For what a server leaves behind when it ends."""


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
        _wait_for(server, GRACE_SECONDS, with_group=False)
    # Whatever the server leaves behind has less time: an orphan that nobody waits for counts as there for ever.
    seconds = GRACE_SECONDS if server.poll() is None else REST_SECONDS
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not _has_ended(server, with_group=True):
            with suppress(ProcessLookupError):
                os.killpg(server.pid, number)
            _wait_for(server, seconds, with_group=number == signal.SIGTERM)
    code = server.poll()
    return code if code is not None and code >= 0 else 128 - (code or 0)


def _wait_for(server: 'subprocess.Popen[bytes]', seconds: float, *, with_group: bool) -> None:
    end = time.monotonic() + seconds
    while not _has_ended(server, with_group=with_group) and time.monotonic() < end:
        time.sleep(0.02)


def _has_ended(server: 'subprocess.Popen[bytes]', *, with_group: bool) -> bool:
    """Whether the server has ended and, where the group counts, all that it has started in it."""
    if server.poll() is None:
        return False
    if with_group:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(server.pid, 0)
            return False
    return True


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
