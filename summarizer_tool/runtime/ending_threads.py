"""Computing in a thread that ends when nobody waits for it any more."""

import ctypes
import sys
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from types import FrameType

T = TypeVar('T')

AGAIN_SECONDS = 0.25
"""Between attempts at ending what is being imported, or what an exception has not ended."""

_IMPORTING = '<frozen importlib._bootstrap>'


class ComputingEndedError(BaseException):
    """Raised inside of computing whose caller has left; no `except Exception` keeps it going."""


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
        """Compute.

        Raises:
            ComputingEndedError: If it was ended.
        """
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
        with self._lock:
            self._is_ended = True
            if self._thread is None:
                return
            if not _is_importing(self._thread):
                _raise_in(self._thread, ComputingEndedError)
        if not loop.is_closed():
            loop.call_later(AGAIN_SECONDS, self.end, loop)

    def _leave(self) -> None:
        """From here on nothing is raised in this thread, which others use next."""
        with self._lock:
            thread, self._thread = self._thread, None
            # Taking back what was never raised makes CPython look for it between any two lines from then on.
            if thread is not None and self._is_ended:
                _raise_in(thread, None)


def _is_importing(thread: int) -> bool:
    frame: FrameType | None = sys._current_frames().get(thread)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTING:
            return True
        frame = frame.f_back
    return False


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an exception in a thread as soon as it runs Python again; None takes one back that has not come yet."""
    raised = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
