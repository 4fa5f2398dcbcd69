"""`kill -9` during a call, then a restart on the same store: what was finished is not paid for again."""

import re
import signal
import sqlite3
from pathlib import Path
from typing import Any

import anyio
import pydantic_ai.models

from tests.proofs.load.documents import document
from tests.proofs.load.goals import Goals
from tests.support import provider, replies, serving
from tests.support.replies import Behaviour, Hang, Request
from tests.support.serving import Program, meta_of

FINISHED = 4
"""Model calls that are answered before the others hang."""

_FIRST_LINE = re.compile(r'^\d+ (.+)$', re.MULTILINE)


async def prove(folder: Path, goals: Goals) -> None:
    pydantic_ai.models.ALLOW_MODEL_REQUESTS = True
    text = document(77, 30_000)
    store = folder / 'crash.sqlite3'

    def some(request: Request) -> Any:
        return replies.summarize(request) if request.number <= FINISHED else Hang(600)

    with provider.serve(Behaviour(answer=some)) as llm:
        variables = {
            'LLM_MODEL': replies.MODEL,
            'OPENROUTER_BASE_URL': llm.base_url,
            'SUMMARIZER_STORE': str(store),
            'DEFAULT_CHUNK_SIZE_TOKENS': '3000',
            'MAX_CONCURRENT_LLM_CALLS': '2',
        }
        with serving.program(folder, **variables) as server:
            await _until_killed(server, text, llm)
        before = llm.requests
        finished = {_about(request) for request in before if request.answered is not None}
        with sqlite3.connect(store) as connection:
            [[integrity]] = connection.execute('PRAGMA integrity_check').fetchall()
        goals.so(f'the store is whole: {integrity}', is_so=integrity == 'ok')
        llm.behaviour = Behaviour()
        with serving.program(folder, **variables) as server:
            async with serving.connect(server.url) as client:
                answer = await client.call_tool('summarize', {'content': text, 'max_output_tokens': 2000})
            stats = meta_of(answer)['stats']
            goals.so(f'the call is answered: {meta_of(answer)["state"]}', is_so=meta_of(answer)['state'] == 'complete')
        asked = [_about(request) for request in llm.requests[len(before) :]]
        goals.note('model calls', f'{len(finished)} finished before, {len(asked)} after, {stats["cached_calls"]} kept')
        goals.so('nothing finished is asked for again', is_so=not finished & set(asked))
        goals.so('all that was finished was kept', is_so=stats['cached_calls'] == len(finished) == FINISHED)


async def _until_killed(server: Program, text: str, llm: provider.Provider) -> None:
    """A call whose server is killed when some of its model calls are finished and others not."""
    with anyio.move_on_after(60):
        try:
            async with serving.connect(server.url) as client, anyio.create_task_group() as tasks:
                await client.list_tools()
                tasks.start_soon(client.call_tool, 'summarize', {'content': text, 'max_output_tokens': 2000})
                while len(llm.requests) < FINISHED + 2:  # noqa: ASYNC110 - it is so in another thread
                    await anyio.sleep(0.02)
                await anyio.sleep(0.2)
                server.process.send_signal(signal.SIGKILL)
                server.process.wait()
                tasks.cancel_scope.cancel()
        except BaseExceptionGroup:
            return  # the client complains that its server has gone


def _about(request: Request) -> str:
    """What a model call is about."""
    found = _FIRST_LINE.findall(request.prompt)
    return found[-1] + str(len(request.prompt)) if found else request.prompt[-200:]
