"""A research in a process that kills itself: `python -m tests.proofs.research.proof_child < job.json`."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import anyio
from pydantic import BaseModel

from researcher_integration.lore.checkpoint import Checkpoint, ResearchRequest
from researcher_integration.lore.configuration import ResearchSettings, load_tiers, load_topics
from researcher_integration.lore.material import TOPIC_IDS
from researcher_integration.lore.pipeline import Configuration, Research

POINTS = ('crawl', *TOPIC_IDS, 'extraction', 'cross-reference')
"""After which a research can be killed, in their order."""


class Job(BaseModel):
    """What the process does."""

    request: ResearchRequest
    settings: dict[str, Any]
    folder: Path
    resume: bool
    kill_after: str | None = None
    """One of `POINTS`."""


def _is_reached(point: str, folder: Path) -> bool:
    """By the file: extractions that run at once are in memory before they are written."""
    checkpoint = Checkpoint.load(folder)
    if checkpoint is None:
        return False
    if point == 'crawl':
        return bool(checkpoint.assigned)
    if point == 'extraction':
        return len(checkpoint.extractions) == len(TOPIC_IDS)
    if point == 'cross-reference':
        return checkpoint.cross_reference is not None
    return point in checkpoint.gathered


async def _run(job: Job) -> None:
    def kill(_: Checkpoint) -> None:
        if job.kill_after and _is_reached(job.kill_after, job.folder):
            os.kill(os.getpid(), signal.SIGKILL)

    research = Research(
        job.request,
        Configuration(load_topics(), load_tiers()),
        ResearchSettings.load(**job.settings),
        job.folder,
        on_checkpoint=kill,
    )
    await research.run(resume=job.resume)


if __name__ == '__main__':
    anyio.run(_run, Job.model_validate_json(sys.stdin.read()))
