"""`make load`: every proof, with its figures and goals; the exit code says whether all goals are met."""

import sys
import tempfile
from pathlib import Path

import anyio

from tests.proofs.load import crowd, start
from tests.proofs.load.goals import Goals


def main() -> None:
    goals = Goals()
    with tempfile.TemporaryDirectory() as folder:
        for proof in (start, crowd):
            print(proof.__doc__)
            anyio.run(proof.prove, Path(folder), goals)
    sys.exit(goals.report())


main()
