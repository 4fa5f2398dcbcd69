"""`summarizer proxy` once its options are read: the servers are reached, and clients served until the end."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import anyio

from researcher_integration.proxy.connection import Connection, ServerDownError
from researcher_integration.proxy.proxy_server import ProxyServer
from researcher_integration.proxy.results import Results
from researcher_integration.proxy.servers import ProxiedServer
from researcher_integration.tool_results.rules import Defaults, Summarization, ToolResultRules
from summarizer_tool import ExtractiveModel, Settings, SourceStore, build_model, model_id

START_SECONDS = 20.0
"""For the servers to be there before clients are answered; who takes longer is told of when it comes."""

SILENT_SECONDS = 600.0
"""Without an answer or progress, where `MCP_TOOL_TIMEOUT` is not set: some tools take longer than any of ours."""

RULES = ToolResultRules(defaults=Defaults(summarization=Summarization(on_failure='extractive')))
"""Where no file is named: what no model has summarized becomes a digest, since small results were asked for."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """What stands behind the proxy, and how its results are treated; makes what `serve_mcp` serves."""

    servers: Sequence[ProxiedServer]
    rules: ToolResultRules

    @asynccontextmanager
    async def __call__(self, settings: Settings) -> AsyncGenerator[ProxyServer]:
        """Start and reach the servers, which end with the block; raises `ConfigurationError` for model or store."""
        if any(self.rules.for_server(name).summarization.model is None for name in (None, *self.rules.mcp_servers)):
            build_model(settings, model_id(settings), embedded=ExtractiveModel)
        store = SourceStore.open(settings)
        made = ProxyServer(Results(settings, self.rules, store))
        silence = settings.mcp_tool_timeout if 'mcp_tool_timeout' in settings.model_fields_set else SILENT_SECONDS
        try:
            async with anyio.create_task_group() as tasks:
                made.connections += [Connection(each, made, tasks, silence) for each in self.servers]
                await _reach(made.connections)
                try:
                    yield made
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            store.close()


async def _reach(connections: Sequence[Connection]) -> None:
    async def one(connection: Connection) -> None:
        with suppress(ServerDownError):  # it is logged, and told to whoever asks something of it
            await connection.connected()

    with anyio.move_on_after(START_SECONDS):
        async with anyio.create_task_group() as tasks:
            for connection in connections:
                tasks.start_soon(one, connection)
    for connection in connections:
        connection.has_begun = True
