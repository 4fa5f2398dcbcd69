"""From the start of the program to the first healthy answer, and to the first answer of a tool."""

import statistics
import time
from pathlib import Path

from tests.proofs.load.goals import Goals
from tests.support import serving

STARTS = 5


async def prove(folder: Path, goals: Goals) -> None:
    healthy: list[float] = []
    usable: list[float] = []
    for _ in range(STARTS):
        started = time.monotonic()
        with serving.program(folder) as server:
            healthy.append(time.monotonic() - started)
            async with serving.connect(server.url) as client:
                assert not (await client.call_tool('summarize', {'content': 'short'})).is_error
            usable.append(time.monotonic() - started)
    goals.at_most(f'first healthy answer, median of {STARTS}', statistics.median(healthy), 2.5)
    goals.note('slowest', f'{max(healthy):.2f} s')
    goals.note('first answer of a tool, median', f'{statistics.median(usable):.2f} s')
