"""Summaries by the MCP server of the summarizer, the same as in process for equal settings."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import BaseModel, Field, SecretStr, ValidationError
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.usage import RunUsage

from researcher_integration.lore.summaries.backends import AGENT_TOOLS, InProcess, SourceSummary, source_summary
from researcher_integration.lore.summaries.summarizer_server import SummarizerServer
from summarizer_tool import Collection, Progress, RequestOptions, Stats, SummaryTopic

if TYPE_CHECKING:
    from fastmcp.client.progress import ProgressHandler

DEFAULT_TIMEOUT = 120.0
"""Seconds. A server answers within its `MCP_TOOL_TIMEOUT`, 110 by default, degraded if need be."""


class OverMCP:
    """Summaries by an MCP server, to which each call connects.

    Sources are sent when the server lacks them, so it may be started anew, or evict some, at any time. A server that
    is down, or comes back, shows call by call.
    """

    name = 'MCP server'

    def __init__(
        self, url: str, local: Collection, *, token: SecretStr | None = None, timeout: float = DEFAULT_TIMEOUT
    ) -> None:
        """Prepare the connection.

        Args:
            url: Of the MCP endpoint, e.g. `http://127.0.0.1:8007/mcp`.
            local: The sources of this process.
            token: The bearer token, where the server asks for one.
            timeout: Seconds for one request.

        Raises:
            ConfigurationError: If the URL is not one of HTTP, or the token cannot stand in a header.
        """
        self._server = SummarizerServer(url, local, token=token, timeout=timeout)

    async def condense(
        self,
        source_ids: Sequence[str],
        topics: Sequence[SummaryTopic],
        max_output_tokens: int,
        options: RequestOptions,
    ) -> SourceSummary:
        """Compress sources for several topics, as `InProcess` does.

        Limits are checked before the server is asked, and usage is counted after it has answered: one call may go over
        a limit by what it needs itself.
        """
        usage = RunUsage() if options.usage is None else options.usage
        if options.usage_limits is not None:
            options.usage_limits.check_before_request(usage)
        arguments = {
            'content': '',
            'source_ids': [*source_ids],
            'schema_hint': '',
            'topics': [topic.model_dump(mode='json') for topic in topics],
            'max_output_tokens': max_output_tokens,
            'names_handles': False,
        }
        notify = None if options.on_progress is None else _telling(options.on_progress)
        answer = await self._server.ask('summarize_for_extraction', arguments, notify=notify)
        if answer.is_error:
            raise self._server.refusal(answer, source_ids)
        try:
            said = _ServerReply.model_validate(answer.meta)
        except ValidationError:
            raise self._server.protocol_error() from None
        usage.incr(said.stats.usage)
        texts = {topic.name: topic.text for topic in said.topics}
        return source_summary(texts, said.state, said.stats, said.warnings, said.degraded_parts)

    def toolset(self) -> AbstractToolset[Any]:
        """The tools of the server without `add_source`, on the same connection."""
        return self._server.filtered(lambda _, tool: tool.name in AGENT_TOOLS)


SummaryBackend: TypeAlias = InProcess | OverMCP
"""A summarizer of stored sources, by their handles."""


class _TopicText(BaseModel):
    name: str
    text: str


class _ServerReply(BaseModel):
    """The metadata of a summary from the server."""

    state: Annotated[str, Field(alias='summarizer/state')]
    stats: Annotated[Stats, Field(alias='summarizer/stats')]
    warnings: Annotated[list[str], Field(alias='summarizer/warnings')]
    degraded_parts: Annotated[int, Field(alias='summarizer/degraded_parts')]
    topics: Annotated[list[_TopicText], Field(alias='summarizer/topics', default_factory=list[_TopicText])]


def _telling(on_progress: Callable[[Progress], None]) -> 'ProgressHandler':
    """Translate the server's progress notifications into `Progress`."""

    async def notify(progress: float, total: float | None, message: str | None) -> None:
        said = message or ''
        phase = 'reduce' if ': merged' in said else 'repair' if said.startswith('asked again') else 'map'
        on_progress(Progress(phase, int(progress), int(total or 0), said))

    return notify
