"""What all parts of a research share: the checkpoint and how it is saved, the pages, what has been spent."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import anyio
import anyio.to_thread
from pydantic_ai.models import Model
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.checkpoint import Checkpoint
from researcher_integration.lore.material import CrawledPage, TopicId
from researcher_integration.lore.settings import ResearchSettings
from researcher_integration.lore.steps import planning
from researcher_integration.lore.tiers import SourceTiers
from researcher_integration.lore.topics import Limits, ResearchTopics, Topic
from researcher_integration.usage import Spent
from summarizer_tool import Service

if TYPE_CHECKING:
    from researcher_integration.lore.summaries.over_mcp import SummaryBackend

Stage = Literal['plan', 'resume', 'crawl', 'step', 'summarize', 'extract', 'cross-reference', 'package']


@dataclass(frozen=True, slots=True)
class ResearchProgress:
    """How far a research has come."""

    stage: Stage
    message: str
    """For a person."""
    done: int = 0
    total: int = 0
    topic: TopicId | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """The configuration files of a research, read."""

    research: ResearchTopics
    tiers: SourceTiers
    search: Sequence[AbstractToolset[Any]] = ()


@dataclass(eq=False)
class ResearchRun:
    """The shared state of one running research."""

    checkpoint: Checkpoint
    folder: Path
    """Where the checkpoint is saved."""
    configuration: Configuration
    settings: ResearchSettings
    service: Service
    backend: 'SummaryBackend'
    model: Model | None
    """Of the agents; without one there are none."""
    tell: Callable[[ResearchProgress], None]
    on_checkpoint: Callable[[Checkpoint], None]
    """Told of each checkpoint that was written."""
    usage: RunUsage = field(default_factory=RunUsage, init=False)
    """Of all model calls, those before an interruption included; limits are held against it."""

    def __post_init__(self) -> None:
        self.request = self.checkpoint.request
        self.topics: Sequence[Topic] = self.configuration.research.topics
        # What was under way when it was interrupted is begun again, and has been paid for all the same.
        self.checkpoint.superseded += self.checkpoint.under_way
        self.checkpoint.under_way = Spent()
        for spent in self.checkpoint.all_spent():
            self.usage.incr(spent.usage())
        self._saving = anyio.Lock()
        self._begun = time.monotonic() - self.checkpoint.seconds

    def pages(self) -> list[CrawledPage]:
        """Each page once, in the order of their numbers."""
        pages = {page.source_id: page for page in self.checkpoint.pages.values()}
        return sorted(pages.values(), key=lambda page: page.number)

    async def text(self, handle: str) -> str:
        """The text of a page."""
        document = await anyio.to_thread.run_sync(self.service.collection.document, handle)
        return document.text

    async def save(self) -> None:
        """Write the checkpoint."""
        async with self._saving:
            self.checkpoint.seconds = round(time.monotonic() - self._begun, 2)
            finished = sum(self.checkpoint.all_spent(), Spent())
            self.checkpoint.under_way = Spent.of(self.usage) - finished
            written = self.checkpoint.model_copy(deep=True)  # extractions that run at once change it meanwhile
            await anyio.to_thread.run_sync(written.save, self.folder)
        self.on_checkpoint(written)

    @property
    def limits_of_zone(self) -> Limits:
        """The limits of all calls together."""
        return self.configuration.research.limits

    def limits(self) -> UsageLimits:
        """The usage limits of the last phase: all that is left."""
        return planning.step_limits(self.limits_of_zone, self.usage, 1.0, 1.0)
