"""`make research-proof`: a zone of real size in every way; the exit code says whether all goals are met."""

import sys
import tempfile
import time
from pathlib import Path

import anyio

from tests.proofs.load.goals import Goals
from tests.proofs.research import proof_combinations, proof_world


async def _prove(folder: Path, goals: Goals) -> None:
    with proof_world.world(folder) as world:
        print(proof_combinations.__doc__)
        await proof_combinations.prove(folder, goals, world)


def main() -> None:
    goals = Goals()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(_prove, Path(folder), goals)
    goals.note('all of it', f'{time.monotonic() - started:.0f} s')
    sys.exit(goals.report())


if __name__ == '__main__':
    main()
