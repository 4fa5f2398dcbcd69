"""`python -m researcher_integration.timeline LOG`: show the timelines that another process writes into a log.

The bearer token is read from `TIMELINE_TOKEN`; without one, only this machine is served.
"""

import os
from pathlib import Path
from typing import Annotated

import typer
from pydantic import SecretStr

from researcher_integration.timeline.app import DEFAULT_PORT, TimelineServer, timeline_app
from researcher_integration.timeline.log import EventLog
from summarizer_tool import SummarizerError


def main(
    log: Annotated[Path, typer.Argument(help='The file of the log; made if absent.')],
    host: Annotated[str, typer.Option(help='The address to listen on.')] = '127.0.0.1',
    port: Annotated[int, typer.Option(help='The port to listen on.')] = DEFAULT_PORT,
) -> None:
    """Show the timelines of runs, on a page and as server-sent events."""
    token = os.environ.get('TIMELINE_TOKEN', '').strip()
    if not log.exists():
        typer.echo(f'timeline: {log} is not there yet; an empty one is made', err=True)
    try:
        with EventLog(log) as opened:
            app = timeline_app(opened, token=SecretStr(token) if token else None)
            typer.echo(f'http://{host}:{port}')
            TimelineServer(app, host=host, port=port).run()
    except SummarizerError as error:
        typer.echo(f'timeline: {error}', err=True)
        raise typer.Exit(2) from None


if __name__ == '__main__':
    typer.run(main)
