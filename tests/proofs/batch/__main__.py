"""`make batch-proof`: batches of real size, over real processes; the exit code says whether all goals are met."""

import sys
import time

from tests.proofs.batch import killed, large, scaling
from tests.proofs.load.goals import Goals
from tests.support.postgres import postgres

PARTS = ('killed', 'killed-postgres', 'deadly', 'scaling', 'large')


def main() -> None:
    """Run all parts, or those that are named."""
    goals = Goals()
    started = time.monotonic()
    for part in sys.argv[1:] or PARTS:
        print(f'{part}:')
        match part:
            case 'killed':
                killed.prove(goals)
            case 'killed-postgres':
                with postgres() as url:
                    killed.prove(goals, url)
            case 'deadly':
                killed.prove_deadly(goals)
            case 'scaling':
                scaling.prove(goals)
            case 'large':
                large.prove(goals)
            case _:
                sys.exit(f'there is no part {part}; the parts are: {", ".join(PARTS)}')
    goals.note('all of it', f'{time.monotonic() - started:.0f} s')
    sys.exit(goals.report())


if __name__ == '__main__':
    main()
