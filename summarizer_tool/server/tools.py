"""The MCP server: its tools, and the sources of a client's collection as resources."""

import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from math import inf
from typing import Any, TypeAlias, TypeVar

import anyio
import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.methods import SPEC_CLIENT_METHODS, SPEC_CLIENT_NOTIFICATION_METHODS
from pydantic_ai.exceptions import UsageLimitExceeded

from summarizer_tool import telemetry
from summarizer_tool.errors import StoreError, SummarizerError
from summarizer_tool.evidence.brief import problems
from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.runtime.executors import in_io_thread
from summarizer_tool.runtime.turns import on_behalf_of
from summarizer_tool.server.calls import CallsInFlight, TimeIsUpError, refuse_cursor
from summarizer_tool.server.http import Arrival, arrival
from summarizer_tool.service.operations import (
    OPERATIONS,
    Effect,
    Operation,
    Reply,
    instructions,
    operation,
    sizes_of,
)
from summarizer_tool.service.service import Setup
from summarizer_tool.settings import Settings
from summarizer_tool.store.source import DEFAULT_COLLECTION
from summarizer_tool.store.source_store import SourceStore

T = TypeVar('T')

_LOGGED = ('state', 'model', 'tokens_in', 'tokens_out')
"""Figures of a result that the log repeats."""

_logger = logging.getLogger('summarizer_tool')

# What they are given is kept, so they are not read-only; but that only adds, and twice is as good as once. They
# reach nothing but this server and its model, save for `add_source`, which fetches from the web.
_KEEPS = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_ANNOTATIONS: Mapping[Effect, types.ToolAnnotations] = {
    'keeps': _KEEPS,
    'fetches': _KEEPS.model_copy(update={'open_world_hint': True}),
    'reads': types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
}

Context: TypeAlias = ServerRequestContext[Any, Any]

MAX_LISTED = 100  # sources in a list of resources, the last used first
RESOURCE_TOKENS = 5000  # of a source that a resource holds; `read_source` reads on

TEMPLATE = types.ResourceTemplate(
    name='source',
    title='A stored source',
    uri_template='source://{id}',
    description='The beginning of a stored source, as numbered lines; its end says how to read on.',
    mime_type='text/plain',
)

DEFECT = 'the request failed because of a defect in the server; its log names it'

_RESOURCE = re.compile(r'source://([^/]+)/?')


@dataclass(slots=True)
class Tools:
    """The handlers of the server, over all collections."""

    settings: Settings
    setup: Setup
    store: SourceStore
    calls: CallsInFlight

    def facts(self) -> Mapping[str, object]:
        """The model and the store, for the log."""
        return {'model': self.setup.summarizer.model_name, 'store': self.store.path}

    def server(self) -> 'Server[Any]':
        """The MCP server with these handlers."""
        sizes = sizes_of(self.settings)
        tools = [
            types.Tool(
                name=each.name,
                title=each.text(sizes).title,
                description=each.text(sizes).description,
                input_schema=each.schema(sizes),
                annotations=_ANNOTATIONS[each.effect],
            )
            for each in OPERATIONS
        ]
        server = Server(
            'summarizer',
            version=version('summarizer-tool'),
            title='Summarizer',
            instructions=instructions(sizes),
            get_tool_input_schema={tool.name: tool.input_schema for tool in tools}.get,
            on_list_tools=_always(types.ListToolsResult(tools=tools)),
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=_always(types.ListResourceTemplatesResult(resource_templates=[TEMPLATE])),
            on_read_resource=self.read_resource,
            on_list_prompts=_always(types.ListPromptsResult(prompts=[])),  # some clients ask
        )
        server.middleware.insert(0, _guard_traces)
        return server

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """The sources of the client's collection."""
        refuse_cursor(params)
        try:
            sources = await in_io_thread(self.store.collection(_arrival(context).collection).sources, MAX_LISTED)
        except StoreError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    name=source.id,
                    title=source.title or None,
                    uri=f'source://{source.id}',
                    description=f'{source.tokens:,} tokens in {source.lines:,} lines',
                    mime_type='text/plain',
                    size=source.size,
                )
                for source in sources
            ]
        )

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """The first numbered lines of a source."""
        asked = _RESOURCE.fullmatch(params.uri)
        if asked is None:
            raise MCPError(types.INVALID_PARAMS, f'resources are {TEMPLATE.uri_template}')
        arguments = {'source_id': asked[1], 'max_tokens': RESOURCE_TOKENS}
        read = await self.call_tool(context, types.CallToolRequestParams(name='read_source', arguments=arguments))
        text = ''.join(each.text for each in read.content if isinstance(each, types.TextContent))
        if read.is_error:
            raise MCPError(types.INVALID_PARAMS, 'refused') from SummarizerError(text)
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, mime_type='text/plain', text=text)]
        )

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Answer a call in time, whatever happens; only a cancelled call has no result."""
        asked = operation(params.name)
        if asked is None:
            return _error(f'there is no such tool; the tools are {", ".join(each.name for each in OPERATIONS)}')
        if anyio.current_time() >= self.calls.end:
            return _error('the server is being stopped; call again in a moment')
        started = anyio.current_time()
        failure: Exception | None = None
        try:
            result = await self._answer(asked, params.arguments or {}, context)
        except TimeIsUpError as error:
            failure, result = error, self._late(asked)
        except (SummarizerError, UsageLimitExceeded) as error:
            failure, result = error, _failed(asked, error)
        except anyio.get_cancelled_exc_class():
            _logger.info('call cancelled', extra={'tool': params.name, 'seconds': _since(started)})
            raise
        except Exception as error:  # noqa: BLE001 - a defect of ours must not show its innards, nor end the session
            _logger.error('a call failed', extra={'tool': params.name, **telemetry.defect(error)})  # noqa: TRY400 - the traceback may quote content
            failure, result = error, _failed(asked, SummarizerError(DEFECT))
        told: dict[str, object] = {'tool': params.name, 'error': failure and type(failure).__name__}
        told |= {'seconds': _since(started)}
        told |= {name: (result.meta or {}).get(f'summarizer/{name}') for name in _LOGGED}
        _logger.info('result', extra={name: value for name, value in told.items() if value is not None})
        return result

    async def _answer(
        self, asked: Operation[Any], arguments: Mapping[str, Any], context: Context
    ) -> types.CallToolResult:
        """Answer on the collection of the client, which is told how far it is."""
        came = _arrival(context)
        retriever = self.setup.retriever(self.store.collection(came.collection))

        async def work(options: RequestOptions) -> Reply:
            request = asked.read(arguments)
            _logger.info('call', extra={'tool': asked.name, 'collection': came.collection})
            return await asked.answer(retriever, request, options)

        with on_behalf_of(came.collection):
            reply = await self.calls.in_time(work, context.session.report_progress, arrived=came.at, lost=came.lost)
        return _error(reply.text) if reply.is_error else _text(reply.text, **reply.figures)

    def _late(self, asked: Operation[Any]) -> types.CallToolResult:
        setting, seconds = 'MCP_TOOL_TIMEOUT', self.settings.mcp_tool_timeout
        if self.calls.end < inf:
            setting, seconds = 'MCP_SHUTDOWN_GRACE_SECONDS', self.settings.mcp_shutdown_grace_seconds
        if asked.is_brief:
            return _error(problems.timed_out(seconds, set_by=f'{setting}={seconds:g}'))
        told = f'no answer within {setting}={seconds:g} seconds'
        return _error(f'{told}; what was finished is kept, so the same call again goes on from there')


def _arrival(context: Context) -> Arrival:
    return arrival(context.request) or Arrival(anyio.current_time(), DEFAULT_COLLECTION)


def _always(result: T) -> Callable[[Context, types.PaginatedRequestParams | None], Awaitable[T]]:

    async def answer(_context: Context, params: types.PaginatedRequestParams | None) -> T:
        refuse_cursor(params)
        return result

    return answer


async def _guard_traces(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Keep what clients make up out of traces, which name spans by method and tool."""
    params = ctx.params or {}
    if ctx.method not in SPEC_CLIENT_METHODS | SPEC_CLIENT_NOTIFICATION_METHODS:
        ctx = replace(ctx, method='unknown')  # which has no handler either
    if 'name' in params and not (isinstance(params['name'], str) and operation(params['name'])):
        ctx = replace(ctx, params={**params, 'name': 'unknown'})
    try:
        return await call_next(ctx)
    except MCPError as error:
        if isinstance(error.__cause__, SummarizerError):  # whose words may quote titles, which traces must not
            raise MCPError(types.INVALID_PARAMS, str(error.__cause__)) from None
        raise


def _text(text: str, **meta: object) -> types.CallToolResult:
    """The text once, and not again as structured content, since clients cap results; `_meta` no model sees."""
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        _meta={f'summarizer/{name}': value for name, value in meta.items()} or None,
    )


def _failed(asked: Operation[Any], error: Exception) -> types.CallToolResult:
    """What went wrong, in the words of the error; with causes and advice round them where a brief was asked for."""
    if asked.is_brief and isinstance(error, SummarizerError):
        return _error(problems.of_error(error))
    return _error(str(error))


def _error(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=message)], is_error=True)


def _since(started: float) -> float:
    return round(anyio.current_time() - started, 3)
