"""The event loop on which synchronous calls run, in a thread of its own: it works beside a running loop, too."""

import threading
from asyncio import AbstractEventLoop, CancelledError, new_event_loop, run_coroutine_threadsafe
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar('T')

_LOOK_SECONDS = 1.0
"""Seconds after which a waiting call checks that the loop still runs."""


class BackgroundLoop:
    """One event loop for all synchronous calls of the process, started when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end; whatever it raises is raised here. An interrupt of the calling thread cancels it.

        Raises:
            RuntimeError: If something on the loop has exited; the next call starts a new one.
        """
        with self._lock:
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                self._loop = new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name='summarizer', daemon=True)
                self._thread.start()
        future = run_coroutine_threadsafe(_caught(work), self._loop)
        try:
            while True:
                try:
                    result, error = future.result(timeout=_LOOK_SECONDS)
                    break
                except TimeoutError:
                    if not self._thread.is_alive():
                        raise RuntimeError('the event loop of the synchronous calls has ended') from None
        except BaseException:
            future.cancel()
            raise
        if error is not None:
            raise error
        return result  # pyright: ignore[reportReturnType]


async def _caught(work: Coroutine[Any, Any, T]) -> tuple[T | None, BaseException | None]:
    """The result or the error; `SystemExit` raised on a loop would end the loop for everybody."""
    try:
        return await work, None
    except CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that asked
        return None, error
