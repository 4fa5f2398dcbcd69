"""`make soak`: clients of both protocols for minutes, 2 % faults; figures at the start, in the middle and at the end."""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import anyio
import pydantic_ai.models
from mcp import Client

from summarizer_tool import Document
from tests.proofs.load.goals import Goals
from tests.proofs.soak.watching import Held, held, watched
from tests.support import provider, replies, serving
from tests.support.faults import FAULTS
from tests.support.replies import Behaviour, Hang, Reply, Request
from tests.support.stores import sound
from tests.support.texts import chronicle

CLIENTS = 6
FAULTS_SHARE = 0.02
CALL_SECONDS = 30
TEXTS = 300
"""Texts that there are: in ten minutes each comes several times."""
_LASTING = ('wrong key', 'model gone')
"""Faults that tell of the settings, after which nothing is asked any more."""


class Model:
    """The provider, which fails at random, and what it has answered well."""

    def __init__(self, chance: random.Random) -> None:
        self.answered: Counter[str] = Counter()
        self.faults = 0
        self._chance = chance
        self._kinds = [reply for name, reply in FAULTS.items() if name not in _LASTING]

    def __call__(self, request: Request) -> Reply:
        if self._chance.random() < FAULTS_SHARE:
            self.faults += 1
            return self._chance.choice([*self._kinds, Hang(CALL_SECONDS)])
        self.answered[request.prompt] += 1
        return replies.summarize(request)


class Use:
    """What the clients do, and what they were told."""

    def __init__(self, chance: random.Random) -> None:
        self.told: Counter[str] = Counter()
        self.stored: set[str] = set()
        self.lost: list[str] = []
        self._chance = chance

    async def go_on(self, url: str, mode: serving.Mode, until: float) -> None:
        async with serving.connect(url, mode=mode) as client:
            while time.monotonic() < until:
                await self._call(client)

    async def _call(self, client: Client) -> None:
        kind = self._chance.choice(['summarize', 'summarize', 'add_source', 'read_source', 'search', 'cancel'])
        number = self._chance.randrange(TEXTS)
        text = f'# Chronicle {number}\n\n{chronicle(8 + number % 22)}'
        if kind == 'cancel':
            with anyio.move_on_after(self._chance.uniform(0, 0.5)):
                await client.call_tool('summarize', {'content': text, 'max_output_tokens': 300})
            self.told['cancelled'] += 1
            return
        if kind == 'read_source' and not self.stored:
            kind = 'add_source'
        arguments = {
            'summarize': {'content': text, 'max_output_tokens': 300},
            'add_source': {'content': text},
            'read_source': {'source_id': self._chance.choice(sorted(self.stored) or ['none'])},
            'search': {'query': 'Who founded Ashgate?'},
        }[kind]
        answer = await client.call_tool(kind, arguments)
        state = serving.meta_of(answer).get('state', '')
        self.told[f'{kind} {"error" if answer.is_error else state}'.strip()] += 1
        if answer.is_error and kind != 'search':
            self.lost.append(f'{kind}: {str(answer.content)[:200]}')
        elif kind in ('summarize', 'add_source'):
            self.stored.add(Document(text).id)

    async def look_for_all(self, url: str) -> int:
        """How many of the stored sources cannot be read."""
        missing = 0
        async with serving.connect(url) as client:
            for handle in self.stored:
                answer = await client.call_tool('read_source', {'source_id': handle, 'max_tokens': 50})
                missing += answer.is_error
        return missing


async def prove(folder: Path, goals: Goals, seconds: float) -> None:
    pydantic_ai.models.ALLOW_MODEL_REQUESTS = True
    chance = random.Random(16)
    model, use = Model(chance), Use(chance)
    store = folder / 'soak.db'
    with provider.serve(Behaviour(answer=model)) as llm:
        variables = {
            'LLM_MODEL': replies.MODEL,
            'OPENROUTER_BASE_URL': llm.base_url,
            'LLM_TIMEOUT_SECONDS': '5',
            'SUMMARIZER_STORE': str(store),
            'DEFAULT_CHUNK_SIZE_TOKENS': '900',
            'SUMMARIZER_WORKER_PROCESSES': '1',
        }
        with watched(folder, variables) as server:
            found: list[Held] = []
            for part in (0.15, 0.425, 0.425):  # the first warms it up
                until = time.monotonic() + seconds * part
                async with anyio.create_task_group() as tasks:
                    for number in range(CLIENTS):
                        tasks.start_soon(use.go_on, server.url, 'legacy' if number % 2 else 'auto', until)
                await anyio.sleep(6)  # the connections of those who have gone are closed after five
                found.append(held(server, folder))
                print(f'  {sum(use.told.values())} calls: {found[-1]}', flush=True)
            missing = await use.look_for_all(server.url)
            goals.so('it ends with code 0', is_so=server.stop() == 0)
    goals.note('calls', dict(sorted(use.told.items())))
    goals.note('requests to the model', f'{len(llm.requests)}, {model.faults} of them failed')
    _compare(goals, *found)
    goals.at_most('calls that failed', len(use.lost), 0, '')
    for line in use.lost[:5]:
        print(f'    {line}')
    goals.at_most(f'of {len(use.stored)} sources lost', missing, 0, '')
    doubled = sum(count - 1 for count in model.answered.values())
    # What was answered while its call was cancelled may not have been kept.
    goals.at_most('answers of the model that were asked for again', doubled, use.told['cancelled'], '')
    goals.so('the store is sound, and counts what it holds', is_so=sound(store))


def _compare(goals: Goals, start: Held, middle: Held, end: Held) -> None:
    """Nothing grows without end: from the middle on no more than a machine with other work on it shows anyway."""
    goals.at_most('memory at the end against the middle', end.megabytes / middle.megabytes, 1.15, '')
    # Threads come as they are needed, up to what their pools may have.
    for name, more in (('files', 5), ('connections', 5), ('tasks', 5), ('threads', 20)):
        first, last = getattr(start, name), getattr(end, name)
        goals.at_most(f'{name} at the end (at the start {first})', last, first + more, '')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seconds', type=float, default=600.0)
    goals = Goals()
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(prove, Path(folder), goals, parser.parse_args().seconds)
    sys.exit(goals.report())


main()
