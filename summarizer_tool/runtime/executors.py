"""Where computing runs: worker processes for large requests, if there are any, else threads; never the event loop."""

import os
import signal
import time
from asyncio import CancelledError, Semaphore, Task, create_task, get_running_loop, shield, wait
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from functools import cache, partial
from logging import getLogger
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar, cast

import anyio.to_process
import anyio.to_thread
from anyio import BrokenWorkerProcess, CancelScope, CapacityLimiter
from anyio.lowlevel import RunVar

from summarizer_tool.runtime.ending_threads import EndableCall
from summarizer_tool.runtime.turns import Place, Turns

P = ParamSpec('P')
T = TypeVar('T')

THREADS = 2
"""Computing threads at once, for each event loop and kind of request; one for each request, since the interpreter runs
one at a time: a second one costs a request a fifth more processor time and a tenth more of the clock's."""

IO_THREADS = 40
"""Calls that wait for a disk or a database at once, for each event loop."""

LIGHT_CHARACTERS = 40_000
"""A request up to this size (about 10,000 tokens) computes in threads of its own, which no large one keeps it from."""

CHARACTERS_PER_SECOND = 160_000
"""About what one process compresses: a large request lets those go first that would be done before it."""

IDLE_SECONDS = 300.0
"""A process that has had nothing to do for so long ends, and gives its memory back: 150 MB."""

NICENESS = 5
"""Worker processes give way to the event loop."""

_UNLIMITED = cast('CapacityLimiter', nullcontext())
"""The bound is that of `Turns`. Entering this lets nobody else run, who could take the process in between."""

_logger = getLogger('summarizer_tool')

_threads: RunVar[Turns] = RunVar('summarizer_tool_threads')
_light_threads: RunVar[Turns] = RunVar('summarizer_tool_light_threads')
_io_threads: RunVar[tuple[CapacityLimiter, list[ThreadPoolExecutor]]] = RunVar('summarizer_tool_io_threads')
"""Not those that compute: tiktoken takes half as long again in each thread but the first that it was called in.

The one that was idle last is taken first: a pool of several starts one more now and then, though one is about to be
idle, and each keeps some 10 MB of what it has used."""


@dataclass(frozen=True, slots=True)
class _Load:
    """The size of the request at hand, and when it is due."""

    workers: 'WorkerProcesses | None' = None
    is_light: bool = False
    due: float = 0.0
    """By the monotonic clock; what is due first goes first."""
    turn: Semaphore = field(default_factory=partial(Semaphore, 1))
    """Of what is computed for it in threads."""


_load: ContextVar[_Load | None] = ContextVar('summarizer_tool_load', default=None)


@contextmanager
def request_load(characters: int, workers: 'WorkerProcesses | None') -> Generator[None]:
    """Say how large the request is that this task and its children work on, and which processes may compute for it."""
    is_light = characters <= LIGHT_CHARACTERS
    due = time.monotonic() + characters / CHARACTERS_PER_SECOND
    token = _load.set(_Load(None if is_light else workers, is_light, due))
    try:
        yield
    finally:
        _load.reset(token)


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run pure computing in a thread; a caller that is cancelled does not wait for it, and it ends soon."""
    # What belongs to no request of a known size is small: an outline, a last line.
    load = _load.get() or _Load(is_light=True, due=time.monotonic())
    lane = _light_threads if load.is_light else _threads
    if (turns := lane.get(None)) is None:
        lane.set(turns := Turns(THREADS))
    async with load.turn:
        place = await turns.take(load.due)
        call = EndableCall(partial(function, *args, **kwargs))
        # Abandoned only at the end of the event loop.
        task = create_task(anyio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=_UNLIMITED))
        _computing.add(task)

        def end(task: 'Task[Any]') -> None:
            _computing.discard(task)
            turns.give_back(place)  # not before the thread is done, whoever has stopped waiting for it
            if not task.cancelled():
                task.exception()

        task.add_done_callback(end)
        try:
            return await shield(task)
        except CancelledError:
            call.end(get_running_loop())
            raise


_computing: set[Task[Any]] = set()


async def in_io_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run code that waits for a disk rather than computes; it is not kept waiting by what computes."""
    if (threads := _io_threads.get(None)) is None:
        _io_threads.set(threads := (CapacityLimiter(IO_THREADS), [ThreadPoolExecutor(1) for _ in range(IO_THREADS)]))
    limit, idle = threads
    call = partial(copy_context().run, partial(function, *args, **kwargs))
    async with limit:  # nothing is begun that is late already
        thread = idle.pop()
        done = get_running_loop().run_in_executor(thread, call)
        try:
            with CancelScope(shield=True):
                await done
        finally:  # what asyncio itself has cancelled goes on in its thread
            idle.append(ThreadPoolExecutor(1) if done.cancelled() else thread)
    return done.result()


async def in_process(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run heavy computing in a worker process, if the request is large and there are any; else as `in_thread` does.

    It is a function of a module; what it is given and what it returns can be pickled.
    """
    load = _load.get()
    if load is not None and load.workers is not None and load.workers.are_ready:
        try:
            return await load.workers.run(partial(function, *args, **kwargs), load.due)
        except BrokenWorkerProcess:
            _logger.warning('a worker process has died; its work is done in a thread')
    return await in_thread(function, *args, **kwargs)


class WorkerProcesses:
    """Processes that compute for large requests, at lower priority than the event loop.

    They belong to the event loop that entered the context, and end with it or with this process, however that ends:
    their work comes by pipe. What is idle ends, too; when it is needed again, another starts in a second or two. They
    import nothing from the folder that this process runs in.
    """

    def __init__(self, processes: int, *, prepare: Callable[[], object] = os.getpid) -> None:
        """Make a pool; its processes start when it is entered, and are ready when each has called `prepare`."""
        self.processes = processes
        self.are_ready = False
        """Whether a process runs already."""
        self._prepare = prepare
        self._turns = Turns(processes)
        self._running: dict[Task[Any], CancelScope] = {}

    async def __aenter__(self) -> Self:
        """Start the processes in the background."""
        os.environ.setdefault('PYTHONSAFEPATH', '1')
        while self._turns.free:
            self._start(self._prepare, self._turns.take_free()).add_done_callback(self._warmed_up)
        return self

    def _warmed_up(self, task: 'Task[Any]') -> None:
        self.are_ready |= not task.cancelled() and task.exception() is None

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End what the processes compute."""
        for scope in self._running.values():
            scope.cancel()
        if running := list(self._running):
            with CancelScope(shield=True):
                await wait(running, timeout=_STARTING_SECONDS)
                for task in running:
                    task.cancel()
                await wait(running, timeout=_STARTING_SECONDS)

    async def run(self, function: Callable[[], T], due: float) -> T:
        """Run a function in the next free process: that of the client who has had least, and what is due first.

        When the caller is cancelled, the process that computes for it is killed.

        Raises:
            BrokenWorkerProcess: If the process dies.
        """
        task = self._start(function, await self._turns.take(due))
        try:
            return await shield(task)
        except CancelledError:
            if scope := self._running.get(task):
                scope.cancel()
            raise

    def _start(self, function: Callable[[], T], place: Place) -> 'Task[T]':
        scope = CancelScope()
        task = create_task(_computed(function, scope))
        self._running[task] = scope
        task.add_done_callback(partial(self._done, place))
        return task

    def _done(self, place: Place, task: 'Task[Any]') -> None:
        del self._running[task]
        if not task.cancelled():
            task.exception()  # whoever has waited for it has had it
        self._turns.give_back(place)


async def _computed(function: Callable[[], T], scope: CancelScope) -> T:
    """Run a function in a worker process, which is killed when the scope is cancelled."""
    # One that is cancelled before it has said that it is there would be forgotten, and stay.
    try:
        await anyio.to_process.run_sync(_wake_up, limiter=_UNLIMITED)
    except BrokenWorkerProcess:  # it has just ended, since it was idle
        await anyio.to_process.run_sync(_wake_up, limiter=_UNLIMITED)
    if scope.cancel_called:
        raise CancelledError
    with scope:
        return await anyio.to_process.run_sync(_work, function, IDLE_SECONDS, cancellable=True, limiter=_UNLIMITED)
    raise BrokenWorkerProcess


_STARTING_SECONDS = 0.5


@cache
def _set_up() -> None:
    """Let a worker process ignore the signals that are for its parent, and give way to it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if hasattr(os, 'nice'):
        os.nice(NICENESS)


def _end_after(seconds: float) -> None:
    """Let a worker process end in so many seconds, or not at all with 0."""
    if hasattr(signal, 'setitimer'):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _wake_up() -> None:
    _end_after(0)
    _set_up()


def _work(function: Callable[[], T], idle_seconds: float) -> T:
    try:
        return function()
    finally:
        _end_after(idle_seconds)
