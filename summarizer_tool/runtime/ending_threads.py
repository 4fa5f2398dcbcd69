"""Computing in a thread that ends when nobody waits for it any more."""

import ctypes
import sys
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from types import FrameType

T = TypeVar('T')

AGAIN_SECONDS = 0.25
"""Between attempts at ending what is being imported, or what an exception has not ended."""

_IMPORTING = '<frozen importlib._bootstrap>'


class ComputingEndedError(BaseException):
    """Raised inside of computing whose caller has left; no `except Exception` keeps it going."""


_ENDED = ctypes.py_object(ComputingEndedError)
_c_thread = ctypes.c_ulong
_set_raised = ctypes.pythonapi.PyThreadState_SetAsyncExc
"""Has a thread raise something as soon as it runs Python again."""


class EndableCall(Generic[T]):
    """A call of a pure function, to be made in a thread, which another thread can end between two lines of Python.

    What is compiled, such as one search of an expression, comes to its end first; so does an import, which is never
    left half done.
    """

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._is_ended = False

    def __call__(self) -> T:
        """Compute; raises `ComputingEndedError` if it was ended."""
        with self._lock:
            if self._is_ended:
                raise ComputingEndedError
            self._thread = threading.get_ident()
        try:
            try:
                return self._function()
            finally:
                self._leave()
        except ComputingEndedError:  # it may have come while leaving
            self._leave()
            raise

    def end(self, loop: AbstractEventLoop) -> None:
        """Have it end, and look again until it has; `loop` is the running one."""
        thread = self._thread
        is_importing = thread is not None and _is_importing(thread)
        # CPython 3.11 enters no traced function while something waits to be raised anywhere: none is called in here.
        with self._lock:
            self._is_ended = True
            if self._thread is None:
                return
            if not is_importing:
                _set_raised(_c_thread(self._thread), _ENDED)
        if not loop.is_closed():
            loop.call_later(AGAIN_SECONDS, self.end, loop)

    def _leave(self) -> None:
        """From here on nothing is raised in this thread, which others use next."""
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is not None and self._is_ended:
                # What were taken back, CPython would look for between any two lines from then on: it has to come.
                with suppress(ComputingEndedError):
                    _set_raised(_c_thread(thread), _ENDED)
                    while True:
                        pass


def _is_importing(thread: int) -> bool:
    frame: FrameType | None = sys._current_frames().get(thread)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTING:
            return True
        frame = frame.f_back
    return False
