"""The `lore-research` command: pages or a search in, a research package out; progress and warnings on stderr."""

import os
import re
import sys
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Never

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from researcher_integration.package import Package
    from researcher_integration.pipeline import Configuration, Progress, Research
    from researcher_integration.researcher import Way

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

CONFIG = Path(__file__).parent / 'config'

_NOT_IN_NAMES = re.compile(r'[\W_]+')


class Exit(IntEnum):
    """Exit codes."""

    OK = 0
    FAILED = 1
    """There is no package."""
    USAGE = 2
    """A wrong option, setting, key or configuration file."""
    INTERRUPTED = 130


def main() -> None:
    """The `lore-research` command."""
    app()


@app.command()
def research(
    zone: Annotated[str, typer.Argument(metavar='ZONE', help='The name of the zone.')],
    more: Annotated[list[str] | None, typer.Argument(metavar='', hidden=True)] = None,
    pages: Annotated[
        list[str] | None,
        typer.Option('--pages', metavar='URL|FILE …', help='Pages to read; all that follow, up to the next option.'),
    ] = None,
    search: Annotated[
        bool, typer.Option('--search', help='Let the agent search, by the servers of mcp_config.json.')
    ] = False,
    out: Annotated[Path | None, typer.Option(help='The folder of the package; default: research/ZONE.')] = None,
    resume: Annotated[bool, typer.Option('--resume', help='Go on with the research in the folder.')] = False,
    fresh: Annotated[bool, typer.Option('--fresh', help='Begin anew, whatever is in the folder.')] = False,
    way: Annotated[
        str | None,
        typer.Option(
            help='Who summarizes: in-pipeline (after each step; the default) or at-source (the agent, by tool).'
        ),
    ] = None,
    window: Annotated[
        int | None, typer.Option(min=4000, help='Tokens that the prompt of an extraction may have; default: 25000.')
    ] = None,
    model: Annotated[str | None, typer.Option(help='Of the agents; overrides RESEARCH_MODEL.')] = None,
    config: Annotated[
        Path, typer.Option(help='The folder of research_topics.yml, sources.yml and mcp_config.json.')
    ] = CONFIG,
) -> None:
    """Research the lore of a game zone: crawl pages, keep what the topics ask for, extract it, report conflicts."""
    from pydantic_ai.exceptions import UserError

    from summarizer_tool import ConfigurationError, SummarizerError

    try:
        job = _prepared(
            zone,
            [*(pages or ()), *(more or ())],
            search=search,
            out=out,
            way=_way(way),
            window=window,
            model=model,
            config=config,
        )
        package = _run(job, resume=resume, fresh=fresh)
    except ConfigurationError as error:
        _stop(Exit.USAGE, str(error))
    except UserError as error:  # what only a request shows, such as an output mode that the model does not have
        _stop(Exit.USAGE, f'the model cannot do this: {error}')
    except SummarizerError as error:
        _stop(Exit.FAILED, str(error))
    except KeyboardInterrupt:
        _stop(Exit.INTERRUPTED, 'interrupted; go on with --resume')
    _report(package, job.folder)


def _way(way: str | None) -> 'Way | None':
    if way is None or way == 'in-pipeline' or way == 'at-source':
        return way
    return _stop(Exit.USAGE, f'--way is in-pipeline or at-source, not {way!r}')


def _prepared(
    zone: str,
    places: list[str],
    *,
    search: bool,
    out: Path | None,
    way: 'Way | None',
    window: int | None,
    model: str | None,
    config: Path,
) -> 'Research':
    from researcher_integration.checkpoint import Request
    from researcher_integration.pipeline import Research
    from researcher_integration.settings import ResearchSettings
    from summarizer_tool import export_env_file, telemetry

    export_env_file()
    settings = ResearchSettings.load(research_model=model)
    telemetry.configure(
        settings, handler=None if 'log_level' in settings.model_fields_set else telemetry.TerminalLines()
    )
    name = ' '.join(zone.split())
    slug = _NOT_IN_NAMES.sub('-', name.casefold()).strip('-')
    if not slug:
        _stop(Exit.USAGE, 'ZONE has no letter or digit in it')
    asked = {
        'places': tuple(_absolute(place) for place in places),
        'search': search,
        'way': way,
        'window_tokens': window,
    }
    return Research(
        Request.model_validate({'zone': name, **{key: value for key, value in asked.items() if value}}),
        _configuration(config, search=search),
        settings,
        out or Path('research') / slug[:80],
    )


def _absolute(place: str) -> str:
    """A file's absolute path, so that a research can be resumed from another folder."""
    from researcher_integration.locators import is_url

    return place if is_url(place) else str(Path(place).absolute())


def _configuration(folder: Path, *, search: bool) -> 'Configuration':
    from researcher_integration.mcp_servers import load_search_servers
    from researcher_integration.pipeline import Configuration
    from researcher_integration.tiers import load_tiers
    from researcher_integration.topics import load_topics

    servers = load_search_servers(folder / 'mcp_config.json')
    if search and not servers:
        _stop(Exit.USAGE, f'--search needs a search server; {folder / "mcp_config.json"} names none')
    return Configuration(load_topics(folder / 'research_topics.yml'), load_tiers(folder / 'sources.yml'), servers)


def _run(job: 'Research', *, resume: bool, fresh: bool) -> 'Package':
    import asyncio

    if job.settings.agent_model() is None:
        _say('no model (RESEARCH_MODEL, LLM_MODEL): no agent and no typed extraction; the embedded model summarizes')
    with _progress() as tell:
        job.on_progress = tell
        return asyncio.run(job.run(resume=resume, fresh=fresh))


@contextmanager
def _progress() -> 'Generator[Callable[[Progress], None]]':
    """A live line on stderr if a person is looking, else a line for each page, step and extraction."""
    if not sys.stderr.isatty():
        last: tuple[str, str] | None = None

        def line(progress: 'Progress') -> None:
            nonlocal last
            if progress.stage != 'summarize' and (progress.stage, progress.message) != last:
                last = progress.stage, progress.message
                _say(_worded(progress))

        yield line
        return
    from rich.console import Console

    with Console(stderr=True).status('beginning') as status:
        yield lambda progress: status.update(_worded(progress).replace('[', r'\['))


def _worded(progress: 'Progress') -> str:
    counted = f' {progress.done}/{progress.total}' if progress.total else ''
    return f'{progress.stage}{counted}: {progress.message}'


def _report(package: 'Package', folder: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    statistics = package.statistics
    table = Table('step', 'pages', 'crawled', 'kept', 'ratio', 'calls', 'state', title_justify='left')
    for topic, step in statistics.steps.items():
        calls = step.agent.requests + step.summaries.requests
        table.add_row(
            topic,
            f'{step.pages}',
            f'{step.tokens_crawled:,}',
            f'{step.tokens_kept:,}',
            f'{step.ratio:g} : 1',
            f'{calls}',
            step.state,
        )
    table.add_row(
        'together',
        f'{statistics.pages}',
        f'{statistics.tokens_crawled:,}',
        f'{statistics.tokens_kept:,}',
        f'{statistics.ratio:g} : 1',
        f'{statistics.total.requests}',
        f'{statistics.seconds:.1f} s' + ('' if statistics.cost is None else f', ${statistics.cost:.4f}'),
    )
    Console(stderr=True).print(table)
    for category, found in package.extracted.categories.items():
        if found.state == 'extracted':
            _say(f'{category}: {len(found.records)} records, {found.dropped} dropped as unsupported')
    if package.extracted.conflicts:
        _say(f'{len(package.extracted.conflicts)} conflicts between sources')
    for failure in statistics.failures:
        _say(f'warning: not crawled: {failure.place}: {failure.reason}')
    for warning in statistics.warnings:
        _say(f'warning: {warning}')
    if all(found.state == 'no model' for found in package.extracted.categories.values()):
        _say('nothing was extracted into fields: that needs a model, in RESEARCH_MODEL or LLM_MODEL')
    _print(str(folder))


def _say(message: str) -> None:
    print(f'lore-research: {" ".join(message.split())}', file=sys.stderr, flush=True)


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _stop(code: Exit, message: str) -> Never:
    _say(message)
    sys.exit(code)


if __name__ == '__main__':
    main()
