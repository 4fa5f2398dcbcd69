"""Timelines: one order for all, no gap and nothing twice, and nobody who follows can harm the run."""

import asyncio
import gc
import logging
import os
import random
import threading
import time
import weakref
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from inline_snapshot import snapshot

from researcher_integration.timeline import broker
from researcher_integration.timeline.broker import PAGE_EVENTS, Hub, Timeline
from researcher_integration.timeline.events import TimelineEvent, ToolResult
from researcher_integration.timeline.log import EventLog
from summarizer_tool import StoreError
from tests.support import forking
from tests.support.timeline import call, note, result

pytestmark = pytest.mark.anyio


async def all_of(events: AsyncGenerator[TimelineEvent]) -> list[TimelineEvent]:
    async with aclosing(events):
        return [event async for event in events]


async def take(events: AsyncGenerator[TimelineEvent], count: int) -> list[int]:
    return [(await anext(events)).seq for _ in range(count)]


async def test_a_run_from_its_beginning_to_its_end() -> None:
    told: list[TimelineEvent] = []
    async with Timeline('run-1') as timeline, anyio.create_task_group() as tasks:
        followed: list[TimelineEvent] = []

        async def follow() -> None:
            followed.extend(await all_of(timeline.follow()))

        tasks.start_soon(follow)
        told += [await timeline.emit(draft) for draft in call()]
        await timeline.close()
    assert [(event.seq, event.type) for event in followed] == snapshot(
        [
            (1, 'tool_call'),
            (2, 'tool_call'),
            (3, 'tool_result'),
            (4, 'tool_call.summarizing'),
            (5, 'summary.delta'),
            (6, 'summary.delta'),
            (7, 'summary.delta'),
            (8, 'tool_summary'),
        ]
    )
    assert told == followed
    assert {event.run_id for event in told} == {'run-1'}
    assert [event.time for event in told] == sorted(event.time for event in told)
    # Who comes later gets the same.
    assert await all_of(timeline.follow()) == told
    assert [event.seq for event in await all_of(timeline.follow(after=6))] == snapshot([7, 8])


async def test_the_order_is_that_of_the_calls_for_parallel_tools_too() -> None:
    async with Timeline('run') as timeline, anyio.create_task_group() as tasks:
        for number in range(60):
            tasks.start_soon(timeline.emit, result(str(number)))
    told = timeline.log.read('run')
    assert [event.seq for event in told] == list(range(1, 61))
    assert [cast('ToolResult', event).text for event in told] == [str(number) for number in range(60)]


@pytest.mark.parametrize('seed', range(6))
async def test_no_gap_and_nothing_twice_whenever_somebody_comes(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    count = 150
    with EventLog(tmp_path / 't.sqlite3') as log:
        seen: list[tuple[int, list[int]]] = []
        async with anyio.create_task_group() as tasks:
            timeline = Timeline('run', log=log)

            async def follow(after: int, delays: list[float]) -> None:
                got: list[int] = []
                async with aclosing(timeline.follow(after)) as events:
                    async for event in events:
                        got.append(event.seq)
                        if delays:
                            await anyio.sleep(delays.pop())
                seen.append((after, got))

            for number in range(count):
                await timeline.emit(note() if chance.random() < 0.5 else result(str(number)))
                if chance.random() < 0.15:
                    delays = [chance.choice([0, 0, 0.001]) for _ in range(20)]
                    tasks.start_soon(follow, chance.choice([0, 0, number // 2, number + 1]), delays)
                if chance.random() < 0.3:
                    await anyio.sleep(chance.choice([0, 0.001]))
            await timeline.close()
    assert len(seen) > 8
    for after, got in seen:
        assert got == list(range(after + 1, count + 1))


async def test_what_happens_while_the_log_is_read_comes_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    timeline = Timeline('run')
    await timeline.emit(result())
    read = timeline.log.read
    looking, go_on = threading.Event(), threading.Event()

    def slowly(run_id: str, *, after: int = 0, limit: int = 100) -> Sequence[TimelineEvent]:
        found = read(run_id, after=after, limit=limit)
        looking.set()
        assert go_on.wait(10)
        return found

    monkeypatch.setattr(timeline.log, 'read', slowly)
    followed: list[int] = []

    async def follow() -> None:
        followed.extend([event.seq for event in await all_of(timeline.follow())])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(follow)
        await anyio.to_thread.run_sync(looking.wait)
        await timeline.emit(result())
        await timeline.emit(note())
        await timeline.emit(result())
        go_on.set()
        await timeline.close()
    assert followed == [1, 2, 3, 4]


async def test_who_reads_slowly_misses_nothing() -> None:
    async with Timeline('run') as timeline:
        slow = timeline.follow()
        await timeline.emit(result('first'))
        assert await take(slow, 1) == [1]
        for _ in range(3 * PAGE_EVENTS):
            await timeline.emit(note('x' * 200_000))
        assert await take(slow, 3 * PAGE_EVENTS) == list(range(2, 3 * PAGE_EVENTS + 2))
        await slow.aclose()


@pytest.mark.parametrize('way', ['asyncio', 'anyio'])
async def test_what_was_being_written_when_the_run_was_cancelled_is_not_lost(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = EventLog()
    writing, go_on = threading.Event(), threading.Event()
    append = log.append

    def slowly(event: TimelineEvent) -> None:
        writing.set()
        assert go_on.wait(10)
        append(event)

    monkeypatch.setattr(log, 'append', slowly)
    timeline = Timeline('run', log=log)
    live = timeline.follow()
    first = asyncio.ensure_future(anext(live))

    async def release() -> None:
        await anyio.to_thread.run_sync(writing.wait)
        if way == 'asyncio':
            task.cancel()
        else:
            scope.cancel()
        await anyio.sleep(0.02)
        go_on.set()

    scope = anyio.CancelScope()

    async def emit() -> None:
        with scope:
            await timeline.emit(result())
            await anyio.lowlevel.checkpoint()
            raise AssertionError('it was not cancelled')

    task = asyncio.ensure_future(emit())
    await release()
    await asyncio.wait([task])
    assert task.cancelled() is (way == 'asyncio')
    assert (await first).seq == 1
    assert (await timeline.emit(result())).seq == 2
    assert [event.seq for event in log.read('run')] == [1, 2]
    await timeline.close()
    assert await all_of(live) != []


async def test_a_log_that_fails_does_not_end_the_run(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError('the disk is full of lamp-oil')

    async with Timeline('run') as timeline:
        monkeypatch.setattr(timeline.log, 'append', fail)
        told = [await timeline.emit(result()) for _ in range(2)]
    assert [event.seq for event in told] == [1, 2]
    assert [record.message for record in caplog.records] == snapshot(
        ['the log of timelines fails; the run goes on, and its events are lost']
    )
    assert 'lamp-oil' not in caplog.text


async def test_what_comes_after_the_end_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    timeline = Timeline('run')
    await timeline.close()
    await timeline.close()
    draft = result()
    assert await timeline.emit(draft) is draft
    assert await all_of(timeline.follow()) == []
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


async def test_who_follows_is_let_go_by_a_run_whose_log_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub()
    timeline = hub.open('run')
    await timeline.emit(result())

    def full(*_: object) -> None:
        raise StoreError('the disk is full')

    monkeypatch.setattr(hub.log, 'append', full)
    monkeypatch.setattr(hub.log, 'end', full)
    followed = asyncio.ensure_future(all_of(hub.follow('run')))
    await timeline.emit(result())
    await timeline.close()
    with anyio.fail_after(10):
        assert [event.seq for event in await followed] == [1]


async def test_who_waits_does_not_look_into_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Timeline('run') as timeline:
        await timeline.emit(result())
        reads: list[int] = []
        read = timeline.log.read

        def counted(run_id: str, *, after: int = 0, limit: int = 100) -> Sequence[TimelineEvent]:
            reads.append(after)
            return read(run_id, after=after, limit=limit)

        monkeypatch.setattr(timeline.log, 'read', counted)
        monkeypatch.setattr(broker, 'POLL_SECONDS', 0.01)
        events = timeline.follow()
        assert await take(events, 1) == [1]
        waiting = asyncio.ensure_future(anext(events))
        await anyio.sleep(0.2)
        await timeline.emit(result())
        assert (await waiting).seq == 2
        assert len(reads) < 6
        await events.aclose()


async def test_a_run_that_goes_on_later_goes_on_counting(tmp_path: Path) -> None:
    path = tmp_path / 't.sqlite3'
    with EventLog(path) as log:
        timeline = Timeline('run', log=log)
        for _ in range(3):
            await timeline.emit(result())
            await timeline.emit(note())
        # The process dies here, without closing anything.
    with EventLog(path) as log:
        async with Timeline('run', log=log) as timeline:
            again = await timeline.emit(result('again'))
            assert again.seq == 7
            await timeline.emit(note())
        async with Timeline('run', log=log) as timeline:
            assert (await timeline.emit(result())).seq == 9
        assert [event.seq for event in await all_of(timeline.follow(after=4))] == [5, 6, 7, 8, 9]


async def test_others_may_follow_and_emit_from_other_threads() -> None:
    async with Timeline('run') as timeline:
        await timeline.emit(result())
        ready = threading.Event()

        def follow() -> list[int]:
            async def all_seqs() -> list[int]:
                seen: list[int] = []
                async with aclosing(timeline.follow()) as events:
                    async for event in events:
                        seen.append(event.seq)
                        ready.set()
                return seen

            return asyncio.run(all_seqs())

        def emit() -> None:
            for _ in range(20):
                asyncio.run(cast('Any', timeline.emit(note())))

        seen: list[list[int]] = []

        async def in_thread() -> None:
            seen.append(await anyio.to_thread.run_sync(follow))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(in_thread)
            await anyio.to_thread.run_sync(ready.wait)
            async with anyio.create_task_group() as emitting:
                emitting.start_soon(anyio.to_thread.run_sync, emit)
                for _ in range(20):
                    await timeline.emit(result())
            await timeline.close()
        assert seen == [list(range(1, 42))]


async def test_a_log_is_read_by_so_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reading: set[int] = set()
    most: list[int] = []

    def read(_log: EventLog, _run_id: str) -> None:
        reading.add(threading.get_ident())
        most.append(len(reading))
        time.sleep(0.01)
        reading.discard(threading.get_ident())

    monkeypatch.setattr(EventLog, 'run', read)
    hub = Hub()
    async with anyio.create_task_group() as tasks:
        for _ in range(100):
            tasks.start_soon(hub.run, 'run')
    assert (len(most), max(most) <= 40) == (100, True)


async def test_names_of_runs() -> None:
    with pytest.raises(ValueError, match='run_id has 0 characters; 1 to 200 are possible'):
        Timeline('')
    with pytest.raises(ValueError, match='run_id has 201 characters'):
        Timeline('x' * 201)
    hub = Hub()
    timeline = hub.open('run')
    with pytest.raises(ValueError, match='the run run is live already'):
        hub.open('run')
    await timeline.close()
    await hub.open('run').close()


async def test_a_hub_lets_go_of_runs_that_have_ended() -> None:
    hub = Hub()
    ended = hub.open('first')
    await ended.close()
    hub.open('second')
    known = weakref.ref(ended)
    del ended
    for _ in range(500):  # its thread ends by itself
        gc.collect()
        if known() is None:
            break
        await anyio.sleep(0.01)
    assert known() is None


async def test_a_hub_knows_the_runs_of_its_process() -> None:
    hub = Hub()
    async with hub.open('first') as first:
        await first.emit(result())
    second = hub.open('second')
    assert [(run.run_id, run.is_closed, run.events) for run in await hub.runs()] == snapshot(
        [('second', False, 0), ('first', True, 1)]
    )
    assert await hub.run('third') is None
    events = hub.follow('second')
    waiting = asyncio.ensure_future(anext(events))
    await second.emit(note())
    assert (await waiting).seq == 1
    await second.close()
    assert await all_of(events) == []
    assert [event.seq for event in await all_of(hub.follow('first'))] == [1]
    assert await all_of(hub.follow('third')) == []


async def test_a_run_of_another_process_is_followed_by_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, 'POLL_SECONDS', 0.01)
    path = tmp_path / 't.sqlite3'
    with EventLog(path) as log:
        hub = Hub(log)
        source, stdin = os.pipe()
        writer = forking.start('tests.support.timeline', path, environment={**os.environ}, files=(source, 1, 2))
        os.close(source)
        with anyio.fail_after(60):
            while (run := await hub.run('far')) is None or not run.events:  # noqa: ASYNC110
                await anyio.sleep(0.01)
            events = hub.follow('far')
            assert await take(events, 1) == [1]
            os.write(stdin, b'\n')
            os.close(stdin)
            texts = [event.text for event in await all_of(events) if isinstance(event, ToolResult)]
            assert await anyio.to_thread.run_sync(writer.wait) == 0
    assert texts == [str(number) for number in range(1, 120)]
