"""A batch: its documents queued, watched, collected, merged, cancelled and taken up again."""

import re
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import cast

from dbos import DBOSClient, EnqueueOptions, WorkflowStatus, WorkflowStatusString

from summarizer_tool.batch.database import APPLICATION, BatchDatabase
from summarizer_tool.batch.folder import DOCUMENTS, MERGED, BatchFolder, BatchRecord, files_of
from summarizer_tool.batch.job import Asked, BatchJob, Outcome, unpack
from summarizer_tool.batch.worker import WORKFLOW
from summarizer_tool.documents.document import Document
from summarizer_tool.errors import FetchError
from summarizer_tool.formats.files import read_path
from summarizer_tool.schemas import Summary

PAGE = 200  # workflows that are asked for at once

POLL_SECONDS = 0.5
"""How often a worker with room looks for a document, and this process for results."""

LOOKED_AT = 1000
"""Unfinished jobs that one look asks about, the first ones: workers take them in order."""

MERGE_TOKENS = 100_000  # tokens of results that become one text at a time

MERGE_RATIO = 5
"""A text of a merge that is not the last has a fifth of the tokens of what it was made of."""

ACTIVE = [WorkflowStatusString.ENQUEUED.value, WorkflowStatusString.DELAYED.value, WorkflowStatusString.PENDING.value]
LOST = [WorkflowStatusString.ERROR.value, WorkflowStatusString.CANCELLED.value]
FINISHED = [WorkflowStatusString.SUCCESS.value, *LOST]


@dataclass(slots=True)
class BatchProgress:
    """How far a batch is."""

    documents: int = 0
    """Known so far."""
    done: int = 0
    set_aside: int = 0
    lost_merges: int = 0
    """Merges of results, which are no documents, that have failed."""
    warnings: list[str] = field(default_factory=list[str])
    """What to know of the others."""
    done_before: int = 0
    """Of those that are done: before this run began. What follows is of this run alone."""
    tokens: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    size: int = 0
    size_done: int = 0

    @property
    def tokens_per_second(self) -> float:
        """Of the documents that are done."""
        return self.tokens / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """By the bytes a second; unknown before the first."""
        return (self.size - self.size_done) / self.size_done * self.seconds if self.size_done else None


@dataclass
class Batch:
    """The documents of one output folder, as one process submits and collects them."""

    folder: BatchFolder
    record: BatchRecord
    database: BatchDatabase
    client: DBOSClient = field(init=False)
    outcomes: dict[str, Outcome] = field(default_factory=dict[str, Outcome], init=False)
    """By name, of the documents that are finished."""
    progress: BatchProgress = field(default_factory=BatchProgress, init=False)

    def __post_init__(self) -> None:
        self.client = self.database.client()
        self._waiting: dict[str, tuple[str, int]] = {}
        """Names and bytes of unfinished jobs, by their ids."""
        self._before: dict[str, tuple[str, str]] = {}
        """Names and states of the jobs that were there when this run began, and that it has not asked for yet."""
        self._names: list[str] = []
        """Of the documents, in order."""
        self._started = time.monotonic()
        self._next = 0.0

    @property
    def queue(self) -> str:
        """The queue of its jobs."""
        return f'batch-{self.record.id}'

    def open(self) -> None:
        """Let workers take its jobs."""
        record = self.record
        self.client.register_queue(
            self.queue,
            worker_concurrency=record.per_worker,
            global_concurrency=record.at_once,
            limiter={'limit': record.per_minute, 'period': 60.0} if record.per_minute else None,
            polling_interval_sec=POLL_SECONDS,
        )

    def close(self) -> None:
        """Close the connections."""
        self.client.destroy()
        self.database.close()

    def retry(self) -> int:
        """Queue again what was set aside or cancelled; returns how many there are."""
        lost = [job.workflow_id for job in self.jobs(LOST)]
        for job_id in lost:
            self.client.rewind_workflow(job_id, queue_name=self.queue)
        return len(lost)

    def cancel(self) -> int:
        """Stop what waits and what runs; returns how many jobs that is."""
        cancelled = 0
        while active := [job.workflow_id for job in islice(self.jobs(ACTIVE), PAGE)]:
            self.client.cancel_workflows(active)
            cancelled += len(active)
        return cancelled

    def counts(self) -> Counter[str]:
        """How many documents are in each state that DBOS knows."""
        return Counter(str(job.status) for job in self.jobs(None) if name_of(job).startswith(f'{DOCUMENTS}/'))

    def jobs(self, states: list[str] | None, *, results: bool = False) -> Generator[WorkflowStatus]:
        """Its jobs in the database, in some states or all, with outcomes and errors where `results` are wanted."""
        at = 0
        while True:
            found = self.client.list_workflows(
                workflow_id_prefix=f'{self.record.id}:',
                status=states,
                load_input=False,
                load_output=results,
                limit=PAGE,
                offset=at,
            )
            yield from found
            if len(found) < PAGE:
                return
            at += PAGE

    def run(self, limit_mb: float, look: Callable[[BatchProgress], None]) -> None:
        """Queue the documents, collect what becomes of them, merge them if that was asked for, and write the report.

        Jobs of earlier runs that are not asked for any more are forgotten; their results stay. `look` is called with
        each look at the database; what it raises ends this process's part, not the jobs.
        """
        self._before = {job.workflow_id: (name_of(job), str(job.status)) for job in self.jobs(None)}
        try:
            self._do(self._file_jobs(files_of(Path(self.record.source), self.folder.path), limit_mb), look)
            if self.record.merge:
                self._merge(look)
            self._forget('')
            self.client.delete_queue(self.queue)  # no worker need look for its jobs any more
        finally:
            self.folder.report(self.outcomes.items())

    def _file_jobs(self, files: Iterable[tuple[str, Path]], limit_mb: float) -> Generator[BatchJob]:
        for path_name, path in files:
            name = f'{DOCUMENTS}/{path_name}'
            self._names.append(name)
            try:
                job = BatchJob.of(name, 'file', content(path, limit_mb), self.record.asked)
            except FetchError as error:
                job = BatchJob.of(name, 'refused', str(error).encode(), self.record.asked)
            yield job
        self._forget(f'{DOCUMENTS}/')

    def _forget(self, prefix: str) -> None:
        """Delete jobs that were there before, and that this run has not asked for."""
        ids = [job_id for job_id, (name, _) in self._before.items() if name.startswith(prefix)]
        for job_id in ids:
            del self._before[job_id]
        for at in range(0, len(ids), PAGE):
            self.client.delete_workflows(ids[at : at + PAGE])

    def _do(self, jobs: Iterable[BatchJob], look: Callable[[BatchProgress], None]) -> None:
        for job in jobs:
            self._queue(job)
            self._look(look)
        while self._waiting:
            time.sleep(POLL_SECONDS)
            self._look(look)

    def _queue(self, job: BatchJob) -> None:
        is_document = job.name.startswith(f'{DOCUMENTS}/')
        job_id, size = f'{self.record.id}:{job.key}', len(job.content) * is_document
        self.progress.documents += is_document
        self._waiting[job_id] = job.name, size
        _, state = self._before.pop(job_id, ('', ''))
        if state in FINISHED:
            self._take([job_id], is_before=True)
            return
        self.progress.size += size
        if not state:
            options = EnqueueOptions(
                workflow_name=WORKFLOW,
                queue_name=self.queue,
                workflow_id=job_id,
                application_name=APPLICATION,
                attributes={'name': job.name},
            )
            self.client.enqueue(options, job.model_dump(mode='json'))

    def _look(self, look: Callable[[BatchProgress], None]) -> None:
        if time.monotonic() < self._next:
            return
        if waiting := list(islice(self._waiting, LOOKED_AT)):
            self._take(waiting)
        self.progress.seconds = time.monotonic() - self._started
        if self._waiting:
            look(self.progress)
        self._next = time.monotonic() + POLL_SECONDS

    def _take(self, job_ids: list[str], *, is_before: bool = False) -> None:
        progress = self.progress
        for job in self.client.list_workflows(workflow_ids=job_ids, status=FINISHED, load_input=False):
            name, size = self._waiting.pop(job.workflow_id)
            outcome = self.outcomes[name] = self._written(name, job)
            is_lost, is_document = outcome.state == 'set aside', name.startswith(f'{DOCUMENTS}/')
            progress.done += is_document
            progress.set_aside += is_lost and is_document
            progress.lost_merges += is_lost and not is_document
            progress.warnings += [] if is_document else outcome.warnings
            if is_before:
                progress.done_before += is_document and not is_lost
                continue
            progress.size_done += size
            progress.tokens += outcome.tokens_in * is_document
            progress.cost = None if progress.cost is None or outcome.cost is None else progress.cost + outcome.cost

    def _written(self, name: str, job: WorkflowStatus) -> Outcome:
        if job.status != WorkflowStatusString.SUCCESS.value:
            self.folder.drop(name)
            return Outcome(state='set aside', error=reason(job))
        [step] = self.client.list_workflow_steps(job.workflow_id)
        summary = Summary.model_validate_json(unpack(cast('dict[str, str]', step['output'])['summary']))
        self.folder.keep(name, summary)
        return Outcome.of(summary)

    def _merge(self, look: Callable[[BatchProgress], None]) -> None:
        names = [name for name in self._names if self.outcomes[name].tokens_out]
        level, is_last = 0, False
        while names and not is_last:
            level += 1
            groups = list(self._groups(names))
            is_last = len(groups) == 1
            asked = self.record.asked
            if not is_last:
                asked = asked.model_copy(update={'max_output_tokens': MERGE_TOKENS // MERGE_RATIO})
            made = [MERGED if is_last else f'merging/{level}-{number:04}' for number in range(1, len(groups) + 1)]
            self._do((self._merge_job(*each, asked) for each in zip(made, groups, strict=True)), look)
            names = [name for name in made if self.outcomes[name].tokens_out]

    def _groups(self, names: Iterable[str]) -> Generator[list[str]]:
        """Results that are merged with each other: neighbours."""
        group: list[str] = []
        size = 0
        for name in names:
            tokens = self.outcomes[name].tokens_out
            if group and size + tokens > MERGE_TOKENS:
                yield group
                group, size = [], 0
            group.append(name)
            size += tokens
        yield group

    def _merge_job(self, name: str, parts: list[str], asked: Asked) -> BatchJob:
        # Each line of a summary says something by itself; rows and items stay together.
        texts = [re.sub(r'(?<![\n|])\n(?=[^\s|>*+-])', '\n\n', self.folder.text(part)) for part in parts]
        documents = [
            Document(text, title=self.outcomes[part].title or part, url=part)
            for text, part in zip(texts, parts, strict=True)
        ]
        return BatchJob.of_documents(name, documents, asked)


def content(path: Path, limit_mb: float) -> bytes:
    """The bytes of a document; raises `FetchError` if it is no file, or cannot be read."""
    with suppress(OSError):  # which reading tells of
        if path.exists() and not path.is_file():
            raise FetchError('is no file, but a folder or a link to one, a pipe or a device')
    return read_path(path, limit_mb)


def name_of(job: WorkflowStatus) -> str:
    """The name of a job's result, below the folder of results."""
    return str((job.attributes or {}).get('name', job.workflow_id))


def reason(job: WorkflowStatus) -> str:
    """Why a job has no result."""
    if job.status == WorkflowStatusString.CANCELLED.value:
        return 'cancelled'
    return ' '.join(str(job.error or 'unknown').split())
