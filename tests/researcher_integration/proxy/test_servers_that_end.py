"""Servers that the proxy starts: they end with it, come back when they were lost, and do not disturb each other."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from inline_snapshot import snapshot
from mcp import Client, MCPError
from mcp_types import TextContent

from researcher_integration.masking.masking import Masker
from researcher_integration.proxy import guard
from researcher_integration.proxy.connection import masked_stderr
from researcher_integration.proxy.servers import ProxiedServer
from tests.support import forking, serving
from tests.support.planted_secrets import PRIVATE_KEY
from tests.support.proxied import PROGRAM, lives, on_one_line, program, proxied, proxied_server, proxy
from tests.support.serving import until

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(os.name != 'posix', reason='process groups are of POSIX'),
]


def said(result: Any) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return on_one_line(content.text)


def pids(folder: Path) -> list[int]:
    """The ids of the program and of its child."""
    return [int(pid) for pid in (folder / 'pid').read_text().split()]


async def test_a_program_ends_with_the_proxy_and_all_that_it_has_started(tmp_path: Path) -> None:
    async with proxied({'program': program(tmp_path)}) as client:
        assert said(await client.call_tool('echo', {'a': 1})) == '<tool_output>{"a": 1}</tool_output>'
        begun = pids(tmp_path)
        assert all(map(lives, begun))
    assert not any(map(lives, begun))


async def test_a_program_that_knows_the_newer_protocol_alone(tmp_path: Path) -> None:
    async with proxied({'program': program(tmp_path, 'modern')}) as client:
        assert said(await client.call_tool('echo', {})) == '<tool_output>{}</tool_output>'


async def test_a_program_that_crashes_is_reported_and_started_again(tmp_path: Path) -> None:
    async with proxied({'program': program(tmp_path)}) as client:
        [first, child] = pids(tmp_path)
        crashed = await client.call_tool('crash', {})
        assert crashed.is_error
        assert said(crashed) == snapshot(
            'The server program was lost while it worked on this (Connection closed); whether it has done anything is not known. It is started again at the next call; other servers go on.'
        )
        again = await client.call_tool('pid', {})
        assert said(again) != f'<tool_output>{first}</tool_output>'
        await until(lambda: not lives(child))


async def test_a_program_that_was_killed_before_a_call_is_started_for_it(tmp_path: Path) -> None:
    changed = anyio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, 'method', '') == 'notifications/tools/list_changed':
            changed.set()

    async with proxied({'program': program(tmp_path)}, message_handler=hear) as client:
        [first, _] = pids(tmp_path)
        os.kill(first, signal.SIGKILL)
        await until(lambda: not lives(first))
        result = await client.call_tool('echo', {})
        # Either it was noticed in time, or the call says what has happened.
        assert not result.is_error or 'was lost' in said(result)
        assert not (await client.call_tool('echo', {})).is_error
        await changed.wait()


async def test_others_go_on_when_one_is_not_there(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    servers = {
        'program': program(tmp_path),
        'typo': proxied_server('typo', 'no-such-program-4471'),
        'short': proxied_server('short', sys.executable, '-I', '-S', '-c', 'pass'),
        'closed': proxied_server('closed', url='http://127.0.0.1:1/mcp?key=hunter2'),
    }
    async with proxied(servers) as client:
        assert 'program_echo' in [tool.name for tool in (await client.list_tools()).tools]
        with pytest.raises(MCPError, match='no such cursor'):
            await client.list_tools(cursor='zzz')
        assert not (await client.call_tool('program_echo', {})).is_error
        down = await client.call_tool('closed_look', {})
        assert down.is_error
        assert said(down) == snapshot(
            'The server closed cannot be reached (no connection to its address: All connection attempts failed), so its tools do not work now; those of other servers do. It is tried again at the next call.'
        )
        with pytest.raises(MCPError, match='there is no tool program_fly'):
            await client.call_tool('program_fly', {})
        with pytest.raises(MCPError, match='The server typo cannot be reached'):
            await client.get_prompt('typo_greet', {})
    told = [(each.__dict__.get('server'), each.message) for each in caplog.records]
    # Once, however often it was asked for.
    assert [each for each in told if each[0] == 'closed'] == snapshot([('closed', 'a server cannot be reached')])


DYING = f"""
import sys
print('OSError: no key ghp_{'a1B2' * 9} here', file=sys.stderr)
print('bye', file=sys.stderr)
"""

REFUSING = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if 'id' in asked:
        error = {'code': -32000, 'message': 'the licence has run out'}
        print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'error': error}), flush=True)
"""


@pytest.mark.parametrize(
    ('server', 'reason', 'words'),
    [
        (
            proxied_server('x', 'no-such-program-4471'),
            "there is no program 'no-such-program-4471' on the PATH",
            '',
        ),
        (proxied_server('x', '/nonexistent/prog'), "there is no program 'prog' in /nonexistent", ''),
        (
            proxied_server('x', 'bin/prog', cwd='/nonexistent'),
            "there is no program 'prog' in /nonexistent/bin",
            '',
        ),
        (proxied_server('x', sys.executable, '-I', '-S', '-c', 'pass'), 'it has ended the connection', ''),
        (
            proxied_server('x', sys.executable, '-I', '-S', '-c', DYING),
            'it has ended the connection',
            '\n<tool_output tool="x">\nOSError: no key [MASKED_GITHUB_TOKEN] here\n</tool_output>',
        ),
        (
            proxied_server('x', sys.executable, '-I', '-S', '-c', REFUSING),
            'it answers with MCP error -32000; check its address, or its command',
            '',
        ),
        (
            proxied_server('x', url='http://127.0.0.1:1/mcp?key=hunter2'),
            'no connection to its address: All connection attempts failed',
            '',
        ),
        (
            proxied_server('x', sys.executable, '-I', '-S', '-c', 'import time; time.sleep(9)', timeout=0.3),
            'no answer within 0.3 seconds',
            '',
        ),
    ],
    ids=['no program', 'no such path', 'no path from there', 'ended', 'dying', 'refusing', 'nobody listens', 'silent'],
)
async def test_why_a_server_cannot_be_reached(server: ProxiedServer, reason: str, words: str) -> None:
    async with proxied({'x': server}) as client:
        with pytest.raises(MCPError) as failed:
            await client.list_tools()
    assert f'The server x cannot be reached ({reason})' in failed.value.message
    assert failed.value.message.endswith(f'tried again at the next call.{words}')


async def test_a_call_that_is_cancelled_is_cancelled_at_the_server(tmp_path: Path) -> None:
    async with proxied({'program': program(tmp_path)}) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, 'wait', {})
            await until((tmp_path / 'waiting').exists)
            tasks.cancel_scope.cancel()
        await until((tmp_path / 'cancelled').exists)
        assert not (await client.call_tool('echo', {})).is_error


async def test_a_call_that_runs_when_the_proxy_is_stopped_is_given_up(tmp_path: Path) -> None:
    async with (
        proxy({'program': program(tmp_path)}) as served,
        Client(served.server(), mode='legacy') as client,
        anyio.create_task_group() as tasks,
    ):
        results: list[str] = []

        async def call() -> None:
            result = await client.call_tool('wait', {})
            assert result.is_error
            results.append(said(result))

        tasks.start_soon(call)
        await until((tmp_path / 'waiting').exists)
        served.calls.bring_to_an_end(0)
        await served.calls.none_runs()
    assert results == snapshot(
        ['The proxy is being stopped; the call was given up, and whether it has done anything is not known.']
    )


@pytest.mark.parametrize(
    ('tool', 'expected'),
    [
        ('half', (False, '<tool_output>A lamp \ufffd and \\ud83d, \U0001f4a1.</tool_output>')),
        ('bytes', (False, '<tool_output>{}</tool_output>')),
        (
            'deep',
            (
                True,
                'The server program has answered, but what it sent cannot be read as the protocol has it, so that the answer is lost. Ask it for less, or for something else.',
            ),
        ),
        (
            'wait',
            (
                True,
                'The server program has neither answered nor told of progress within 0.2 seconds, and the call was given up; whether it has done anything is not known. MCP_TOOL_TIMEOUT of the proxy sets how long it waits.',
            ),
        ),
    ],
)
async def test_a_call_ends_whatever_a_program_writes(tmp_path: Path, tool: str, expected: tuple[bool, str]) -> None:
    async with proxied({'program': program(tmp_path)}, tool_timeout=0.2 if tool == 'wait' else None) as client:
        with anyio.fail_after(20):
            result = await client.call_tool(tool, {})
        assert (result.is_error, said(result)) == expected
        assert not (await client.call_tool('echo', {})).is_error


@pytest.mark.parametrize('tool', ['coded', 'null'])
async def test_an_answer_of_a_wrong_shape_is_told_at_once(tmp_path: Path, tool: str) -> None:
    async with proxied({'program': program(tmp_path)}) as client:
        with anyio.fail_after(20):
            result = await client.call_tool(tool, {})
    assert result.is_error
    assert 'cannot be read' in said(result)


async def test_what_is_no_message_is_logged_without_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with proxied({'program': program(tmp_path)}) as client:
        assert not (await client.call_tool('babble', {})).is_error
    assert 'Failed to parse' in caplog.text
    assert 'hunter2' not in caplog.text


async def test_what_a_program_writes_to_stderr_is_masked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written: list[str] = []

    def is_written() -> bool:
        written.append(capsys.readouterr().err)
        return '\n' in ''.join(written)

    async with proxied({'program': program(tmp_path)}) as client:
        await client.call_tool('babble', {})
        await until(is_written)
    assert ''.join(written) == snapshot('postgres://bob:[MASKED_BASIC_AUTH]@db/x\n')


@pytest.mark.parametrize(
    ('lines', 'expected'),
    [
        (['one', *PRIVATE_KEY.splitlines(), 'two'], 'one\n[MASKED_PRIVATE_KEY]\ntwo\n'),
        (['one', '-----BEGIN PRIVATE KEY-----', 'A' * 64], 'one\n[MASKED_PRIVATE_KEY]'),
        (['-----BEGIN PRIVATE KEY-----', *['A' * 600] * 40, '-----END PRIVATE KEY-----'], f'{"[MASKED_PRIVATE_KEY]" * 2}\n'),
        # What names a key and has none hides and delays nothing else.
        (['no -----BEGIN PRIVATE KEY-----', 'x y', 'two'], 'no [MASKED_PRIVATE_KEY]\nx y\ntwo\n'),
        (['no -----BEGIN PRIVATE KEY-----\nx y\n-----BEGIN PRIVATE KEY----- it\ntwo'], 'no [MASKED_PRIVATE_KEY]\nx y\n[MASKED_PRIVATE_KEY]\ntwo\n'),
        (['no -----BEGIN PRIVATE KEY----- line', 'two'], 'no [MASKED_PRIVATE_KEY]\ntwo\n'),
    ],
    ids=['key', 'cut off', 'long', 'none', 'at once', 'within a line'],
)  # fmt: skip
async def test_a_key_that_is_written_to_stderr_line_by_line_is_masked(
    lines: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    written: list[str] = []

    def is_written() -> bool:
        written.append(capsys.readouterr().err)
        return ''.join(written) == expected

    masker = Masker()
    masker.mask(expected)  # the first time takes long, and all lines would come together
    async with masked_stderr(lambda text: masker.mask(text).text) as file:
        for line in lines:
            os.write(file.fileno(), f'{line}\n'.encode())
            await anyio.sleep(0.01)
    await until(is_written, 10)


def test_the_log_names_the_server_and_the_reason() -> None:
    command = ('summarizer_tool', 'proxy', '--', 'lampd-that-is-nowhere')
    done = forking.run(*command, environment=serving.environment({}))
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith(b'{')]
    [line] = [line for line in lines if line['message'] == 'a server cannot be reached']
    assert {key: line[key] for key in ('level', 'logger', 'server', 'reason')} == snapshot(
        {
            'level': 'WARNING',
            'logger': 'researcher_integration',
            'server': 'lampd-that-is-nowhere',
            'reason': "there is no program 'lampd-that-is-nowhere' on the PATH",
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize('how', ['EOF', 'SIGTERM', 'SIGKILL'])
def test_no_process_is_left_however_the_proxy_ends(tmp_path: Path, how: str) -> None:
    """Of a program that ends neither with its input nor when it is told to."""
    stdin, to_proxy = os.pipe()
    from_proxy, stdout = os.pipe()
    arguments = ['--', sys.executable, '-I', '-S', str(PROGRAM), str(tmp_path), 'stubborn']
    with (
        (tmp_path / 'stderr').open('w') as stderr,
        os.fdopen(from_proxy, 'rb') as answers,
        os.fdopen(to_proxy, 'wb') as requests,
    ):
        files = (stdin, stdout, stderr.fileno())
        process = forking.start(
            'summarizer_tool', 'proxy', *arguments, environment=serving.environment({}), files=files, cwd=tmp_path
        )
        os.close(stdin)
        os.close(stdout)
        requests.write(json.dumps(serving.INITIALIZE).encode() + b'\n')
        requests.flush()
        assert b'summarizer-proxy' in answers.readline()
        begun = pids(tmp_path)
        assert all(map(lives, begun))
        if how == 'EOF':
            requests.close()
        else:
            process.send_signal(getattr(signal, how))
        process.wait()
    anyio.run(until, lambda: not any(map(lives, begun)))


def test_the_guard_has_the_exit_code_of_what_it_guards() -> None:
    command = [sys.executable, '-I', '-S', guard.__file__, str(os.getpid()), sys.executable, '-I', '-S', '-c']
    assert subprocess.run([*command, 'raise SystemExit(7)'], check=False).returncode == 7
    assert subprocess.run([*command, 'import os; os.abort()'], check=False).returncode == 128 + signal.SIGABRT
