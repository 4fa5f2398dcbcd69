"""The MCP server: `summarizer serve`.

Worker processes import the main module, so that this one imports nothing large before `serve` is called.
"""

import gc
import logging
import os
import signal
import threading
from contextlib import asynccontextmanager, closing
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from socket import socket

    from anyio import Event

    from summarizer_tool.runtime.executors import WorkerProcesses
    from summarizer_tool.server.calls import MakeServed, Served
    from summarizer_tool.server.tools import Tools
    from summarizer_tool.settings import Settings
    from summarizer_tool.store.source_store import SourceStore

MAX_WORKERS = 4
"""Processes that are started where the settings name no number; more of them cost memory, 100 MB each."""

HANGING_SECONDS = 5.0
"""What has not ended so long after the grace period never will, such as a client that reads no stdout."""

_logger = logging.getLogger('summarizer_tool')


@asynccontextmanager
async def make_tools(settings: 'Settings') -> 'AsyncGenerator[Tools]':
    """Everything that answers calls, for the length of the block."""
    import anyio

    from summarizer_tool.mapreduce import extractive_fallback
    from summarizer_tool.runtime.executors import WorkerProcesses

    workers = WorkerProcesses(worker_processes(settings), prepare=extractive_fallback.load)
    tools = await anyio.to_thread.run_sync(_load, settings, workers if workers.processes else None)
    async with workers:
        with closing(tools.store):
            yield tools


def _load(settings: 'Settings', workers: 'WorkerProcesses | None') -> 'Tools':
    from summarizer_tool.mapreduce.summarizer import Summarizer
    from summarizer_tool.server.calls import CallsInFlight
    from summarizer_tool.server.tools import Tools
    from summarizer_tool.service.service import Setup

    setup = Setup.of(Summarizer(settings, workers=workers))
    return Tools(settings, setup, open_store(settings), CallsInFlight(settings.mcp_tool_timeout))


def worker_processes(settings: 'Settings') -> int:
    """How many processes compute for large requests."""
    if settings.worker_processes is not None:
        return settings.worker_processes
    available = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
    return min(available, MAX_WORKERS)


def open_store(settings: 'Settings') -> 'SourceStore':
    """The store, a file or a Postgres, since handles should outlive the server; raises `ConfigurationError`."""
    from platformdirs import user_data_path

    from summarizer_tool.errors import SummarizerError
    from summarizer_tool.store.source_store import SourceStore

    if settings.kept_in is not None:
        return SourceStore.open(settings)
    try:
        return SourceStore.open(settings, default=user_data_path('summarizer-tool') / 'store.sqlite3')
    except SummarizerError as error:
        _logger.warning('sources are kept in memory only: %s', error)
        return SourceStore.open(settings)


def serve(settings: 'Settings', make: 'MakeServed' = make_tools) -> None:
    """Serve until told to stop, by a signal or the end of stdin; by default the summarizer's own tools.

    Raises `ConfigurationError` if a setting is wrong, or the store or the address cannot be used.
    """
    import anyio

    anyio.run(_serve, settings, make)


async def _serve(settings: 'Settings', make: 'MakeServed') -> None:
    import anyio.to_thread

    async with _stop_signal(settings) as stop:
        if settings.mcp_transport == 'stdio':
            await anyio.to_thread.run_sync(_configure, settings)
            async with make(settings) as served:
                from summarizer_tool.server.stdio import talk

                _announce(settings, 'stdio', served)
                await talk(served, stop, settings.mcp_shutdown_grace_seconds)
        else:
            from summarizer_tool.server.front import PATH, listen

            with listen(settings) as listener:
                host, port = listener.getsockname()[:2]
                await anyio.to_thread.run_sync(_configure, settings)
                address = f'http://{f"[{host}]" if ":" in host else host}:{port}{PATH}'
                announce = partial(_announce, settings, address)
                await serve_http(settings, listener, stop, make=make, on_ready=announce)
    _logger.info('stopped')


def _configure(settings: 'Settings') -> None:
    from summarizer_tool import telemetry

    telemetry.configure(settings, libraries=('mcp', 'uvicorn', 'asyncio', 'anyio'))


async def serve_http(
    settings: 'Settings',
    listener: 'socket',
    stop: 'Event',
    *,
    make: 'MakeServed' = make_tools,
    on_ready: 'Callable[[Any], None]',
) -> None:
    """Serve everybody who connects, until told to stop; then let the calls that run come to an answer.

    The listener is closed at the end. Who connects before everything is loaded waits; `on_ready` is called when calls
    can be answered. What is made, and raised, is as for `serve`.
    """
    import anyio

    from summarizer_tool.server.front import HTTPServer

    async with make(settings) as served:
        from summarizer_tool.server.http import Gate, Sessions

        sessions = Sessions(settings, served.server())
        gate = Gate(settings, sessions.handle_request, knows=sessions.knows)
        http = HTTPServer(gate)
        async with sessions.run(), anyio.create_task_group() as tasks:
            tasks.start_soon(http.serve, [listener])
            on_ready(served)
            await stop.wait()
            http.stop_accepting()
            served.calls.bring_to_an_end(settings.mcp_shutdown_grace_seconds)
            await served.calls.none_runs()
            gate.close_streams()
            http.should_exit = True


def _announce(settings: 'Settings', address: str, served: 'Served') -> None:
    from importlib.metadata import version

    gc.freeze()  # what is loaded stays
    gc.enable()
    _logger.info(
        'serving',
        extra={
            'version': version('summarizer-tool'),
            'transport': settings.mcp_transport,
            'address': address,
            **served.facts(),
            'auth': bool(settings.mcp_auth_token),
        },
    )
    if settings.mcp_transport == 'stdio' or settings.mcp_auth_token:
        return
    from summarizer_tool.server.front import is_loopback

    if not is_loopback(settings.mcp_host):
        _logger.warning(
            'everybody who reaches this address may use the server: set MCP_AUTH_TOKEN',
            extra={'host': settings.mcp_host},
        )


@asynccontextmanager
async def _stop_signal(settings: 'Settings') -> 'AsyncGenerator[Event]':
    """An event that SIGTERM and SIGINT set; a second one ends the program at once, as does what hangs."""
    import asyncio

    import anyio

    stop = anyio.Event()
    loop = asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGINT)

    def begin() -> None:
        for number in signals:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        grace = settings.mcp_shutdown_grace_seconds
        _logger.info('stopping', extra={'grace_seconds': grace})
        last = threading.Timer(grace + HANGING_SECONDS, os._exit, [0])
        last.daemon = True
        last.start()
        stop.set()

    for number in signals:
        try:
            loop.add_signal_handler(number, begin)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(begin))
    yield stop
