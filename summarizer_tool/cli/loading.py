"""Ctrl-C while a command loads, which takes a second and more: as an exception it would show where, or be lost."""

import gc
import os
import signal
from types import FrameType


def end_at_interrupt() -> None:
    """End the program at Ctrl-C, with exit code 130 and without a word, until it is `loaded`."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def loaded() -> None:
    """Make Ctrl-C an exception again, for the work that begins may have to be put away; and look for garbage in it."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(_number: int, _frame: FrameType | None) -> None:
    os._exit(130)
