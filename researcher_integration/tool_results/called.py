"""One tool call: its server, what holds for it, what it says without secrets, and what becomes of that."""

import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Any, NoReturn, Protocol

import anyio
from pydantic_ai import ModelMessage, RunContext, ToolDefinition, ToolFailed
from pydantic_ai.mcp import CallToolFunc, ProcessToolCallback
from pydantic_ai.toolsets import AbstractToolset, WrapperToolset
from pydantic_core import to_jsonable_python

from researcher_integration.computing import computed_for
from researcher_integration.masking.masked_errors import without_secrets
from researcher_integration.masking.masking import Masker, MaskingError
from researcher_integration.timeline.events import Draft, SummaryDelta, ToolCall, ToolResult, ToolSummary
from researcher_integration.tool_results.history import ConversationFocus, describe
from researcher_integration.tool_results.observation import NOTE, Observation
from researcher_integration.tool_results.reading import OWN
from researcher_integration.tool_results.rules import (
    RulesSource,
    ServerRules,
    Summarization,
    load_rules,
)
from researcher_integration.tool_results.summarizing import ResultSummary, SummaryRequest
from summarizer_tool import (
    Collection,
    Document,
    StoreError,
    count_tokens,
    defect_attributes,
    first_error,
    in_io_thread,
    in_thread,
    one_line,
    render_prompt,
    trace_span,
    without_own_lines,
)

MAX_TITLE = 200

WITHHELD = 'withheld'  # an error text stands for the result
ORIGINAL = 'original'  # the result goes on as it is: there is no summary, or none that is smaller

_logger = logging.getLogger('researcher_integration')


class Events(Protocol):
    """Where events go: `researcher_integration.Timeline` is one."""

    async def emit(self, draft: Draft, /) -> object:
        """Take an event."""


async def keep(collection: Collection, title: str, text: str) -> str:
    """Keep a masked result; returns its handle, empty if it could not be stored."""
    try:
        document = Document(text, title=title)
        return (await in_io_thread(collection.add, document, fetched_at=datetime.now(UTC))).id
    except StoreError as error:
        _logger.warning('a tool result could not be stored', extra={'reason': str(error)})
        return ''


@dataclass(frozen=True, slots=True)
class StoredResult:
    """Where the whole of a result is."""

    tool: str
    """With its server."""
    original: int
    """Tokens of the result."""
    source_id: str
    """Its handle; empty if it could not be stored."""
    readers: Mapping[str, str]
    """What the model calls the tools that show it; empty if it has none."""

    def rendered(self, name: str, **values: str) -> str:
        """What is said of it: the `note` over a summary, or `withheld` where it is too large and there is none."""
        suffix = '_unread'
        if self.source_id:
            suffix = '' if {'search_source', 'read_source'} <= self.readers.keys() else '_elsewhere'
        return render_prompt(
            f'tool_results/{name}{suffix}',
            tool=self.tool,
            original=f'{self.original:,}',
            source_id=self.source_id,
            search=self.readers.get('search_source', ''),
            read=self.readers.get('read_source', ''),
            **values,
        )


def outcome(
    seen: Observation, kept: StoredResult, made: ResultSummary, rules: Summarization
) -> tuple[object, ResultSummary]:
    """Put the summary in the place of a result, or do what the failure policy of its server says.

    Returns what the tool would have returned, and what is to be told of it: the summary, the text that stands for the
    result, or no text, and the tokens of the result, where it goes on as it is.
    """
    sizes = {'original_tokens': kept.original, 'threshold': rules.size_threshold_tokens}
    told = {**sizes, 'source_id': kept.source_id, 'seconds': made.seconds, **made.figures()}
    if made.text:
        note = kept.rendered('note', tokens=f'{made.tokens:,}')
        told |= {NOTE: note, 'summary_tokens': made.tokens, 'state': made.state}
        shown = seen.summarized(f'{note}\n{without_own_lines(made.text)}', **told)
        if count_tokens(Observation.of(shown).text) < kept.original:
            return shown, made
    elif rules.on_failure == 'closed':
        text = kept.rendered('withheld', reason=made.reason)
        size = count_tokens(text)
        stands = made.model_copy(update={'text': text, 'tokens': size, 'state': WITHHELD})
        return seen.replaced(text, **told, summary_tokens=size, state=WITHHELD), stands
    return seen.result, made.model_copy(update={'text': '', 'tokens': kept.original, 'state': ORIGINAL})


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A tool call, and what holds for it. Masking is done in a thread: results may be large."""

    tool: str
    server: str | None
    rules: ServerRules
    arguments: object = None
    """Without secrets."""
    events: Events | None = None
    call_id: str = ''
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """What each event says besides, by the names of its fields: ids of the session, the stage, the model call."""

    @property
    def name(self) -> str:
        """The tool with its server."""
        return f'{self.server}/{self.tool}' if self.server else self.tool

    @property
    def title(self) -> str:
        """What the stored result is called."""
        written = json.dumps(self.arguments, ensure_ascii=False, default=str) if self.arguments else ''
        return one_line(f'{self.name}({written})', MAX_TITLE)

    @property
    def masker(self) -> Masker:
        """What masks its result."""
        return self.rules.data_masking.masker

    async def given(self, arguments: Mapping[str, Any]) -> 'CalledTool':
        """The same with arguments, without secrets, as JSON: keys and values of any type can be shown and searched."""
        try:
            masked = await self.masked(Observation(to_jsonable_python(arguments, fallback=str)))
        except MaskingError:
            return self
        return replace(self, arguments=masked.value)

    async def masked(self, raw: Observation) -> Observation:
        """What the tool has returned, without secrets, or a `MaskingError`."""
        return await computed_for([raw.value, raw.content], raw.masked, self.masker)

    async def masked_error(self, error: Exception) -> Exception:
        """What the tool has raised, without secrets."""
        withheld = render_prompt('tool_results/error', tool=self.name)
        return await computed_for(error.args, without_secrets, error, self.masker, withheld)

    async def raise_masked(self, error: Exception) -> NoReturn:
        """Raise what the tool has raised, without secrets."""
        masked = await self.masked_error(error)
        if masked is error:
            raise error
        raise masked from None

    def request(self, text: str, focus: ConversationFocus, seconds: float | None) -> SummaryRequest:
        """What is asked of whoever summarizes the readable text of a result, each model within so many seconds."""
        rules = self.rules.summarization
        return SummaryRequest(
            text=text,
            focus=focus.text,
            words=focus.words,
            limit=rules.summary_max_token_limit,
            seconds=seconds,
            extractive_on_failure=rules.on_failure == 'extractive',
        )

    async def summarized(
        self, seen: Observation, kept: StoredResult, summarize: Callable[[], Awaitable[ResultSummary]]
    ) -> tuple[object, ResultSummary]:
        """What becomes of a large result by its summary, which is traced and told; that there is none is logged."""
        rules = self.rules.summarization
        about = {'server': self.server or '', 'tool': self.tool}
        kind = {'interaction.type': 'summarization', 'tokens_in': kept.original}
        with trace_span('summarize tool result', **about, **kind, threshold=rules.size_threshold_tokens) as span:
            made = await summarize()
            span.set_attributes(
                {'state': made.state, 'reason': made.reason, 'tokens_out': made.tokens, **made.figures()}
            )
        found, told = await computed_for(seen.value, outcome, seen, kept, made, rules)
        if not made.text and told.state == ORIGINAL:
            said = 'the result of %s goes on as it is, with all its %s tokens: it could not be summarized'
            extra = {**about, 'tokens': kept.original, 'reason': made.reason}
            _logger.warning(said, self.name, f'{kept.original:,}', extra=extra)
        sizes = {'original_tokens': kept.original, 'summary_tokens': told.tokens}
        await self.tell(
            ToolSummary, source_id=kept.source_id, **sizes, **told.model_dump(include={'text', 'state', 'model'})
        )
        return found, told

    async def focus(self, messages: Sequence[ModelMessage]) -> ConversationFocus:
        """The conversation in which it was called, without secrets: another model may get it than the agent's."""
        return await in_thread(self._focus, messages)

    def _focus(self, messages: Sequence[ModelMessage]) -> ConversationFocus:
        def mask(text: str) -> str:
            return self.masker.mask(text).text

        try:
            focus = describe(messages, self.name, self.arguments, mask)
            return ConversationFocus(mask(focus.text), mask(focus.words))
        except MaskingError:
            return ConversationFocus()

    # What a front end is told, all of which has been masked.

    async def completed(
        self, text: str | None = None, size: int | None = None, source_id: str = '', *, is_error: bool = False
    ) -> None:
        """The tool has answered, or failed with the text; or put it off, and then nothing more follows."""
        sizes = {'size_characters': None if text is None or size is None else len(text), 'size_tokens': size}
        await self.tell(ToolCall, status='completed', is_error=is_error, **sizes)
        if text is not None:
            await self.tell(ToolResult, text=text, source_id=source_id, is_error=is_error)

    @asynccontextmanager
    async def facts(self) -> AsyncGenerator[Callable[[str], None] | None]:
        """A function to be told each fact while it is written; none if nobody looks. All are out at the end."""
        if self.events is None:
            yield None
            return
        index = count()

        def tell(text: str) -> None:
            # They begin in the order in which they are started, and so are the events emitted.
            group.start_soon(partial(self.tell, SummaryDelta, index=next(index), text=text))

        try:
            async with anyio.create_task_group() as group:
                yield tell
        except ExceptionGroup as errors:  # the caller wants it by its own type
            raise first_error(errors) from None

    async def tell(self, event: type[Draft], **said: object) -> None:
        """Emit an event of this kind; whatever becomes of it, the run goes on."""
        if self.events is None:
            return
        about = {'server': self.server or '', 'tool': self.tool} if 'tool' in event.model_fields else {}
        try:
            draft = event.model_validate({'call_id': self.call_id, **self.labels, **about, **said})
            await self.events.emit(draft)
        except Exception as error:  # noqa: BLE001 - a log or a follower may fail in any way
            _logger.warning('an event was lost', extra={'type': event.__name__, **defect_attributes(error)})


def toolset_id(ctx: RunContext[Any], tool_def: ToolDefinition) -> str | None:
    """The `id` of a tool's toolset, however that is wrapped, or the host of an MCP server without one."""
    tools = ctx.tool_manager.tools if ctx.tool_manager is not None else None
    tool = tools.get(tool_def.name) if tools else None
    toolset: AbstractToolset[Any] | None = tool.toolset if tool is not None else None
    found = tool_def.toolset_id
    # What stands around a toolset has no id of its own, as a rule.
    while toolset is not None and found is None:
        found = toolset.id
        toolset = toolset.wrapped if isinstance(toolset, WrapperToolset) else None
    return None if found is None or found.startswith('<') else found


def reading_tools(ctx: RunContext[Any]) -> dict[str, str]:
    """What the model calls `search_source` and `read_source`, by their own names; empty if it has them not."""
    manager = ctx.tool_manager
    if manager is None or manager.tools is None:
        return {}
    tagged = [(definition.name, definition.metadata or {}) for definition in manager.tool_defs]
    return {str(metadata[OWN]): name for name, metadata in tagged if OWN in metadata}


def masked_calls(rules: RulesSource, server: str | None = None) -> ProcessToolCallback:
    """What masks the results of a server at once: `MCPToolset(url, process_tool_call=masked_calls(rules, 'pods'))`.

    Args:
        rules: As `SummarizeToolResults` takes them.
        server: Its name in them.
    """
    of_server = load_rules(rules).for_server(server)

    async def process(ctx: RunContext[Any], call_tool: CallToolFunc, name: str, args: dict[str, Any]) -> Any:
        called = CalledTool(name, server, of_server)
        try:
            raw = Observation.of(await call_tool(name, args))
        except Exception as error:  # noqa: BLE001 - it is raised again
            await called.raise_masked(error)
        try:
            return (await called.masked(raw)).result
        except MaskingError:
            raise ToolFailed(render_prompt('tool_results/redacted', tool=called.name)) from None

    return process
