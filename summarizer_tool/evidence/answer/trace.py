"""How an answer went beyond what was stored: the pages fetched for it, and why it stopped."""

from dataclasses import dataclass
from typing import Literal

StopReason = Literal[
    'fast mode',
    'enough evidence',
    'plateau',
    'no promising links',
    'expansion budget',
    'depth limit',
    'deadline',
    'nothing fetched',
]


@dataclass(frozen=True, slots=True)
class TracePage:
    """One page that an answer fetched, or tried to."""

    url: str
    depth: int
    """0: named by the caller."""
    parent: int | None = None
    """The index, in the trace, of the page whose link led here."""
    source_id: str = ''
    """Where it is stored; empty if it failed."""
    was_stored: bool = False
    """Whether it was there already, so that nothing was fetched."""
    passages: int = 0
    """Added to the index."""
    score_before: float = 0.0
    """Of the evidence, 0 to 1, before the round that fetched it."""
    score_after: float = 0.0
    ms: int = 0
    failure: str = ''
    """Why there is no text of it; empty if there is."""


@dataclass(frozen=True, slots=True)
class Trace:
    """All that an answer fetched, in order: a parent before its children."""

    pages: tuple[TracePage, ...] = ()
    rounds: int = 0
    """Of following links; 0 in the fast mode."""
    stop_reason: StopReason = 'fast mode'
