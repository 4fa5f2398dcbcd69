"""One, two and four workers on one Postgres, with a provider whose answers take a fixed time.

Each has as many documents as calls at once, so that none has some ready that another could begin when all else is done.
"""

import tempfile
import time
from pathlib import Path

import sqlalchemy

from tests.proofs.batch import material
from tests.proofs.batch.running import computing, environment, finish, start, until, workers
from tests.proofs.load.goals import Goals
from tests.support.postgres import postgres
from tests.support.provider import serve
from tests.support.replies import Behaviour

DOCUMENTS, CHARACTERS = 160, 14_000
"""One call each."""

LATENCY = 6.0
"""Seconds of a call: as of a model that writes a few hundred tokens, and long beside what a document computes."""

IDLE = 20.0
"""Seconds in which a worker with nothing to do is watched."""

GOALS = {1: 1.0, 2: 1.9, 4: 3.6}


def prove(goals: Goals) -> None:
    """Time the same documents with each number of workers, the database empty at first."""
    seconds: dict[int, float] = {}
    for count, goal in GOALS.items():
        with tempfile.TemporaryDirectory() as place, postgres() as url, serve(Behaviour(latency=LATENCY)) as provider:
            before_all = computing()
            source = material.write(Path(place, 'in'), DOCUMENTS, CHARACTERS)
            env = environment(url, provider.base_url)
            with workers(env, count):
                until(lambda url=url, count=count: _asked(url, _LIVING) == count)
                if count == 1:
                    idle = _rate(url, IDLE)
                    goals.note('transactions a second of an idle worker', f'{idle:.1f}')
                began, before = time.monotonic(), _asked(url, _TRANSACTIONS)
                options = ('--max-output-tokens', '400', '--workers', '0', '--per-worker', '5')
                finish(start(env, 'batch', source, '--out', Path(place, 'out'), *options))
                if count == 1:
                    made = _asked(url, _TRANSACTIONS) - before - idle * (time.monotonic() - began)
                    goals.note('further transactions a document', f'{made / DOCUMENTS:.1f}')
                    goals.note('the database after it', f'{_asked(url, _SIZE) / 1e6:.0f} MB')
            computed = computing() - before_all
            answered = [request.answered for request in provider.requests if request.answered]
            seconds[count] = max(answered) - min(request.received for request in provider.requests)
            calls = len(provider.requests)
            figures = f'{seconds[count]:.1f} s, {calls} calls of {LATENCY:g} s; {computed:.0f} s of computing'
            goals.note(f'{count} workers', figures)
        goals.at_least(f'{count} workers: as fast as one', seconds[1] / seconds[count], goal, 'times')


_LIVING = "SELECT count(*) FROM summarizer_counts WHERE kind = 'worker'"
_TRANSACTIONS = 'SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()'
_SIZE = 'SELECT pg_database_size(current_database())'


def _rate(url: str, seconds: float) -> float:
    """Transactions a second, for so many seconds."""
    before = _asked(url, _TRANSACTIONS)
    time.sleep(seconds)
    return (_asked(url, _TRANSACTIONS) - before) / seconds


def _asked(url: str, query: str) -> int:
    """A figure of the database; 0 while its tables are being made."""
    engine = sqlalchemy.create_engine(url.replace('postgresql', 'postgresql+psycopg'))
    try:
        with engine.connect() as connection:
            return connection.execute(sqlalchemy.text(query)).scalar_one()
    except sqlalchemy.exc.ProgrammingError:
        return 0
    finally:
        engine.dispose()
