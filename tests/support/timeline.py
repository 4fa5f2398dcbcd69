"""Timelines for tests: what a run emits, and a server that shows it.

`python -m tests.support.timeline LOG` writes a long run: its first event, and the others when there is a line on stdin;
with a PORT it serves the log there.
"""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread

import anyio
import uvicorn
from pydantic import SecretStr
from starlette.applications import Starlette

from researcher_integration.timeline.app import timeline_app
from researcher_integration.timeline.broker import Hub, Timeline
from researcher_integration.timeline.events import Draft, Summarizing, SummaryDelta, ToolCall, ToolResult, ToolSummary
from researcher_integration.timeline.log import EventLog
from tests.support.server_process import free_port as free_port

FACTS = ('37 pods are in CrashLoopBackOff', 'ferry-gate-7 was last seen at 04:12', 'the lamp at Otter Stair is out')


def call(
    call_id: str = 'c1', facts: tuple[str, ...] = FACTS, text: str = 'pod ferry-gate-7 CrashLoopBackOff\n'
) -> list[Draft]:
    """What is emitted for one large result, in order."""
    return [
        ToolCall(call_id=call_id, status='started', server='ferry', tool='list_pods', arguments={'zone': 'Kelderwick'}),
        ToolCall(
            call_id=call_id,
            status='completed',
            server='ferry',
            tool='list_pods',
            size_characters=90_000,
            size_tokens=31_000,
        ),
        ToolResult(call_id=call_id, text=text, source_id='src_0123456789ab'),
        Summarizing(call_id=call_id, estimated_tokens=31_000),
        *(SummaryDelta(call_id=call_id, index=index, text=fact) for index, fact in enumerate(facts)),
        ToolSummary(
            call_id=call_id,
            text='\n'.join(facts),
            original_tokens=31_000,
            summary_tokens=42,
            model='extractive',
            source_id='src_0123456789ab',
        ),
    ]


def note(text: str = 'a fact', call_id: str = 'c1', index: int = 0) -> SummaryDelta:
    """A fact of a summary."""
    return SummaryDelta(call_id=call_id, index=index, text=text)


def result(text: str = 'all is well', call_id: str = 'c1') -> ToolResult:
    """What a tool has answered."""
    return ToolResult(call_id=call_id, text=text)


@dataclass
class Shown:
    """A server that shows timelines, in a thread."""

    url: str
    server: uvicorn.Server
    thread: Thread

    def stop(self) -> None:
        """End it, and the streams that are open."""
        self.server.should_exit = True
        self.thread.join(timeout=20)
        assert not self.thread.is_alive()


def _configured(app: Starlette, port: int) -> uvicorn.Config:
    return uvicorn.Config(app, port=port, lifespan='off', log_level='error', timeout_graceful_shutdown=1)


def start(source: Hub | EventLog, *, token: str | None = None, port: int = 0) -> Shown:
    """Serve timelines on 127.0.0.1 in a thread."""
    port = port or free_port()
    app = timeline_app(source, token=None if token is None else SecretStr(token))
    server = uvicorn.Server(_configured(app, port))
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started:
        assert thread.is_alive(), 'the server has ended'
        assert time.monotonic() < deadline, 'the server does not start'
        time.sleep(0.005)
    return Shown(f'http://127.0.0.1:{port}', server, thread)


@contextmanager
def shown(source: Hub | EventLog, *, token: str | None = None) -> Generator[Shown]:
    """Serve timelines for the length of the block."""
    served = start(source, token=token)
    try:
        yield served
    finally:
        served.stop()


async def _write(log: str) -> None:
    async with Timeline('far', log=EventLog(log)) as timeline:
        await timeline.emit(result('0'))
        sys.stdin.readline()
        for number in range(1, 120):
            await timeline.emit(note(index=number))
            await timeline.emit(result(str(number)))
            if number % 40 == 0:
                await anyio.sleep(0.1)


if __name__ == '__main__':
    if len(sys.argv) > 2:
        uvicorn.Server(_configured(timeline_app(EventLog(sys.argv[1])), int(sys.argv[2]))).run()
    else:
        anyio.run(_write, sys.argv[1])
