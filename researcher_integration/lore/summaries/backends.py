"""Who summarizes for a research: this process, or an MCP server, with the same result.

In process nothing else has to run, and the model's usage is counted call by call. A server is worth it where several
programs or machines should share sources, finished work and one limit of concurrent calls, or where only one place may
hold the model's key.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from pydantic_ai.models import Model
from pydantic_ai.toolsets import AbstractToolset

from researcher_integration.lore.summaries.source_summary import AGENT_TOOLS, SourceSummary, SummaryUnavailableError
from summarizer_tool import (
    ConfigurationError,
    ExtractionRequest,
    RequestOptions,
    Service,
    Settings,
    SourceStore,
    Summarizer,
    SummarizerError,
    SummarizerToolset,
    SummaryTopic,
    UnknownSourceError,
)

__all__ = ('InProcess', 'SourceSummary', 'SummaryBackend', 'SummaryUnavailableError')


class SummaryBackend(Protocol):
    """A summarizer of stored sources, by their handles."""

    @property
    def name(self) -> str:
        """The name shown to people: `in process` or `MCP server`."""
        ...

    async def condense(
        self,
        source_ids: Sequence[str],
        schema_hint: str,
        max_output_tokens: int,
        options: RequestOptions | None = None,
    ) -> SourceSummary:
        """Compress sources for a typed extraction.

        Args:
            source_ids: Their handles, in the order in which they should be read.
            schema_hint: What will be extracted.
            max_output_tokens: The budget in cl100k tokens; 0 means the default, at most a fifth of the sources.
            options: Progress, usage, and limits on it, which are checked before the model is asked.

        Raises:
            SummaryUnavailableError: If there is no summary; says why in one line, without content.
            ConfigurationError: If a setting is wrong.
            UsageLimitExceeded: If a limit is reached.
        """
        ...

    async def condense_topics(
        self,
        source_ids: Sequence[str],
        topics: Sequence[SummaryTopic],
        max_output_tokens: int,
        options: RequestOptions | None = None,
    ) -> SourceSummary:
        """Compress sources for several topics, each of which gets a text of its own from one reading of all sources.

        Args:
            source_ids: Their handles.
            topics: With what belongs to each.
            max_output_tokens: The budget of all texts together in cl100k tokens.
            options: As for `condense`, which says what is raised, too.
        """
        ...

    async def upload(self, source_id: str) -> None:
        """Send a source to the summarizer ahead of time; a failure is logged and made up for later."""
        ...

    def toolset(self) -> AbstractToolset[Any]:
        """The toolset with which an agent summarizes and reads sources by handle.

        It brings no instructions: when to call the tools is for the agent's own prompt to say.
        """
        ...


class InProcess:
    """Summaries in this process, by the model that the settings name."""

    name = 'in process'

    def __init__(self, settings: Settings, store: SourceStore, model: Model | None = None) -> None:
        """Check the settings and the model now.

        Args:
            settings: Of the summarizer.
            store: Where the sources are, and finished work is kept; closed by the caller.
            model: Instead of the one that the settings name.

        Raises:
            ConfigurationError: If a setting is wrong, or a key or package that the model needs is missing.
        """
        self.service = Service(Summarizer(settings, model=model), store.collection())
        self._toolset = SummarizerToolset[Any](settings=settings, model=model, store=store, include_instructions=False)

    async def condense(
        self,
        source_ids: Sequence[str],
        schema_hint: str,
        max_output_tokens: int,
        options: RequestOptions | None = None,
    ) -> SourceSummary:
        """Compress sources for a typed extraction, as `SummaryBackend` says."""
        asked = ExtractionRequest(schema_hint=schema_hint, source_ids=source_ids, max_output_tokens=max_output_tokens)
        return await self._summarize(asked, source_ids, options)

    async def condense_topics(
        self,
        source_ids: Sequence[str],
        topics: Sequence[SummaryTopic],
        max_output_tokens: int,
        options: RequestOptions | None = None,
    ) -> SourceSummary:
        """Compress sources for several topics, as `SummaryBackend` says."""
        asked = ExtractionRequest(
            schema_hint='',
            topics=tuple(topics),
            source_ids=source_ids,
            max_output_tokens=max_output_tokens,
            names_handles=False,
        )
        return await self._summarize(asked, source_ids, options)

    async def _summarize(
        self, request: ExtractionRequest, source_ids: Sequence[str], options: RequestOptions | None
    ) -> SourceSummary:
        try:
            answer = await self.service.summarize(request, options or RequestOptions())
        except ConfigurationError:
            raise
        except UnknownSourceError:  # it would name other sources by their titles
            listed = source_ids[0] if len(source_ids) == 1 else f'one of {", ".join(source_ids)}'
            raise SummaryUnavailableError(f'the store lacks a source, or has evicted it: {listed}') from None
        except SummarizerError as error:
            raise SummaryUnavailableError(str(error)) from error
        summary = answer.summary
        texts = {topic.name: topic.text for topic in summary.topics}
        return SourceSummary.of(
            answer.text, summary.state, summary.stats, summary.warnings, len(summary.degraded), texts
        )

    async def upload(self, source_id: str) -> None:
        """Do nothing: the store is shared."""

    def toolset(self) -> AbstractToolset[Any]:
        """`SummarizerToolset` without `add_source`: pages come in through the crawler."""
        return self._toolset.filtered(lambda _, tool: tool.name in AGENT_TOOLS)
