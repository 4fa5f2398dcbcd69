"""Who summarizes for a research: this process, or an MCP server, with the same result.

In process nothing else has to run, and the model's usage is counted call by call. A server is worth it where several
programs or machines should share sources, finished work and one limit of concurrent calls, or where only one place may
hold the model's key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai.models import Model
from pydantic_ai.toolsets import AbstractToolset

from summarizer_tool import (
    ConfigurationError,
    ExtractionRequest,
    RequestOptions,
    Service,
    Settings,
    SourceStore,
    Stats,
    Summarizer,
    SummarizerError,
    SummarizerToolset,
    SummaryTopic,
    UnknownSourceError,
)

AGENT_TOOLS = frozenset({'summarize', 'summarize_for_extraction', 'read_source'})
"""What an agent gets; pages come in through the crawler, so it needs no `add_source`."""


class SummaryUnavailableError(SummarizerError):
    """There is no summary; the caller keeps the raw content and reports that."""


@dataclass(frozen=True, slots=True)
class SourceSummary:
    """Sources, compressed for several topics."""

    topics: Mapping[str, str]
    model: str
    warnings: tuple[str, ...]


def source_summary(
    topics: Mapping[str, str], state: str, stats: Stats, warnings: Sequence[str], degraded_parts: int
) -> SourceSummary:
    """Build it from a request's result; a `SummaryUnavailableError` if every model call has failed."""
    if state == 'original':
        raise SummaryUnavailableError(warnings[0] if warnings else f'every call of {stats.model} failed')
    said = (f'{degraded_parts} parts were summarized by the embedded model instead',) if degraded_parts else ()
    return SourceSummary(topics, stats.model, (*warnings, *said))


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
        self, source_ids: Sequence[str], topics: Sequence[SummaryTopic], max_output_tokens: int, options: RequestOptions
    ) -> SourceSummary:
        """Compress sources for several topics, each of which gets a text of its own from one reading of all sources.

        Args:
            source_ids: Their handles, in the order in which they should be read.
            topics: With what belongs to each.
            max_output_tokens: The budget of all texts together in cl100k tokens.
            options: Progress, usage, and limits on it, which are checked before the model is asked.

        Raises:
            SummaryUnavailableError: If there is no summary; says why in one line, without content.
            ConfigurationError: If a setting is wrong.
            UsageLimitExceeded: If a limit is reached.
        """
        asked = ExtractionRequest(
            schema_hint='',
            topics=tuple(topics),
            source_ids=source_ids,
            max_output_tokens=max_output_tokens,
            names_handles=False,
        )
        try:
            summary = (await self.service.summarize(asked, options)).summary
        except ConfigurationError:
            raise
        except UnknownSourceError:  # it would name other sources by their titles
            listed = source_ids[0] if len(source_ids) == 1 else f'one of {", ".join(source_ids)}'
            raise SummaryUnavailableError(f'the store lacks a source, or has evicted it: {listed}') from None
        except SummarizerError as error:
            raise SummaryUnavailableError(str(error)) from error
        texts = {topic.name: topic.text for topic in summary.topics}
        return source_summary(texts, summary.state, summary.stats, summary.warnings, len(summary.degraded))

    def toolset(self) -> AbstractToolset[Any]:
        """The toolset with which an agent summarizes and reads sources by handle.

        It brings no instructions: when to call the tools is for the agent's own prompt to say.
        """
        return self._toolset.filtered(lambda _, tool: tool.name in AGENT_TOOLS)
