"""`python -m tests.proofs.evidence`: what search and answers find, prove and cost; the exit code says whether all goals are met.

Without options every part is run: the site on loopback, 5,000 documents, and long meetings where they lie beside the
repository.
"""

import argparse
import logging
import sys
import time
from statistics import mean

import anyio

from tests.proofs.evidence import meetings, proof
from tests.proofs.load.goals import Goals


async def _load(goals: Goals) -> None:
    """A process of its own, since its memory is measured."""
    done = await anyio.run_process(
        [sys.executable, '-m', 'tests.proofs.evidence.search_load'], check=False, stdout=None
    )
    goals.so('all goals of the load', is_so=done.returncode == 0)


async def _meetings(goals: Goals) -> None:
    measured = {meeting.name: await meetings.measure(meeting) for meeting in meetings.meetings(meetings.DATA)}
    if not measured:
        goals.skip('meetings', f'{meetings.DATA} holds no transcripts (NAME.md and NAME.json)')
        return
    print(meetings.report(measured, by_question=False))
    parts = [one.held for shares in measured.values() for one in shares if one.asked.turns]
    leading = mean(held['leading'] for held in parts)
    for way in ('search', 'brief'):
        share = mean(held[way] for held in parts)
        goals.at_least(f'words of the answer in {meetings.BUDGET:,} tokens of a {way}', share, leading)


PARTS = {
    'site': (proof.__doc__, proof.prove),
    'load': ('How fast a search of 5,000 documents is, and what ten processes find while one writes.', _load),
    'meetings': (meetings.__doc__, _meetings),
}


def main() -> None:
    """Run the parts that are chosen."""
    parser = argparse.ArgumentParser(prog='python -m tests.proofs.evidence', description=__doc__)
    for name, (says, _) in PARTS.items():
        parser.add_argument(f'--{name}', action='store_true', help=(says or '').splitlines()[0])
    chosen = vars(parser.parse_args())
    logging.disable(logging.WARNING)  # pages that cannot be fetched are part of it
    goals = Goals()
    started = time.monotonic()
    for name, (says, prove) in PARTS.items():
        if chosen[name] or not any(chosen.values()):
            print(says, flush=True)
            anyio.run(prove, goals)
    goals.note('all of it', f'{time.monotonic() - started:.0f} s')
    sys.exit(goals.report())


if __name__ == '__main__':
    main()
