"""How a command meets whoever runs it: settings, the result on stdout, all else on stderr, and the way it ends."""

import gc
import os
import re
import sys
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING, Never, cast

from summarizer_tool.errors import (
    ArgumentsError,
    ConfigurationError,
    FetchError,
    InputTooLargeError,
    SummarizerError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from pathlib import Path

    from summarizer_tool.llm.options import Progress
    from summarizer_tool.schemas import Summary
    from summarizer_tool.settings import Settings


class ExitCode(IntEnum):
    """Exit codes."""

    OK = 0
    FAILED = 1
    """Every model call failed and `SUMMARIZER_ON_FAILURE` is `error`; or there is no text, or no evidence."""
    USAGE = 2
    """A wrong option, setting or key."""
    INPUT = 3
    """An input that cannot be read or fetched."""
    INTERRUPTED = 130


def configured(model: str | None = None) -> 'Settings':
    """The settings of a command, with logs and traces set up as they say; `model` overrides `LLM_MODEL`."""
    settings = load_settings(model)
    set_up_logs(settings)
    return settings


def load_settings(model: str | None = None, **overrides: object) -> 'Settings':
    """The settings of a command: `model` overrides `LLM_MODEL`, and others theirs, by field, where not `None`."""
    from summarizer_tool.settings import Settings, export_env_file

    export_env_file()
    return Settings.load(**overrides).with_model(model, '--model')


def set_up_logs(settings: 'Settings', *, libraries: 'Iterable[str]' = ()) -> None:
    """Set up traces, and logs as lines for a person or, with a level asked for, JSON; warnings of `libraries`, too."""
    from summarizer_tool import telemetry

    handler = None if 'log_level' in settings.model_fields_set else telemetry.TerminalLines()
    telemetry.configure(settings, handler=handler, libraries=libraries)


def loaded() -> None:
    """Look for garbage again, as the work begins: what a command loads stays."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


class UnreadableError(SummarizerError):
    """An input cannot be read; says which and why in one line."""


@contextmanager
def ending() -> 'Generator[None]':
    """End the program with one line and an exit code where the work within fails or is interrupted."""
    try:
        yield
    except (ArgumentsError, ConfigurationError) as error:
        stop(ExitCode.USAGE, str(error))
    except (FetchError, InputTooLargeError, UnreadableError) as error:
        stop(ExitCode.INPUT, str(error))
    except SummarizerError as error:
        stop(ExitCode.FAILED, str(error))
    except KeyboardInterrupt:
        stop(ExitCode.INTERRUPTED, 'interrupted')


def stop(code: ExitCode, message: str) -> Never:
    """One line on stderr, and out."""
    say(' '.join(message.split()))
    sys.exit(code)


def say(message: str) -> None:
    """A line on stderr, in the program's name."""
    complain(f'summarizer: {message}')


_HARMFUL = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]')
"""What moves the cursor, recolours, retitles or turns text round; not the tab and the line break."""


def harmless(text: str) -> str:
    """A text as a terminal may show it: what would steer the terminal stands there by its code."""
    return _HARMFUL.sub(lambda found: f'\\u{ord(found[0]):04x}', text.replace('\r\n', '\n'))


def complain(text: str) -> None:
    """Write to stderr, as it is; to a terminal harmlessly."""
    if sys.stderr is not None:  # pyright: ignore[reportUnnecessaryComparison] - it is, where it was closed
        text = harmless(text) if sys.stderr.isatty() else text
        sys.stderr.write(text if text.endswith('\n') else f'{text}\n')
        sys.stderr.flush()


def write(text: str) -> None:
    """Write to stdout as UTF-8, whatever the locale says; an empty text as nothing at all, to a terminal harmlessly."""
    if not text:
        return
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - it is, where it was closed
        stop(ExitCode.FAILED, 'the result cannot be written: stdout is closed')
    text = harmless(text) if sys.stdout.isatty() else text
    try:
        sys.stdout.buffer.write(text.encode('utf-8', 'replace'))
        if not text.endswith('\n'):
            sys.stdout.buffer.write(b'\n')
        sys.stdout.buffer.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is to be written again at the exit
        if not isinstance(error, BrokenPipeError):  # where whoever reads stdout has gone there is nobody to tell
            stop(ExitCode.FAILED, f'the result cannot be written: {error.strerror}')


def check_writable(path: 'Path', option: str) -> None:
    """Check, before anything is paid for, that a file can be written; else a `ConfigurationError` names the option."""
    try:
        is_new = not path.exists()
        if not path.is_fifo():  # whose reader would see it end
            path.open('ab').close()
        if is_new:  # nobody finds an empty one where the work fails
            path.unlink()
    except OSError as error:
        raise ConfigurationError(f'{option} {path} cannot be written: {error.strerror}') from None


def write_file(path: 'Path', text: str) -> None:
    """Write a file as UTF-8, or end the program with one line."""
    try:
        path.write_text(text, encoding='utf-8', newline='\n')
    except OSError as error:
        stop(ExitCode.FAILED, f'{path} cannot be written: {error.strerror}')


@contextmanager
def progress() -> 'Generator[Callable[[Progress], None] | None]':
    """A live bar on stderr, if a person is looking."""
    if sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison] - as above
        yield None
        return
    from rich import progress as bars
    from rich.console import Console

    with bars.Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task('reading', total=None)

        def tell(progress: 'Progress') -> None:
            bar.update(task, description=progress.message, completed=progress.done, total=progress.total, refresh=True)

        yield tell


def show_statistics(summary: 'Summary') -> None:
    """A table on stderr, of all that `--json` has of how the summary was made."""
    from rich.console import Console
    from rich.table import Table

    by_kind = {} if summary.coverage is None else summary.coverage.by_kind
    coverage = {f'{kind}s': f'{each.kept:,} of {each.total:,}' for kind, each in by_kind.items()}
    told = {'state': summary.state, **summary.stats.model_dump(), 'degraded parts': len(summary.degraded)}
    table = Table('statistic', 'value', title='Summary', title_justify='left')
    for name, value in {**told, 'coverage': coverage}.items():
        table.add_row(name.replace('_', ' '), _told(value))
    Console(stderr=True).print(table)


def _told(value: object) -> str:
    if isinstance(value, dict):
        members = cast('dict[str, object]', value).items()
        return '\n'.join(f'{name.replace("_", " ")}: {_told(each)}' for name, each in members if each) or '-'
    if value is None:
        return 'unknown'
    return f'{value:,}' if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
