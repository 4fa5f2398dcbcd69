"""The proxy before servers in this process, or before programs, and a client of it that knows of neither.

async with proxied({'harbour': server}) as client:
    await client.call_tool('ships')
"""

import os
import re
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from anyio import Event
from mcp import Client
from mcp.client._memory import InMemoryTransport
from mcp.server import MCPServer
from mcp.server.lowlevel import Server

from researcher_integration.proxy import connection
from researcher_integration.proxy.proxy_server import RULES, ProxyServer, proxying
from researcher_integration.proxy.servers import ProxiedEntry, ProxiedServer
from researcher_integration.tool_results.rules import ToolResultRules
from summarizer_tool import Settings

SECRET = 'ghp_' + 'a1B2' * 9

LOG = '\n'.join(
    f'2024-05-{1 + line // 1440:02} {line // 60 % 24:02}:{line % 60:02} INFO harbour: ship {line % 90} passed pier {line % 7}'
    if line != 4321
    else '2024-05-04 00:01 ERROR harbour: crane 17 dropped crate 900 at pier 3'
    for line in range(6000)
)
PART = '\n'.join(LOG.split('\n')[3900:4500])
"""Too long to go on, with the same line of interest."""

PROGRAM = Path(__file__).with_name('proxied_program.py')


def program(folder: Path, *how: str, name: str = 'program', timeout: float = 30) -> ProxiedServer:
    """A server that is started, see `proxied_program`."""
    command = [sys.executable, '-I', '-S', str(PROGRAM), str(folder), *how]
    return proxied_server(name, *command, timeout=timeout)


def proxied_server(name: str, *command: str, **fields: Any) -> ProxiedServer:
    """A server that is started by a command, or has a URL among its fields."""
    program: dict[str, Any] = {'command': command[0], 'args': command[1:]} if command else {}
    return ProxiedServer(name, ProxiedEntry(**program, **fields))


@asynccontextmanager
async def proxy(
    servers: Mapping[str, MCPServer | Server[Any] | ProxiedServer],
    *,
    rules: ToolResultRules = RULES,
    tool_timeout: float | None = None,
) -> AsyncGenerator[ProxyServer]:
    """The proxy, keyless, and with a store in memory."""
    settings = Settings.load(
        llm_model='extractive', store=':memory:', worker_processes=0, mcp_tool_timeout=tool_timeout
    )
    real = connection._transport

    @asynccontextmanager
    async def transport(server: ProxiedServer, ended: Event, masked: Any) -> AsyncGenerator[Any]:
        here = servers[server.name]
        if not isinstance(here, ProxiedServer):
            async with InMemoryTransport(here) as (read, write):
                yield connection._Watched(read, ended), write
        else:
            async with real(server, ended, masked) as found:
                yield found

    known = [
        each if isinstance(each, ProxiedServer) else proxied_server(name, 'in-memory') for name, each in servers.items()
    ]
    with patch.object(connection, '_transport', transport):
        async with proxying(known, rules, settings) as served:
            yield served


@asynccontextmanager
async def proxied(
    servers: Mapping[str, MCPServer | Server[Any] | ProxiedServer],
    *,
    mode: str = 'legacy',
    rules: ToolResultRules = RULES,
    tool_timeout: float | None = None,
    **options: Any,
) -> AsyncGenerator[Client]:
    """A client of the proxy."""
    async with (
        proxy(servers, rules=rules, tool_timeout=tool_timeout) as served,
        Client(served.server(), mode=mode, **options) as client,
    ):
        yield client


def lives(pid: int) -> bool:
    """Whether a process runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return ') Z ' not in Path(f'/proc/{pid}/stat').read_text()
    except OSError:
        return True


def on_one_line(text: str) -> str:
    """A result with its frame shown without the tool's name and line breaks."""
    return re.sub(r'<tool_output tool="[^"]*">\n', '<tool_output>', text).replace('\n</tool_output>', '</tool_output>')
