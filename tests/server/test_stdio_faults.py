"""Garbage on stdin, and its end at any byte: each line that is no message gets an error, and the next is answered."""

import asyncio
import json
import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from anyio import create_memory_object_stream, wait_all_tasks_blocked
from mcp.shared.message import SessionMessage

from summarizer_tool.server import stdio
from summarizer_tool.server.calls import CallsInFlight
from tests.support import forking, serving

STDIO = ('summarizer_tool', 'serve', '--transport', 'stdio')
OPENING = json.dumps(serving.INITIALIZE).encode() + b'\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
CALL = json.dumps(
    {'jsonrpc': '2.0', 'id': 7, 'method': 'tools/call', 'params': {'name': 'summarize', 'arguments': {'content': 'a'}}}
).encode()

GARBAGE: dict[str, bytes] = {
    'no JSON': b'GET / HTTP/1.1',
    'bytes of no encoding': b'\xff\xfe\x00\x80',
    'NUL characters': b'\0' * 100,
    'half a message': CALL[:40],
    'a list': b'[]',
    'a number': b'1e999',
    'a text': b'"hello"',
    'an object without a method': b'{"jsonrpc": "2.0", "id": 5}',
    'an id that is none': b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}',
    'nesting without end': b'[' * 20_000,
    'another version': b'{"jsonrpc": "1.0", "id": 5, "method": "ping"}',
}


def served(stdin: bytes) -> list[dict[str, Any]]:
    """What the server writes until its stdin has ended; every line is a message, and it ends well."""
    done = forking.run(*STDIO, environment=serving.environment({}), stdin=stdin)
    assert done.returncode == 0, done.stderr
    assert b'Traceback' not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_garbage_between_messages() -> None:
    cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%b}}'
    lines = [*GARBAGE.values(), b'', b' ', *(cancelled % number for number in (b'[1]', b'{}', b'null')), CALL]
    answers = served(OPENING + b'\n'.join(lines) + b'\n')
    told = [answer for answer in answers if 'error' in answer]
    assert [answer['result']['isError'] for answer in answers if answer['id'] == 7 and 'result' in answer] == [False]
    assert len(told) == len(GARBAGE)
    assert all(len(json.dumps(answer)) < 400 and '\n' not in answer['error']['message'] for answer in told)


@pytest.mark.parametrize(
    ('line', 'expected'),
    [
        (CALL.replace(b'"a"', b'"The party \\\\ud83d \\ud83c\\udf89 \\ud83d"'), (7, 'The party \\ud83d 🎉 \ufffd')),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}', (7, None)),
        (b'{"method":"ping","params":{"id":5,"a":' + b'[' * 300 + b']' * 300 + b'},"jsonrpc":"2.0","id":"x"}', ('x', None)),
    ],
)  # fmt: skip
def test_a_request_that_the_sdk_does_not_read_is_answered(line: bytes, expected: tuple[str | int, str | None]) -> None:
    [_, answer] = served(OPENING + line + b'\n')
    content = answer.get('result', {}).get('content')
    text = content[0]['text'].partition('\n')[0] if content else None
    assert (answer['id'], text) == expected


@pytest.mark.parametrize('length', [0, 1, len(OPENING) // 2, len(OPENING), len(OPENING) + 30])
def test_the_end_at_any_byte(length: int) -> None:
    ids = [answer.get('id') for answer in served((OPENING + CALL)[:length])]
    assert ids == {0: [], 1: [None], len(OPENING) // 2: [None], len(OPENING) + 30: [1, None]}.get(length, [1])


def test_a_client_that_no_longer_reads(tmp_path: Path) -> None:
    stdin, to_server = os.pipe()
    unread, stdout = os.pipe()
    with (tmp_path / 'stderr').open('w+b') as stderr:
        server = forking.start(*STDIO, environment=serving.environment({}), files=(stdin, stdout, stderr.fileno()))
        for end in (stdin, stdout, unread):
            os.close(end)
        os.write(to_server, OPENING + CALL + b'\n')
        assert server.wait(60) == 0
        os.close(to_server)
        stderr.seek(0)
        assert b'Traceback' not in stderr.read()


def test_the_reader_ends_with_the_loop_that_nobody_reads_in() -> None:
    """A thread that ends with an error is an error of the test."""
    source, sink = os.pipe()
    os.write(sink, OPENING)

    async def unread() -> threading.Thread:
        waiting = asyncio.Event()

        async def send(_: bytes) -> None:
            waiting.set()
            await asyncio.Event().wait()

        stream: Any = SimpleNamespace(send=send)
        reader = threading.Thread(target=stdio._read, args=(source, stream, asyncio.get_running_loop()), daemon=True)
        reader.start()
        await waiting.wait()
        return reader

    reader = asyncio.run(unread())
    reader.join(30)
    os.close(sink)
    assert not reader.is_alive()


@pytest.mark.anyio
async def test_a_request_that_comes_with_the_signal_to_stop_is_passed_on() -> None:
    """Else it would never be answered, and the server would wait for that until its grace period is over."""
    stop = anyio.Event()
    lines, coming = create_memory_object_stream[bytes](1)
    to_server, requests = create_memory_object_stream[SessionMessage | Exception](0)
    to_client, answers = create_memory_object_stream[SessionMessage](0)
    conversation = stdio._Conversation(CallsInFlight(), 100.0, to_client)
    with lines, coming, requests, answers:
        async with anyio.create_task_group() as tasks:
            lines.send_nowait(CALL)
            tasks.start_soon(conversation.ask, coming, stop, to_server)
            await wait_all_tasks_blocked()
            stop.set()
            await wait_all_tasks_blocked()
            assert isinstance(requests.receive_nowait(), SessionMessage)
            tasks.cancel_scope.cancel()
