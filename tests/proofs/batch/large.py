"""Ten million tokens without a key: memory of each process, and how much faster two workers are than one."""

import re
import tempfile
import time
from pathlib import Path

from tests.proofs.batch import material
from tests.proofs.batch.running import children, environment, finish, peak_mb, start
from tests.proofs.load.goals import Goals

CHARACTERS = 42_000
"""Of a document: about 10,000 tokens."""

MOST_MB = 600.0
_TOKENS = re.compile(r'done in (\d+) s · ([\d,]+) tokens')


def prove(goals: Goals, documents: int = 1000) -> None:
    """Summarize so many documents with two workers, a tenth with each number of them, and twice a tenth for the line."""
    tenth = documents // 10
    one, _ = _run(goals, tenth, 1)
    two, _ = _run(goals, tenth, 2)
    goals.at_least(f'{tenth} documents, two workers: as fast as one', one / two, 1.7, 'times')
    whole, peak = _run(goals, documents, 2)
    goals.at_most('memory of the largest process', peak, MOST_MB, 'MB')
    goals.at_most('ten times the documents: times the seconds', whole / two, 11.0, 'times')


def _run(goals: Goals, documents: int, workers: int) -> tuple[float, float]:
    """The seconds of a batch, without the start of its processes, and the most memory of one of them."""
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
        goals.note(f'{documents} documents, {workers} workers', f'{seconds:.0f} s from the first result; {told} MB')
        goals.note('it said', f'{said.rpartition(": ")[0]}; the database has {size:.0f} MB')
        return seconds, max(peaks.values())
