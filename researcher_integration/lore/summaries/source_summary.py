"""What a summary of stored sources is to a research, and what it means that there is none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Self

from pydantic_ai.usage import RunUsage

from summarizer_tool import Stats, SummarizerError

AGENT_TOOLS = frozenset({'summarize', 'summarize_for_extraction', 'read_source'})
"""What an agent gets; pages come in through the crawler, so it needs no `add_source`."""


class SummaryUnavailableError(SummarizerError):
    """There is no summary; the caller keeps the raw content and reports that."""


@dataclass(frozen=True, slots=True)
class SourceSummary:
    """Sources, compressed for a typed extraction."""

    text: str
    """Within the budget; its last line names the handles, unless it is the sources themselves, which fit."""
    state: str
    """That of `Summary`, save `original`: text over the budget is no summary."""
    tokens_in: int
    """cl100k tokens of the sources."""
    tokens_out: int
    """cl100k tokens of the text."""
    usage: RunUsage
    """Of the model that has made it; nothing where the whole had been kept."""
    seconds: float
    """Of the work, without the way to the server and back."""
    model: str
    warnings: tuple[str, ...]
    degraded_parts: int
    """How many parts of the sources that model did not summarize."""
    topics: Mapping[str, str] = field(default_factory=dict[str, str])
    """The text of each topic by its name, where topics were asked for and the sources did not fit as they are."""

    @classmethod
    def of(
        cls,
        text: str,
        state: str,
        stats: Stats,
        warnings: Sequence[str],
        degraded_parts: int,
        topics: Mapping[str, str] = MappingProxyType({}),
    ) -> Self:
        """Build it from a request's result; a `SummaryUnavailableError` if every model call has failed."""
        if state == 'original':
            raise SummaryUnavailableError(warnings[0] if warnings else f'every call of {stats.model} failed')
        return cls(
            text=text,
            state=state,
            tokens_in=stats.tokens_in,
            tokens_out=stats.tokens_out,
            usage=stats.usage,
            seconds=stats.seconds,
            model=stats.model,
            warnings=tuple(warnings),
            degraded_parts=degraded_parts,
            topics=dict(topics),
        )
