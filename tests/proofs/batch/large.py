"""Ten million tokens without a key: memory of each process, and how much faster two workers are than one.

That ten times the documents cost ten times as much is measured in seconds of computing, on any machine; how much faster
two workers are shows only on one with two cores that nobody else uses.
"""

import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.proofs.batch import material
from tests.proofs.batch.running import children, computing, environment, finish, peak_mb, start
from tests.proofs.load.goals import Goals

CHARACTERS = 42_000
"""Of a document: about 10,000 tokens."""

MOST_MB = 600.0


def prove(goals: Goals, documents: int = 1000) -> None:
    """Summarize so many documents with two workers, and a tenth of them with each number of workers."""
    tenth = documents // 10
    one = _run(goals, tenth, 1)
    two = _run(goals, tenth, 2)
    goals.at_least(f'{tenth} documents, two workers: as fast as one', one.seconds / two.seconds, 1.7, 'times')
    whole = _run(goals, documents, 2)
    goals.at_most('memory of the largest process', whole.peak_mb, MOST_MB, 'MB')
    goals.at_most('ten times the documents: times the computing', whole.computing / two.computing, 11.0, 'times')


class _Cost(NamedTuple):
    """What a batch has cost."""

    seconds: float
    """From the first result to the end."""
    computing: float
    """Seconds of all its processes."""
    peak_mb: float
    """Of the largest process."""


def _run(goals: Goals, documents: int, workers: int) -> _Cost:
    before = computing()
    with tempfile.TemporaryDirectory() as place:
        source = material.write(Path(place, 'in'), documents, CHARACTERS)
        options = ('--max-output-tokens', '1000', '--workers', str(workers))
        process = start(environment(), 'batch', source, '--out', Path(place, 'out'), *options)
        results, first, peaks = Path(place, 'out', 'documents'), 0.0, {0: 0.0}
        while process.poll() is None:
            for pid in (process.pid, *children(process.pid)):
                peaks[pid] = max(peaks.get(pid, 0.0), peak_mb(pid))
            first = first or (time.monotonic() if results.exists() else 0.0)
            time.sleep(0.25)
        seconds = time.monotonic() - first
        said = finish(process).strip().splitlines()[-1]
        told = ', '.join(f'{peak:.0f}' for peak in peaks.values() if peak)
        size = sum(file.stat().st_size for file in Path(place, 'out').glob('batch.sqlite3*')) / 1e6
        computed = computing() - before
        figures = f'{seconds:.0f} s from the first result, {computed:.0f} s of computing; {told} MB'
        goals.note(f'{documents} documents, {workers} workers', figures)
        goals.note('it said', f'{said.rpartition(": ")[0]}; the database has {size:.0f} MB')
        return _Cost(seconds, computed, max(peaks.values()))
