"""How an MCP server fails, and a server that a run goes on without."""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

import anyio
import httpx2
from mcp import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT
from pydantic_ai import RunContext
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from summarizer_tool import first_error, one_line

FAILURES = (
    MCPError,
    httpx2.HTTPError,
    OSError,
    RuntimeError,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    ExceptionGroup,
)
"""By an answer of the protocol, on the way, or in a client that says so as a `RuntimeError`."""

_OURS = (AgentRunError, UserError)
"""Errors of pydantic-ai that are `RuntimeError`s, but no server's: a limit that is reached, a wrong use."""

MAX_SHOWN = 200
"""Characters of what the system says of a connection."""

_REFUSED = {401: ': it asks for a token, or for another one'} | dict.fromkeys(
    (403, 421), ': it refuses this token or address'
)
"""What the status of an answer says of who asks."""

_logger = logging.getLogger('researcher_integration')


def refusal(response: httpx2.Response) -> httpx2.HTTPStatusError | None:
    """The error where a server turns away who asks, or fails: clients of the protocol do not say which it was."""
    if response.status_code not in _REFUSED and not response.is_server_error:
        return None
    return httpx2.HTTPStatusError(f'HTTP {response.status_code}', request=response.request, response=response)


def reason(error: BaseException, seconds: float | None = None) -> str:
    """Why a server fails within its seconds, in words of ours: a library's may repeat a URL or a header, with a key."""
    if isinstance(error, ExceptionGroup):
        return reason(first_error(error), seconds)  # pyright: ignore[reportUnknownArgumentType]
    # What an error of httpx2 is caused by is its transport's own.
    while error.__cause__ is not None and not isinstance(error, httpx2.HTTPError):
        error = error.__cause__
    status = getattr(getattr(error, 'response', None), 'status_code', None)
    if status:
        return f'it answers with HTTP {status}{_REFUSED.get(status, "")}'
    code = error.code if isinstance(error, MCPError) else 0
    if code == REQUEST_TIMEOUT or isinstance(error, TimeoutError | httpx2.TimeoutException):
        return f'no answer within {seconds:g} seconds' if seconds else 'it does not answer in time'
    if isinstance(error, httpx2.ConnectError):  # what the system says: of the name, the connection, the certificate
        return f'no connection to its address: {one_line(str(error), MAX_SHOWN)}'
    if isinstance(error, MCPError):
        # Servers use the same code for what they refuse.
        is_closed = code == CONNECTION_CLOSED and error.message == 'Connection closed'
        error_said = f'it answers with MCP error {code}; check its address, or its command'
        return 'it has ended the connection' if is_closed else error_said
    if isinstance(error, FileNotFoundError):
        return str(error)
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__


@contextmanager
def on_failure(then: Callable[[Exception], None]) -> Generator[None]:
    """Hand what a server fails with to a function, which may raise; all other errors pass."""
    try:
        yield
    except _OURS:
        raise
    except FAILURES as error:
        then(error)


@dataclass(repr=False)
class OptionalServer(WrapperToolset[AgentDepsT]):
    """A server that is left out of a run, with a warning, if it cannot be reached at its start."""

    name: str
    timeout: float | None
    absent: set[str] = field(default_factory=set[str])
    _entered: int = field(default=0, init=False)

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self.name!r})'  # the URL, a header or an argument may hold a key

    async def __aenter__(self) -> Self:
        self.absent.add(self.name)  # until it is there: the time limit of somebody else may end this
        with on_failure(self._leave_out), anyio.fail_after(self.timeout):
            await self.wrapped.__aenter__()
            self._entered += 1
            self.absent.discard(self.name)
        return self

    async def __aexit__(self, *args: object) -> bool | None:
        if self._entered:
            self._entered -= 1
            with on_failure(lambda error: self._warn('a server was lost', error)):
                return await self.wrapped.__aexit__(*args)
        return None

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """The server's tools; none if it cannot be reached or does not list them."""
        tools = dict[str, ToolsetTool[AgentDepsT]]()
        if self.name not in self.absent:
            with on_failure(self._leave_out), anyio.fail_after(self.timeout):
                tools = await self.wrapped.get_tools(ctx)
        return tools

    def _leave_out(self, error: Exception) -> None:
        self.absent.add(self.name)
        self._warn('a server cannot be reached; the run goes on without it', error)

    def _warn(self, message: str, error: Exception) -> None:
        _logger.warning(message, extra={'server': self.name, 'reason': reason(error)})
