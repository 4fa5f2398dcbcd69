"""What worker processes are told to do; this imports little, since each of them imports it."""

import os
import signal
import threading
import time


def where() -> tuple[int, bool]:
    """Which process it is, and whether its main thread computes."""
    return os.getpid(), threading.current_thread() is threading.main_thread()


def fail(message: str) -> None:
    raise ValueError(message)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def note(name: str, path: str) -> None:
    with open(path, 'a') as file:  # noqa: PTH123 - appended to by another process
        file.write(name)


def hold(path: str) -> None:
    """Compute until there is a file of that name."""
    while not os.path.exists(path):  # noqa: PTH110
        time.sleep(0.01)


def spin(path: str) -> None:
    """Note who computes, and compute for ever."""
    with open(path, 'w') as file:  # noqa: PTH123
        file.write(f'{os.getpid()}')
    while True:
        pass
