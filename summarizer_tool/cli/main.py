"""The command line: text in, the result alone on stdout, everything else on stderr."""

import gc
import os
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from importlib.metadata import EntryPoint, entry_points
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from summarizer_tool.cli.batch import batch, worker
from summarizer_tool.cli.evidence import add, answer, caller_of, diff, search, status
from summarizer_tool.cli.stored import STDIN, given_sources, is_kept, on_collection, read_places
from summarizer_tool.cli.terminal import (
    check_writable,
    ending,
    load_settings,
    say,
    set_up_logs,
    show_statistics,
    write,
    write_file,
)
from summarizer_tool.extras import naming_extra

if TYPE_CHECKING:
    from summarizer_tool import Collection, Document, RequestOptions, SummaryReply
    from summarizer_tool.service.service import Setup

GROUP = 'summarizer.commands'

EXIT_CODES = """Exit codes: 0 done, 1 failed, or nothing found (said on stderr), 2 wrong option, setting or key,
3 an input that cannot be read or fetched, 130 interrupted."""


class InstalledCommands(TyperGroup):
    """Our own commands, and those of other packages, whose entry points are looked for only when they are needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands, our own first."""
        own = super().list_commands(ctx)
        return [*own, *sorted(name for name in _installed() if name not in own)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name, or `None`."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        found = _installed().get(cmd_name)
        return _loaded(found) if found is not None else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is asked for; of what looks like an input the error says how it is summarized."""
        name = args[0]
        if self.get_command(ctx, name) is None and (os.access(name, os.F_OK) or '://' in name or name == STDIN):
            ctx.fail(f'{name} is no command; to summarize it: summarizer run {name}')
        return super().resolve_command(ctx, args)


def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _loaded(entry: EntryPoint) -> TyperCommand:
    with naming_extra():
        function = entry.load()
    gc.enable()  # what it loads and keeps is its own affair

    @wraps(function)
    def run(**given: Any) -> None:
        with ending():
            function(**given)

    return _command_of(entry.name, run)


def _command_of(name: str, function: Callable[..., None], about: str | None = None) -> TyperCommand:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    settings = {'token_normalize_func': methodcaller('replace', '_', '-')}
    app.command(name, help=about, context_settings=settings)(function)
    command = get_command(app)
    assert isinstance(command, TyperCommand)  # noqa: S101 - an app of one command is that command
    return command


class Operations(TyperGroup):
    """The operations as agents have them, a command each."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all operations."""
        from summarizer_tool.service.operations import OPERATIONS

        return [each.name for each in OPERATIONS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """What calls an operation, or `None`."""
        from summarizer_tool.service.operations import operation

        asked = operation(cmd_name)
        return asked and _command_of(asked.name, caller_of(asked), asked.text().description)


app = typer.Typer(
    cls=InstalledCommands,
    help='Compress any text to a token budget, keeping facts that are traced to their source lines; or search it, and '
    'the web pages it links to, for verbatim evidence.',
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


app.add_typer(
    typer.Typer(
        cls=Operations,
        help='Call an operation as an agent does. A parameter that is given twice is a list; - is read from stdin.',
        no_args_is_help=True,
    ),
    name='call',
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


def run(
    places: Annotated[
        list[str] | None,
        typer.Argument(
            metavar='FILE|URL|HANDLE|-',
            help='Text, markdown or HTML files, web pages, or handles of kept sources; - or none: stdin.',
        ),
    ] = None,
    max_output_tokens: Annotated[
        int, typer.Option(min=0, help='Token budget; 0: the default, for extraction at most a fifth of the input.')
    ] = 0,
    focus: Annotated[list[str] | None, typer.Option(help='What matters most; may be repeated.')] = None,
    schema_hint: Annotated[
        str, typer.Option(help='What will be extracted from the summary: a topic, field names or a JSON schema.')
    ] = '',
    model: Annotated[str | None, typer.Option(help='Overrides LLM_MODEL.')] = None,
    as_json: Annotated[bool, typer.Option('--json', help='Print the whole result as JSON.')] = False,
    stats: Annotated[bool, typer.Option('--stats', help='Print a table of statistics on stderr.')] = False,
    report: Annotated[
        Path | None, typer.Option(metavar='FILE', help='Also write a page that shows the summary beside its sources.')
    ] = None,
) -> None:
    """Summarize files, web pages or stdin.

    With SUMMARIZER_STORE set, what is named is added to that store, and stderr names the handles.
    """
    with ending():
        settings = load_settings(model)
        if report is not None:
            check_writable(report, '--report')
        names = ['stdin' if name == STDIN else name for name in places or [STDIN]]
        sources = read_places(places or [STDIN], settings)
        set_up_logs(settings)  # which takes long, so that a wrong name is told first
        is_audited = as_json or stats or report is not None or is_kept(settings)

        async def work(
            setup: 'Setup', stored: 'Collection', options: 'RequestOptions'
        ) -> 'tuple[SummaryReply, list[Document]]':
            from summarizer_tool.errors import RequestError
            from summarizer_tool.mapreduce.request import ExtractionRequest, SummarizeRequest

            service = setup.service(stored)
            read = await given_sources(service, sources, is_kept(settings))
            empty = [name for name, each in zip(names, read, strict=True) if not each.document.text.strip()]
            if len(empty) == len(read):
                raise RequestError(f'there is nothing to summarize: {", ".join(empty)} holds no text')
            for name in empty:
                say(f'warning: {name} holds no text')
            given = [each for each in read if each.document.text.strip()]
            asked = {'max_output_tokens': max_output_tokens, 'focus_areas': focus or (), 'schema_hint': schema_hint}
            kind = ExtractionRequest if schema_hint else SummarizeRequest
            request = kind.of({**asked, 'names_handles': False})
            reply = await service.summarize(request, replace(options, is_audited=is_audited), given=given)
            return reply, [each.document for each in given]

        made, documents = on_collection(settings, work)
    summary = made.summary
    write(summary.model_dump_json(indent=2) if as_json else summary.text)
    for warning in summary.warnings:
        say(f'warning: {warning}')
    if stats:
        show_statistics(summary)
    if report is not None:
        from summarizer_tool.report.page import render

        write_file(report, render(summary, documents))
    if made.source_ids and is_kept(settings):
        say(f'stored as {", ".join(made.source_ids)}; name handles instead of files to ask about them again')


def serve(
    transport: Annotated[str | None, typer.Option(help='streamable-http or stdio; overrides MCP_TRANSPORT.')] = None,
    host: Annotated[str | None, typer.Option(help='Overrides MCP_HOST.')] = None,
    port: Annotated[int | None, typer.Option(help='Overrides MCP_SUMMARIZER_PORT.')] = None,
    model: Annotated[str | None, typer.Option(help='Overrides LLM_MODEL.')] = None,
) -> None:
    """Serve the tools to agents, over MCP."""
    with ending(), naming_extra('server'):
        from summarizer_tool.server.main import serve as serve_mcp

        serve_mcp(load_settings(model, mcp_transport=transport, mcp_host=host, mcp_summarizer_port=port))


for _command in (run, search, answer, add, status, diff, batch, worker, serve):
    app.command(epilog=EXIT_CODES)(_command)


if __name__ == '__main__':
    main()
