"""An MCP server on stdin and stdout that starts at once: no library, one line of JSON for each message.

python proxied_program.py FOLDER [stubborn]: the file `pid` in the folder has its process id and that of a child; a
`stubborn` one ends neither with its input nor when it is told to.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TOOLS = ('echo', 'crash', 'wait', 'pid', 'babble')


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == 'initialize':
        return {
            'protocolVersion': params['protocolVersion'],
            'capabilities': {'tools': {}},
            'serverInfo': {'name': 'program', 'version': '1'},
        }
    if method == 'tools/list':
        return {'tools': [{'name': name, 'inputSchema': {'type': 'object'}} for name in TOOLS]}
    name = params['name']
    if name == 'crash':
        os._exit(3)
    if name == 'babble':
        print('password=hunter2')
    text = str(os.getpid()) if name == 'pid' else json.dumps(params.get('arguments'))
    return {'content': [{'type': 'text', 'text': text}]}


def main(folder: str, *how: str) -> None:
    if how:
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
        result = answer(message['method'], message.get('params') or {})
        print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
    while how:
        time.sleep(60)


if __name__ == '__main__':
    main(*sys.argv[1:])
