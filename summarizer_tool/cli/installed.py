"""Commands that other packages add: entry points of the group `summarizer.commands`, each a function for typer.

They are looked for when help is shown or a command is asked for that is none of ours, so that ours start no later.
"""

from functools import wraps
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from summarizer_tool.cli.terminal import ending
from summarizer_tool.extras import naming_extra

GROUP = 'summarizer.commands'


class InstalledCommands(TyperGroup):
    """Our own commands, and those that are installed."""

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


def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _loaded(entry: EntryPoint) -> TyperCommand:
    with naming_extra():
        function = entry.load()

    @wraps(function)
    def run(**given: Any) -> None:
        with ending(**given):
            function(**given)

    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(entry.name)(run)
    command = get_command(app)
    assert isinstance(command, TyperCommand)  # noqa: S101 - an app of one command is that command
    return command
