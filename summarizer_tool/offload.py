"""Where computing runs: worker threads, few of them, so that the event loop stays free."""

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from anyio.lowlevel import RunVar

P = ParamSpec('P')
T = TypeVar('T')

THREADS = 2
"""Computing threads at once, for each event loop. The interpreter runs one at a time and more of them only get in each
other's way; the second one works while tiktoken, which frees the interpreter, encodes for the first."""

_limiter: RunVar[CapacityLimiter] = RunVar('summarizer_tool_threads')


async def offload(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run computing code off the event loop; a caller that is cancelled does not wait for it.

    Args:
        function: Pure computing; it must not need the event loop.
        args: Its arguments.
        kwargs: Its keyword arguments.

    Returns:
        What it returns; its exceptions are raised here.
    """
    try:
        limiter = _limiter.get()
    except LookupError:
        limiter = CapacityLimiter(THREADS)
        _limiter.set(limiter)
    return await anyio.to_thread.run_sync(partial(function, *args, **kwargs), abandon_on_cancel=True, limiter=limiter)
