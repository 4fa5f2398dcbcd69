"""What a worker does when others have died, and when it is to stop."""

from pathlib import Path

import anyio
import pytest

from summarizer_tool import Settings
from summarizer_tool.batch import worker as worker_module
from summarizer_tool.batch.database import BatchDatabase
from summarizer_tool.batch.worker import MAX_DEATHS, SUSPECT, Worker
from summarizer_tool.errors import SummarizerError

pytestmark = pytest.mark.anyio


@pytest.fixture
def worker(tmp_path: Path) -> Worker:
    return Worker(Settings.load(), BatchDatabase.in_file(tmp_path / 'batch.sqlite3'), 'here')


async def test_documents_under_which_workers_died_are_done_one_by_one(worker: Worker) -> None:
    """The others need not wait, and what ends in any way has killed nobody."""
    begun: list[str] = []
    are_begun, go_on = anyio.Event(), anyio.Event()

    async def do(job: str) -> None:
        async with worker._begun(job):
            begun.append(job)
            if len(begun) == 3:
                are_begun.set()
            await go_on.wait()

    for job, deaths in (('new', 0), ('once', 1), ('first', SUSPECT), ('second', SUSPECT)):
        for _ in range(deaths):
            worker.database.count('job', job)
    async with anyio.create_task_group() as tasks:
        for job in ('first', 'second', 'once', 'new'):
            tasks.start_soon(do, job)
        await are_begun.wait()
        assert len({'first', 'second'} & set(begun)) == 1
        go_on.set()
    assert {'new', 'once', 'first', 'second'} == set(begun)
    assert worker.database.counts('job') == {}


async def test_a_document_that_kills_is_set_aside(worker: Worker) -> None:
    for _ in range(MAX_DEATHS):
        worker.database.count('job', 'job')
    with pytest.raises(SummarizerError, match='4 workers died while they did it'):
        async with worker._begun('job'):
            pass
    assert worker.database.counts('job') == {}  # so that it can be tried again


def test_who_has_said_nothing_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clock of whoever looks: the clocks of machines differ."""
    now = 100.0
    monkeypatch.setattr(worker_module.time, 'monotonic', lambda: now)
    heard = worker_module._heard({}, {'a': 7, 'b': 1})
    now = 131.0
    assert worker_module._heard(heard, {'a': 7, 'b': 2, 'c': 1}) == {'a': (7, 100.0), 'b': (2, 131.0), 'c': (1, 131.0)}
