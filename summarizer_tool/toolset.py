"""`SummarizerToolset`: the tools of this package for a pydantic-ai agent, in its own process."""

import atexit
import json
import logging
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_ai import FunctionToolset, RunContext, Tool, ToolFailed, ToolReturn
from pydantic_ai.concurrency import AbstractConcurrencyLimiter
from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import Model
from pydantic_ai.tools import AgentDepsT

from summarizer_tool.documents.chunking import STRATEGIES
from summarizer_tool.errors import ConfigurationError, StoreError, SummarizationFailedError, SummarizerError
from summarizer_tool.evidence.question.question import ResearchMode
from summarizer_tool.evidence.search.embedded_passages import EmbeddedPassages
from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.mapreduce.summarizer import DEFAULT_STRATEGY, Summarizer
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_io_thread
from summarizer_tool.service import tool_texts
from summarizer_tool.service.retrieval import DEFAULT_TOP_K, EvidenceBrief, Retriever
from summarizer_tool.service.service import DEFAULT_READ_TOKENS, Format, Service, SummaryReply
from summarizer_tool.service.tool_texts import Sizes
from summarizer_tool.settings import Settings
from summarizer_tool.store.collection import DEFAULT_COLLECTION
from summarizer_tool.store.source_store import SourceStore

MAX_RETRIES = 3
"""Calls in a row with arguments of the wrong type, of one tool, before the run ends."""

SHARE_OF_RUN = 0.8
"""Of the time that is left in a run with a deadline: the agent still has to answer."""

_logger = logging.getLogger('summarizer_tool')


def _unless_null(default: object) -> BeforeValidator:
    """Models write `null` for what they leave out."""
    return BeforeValidator(lambda value: default if value is None else value)


def _as_text(value: object) -> str:
    """A text that is JSON, and a schema, are often given as they are rather than as text.

    An error would repeat them, however large.
    """
    return '' if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _as_texts(value: object) -> object:
    items = cast('list[object]', value) if isinstance(value, list | tuple) else [value]
    return [_as_text(item) for item in items if item is not None]


Text = Annotated[str, BeforeValidator(_as_text)]
Handles = Annotated[
    Sequence[str], BeforeValidator(_as_texts), WithJsonSchema({'type': 'array', 'items': {'type': 'string'}})
]
Phrases = Annotated[str | Sequence[str], _unless_null('')]
Strategy = Annotated[str, _unless_null(DEFAULT_STRATEGY), WithJsonSchema({'type': 'string', 'enum': [*STRATEGIES]})]
Number = Annotated[int, _unless_null(0)]
Form = Annotated[Format, _unless_null('text')]
Mode = Annotated[ResearchMode, _unless_null('auto')]
Urls = Annotated[
    Sequence[str],
    BeforeValidator(_as_texts),
    WithJsonSchema({'anyOf': [{'type': 'string'}, {'type': 'array', 'items': {'type': 'string'}}]}),
]


class SummarizerToolset(FunctionToolset[AgentDepsT]):
    """Tools that keep large text out of an agent's context: `Agent(..., toolsets=[SummarizerToolset()])`.

    `summarize` and `summarize_for_extraction` return text within a budget and the full `Summary` as
    `ToolReturn.metadata`; `search` and `answer` return a brief of verbatim evidence with citations (metadata: the
    `EvidenceBrief`), `status` says what is stored; `add_source` returns a handle, size and outline (metadata: the
    `Source`), `read_source` numbered lines. Long text is passed by handle, never twice. What the agent can mend or
    work round (an unknown handle, a page that cannot be fetched, a store that fails) is a failed tool result that
    says so.

    Model usage counts in the run and keeps its `UsageLimits`: each chunk is a request, and a run has a limit of 50
    unless told otherwise (`UsageLimits(request_limit=...)`). When a limit is reached inside, the run ends as usual;
    requests that run at once may go over it, by at most `MAX_CONCURRENT_LLM_CALLS` less one.
    In a run with a deadline, summaries are finished within it, degraded if need be.

    One toolset may serve any number of agents, runs, threads and event loops at once. Toolsets that are not given
    stores of their own share one in the process for equal settings, so that a handle means the same to all agents
    that work together; `collection` keeps apart what must not meet.
    """

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        model: Model | None = None,
        store: SourceStore | None = None,
        collection: str = DEFAULT_COLLECTION,
        limiter: AbstractConcurrencyLimiter | None = None,
        id: str = 'summarizer',  # noqa: A002 - as all toolsets call it
        include_instructions: bool = True,
        max_retries: int | None = MAX_RETRIES,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Check the settings and the model now, so that a mistake shows at start-up; the store opens at its first use.

        Args:
            settings: From the environment where not given.
            model: Any pydantic-ai model for the summaries, instead of the one that `settings.llm_model` names.
            store: Where sources and finished work are kept, and closed, by the caller. By default what
                `settings.store` says, shared in the process; memory if it says nothing.
            collection: Whose sources these are; no look-up crosses collections.
            limiter: Bounds the model calls at once; by default all with one limit share it, in the process.
            id: Unique among the toolsets of an agent, and the same in every process under durable execution.
            include_instructions: Whether the agent's instructions say when to use the tools.
            max_retries: Calls in a row with arguments of the wrong type that are sent back to the model; `None` for
                the agent's own number. Other failures do not count.
            metadata: Of each tool, e.g. for durable execution: `{'temporal': ...}`. The toolset adds the tool's own
                name under its id, for filters.

        Raises:
            ConfigurationError: If a setting is wrong, or a key or package that the model needs is missing.
        """
        super().__init__(id=id, max_retries=max_retries)
        self.collection = collection
        self._summarizer = Summarizer(settings, model=model, limiter=limiter)
        self._sizes = Sizes.of(self._summarizer.settings)
        self._include_instructions = include_instructions
        self._store = store
        self._similar = EmbeddedPassages.of(self._summarizer.settings, limiter=limiter)
        self._retriever: Retriever | None = None
        self._retriever_lock = threading.Lock()
        for name, function in {
            'summarize': self._summarize,
            'summarize_for_extraction': self._summarize_for_extraction,
            'search': self._search,
            'answer': self._answer,
            'status': self._status,
            'add_source': self._add_source,
            'read_source': self._read_source,
        }.items():
            self.add_tool(self._tool(name, function, metadata or {}))

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> list[InstructionPart] | None:
        """When to use the tools, by the names that the model knows them by; nothing about those filtered out."""
        parts = await super().get_instructions(ctx) or []
        names = self._names(ctx)
        if self._include_instructions and names:
            # Not dynamic: the text changes only with the tools, so that it may stand in a cached prefix.
            own = InstructionPart(content=tool_texts.instructions(self._sizes, names), dynamic=False)
            parts = [own, *parts]
        return parts or None

    def _names(self, ctx: RunContext[AgentDepsT]) -> dict[str, str]:
        """What the model calls the tools, by their own names, after all wrapping."""
        manager = ctx.tool_manager
        if manager is None or manager.tools is None:
            return {name: name for name in self.tools}
        tagged = [(definition.name, definition.metadata or {}) for definition in manager.tool_defs]
        return {str(metadata[self.id]): name for name, metadata in tagged if self.id in metadata}

    def _tool(self, name: str, function: Callable[..., Any], metadata: Mapping[str, Any]) -> Tool[AgentDepsT]:
        text = tool_texts.load(name, self._sizes)
        tool = Tool[AgentDepsT](
            function,
            takes_ctx=True,
            name=name,
            description=text.description,
            metadata={**metadata, str(self.id): name},
        )
        for parameter, schema in tool.function_schema.json_schema['properties'].items():
            schema['description'] = text.parameters[parameter]
        return tool

    async def _summarize(
        self,
        ctx: RunContext[AgentDepsT],
        content: Text = '',
        source_ids: Handles = (),
        max_output_tokens: Number = 0,
        focus_areas: Phrases = '',
        strategy: Strategy = DEFAULT_STRATEGY,
        format: Form = 'text',  # noqa: A002 - the server's tools call it so, too
    ) -> ToolReturn[str]:
        with _told_to_the_model():
            service = (await self._ready()).service
            answer = await service.summarize(
                content,
                source_ids=source_ids,
                max_output_tokens=max_output_tokens,
                focus_areas=focus_areas,
                strategy=strategy,
                form=format,
                options=self._call(ctx),
            )
            return _returned(answer)

    async def _summarize_for_extraction(
        self,
        ctx: RunContext[AgentDepsT],
        content: Text = '',
        schema_hint: Text = '',
        source_ids: Handles = (),
        max_output_tokens: Number = 0,
        format: Form = 'text',  # noqa: A002 - as above
    ) -> ToolReturn[str]:
        with _told_to_the_model():
            service = (await self._ready()).service
            answer = await service.summarize_for_extraction(
                content,
                schema_hint,
                source_ids=source_ids,
                max_output_tokens=max_output_tokens,
                form=format,
                options=self._call(ctx),
            )
            return _returned(answer)

    async def _search(
        self,
        ctx: RunContext[AgentDepsT],
        query: Text,
        source_urls: Handles = (),
        source_ids: Handles = (),
        intent: Text = '',
        top_k: Annotated[int, _unless_null(DEFAULT_TOP_K)] = DEFAULT_TOP_K,
        max_tokens: Number = 0,
    ) -> ToolReturn[str]:
        with _told_to_the_model():
            retriever = await self._ready()
            found = await retriever.search(
                query,
                source_urls=source_urls,
                source_ids=source_ids,
                intent=intent,
                top_k=top_k,
                max_tokens=max_tokens,
                options=self._call(ctx),
            )
            return _evidence(found)

    async def _answer(
        self,
        ctx: RunContext[AgentDepsT],
        query: Text,
        url: Urls = (),
        intent: Text = '',
        known_context: Text = '',
        constraints: Text = '',
        expansion_budget: int | None = None,
        research_mode: Mode = 'auto',
        max_tokens: Number = 0,
    ) -> ToolReturn[str]:
        with _told_to_the_model():
            retriever = await self._ready()
            found = await retriever.answer(
                url,
                query,
                intent=intent,
                known_context=known_context,
                constraints=constraints,
                expansion_budget=expansion_budget,
                research_mode=research_mode,
                max_tokens=max_tokens,
                options=self._call(ctx),
            )
            return _evidence(found)

    async def _status(
        self,
        ctx: RunContext[AgentDepsT],
        source_url: Text = '',
        include_urls: Annotated[bool, _unless_null(True)] = True,
    ) -> ToolReturn[str]:
        with _told_to_the_model():
            retriever = await self._ready()
            return _evidence(await retriever.status(source_url, include_urls=include_urls))

    async def _add_source(
        self, ctx: RunContext[AgentDepsT], content: Text = '', url: Text = '', title: Text = ''
    ) -> ToolReturn[str]:
        with _told_to_the_model():
            service = (await self._ready()).service
            added = await service.add_source(content, url=url, title=title)
            return ToolReturn(return_value=added.text, metadata=added.source)

    async def _read_source(
        self,
        ctx: RunContext[AgentDepsT],
        source_id: str,
        start_line: Annotated[int, _unless_null(1)] = 1,
        max_tokens: Number = DEFAULT_READ_TOKENS,
        offset: Number = 0,
    ) -> str:
        with _told_to_the_model():
            service = (await self._ready()).service
            return await service.read_source(source_id, start_line=start_line, max_tokens=max_tokens, offset=offset)

    async def _ready(self) -> Retriever:
        return self._retriever or await in_io_thread(self._open)

    def _open(self) -> Retriever:
        with self._retriever_lock:
            if self._retriever is None:
                store = self._store or _shared_store(self._summarizer.settings)
                service = Service(self._summarizer, store.collection(self.collection))
                self._retriever = Retriever(service, similar=self._similar)
            return self._retriever

    def _call(self, ctx: RunContext[AgentDepsT]) -> RequestOptions:
        left = ctx.remaining_time()
        seconds = self._summarizer.settings.deadline_seconds
        deadline = None if left is None else Deadline(min(seconds, max(0.0, left) * SHARE_OF_RUN))
        return RequestOptions(usage=ctx.usage, usage_limits=ctx.usage_limits, deadline=deadline)


def _returned(answer: SummaryReply) -> ToolReturn[str]:
    return ToolReturn(return_value=answer.text, metadata=answer.summary)


def _evidence(found: EvidenceBrief) -> ToolReturn[str]:
    """A brief, or, where there is none, the failure in its own words."""
    if found.is_error:
        raise ToolFailed(found.text)
    return ToolReturn(return_value=found.text, metadata=found)


@contextmanager
def _told_to_the_model() -> Generator[None]:
    """Make what goes wrong a failed tool result; a wrong setting is for the developer, and ends the run.

    Not `ModelRetry`, also where the model can mend its request: that counts against the tool's retries, which are one
    by default, so that the second wrong handle would end the run. The messages say the way out themselves.
    """
    try:
        yield
    except ConfigurationError:
        raise
    except SummarizerError as error:
        if isinstance(error, StoreError | SummarizationFailedError):
            _logger.warning('a tool failed', extra={'reason': str(error)})
        raise ToolFailed(str(error)) from error


_stores: dict[tuple[str | None, float], SourceStore] = {}
_stores_lock = threading.Lock()


def _shared_store(settings: Settings) -> SourceStore:
    """The store of the process for these settings.

    It outlives the toolsets: a program that makes one for each run still knows the handles in its message histories.
    """
    key = (settings.store, settings.store_max_mb)
    with _stores_lock:
        if key not in _stores:
            _stores[key] = SourceStore.open(settings)
            atexit.register(_stores[key].close)
        return _stores[key]
