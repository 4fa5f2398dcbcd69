"""`lore-research`, run as a person or a script runs it."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.support import forking
from tests.support.forking import ForkedProcess

PROGRAM, NAME = 'researcher_integration.lore.cli', 'lore-research'
MODEL = 'openai/gpt-4o-mini'

Done = subprocess.CompletedProcess[bytes]


def environment(**changes: str) -> dict[str, str]:
    """Keyless, unless the changes say otherwise."""
    return {**os.environ, 'LLM_MODEL': 'extractive', 'RESEARCH_MODEL': '', **changes}


def run(*arguments: str | Path | bytes, cwd: Path, **changes: str) -> Done:
    return forking.run(PROGRAM, *arguments, environment=environment(**changes), cwd=cwd, name=NAME)


def start(*arguments: str | Path, cwd: Path, out: tuple[int, int], **changes: str) -> ForkedProcess:
    """As `run`, with files for stdout and stderr, and without waiting."""
    given = environment(**changes)
    return forking.start(PROGRAM, *arguments, environment=given, files=(0, *out), cwd=cwd, name=NAME)


def each(*runs: Callable[[], Done]) -> list[tuple[int, str, list[str]]]:
    """Status, output and lines of stderr of several runs."""
    return [said(run()) for run in runs]


def said(done: Done) -> tuple[int, str, list[str]]:
    lines = done.stderr.decode().splitlines()
    return done.returncode, done.stdout.decode(), [line.removeprefix('lore-research: ') for line in lines]
