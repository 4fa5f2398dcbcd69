"""`SummarizerToolset`: the tools of this package for a pydantic-ai agent, in its own process."""

import atexit
import logging
import os
import threading
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic_ai import FunctionToolset, ModelRetry, RunContext, Tool, ToolFailed, ToolReturn
from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import Model
from pydantic_ai.tools import AgentDepsT

from summarizer_tool.errors import (
    ArgumentsError,
    ConfigurationError,
    StoreError,
    SummarizationFailedError,
    SummarizerError,
    check_type,
)
from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_io_thread
from summarizer_tool.service.operations import OPERATIONS, Operation, instructions, sizes_of
from summarizer_tool.settings import Settings
from summarizer_tool.store.source import DEFAULT_COLLECTION

if TYPE_CHECKING:
    from summarizer_tool.service.retrieval import Retriever
    from summarizer_tool.store.source_store import SourceStore

MAX_RETRIES = 3  # calls in a row with arguments of the wrong type, of one tool, before the run ends

SHARE_OF_RUN = 0.8
"""Of the time that is left in a run with a deadline: the agent still has to answer."""

_logger = logging.getLogger('summarizer_tool')


class SummarizerToolset(FunctionToolset[AgentDepsT]):
    """Tools that keep large text out of an agent's context: `Agent(..., toolsets=[SummarizerToolset()])`.

    `summarize` and `summarize_for_extraction` return text within a budget and the full `Summary` as
    `ToolReturn.metadata`; `search` and `answer` return a brief of verbatim evidence with citations (metadata: the
    `EvidenceBrief`), `status` says what is stored; `add_source` returns a handle, size and outline (metadata: the
    `Source`), `read_source` numbered lines. Long text is passed by handle, never twice. What the agent can mend or
    work round (an unknown handle, a page that cannot be fetched, a store that fails) is a failed tool result that
    says so.

    Model usage counts in the run and keeps its `UsageLimits`: each chunk is a request, and a run has a limit of 50
    unless told otherwise (`UsageLimits(request_limit=...)`). When a limit is reached inside, the run ends as usual; the
    tokens of requests that are under way then may go over it. In a run with a deadline, summaries are finished within
    it, degraded if need be.

    One toolset may serve any number of agents, runs, threads and event loops at once. Toolsets that are not given
    stores of their own share one in the process for equal settings, so that a handle means the same to all agents
    that work together; `collection` keeps apart what must not meet.
    """

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        model: Model | str | None = None,
        store: 'SourceStore | None' = None,
        collection: str = DEFAULT_COLLECTION,
        id: str = 'summarizer',  # noqa: A002 - as all toolsets call it
        include_instructions: bool = True,
        max_retries: int | None = MAX_RETRIES,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Check the settings and the model now, so that a mistake shows at start-up; the store opens at its first use.

        Args:
            settings: From the environment where not given.
            model: Any pydantic-ai model for the summaries, or a name as in `LLM_MODEL`, instead of the one that
                `settings.llm_model` names.
            store: Where sources and finished work are kept, and closed, by the caller. By default what
                `settings.store` says, shared in the process; memory if it says nothing.
            collection: Whose sources these are; no look-up crosses collections.
            id: Unique among the toolsets of an agent, and the same in every process under durable execution.
            include_instructions: Whether the agent's instructions say when to use the tools.
            max_retries: Calls in a row with arguments of the wrong type that are sent back to the model; `None` for
                the agent's own number. Other failures do not count.
            metadata: Of each tool, e.g. for durable execution: `{'temporal': ...}`. The toolset adds the tool's own
                name under its id, for filters.

        Raises:
            ConfigurationError: If a setting is wrong, or a key or package that the model needs is missing.
            TypeError: If settings, model or store are of another type.
        """
        # Not with the module: an agent may be defined in a program that never runs it.
        from summarizer_tool.mapreduce.summarizer import Summarizer
        from summarizer_tool.service.service import Setup
        from summarizer_tool.store.source_store import SourceStore

        check_type('store', store, SourceStore, type(None))
        super().__init__(id=id, max_retries=max_retries)
        self.collection = collection
        self._setup = Setup.of(Summarizer(settings, model=model))
        self._sizes = sizes_of(self._setup.summarizer.settings)
        self._include_instructions = include_instructions
        self._store = store
        self._retriever: Retriever | None = None
        for operation in OPERATIONS:
            self.add_tool(self._tool(operation, metadata or {}))

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> list[InstructionPart] | None:
        """When to use the tools, by the names that the model knows them by; nothing about those filtered out."""
        parts = await super().get_instructions(ctx) or []
        names = self._names(ctx)
        if self._include_instructions and names:
            # Not dynamic: the text changes only with the tools, so that it may stand in a cached prefix.
            own = InstructionPart(content=instructions(self._sizes, names), dynamic=False)
            parts = [own, *parts]
        return parts or None

    def _names(self, ctx: RunContext[AgentDepsT]) -> dict[str, str]:
        manager = ctx.tool_manager
        if manager is None or manager.tools is None:
            return {name: name for name in self.tools}
        tagged = [(definition.name, definition.metadata or {}) for definition in manager.tool_defs]
        return {str(metadata[self.id]): name for name, metadata in tagged if self.id in metadata}

    def _tool(self, operation: Operation[Any], metadata: Mapping[str, Any]) -> Tool[AgentDepsT]:
        tool = Tool[AgentDepsT].from_schema(
            partial(self._answer, operation),
            name=operation.name,
            description=operation.text(self._sizes).description,
            json_schema=operation.schema(self._sizes),
            takes_ctx=True,
        )
        # Its results have the size that was asked for: no capability shall summarize them again.
        tool.metadata = {'summarize': 'never', **metadata, str(self.id): operation.name}
        return tool

    async def _answer(
        self, operation: Operation[Any], ctx: RunContext[AgentDepsT], /, **arguments: Any
    ) -> ToolReturn[str]:
        """Answer a call. What goes wrong is a failed tool result; a wrong setting ends the run.

        Not `ModelRetry`, also where the model can mend its request: that counts against the tool's retries, which are
        one by default, so that the second wrong handle would end the run. The messages say the way out themselves.
        """
        try:
            request = operation.read(arguments)
            retriever = self._retriever or await in_io_thread(self._open)
            reply = await operation.answer(retriever, request, self._options(ctx))
        except ConfigurationError:
            raise
        except ArgumentsError as error:
            raise ModelRetry(str(error)) from error
        except SummarizerError as error:
            if isinstance(error, StoreError | SummarizationFailedError):
                _logger.warning('a tool failed', extra={'reason': str(error)})
            raise ToolFailed(str(error)) from error
        if reply.is_error:
            raise ToolFailed(reply.text)
        return ToolReturn(return_value=reply.text, metadata=reply.value)

    def _open(self) -> 'Retriever':
        store = self._store or _shared_store(self._setup.summarizer.settings)
        self._retriever = self._setup.retriever(store.collection(self.collection))
        return self._retriever

    def _options(self, ctx: RunContext[AgentDepsT]) -> RequestOptions:
        left = ctx.remaining_time()
        seconds = self._setup.summarizer.settings.deadline_seconds
        deadline = None
        if left is not None:
            left = max(0.0, left)
            deadline = Deadline(min(seconds, left * SHARE_OF_RUN), grace=left * (1 - SHARE_OF_RUN))
        return RequestOptions(usage=ctx.usage, usage_limits=ctx.usage_limits, deadline=deadline)


_stores: 'dict[tuple[int, str | None, float], SourceStore]' = {}
_stores_lock = threading.Lock()


def _shared_store(settings: Settings) -> 'SourceStore':
    """The store of the process for these settings.

    It outlives the toolsets: a program that makes one for each run still knows the handles in its message histories.
    """
    from summarizer_tool.store.source_store import SourceStore

    key = (os.getpid(), settings.kept_in, settings.store_max_mb)
    with _stores_lock:
        if key not in _stores:
            _stores[key] = SourceStore.open(settings)
            atexit.register(_stores[key].close)
        return _stores[key]
