"""The MCP server that clients see: what they ask goes to the server it belongs to, and what that says comes back."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio import CancelScope
from mcp import MCPError
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import ListenHandler
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.subscriptions import event_from_wire
from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel, ValidationError
from pydantic_ai import ToolFailed

from researcher_integration.proxy.audience import LEVELS, Audience, Context
from researcher_integration.proxy.connection import Connection, ServerDownError
from researcher_integration.proxy.offers import QUESTION, Offers, Route
from researcher_integration.proxy.results import Results
from researcher_integration.proxy.servers import ProxiedServer
from researcher_integration.tool_results.called import CalledTool
from researcher_integration.tool_results.reading import Reading
from researcher_integration.tool_results.rules import Defaults, Summarization, ToolResultRules
from researcher_integration.untrusted.framing import framed, instructions
from summarizer_tool import (
    CallsInFlight,
    ExtractiveModel,
    Settings,
    SourceStore,
    build_model,
    in_thread,
    load_prompt,
    model_id,
    one_line,
    refuse_cursor,
    render_prompt,
    request_arrival,
    what_to_change,
)

COLLECTION = 'proxied-results'
"""Where results are kept for clients without a token; with one they have a collection of their own."""

MAX_QUESTION = 2_000  # characters of a question that are looked at
MAX_INSTRUCTIONS = 4_000  # characters of the instructions of one server that are passed on

TO_OPEN = frozenset({'url', 'elicitationId', 'data', 'blob'})
"""Keys of a question whose texts stay whole: an address that somebody is to open, and what is binary."""

Answer = TypeVar('Answer', bound=BaseModel)

BEAT_SECONDS = 5.0
"""The longest silence while a result is digested. Some clients give a silent call up after a minute."""

STEP = 1e-3  # by which the progress rises then: it must, and nobody knows how far it is


@dataclass(slots=True)
class CallProgress:
    """The progress of one call, for a client that has asked for it."""

    context: Context
    results: Results
    server: str
    _last: float = 0.0

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        """Pass on what the server says."""
        self._last = max(self._last, progress)
        masked = str(await self.results.aside(self.server, message)) if message else None
        await self.context.session.report_progress(progress, total, masked)

    @asynccontextmanager
    async def digesting(self) -> AsyncGenerator[None]:
        """For the length of the block the result is looked at, which takes long where it is."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._beat)
            yield
            tasks.cancel_scope.cancel()

    async def _beat(self) -> None:
        while True:
            await anyio.sleep(BEAT_SECONDS)
            self._last += STEP
            await self.context.session.report_progress(self._last, None, load_prompt('proxy/condensing'))


MAX_REASON = 500


@dataclass
class ProxyServer:
    """The handlers, over all servers."""

    results: Results
    connections: list[Connection] = field(default_factory=list[Connection])
    audience: Audience = field(default_factory=Audience)
    calls: CallsInFlight = field(default_factory=CallsInFlight)
    offers: Offers = field(init=False)

    def __post_init__(self) -> None:
        own = self._reading(COLLECTION).tools()
        self._own = {tool.name: tool.function_schema for tool in own}
        listed = [
            Tool(
                name=tool.name,
                description=tool.description,
                input_schema=dict(tool.function_schema.json_schema),
                annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
            )
            for tool in own
        ]
        self.offers = Offers(self.connections, listed)
        self._listen = ListenHandler(self.audience.bus)

    def facts(self) -> Mapping[str, object]:
        """The servers and the store, for the log."""
        return {'servers': [each.name for each in self.connections], 'store': self.results.store.path}

    def server(self) -> Server[Any]:
        """The MCP server with these handlers."""
        server = Server[Any](
            'summarizer-proxy',
            version=version('summarizer-tool'),
            title=' + '.join(each.name for each in self.connections),
            instructions=self._instructions(),
            get_tool_input_schema=lambda name: self.offers.schemas.get(name),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_prompts=lambda _context, _params: self.offers.list_prompts(),
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
            on_list_resources=lambda _context, _params: self.offers.list_resources(),
            on_list_resource_templates=lambda _context, _params: self.offers.list_templates(),
            on_read_resource=self._read_resource,
            on_subscriptions_listen=self._listen,
        )
        # The SDK warns of what newer clients no longer do; those of today do.
        server.add_request_handler('logging/setLevel', types.SetLevelRequestParams, self._set_level)
        server.add_notification_handler('notifications/initialized', types.NotificationParams, self._joined)
        # Sessions hear at their beginning that changes of lists are told.
        told = NotificationOptions(prompts_changed=True, resources_changed=True, tools_changed=True)
        options = partial(server.create_initialization_options, notification_options=told)
        server.create_initialization_options = options  # pyright: ignore[reportAttributeAccessIssue]
        return server

    def _instructions(self) -> str:
        is_framed = self.results.rules.defaults.framing.enabled
        parts = [*([instructions()] if is_framed else []), load_prompt('proxy/instructions')]
        for each in self.connections:
            if each.instructions:
                # Masked first: a secret that is cut is not seen as one.
                said = str(self.results.said(each.name, each.instructions[: 2 * MAX_INSTRUCTIONS]))[:MAX_INSTRUCTIONS]
                said = framed(said, each.name) if is_framed else said
                parts.append(render_prompt('proxy/server_says', server=each.name, text=said))
        return '\n\n'.join(parts)

    # What servers tell unasked.

    async def told(self, notification: types.ServerNotification) -> None:
        """Pass on that something has changed; log messages and progress come another way."""
        data = notification.model_dump(by_alias=True, mode='json', exclude_none=True)
        event = event_from_wire(data['method'], data.get('params'))
        if event is not None:
            await self.audience.changed(event)

    async def logged(self, connection: Connection, params: types.LoggingMessageNotificationParams) -> None:
        """Pass on a log message."""
        masked = await self.results.aside(connection.name, params.data)
        await self.audience.logs(connection.name, params.model_copy(update={'data': masked}))

    async def asked(
        self, connection: Connection, request: types.ServerRequest, answer: type[Answer]
    ) -> Answer | types.ErrorData:
        """Put a question of a server to the client whose call it works on: it is no other's to answer."""
        context = self.audience.caller(connection.name)
        if context is None:
            return types.ErrorData(code=types.INVALID_REQUEST, message=load_prompt('proxy/nobody_to_ask'))
        try:
            without = partial(self.results.without_secrets, connection.name, request, kept=TO_OPEN)
            told = await in_thread(without)
            return await context.session.send_request(told, answer, metadata=ServerMessageMetadata(context.request_id))
        except MCPError as error:
            return error.error
        except ValidationError:  # it quotes the server, or the client
            return types.ErrorData(code=types.INTERNAL_ERROR, message=load_prompt('proxy/unanswered'))

    async def came_back(self, connection: Connection) -> None:
        """Tell that there may be more than before, or something else."""
        for name in ('tools', 'prompts', 'resources'):
            event = event_from_wire(f'notifications/{name}/list_changed', None)
            if event is not None and getattr(connection.capabilities, name) is not None:
                await self.audience.changed(event)

    # What clients ask.

    async def _joined(self, context: Context, _params: types.NotificationParams) -> None:
        self.audience.joins(context)

    async def _list_tools(self, _: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        refuse_cursor(params)
        return await self.offers.list_tools()

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = dict(params.arguments or {})
        collection = _collection(context)
        if params.name in self._own:
            return await self._called_own(params.name, arguments, collection)
        try:
            return await self._called(context, params.name, arguments, collection)
        except ServerDownError as error:  # a result, which models see, as they do not every error of the protocol
            return _failed(error.message)

    def _reading(self, collection: str) -> Reading:
        return Reading(self.results.settings, self.results.store.collection(collection))

    async def _called_own(self, name: str, arguments: Mapping[str, Any], collection: str) -> CallToolResult:
        """A tool of the proxy, on the results of a collection. What is stored has been masked; it is framed again."""
        schema = self._own[name]
        try:
            read = schema.validator.validate_python(dict(arguments))
            said = await getattr(self._reading(collection), name)(**read)
            text, is_error = await self.results.frame(said, name), False
        except ToolFailed as error:
            text, is_error = error.message, True
        except ValidationError as error:
            reason = what_to_change(error, [*schema.json_schema['properties']])
            text, is_error = one_line(str(reason), MAX_REASON), True
        return CallToolResult(content=[TextContent(text=text)], is_error=is_error)

    async def _called(
        self, context: Context, name: str, arguments: dict[str, Any], collection: str
    ) -> types.CallToolResult:
        route = await self.offers.named('tools', name)
        if route is None:
            raise MCPError(types.INVALID_PARAMS, render_prompt('proxy/no_tool', name=one_line(name, 100)))
        question = str(arguments.pop(QUESTION, '') or '')[:MAX_QUESTION] if route.has_question else ''
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=route.name, arguments=arguments))
        await self._log_level_of(context, route.connection)
        with CancelScope(deadline=self.calls.end) as scope, self.calls.counted(scope):
            called = await self.results.called(route.connection.name, route.name, arguments)
            progress = CallProgress(context, self.results, route.connection.name)
            result = await self._asked(context, route.connection, called, request, types.CallToolResult, progress)
            async with progress.digesting():
                return await self.results.of_tool(called, result, collection, question)
        return _failed(load_prompt('proxy/stopping') if scope.cancelled_caught else '')

    async def _get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        route = await self._prompt(params.name)
        called = await self.results.called(route.connection.name, route.name, params.arguments or {})
        request = types.GetPromptRequest(
            params=types.GetPromptRequestParams(name=route.name, arguments=params.arguments)
        )
        result = await self._asked(context, route.connection, called, request, types.GetPromptResult)
        return await self.results.of_prompt(called, result)

    async def _prompt(self, name: str) -> Route:
        if (route := await self.offers.named('prompts', name)) is None:
            raise MCPError(types.INVALID_PARAMS, f'there is no prompt {one_line(name, 100)!r}')
        return route

    async def _complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """What an argument of a prompt, or of a template of addresses, may be, by the server that it is of."""
        ref = params.ref
        if isinstance(ref, types.PromptReference):
            route = await self._prompt(ref.name)
            ref, owner = ref.model_copy(update={'name': route.name}), route.connection
        else:
            templates = await self.offers.templates()
            owner = next((server for server, template in templates if template.uri_template == ref.uri), None)
        if owner is None or owner.capabilities.completions is None:
            return types.CompleteResult(completion=types.Completion(values=[]))
        request = types.CompleteRequest(params=params.model_copy(update={'ref': ref, 'meta': None}))
        called = await self.results.called(owner.name, 'completion/complete', {})
        found = (await self._asked(context, owner, called, request, types.CompleteResult)).completion
        values = [str(self.results.said(owner.name, each)) for each in found.values]
        return types.CompleteResult(completion=found.model_copy(update={'values': values}))

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        failed: MCPError | None = None
        for connection in await self.offers.owners(params.uri):
            called = await self.results.called(connection.name, 'resources/read', {'uri': params.uri})
            request = types.ReadResourceRequest(params=types.ReadResourceRequestParams(uri=params.uri))
            try:
                result = await self._asked(context, connection, called, request, types.ReadResourceResult)
                return await self.results.of_resource(called, result, params.uri, _collection(context))
            except MCPError as error:
                failed = error
        raise failed or MCPError(types.INVALID_PARAMS, f'there is no resource {one_line(params.uri, 200)}')

    async def _set_level(self, context: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        level = self.audience.wants_logs(context, params.level)
        for connection in self.connections:
            await connection.set_log_level(level)
        return types.EmptyResult()

    async def _log_level_of(self, context: Context, connection: Connection) -> None:
        """Clients of the newer protocol say with a call which log messages they want."""
        level = (context.meta or {}).get(types.LOG_LEVEL_META_KEY)
        known = connection.log_level
        if level in LEVELS and (known is None or LEVELS.index(level) < LEVELS.index(known)):
            await connection.set_log_level(level)

    async def _asked(
        self,
        context: Context,
        connection: Connection,
        called: CalledTool,
        request: types.Request[Any, Any],
        answer: type[Answer],
        progress: CallProgress | None = None,
    ) -> Answer:
        """The answer of a server, whose progress and log messages go to the client meanwhile."""
        with self.audience.calling(connection.name, context):
            try:
                told = progress or CallProgress(context, self.results, connection.name)
                return await connection.request(request, answer, told)
            except ServerDownError:
                raise
            except MCPError as error:
                raise await self.results.of_error(called, error) from None


START_SECONDS = 20.0
"""For the servers to be there before clients are answered; who takes longer is told of when it comes."""

SILENT_SECONDS = 600.0
"""Without an answer or progress, where `MCP_TOOL_TIMEOUT` is not set: some tools take longer than any of ours."""

RULES = ToolResultRules(defaults=Defaults(summarization=Summarization(on_failure='extractive')))
"""Where no file is named: what no model has summarized becomes a digest, since small results were asked for."""


@asynccontextmanager
async def proxying(
    servers: Sequence[ProxiedServer], rules: ToolResultRules, settings: Settings
) -> AsyncGenerator[ProxyServer]:
    """Start and reach servers, which end with the block; raises `ConfigurationError` for model or store."""
    if any(rules.for_server(name).summarization.model is None for name in (None, *rules.mcp_servers)):
        build_model(settings, model_id(settings), embedded=ExtractiveModel)
    made = ProxyServer(Results(settings, rules, SourceStore.open(settings)))
    silence = settings.mcp_tool_timeout if 'mcp_tool_timeout' in settings.model_fields_set else SILENT_SECONDS
    with made.results.store:
        async with anyio.create_task_group() as tasks:
            made.connections += [Connection(each, made, tasks, silence) for each in servers]
            await _reach(made.connections)
            try:
                yield made
            finally:
                tasks.cancel_scope.cancel()


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


def _collection(context: Context) -> str:
    came = request_arrival(context.request)
    return f'{COLLECTION}-{came.collection}' if came else COLLECTION


def _failed(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=message)], is_error=True)
