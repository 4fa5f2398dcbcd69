"""The command line: text in, the summary alone on stdout, everything else on stderr."""

import os
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Never

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from summarizer_tool.documents import Document
    from summarizer_tool.job import Progress
    from summarizer_tool.schemas import Summary
    from summarizer_tool.settings import Settings

app = typer.Typer(
    help='Compress any text to a token budget, keeping facts that are traced to their source lines.',
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

SAMPLE_BYTES = 8192
"""How much of a file is looked at to tell text from binary data."""


class Exit(IntEnum):
    """Exit codes."""

    OK = 0
    FAILED = 1
    """Every model call failed and `SUMMARIZER_ON_FAILURE` is `error`."""
    USAGE = 2
    """A wrong option, setting or key."""
    INPUT = 3
    """An input that cannot be read."""
    INTERRUPTED = 130


def main() -> None:
    """The `summarizer` command."""
    app()


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(version('summarizer-tool'))
        raise typer.Exit


@app.callback()
def _commands(
    version: Annotated[  # pyright: ignore[reportUnusedParameter]
        bool, typer.Option('--version', callback=_show_version, is_eager=True, help='Show the version and exit.')
    ] = False,
) -> None:
    """Keeps `run` a command of its own, beside those to come."""


@app.command()
def run(
    files: Annotated[
        list[str] | None, typer.Argument(metavar='FILE|-', help='Text or markdown files; - or none: stdin.')
    ] = None,
    max_output_tokens: Annotated[
        int, typer.Option(min=0, help='Token budget; 0: the default, for extraction at most a fifth of the input.')
    ] = 0,
    focus: Annotated[list[str] | None, typer.Option(help='What matters most; may be repeated.')] = None,
    schema_hint: Annotated[
        str, typer.Option(help='What will be extracted from the summary: a topic, field names or a JSON schema.')
    ] = '',
    strategy: Annotated[str, typer.Option(help='How to cut into chunks: semantic or token.')] = 'semantic',
    model: Annotated[str | None, typer.Option(help='Overrides LLM_MODEL.')] = None,
    as_json: Annotated[bool, typer.Option('--json', help='Print the whole result as JSON.')] = False,
    stats: Annotated[bool, typer.Option('--stats', help='Print a table of statistics on stderr.')] = False,
) -> None:
    """Summarize files or stdin."""
    from summarizer_tool.errors import ConfigurationError, InputTooLargeError, SummarizerError
    from summarizer_tool.settings import Settings, export_env_file

    try:
        export_env_file()
        settings = Settings.load(llm_model=model)
        _configure(settings)
        summary = _summarize(
            list(_read(files or ['-'], settings)),
            settings,
            Request(max_output_tokens, focus or [], schema_hint, strategy),
        )
    except ConfigurationError as error:
        _stop(Exit.USAGE, str(error))
    except InputTooLargeError as error:
        _stop(Exit.INPUT, str(error))
    except SummarizerError as error:
        _stop(Exit.FAILED, str(error))
    except KeyboardInterrupt:
        _stop(Exit.INTERRUPTED, 'interrupted')
    _print(summary.model_dump_json(indent=2) if as_json else summary.text)
    for warning in summary.warnings:
        print(f'summarizer: warning: {warning}', file=sys.stderr)
    if stats:
        _print_stats(summary)


@app.command()
def serve(
    transport: Annotated[str | None, typer.Option(help='streamable-http or stdio; overrides MCP_TRANSPORT.')] = None,
    host: Annotated[str | None, typer.Option(help='Overrides MCP_HOST.')] = None,
    port: Annotated[int | None, typer.Option(help='Overrides MCP_SUMMARIZER_PORT.')] = None,
    model: Annotated[str | None, typer.Option(help='Overrides LLM_MODEL.')] = None,
) -> None:
    """Serve the tools to agents, over MCP."""
    from summarizer_tool import server

    sys.exit(server.run(transport, host, port, model))


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for, apart from the input."""

    max_output_tokens: int
    focus: list[str]
    schema_hint: str
    strategy: str


def _summarize(documents: list['Document'], settings: 'Settings', request: Request) -> 'Summary':
    import asyncio

    from pydantic_ai.exceptions import UserError

    from summarizer_tool.errors import ConfigurationError
    from summarizer_tool.job import Call
    from summarizer_tool.prompts import Wish
    from summarizer_tool.store import SourceStore
    from summarizer_tool.summarizer import Summarizer

    summarizer = Summarizer(settings)

    async def work() -> 'Summary':
        # A store that is asked for keeps finished work, so that an interrupted run goes on where it was.
        with _progress() as tell, SourceStore.open(settings) if settings.store else nullcontext() as store:
            return await summarizer.run(
                documents,
                Wish.of(request.focus, request.schema_hint),
                max_output_tokens=request.max_output_tokens,
                strategy=request.strategy,
                for_extraction=bool(request.schema_hint),
                call=Call(on_progress=tell, cache=store.collection() if store else None),
            )

    try:
        return asyncio.run(work())
    except UserError as error:  # what only a request shows, such as an output mode that the model does not have
        raise ConfigurationError(f'{summarizer.model_name}: {error}') from error


def _configure(settings: 'Settings') -> None:
    """Traces as configured; logs as lines for a person, unless a level was asked for: then JSON, as for a machine."""
    from summarizer_tool import telemetry

    telemetry.configure(
        settings, handler=None if 'log_level' in settings.model_fields_set else telemetry.TerminalLines()
    )


def _read(names: list[str], settings: 'Settings') -> 'Iterator[Document]':
    """The inputs as documents; stops the program with one line about the first that cannot be read."""
    from summarizer_tool.documents import Document
    from summarizer_tool.structure import parse

    limit = int(settings.summarizer_max_input_mb * 1e6)
    for name in names:
        label = 'stdin' if name == '-' else name
        raw = _read_bytes(name, limit)
        if len(raw) > limit:
            _stop(
                Exit.INPUT,
                f'{label} is over SUMMARIZER_MAX_INPUT_MB={settings.summarizer_max_input_mb:g}; '
                'split it or raise the limit',
            )
        if b'\0' in raw[:SAMPLE_BYTES]:
            _stop(Exit.INPUT, f'{label} looks like a binary file; give it as text')
        try:
            text = raw.decode('utf-8-sig')
        except UnicodeDecodeError as error:
            _stop(Exit.INPUT, f'{label} is not UTF-8 (byte {error.start}); convert it, e.g. with iconv -t utf-8')
        headings = parse(text[:SAMPLE_BYTES])
        title = headings.title(0) if headings.levels else '' if name == '-' else Path(name).stem
        yield Document(text, title=title, url='' if name == '-' else Path(name).name)


def _read_bytes(name: str, limit: int) -> bytes:
    """At most one byte more than `limit`, so that a huge file is not read just to be refused."""
    if name == '-':
        if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - it is, where it was closed
            _stop(Exit.INPUT, 'stdin is closed; name a file')
        if sys.stdin.isatty():
            print('summarizer: reading from the terminal; end with Ctrl-D', file=sys.stderr)
        return sys.stdin.buffer.read(limit + 1)
    path = Path(name)
    if path.is_dir():
        _stop(Exit.INPUT, f'{name} is a directory; name the files in it, e.g. {name.rstrip("/")}/*.md')
    try:
        with path.open('rb') as file:
            return file.read(limit + 1)
    except FileNotFoundError:
        _stop(Exit.INPUT, f'{name} does not exist')
    except OSError as error:
        _stop(Exit.INPUT, f'{name} cannot be read: {error.strerror}')


def _stop(code: Exit, message: str) -> Never:
    """One line on stderr, and out."""
    print(f'summarizer: {" ".join(message.split())}', file=sys.stderr)
    sys.exit(code)


def _print(text: str) -> None:
    """Write to stdout as UTF-8, whatever the locale says; an empty text as nothing at all."""
    if not text:
        return
    try:
        sys.stdout.buffer.write(text.encode('utf-8', 'replace'))
        if not text.endswith('\n'):
            sys.stdout.buffer.write(b'\n')
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever reads stdout has gone; there is nobody to tell, and nothing to write again at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _stop(Exit.FAILED, f'the summary cannot be written: {error.strerror}')


@contextmanager
def _progress() -> 'Generator[Callable[[Progress], None] | None]':
    """A live bar on stderr, if a person is looking."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress as bars
    from rich.console import Console

    columns = (
        bars.SpinnerColumn(),
        bars.TextColumn('{task.description}'),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
    )
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task('reading', total=None)

        def tell(progress: 'Progress') -> None:
            bar.update(task, description=progress.message, completed=progress.done, total=progress.total)

        yield tell


def _print_stats(summary: 'Summary') -> None:
    from rich.console import Console
    from rich.table import Table

    stats = summary.stats
    dropped = stats.dropped
    table = Table('statistic', 'value', title='Summary', title_justify='left')
    for name, value in {
        'state': summary.state,
        'model': stats.model,
        'tokens in': f'{stats.tokens_in:,}',
        'tokens out': f'{stats.tokens_out:,} of {stats.budget:,}',
        'ratio': f'{stats.ratio:g} : 1',
        'chunks': f'{stats.chunks} ({stats.strategy})',
        'calls': f'{stats.map_calls} map, {stats.reduce_calls} reduce',
        'model tokens': f'{stats.usage.input_tokens:,} in, {stats.usage.output_tokens:,} out',
        'facts': f'{stats.facts_out:,} of {stats.facts_in:,}',
        'facts dropped': f'{dropped.unsupported} unsupported, {dropped.duplicate} duplicate, '
        f'{dropped.over_budget} over budget',
        'entities': f'{len(summary.entities):,}',
        'degraded parts': str(len(summary.degraded)),
        'seconds': f'{stats.seconds:.2f}',
    }.items():
        table.add_row(name, value)
    Console(stderr=True).print(table)


if __name__ == '__main__':
    main()
