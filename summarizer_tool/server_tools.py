"""The tools of the MCP server, and the server that offers them."""

import logging
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any

import anyio
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    CallToolRequestParams,
    CallToolResult,
    ListPromptsResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic_ai.exceptions import UsageLimitExceeded

from summarizer_tool import telemetry, tool_texts
from summarizer_tool.errors import SummarizerError
from summarizer_tool.job import Call
from summarizer_tool.server_arguments import (
    AddSourceArguments,
    Arguments,
    ExtractionArguments,
    ReadSourceArguments,
    SummarizeArguments,
)
from summarizer_tool.server_calls import RunningCall, RunningCalls, TimeIsUpError
from summarizer_tool.server_http import arrival
from summarizer_tool.server_resources import DEFECT, Context, RefusedError, Sources, service_of
from summarizer_tool.server_sampling import sampling_model, sampling_scope
from summarizer_tool.service import Answer
from summarizer_tool.settings import Settings
from summarizer_tool.store import SourceStore
from summarizer_tool.summarizer import Summarizer

DAY_MS = 86_400_000
"""How long a client may keep the list of tools, which only changes with the version."""

_LOGGED = ('summarizer/state', 'summarizer/model', 'summarizer/tokens_in', 'summarizer/tokens_out')

_logger = logging.getLogger('summarizer_tool')

# What they are given is kept, so they are not read-only; but that only adds, and twice is as good as once. They
# reach nothing but this server and its model, save for `add_source`, which fetches from the web.
_KEEPING = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_FETCHING = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True)
_READING = ToolAnnotations(read_only_hint=True, open_world_hint=False)

TOOLS: dict[str, tuple[type[Arguments], ToolAnnotations]] = {
    'summarize': (SummarizeArguments, _KEEPING),
    'summarize_for_extraction': (ExtractionArguments, _KEEPING),
    'add_source': (AddSourceArguments, _FETCHING),
    'read_source': (ReadSourceArguments, _READING),
}


NOTIFICATIONS = frozenset(
    {
        'notifications/initialized',
        'notifications/cancelled',
        'notifications/progress',
        'notifications/roots/list_changed',
    }
)

METHODS = frozenset(
    {
        'initialize',
        'ping',
        'server/discover',
        'tools/list',
        'tools/call',
        'resources/list',
        'resources/templates/list',
        'resources/read',
        'prompts/list',
    }
)

NO_SAMPLING = 'the client lets no model be sampled in this session, so the extractive model did the work'


@dataclass(slots=True)
class Tools:
    """The handlers of the server, over all collections."""

    settings: Settings
    summarizer: Summarizer
    store: SourceStore
    calls: RunningCalls
    is_sampling: bool = False
    """Whether the models of clients do the work where they can."""
    _listed: list[Tool] = field(default_factory=list[Tool])
    _sources: Sources = field(init=False)

    def __post_init__(self) -> None:
        self._sources = Sources(self.summarizer, self.store)
        for name, (arguments, annotations) in TOOLS.items():
            text = tool_texts.load(name, self.settings.default_max_output_tokens)
            self._listed.append(
                Tool(
                    name=name,
                    title=text.title,
                    description=text.description,
                    input_schema=arguments.schema_with(text.parameters),
                    annotations=annotations,
                )
            )

    def server(self) -> 'Server[Any]':
        """The MCP server with these handlers."""
        server = Server(
            'summarizer',
            version=version('summarizer-tool'),
            title='Summarizer',
            instructions=tool_texts.instructions(self.settings.default_max_output_tokens),
            cache_hints={'tools/list': CacheHint(DAY_MS, 'public'), 'prompts/list': CacheHint(DAY_MS, 'public')},
            get_tool_input_schema={tool.name: tool.input_schema for tool in self._listed}.get,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self._sources.list_resources,
            on_list_resource_templates=self._sources.list_resource_templates,
            on_read_resource=self._sources.read_resource,
            on_list_prompts=self.list_prompts,
        )
        server.middleware.insert(0, _guard_traces)
        return server

    async def list_tools(self, _context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        """The tools, the same for everybody."""
        return ListToolsResult(tools=self._listed)

    async def list_prompts(self, _context: Context, _params: PaginatedRequestParams | None) -> ListPromptsResult:
        """None, but some clients ask."""
        return ListPromptsResult(prompts=[])

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """Answer a call in time, whatever happens; only a cancelled call has no result."""
        if params.name not in TOOLS:
            return _error(f'there is no such tool; the tools are {", ".join(TOOLS)}')
        if anyio.current_time() >= self.calls.end:
            return _error('the server is being stopped; call again in a moment')
        came = arrival(context.request)
        started = anyio.current_time()
        failure = ''
        with self.calls.start(
            params.name,
            context.session.report_progress,
            arrived=came.at if came else started,
            lost=came.lost if came else None,
        ) as running:
            try:
                result = await running.finish(self._work(running, context, params))
            except TimeIsUpError as error:
                failure = type(error).__name__
                result = _error(
                    f'no answer within MCP_TOOL_TIMEOUT={self.settings.mcp_tool_timeout:g} seconds; what was finished '
                    'is kept, so the same call again goes on from there'
                )
            except (SummarizerError, UsageLimitExceeded) as error:
                failure = type(error).__name__
                result = _error(str(error))
            except anyio.get_cancelled_exc_class():
                _logger.info('call cancelled', extra={'tool': params.name, 'seconds': _since(started)})
                raise
            except Exception as error:  # noqa: BLE001 - a defect of ours must not show its innards, nor end the session
                _logger.error('a call failed', extra={'tool': params.name, **telemetry.defect(error)})  # noqa: TRY400 - the traceback may quote content
                failure, result = type(error).__name__, _error(DEFECT)
        _logger.info(
            'result',
            extra={
                'tool': params.name,
                **({'error': failure} if failure else {}),
                'seconds': _since(started),
                **{
                    name.removeprefix('summarizer/'): value
                    for name, value in (result.meta or {}).items()
                    if name in _LOGGED
                },
            },
        )
        return result

    async def _work(self, running: RunningCall, context: Context, params: CallToolRequestParams) -> CallToolResult:
        arguments = TOOLS[params.name][0].of(params.arguments or {})
        service = service_of(context, self.summarizer, self.store)
        _logger.info('call', extra={'tool': params.name, 'collection': service.collection.name, **_sizes(arguments)})
        match arguments:
            case AddSourceArguments():
                added = await service.add_source(arguments.content, url=arguments.url, title=arguments.title)
                return _text(added.text, source_ids=[added.source.id], tokens_in=added.source.tokens)
            case ReadSourceArguments():
                return _text(
                    await service.read_source(
                        arguments.source_id,
                        start_line=arguments.start_line,
                        max_tokens=arguments.max_tokens,
                        offset=arguments.offset,
                    )
                )
            case SummarizeArguments():
                answer = await service.summarize(
                    arguments.content,
                    source_ids=arguments.source_ids,
                    max_output_tokens=arguments.max_output_tokens,
                    focus_areas=arguments.focus_areas,
                    strategy=arguments.strategy,
                    call=self._call(running, context),
                )
            case ExtractionArguments():
                answer = await service.summarize_for_extraction(
                    arguments.content,
                    arguments.schema_hint,
                    source_ids=arguments.source_ids,
                    max_output_tokens=arguments.max_output_tokens,
                    call=self._call(running, context),
                )
            case _:
                raise TypeError(type(arguments).__name__)
        return self._summary(answer)

    def _call(self, running: RunningCall, context: Context) -> Call:
        call = Call(on_progress=running.report.tell, deadline=running.deadline)
        model = sampling_model(context, self.settings) if self.is_sampling else None
        # Sampling has no tools, through which output is structured elsewhere.
        # Where it is refused there is no other model; the original text, larger than clients take, would be no help.
        return (
            replace(
                call,
                model=model,
                output_mode='prompted',
                on_failure='extractive',
                cache_scope=sampling_scope(context),
            )
            if model
            else call
        )

    def _summary(self, answer: Answer) -> CallToolResult:
        summary = answer.summary
        stats = summary.stats
        warnings = list(summary.warnings)
        if self.is_sampling and stats.model == 'extractive' and summary.state not in ('unchanged', 'empty'):
            warnings.append(NO_SAMPLING)
        return _text(
            answer.text,
            state=summary.state,
            model=stats.model,
            tokens_in=stats.tokens_in,
            tokens_out=stats.tokens_out,
            degraded_parts=len(summary.degraded),
            source_ids=list(answer.source_ids),
            warnings=warnings,
            stats=stats.model_dump(mode='json'),
        )


async def _guard_traces(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Keep what clients make up out of traces, which name spans by method and tool."""
    params = ctx.params or {}
    if ctx.request_id is not None and ctx.method not in METHODS:
        raise MCPError(METHOD_NOT_FOUND, 'Method not found')
    if ctx.request_id is None and ctx.method not in NOTIFICATIONS:
        ctx = replace(ctx, method='notifications/unknown')
    if 'name' in params and not (isinstance(params['name'], str) and params['name'] in TOOLS):
        ctx = replace(ctx, params={**params, 'name': 'unknown'})
    try:
        return await call_next(ctx)
    except RefusedError as error:
        raise MCPError(INVALID_PARAMS, error.reason) from None


def _text(text: str, **meta: object) -> CallToolResult:
    """The text once, and not again as structured content, since clients cap results; `_meta` no model sees."""
    return CallToolResult(
        content=[TextContent(text=text)], _meta={f'summarizer/{name}': value for name, value in meta.items()} or None
    )


def _error(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=message)], is_error=True)


def _sizes(arguments: Arguments) -> dict[str, int]:
    """What can be said of arguments without repeating them."""
    values = arguments.model_dump()
    return {
        **{f'{name}_characters': len(values[name]) for name in ('content', 'url', 'schema_hint') if values.get(name)},
        **{name: values[name] for name in ('max_output_tokens', 'max_tokens', 'start_line') if name in values},
        **({'sources': len(values['source_ids'])} if values.get('source_ids') else {}),
    }


def _since(started: float) -> float:
    return round(anyio.current_time() - started, 3)
