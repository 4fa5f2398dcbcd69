"""The event loop on which synchronous calls run, in a thread of its own: it works beside a running loop, too."""

import os
import threading
from asyncio import AbstractEventLoop, new_event_loop, run_coroutine_threadsafe
from collections.abc import Coroutine
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

T = TypeVar('T')

_lock = threading.Lock()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; whatever it raises is raised here. An interrupt of the calling thread cancels it."""
    with _lock:
        loop = _loop(os.getpid())
    future = run_coroutine_threadsafe(work, loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


@cache
def _loop(_process: int) -> AbstractEventLoop:
    """The same for all calls of a process: the connections that a caller's model keeps are of no use on another."""
    loop = new_event_loop()

    def run_forever() -> None:
        while True:
            with suppress(BaseException):  # a `SystemExit` has ended the loop, and is raised where somebody waits
                loop.run_forever()

    threading.Thread(target=run_forever, name='summarizer', daemon=True).start()
    return loop
