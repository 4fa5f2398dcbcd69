"""`SummarizeToolResults`: a capability that stands between an agent's tools and its context."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import Any, cast

from pydantic import ValidationError
from pydantic_ai import FunctionToolset, RunContext, ToolCallPart, ToolDefinition, ToolReturn, ToolReturnPart
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering, WrapRunHandler, durable_operation
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry, SkipToolExecution
from pydantic_ai.messages import ToolReturnContent
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.computing import computed_for
from researcher_integration.masking.masked_errors import failed_part
from researcher_integration.masking.masking import MaskingError
from researcher_integration.mcp.run_servers import SERVER_NAME
from researcher_integration.timeline.events import Summarizing, ToolCall
from researcher_integration.tool_results.called import CalledTool, Events, StoredResult, keep, reading_tools, toolset_id
from researcher_integration.tool_results.history import (
    EXEMPT_KINDS,
    change_results,
    frame_results,
    framed_beside,
    mask_history,
    note_of,
)
from researcher_integration.tool_results.observation import Observation
from researcher_integration.tool_results.reading import OWN, Reading
from researcher_integration.tool_results.rules import RulesSource, ToolResultRules, load_rules
from researcher_integration.tool_results.summarizing import ResultSummarizer, ResultSummary, SummaryRequest
from researcher_integration.untrusted.framing import instructions
from researcher_integration.usage import share_of
from summarizer_tool import (
    Collection,
    Settings,
    SourceStore,
    check_type,
    count_tokens,
    in_thread,
    load_prompt,
    render_prompt,
)

NEVER = 'never'  # what a tool may ask for in its metadata, under `summarize`

COLLECTION = 'tool-results'

LABELS = ('session_id', 'stage', 'model_call_id')
"""Keys of a run's metadata that its events repeat."""

SHARE_OF_RUN = 0.5
"""Of the time that is left in a run with a deadline, for one model's try at a summary."""

SHARE_OF_LIMITS = 0.5
"""Of the usage limits of a run, for its summaries, beside what the agent may use of them."""

_CONTROL = (CallDeferred, ApprovalRequired)
"""No failures."""

_logger = logging.getLogger('researcher_integration')


@dataclass
class _Run:
    answered: dict[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int])
    """By the models that may be asked, which of them has answered: it is asked first from then on."""
    usage: RunUsage = field(default_factory=RunUsage)
    """Of the summaries; at its end it is added to the run's own."""
    counted: set[str] = field(default_factory=set[str])
    """Ids of the calls whose summaries have counted in it while they were made."""
    seen: set[str] = field(default_factory=set[str])
    """Ids of the calls whose results have been looked at."""
    framed: dict[str, tuple[object, ToolReturnContent]] = field(
        default_factory=dict[str, tuple[object, ToolReturnContent]]
    )
    """What the model has been shown, see `frame_results`."""
    has_compared: bool = False
    """Whether the servers of the rules have been compared with those there are."""


@dataclass
class SummarizeToolResults(AbstractCapability[AgentDepsT]):
    """Masks, stores and, where large, summarizes the results of tools: `capabilities=[SummarizeToolResults()]`.

    A result over the threshold reaches the model as a summary made for the conversation at hand, under a line that
    names the whole result by its handle; `search_source` and `read_source` show what is in it. Secrets are masked
    before anything is stored, traced or sent. What tools return is shown in a frame that nothing in it can close, with
    a mark before what addresses the reader; the history has it without both. What a tool says that has failed is
    summarized, too, and stays a failure. Results of these two tools are left alone, and what a tool returns that says
    `metadata={'summarize': 'never'}`.

    The names of models are checked when it is made. One may serve any number of agents and runs at once.
    Libraries that talk to servers log results at DEBUG before they can be masked: leave their loggers at INFO.
    Beside a `SummarizerToolset`, which has a `read_source` of its own, wrap that one in `.prefixed(...)`.
    """

    rules: RulesSource = field(default_factory=ToolResultRules)
    """Thresholds, models, failure policies and masking, by server: a model, mapping, path or YAML for `load_rules`.

    Without any, what no model could summarize goes on whole (`on_failure: open`).
    """
    settings: Settings | None = None
    """Of the summarizer; from the environment where not given."""
    store: SourceStore | None = None
    """Where results are kept, and closed, by the caller; in memory, for the life of this, where not given."""
    timeline: Events | Callable[[RunContext[AgentDepsT]], Events | None] | None = None
    """Where the events of a run go, such as a `researcher_integration.Timeline`."""
    collection: str = COLLECTION
    """Keeps apart what is kept for those who must not see each other's results: no handle is known in another one."""
    usage_limits: UsageLimits | None = None
    """Of the summaries of one run, apart from the agent's own requests; half of the run's where not given."""

    _: KW_ONLY
    id: str | None = 'summarize_tool_results'

    _run: _Run = field(default_factory=_Run, init=False, repr=False, compare=False)
    _all: _Run = field(default_factory=_Run, init=False, repr=False, compare=False)
    _settings: Settings = field(init=False, repr=False, compare=False)
    _collection: Collection = field(init=False, repr=False, compare=False)
    _rules: ToolResultRules = field(init=False, repr=False, compare=False)
    _toolset: FunctionToolset[AgentDepsT] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_type('settings', self.settings, Settings, type(None))
        check_type('store', self.store, SourceStore, type(None))
        if not (self.timeline is None or callable(self.timeline) or hasattr(self.timeline, 'emit')):
            raise TypeError(f'timeline has a method emit, or is called with the run, unlike {self.timeline!r}')
        settings = self.settings if self.settings is not None else Settings.load()
        self.rules = self._rules = load_rules(self.rules, settings)
        store = self.store if self.store is not None else SourceStore()
        self._settings, self._collection = settings, store.collection(self.collection)
        self._run = self._all
        # With one id in all processes under durable execution; the model mends wrong arguments, not to end a run.
        tools = Reading(settings, self._collection).tools()
        self._toolset = FunctionToolset(tools, id=f'{self.id or OWN}_reading', max_retries=3)

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        """The last one: rules that were meant for two cannot be made one."""
        return capabilities[-1]

    # What pydantic-ai asks of a capability.

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> 'SummarizeToolResults[AgentDepsT]':
        """A copy that remembers nothing of other runs."""
        own = copy(self)
        own._run = _Run()
        return own

    def get_ordering(self) -> CapabilityOrdering:
        """Innermost: what other capabilities store or show is without secrets, and small already."""
        return CapabilityOrdering(position='innermost')

    def get_instructions(self) -> str:
        """How to read what was summarized, and what a frame means."""
        reading = load_prompt('tool_results/instructions')
        return f'{reading}\n\n{instructions()}' if self._frames else reading

    def get_toolset(self) -> AbstractToolset[AgentDepsT]:
        """`search_source` and `read_source`."""
        return self._toolset

    @property
    def _frames(self) -> bool:
        return self._rules.defaults.framing.enabled

    @property
    def usage(self) -> RunUsage:
        """What summaries have cost: of one run on the copy that `for_run` has made for it, else of all runs."""
        return self._run.usage

    async def wrap_run(self, ctx: RunContext[AgentDepsT], *, handler: WrapRunHandler) -> AgentRunResult[Any]:
        """Add what summaries have cost when the run is over: while it lasts they must not use up its limits."""
        try:
            return await handler()
        finally:
            ctx.usage.incr(self._run.usage)

    async def wrap_tool_execute(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Callable[[dict[str, Any]], Awaitable[Any]],
    ) -> Any:
        """Tell of the call, and mask what it says when it fails."""
        called = await self._called(ctx, call, tool_def, args)
        await called.tell(ToolCall, status='started', arguments=called.arguments)
        try:
            return await handler(args)
        except SkipToolExecution as skipped:
            # What stands for the result goes past the other hooks, and into traces at once.
            hooked = await self.after_tool_execute(
                ctx, call=call, tool_def=tool_def, args=args, result=cast('object', skipped.result)
            )
            raise SkipToolExecution(hooked) from None
        except _CONTROL:
            await called.completed()
            raise
        except Exception as error:
            masked = await called.masked_error(error)
            part = failed_part(masked)
            content: object = None if part is None else part.content
            text = content if isinstance(content, str) else str(masked)
            size = await computed_for(text, count_tokens, text)
            if part is not None and text is content and size > called.rules.summarization.size_threshold_tokens:
                found = await self._observed(ctx, called, tool_def, text, is_error=True)
                shown = cast('object', found.return_value) if isinstance(found, ToolReturn) else found
                raise type(masked)(replace(part, content=str(shown))) from None
            await called.completed(text, size, is_error=True)
            if masked is error:
                raise
            raise masked from None

    async def on_tool_validate_error(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: str | dict[str, Any],
        error: ValidationError | ModelRetry,
    ) -> dict[str, Any]:
        """Mask what a validator of arguments says; what pydantic says of them the model has written itself."""
        if not isinstance(error, ModelRetry):
            raise error
        return await self.on_tool_execute_error(
            ctx, call=call, tool_def=tool_def, args=args if isinstance(args, dict) else {}, error=error
        )

    async def on_tool_execute_error(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        error: Exception,
    ) -> Any:
        """Mask an error before other capabilities see it, who may make a result of it."""
        called = await self._called(ctx, call, tool_def, args)
        await called.raise_masked(error)

    async def after_tool_execute(
        self,
        ctx: RunContext[AgentDepsT],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        result: Any,
    ) -> Any:
        """Mask, store, measure and, where it is large, replace the result by its summary."""
        self._run.seen.add(call.tool_call_id)
        called = await self._called(ctx, call, tool_def, args)
        if tool_def.tool_kind in EXEMPT_KINDS:
            await called.completed()
            return cast('object', result)
        found = await self._observed(ctx, called, tool_def, result)
        return await in_thread(framed_beside, found, call.tool_name) if self._frames else found

    async def _called(
        self, ctx: RunContext[AgentDepsT], call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any]
    ) -> CalledTool:
        return await self._told(ctx, call.tool_call_id, call.tool_name, self._server_of(ctx, tool_def)).given(args)

    def _server_of(self, ctx: RunContext[AgentDepsT], tool_def: ToolDefinition) -> str | None:
        """The server of a tool: as rules name it, else as a selection of servers does, else the `id` of its toolset."""
        selected = (tool_def.metadata or {}).get(SERVER_NAME)
        names = [name for name in (selected, toolset_id(ctx, tool_def)) if isinstance(name, str)]
        return next((name for name in names if name in self._rules.mcp_servers), names[0] if names else None)

    def _say_unmatched(self, ctx: RunContext[AgentDepsT], tool_defs: Sequence[ToolDefinition]) -> None:
        """Name the rules that hold for no tool: a server under another name would silently have the defaults."""
        others = [each for each in tool_defs if OWN not in (each.metadata or {})]
        servers = {server for each in others if (server := self._server_of(ctx, each)) is not None}
        named = self._rules.mcp_servers.keys()
        if rules := sorted(named - servers):
            about = {'rules': rules, 'servers_without_rules': sorted(servers - named)}
            _logger.warning(
                'rules for tool results name servers that the run has not: %s', ', '.join(rules), extra=about
            )
        elif servers - named:
            about = {'servers': sorted(servers - named)}
            _logger.info('servers have no rules for their results: the defaults hold', extra=about)

    def _told(self, ctx: RunContext[AgentDepsT], call_id: str, tool: str, server: str | None) -> CalledTool:
        """A call of a tool, of which a front end is told."""
        events = self.timeline
        if events is not None and not hasattr(events, 'emit'):
            events = cast('Callable[[RunContext[AgentDepsT]], Events | None]', events)(ctx)
        given = ctx.metadata or {}
        labels = {name: str(given[name]) for name in LABELS if given.get(name)}
        rules = self._rules.for_server(server)
        return CalledTool(tool, server, rules, None, cast('Events | None', events), call_id, labels)

    async def _observed(
        self,
        ctx: RunContext[AgentDepsT],
        called: CalledTool,
        tool_def: ToolDefinition,
        result: object,
        *,
        is_error: bool = False,
    ) -> object:
        """What becomes of a result, or of what a tool says that has failed."""
        raw = Observation.of(result).unclaimed().bounded(self._rules.defaults.max_binary_kb)
        try:
            seen = await called.masked(raw)
        except MaskingError as error:
            _logger.warning('the result of %s was withheld: %s', called.name, error)
            text = render_prompt('tool_results/redacted', tool=called.name)
            await called.completed(text)
            return raw.withheld(text)
        metadata = tool_def.metadata or {}
        text, whole = await computed_for([seen.value, seen.content], seen.texts)
        may = called.rules.summarization.enabled and bool(text) and OWN not in metadata
        source_id = await self._store(ctx, called.title, whole) if may else ''
        original = await computed_for([seen.value, seen.content], lambda: count_tokens(seen.text))
        await called.completed(text, original, source_id, is_error=is_error)
        rules = called.rules.summarization
        if not may or metadata.get('summarize') == NEVER or original <= rules.size_threshold_tokens:
            return result if seen.is_same_as(Observation.of(result)) else seen.result  # the text of bytes is new
        await called.tell(Summarizing, estimated_tokens=original)
        left = ctx.remaining_time()
        seconds = None if left is None else max(0.0, left) * SHARE_OF_RUN
        request = called.request(text, await called.focus(list(ctx.messages)), seconds)
        kept = StoredResult(called.name, original, source_id, reading_tools(ctx))
        found, _ = await called.summarized(seen, kept, partial(self._summary, ctx, request, called))
        return found

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Treat the newest results that came past the other hooks as all are, mask older ones, and frame them."""
        tools = request_context.model_request_parameters.function_tools
        came_past = await self._came_past(ctx, {tool.name: tool for tool in tools})
        masker = self._rules.for_server(None).data_masking.masker
        for messages in (ctx.messages, request_context.messages):
            await mask_history(messages, masker, self._run.seen, came_past)
        parts = (part for message in ctx.messages for part in message.parts)
        self._run.seen |= {part.tool_call_id for part in parts if isinstance(part, ToolReturnPart)}
        if self._frames:
            await frame_results(request_context.messages, self._run.framed)
        if self._rules.mcp_servers and not self._all.has_compared:
            self._all.has_compared = True
            self._say_unmatched(ctx, tools)
        return request_context

    async def _came_past(
        self, ctx: RunContext[AgentDepsT], tools: Mapping[str, ToolDefinition]
    ) -> Mapping[str, ToolReturnPart]:
        """What becomes of the newest results that no hook has seen: of deferred calls, or of another capability."""
        calls = {
            part.tool_call_id: part for each in ctx.messages for part in each.parts if isinstance(part, ToolCallPart)
        }
        new: dict[str, ToolReturnPart] = {}

        async def treat(part: ToolReturnPart) -> ToolReturnPart:
            call, tool_def = calls.get(part.tool_call_id), tools.get(part.tool_name)
            is_new = part.tool_call_id not in self._run.seen and part.outcome == 'success'
            if is_new and call is not None and tool_def is not None and not note_of(part.metadata):
                returned = ToolReturn(part.content, metadata=part.metadata)
                args = call.args_as_dict()
                found = await self.after_tool_execute(ctx, call=call, tool_def=tool_def, args=args, result=returned)
                made = cast('ToolReturn[Any]', found)
                new[part.tool_call_id] = replace(part, content=made.return_value, metadata=made.metadata)
            return part

        await change_results(ctx.messages[-1:], treat)
        return new

    async def _summary(self, ctx: RunContext[AgentDepsT], request: SummaryRequest, called: CalledTool) -> ResultSummary:
        """The summary by the model that has answered last, else by others; its cost counts in the run and in all."""
        run, call_id = self._run, called.call_id
        asked = (called.rules.summarization.model or '', *self._rules.defaults.fallback_models)
        first = run.answered.get(asked, 0)
        made = await self._summarize(ctx, request, called.server or '', first, call_id, called.tool, run.usage)
        if made.used is not None:
            run.answered[asked] = made.used
        if call_id not in run.counted:
            run.usage.incr(made.usage)
        if run is not self._all:
            self._all.usage.incr(made.usage)
        return made

    # What is done outside of the workflow, under durable execution.

    @durable_operation(name='store')
    async def _store(self, ctx: RunContext[AgentDepsT], title: str, text: str) -> str:
        return await keep(self._collection, title, text)

    @durable_operation(name='summarize')
    async def _summarize(
        self,
        ctx: RunContext[AgentDepsT],
        request: SummaryRequest,
        server: str,
        first: int,
        call_id: str,
        tool: str,
        usage: RunUsage,
    ) -> ResultSummary:
        """Make a summary; its facts are told of while they are written.

        `usage` is the run's own, in which summaries at once count together, unless it was written down for this.
        """
        if usage is self._run.usage:
            self._run.counted.add(call_id)
        called = self._told(ctx, call_id, tool, server or None)
        first_choice = called.rules.summarization.model or ctx.model
        # A model of speech writes no summaries.
        own: list[Model | str] = [first_choice] if isinstance(first_choice, str | Model) else []
        candidates = [*own, *self._rules.defaults.fallback_models]
        limits = self.usage_limits
        if limits is None and ctx.usage_limits is not None:
            limits = share_of(ctx.usage_limits, SHARE_OF_LIMITS)
        async with called.facts() as on_fact:
            summarizer = ResultSummarizer(self._settings, self._collection, request, usage, limits, on_fact)
            return await summarizer.summarize(candidates, first=first)
