"""Killed at half, and resumed: how many calls a provider was asked for twice."""

import json
import tempfile
from collections import Counter
from pathlib import Path

from tests.proofs.batch import material
from tests.proofs.batch.running import children, environment, finish, kill, start, until
from tests.proofs.load.goals import Goals
from tests.support.provider import Provider, serve
from tests.support.replies import Behaviour

DOCUMENTS, CHARACTERS = 24, 44_000
CALLS = 300
"""About how many calls that makes."""

MOST = 0.03


def _twice(provider: Provider) -> tuple[int, int]:
    """Calls in all, and those whose whole request had been made before."""
    asked = Counter(request.prompt for request in provider.requests)
    return asked.total(), asked.total() - len(asked)


def prove_deadly(goals: Goals) -> None:
    """One document among others kills each worker that reads it."""
    with tempfile.TemporaryDirectory() as place:
        source = material.write(Path(place, 'in'), 12, CHARACTERS // 4)
        (source / '00' / '00003.md').write_text('# Bad\n\nHere this document kills its reader.\n' * 400)
        env = environment()
        env['PYTHONPATH'] = f'{Path(__file__).parent / "deadly"}:{env["PYTHONPATH"]}'
        options = ('--max-output-tokens', '400', '--per-worker', '4')
        finish(start(env, 'batch', source, '--out', Path(place, 'out'), *options), 1)
        lines = map(json.loads, Path(place, 'out', 'report.jsonl').read_text().splitlines())
        errors = {line['document']: line['error'] for line in lines if line['error']}
        goals.note('set aside', errors)
        goals.so('of 12 documents only the one that kills is set aside', is_so=[*errors] == ['documents/00/00003.md'])


def prove(goals: Goals, url: str = '') -> None:
    """Kill a worker, then the command with all that it has started; each time the batch is finished.

    Args:
        goals: For the figures.
        url: A Postgres database; by default each batch has an SQLite file.
    """
    kind = 'Postgres' if url else 'SQLite'
    for who in ('a worker', 'everything'):
        with tempfile.TemporaryDirectory() as place, serve(Behaviour(latency=0.4)) as provider:
            source = material.write(Path(place, 'in'), DOCUMENTS, CHARACTERS)
            env = environment(url, provider.base_url, DEFAULT_CHUNK_SIZE_TOKENS='1000', SUMMARIZER_REPAIR='false')
            begin = ('batch', source, '--out', Path(place, 'out'), '--max-output-tokens', '400', '--workers', '1')
            process = start(env, *begin)
            until(lambda provider=provider: len(provider.requests) >= CALLS / 2)
            victims = children(process.pid)
            if who == 'a worker':
                kill(victims[0])
            else:
                for pid in (process.pid, *victims):
                    kill(pid)
                process.communicate()
                process = start(env, 'batch', '--out', Path(place, 'out'), '--resume')
            said = finish(process)
            total, twice = _twice(provider)
            done = len(list(Path(place, 'out', 'documents').rglob('*.json')))
            goals.note(f'{kind}, {who} killed', said.strip().splitlines()[-1].rpartition(': ')[0])
            goals.so(f'{kind}, {who} killed: all {DOCUMENTS} documents are done', is_so=done == DOCUMENTS)
            goals.at_most(
                f'{kind}, {who} killed: of {total} calls paid twice {twice}', 100 * twice / total, 100 * MOST, '%'
            )
