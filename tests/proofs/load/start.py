"""From the start of the program to the first healthy answer, and to the first answer of a tool."""

import signal
import statistics
import subprocess
import time
from pathlib import Path

from tests.proofs.load.goals import Goals
from tests.support import serving

STARTS = 5


async def prove(folder: Path, goals: Goals) -> None:
    healthy: list[float] = []
    usable: list[float] = []
    for _ in range(STARTS):
        port = serving.free_port()
        started = time.monotonic()
        process = subprocess.Popen(  # noqa: ASYNC220 - nothing else runs here
            [*serving.COMMAND, '--port', str(port)],
            env=serving.environment({}),
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            serving.wait_until_healthy(port, process)
            healthy.append(time.monotonic() - started)
            async with serving.connect(f'http://127.0.0.1:{port}/mcp') as client:
                assert not (await client.call_tool('summarize', {'content': 'short'})).is_error
            usable.append(time.monotonic() - started)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    goals.at_most(f'first healthy answer, median of {STARTS}', statistics.median(healthy), 2.5)
    goals.note('slowest', f'{max(healthy):.2f} s')
    goals.note('first answer of a tool, median', f'{statistics.median(usable):.2f} s')
