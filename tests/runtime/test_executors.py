"""Where computing runs: in processes for large requests, in threads for small ones, never on the loop."""

import asyncio
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio
import pytest
from anyio import BrokenWorkerProcess
from anyio.lowlevel import checkpoint

from summarizer_tool import Document, ExtractiveModel, Settings, Summarizer
from summarizer_tool.runtime.executors import (
    LIGHT_CHARACTERS,
    THREADS,
    WorkerProcesses,
    in_io_thread,
    in_process,
    in_thread,
    request_load,
)
from tests.support.texts import CHRONICLE
from tests.support.worker_tasks import die, fail, hold, note, spin, where

pytestmark = pytest.mark.anyio

LARGE = LIGHT_CHARACTERS + 1


async def test_without_processes_a_thread_computes() -> None:
    for work in (in_thread, in_process):
        pid, is_main = await work(where)
        assert pid == os.getpid()
        assert not is_main


PROFILED = """
import anyio, asyncio, sys
from summarizer_tool.runtime.ending_threads import ComputingEndedError, EndableCall
from summarizer_tool.runtime.executors import in_thread

def nothing(): pass

async def end():
    loop = asyncio.get_running_loop()
    call = EndableCall(lambda: call.end(loop))
    try:
        await anyio.to_thread.run_sync(call)
    except ComputingEndedError:
        pass
    with anyio.move_on_after(0.01):
        await in_thread(lambda: [nothing() for _ in range(10 ** 8)])
    await asyncio.sleep(0.3)  # by then it has looked again whether it has ended

assert anyio.run(in_thread, len, 'text') == 4
if 'ended' in sys.argv:
    anyio.run(end)
seen = []
sys.setprofile(lambda frame, event, _: seen.append(f'{event} {frame.f_code.co_name}'))
nothing()
sys.setprofile(None)
print(seen[:2])
"""


@pytest.mark.parametrize('how', ['done', 'ended'])
def test_a_profiler_sees_what_follows_computing_in_a_thread(how: str) -> None:
    """An exception that was taken back and never raised makes CPython 3.11 trace one line for ever.

    In a process of its own, for another test may have ended a computation in this one.
    """
    seen = subprocess.run([sys.executable, '-c', PROFILED, how], capture_output=True, text=True, timeout=60, check=True)
    assert seen.stdout.strip() == "['call nothing', 'return nothing']"


async def test_calls_one_after_the_other_wait_in_one_thread_and_calls_at_once_do_not_wait_for_each_other() -> None:
    assert len({await in_io_thread(threading.get_ident) for _ in range(200)}) == 1

    met = threading.Barrier(3, timeout=20)
    async with anyio.create_task_group() as tasks:
        for _ in range(met.parties):
            tasks.start_soon(in_io_thread, met.wait)


async def test_a_call_that_asyncio_has_cancelled_keeps_nobody_waiting() -> None:
    goes_on, begun = threading.Event(), threading.Event()
    task = asyncio.ensure_future(in_io_thread(lambda: begun.set() or goes_on.wait(20)))
    await in_io_thread(begun.wait, 20)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert await in_io_thread(goes_on.is_set) is False
    goes_on.set()


async def test_large_requests_compute_in_a_process_and_small_ones_in_a_thread() -> None:
    async with WorkerProcesses(1) as workers:
        with request_load(LARGE, workers):
            assert (await in_process(where))[0] == os.getpid(), 'nobody waits for a process that is being started'
        await workers.run(where, 0.0)
        assert workers.are_ready
        with request_load(LARGE, workers):
            assert (await in_process(where))[0] != os.getpid()
            assert (await in_thread(where))[0] == os.getpid()
            with pytest.raises(ValueError, match='not so'):
                await in_process(fail, 'not so')
        with request_load(LIGHT_CHARACTERS, workers):
            assert (await in_process(where))[0] == os.getpid()
        assert (await in_process(where))[0] == os.getpid()


async def test_processes_import_nothing_from_the_folder_they_start_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'typing.py').write_text('raise SystemExit(9)')
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv('PYTHONSAFEPATH', raising=False)
    async with WorkerProcesses(1) as workers:
        assert (await workers.run(where, 0.0))[0] != os.getpid()


async def test_what_is_due_first_goes_first_and_who_is_cancelled_leaves_its_place(tmp_path: Path) -> None:
    async with WorkerProcesses(1) as workers:
        async with anyio.create_task_group() as group:
            group.start_soon(workers.run, partial(hold, f'{tmp_path}/go'), 0.0)
            await checkpoint()
            for name, due in (('c', 30.0), ('a', 10.0), ('b', 20.0)):
                group.start_soon(workers.run, partial(note, name, f'{tmp_path}/order'), due)
                await checkpoint()
            (tmp_path / 'go').touch()
        assert (tmp_path / 'order').read_text() == 'abc'

        running = asyncio.create_task(workers.run(partial(hold, f'{tmp_path}/never'), 0.0))
        await checkpoint()
        waiting = asyncio.create_task(workers.run(where, 1.0))
        await checkpoint()
        for task in (waiting, running):
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        with anyio.fail_after(20):
            assert (await workers.run(where, 0.0))[0] != os.getpid()


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ''


async def written(path: Path) -> str:
    """What another process or thread has written by now."""
    with anyio.fail_after(20):
        while not (text := _text(path)):  # noqa: ASYNC110 - nobody tells
            await anyio.sleep(0.01)
    return text


async def test_computing_that_nobody_waits_for_ends_with_its_process(tmp_path: Path) -> None:
    async with WorkerProcesses(1) as workers:
        computing = asyncio.create_task(workers.run(partial(spin, f'{tmp_path}/pid'), 0.0))
        process = int(await written(tmp_path / 'pid'))
        computing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await computing
        with anyio.fail_after(20):
            assert (await workers.run(where, 0.0))[0] != process
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


async def test_computing_that_nobody_waits_for_ends_in_its_thread(tmp_path: Path) -> None:
    ended = threading.Event()

    def compute(name: str) -> None:
        try:
            spin(f'{tmp_path}/{name}')
        finally:
            ended.set()

    for number in range(2 * THREADS):  # a thread that went on would keep its place
        ended.clear()
        computing = asyncio.create_task(in_thread(compute, f'{number}'))
        await written(tmp_path / f'{number}')
        computing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await computing
        assert await anyio.to_thread.run_sync(ended.wait, 20)
    with anyio.fail_after(20):
        assert (await in_thread(where))[0] == os.getpid()


async def test_an_import_is_not_left_half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'slow_to_import.py').write_text(
        f'from tests.support.worker_tasks import hold, note\n'
        f'note("x", {f"{tmp_path}/began"!r})\nhold({f"{tmp_path}/go"!r})\nready = True\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))  # pyright: ignore[reportUnknownMemberType]

    ended = threading.Event()

    def compute() -> None:
        try:
            importlib.import_module('slow_to_import')
            spin(f'{tmp_path}/spins')
        finally:
            ended.set()

    computing = asyncio.create_task(in_thread(compute))
    await written(tmp_path / 'began')
    computing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await computing
    (tmp_path / 'go').touch()
    assert await anyio.to_thread.run_sync(ended.wait, 20)
    assert sys.modules['slow_to_import'].ready


async def test_a_process_that_dies_is_replaced_and_a_thread_does_its_work() -> None:
    async with WorkerProcesses(1) as workers:
        with pytest.raises(BrokenWorkerProcess):
            await workers.run(die, 0.0)
        assert (await workers.run(where, 0.0))[0] != os.getpid()


async def test_a_summary_made_in_a_process_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('summarizer_tool.runtime.executors.LIGHT_CHARACTERS', len(CHRONICLE) - 1)
    settings = Settings(llm_model='extractive', default_chunk_size_tokens=1000)
    alone = await Summarizer(settings, model=ExtractiveModel()).summarize(CHRONICLE, max_output_tokens=800)
    async with WorkerProcesses(1) as workers:
        await workers.run(where, 0.0)
        summarizer = Summarizer(settings, model=ExtractiveModel(), workers=workers)
        beside = await summarizer.summarize([Document(CHRONICLE)], max_output_tokens=800)
    assert beside.text == alone.text
    assert beside.facts == alone.facts
    assert beside.parts == alone.parts


async def test_cancelled_computing_still_counts() -> None:
    running = most = 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        try:
            time.sleep(0.05)
        finally:
            with lock:
                running -= 1

    for _ in range(12):
        with anyio.move_on_after(0.005):
            await in_thread(work)
    with anyio.fail_after(20):
        await in_thread(work)
        await in_thread(work)
    assert most <= THREADS


@pytest.mark.skipif(not hasattr(signal, 'setitimer'), reason='there is no timer that ends a process')
async def test_idle_processes_end_and_start_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('summarizer_tool.runtime.executors.IDLE_SECONDS', 0.2)
    async with WorkerProcesses(1) as workers:
        first, _ = await workers.run(where, 0.0)
        with anyio.fail_after(20), suppress(ProcessLookupError):
            while True:
                os.kill(first, 0)
                await anyio.sleep(0.02)
        second, _ = await workers.run(where, 0.0)
        assert second not in (first, os.getpid())
