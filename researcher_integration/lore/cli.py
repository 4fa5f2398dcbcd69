"""The `lore-research` command: pages or a search in, a research package out."""

import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Never

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from researcher_integration.lore.configuration import Configuration, Topic
    from researcher_integration.lore.package import Package, Statistics, StepStatistics
    from researcher_integration.lore.steps.steps import ResearchProgress

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

CONFIG = Path(__file__).parents[1] / 'config'

MAX_ZONE = 200
"""Characters of the name of a zone: it goes into every prompt."""

MAX_SLUG = 80
"""Characters of the folder that is named after it."""

_NO_PACKAGE, _USAGE, _INTERRUPTED = 1, 2, 130
"""Exit codes: there is no package; a wrong option, setting, key or configuration file; Ctrl-C."""

_NOT_IN_NAMES = re.compile(r'[\W_]+')
_NOT_TEXT = re.compile(r'[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]')
"""Control characters, and bytes of arguments that are no UTF-8."""


def main() -> None:
    """The `lore-research` command."""
    app()


@app.command(no_args_is_help=True)
def research(
    zone: Annotated[str, typer.Argument(metavar='ZONE', help='The name of the zone.')],
    others: Annotated[list[str] | None, typer.Argument(metavar='[PAGE …]', help='Pages to read.')] = None,
    pages: Annotated[
        list[str] | None, typer.Option(metavar='URL|FILE …', help='The same; more than one may follow.')
    ] = None,
    search: Annotated[
        bool, typer.Option('--search', help='Let the agent search, by the servers of mcp_config.json.')
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar='FOLDER', help='Of the package; default: research/ZONE.')] = None,
    resume: Annotated[bool, typer.Option('--resume', help='Go on with the research in the folder.')] = False,
    fresh: Annotated[bool, typer.Option('--fresh', help='Begin anew, whatever is in the folder.')] = False,
    way: Annotated[
        Literal['in-pipeline', 'at-source'] | None,
        typer.Option(
            metavar='WAY',
            help='Who summarizes: in-pipeline (all pages at once; the default) or at-source (the agent, by tool).',
        ),
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(metavar='TOKENS', min=4000, help='Of the prompt of an extraction, at most; default: 25000.'),
    ] = None,
    model: Annotated[str | None, typer.Option(metavar='NAME', help='Of the agents; overrides RESEARCH_MODEL.')] = None,
    config: Annotated[
        Path, typer.Option(metavar='FOLDER', help='Of research_topics.yml, sources.yml and mcp_config.json.')
    ] = CONFIG,
) -> None:
    """Research the lore of a game zone: crawl pages, keep what the topics ask for, extract it, report conflicts.

    The folder of the package is printed to stdout, everything else to stderr.
    """
    try:
        if resume and fresh:
            _stop('--resume goes on with what is in the folder, --fresh begins anew; give one of them')
        places = [*(pages or ()), *(others or ())]  # the shell makes of `--pages *.md` an option and what follows it
        for given in (zone, *places):
            if _NOT_TEXT.search(given):
                _stop(f'{given!a} has characters that are no text; write it otherwise, or rename the file')
        request = {'zone': _zone(zone), 'places': places, 'search': search, 'way': way, 'window_tokens': window}
        _research(
            {name: value for name, value in request.items() if value},
            out or Path('research') / _slug(zone),
            resume=resume,
            fresh=fresh,
            model=model,
            config=config,
        )
    except KeyboardInterrupt:
        _stop('interrupted; go on with --resume', _INTERRUPTED)


def _zone(text: str) -> str:
    zone = ' '.join(text.split())
    if len(zone) > MAX_ZONE:
        _stop(f'ZONE has {len(zone):,} characters, over {MAX_ZONE}; give the name alone')
    is_page = zone.startswith(('http://', 'https://'))
    with suppress(OSError):  # longer than the name of a file may be
        is_page = is_page or Path(zone).is_file()
    if is_page:
        _stop(f'ZONE is a page, {zone}; give the name of the zone first')
    if not _slug(zone):
        _stop('ZONE has no letter or digit in it')
    return zone


def _slug(zone: str) -> str:
    """A zone's name as the name of a folder, without separators and dots."""
    return _NOT_IN_NAMES.sub('-', zone.casefold())[:MAX_SLUG].strip('-')


def _research(
    given: dict[str, Any], folder: Path, *, resume: bool, fresh: bool, model: str | None, config: Path
) -> None:
    # `--help` and what is asked for in a wrong way wait for none of these.
    import asyncio

    from pydantic_ai.exceptions import UserError

    from researcher_integration.lore.checkpoint import FILE, ResearchRequest
    from researcher_integration.lore.configuration import ResearchSettings
    from researcher_integration.lore.crawl.pages import is_url
    from researcher_integration.lore.package import STATISTICS_FILE
    from researcher_integration.lore.pipeline import Research
    from summarizer_tool import (
        ConfigurationError,
        SummarizerError,
        TerminalLines,
        configure_telemetry,
        export_env_file,
        json_log_lines,
        model_id,
    )

    try:
        export_env_file()
        settings = ResearchSettings.load(research_model=model)
        # Readable lines, or JSON where a level is asked for.
        handler = json_log_lines() if 'log_level' in settings.model_fields_set else TerminalLines()
        configure_telemetry(settings, handler=handler)
        # Files by their absolute paths, so that a research can be resumed from another folder.
        places = (place.strip() if is_url(place) else str(Path(place).absolute()) for place in given.get('places', ()))
        request = ResearchRequest.model_validate({**given, 'places': tuple(places)})
        are_gone = not any(is_url(place) or Path(place).exists() for place in request.places)
        is_unfinished = (folder / FILE).exists() and not (folder / STATISTICS_FILE).exists() and not fresh
        if request.places and are_gone and not (request.search or resume or is_unfinished):
            _stop(f'--pages: {request.places[0]} does not exist; name files that do, or URLs')
        research = Research(request, _configuration(config, search=request.search), settings, folder)
        where = 'the MCP server' if settings.mcp_summarizer_url else f'{model_id(settings)}, in process'
        agent = settings.agent_model() or 'none, as there is no model for them'
        say(f'agent and extraction: {agent}; summaries: {where}')
        research.on_progress = _progress()
        package = asyncio.run(research.run(resume=resume, fresh=fresh))
    except ConfigurationError as error:
        _stop(str(error))
    except UserError as error:  # what only a request shows, such as an output mode that the model does not have
        _stop(f'the model cannot do this: {error}')
    except SummarizerError as error:
        _stop(str(error), _NO_PACKAGE)
    report(package, research.configuration.research.topics)
    _write(os.fsencode(folder))


def _configuration(folder: Path, *, search: bool) -> 'Configuration':
    from researcher_integration.lore.configuration import Configuration, load_tiers, load_topics
    from summarizer_tool import naming_extra

    with naming_extra('researcher'):
        from researcher_integration.mcp.search_servers import load_search_servers

    topics, tiers = load_topics(folder / 'research_topics.yml'), load_tiers(folder / 'sources.yml')
    servers = load_search_servers(folder / 'mcp_config.json')
    if search and not servers:
        _stop(
            f'--search needs a search server, and {folder / "mcp_config.json"} names none; '
            'name one in a copy of that folder, and the copy with --config'
        )
    return Configuration(topics, tiers, servers)


def _stop(message: str, code: int = _USAGE) -> Never:
    say(message)
    sys.exit(code)


def _progress() -> 'Callable[[ResearchProgress], None]':
    """Show progress on stderr: a line for each event, but not for each part of a summary."""
    last: tuple[str, str] | None = None

    def line(progress: 'ResearchProgress') -> None:
        nonlocal last
        if not (progress.stage == 'summarize' and progress.total) and (progress.stage, progress.message) != last:
            last = progress.stage, progress.message
            counted = f' {progress.done}/{progress.total}' if progress.total else ''
            say(f'{progress.stage}{counted}: {progress.message}')

    return line


def report(package: 'Package', topics: 'Sequence[Topic]') -> None:
    """Print the result of a research: steps, extractions, and what is missing."""
    from researcher_integration.lore.package import NO_MODEL

    statistics = package.statistics
    for topic in topics:
        step, found = statistics.steps[topic.id], package.extracted.categories[topic.id]
        said = f'{_kept(step)}; {step.state}, {step.agent.requests} calls'
        if found.state == 'extracted':
            dropped = f', {found.dropped} dropped, which no page supports' if found.dropped else ''
            said += f'; {len(found.records)} records{dropped}'
        say(f'{topic.header}: {said}')
    cost = '' if statistics.cost is None else f', ${statistics.cost:.4f}'
    say(f'together: {_kept(statistics)}; {statistics.total.requests} calls, {statistics.seconds:.1f} s{cost}')
    if package.extracted.conflicts:
        say(f'conflicts between sources: {len(package.extracted.conflicts)}')
    for failure in statistics.failures:
        say(f'warning: not crawled: {failure.told}')
    for warning in statistics.warnings:
        say(f'warning: {warning}')
    if all(found.reason == NO_MODEL for found in package.extracted.categories.values()):
        say('nothing was searched for, and nothing extracted into fields: that needs a model (RESEARCH_MODEL)')


def _kept(figures: 'Statistics | StepStatistics') -> str:
    ratio = f' ({figures.ratio:g} : 1)' if figures.ratio else ''
    return f'{figures.pages} pages, {figures.tokens_crawled:,} tokens crawled, {figures.tokens_kept:,} kept{ratio}'


def say(message: str) -> None:
    """Print a line to stderr."""
    printable = ''.join(letter if letter.isprintable() else ' ' for letter in ' '.join(message.split()))
    _write(f'lore-research: {printable}'.encode(sys.stderr.encoding, 'backslashreplace'), is_error=True)


def _write(line: bytes, *, is_error: bool = False) -> None:
    try:
        typer.echo(line, err=is_error)  # as bytes: the same in any locale
    except BrokenPipeError:  # whoever has read it has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2 if is_error else 1)
