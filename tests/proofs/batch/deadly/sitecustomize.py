"""For workers whose `PYTHONPATH` has this folder: a document with certain words kills them, as one does that is too large."""

import os
import signal
import sys
import zlib

_decompress = zlib.decompress


def _deadly(packed: bytes, *arguments: int) -> bytes:
    raw = _decompress(packed, *arguments)
    if b'this document kills' in raw and 'worker' in sys.argv:
        os.kill(os.getpid(), signal.SIGKILL)
    return raw


zlib.decompress = _deadly
