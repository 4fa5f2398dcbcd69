"""A batch and its worker, in one process: what is done, set aside, merged, cancelled and taken up again."""

import json
import os
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from dbos import WorkflowStatus
from inline_snapshot import snapshot

from summarizer_tool import Settings
from summarizer_tool.batch import batch as batch_module
from summarizer_tool.batch.batch import Batch, BatchProgress
from summarizer_tool.batch.database import BatchDatabase
from summarizer_tool.batch.folder import BatchFolder, BatchRecord
from summarizer_tool.batch.job import Asked
from summarizer_tool.batch.worker import Worker
from tests.batch.test_answers import ON_POSTGRES, POSTGRES
from tests.support.provider import Provider, serve
from tests.support.replies import MODEL, Behaviour, Error, by_prompt

ASKED = Asked(model=MODEL, max_output_tokens=100)


@pytest.fixture(params=['sqlite', ON_POSTGRES])
def database(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[BatchDatabase]:
    monkeypatch.setattr(batch_module, 'POLL_SECONDS', 0.05)
    url = POSTGRES if request.param == 'postgres' else f'sqlite:///{tmp_path / "batch.sqlite3"}'
    database = BatchDatabase(url)
    yield database
    database.close()


@pytest.fixture
def source(tmp_path: Path, crawl: dict[str, str]) -> Path:
    folder = tmp_path / 'in'
    folder.mkdir()
    for name, text in list(crawl.items())[:3]:
        (folder / name).write_text(text)
    (folder / 'noise.bin').write_bytes(b'\0\1\2')
    return folder


@asynccontextmanager
async def working(database: BatchDatabase, provider: Provider) -> AsyncGenerator[Worker]:
    settings = Settings.load(
        llm_model=MODEL, openrouter_base_url=provider.base_url, openrouter_api_key='x', llm_max_retries=0, repair=False
    )
    worker = Worker(settings, database, 'here')
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(worker.run)
        yield worker
        worker.stop()


async def ran(
    source: Path,
    database: BatchDatabase,
    asked: Asked = ASKED,
    *,
    merge: bool = False,
    retry: bool = False,
    limit_mb: float = 50.0,
    look: Callable[[BatchProgress], None] = lambda _: None,
) -> Batch:
    def run() -> Batch:
        folder = BatchFolder(source.parent / 'out')
        with folder.alone():
            place = str(source)
            record = BatchRecord(source=place, asked=asked, merge=merge, database=database.shown, per_worker=2)
            with closing(Batch(folder, folder.begin(record), database)) as batch:
                batch.open()
                if retry:
                    batch.retry()
                batch.run(limit_mb, look)
        return batch

    return await anyio.to_thread.run_sync(run)


@pytest.mark.anyio
@pytest.mark.usefixtures('model_requests')
async def test_documents_of_a_folder(source: Path, database: BatchDatabase) -> None:
    """Each is done once, whatever its neighbours are; done work is not done again, by any command."""
    with serve() as provider:
        async with working(database, provider):
            batch = await ran(source, database, merge=True)
            calls = len(provider.requests)
            again = await ran(source, database, merge=True)
    assert {name: outcome.state for name, outcome in sorted(batch.outcomes.items())} == snapshot(
        {
            'documents/01-zone-overview.md': 'complete',
            'documents/02-geography-and-creatures.md': 'complete',
            'documents/03-history-and-timeline.md': 'complete',
            'documents/noise.bin': 'set aside',
            'merged': 'complete',
        }
    )
    assert {name: outcome.error for name, outcome in batch.outcomes.items() if outcome.error} == snapshot(
        {'documents/noise.bin': 'looks like a binary file; give it as text'}
    )
    assert (len(provider.requests), again.outcomes) == (calls, batch.outcomes)
    # The merge is none of the documents.
    told = batch.progress
    assert (told.documents, told.done, told.set_aside, told.lost_merges) == (4, 4, 1, 0)
    out = source.parent / 'out'
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob('*.md')) == snapshot(
        [
            'documents/01-zone-overview.md.md',
            'documents/02-geography-and-creatures.md.md',
            'documents/03-history-and-timeline.md.md',
            'merged.md',
        ]
    )
    merged = json.loads((out / 'merged.json').read_text())
    assert [part['title'] for part in merged['parts']] == snapshot(
        ['Kelderwick Fen', 'Geography and creatures of Kelderwick Fen', 'History of Kelderwick Fen']
    )
    assert len((out / 'report.jsonl').read_text().splitlines()) == 5


@pytest.mark.anyio
async def test_a_merge_keeps_the_facts_of_a_summary_apart(tmp_path: Path, database: BatchDatabase) -> None:
    source = tmp_path / 'in'
    source.mkdir()
    facts = [
        'Among the tools is apt-cache for querying installed as well as available packages of the archive',
        'Programs like APT have a steady flow of reports from thousands of users every day.',
    ]
    for name in ('a', 'b'):
        (source / f'{name}.txt').write_text('\n\n'.join(f'* {fact}' for fact in (*facts, 'It is so.', 'So it was.')))
    asked = Asked(model='extractive', max_output_tokens=42)
    with serve() as provider:
        async with working(database, provider):
            await ran(source, database, asked, merge=True)
    assert (tmp_path / 'out/documents/a.txt.md').read_text().splitlines() == facts
    assert set((tmp_path / 'out/merged.md').read_text().splitlines()) <= {'# b', *facts}


@pytest.mark.anyio
async def test_a_merge_makes_no_digest_of_a_digest_and_tells_of_whom_it_says_nothing(
    tmp_path: Path, database: BatchDatabase
) -> None:
    """A digest of one would count the lines of that one, and not those of the log."""
    source = tmp_path / 'in'
    source.mkdir()
    log = (f'2026-01-01 00:{n // 60:02}:{n % 60:02} INFO served /mill/{n} in {n % 7} ms' for n in range(2000))
    (source / 'a.log').write_text('\n'.join(log))
    tale = 'The mill of Ostrey was sold to Ada Thornby in 1764.\n\nIt was {} by Brook Hale in 1771.\n\n'
    (source / 'b.txt').write_text(''.join(tale.format(f'let for {n} crowns') for n in range(60)))
    asked = Asked(model='extractive', max_output_tokens=90)
    with serve() as provider:
        async with working(database, provider):
            batch = await ran(source, database, asked, merge=True)
    assert (tmp_path / 'out/documents/a.log.md').read_text().startswith('log of 2000 lines')
    merged = (tmp_path / 'out/merged.md').read_text()
    assert 'log of' not in merged.replace('log of 2000 lines', '')
    assert batch.progress.warnings == ['the summary has no room for 1 of the documents: a']


@pytest.mark.anyio
@pytest.mark.usefixtures('model_requests')
async def test_what_cannot_be_read_is_set_aside(tmp_path: Path, database: BatchDatabase) -> None:
    """The others go on: nobody waits for a pipe, and what never ends is not read."""
    source = tmp_path / 'in'
    source.mkdir()
    (source / 'a.md').write_text('Ada has 3 cats.')
    (source / 'large.md').write_text('Ada has 3 cats. ' * 100)
    (source / 'lost').symlink_to('nowhere')
    (source / 'endless').symlink_to('/dev/zero')
    os.mkfifo(source / 'pipe')
    with serve() as provider:
        async with working(database, provider):
            batch = await ran(source, database, limit_mb=0.001)
    assert {name: outcome.error for name, outcome in sorted(batch.outcomes.items())} == snapshot(
        {
            'documents/a.md': '',
            'documents/endless': 'is no file, but a folder or a link to one, a pipe or a device',
            'documents/large.md': 'is over SUMMARIZER_MAX_INPUT_MB=0.001; split it or raise the limit',
            'documents/lost': 'does not exist',
            'documents/pipe': 'is no file, but a folder or a link to one, a pipe or a device',
        }
    )


@pytest.mark.anyio
@pytest.mark.usefixtures('model_requests')
async def test_what_is_asked_for_no_more_is_forgotten(source: Path, database: BatchDatabase) -> None:
    """Another command, other files: what is told is what the last run was asked for, and so is what it leaves behind."""
    first, second = source / '01-zone-overview.md', source / '02-geography-and-creatures.md'
    (source / 'lost').symlink_to('nowhere')

    def look(now: BatchProgress) -> None:
        if now.documents == 5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        await ran(source, database, look=look)
    asked = ASKED.model_copy(update={'max_output_tokens': 90})
    with serve() as provider:
        async with working(database, provider):
            await ran(source, database, asked, merge=True)
            first.write_text(second.read_text())
            second.write_bytes(b'\0')
            (source / '03-history-and-timeline.md').unlink()
            batch = await ran(source, database, asked)
    told = batch.progress
    assert (told.done, told.set_aside) == (4, 3)
    assert batch.counts() == {'SUCCESS': 1, 'ERROR': 3}
    out = source.parent / 'out'
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob('*.md')) == snapshot(
        ['documents/01-zone-overview.md.md', 'documents/03-history-and-timeline.md.md', 'merged.md']
    )


@pytest.mark.anyio
@pytest.mark.usefixtures('model_requests')
async def test_what_was_set_aside_is_tried_again(source: Path, database: BatchDatabase) -> None:
    """A model that is gone costs the documents that ask for it; what was answered before is not asked again."""
    with serve(Behaviour(by_prompt(lambda prompt: 'Timeline' in prompt, Error(401)))) as provider:
        async with working(database, provider):
            batch = await ran(source, database)
            calls = len(provider.requests)
            provider.behaviour = Behaviour()
            again = await ran(source, database, retry=True)
    assert [name for name, outcome in sorted(batch.outcomes.items()) if outcome.error] == snapshot(
        ['documents/03-history-and-timeline.md', 'documents/noise.bin']
    )
    assert [name for name, outcome in sorted(again.outcomes.items()) if outcome.error] == snapshot(
        ['documents/noise.bin']
    )
    assert len(provider.requests) == calls + 1


def test_cancelled_and_taken_up(source: Path, database: BatchDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a worker everything waits; of what is cancelled some jobs end while others are looked up."""

    def look(now: BatchProgress) -> None:
        if now.documents == 4:
            raise InterruptedError

    folder = BatchFolder(source.parent / 'out')
    with folder.alone():
        limits = {'per_worker': 2, 'at_once': 3, 'per_minute': 100}
        record = BatchRecord(source=str(source), asked=ASKED, database=database.shown, **limits)
        batch = Batch(folder, folder.begin(record), database)
        batch.open()
        with pytest.raises(InterruptedError):
            batch.run(50.0, look)
    listed = batch.client.list_workflows

    def ending(**asked: Any) -> list[WorkflowStatus]:
        found = listed(**asked)
        if asked['status'] == batch_module.ACTIVE:
            batch.client.cancel_workflows([job.workflow_id for job in found[:1]])
        return found

    monkeypatch.setattr(batch_module, 'PAGE', 2)
    monkeypatch.setattr(batch.client, 'list_workflows', ending)
    assert (batch.counts(), batch.cancel(), batch.cancel()) == snapshot((Counter({'ENQUEUED': 4}), 4, 0))
    assert (batch.counts(), batch.retry(), batch.counts()) == snapshot(
        (Counter({'CANCELLED': 4}), 4, Counter({'ENQUEUED': 4}))
    )
    batch.close()
