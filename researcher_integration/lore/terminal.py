"""What a person sees of a research: progress, table and warnings on stderr, the folder of the package on stdout."""

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from researcher_integration.lore.configuration import Topic
    from researcher_integration.lore.package import Package
    from researcher_integration.lore.pipeline import ResearchProgress


@contextmanager
def progress() -> 'Generator[Callable[[ResearchProgress], None]]':
    """Show progress on stderr: one live line on a terminal, else a line for each event."""
    if not sys.stderr.isatty():
        last: tuple[str, str] | None = None

        def line(progress: 'ResearchProgress') -> None:
            nonlocal last
            if not (progress.stage == 'summarize' and progress.total) and (progress.stage, progress.message) != last:
                last = progress.stage, progress.message
                say(_worded(progress))

        yield line
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status('beginning') as status:
        yield lambda progress: status.update(Text(_printable(_worded(progress))))


def _worded(progress: 'ResearchProgress') -> str:
    counted = f' {progress.done}/{progress.total}' if progress.total else ''
    return f'{progress.stage}{counted}: {progress.message}'


def report(package: 'Package', topics: 'Sequence[Topic]') -> None:
    """Print the result of a research: steps, extractions, and what is missing."""
    from rich.console import Console
    from rich.table import Table

    statistics = package.statistics
    table = Table('step', 'pages', 'crawled', 'kept', 'ratio', 'calls', 'state')
    for topic in topics:
        step = statistics.steps[topic.id]
        calls = step.agent.requests + step.summaries.requests
        table.add_row(
            topic.header,
            f'{step.pages}',
            f'{step.tokens_crawled:,}',
            f'{step.tokens_kept:,}',
            _ratio(step.ratio),
            f'{calls}',
            step.state,
        )
    if statistics.summaries.requests:
        table.add_row('Summaries', '', '', '', '', f'{statistics.summaries.requests}', '')
    if statistics.extraction.requests:
        table.add_row('Extraction', '', '', '', '', f'{statistics.extraction.requests}', '')
    table.add_row(
        'together',
        f'{statistics.pages}',
        f'{statistics.tokens_crawled:,}',
        f'{statistics.tokens_kept:,}',
        _ratio(statistics.ratio),
        f'{statistics.total.requests}',
        f'{statistics.seconds:.1f} s' + ('' if statistics.cost is None else f', ${statistics.cost:.4f}'),
    )
    console = Console(stderr=True)
    with console.capture() as drawn:  # rich would end the program if nobody reads any more
        console.print(table)
    _write(drawn.get())
    for topic in topics:
        found = package.extracted.categories[topic.id]
        if found.state == 'extracted':
            dropped = f', {found.dropped} dropped, which no page supports' if found.dropped else ''
            say(f'{topic.header}: {len(found.records)} records{dropped}')
    if package.extracted.conflicts:
        say(f'conflicts between sources: {len(package.extracted.conflicts)}')
    for failure in statistics.failures:
        place = '' if failure.place in failure.reason else f'{failure.place}: '
        say(f'warning: not crawled: {place}{failure.reason}')
    for warning in statistics.warnings:
        say(f'warning: {warning}')
    if all(found.state == 'no model' for found in package.extracted.categories.values()):
        say('nothing was searched for, and nothing extracted into fields: that needs a model (RESEARCH_MODEL)')


def _ratio(ratio: float) -> str:
    return f'{ratio:g} : 1' if ratio else ''


def _printable(message: str) -> str:
    return ''.join(letter if letter.isprintable() else ' ' for letter in ' '.join(message.split()))


def say(message: str) -> None:
    """Print a line to stderr."""
    _write(f'lore-research: {_printable(message)}\n')


def _write(text: str) -> None:
    """Write to stderr, ignoring a closed pipe."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def print_folder(folder: Path) -> None:
    """Print the folder to stdout, byte for byte in any locale."""
    try:
        sys.stdout.buffer.write(os.fsencode(folder) + b'\n')
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
