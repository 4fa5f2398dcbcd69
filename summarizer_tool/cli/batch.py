"""Many documents: `batch` queues, watches and collects them, `worker` does a share of the work."""

import os
import signal
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from summarizer_tool.cli.terminal import (
    ExitCode,
    UnreadableError,
    ending,
    load_settings,
    loaded,
    say,
    set_up_logs,
    stop,
    write,
)
from summarizer_tool.errors import ConfigurationError
from summarizer_tool.extras import naming_extra

if TYPE_CHECKING:
    from summarizer_tool.batch.batch import Batch, BatchProgress
    from summarizer_tool.batch.database import BatchDatabase
    from summarizer_tool.batch.folder import BatchFolder
    from summarizer_tool.batch.worker import Worker
    from summarizer_tool.settings import Settings

TELL_SECONDS = 10.0  # between two lines of progress

READY = 2
"""Documents that a process has beyond its calls at once, for one to be ready when a call ends: what a process has, no
other can take when all the rest is done."""

FEW = 2
"""Documents at once in a process that computes by itself, with the embedded model: more only need more memory."""


def batch(
    source: Annotated[
        Path | None, typer.Argument(metavar='DIR|MANIFEST', help='A folder, or a text file with a path a line.')
    ] = None,
    out: Annotated[Path, typer.Option(metavar='DIR', help='For the results; it names the batch.')] = ...,  # pyright: ignore[reportArgumentType] - it is required
    merge: Annotated[bool, typer.Option('--merge', help='Also make one summary of all.')] = False,
    max_output_tokens: Annotated[int, typer.Option(min=0, help='Token budget of each summary; 0: the default.')] = 0,
    focus: Annotated[list[str] | None, typer.Option(help='What matters most; may be repeated.')] = None,
    schema_hint: Annotated[str, typer.Option(help='What will be extracted from the summaries.')] = '',
    model: Annotated[str | None, typer.Option(help='Overrides LLM_MODEL.')] = None,
    workers: Annotated[
        int, typer.Option(min=0, max=64, help='Processes on this machine; 0: only those of others.')
    ] = 1,
    per_worker: Annotated[int | None, typer.Option(min=1, help='Documents at once in each process.')] = None,
    at_once: Annotated[int | None, typer.Option(min=1, help='Documents at once in all processes together.')] = None,
    per_minute: Annotated[int | None, typer.Option(min=1, help='Documents begun in a minute, by all together.')] = None,
    status: Annotated[bool, typer.Option('--status', help='Show how far it is.')] = False,
    resume: Annotated[bool, typer.Option('--resume', help='Go on, also with what was set aside or cancelled.')] = False,
    cancel: Annotated[bool, typer.Option('--cancel', help='Stop what waits and what runs.')] = False,
) -> None:
    """Summarize many documents, each into a file of its own.

    What is done stays done: the same command goes on where it was interrupted. A document that cannot be summarized is
    set aside with its error, in report.jsonl. With SUMMARIZER_DATABASE_URL, `summarizer worker` on any machine joins.
    """
    with ending(), naming_extra('batch'):
        from summarizer_tool.batch.folder import BatchFolder, BatchRecord, files_of

        settings, folder = load_settings(model), BatchFolder(out)
        if status + resume + cancel > 1 or (status or cancel or resume) == (source is not None):
            raise ConfigurationError('give either a folder or a manifest, or one of --status, --resume and --cancel')
        if source is not None and not os.access(source, os.F_OK):
            raise UnreadableError(f'{source} does not exist')
        set_up_logs(settings, libraries=['dbos'])
        from summarizer_tool.batch.batch import Batch
        from summarizer_tool.batch.job import Asked
        from summarizer_tool.mapreduce.summarizer import Summarizer

        if source is None:
            record = folder.record()
            if record is None:
                raise ConfigurationError(f'there is no batch in {folder.path}; name the folder that was its --out')
            with closing(Batch(folder, record, _database(folder, settings))) as opened, opened.database.in_use():
                if status:
                    _show(opened)
                    return
                if cancel:
                    say(f'{opened.cancel():,} documents cancelled; --resume goes on with them')
                    return
        else:
            asked = Asked(
                model=Summarizer(settings).model_name,
                max_output_tokens=max_output_tokens,
                default_output_tokens=settings.default_max_output_tokens,
                focus_areas=tuple(focus or ()),
                schema_hint=schema_hint,
            )
            asked.request()  # which tells what is wrong with it
            few = FEW if asked.model == 'extractive' else READY + settings.max_concurrent_llm_calls
            place = str(source.resolve())
            record = BatchRecord(source=place, asked=asked, merge=merge, database='', per_worker=few)
        loaded()
        next(files_of(Path(record.source), folder.path))  # a source that is none leaves no folder behind
        limits = {'per_worker': per_worker, 'at_once': at_once, 'per_minute': per_minute}
        changed: dict[str, object] = {name: limit for name, limit in limits.items() if limit}
        with folder.alone():
            database = _database(folder, settings)
            record = folder.begin(record.model_copy(update={**changed, 'database': database.shown}))
            with database.in_use(), closing(Batch(folder, record, database)) as running:
                running.open()
                if resume:
                    running.retry()
                _run(running, settings, workers)
    _tell_end(running.progress, folder)


def worker(
    name: Annotated[str, typer.Option(help='Of this process; one with the same name goes on with its work.')] = '',
    until_stdin_ends: Annotated[bool, typer.Option('--until-stdin-ends', hidden=True)] = False,
) -> None:
    """Do a share of the batches in SUMMARIZER_DATABASE_URL, until SIGTERM or Ctrl-C."""
    with ending(), naming_extra('batch'):
        settings = load_settings()
        if settings.database_url is None:
            raise ConfigurationError(
                'a worker needs the database of the batches: set SUMMARIZER_DATABASE_URL, e.g. to '
                'postgresql://user:password@host/name'
            )
        set_up_logs(settings, libraries=['dbos'])
        import asyncio
        import secrets
        import socket

        from summarizer_tool.batch.database import BatchDatabase
        from summarizer_tool.batch.worker import Worker

        name = name or f'{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}'
        working = Worker(settings, BatchDatabase(settings.database_url), name)
        loaded()
        with working.database.in_use():
            asyncio.run(_work(working, until_stdin_ends=until_stdin_ends))


async def _work(working: 'Worker', *, until_stdin_ends: bool) -> None:
    from asyncio import get_running_loop

    loop = get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, working.stop)
    if until_stdin_ends:

        def end() -> None:
            loop.remove_reader(0)  # at its end it is ready again and again
            working.stop()

        loop.add_reader(0, end)  # nothing is ever written to it
    await working.run()


def _database(folder: 'BatchFolder', settings: 'Settings') -> 'BatchDatabase':
    """The database that the settings name, or a file in the folder; it must be the one where the batch is already."""
    from summarizer_tool.batch.database import BatchDatabase
    from summarizer_tool.store.postgres import parsed_url, shown

    url, record = settings.database_url, folder.record()
    database = BatchDatabase(url) if url else BatchDatabase.in_file(folder.database)
    if record is not None and record.database != database.shown:
        kept = shown(parsed_url(record.database))  # which may be written by an earlier version, or by hand
        raise ConfigurationError(
            f'the batch in {folder.path} is kept in {kept}, and not in {database.shown}; set '
            'SUMMARIZER_DATABASE_URL as it was, or name another folder with --out'
        )
    return database


def _show(opened: 'Batch') -> None:
    from summarizer_tool.batch.batch import LOST, name_of, reason
    from summarizer_tool.batch.folder import DOCUMENTS

    counts = opened.counts()
    states = {'done': 'SUCCESS', 'running': 'PENDING', 'waiting': 'ENQUEUED', 'cancelled': 'CANCELLED'}
    told = {name: counts[state] for name, state in states.items()}
    told['set aside'] = counts.total() - sum(told.values())
    write(' · '.join(f'{count:,} {name}' for name, count in told.items()))
    for job in opened.jobs(LOST, results=True):
        write(f'{name_of(job).removeprefix(f"{DOCUMENTS}/")}: {reason(job)}')


def _run(running: 'Batch', settings: 'Settings', workers: int) -> None:
    from summarizer_tool.batch.worker import LocalWorkers
    from summarizer_tool.cli.terminal import progress
    from summarizer_tool.llm.options import Progress

    local = LocalWorkers(workers, running.record.id, running.database)
    with progress() as bar:
        told = time.monotonic()

        def look(now: 'BatchProgress') -> None:
            nonlocal told
            local.watch(len(running.outcomes))
            if bar is not None:
                bar(Progress('map', now.done, now.documents, _figures(now)))
            elif time.monotonic() - told >= TELL_SECONDS:
                told = time.monotonic()
                say(f'{now.done:,} of {now.documents:,} documents · {_figures(now)}')

        try:
            running.run(settings.max_input_mb, look)
        finally:
            local.end()


def _figures(now: 'BatchProgress') -> str:
    """What this run has done, whatever was done before it."""
    cost = 'cost unknown' if now.cost is None else f'${now.cost:.4f}'
    figures = [f'{now.tokens:,} tokens', f'{now.tokens_per_second:,.0f} a second', cost]
    if now.set_aside:
        figures.append(f'{now.set_aside:,} set aside')
    left = now.seconds_left
    if left:
        figures.append(f'{int(left) // 3600}:{int(left) // 60 % 60:02}:{int(left) % 60:02} left')
    return ' · '.join(figures)


def _tell_end(end: 'BatchProgress', folder: 'BatchFolder') -> None:
    when = f', {end.done_before:,} of them before this run of' if end.done_before else ' in'
    done = f'{end.done - end.set_aside:,} of {end.documents:,} done{when} {end.seconds:.0f} s'
    say(f'{done} · {_figures(end)}: {folder.path}')
    for warning in dict.fromkeys(end.warnings):
        say(f'warning: {warning}')
    lost = [f'{end.set_aside:,} set aside'] if end.set_aside else []
    lost += ['the merge has failed'] if end.lost_merges else []
    if lost:
        stop(ExitCode.FAILED, f'{", ".join(lost)}, see {folder.path / "report.jsonl"}; --resume tries again')
