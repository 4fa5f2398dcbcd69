"""The command line: text in, the result alone on stdout, everything else on stderr."""

import sys
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from summarizer_tool.cli import evidence
from summarizer_tool.cli.inputs import STDIN, Given, Url, fetched, read_place
from summarizer_tool.cli.terminal import ending, load_settings, progress, say, set_up_logs, show_statistics, write

if TYPE_CHECKING:
    from summarizer_tool.schemas import Summary
    from summarizer_tool.settings import Settings

app = typer.Typer(
    help='Compress any text to a token budget, keeping facts that are traced to their source lines; or search it, and '
    'the web pages it links to, for verbatim evidence.',
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """The `summarizer` command."""
    app()


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        write(version('summarizer-tool'))
        raise typer.Exit


@app.callback()
def _commands(
    version: Annotated[  # pyright: ignore[reportUnusedParameter]
        bool, typer.Option('--version', callback=_show_version, is_eager=True, help='Show the version and exit.')
    ] = False,
) -> None:
    """For the options that belong to no command."""


@app.command()
def run(
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar='FILE|URL|-', help='Text, markdown or HTML files, or web pages; - or none: stdin.'),
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
    """Summarize files, web pages or stdin.

    Exit codes: 0 done, 1 every model call failed and SUMMARIZER_ON_FAILURE is error, 2 wrong option, setting or key,
    3 an input that cannot be read or fetched, 130 interrupted.
    """
    with ending():
        settings = load_settings(model)
        given = [read_place(name, settings) for name in places or [STDIN]]
        set_up_logs(settings)  # which takes long, so that a wrong name is told first
        summary = _summarize(given, settings, RunArguments(max_output_tokens, focus or [], schema_hint, strategy))
    write(summary.model_dump_json(indent=2) if as_json else summary.text)
    for warning in summary.warnings:
        say(f'warning: {warning}')
    if stats:
        show_statistics(summary)


app.command()(evidence.search)
app.command()(evidence.answer)
app.command()(evidence.add)
app.command()(evidence.status)


@app.command()
def serve(
    transport: Annotated[str | None, typer.Option(help='streamable-http or stdio; overrides MCP_TRANSPORT.')] = None,
    host: Annotated[str | None, typer.Option(help='Overrides MCP_HOST.')] = None,
    port: Annotated[int | None, typer.Option(help='Overrides MCP_SUMMARIZER_PORT.')] = None,
    model: Annotated[str | None, typer.Option(help='Overrides LLM_MODEL.')] = None,
) -> None:
    """Serve the tools to agents, over MCP."""
    from summarizer_tool.server import main as server

    sys.exit(server.run(transport, host, port, model))


@dataclass(frozen=True, slots=True)
class RunArguments:
    """What was asked for, apart from the input."""

    max_output_tokens: int
    focus: list[str]
    schema_hint: str
    strategy: str


def _summarize(given: list[Given | Url], settings: 'Settings', request: RunArguments) -> 'Summary':
    import asyncio

    from pydantic_ai.exceptions import UserError

    from summarizer_tool.errors import ConfigurationError
    from summarizer_tool.llm.options import RequestOptions
    from summarizer_tool.mapreduce.summarizer import Summarizer
    from summarizer_tool.prompts import Focus
    from summarizer_tool.store.source_store import SourceStore

    summarizer = Summarizer(settings)

    async def work() -> 'Summary':
        # A store that is asked for keeps finished work, so that an interrupted run goes on where it was.
        with progress() as tell, SourceStore.open(settings) if settings.store else nullcontext() as store:
            return await summarizer.run(
                await fetched(given, settings),
                Focus.of(request.focus, request.schema_hint),
                max_output_tokens=request.max_output_tokens,
                strategy=request.strategy,
                for_extraction=bool(request.schema_hint),
                options=RequestOptions(on_progress=tell, cache=store.collection() if store else None),
            )

    try:
        return asyncio.run(work())
    except UserError as error:  # what only a request shows, such as an output mode that the model does not have
        raise ConfigurationError(f'{summarizer.model_name}: {error}') from error


if __name__ == '__main__':
    main()
