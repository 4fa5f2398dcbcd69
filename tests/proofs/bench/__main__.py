"""`make bench`: every benchmark, as ratios against a baseline in the same run; the exit code says whether all are met."""

import sys

from tests.proofs.bench import chunking, crawl, engine, flow, loop
from tests.proofs.load.goals import Goals


def main() -> None:
    goals = Goals()
    for module in (chunking, engine, flow, crawl, loop):
        print(module.__doc__)
        module.prove(goals)
    sys.exit(goals.report())


main()
