"""The options of `summarizer proxy`. It imports little: `summarizer --help` reads it."""

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer


def proxy(
    command: Annotated[
        list[str] | None, typer.Argument(metavar='-- COMMAND', help='Starts a server on stdin and stdout.')
    ] = None,
    url: Annotated[str | None, typer.Option(help='A server over streamable HTTP.')] = None,
    header: Annotated[
        list[str] | None, typer.Option(help='"Name: value" for --url, with ${VARIABLE}s; may be repeated.')
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar='FILE', help='A file with mcpServers; several are told apart by prefixes.')
    ] = None,
    name: Annotated[
        str | None, typer.Option(help='What rules and notes call the one server; by default after its program.')
    ] = None,
    http: Annotated[
        bool, typer.Option('--http', help='Serve over streamable HTTP instead of stdin and stdout.')
    ] = False,
    host: Annotated[str | None, typer.Option(help='For --http; overrides MCP_HOST.')] = None,
    port: Annotated[int | None, typer.Option(help='For --http; overrides MCP_SUMMARIZER_PORT.')] = None,
    rules: Annotated[
        Path | None, typer.Option(metavar='FILE', help='How results are treated, by server; see docs/tool-results.md.')
    ] = None,
    model: Annotated[str | None, typer.Option(help='Overrides LLM_MODEL.')] = None,
) -> None:
    """Stand before MCP servers: their results masked, framed, and digested when they are large.

    Exit codes: 0 stopped by a signal or the end of stdin, 2 wrong option, setting or key, 130 interrupted while it
    starts.
    """
    from summarizer_tool import ConfigurationError, Settings, export_env_file, naming_extra, serve_mcp

    # Before those of `.env`, which are for this program: a server that it starts has no business with them.
    variables = dict(os.environ)
    export_env_file()
    given = [each is not None for each in (command or None, url, config)]
    if sum(given) != 1:
        raise ConfigurationError(
            'name what stands behind the proxy by one of: -- COMMAND, --url URL, --config FILE'
            + (f'; {sum(given)} are given' if any(given) else '')
        )
    if header and url is None:
        raise ConfigurationError('--header goes with --url')
    if name and config is not None:
        raise ConfigurationError('--name is for one server; those of a file have names')
    transport = 'streamable-http' if http else 'stdio'
    settings = Settings.load(mcp_transport=transport, mcp_host=host, mcp_summarizer_port=port)
    settings = settings.with_model(model, '--model')
    with naming_extra('server'):
        import mcp.server  # noqa: F401  # pyright: ignore[reportUnusedImport]
    with naming_extra('tool-results'):
        from researcher_integration.proxy import servers
        from researcher_integration.proxy.proxy_server import RULES, proxying
        from researcher_integration.tool_results.rules import load_rules

        if config is not None:
            found = servers.from_file(config)
        elif url is not None:
            found = [servers.from_url(url, header or (), name)]
        else:
            found = [servers.from_command(command or (), name, variables)]
        asked = load_rules(rules, settings) if rules is not None else RULES
        serve_mcp(settings, partial(proxying, found, asked))
