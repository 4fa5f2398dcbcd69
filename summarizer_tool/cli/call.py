"""`summarizer call`: any operation that agents have, with the parameters that they give it."""

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from summarizer_tool.cli.stored import STDIN, on_store, read_text
from summarizer_tool.cli.terminal import ExitCode, complain, configured, ending, stop, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summarizer_tool.service.operations import Operation
    from summarizer_tool.settings import Settings

_HELP = '--help'


def call(
    context: typer.Context, name: Annotated[str, typer.Argument(metavar='OPERATION', show_default=False)] = _HELP
) -> None:
    """Call an operation as an agent does: summarizer call OPERATION --PARAMETER VALUE ...

    Without an operation it lists them; with one and --help it says what that is for, and its parameters. A parameter
    that is given twice is a list; a value of - is read from stdin. With --json the result has its figures.

    Exit codes: 0 done, 1 failed (said on stderr), 2 wrong parameter, setting or key, 130 interrupted.
    """
    with ending():
        from summarizer_tool.service.operations import OPERATIONS, operation

        if name == _HELP:
            write(
                f'{(context.command.help or "").strip()}\n\n'
                + '\n'.join(f'{each.name}: {each.text().title}' for each in OPERATIONS)
            )
            return
        asked = operation(name)
        if asked is None:
            stop(
                ExitCode.USAGE, f'there is no operation {name}; there are {", ".join(each.name for each in OPERATIONS)}'
            )
        if _HELP in context.args:
            write(_description(asked))
            return
        as_json = '--json' in context.args
        settings = configured()
        request = asked.read(_arguments([arg for arg in context.args if arg != '--json'], settings))
        reply = on_store(settings, lambda retriever, options: asked.answer(retriever, request, options))
    if as_json:
        shown = {'text': reply.text, 'is_error': reply.is_error, 'figures': dict(reply.figures)}
        write(json.dumps(shown, ensure_ascii=False, indent=2))
    elif reply.is_error:
        complain(reply.text)
    else:
        write(reply.text)
    if reply.is_error:
        sys.exit(ExitCode.FAILED)


def _description(asked: 'Operation[Any]') -> str:
    text = asked.text()
    parameters = [
        f'--{name.replace("_", "-")}{" (required)" if name in asked.schema()["required"] else ""}: {description}'
        for name, description in text.parameters.items()
    ]
    return '\n'.join([f'{text.title}: summarizer call {asked.name}', '', text.description, '', *parameters])


def _arguments(words: 'Sequence[str]', settings: 'Settings') -> dict[str, object]:
    """`--name value` and `--name=value` pairs by name; what is given more than once as a list."""
    found: dict[str, list[str]] = {}
    rest = iter(words)
    for word in rest:
        name, has_value, value = word.removeprefix('--').partition('=')
        if not word.startswith('--'):
            stop(ExitCode.USAGE, f'{word} belongs to no parameter; give --PARAMETER VALUE')
        if not has_value and (value := next(rest, None)) is None:
            stop(ExitCode.USAGE, f'{word} has no value')
        found.setdefault(name.replace('-', '_'), []).append(read_text(settings) if value == STDIN else value)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}
