"""What the transports serve: the summarizer's own tools, or what another package makes."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from mcp.server.lowlevel import Server

    from summarizer_tool.settings import Settings


class Calls(Protocol):
    """The calls that run, so that a server that is told to stop can bring them to an end."""

    def bring_to_an_end(self, grace: float) -> None:
        """Let the calls that run come to an answer within `grace` seconds; what has none by then is given up."""
        ...

    async def none_runs(self) -> None:
        """Wait until no call runs."""
        ...


class Served(Protocol):
    """An MCP server with what a transport needs to know of it."""

    @property
    def calls(self) -> Calls:
        """The calls that run."""
        ...

    def server(self) -> 'Server[Any]':
        """The MCP server; asked for once."""
        ...

    def facts(self) -> Mapping[str, object]:
        """What the log says of it at the start."""
        ...


class MakeServed(Protocol):
    """Makes what is served, for the length of a block."""

    def __call__(
        self, settings: 'Settings', *, prepare: 'Callable[[Settings], None]'
    ) -> 'AbstractAsyncContextManager[Served]':
        """Make it; `prepare` is called in a thread before anything else is loaded."""
        ...
