"""A process that does jobs, from the queues of all batches in a database, and those that a batch starts itself."""

import asyncio
import logging
import os
import secrets
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field

from dbos import DBOS, DBOSConfig, StepOptions, WorkflowStatusString
from dbos import error as dbos_errors
from pydantic import JsonValue
from pydantic_ai.exceptions import UserError
from sqlalchemy.exc import SQLAlchemyError

from summarizer_tool import telemetry
from summarizer_tool.batch.database import APPLICATION, SERIALIZER, BatchDatabase
from summarizer_tool.batch.job import BatchJob, pack
from summarizer_tool.errors import ConfigurationError, StoreError, SummarizationFailedError, SummarizerError
from summarizer_tool.llm import models
from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.mapreduce.summarizer import Summarizer
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_io_thread, in_thread
from summarizer_tool.schemas import Summary
from summarizer_tool.settings import Settings

WORKFLOW = 'summarize'
STEP = 'summarized'

PENDING = WorkflowStatusString.PENDING.value  # begun by a worker, and not finished

VERSION = 'batch-1'
"""Of what is written into the database. A workflow has one step, so workers of any release can go on with it."""

DEADLINE_SECONDS = 3600.0
"""For one document, where no deadline was set: nobody waits, but a call that never ends must not hold a place."""

SUSPECT = 2
"""Deaths of workers after which a document is done while no other suspect one is: all that a worker had begun when it
died have died with it, and one by one it shows which of them kills."""

MAX_DEATHS = 4  # deaths of workers after which a document is set aside

FAILURES_IN_A_ROW = 5
"""Documents whose every call has failed, after which a worker stops rather than set all the others aside, too."""

BEAT_SECONDS = 5.0
SILENT_SECONDS = 30.0
"""A worker that has said nothing for so long, by the clock of those that watch it, is dead."""

POOL_SIZE = 4
"""Connections to the database that DBOS may hold in each process; Postgres has 100 for all, as it comes."""

WATCHERS = 3
"""Workers that look for dead ones: if all did, a thousand would keep the database busy with it."""

_logger = logging.getLogger('summarizer_tool')


@dataclass
class Worker:
    """One process's share of the work."""

    settings: Settings
    database: BatchDatabase
    name: str
    """Of the process; one that is started again with the same name goes on with what it had begun."""
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)
    _error: SummarizerError | None = None
    _failures: int = 0
    _one_suspect: asyncio.Lock = field(default_factory=asyncio.Lock)
    _summarizers: dict[tuple[str, int], Summarizer] = field(default_factory=dict[tuple[str, int], Summarizer])

    async def run(self) -> None:
        """Work until `stop`, then give back what is unfinished, for others; raises why this process cannot go on."""
        await in_io_thread(self.database.count, 'worker', self.name)
        config = DBOSConfig(
            name=APPLICATION,
            system_database_url=self.database.url,
            serializer=SERIALIZER,
            executor_id=self.name,
            application_version=VERSION,
            log_level='WARNING',
            run_migrations=False,
            sys_db_pool_size=POOL_SIZE,
        )
        DBOS(config=config)

        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)
        async def summarize(job: dict[str, JsonValue]) -> None:  # pyright: ignore[reportUnusedFunction] - DBOS calls it
            # One step, which a cancelled batch interrupts; what its calls have cost is kept by `BatchDatabase`.
            await DBOS.run_step_async(StepOptions(name=STEP, preemptible=True), self._work, job)

        # Why a document was set aside is its outcome.
        logging.getLogger('dbos').addFilter(lambda record: 'in asynchronous workflow' not in record.getMessage())
        DBOS.launch()
        beating = asyncio.create_task(self._beat())
        try:
            await self._stopped.wait()
        finally:
            beating.cancel()
            await asyncio.to_thread(self._give_back)
        if self._error is not None:
            raise self._error

    def stop(self, error: SummarizerError | None = None) -> None:
        """Stop soon; an error says why this process cannot go on."""
        self._error = self._error or error
        self._stopped.set()

    async def _work(self, given: dict[str, JsonValue]) -> dict[str, str]:
        job = await in_thread(BatchJob.model_validate, given)
        error: SummarizerError | None = None
        try:
            async with self._begun(DBOS.workflow_id or job.key):
                done = await self._done(job)
            self._failures = 0
            if not self._stopped.is_set():
                return {'summary': await in_thread(lambda: pack(done.model_dump_json().encode()))}
        except (ConfigurationError, UserError) as wrong:
            self.stop(ConfigurationError(f'this worker cannot answer as {job.asked.model}: {wrong}'))
        except SummarizationFailedError as failed:
            error = failed
            self._failures += 1
            if self._failures >= FAILURES_IN_A_ROW:
                self.stop(failed)
        except SummarizerError as failed:
            error = failed
        except Exception as defect:  # noqa: BLE001 - whatever it is, the other documents go on
            about = {'document': job.name, **telemetry.defect(defect)}
            _logger.error('a document was set aside', extra=about)  # noqa: TRY400 - a traceback may quote it
            error = SummarizerError(f'it raised {type(defect).__name__}, which is a defect of this program')
        if error is None or self._stopped.is_set():
            # This process ends. What became of the document in it may come of that, and is for others to find out.
            await asyncio.Event().wait()
        raise error or SummarizerError('the worker was stopped')

    async def _done(self, job: BatchJob) -> Summary:
        model, budget = asked = job.asked.model, job.asked.default_output_tokens
        summarizer = self._summarizers.get(asked)
        if summarizer is None:
            settings = self.settings.model_copy(update={'llm_model': model, 'default_max_output_tokens': budget})
            summarizer = self._summarizers[asked] = Summarizer(settings)
        settings = summarizer.settings
        has_deadline = 'deadline_seconds' in settings.model_fields_set
        return await summarizer.run(
            await in_thread(job.documents),
            job.asked.request(),
            RequestOptions(
                deadline=Deadline(settings.deadline_seconds if has_deadline else DEADLINE_SECONDS),
                are_summaries=job.kind == 'texts',
                # The original would be no result of a batch: what cannot be summarized is set aside.
                on_failure='extractive' if settings.on_failure == 'extractive' else 'error',
                # The embedded model answers sooner than a database.
                cache=None if summarizer.model_name == models.EMBEDDED else self.database,
            ),
        )

    @asynccontextmanager
    async def _begun(self, job_id: str) -> AsyncGenerator[None]:
        """Count the deaths of workers under a job, which is then done alone; raises `SummarizerError` for too many."""
        deaths = (await in_io_thread(self.database.counts, 'job')).get(job_id, 0)
        async with self._one_suspect if deaths >= SUSPECT else nullcontext():
            if deaths >= MAX_DEATHS:
                await in_io_thread(self.database.forget, 'job', job_id)
                raise SummarizerError(f'{deaths} workers died while they did it; split it, or give them more memory')
            await in_io_thread(self.database.count, 'job', job_id)
            try:
                yield
            finally:
                await in_io_thread(self.database.forget, 'job', job_id)

    def _give_back(self) -> None:
        """Take no more, and queue again what is unfinished, at once and as if it had never been tried."""
        logging.getLogger('dbos').setLevel(logging.CRITICAL)  # each call that this interrupts would say so
        DBOS.destroy(destroy_registry=True)
        client = self.database.client()
        begun = client.list_workflows(executor_id=self.name, status=PENDING, load_input=False, load_output=False)
        for job in begun:
            self.database.forget('job', job.workflow_id)
            client.resume_workflow(job.workflow_id, queue_name=job.queue_name)
        client.destroy()
        self.database.forget('worker', self.name)

    async def _beat(self) -> None:
        heard: dict[str, tuple[int, float]] = {}
        while True:
            try:
                await in_io_thread(self.database.count, 'worker', self.name)
                heard = _heard(heard, await in_io_thread(self.database.counts, 'worker'))
                silent = [name for name, (_, at) in heard.items() if time.monotonic() - at > SILENT_SECONDS]
                for name in silent:
                    del heard[name]
                    await in_io_thread(self.database.forget, 'worker', name)
                if self.name in sorted(heard)[:WATCHERS]:
                    await self._recover(heard.keys())
            except (StoreError, SQLAlchemyError, dbos_errors.DBOSException) as error:
                _logger.warning('the database of batches failed', extra={'reason': type(error).__name__})
            await asyncio.sleep(BEAT_SECONDS)

    async def _recover(self, living: AbstractSet[str]) -> None:
        begun = await DBOS.list_workflows_async(status=PENDING, load_input=False, load_output=False)
        if dead := {job.executor_id or '' for job in begun} - living:
            _logger.info('workers have died', extra={'workers': sorted(dead)})
            # It has no public name: DBOS's paid service calls it, which knows by other means who is dead.
            recover = DBOS._recover_pending_workflows  # pyright: ignore[reportPrivateUsage]
            await asyncio.to_thread(recover, sorted(dead))


def _heard(before: dict[str, tuple[int, float]], beats: dict[str, int]) -> dict[str, tuple[int, float]]:
    """How often each worker has said that it lives, and when that was seen first."""
    now = time.monotonic()
    return {
        name: before[name] if name in before and before[name][0] == count else (count, now)
        for name, count in beats.items()
    }


GIVEN_UP = frozenset({1, 2})
"""Exit codes of a worker that has said why it cannot go on."""

MAX_LOCAL_DEATHS = 12
"""Of workers since a document was last finished. More than a document that kills them is taken up."""


class LocalWorkers:
    """Processes that are started again when they die, as one does that a document has made too large."""

    def __init__(self, count: int, batch: str, database: BatchDatabase) -> None:
        self._environment = {**os.environ, 'SUMMARIZER_DATABASE_URL': database.url}
        self._database = database
        self._batch = batch
        self._count = count
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._done = self._deaths = 0

    def watch(self, done: int) -> None:
        """Start those that do not run; raises `SummarizerError` if they die again and again, or one cannot go on."""
        if done > self._done:
            self._done, self._deaths = done, 0
        if not self._processes:
            # Nobody else starts any for this batch: those that are known are of a run that was killed.
            self._database.forget_workers_of(self._batch)
        for name in [name for name, process in self._processes.items() if process.poll() is not None]:
            has_given_up = self._processes.pop(name).returncode in GIVEN_UP
            self._deaths += 1
            if has_given_up or self._deaths > MAX_LOCAL_DEATHS:
                why = 'has said above why it stopped' if has_given_up else 'dies again and again'
                raise SummarizerError(f'a worker {why}; what is done is kept, and --resume goes on')
            self._database.forget('worker', name)
        while len(self._processes) < self._count:
            # Each has a name of its own: one that is about to end must not give back what its successor has begun.
            name = f'{self._batch}-{secrets.token_hex(4)}'
            # `-P`: what lies in the current folder is no part of the program.
            command = [sys.executable, '-P', '-m', 'summarizer_tool', 'worker', '--name', name, '--until-stdin-ends']
            # Where this process is killed, its end of the pipe closes, and they stop by themselves.
            pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
            started = subprocess.Popen(command, env=self._environment, stdin=pipe, stdout=nowhere)  # noqa: S603 - our own
            self._processes[name] = started

    def end(self) -> None:
        """Tell them to stop, and wait for it."""
        for process in self._processes.values():
            if process.stdin:
                process.stdin.close()
        for process in self._processes.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
