"""The server as a program: how it starts, stops, and what it writes where."""

import json
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from inline_snapshot import snapshot
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from summarizer_tool import Document
from tests.support import forking, provider, replies, serving
from tests.support.provider import Provider
from tests.support.replies import Behaviour, Hang
from tests.support.serving import Mode, meta_of, text_of
from tests.support.texts import CHRONICLE, HARBOUR

STDIO = ['-m', 'summarizer_tool', 'serve', '--transport', 'stdio']


def run(*arguments: str, stdin: bytes = b'', **variables: str) -> 'subprocess.CompletedProcess[bytes]':
    environment = serving.environment(variables)
    if arguments[0] == '-m':
        return forking.run(*arguments[1:], environment=environment, stdin=stdin)
    command = [sys.executable, *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=False, env=environment)


def log_of(text: str | bytes) -> list[dict[str, Any]]:
    """The lines of a log, all of which are JSON."""
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ('variables', 'line'),
    [
        ({'MCP_SUMMARIZER_PORT': 'http'}, 'MCP_SUMMARIZER_PORT=http must be a valid integer'),
        ({'MCP_TRANSPORT': 'sse'}, "MCP_TRANSPORT=sse must be 'streamable-http' or 'stdio'"),
        ({'LLM_MODEL': 'openai/gpt-4o-mini', 'MCP_SUMMARIZER_PORT': '0'}, 'set OPENROUTER_API_KEY'),
        ({'SUMMARIZER_STORE': '/dev/null/store', 'MCP_SUMMARIZER_PORT': '0'}, 'SUMMARIZER_STORE'),
        ({'MCP_HOST': '192.0.2.1'}, 'MCP_HOST=192.0.2.1 MCP_SUMMARIZER_PORT=8007: cannot listen there'),
    ],
)
def test_a_wrong_setting_ends_it_with_one_line(variables: dict[str, str], line: str) -> None:
    done = run('-m', 'summarizer_tool', 'serve', **variables)
    assert (done.returncode, done.stdout) == (2, b'')
    assert line in done.stderr.decode()
    assert done.stderr.count(b'\n') == 1


def test_options() -> None:
    assert b'--transport' in run('-m', 'summarizer_tool', 'serve', '--help').stdout
    wrong = run('-m', 'summarizer_tool', 'serve', '--port', '99999', MCP_HOST='192.0.2.1')
    assert (
        wrong.stderr == b'summarizer: invalid settings: MCP_SUMMARIZER_PORT=99999 must be less than or equal to 65535\n'
    )
    done = run('-m', 'summarizer_tool', 'serve', '--transport', 'stdio', '--model', 'extractive')
    assert (done.returncode, done.stdout) == (0, b'')


def test_importing_the_module_is_cheap() -> None:
    done = run(
        '-c', 'import sys, summarizer_tool.server.main; print(*sorted({name.split(".")[0] for name in sys.modules}))'
    )
    assert not {'mcp', 'pydantic_ai', 'logfire', 'uvicorn', 'anyio', 'pydantic'} & set(done.stdout.decode().split())


def test_a_default_store_that_cannot_be_written(tmp_path: Path) -> None:
    """Sources are kept in memory, and the log says so."""
    blocked = tmp_path / 'file'
    blocked.touch()
    with serving.forked_program(tmp_path, SUMMARIZER_STORE='', XDG_DATA_HOME=str(blocked)) as server:
        assert server.stop() == 0
        records = log_of(server.log.read_text())
    assert [record['message'].partition(':')[0] for record in records if record['level'] == 'WARNING'] == [
        'sources are kept in memory only'
    ]
    [serving_] = [record for record in records if record['message'] == 'serving']
    assert serving_['store'] == ':memory:'


def test_what_is_logged(tmp_path: Path) -> None:
    """JSON lines on stderr, nothing on stdout, no content and no token anywhere."""

    async def use() -> None:
        async with serving.connect(server.url, token='hunter2') as client:
            await client.call_tool('summarize', {'content': CHRONICLE, 'max_output_tokens': 400})
            await client.call_tool('summarize', {'content': 'a', 'max_output_tokens': -1})

    with serving.forked_program(tmp_path, MCP_AUTH_TOKEN='hunter2') as server:
        anyio.run(use)
        assert server.stop() == 0
        assert (tmp_path / 'stdout').read_bytes() == b''
        log = server.log.read_text()
    assert 'hunter2' not in log
    assert 'Year 603' not in log
    volatile = {
        'timestamp',
        'service_id',
        'logger',
        'address',
        'version',
        'seconds',
        'ratio',
        'output_size',
        'tokens_out',
    }
    records = [{key: value for key, value in record.items() if key not in volatile} for record in log_of(log)]
    assert [' '.join(f'{key}={value}' for key, value in record.items()) for record in records] == snapshot(
        [
            'message=serving level=INFO transport=streamable-http model=extractive store=:memory: auth=True',
            'message=call level=INFO tool=summarize collection=token-f52fbd32b2b3b86f',
            'message=summarized level=INFO input_size=2071 state=complete chunks=1 from_cache=False model=extractive',
            'message=result level=INFO tool=summarize state=complete model=extractive tokens_in=2071',
            'message=result level=INFO tool=summarize error=RequestError',
            'message=stopping level=INFO grace_seconds=10.0',
            'message=stopped level=INFO',
        ]
    )


def test_a_warning_where_everybody_may_come_in(tmp_path: Path) -> None:
    with serving.forked_program(tmp_path, MCP_HOST='0.0.0.0') as server:
        server.stop()
        records = log_of(server.log.read_text())
    assert [record['message'] for record in records if record['level'] == 'WARNING'] == [
        'everybody who reaches this address may use the server: set MCP_AUTH_TOKEN'
    ]


@contextmanager
def hanging(folder: Path, *, grace: str) -> Generator[tuple[serving.Program, Provider]]:
    """A server whose model says nothing."""
    with (
        provider.serve(Behaviour(answer=lambda _: Hang(60))) as llm,
        serving.forked_program(
            folder, LLM_MODEL=replies.MODEL, OPENROUTER_BASE_URL=llm.base_url, MCP_SHUTDOWN_GRACE_SECONDS=grace
        ) as server,
    ):
        yield server, llm


SUMMARIZE: dict[str, Any] = {'content': CHRONICLE, 'max_output_tokens': 600}


def test_calls_in_flight_are_answered(tmp_path: Path) -> None:
    """The signal degrades what has no answer yet, and the program ends with code 0."""
    answers: list[Any] = []

    async def call(mode: Mode) -> None:
        async with serving.connect(server.url, mode=mode) as client:
            await client.list_tools()  # which the client else does when it has the answer, from a server that is gone
            answers.append(await client.call_tool('summarize', SUMMARIZE))

    async def both() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, 'auto')
            tasks.start_soon(call, 'legacy')
            while server.log.read_bytes().count(b'"call"') < 2 or not llm.requests:  # noqa: ASYNC110
                await anyio.sleep(0.02)
            server.process.send_signal(signal.SIGTERM)

    with hanging(tmp_path, grace='4') as (server, llm):
        anyio.run(both)
        assert [(answer.is_error, meta_of(answer)['state']) for answer in answers] == [(False, 'degraded')] * 2
        assert server.process.wait(timeout=30) == 0
        said = [record['message'] for record in log_of(server.log.read_text())]
    assert [message for message in said if message in {'stopping', 'calls still run', 'result', 'stopped'}] == [
        'stopping',
        'calls still run',
        'result',
        'result',
        'stopped',
    ]


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    async def stop() -> None:
        while not llm.requests:  # noqa: ASYNC110 - it is so in another thread
            await anyio.sleep(0.02)
        server.process.send_signal(signal.SIGTERM)
        while b'stopping' not in server.log.read_bytes():  # noqa: ASYNC110
            await anyio.sleep(0.02)
        server.process.send_signal(signal.SIGTERM)

    async def call() -> None:
        async with serving.connect(server.url) as client, anyio.create_task_group() as tasks:
            tasks.start_soon(stop)
            await client.call_tool('summarize', SUMMARIZE)

    with hanging(tmp_path, grace='60') as (server, llm):
        with pytest.raises(BaseExceptionGroup):
            anyio.run(call)
        assert server.process.wait(timeout=30) == -signal.SIGTERM


def test_listening_clients_do_not_hold_it_up(tmp_path: Path) -> None:
    """A client of the older protocol keeps a stream open."""

    async def listen() -> None:
        async with serving.connect(server.url, mode='legacy') as client:
            await client.call_tool('summarize', {'content': 'short'})
            await client.list_tools()
            server.process.send_signal(signal.SIGINT)
            assert await anyio.to_thread.run_sync(server.process.wait, 30) == 0

    with serving.forked_program(tmp_path) as server:
        anyio.run(listen)


def test_sources_outlive_a_restart(tmp_path: Path) -> None:
    async def add() -> None:
        async with serving.connect(server.url) as client:
            await client.call_tool('add_source', {'content': HARBOUR})

    async def read() -> None:
        async with serving.connect(server.url) as client:
            answer = await client.call_tool('read_source', {'source_id': Document(HARBOUR).id})
            assert '1| # Harbour of Marn' in text_of(answer)

    store = str(tmp_path / 'store.sqlite3')
    with serving.forked_program(tmp_path, SUMMARIZER_STORE=store) as server:
        anyio.run(add)
        server.stop(signal.SIGKILL)
    with serving.forked_program(tmp_path, SUMMARIZER_STORE=store) as server:
        anyio.run(read)


@pytest.mark.parametrize('mode', ['auto', 'legacy'])
def test_stdio(tmp_path: Path, mode: Mode) -> None:
    command = forking.program(tmp_path, 'summarizer', 'summarizer_tool.__main__')

    async def use() -> None:
        with (tmp_path / 'stderr').open('w') as stderr:
            parameters = StdioServerParameters(
                command=str(command), args=['serve', '--transport', 'stdio'], env=serving.environment({})
            )
            async with Client(stdio_client(parameters, errlog=stderr), mode=mode) as client:
                assert len((await client.list_tools()).tools) == 9
                answer = await client.call_tool('summarize', {'content': CHRONICLE, 'max_output_tokens': 400})
                assert Document(CHRONICLE).id in text_of(answer)
                again = await client.call_tool('summarize', {'source_ids': [Document(CHRONICLE).id]})
                assert text_of(again) == CHRONICLE

    anyio.run(use)
    assert 'stopped' in [record['message'] for record in log_of((tmp_path / 'stderr').read_text())]


def message(number: int, method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({'jsonrpc': '2.0', 'id': number, 'method': method, 'params': params}).encode() + b'\n'


OPENING = json.dumps(serving.INITIALIZE).encode() + b'\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


def test_stdin_that_ends_with_the_request_gets_its_answer() -> None:
    """As from a shell: `printf ... | summarizer serve --transport stdio`; and what is no message gets an error."""
    call = {'name': 'summarize', 'arguments': SUMMARIZE}
    done = run(*STDIO, stdin=OPENING + b'{"jsonrpc": nonsense\n' + message(2, 'tools/call', call).rstrip())
    assert done.returncode == 0
    answers = {answer['id']: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert set(answers) == {1, 2, None}
    assert answers[None]['error'] == snapshot(
        {'code': -32700, 'message': 'a line must be one JSON-RPC message, its id a string or integer'}
    )
    assert Document(CHRONICLE).id in answers[2]['result']['content'][0]['text']


@pytest.mark.parametrize('unbuffered', ['1', pytest.param('', marks=pytest.mark.slow)])
def test_what_libraries_print_does_not_reach_the_protocol(unbuffered: str) -> None:
    program = """
import os
from sys import stdout
from summarizer_tool import Service, Settings, serve_mcp
read = Service.read_source
async def shout(self, *args, **kwargs):
    print('shouted')
    stdout.write('written')
    os.system('echo echoed')
    return await read(self, *args, **kwargs)
Service.read_source = shout
serve_mcp(Settings.load(mcp_transport='stdio'))
"""
    call = {'name': 'read_source', 'arguments': {'source_id': 'src_0123456789ab'}}
    done = run('-c', program, stdin=OPENING + message(2, 'tools/call', call), PYTHONUNBUFFERED=unbuffered)
    assert [json.loads(line)['id'] for line in done.stdout.splitlines()] == [1, 2]
    assert [word in done.stderr for word in (b'shouted', b'written', b'echoed')] == [True] * 3
