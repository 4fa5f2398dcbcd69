"""Many calls that are cancelled at any moment, in both protocols: nothing runs on, and nothing is left."""

import random
from pathlib import Path

import anyio
import pytest
from mcp import Client

from tests.server.test_calls import MODES, served, until
from tests.support.replies import Behaviour, Hang, summarize
from tests.support.serving import Mode, meta_of
from tests.support.texts import CHRONICLE

CALLS = 40


@pytest.mark.slow
@pytest.mark.usefixtures('model_requests')
@pytest.mark.anyio
@pytest.mark.parametrize('mode', MODES)
async def test_a_storm_of_cancellations(mode: Mode) -> None:
    moments = random.Random(7)

    async def storm(client: Client, number: int) -> None:
        with anyio.move_on_after(moments.uniform(0, 1)):
            await client.call_tool('summarize', {'content': f'{number} {CHRONICLE}', 'max_output_tokens': 400})

    behaviour = Behaviour(answer=lambda request: Hang(60) if request.number % 3 else summarize(request))
    with served(behaviour, max_concurrent_llm_calls=8) as (server, llm):
        async with server.client(mode=mode) as client:
            await client.call_tool('summarize', {'content': 'short'})
            before = open_files()
            async with anyio.create_task_group() as tasks:
                for number in range(CALLS):
                    tasks.start_soon(storm, client, number)
            await until(lambda: len(server.tools.calls._running) == 0)
            await until(lambda: all(connection.lost.is_set() for connection in llm._waiting))
            seen = len(llm.requests)
            llm.behaviour = Behaviour()
            answer = await client.call_tool('summarize', {'content': CHRONICLE, 'max_output_tokens': 400})
            assert (answer.is_error, meta_of(answer)['state']) == (False, 'complete')
            stats = meta_of(answer)['stats']
            # What was cancelled asks for nothing any more: all that has come since is this call's.
            assert len(llm.requests) - seen == stats['map_calls'] + stats['reduce_calls']
            await until(lambda: open_files() <= before + CALLS // 4)  # those that are kept for the next call


def open_files() -> int:
    """Files and connections of this process, which has the client, the server and the model."""
    files = Path('/proc/self/fd')
    return len([*files.iterdir()]) if files.exists() else 0
