"""An MCP server on stdin and stdout that starts at once: no library, one line of JSON for each message.

python proxied_program.py FOLDER [stubborn|modern]: the file `pid` in the folder has its process id and that of a child;
a `stubborn` one ends neither with its input nor when it is told to, a `modern` one does not know `initialize`.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TOOLS = ('echo', 'crash', 'wait', 'pid', 'babble', 'half', 'deep', 'bytes', 'coded', 'null')
WRONG: dict[str, Any] = {'coded': {'error': {'code': 'ENOENT', 'message': 'no such file'}}, 'null': {'result': None}}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == 'initialize':
        return {
            'protocolVersion': params['protocolVersion'],
            'capabilities': {'tools': {}},
            'serverInfo': {'name': 'program', 'version': '1'},
        }
    cached = {'resultType': 'complete', 'ttlMs': 0, 'cacheScope': 'private'}
    if method == 'server/discover':
        return {**cached, 'supportedVersions': ['2026-07-28'], 'capabilities': {'tools': {}}}
    if method == 'tools/list':
        return {**cached, 'tools': [{'name': name, 'inputSchema': {'type': 'object'}} for name in TOOLS]}
    name = params['name']
    if name == 'crash':
        os._exit(3)
    if name == 'babble':
        print('password=hunter2')
        print('postgres://bob:Gull-93x@db/x', file=sys.stderr, flush=True)
    if name == 'half':
        return {'content': [{'type': 'text', 'text': 'A lamp \ud83d and \\ud83d, \U0001f4a1.'}]}
    if name == 'deep':
        deep: dict[str, Any] = {}
        for _ in range(300):
            deep = {'deep': deep}
        return {'content': [], 'structuredContent': deep}
    if name == 'bytes':
        sys.stdout.buffer.write(b'\xff\xfe\n')
    text = str(os.getpid()) if name == 'pid' else json.dumps(params.get('arguments'))
    return {'resultType': 'complete', 'content': [{'type': 'text', 'text': text}]}


def main(folder: str, *how: str) -> None:
    is_stubborn = 'stubborn' in how
    if is_stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, '-I', '-S', '-c', 'import time; time.sleep(600)'])
    place = Path(folder, 'pid')
    place.with_suffix('.new').write_text(f'{os.getpid()} {child.pid}')
    place.with_suffix('.new').replace(place)
    for line in sys.stdin:
        message = json.loads(line)
        if message['method'] == 'notifications/cancelled':
            Path(folder, 'cancelled').touch()
        if 'id' not in message:
            continue
        if message['method'] == 'tools/call' and message['params']['name'] == 'wait':
            Path(folder, 'waiting').touch()
            continue
        if 'modern' in how and message['method'] == 'initialize':
            said = {'error': {'code': -32601, 'message': 'Method not found'}}
        elif (name := (message.get('params') or {}).get('name')) in WRONG:
            said = WRONG[name]
        else:
            said = {'result': answer(message['method'], message.get('params') or {})}
        print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], **said}), flush=True)
    while is_stubborn:
        time.sleep(60)


if __name__ == '__main__':
    main(*sys.argv[1:])
