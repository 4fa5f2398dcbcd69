"""Where calls to the log wait for the disk: in threads, never in the event loop."""

from asyncio import CancelledError, create_task, wait
from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread
from anyio import CancelScope, CapacityLimiter

T = TypeVar('T')


async def in_thread(function: Callable[[], T]) -> T:
    """Run a function in a thread."""
    # With a limiter of its own: the tools of an agent may have taken all threads that there are.
    return await anyio.to_thread.run_sync(function, limiter=CapacityLimiter(1))


async def to_its_end(function: Callable[[], T]) -> T:
    """Run a function in a thread and wait until it is done; a caller that is cancelled meanwhile is so after that."""
    work = create_task(in_thread(function))
    cancelled: CancelledError | None = None
    while not work.done():
        try:
            # The scope keeps anyio's cancellation out; from asyncio's `wait` keeps what is waited for.
            with CancelScope(shield=True):
                await wait([work])
        except CancelledError as error:
            cancelled = error
    if cancelled is not None:
        if not work.cancelled():
            work.exception()  # which nobody is there to be told
        raise cancelled
    return work.result()
