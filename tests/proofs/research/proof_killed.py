"""`kill -9` after each step and in the middle of one: the same package, and nothing fetched or paid for twice."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
from pydantic import JsonValue

from researcher_integration.lore import package
from tests.proofs.load.goals import Goals
from tests.proofs.research.proof_child import POINTS, Job
from tests.proofs.research.proof_combinations import Outcomes
from tests.proofs.research.proof_world import ROOT, Combination, World, kind, repeated
from tests.support import replies
from tests.support.replies import Behaviour, Hang, Reply
from tests.support.server_process import bare_environment

KILLED = (
    Combination('html', 'in-pipeline', by_provider=True, through_server=False),
    Combination('html', 'at-source', by_provider=True, through_server=True),
)

ANSWERED = 3
"""Model calls of summaries that are answered before the others hang, where a step is interrupted."""

HANGING = 2
"""Calls that hang then: as many as are made at once."""

REPORT = 'What was read: '
"""What the reports of the simulated researcher begin with."""

TIMEOUT = 120.0
"""Seconds for one process; far more than it needs."""


async def prove(folder: Path, goals: Goals, world: World, outcomes: Outcomes) -> None:
    for number, combination in enumerate(KILLED):
        print(f'killed after each of {", ".join(POINTS)}: {combination.name}')
        await _after_each(folder / f'killed-{number}', goals, world, combination, outcomes[combination].folder)
    print(f'killed in the middle of a step: {KILLED[0].name}')
    summaries = sum(kind(request) == 'summaries' for request in outcomes[KILLED[0]].requests)
    if summaries < ANSWERED + HANGING:
        goals.skip('a step that is interrupted', f'{summaries} model calls of summaries are too few')
        return
    await _in_a_step(folder / 'killed-within', goals, world, KILLED[0], outcomes[KILLED[0]].folder)


async def _after_each(folder: Path, goals: Goals, world: World, combination: Combination, whole: Path) -> None:
    before = world.begin(folder, combination.form)
    ends: list[int | None] = []
    started = time.monotonic()
    async with world.server(combination, folder) as server:
        job = Job(
            request=world.request(combination.form, combination.way),
            settings=world.settings(combination, server),
            folder=folder / 'package',
            resume=False,
        )
        for point in (*POINTS, None):
            resumed = job.model_copy(update={'kill_after': point, 'resume': point != POINTS[0]})
            with _process(resumed, folder) as process:
                ends.append(await anyio.to_thread.run_sync(process.wait, TIMEOUT))
    requests = world.llm.requests[before:]
    goals.note('processes', f'{len(ends)} in {time.monotonic() - started:.1f} s, {len(requests)} requests together')
    goals.so(f'each was killed, the last has finished {ends}', is_so=ends == [-signal.SIGKILL] * len(POINTS) + [0])
    _same(goals, whole, folder / 'package')
    figures, before_it = _figures(folder / 'package'), _figures(whole)
    differing = [
        f'{name}: {figures.get(name)}, not {value}' for name, value in before_it.items() if figures.get(name) != value
    ]
    goals.so(
        f'the same statistics, but for the seconds {differing}', is_so=not differing and len(figures) == len(before_it)
    )
    _once(goals, world)
    twice = repeated(requests)
    goals.so(f'no request is made twice {twice}', is_so=not twice)


async def _in_a_step(folder: Path, goals: Goals, world: World, combination: Combination, whole: Path) -> None:
    before = world.begin(folder, combination.form)
    well = world.llm.behaviour.answer
    answered = 0

    def some(request: replies.Request) -> Reply:
        nonlocal answered
        if kind(request) == 'summaries':
            answered += 1
            if answered > ANSWERED:
                return Hang(600)
        return well(request)

    world.llm.behaviour = Behaviour(some)
    job = Job(
        request=world.request(combination.form, combination.way),
        settings={**world.settings(combination, None), 'max_concurrent_llm_calls': HANGING},
        folder=folder / 'package',
        resume=False,
    )
    with _process(job, folder) as process, anyio.fail_after(TIMEOUT):
        while answered < ANSWERED + HANGING:  # noqa: ASYNC110 - it is so in another thread
            await anyio.sleep(0.05)
        await anyio.sleep(0.3)
        process.send_signal(signal.SIGKILL)
        process.wait()
    killed = world.llm.requests[before:]
    paid = {request.body.model_dump_json() for request in killed if kind(request) == 'summaries' and request.answered}
    world.llm.behaviour = Behaviour(well)
    with _process(job.model_copy(update={'resume': True}), folder) as process:
        code = await anyio.to_thread.run_sync(process.wait, TIMEOUT)
    after = world.llm.requests[before + len(killed) :]
    asked = [request.body.model_dump_json() for request in after if kind(request) == 'summaries']
    goals.note('model calls for summaries', f'{len(paid)} answered before, {len(asked)} made after')
    goals.so(f'it is resumed to the end: {code}', is_so=code == 0 and len(paid) == ANSWERED)
    _same(goals, whole, folder / 'package', with_reports=False)
    _once(goals, world)
    goals.so('nothing answered is asked for again', is_so=not paid & set(asked))


def _once(goals: Goals, world: World) -> None:
    times = world.site.requests
    goals.so(
        f'each of the {len(world.pages)} pages is fetched once',
        is_so=len(times) == len(world.pages) and set(times.values()) == {1},
    )


def _same(goals: Goals, whole: Path, resumed: Path, *, with_reports: bool = True) -> None:
    """Line for line the same files as those of a research that was not killed.

    Args:
        goals: The goals.
        whole: The package of the one that was not killed.
        resumed: That of the one that was.
        with_reports: Whether what the agent reports must agree: in a step that begins anew it knows more pages.
    """
    before, after = (_texts(folder, with_reports=with_reports) for folder in (whole, resumed))
    differing = [name for name in before | after if before.get(name) != after.get(name)]
    goals.so(f'the same briefs and extraction {differing}', is_so=bool(before) and not differing)


def _texts(folder: Path, *, with_reports: bool) -> dict[str, list[str]]:
    paths = [folder / package.EXTRACTION_FILE, *(folder / package.BRIEFS).glob('*')]
    lines = {path.name: path.read_text(encoding='utf-8').splitlines() for path in paths if path.exists()}
    return {
        name: [line for line in text if with_reports or not line.startswith(REPORT)] for name, text in lines.items()
    }


def _figures(folder: Path) -> dict[str, JsonValue]:
    """Each figure of the statistics by its path, as in `steps.npcs.tokens_kept`."""

    def of(value: JsonValue, path: str) -> Iterator[tuple[str, JsonValue]]:
        if isinstance(value, dict):
            for key, each in value.items():
                yield from of(each, f'{path}.{key}' if path else key)
        elif not path.endswith('seconds'):
            yield path, value

    return dict(of(json.loads((folder / package.STATISTICS_FILE).read_text(encoding='utf-8')), ''))


@contextmanager
def _process(job: Job, folder: Path) -> Generator[subprocess.Popen[str]]:
    """Run it; what it says goes to the terminal, as it should say nothing."""
    process = subprocess.Popen(
        [sys.executable, '-m', 'tests.proofs.research.proof_child'],
        env={**bare_environment(folder), 'PYTHONPATH': str(ROOT)},
        cwd=folder,
        stdin=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdin is not None
        process.stdin.write(job.model_dump_json())
        process.stdin.close()
        yield process
    finally:
        process.kill()
        process.wait()
