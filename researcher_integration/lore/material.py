"""What the steps of a research hand on: the pages that were crawled, and what was kept of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from summarizer_tool import SummarizerError, encodable, one_line, truncate_tokens

TopicId = Literal['zone_overview', 'npcs', 'factions', 'lore', 'narrative_items']
"""The research steps, and the categories of the extraction: one each."""

TOPIC_IDS: tuple[TopicId, ...] = get_args(TopicId)

TierName = Literal['official', 'primary', 'secondary', 'tertiary']
"""How far a source is trusted, the most trusted first."""

TIER_NAMES: tuple[TierName, ...] = get_args(TierName)


class CrawledPage(BaseModel):
    """One crawled page, by reference: its text is in the store, under its handle."""

    model_config = ConfigDict(frozen=True)

    number: int
    """Counted from 1 in the order in which pages were asked for; what `[3]` means in briefs and prompts."""
    source_id: str
    """The handle: `src_` and 12 hex digits."""
    url: str
    """The one that answered, or the name of a file."""
    title: str
    tokens: int
    """cl100k tokens of its text."""
    tier: TierName
    weight: float
    """From 0 to 1: what the configuration gives sources of this tier."""


MAX_TITLE_TOKENS = 24
"""Of a title in a list of pages: eighty characters may be a few tokens, or two hundred."""


@lru_cache(maxsize=1024)
def titled(title: str) -> str:
    """A page's title on one line, short enough for a list."""
    line = one_line(encodable(title))
    short = truncate_tokens(line[:400], MAX_TITLE_TOKENS).rstrip()
    return (short if short == line else f'{short}…') or 'untitled'


@dataclass(frozen=True, slots=True)
class Material:
    """The input of the extraction: sections and pages of a zone."""

    zone: str
    sections: Mapping[str, str]
    """What the steps have kept, by the headers of their topics, in the order of these."""
    pages: Sequence[CrawledPage]
    raw: Mapping[int, str]
    """The texts of the pages by their numbers, as far as they can be read: what answers are held against."""


class ResearchError(SummarizerError):
    """A research cannot be started or resumed as requested; the message says what to change."""
