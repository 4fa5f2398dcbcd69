"""The MCP server for tests: in a thread of its own for most, as a process where signals or pipes matter.

with serve(mcp_auth_token='secret') as server:
    async with server.client(token='secret') as client:
        ...
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import anyio
import anyio.from_thread
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from summarizer_tool.server.calls import MakeServed
from summarizer_tool.server.front import listen
from summarizer_tool.server.main import make_tools, serve_http
from summarizer_tool.server.tools import Tools
from summarizer_tool.settings import Settings
from tests.support import forking
from tests.support.forking import ForkedProcess
from tests.support.server_process import free_port as free_port

Mode = Literal['auto', 'legacy']

COMMAND = (sys.executable, '-m', 'summarizer_tool', 'serve')

START_SECONDS = 30.0

INITIALIZE: dict[str, Any] = {
    'jsonrpc': '2.0',
    'id': 1,
    'method': 'initialize',
    'params': {
        'protocolVersion': '2025-11-25',
        'capabilities': {},
        'clientInfo': {'name': 'test', 'version': '1'},
    },
}
"""The first message of a client of the older protocol."""


async def until(is_so: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something is so."""
    with anyio.fail_after(seconds):
        while not is_so():  # noqa: ASYNC110 - it is so in another thread or process
            await anyio.sleep(0.02)


def text_of(result: CallToolResult) -> str:
    """The one text of a result."""
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


def meta_of(result: CallToolResult) -> dict[str, Any]:
    """What a result says besides its text, without the namespace."""
    return {
        name.removeprefix('summarizer/'): value
        for name, value in (result.meta or {}).items()
        if name.startswith('summarizer/')
    }


@asynccontextmanager
async def connect(url: str, *, token: str = '', mode: Mode = 'auto', **options: Any) -> AsyncGenerator[Client]:
    """A client of the server at a URL."""
    headers = {'Authorization': f'Bearer {token}'} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30, read=60)) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, **options) as client,
    ):
        yield client


@dataclass
class Served:
    """A server that runs in a thread."""

    port: int
    tools: Tools

    @property
    def origin(self) -> str:
        return f'http://127.0.0.1:{self.port}'

    @property
    def url(self) -> str:
        return f'{self.origin}/mcp'

    def client(self, *, token: str = '', mode: Mode = 'auto', **options: Any) -> AbstractAsyncContextManager[Client]:
        return connect(self.url, token=token, mode=mode, **options)


@contextmanager
def serve(make: MakeServed = make_tools, **settings: Any) -> Generator[Served]:
    """Run a server on a free port of 127.0.0.1 for the length of the block; keyless, and with a store in memory."""
    given = {'llm_model': 'extractive', 'store': ':memory:', 'worker_processes': 0, 'mcp_summarizer_port': 0}
    loaded = Settings.load(**{**given, **settings})

    async def run(*, task_status: anyio.abc.TaskStatus[tuple[Served, anyio.Event]]) -> None:
        stop = anyio.Event()
        with listen(loaded) as listener:

            def say(tools: Tools) -> None:
                task_status.started((Served(listener.getsockname()[1], tools), stop))

            await serve_http(loaded, listener, stop, make=make, on_ready=say)

    with anyio.from_thread.start_blocking_portal() as portal:
        running, (served, stop) = portal.start_task(run)
        try:
            yield served
        finally:
            portal.call(stop.set)
            running.result(timeout=30)


@dataclass
class Program:
    """A server that runs as a process."""

    process: subprocess.Popen[bytes] | ForkedProcess
    port: int
    log: Path

    @property
    def url(self) -> str:
        return f'http://127.0.0.1:{self.port}/mcp'

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Tell it to end, and wait.

        Returns:
            Its exit code.
        """
        self.process.send_signal(number)
        return self.process.wait(timeout=30)


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of a server process: keyless, with a store in memory and no worker processes."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith('MCP_')},
        'LLM_MODEL': 'extractive',
        'SUMMARIZER_STORE': ':memory:',
        'SUMMARIZER_WORKER_PROCESSES': '0',
        **variables,
    }


@contextmanager
def program(
    folder: Path, *, is_forked: bool = False, command: Sequence[str] = COMMAND, **variables: str
) -> Generator[Program]:
    """Run `summarizer serve` on a free port until the block ends, and wait until it is healthy.

    Args:
        folder: Its working directory; what it prints goes to `stdout` there.
        is_forked: Whether it is forked, so that all that it needs is imported already.
        command: What starts it otherwise.
        variables: Of its environment.
    """
    port = free_port()
    log = folder / f'server-{port}.log'
    given = environment(variables)
    with log.open('wb') as stderr, (folder / 'stdout').open('wb') as stdout, Path(os.devnull).open('rb') as stdin:
        if is_forked:
            files = (stdin.fileno(), stdout.fileno(), stderr.fileno())
            process = forking.start(*COMMAND[2:], '--port', str(port), environment=given, files=files, cwd=folder)
        else:
            process = subprocess.Popen(
                [*command, '--port', str(port)], env=given, cwd=folder, stdin=stdin, stdout=stdout, stderr=stderr
            )
    try:
        wait_until_healthy(port, process)
        yield Program(process, port, log)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()


forked_program = partial(program, is_forked=True)


def wait_until_healthy(port: int, process: subprocess.Popen[bytes] | ForkedProcess) -> float:
    """Ask for `/health` until it answers.

    Returns:
        Seconds it took.
    """
    started = time.monotonic()
    while time.monotonic() - started < START_SECONDS:
        assert process.poll() is None, f'the server has ended with {process.returncode}'
        try:
            if httpx2.get(f'http://127.0.0.1:{port}/health', timeout=1).status_code == 200:
                return time.monotonic() - started
        except httpx2.TransportError:
            time.sleep(0.02)
    raise TimeoutError(f'no answer within {START_SECONDS:g} s')
