"""What all parts of a research share: the checkpoint, the pages, what has been spent, and who may spend how much."""

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import anyio
from pydantic_ai.models import Model
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.checkpoint import Checkpoint
from researcher_integration.lore.configuration import Limits, ResearchSettings, ResearchTopics, SourceTiers, Topic
from researcher_integration.lore.crawl.researcher import Way
from researcher_integration.lore.extraction.windowed_query import room
from researcher_integration.lore.material import CrawledPage, TopicId
from researcher_integration.usage import share_of
from summarizer_tool import Service, in_io_thread

if TYPE_CHECKING:
    from researcher_integration.lore.summaries.over_mcp import SummaryBackend

TITLE_WEIGHT = 20.0
"""What a keyword in a title counts, in keywords of the text per 1,000 words."""

AGENTS = 0.4
SUMMARIES = 0.4
EXTRACTION = 0.2
"""Of the limits of a zone: what each phase may spend. What one leaves is there for those after it, so that an agent
that goes round in circles costs its own share, and not that of the summaries."""

_WORD = re.compile(r'\w+')

Stage = Literal['plan', 'resume', 'crawl', 'step', 'summarize', 'extract', 'cross-reference', 'package']


@dataclass(frozen=True, slots=True)
class ResearchProgress:
    """How far a research has come."""

    stage: Stage
    message: str
    """For a person."""
    done: int = 0
    total: int = 0


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
    embedded: 'SummaryBackend'
    """Stands in where that one fails."""
    model: Model | None
    """Of the agents; without one there are none."""
    tell: Callable[[ResearchProgress], None]
    on_checkpoint: Callable[[Checkpoint], None]
    """Told of each checkpoint that was written."""

    def __post_init__(self) -> None:
        self.request = self.checkpoint.request
        self.topics: Sequence[Topic] = self.configuration.research.topics
        self.limits: Limits = self.configuration.research.limits
        self.usage = copy(self.checkpoint.spent)
        """Of all model calls, those before an interruption included; limits are held against it."""
        self._saving = anyio.Lock()
        self._begun = time.monotonic() - self.checkpoint.seconds

    def pages(self) -> list[CrawledPage]:
        """Each page once, in the order of their numbers."""
        pages = {page.source_id: page for page in self.checkpoint.pages.values()}
        return sorted(pages.values(), key=lambda page: page.number)

    def room(self) -> int:
        """Tokens that all sections may have together for each extraction to fit the window."""
        return room(self.request.zone, self.pages(), self.request.window_tokens)

    async def text(self, handle: str) -> str:
        """The text of a page."""
        return (await in_io_thread(self.service.collection.document, handle)).text

    async def save(self) -> None:
        """Write the checkpoint."""
        async with self._saving:
            self.checkpoint.seconds = round(time.monotonic() - self._begun, 2)
            self.checkpoint.spent = copy(self.usage)
            written = self.checkpoint.model_copy(deep=True)  # extractions that run at once change it meanwhile
            await in_io_thread(written.save, self.folder)
        self.on_checkpoint(written)


def assign(
    zone: str, pages: Sequence[CrawledPage], texts: Mapping[str, str], topics: Sequence[Topic]
) -> dict[str, TopicId]:
    """Assign each page, by its handle, to the topic whose agent reads it first, and where it goes if it stays as it is.

    A topic whose keywords are everywhere counts for no more than one whose keywords are rare: what counts is how far a
    page is above the average of all. Where pages say nothing of any topic, they are spread evenly over the tokens.
    The page that is called as the zone is about the zone.
    """
    densities = [{topic.id: _density(topic, page, texts[page.source_id]) for topic in topics} for page in pages]
    sums: dict[TopicId, float] = {topic.id: sum(density[topic.id] for density in densities) for topic in topics}
    # One more page, average in everything: a few pages say little of what is rare.
    average = sum(sums.values()) / max(1, len(sums) * len(pages))
    assigned: dict[str, TopicId] = {}
    load = Counter[TopicId]()
    for page, density in zip(pages, densities, strict=True):
        scores: dict[TopicId, float] = {
            topic: density[topic] / (sums[topic] + average) if sums[topic] else 0.0 for topic in sums
        }
        # Of topics that are about equal, the one that has least yet.
        near: list[TopicId] = [topic for topic, score in scores.items() if score >= 0.9 * max(scores.values())]
        chosen: TopicId = min(near, key=lambda topic: load[topic])
        if _WORD.findall(page.title.casefold()) == _WORD.findall(zone.casefold()):
            chosen = 'zone_overview'
        load[chosen] += page.tokens
        assigned[page.source_id] = chosen
    return assigned


def _density(topic: Topic, page: CrawledPage, text: str) -> float:
    words = [word.casefold() for word in _WORD.findall(text)]
    keywords = {keyword.casefold() for keyword in topic.keywords}
    hits = sum(word in keywords or word.removesuffix('s') in keywords for word in words)
    title = {word.casefold() for word in _WORD.findall(page.title)}
    named = sum(keyword in title or f'{keyword}s' in title for keyword in keywords)
    return 1000 * hits / max(200, len(words)) + TITLE_WEIGHT * named


def step_budget(topic: Topic, topics: Sequence[Topic], room: int) -> int:
    """The share of a step in the tokens that all sections may have; what it does not need is there for the others."""
    return int(room * topic.share / sum(each.share for each in topics))


def limits_left(limits: Limits, used: RunUsage, share: float = 1.0) -> UsageLimits:
    """The usage limits for a share of what is left of the zone's limits."""
    of_zone = UsageLimits(
        request_limit=limits.requests,
        input_tokens_limit=limits.input_tokens,
        output_tokens_limit=limits.output_tokens,
        cost_limit=limits.cost,
    )
    return share_of(of_zone, share, used, least=0)


AGENTS_BY_WAY: Mapping[Way, float] = {'in-pipeline': AGENTS, 'at-source': AGENTS + SUMMARIES / 2}
"""What the agents may spend: those that have pages summarized by tool get half of the summaries' part for that."""


def gathering_limits(
    limits: Limits, used: RunUsage, topic: Topic, topics: Sequence[Topic], way: Way = 'in-pipeline'
) -> UsageLimits:
    """The usage limits of a step's agent: its share of what the agents of this step and the later ones may spend."""
    later = sum(each.share for each in topics[topics.index(topic) :])
    reserved = sum(each.share for each in topics) * (1 / AGENTS_BY_WAY[way] - 1)
    return limits_left(limits, used, topic.share / (later + reserved))


def summary_limits(limits: Limits, used: RunUsage) -> UsageLimits:
    """The usage limits of the summaries: all that is left but the share of the extraction."""
    return limits_left(limits, used, SUMMARIES / (SUMMARIES + EXTRACTION))


def told(limits: Limits, way: Way = 'in-pipeline') -> str:
    """What each phase may spend, for a person."""
    agents = AGENTS_BY_WAY[way]
    phases = {'agents': agents, 'summaries': 1 - EXTRACTION - agents, 'extraction': EXTRACTION}
    return 'calls at most: ' + ', '.join(f'{name} {round(limits.requests * share)}' for name, share in phases.items())
