"""The server is told to end, or killed, at each stage of a call: it ends, leaves nothing, and goes on where it was."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from summarizer_tool import Document
from tests.support import forking, provider, replies, serving
from tests.support.replies import Behaviour
from tests.support.stores import sound
from tests.support.texts import chronicle
from tests.support.victims import is_reached, silent_site, silent_while, started, until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures('model_requests')]

TEXT = chronicle(30)
SIGNALS = [signal.SIGTERM, signal.SIGKILL]
STDIO = ('summarizer_tool', 'serve', '--transport', 'stdio')
OPENING = json.dumps(serving.INITIALIZE).encode() + b'\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


def call(number: int, name: str, **arguments: Any) -> bytes:
    params = {'name': name, 'arguments': arguments}
    return json.dumps({'jsonrpc': '2.0', 'id': number, 'method': 'tools/call', 'params': params}).encode() + b'\n'


def answers(stdout: bytes) -> dict[int, Any]:
    """What was answered, by the request; each line is one whole message."""
    messages = [json.loads(line) for line in stdout.splitlines()]
    return {message['id']: message for message in messages if 'id' in message}


@pytest.mark.parametrize('number', SIGNALS)
@pytest.mark.parametrize('stage', ['reading', 'mapping', 'reducing', 'writing'])
def test_the_server(tmp_path: Path, stage: str, number: int) -> None:
    store = tmp_path / 'store.db'
    summarize = {'content': TEXT, 'max_output_tokens': 300}
    with provider.serve(Behaviour(silent_while(stage))) as model, silent_site() as (host, is_asked):
        given = {
            'LLM_MODEL': replies.MODEL,
            'OPENROUTER_BASE_URL': model.base_url,
            'DEFAULT_CHUNK_SIZE_TOKENS': '1000',
            'MAX_CONCURRENT_LLM_CALLS': '2',
            'SUMMARIZER_STORE': str(store),
            'SUMMARIZER_FETCH_ALLOW_HOSTS': host,
            'MCP_SHUTDOWN_GRACE_SECONDS': '3',
        }
        with started(tmp_path, STDIO, **given) as victim:
            victim.send(OPENING)
            if stage == 'reading':
                victim.send(call(2, 'add_source', url=f'http://{host}/'))
                until(is_asked, stage)
            elif stage == 'writing':
                victim.send(call(3, 'add_source', content=TEXT))
                until(lambda: '"result"' in victim.log.read_text(), 'adding')
                victim.send(call(2, 'read_source', source_id=Document(TEXT).id, max_tokens=20_000))
                until(victim.is_stuck, stage)
            else:
                victim.send(call(2, 'summarize', **summarize))
                until(lambda: is_reached(stage, model, store), stage)
            code = victim.end(number)
            told = victim.log.read_text()
            if number == signal.SIGKILL:
                assert code == -number
            elif stage == 'writing':  # to somebody who does not read
                assert code in (0, -number)
            else:
                assert (code, '"stopped"' in told) == (0, True)
                assert answers(victim.read())[2]['result']['isError'] == (stage == 'reading')
        assert 'Traceback' not in told
        assert sound(store)
        kept = {request.prompt for request in model.requests if request.answered is not None}
        assert bool(kept) == (stage in {'mapping', 'reducing'})
        before = len(model.requests)
        model.behaviour = Behaviour()
        environment = serving.environment({**given, 'MCP_SHUTDOWN_GRACE_SECONDS': '60'})
        done = forking.run(*STDIO, environment=environment, stdin=OPENING + call(2, 'summarize', **summarize))
        again = answers(done.stdout)[2]['result']
        assert (done.returncode, again['_meta']['summarizer/state']) == (0, 'complete')
        assert not kept & {request.prompt for request in model.requests[before:]}
        assert sound(store)
