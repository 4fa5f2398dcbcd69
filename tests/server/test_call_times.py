"""When a call that runs says something, by a clock that waits for nobody."""

from functools import partial

import anyio
import pytest
from inline_snapshot import snapshot

from summarizer_tool.llm.options import Progress, RequestOptions
from summarizer_tool.server.calls import CallsInFlight, ProgressReport, TimeIsUpError
from tests.support import virtual_time


async def ignored(progress: float, total: float | None, message: str) -> None: ...


def test_a_call_is_never_silent_for_long() -> None:
    """Clients are promised a word every five seconds."""

    async def listen() -> list[tuple[float, str]]:
        heard: list[tuple[float, str]] = []

        async def send(progress: float, total: float | None, message: str) -> None:
            heard.append((anyio.current_time(), message))

        async with anyio.create_task_group() as tasks:
            report = ProgressReport(send)
            tasks.start_soon(report.run)
            await anyio.sleep(7)
            report.tell(Progress('map', 1, 2, 'chunk 1 of 2'))
            await anyio.sleep(5)
            tasks.cancel_scope.cancel()
        return heard

    assert virtual_time.run(listen) == snapshot(
        [
            (3.0, 'waiting (3 s so far)'),
            (6.0, 'waiting (6 s so far)'),
            (7.0, 'chunk 1 of 2'),
            (10.0, 'chunk 1 of 2 (10 s so far)'),
        ]
    )


async def work_for(seconds: float, *, of: float) -> None:
    await CallsInFlight(of).in_time(lambda _: anyio.sleep(seconds), ignored, arrived=0.0)


def test_the_time_of_a_call() -> None:
    """From its arrival: the work's deadline, a grace for what is nearly done, and the end for what ignores both."""

    async def start(calls: CallsInFlight, arrived: float) -> tuple[float, float, float]:
        async def ends(options: RequestOptions) -> tuple[float, float, float]:
            assert options.deadline is not None
            guard = anyio.current_effective_deadline()
            with options.deadline.answering() as answering:
                return options.deadline.at, answering.deadline, guard

        return await calls.in_time(ends, ignored, arrived=arrived)

    calls = [CallsInFlight(timeout) for timeout in (100.0, 10.0, 1.0)]
    assert [virtual_time.run(partial(start, each, 0.0)) for each in calls] == snapshot(
        [(95.0, 97.25, 99.5), (9.0, 9.25, 9.5), (0.5, 0.725, 0.95)]
    )
    waited = virtual_time.run(lambda: start(CallsInFlight(100.0), -60.0))
    assert waited == snapshot((35.0, 37.25, 39.5))


def test_what_ignores_its_deadline_ends_before_the_client_gives_up() -> None:
    async def ended_at(call_seconds: float) -> float:
        with pytest.raises(TimeIsUpError):
            await work_for(3600, of=call_seconds)
        return anyio.current_time()

    assert virtual_time.run(lambda: ended_at(100)) == 99.5


def test_a_server_that_stops_brings_calls_to_an_end() -> None:
    async def stop() -> tuple[float, float, float]:
        calls = CallsInFlight(100.0)

        async def late(options: RequestOptions) -> float:
            assert options.deadline is not None
            return options.deadline.seconds

        async def early(options: RequestOptions) -> tuple[float, float, float]:
            assert options.deadline is not None
            await anyio.sleep(10)
            calls.bring_to_an_end(20)
            left = await calls.in_time(late, ignored, arrived=10.0)
            return options.deadline.at, anyio.current_effective_deadline(), left

        return await calls.in_time(early, ignored, arrived=0.0)

    assert virtual_time.run(stop) == snapshot((28.0, 30.0, 15.0))
