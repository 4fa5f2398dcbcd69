"""Where computing runs: worker processes for large requests, if there are any, else threads; never the event loop."""

import heapq
import os
import signal
import time
from asyncio import Future, Task, TimerHandle, create_task, gather, get_running_loop, shield, wait
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial
from itertools import count
from logging import getLogger
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

import anyio.to_process
import anyio.to_thread
from anyio import BrokenWorkerProcess, CancelScope, CapacityLimiter
from anyio.lowlevel import RunVar

P = ParamSpec('P')
T = TypeVar('T')

THREADS = 2
"""Computing threads at once, for each event loop. The interpreter runs one at a time and more of them only get in each
other's way; the second one works while tiktoken, which frees the interpreter, encodes for the first."""

LIGHT_CHARACTERS = 40_000
"""A request up to this size (about 10,000 tokens) computes in threads of its own, which no large one keeps it from."""

HEAVY_CHARACTERS = 1_000_000
"""A request over this size waits for processes that are being started, rather than compute in threads meanwhile."""

CHARACTERS_PER_SECOND = 160_000
"""About what one process compresses: a large request lets those go first that would be done before it."""

IDLE_SECONDS = 30.0
"""Processes that have had nothing to do for so long end, and give their memory back: 150 MB each."""

NICENESS = 5
"""Worker processes give way to the event loop."""

_logger = getLogger('summarizer_tool')

_threads: RunVar[CapacityLimiter] = RunVar('summarizer_tool_threads')
_light_threads: RunVar[CapacityLimiter] = RunVar('summarizer_tool_light_threads')


@dataclass(frozen=True, slots=True)
class _Load:
    """The size of the request at hand, and when it is due."""

    workers: 'WorkerProcesses | None' = None
    is_light: bool = False
    is_heavy: bool = False
    due: float = 0.0
    """By the monotonic clock; what is due first goes first."""


_load: ContextVar[_Load | None] = ContextVar('summarizer_tool_load', default=None)


@contextmanager
def request_load(characters: int, workers: 'WorkerProcesses | None') -> Generator[None]:
    """Say how large the request is that this task and its children work on, and which processes may compute for it."""
    is_light = characters <= LIGHT_CHARACTERS
    due = time.monotonic() + characters / CHARACTERS_PER_SECOND
    is_heavy = characters > HEAVY_CHARACTERS
    token = _load.set(_Load(None if is_light else workers, is_light, is_heavy, due))
    try:
        yield
    finally:
        _load.reset(token)


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run pure computing in a thread; a caller that is cancelled does not wait for it."""
    load = _load.get()
    # What belongs to no request of a known size is small: an outline, a last line.
    lane = _threads if load is not None and not load.is_light else _light_threads
    try:
        limiter = lane.get()
    except LookupError:
        limiter = CapacityLimiter(THREADS)
        lane.set(limiter)
    place = object()
    await limiter.acquire_on_behalf_of(place)
    call = partial(function, *args, **kwargs)
    # Abandoned only at the end of the event loop.
    task = create_task(anyio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=CapacityLimiter(1)))
    _computing.add(task)

    def end(task: 'Task[Any]') -> None:
        _computing.discard(task)
        limiter.release_on_behalf_of(place)  # not before the thread is done, whoever has stopped waiting for it
        if not task.cancelled():
            task.exception()

    task.add_done_callback(end)
    return await shield(task)


_computing: set[Task[Any]] = set()


async def in_io_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run code that waits for a disk rather than computes; it is not kept waiting by what computes."""
    return await anyio.to_thread.run_sync(partial(function, *args, **kwargs))


async def in_process(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run heavy computing in a worker process, if the request is large and there are any; else as `in_thread` does.

    It is a function of a module; what it is given and what it returns can be pickled.
    """
    load = _load.get()
    if load is not None and load.workers is not None and (load.workers.are_ready() or load.is_heavy):
        try:
            return await load.workers.run(partial(function, *args, **kwargs), load.due)
        except BrokenWorkerProcess:
            _logger.warning('a worker process has died; its work is done in a thread')
    return await in_thread(function, *args, **kwargs)


class WorkerProcesses:
    """Processes that compute for large requests, at lower priority than the event loop.

    They belong to the event loop that entered the context. When all of them are idle they end, and are started again
    when needed, which takes a second or two. They end with this process, however that ends: their work comes by pipe.
    """

    def __init__(self, processes: int, *, prepare: Callable[[], object] = os.getpid) -> None:
        """Make a pool; its processes start when it is entered, and are ready when each has called `prepare`."""
        self.processes = processes
        self._prepare = prepare
        self._free = processes
        self._waiting: list[tuple[float, int, Future[None]]] = []
        self._order = count()
        self._running: set[Task[Any]] = set()
        self._idle: TimerHandle | None = None
        self._started = 0
        self._are_ready = False
        self._is_closed = False

    async def __aenter__(self) -> Self:
        """Start the processes in the background."""
        self._warm_up()
        return self

    def are_ready(self) -> bool:
        """Return whether a process runs already; where none does they are started now."""
        if not self._started:
            self._warm_up()
        return self._are_ready

    def _warm_up(self) -> None:
        while self._free > 0:
            self._free -= 1
            self._start(self._prepare).add_done_callback(self._warmed_up)

    def _warmed_up(self, task: 'Task[Any]') -> None:
        self._are_ready = self._started > 0 and not task.cancelled() and task.exception() is None

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes, and what they compute."""
        self._is_closed = True
        if self._idle is not None:
            self._idle.cancel()
        with CancelScope(shield=True):
            await gather(*(_end_one() for _ in range(self._started - len(self._running))))
            if running := list(self._running):
                # One that is cancelled before it has said that it is there would be forgotten.
                await wait(running, timeout=_STARTING_SECONDS)
                for task in running:
                    task.cancel()
                await wait(running, timeout=_STARTING_SECONDS)

    async def run(self, function: Callable[[], T], due: float) -> T:
        """Run a function in the next free process; what is due first goes first.

        A caller that is cancelled does not wait for it; what has begun runs to its end.

        Raises:
            BrokenWorkerProcess: If the process dies.
        """
        await self._turn(due)
        return await shield(self._start(function))

    def _start(self, function: Callable[[], T]) -> 'Task[T]':
        self._started = max(self._started, self.processes - self._free)
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        task = create_task(anyio.to_process.run_sync(_in_worker, function, limiter=_unlimited()))
        self._running.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: 'Task[Any]') -> None:
        self._running.discard(task)
        # Whoever has waited for it has had its exception.
        if not task.cancelled() and isinstance(task.exception(), BrokenWorkerProcess):
            self._started -= 1
        self._release()

    async def _turn(self, due: float) -> None:
        """Take a free process, or wait for one."""
        if self._free > 0:
            self._free -= 1
            return
        ready = get_running_loop().create_future()
        heapq.heappush(self._waiting, (due, next(self._order), ready))
        try:
            await ready
        except BaseException:
            if ready.done() and not ready.cancelled():  # the process was already on its way
                self._release()
            raise

    def _release(self) -> None:
        """Give a process to whoever is due first, or keep it free."""
        while self._waiting:
            _, _, ready = heapq.heappop(self._waiting)
            if not ready.done():
                ready.set_result(None)
                return
        self._free += 1
        if self._free == self.processes and not self._is_closed:
            self._idle = get_running_loop().call_later(IDLE_SECONDS, self._end_all)

    def _end_all(self) -> None:
        ending, self._started, self._are_ready = self._started, 0, False
        for _ in range(ending):
            task = create_task(_end_one())
            self._running.add(task)
            task.add_done_callback(self._running.discard)


def _unlimited() -> CapacityLimiter:
    """The bound is `WorkerProcesses`' own, which knows what is due."""
    return CapacityLimiter(1)


_ENDING_SECONDS = 0.1
_STARTING_SECONDS = 0.5


async def _end_one() -> None:
    """End an idle process."""
    # A process that is cancelled while it works is killed and waited for; one that left by itself would be missed.
    with anyio.move_on_after(_ENDING_SECONDS), suppress(BrokenWorkerProcess):
        await anyio.to_process.run_sync(time.sleep, 3600, cancellable=True, limiter=_unlimited())


def _in_worker(function: Callable[[], T]) -> T:
    """Run a function in a worker process."""
    _set_up()
    return function()


@cache
def _set_up() -> None:
    """Let a worker process ignore the signals that are for its parent, and give way to it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if hasattr(os, 'nice'):
        os.nice(NICENESS)
