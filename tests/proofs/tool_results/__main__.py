"""`make tool-results-proof`: what an agent with noisy tools gains, in figures; the exit code says whether all goals are met."""

import logging
import sys
import time

import anyio

from tests.proofs.load.goals import Goals
from tests.proofs.tool_results import proof_context, proof_cost, proof_results, proof_speed


async def _prove(goals: Goals) -> None:
    results = proof_results.results()
    sizes = [len(result.text) / 1000 for result in results]
    goals.note('results', f'{len(results)}, of {min(sizes):.0f} to {max(sizes):.0f} kB, {sum(sizes):,.0f} kB together')
    print(proof_context.__doc__)
    await proof_context.prove(goals, results)
    print(proof_cost.__doc__)
    await proof_cost.prove(goals, results)
    print(proof_speed.__doc__)
    await proof_speed.prove(goals)


def main() -> None:
    logging.disable(logging.INFO)  # the MCP server and its clients tell of every request
    goals = Goals()
    started = time.monotonic()
    anyio.run(_prove, goals)
    goals.note('all of it', f'{time.monotonic() - started:.0f} s')
    sys.exit(goals.report())


if __name__ == '__main__':
    main()
