"""The `lore-research` command: pages or a search in, a research package out."""

import re
import sys
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Never

import typer

from researcher_integration.lore import terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from researcher_integration.lore.configuration import ResearchSettings
    from researcher_integration.lore.package import Package
    from researcher_integration.lore.pipeline import Configuration, Research

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

CONFIG = Path(__file__).parents[1] / 'config'

MAX_ZONE = 200
"""Characters of the name of a zone: it goes into every prompt."""

MAX_SLUG = 80
"""Characters of the folder that is named after it."""

_PAGES = '--pages'
_NOT_IN_NAMES = re.compile(r'[\W_]+')
_NOT_TEXT = re.compile(r'[\x00-\x1f\x7f-\x9f\ud800-\udfff]')
"""Control characters, and bytes of arguments that are no UTF-8."""


class ResearchExitCode(IntEnum):
    """Exit codes."""

    OK = 0
    FAILED = 1
    """There is no package."""
    USAGE = 2
    """A wrong option, setting, key or configuration file."""
    INTERRUPTED = 130


def main() -> None:
    """The `lore-research` command."""
    app(each_with_its_option(sys.argv[1:]))


def each_with_its_option(arguments: 'Sequence[str]') -> list[str]:
    """Repeat `--pages` before each page, so that it can be written once before several (`--pages *.md`).

    Pages are what follows, up to the next option; `--` ends them, too.
    """
    found: list[str] = []
    in_pages = False
    for index, argument in enumerate(arguments):
        if argument == '--':
            return [*found, *arguments[index:]]
        if argument == _PAGES:
            in_pages = True
            following = arguments[index + 1] if index + 1 < len(arguments) else '--'
            if _is_option(following):
                _stop(ResearchExitCode.USAGE, f'{_PAGES} needs a URL or a file after it')
        elif _is_option(argument):
            in_pages = argument.startswith(f'{_PAGES}=')
            found.append(argument)
        else:
            found += [_PAGES, argument] if in_pages else [argument]
    return found


def _is_option(argument: str) -> bool:
    return argument.startswith('-') and argument != '-'


@app.command(no_args_is_help=True)
def research(
    zone: Annotated[str, typer.Argument(metavar='ZONE', help='The name of the zone.')],
    pages: Annotated[
        list[str] | None,
        typer.Option(_PAGES, metavar='URL|FILE …', help='Pages to read: all that follow, up to the next option.'),
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
        Path,
        typer.Option(metavar='FOLDER', help='Of research_topics.yml, sources.yml and mcp_config.json.'),
    ] = CONFIG,
) -> None:
    """Research the lore of a game zone: crawl pages, keep what the topics ask for, extract it, report conflicts.

    The folder of the package is printed to stdout, everything else to stderr.
    """
    try:
        _check(pages or (), search=search, resume=resume, fresh=fresh)
        given = {'zone': _zone(zone), 'places': pages, 'search': search, 'way': way, 'window_tokens': window}
        _research(
            {name: value for name, value in given.items() if value},
            out or Path('research') / _slug(zone),
            resume=resume,
            fresh=fresh,
            model=model,
            config=config,
        )
    except KeyboardInterrupt:
        _stop(ResearchExitCode.INTERRUPTED, 'interrupted; go on with --resume')


def _zone(text: str) -> str:
    zone = ' '.join(text.split())
    if _NOT_TEXT.search(zone):
        _stop(ResearchExitCode.USAGE, 'ZONE has characters that are no text')
    if len(zone) > MAX_ZONE:
        _stop(ResearchExitCode.USAGE, f'ZONE has {len(zone):,} characters, over {MAX_ZONE}; give the name alone')
    if not _slug(zone):
        _stop(ResearchExitCode.USAGE, 'ZONE has no letter or digit in it')
    return zone


def _slug(zone: str) -> str:
    """A zone's name as the name of a folder, without separators and dots."""
    return _NOT_IN_NAMES.sub('-', zone.casefold())[:MAX_SLUG].strip('-')


def _check(pages: 'Sequence[str]', *, search: bool, resume: bool, fresh: bool) -> None:
    """Check the arguments as far as that needs no imports."""
    if resume and fresh:
        _stop(
            ResearchExitCode.USAGE, '--resume goes on with what is in the folder, --fresh begins anew; give one of them'
        )
    if not (pages or search or resume):
        _stop(
            ResearchExitCode.USAGE,
            f'there is nothing to read: name pages with {_PAGES}, or let the agent search (--search)',
        )
    for place in pages:
        if _NOT_TEXT.search(place):
            _stop(ResearchExitCode.USAGE, f'{_PAGES} {place!a} has characters that are no text; rename the file')


def _research(
    given: dict[str, Any], folder: Path, *, resume: bool, fresh: bool, model: str | None, config: Path
) -> None:
    from pydantic_ai.exceptions import UserError

    from summarizer_tool import ConfigurationError, SummarizerError

    try:
        job = _prepared(given, folder, model=model, config=config)
        if not resume:
            _make(folder)
        package = _run(job, resume=resume, fresh=fresh)
    except ConfigurationError as error:
        _stop(ResearchExitCode.USAGE, str(error))
    except UserError as error:  # what only a request shows, such as an output mode that the model does not have
        _stop(ResearchExitCode.USAGE, f'the model cannot do this: {error}')
    except SummarizerError as error:
        _stop(ResearchExitCode.FAILED, str(error))
    terminal.report(package, job.configuration.research.topics)
    terminal.print_folder(job.folder)


# Before the work.


def _prepared(given: dict[str, Any], folder: Path, *, model: str | None, config: Path) -> 'Research':
    """Build the research of the fields of a request that were given, after all checks that come before it."""
    from researcher_integration.lore.checkpoint import ResearchRequest
    from researcher_integration.lore.configuration import ResearchSettings
    from researcher_integration.lore.pipeline import Research
    from summarizer_tool import export_env_file

    export_env_file()
    settings = ResearchSettings.load(research_model=model)
    _configure_logs(settings)
    request = ResearchRequest.model_validate({**given, 'places': tuple(map(_absolute, given.get('places', ())))})
    if request.search and settings.agent_model() is None:
        _stop(
            ResearchExitCode.USAGE,
            '--search needs a model that calls tools, and the embedded one does not; set RESEARCH_MODEL or LLM_MODEL, '
            f'or name pages with {_PAGES}',
        )
    return Research(request, _configuration(config, search=request.search), settings, folder)


def _absolute(place: str) -> str:
    """A file's absolute path, so that a research can be resumed from another folder."""
    from researcher_integration.lore.crawl.pages import is_url

    return place.strip() if is_url(place) else str(Path(place).absolute())


def _make(folder: Path) -> None:
    """Make the folder now, so that an unwritable one is reported before any work is done."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        _stop(ResearchExitCode.USAGE, f'--out {folder} cannot be made a folder: {error.strerror}')


def _configuration(folder: Path, *, search: bool) -> 'Configuration':
    from researcher_integration.lore.configuration import load_tiers, load_topics
    from researcher_integration.lore.pipeline import Configuration
    from researcher_integration.mcp.search_servers import load_search_servers

    topics, tiers = load_topics(folder / 'research_topics.yml'), load_tiers(folder / 'sources.yml')
    servers = load_search_servers(folder / 'mcp_config.json')
    if search and not servers:
        _stop(
            ResearchExitCode.USAGE,
            f'--search needs a search server, and {folder / "mcp_config.json"} names none; '
            'name one in a copy of that folder, and the copy with --config',
        )
    return Configuration(topics, tiers, servers)


def _configure_logs(settings: 'ResearchSettings') -> None:
    """Configure traces and logs: readable lines, or JSON where `LOG_LEVEL` is set."""
    import logging

    from summarizer_tool import TerminalLines, configure_telemetry, json_log_lines

    handler = json_log_lines() if 'log_level' in settings.model_fields_set else TerminalLines()
    configure_telemetry(settings, handler=handler)
    own = logging.getLogger('researcher_integration')
    own.handlers[:] = [handler]
    own.setLevel(settings.log_level)
    own.propagate = False


# The work.


def _run(job: 'Research', *, resume: bool, fresh: bool) -> 'Package':
    import asyncio

    from summarizer_tool import model_id

    settings = job.settings
    agent = settings.agent_model()
    where = 'the MCP server' if settings.mcp_summarizer_url else f'{model_id(settings)}, in process'
    terminal.say(f'agent and extraction: {agent or "none, as there is no model for them"}; summaries: {where}')
    with terminal.progress() as tell:
        job.on_progress = tell
        return asyncio.run(job.run(resume=resume, fresh=fresh))


def _stop(code: ResearchExitCode, message: str) -> Never:
    terminal.say(message)
    sys.exit(code)


if __name__ == '__main__':
    main()
