"""Traces and logs: Logfire spans around the request and each map and reduce call, and JSON log lines.

The package itself only emits; `configure` is for programs (command line, server). An application that has called
`logfire.configure()` gets the spans without it. Content is in neither unless `trace_content` says so.
"""

import logging
import os
import sys
import traceback
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from opentelemetry.trace import ProxyTracerProvider, Span, Status, StatusCode, get_tracer, get_tracer_provider
from opentelemetry.util.types import AttributeValue

from summarizer_tool.extras import naming_extra
from summarizer_tool.settings import Settings, unknown_variables

SERVICE_ID = 'mcp_summarizer'

MAX_SHOWN = 200  # characters of another's message that a log line repeats

logger = logging.getLogger('summarizer_tool')
_PACKAGES = ('summarizer_tool', 'researcher_integration')
"""Whose records a program of this distribution writes."""
# What to do with its records is the application's to say; without it nothing is printed.
logger.addHandler(logging.NullHandler())

_ORDINARY = vars(logging.makeLogRecord({})).keys() | {'message', 'asctime', 'taskName'}
"""What every record has; all else is a field that the caller has added."""


def is_received() -> bool:
    """Say whether the program has set up where spans go."""
    return not isinstance(get_tracer_provider(), ProxyTracerProvider)


@contextmanager
def span(name: str, /, **attributes: AttributeValue) -> Generator[Span]:
    """A span, if anything receives them; `name` is low in variety, attributes are sizes and ids, never content."""
    with get_tracer('summarizer_tool').start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield current
        except BaseException as error:
            # The message of an error may quote the content, so only its type is recorded.
            current.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


def configure(settings: Settings, *, handler: logging.Handler | None = None, libraries: Iterable[str] = ()) -> None:
    """Set up Logfire and logs for a program of this package.

    Traces go to Logfire only where a token is present (`LOGFIRE_TOKEN`); nothing is ever written to stdout, which
    belongs to the summary or to a protocol. The logs go to the handler, by default as JSON lines to stderr; so do
    warnings of `libraries`, and nothing else of theirs anywhere.
    """
    if _traces_are_received():
        with naming_extra():
            import logfire

        logfire.configure(
            service_name=SERVICE_ID,
            send_to_logfire='if-token-present',
            console=False,
            inspect_arguments=False,
            distributed_tracing=True,  # the trace of a client goes on in the server
        )
    elif 'logfire' not in sys.modules:
        # All that pydantic-ai loads Logfire for is to trace graphs, which its agents do not ask for.
        sys.modules['logfire'] = None  # pyright: ignore[reportArgumentType] - it is not found then
        try:
            import pydantic_graph  # noqa: F401  # pyright: ignore[reportUnusedImport]
        finally:
            del sys.modules['logfire']
    handler = handler or json_lines()
    for own in map(logging.getLogger, _PACKAGES):
        own.handlers[:] = [handler]
        own.setLevel(settings.log_level)
        own.propagate = False
    for name, meant in unknown_variables(type(settings)):
        near = {'did_you_mean': meant} if meant else {}
        logger.warning('no setting has this name', extra={'variable': name, **near})
    for name in libraries:
        other = logging.getLogger(name)
        other.handlers[:] = [_LibraryHandler(handler)]
        other.setLevel(logging.WARNING)
        other.propagate = False


def _traces_are_received() -> bool:
    """Whether anything says where traces go; without it they would go nowhere, and Logfire takes long to load."""
    project = Path('pyproject.toml')
    return (
        any(name.startswith(('LOGFIRE_', 'OTEL_')) for name in os.environ)
        or Path('.logfire').is_dir()
        or (project.is_file() and b'tool.logfire' in project.read_bytes())
    )


class _LibraryHandler(logging.Handler):
    """Passes on the records of a library without what may quote content: tracebacks, and long or odd messages."""

    def __init__(self, handler: logging.Handler) -> None:
        super().__init__(logging.WARNING)
        self._handler = handler

    def emit(self, record: logging.LogRecord) -> None:
        message = ascii(record.getMessage())[1:-1][:MAX_SHOWN]
        level = {'levelno': record.levelno, 'levelname': record.levelname}
        fields = {'name': record.name, 'msg': message, **level}
        if record.exc_info and record.exc_info[0]:
            fields['error'] = record.exc_info[0].__name__
        self._handler.handle(logging.makeLogRecord(fields))


def json_lines() -> logging.Handler:
    """JSON lines on stderr, each with the service's id, a time, a level, and the fields of the record."""
    with naming_extra():
        from pythonjsonlogger.json import JsonFormatter

    handler = logging.StreamHandler()
    handler.setFormatter(
        JsonFormatter(
            '%(message)s %(levelname)s %(name)s',
            rename_fields={'levelname': 'level', 'name': 'logger'},
            static_fields={'service_id': SERVICE_ID},
            timestamp=True,
        )
    )
    return handler


def defect(error: BaseException) -> dict[str, str]:
    """The log fields of an error that nobody has foreseen: type and place, but no message, which may quote content."""
    frames = traceback.extract_tb(error.__traceback__)
    return {
        'error': type(error).__name__,
        'places': ' < '.join(f'{Path(frame.filename).name}:{frame.lineno}' for frame in reversed(frames[-5:])),
    }


class TerminalLines(logging.Handler):
    """Warnings and errors as lines that a person reads on stderr; what repeats, as with every chunk, once."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record with its fields."""
        added = [(name, value) for name, value in vars(record).items() if name not in _ORDINARY]
        shown = ((name, cast('list[object]', value) if isinstance(value, list) else [value]) for name, value in added)
        fields = '; '.join(f'{name}: {", ".join(map(str, values))}' for name, values in shown)
        line = f'summarizer: {record.levelname.lower()}: {record.getMessage()}{f" ({fields})" if fields else ""}'
        if line not in self._said:
            self._said.add(line)
            sys.stderr.write(f'{line}\n')
