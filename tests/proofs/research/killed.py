"""A program that researches Harrow Sound, or goes on with it, and kills itself with SIGKILL at a given point.

python -m tests.proofs.research.killed POINT FOLDER HOST BASE_URL [WAY [CALLS]]
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from researcher_integration.lore.checkpoint import Checkpoint
from researcher_integration.lore.steps.steps import ResearchProgress
from tests.proofs.research.zone import Places
from tests.support.replies import MODEL

if TYPE_CHECKING:
    from researcher_integration.lore.crawl.researcher import Way


def is_reached(point: str, checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint that was just written is the one to be killed at.

    Args:
        point: `crawl`: all given pages are there; `page:7`: so many pages are there; `step:2`: so many steps have
            been gathered for; `summarized`: so are all pages; `extraction:2`: so many categories, or more, are extracted; `cross-reference`: that is done, too.
        checkpoint: What was written.
    """
    what, _, number = point.partition(':')
    match what:
        case 'crawl':
            return bool(checkpoint.assigned)
        case 'page':
            return len(set(checkpoint.pages.values())) == int(number)
        case 'step':
            return len(checkpoint.gathered) == int(number)
        case 'summarized':
            return len(checkpoint.steps) > 0
        case 'extraction':
            return len(checkpoint.extractions) >= int(number)
        case 'cross-reference':
            return checkpoint.cross_reference is not None
        case _:
            return False


def is_amid(point: str, progress: ResearchProgress) -> bool:
    """Whether the summary of all pages has come so far: `summary:2` is after its second call."""
    return progress.stage == 'summarize' and point == f'summary:{progress.done}'


def end_it_all() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(point: str, folder: str, host: str, base_url: str, way: str = 'in-pipeline', calls: str = '5') -> None:
    research = Places(host, base_url).research(
        Path(folder),
        way=cast('Way', way),
        llm_model=MODEL,
        max_concurrent_llm_calls=int(calls),
        on_progress=lambda progress: end_it_all() if is_amid(point, progress) else None,
        on_checkpoint=lambda checkpoint: end_it_all() if is_reached(point, checkpoint) else None,
    )
    asyncio.run(research.run(resume=Checkpoint.load(research.folder) is not None))


if __name__ == '__main__':
    main(*sys.argv[1:])
