"""What the engine works on and what it keeps count of."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from summarizer_tool.documents import Document
from summarizer_tool.grounding import Grounding
from summarizer_tool.merging import Found
from summarizer_tool.prompts import Wish
from summarizer_tool.schemas import ChunkSummary, DroppedFacts, PartState

Phase = Literal['map', 'reduce']


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a request has come: one of these after each finished call."""

    phase: Phase
    done: int
    total: int
    message: str


@dataclass(frozen=True, slots=True)
class Job:
    """One request, checked and complete."""

    documents: Sequence[Document]
    wish: Wish
    budget: int
    """Tokens that the text may have."""
    strategy: str
    tokens_in: int


@dataclass(slots=True)
class Outcome:
    """What became of one chunk."""

    facts: list[Found] = field(default_factory=list[Found])
    entities: list[str] = field(default_factory=list[str])
    state: PartState = 'failed'
    reason: str = ''
    is_failure: bool = False
    """Whether the model's call failed for good, rather than lacking time or answering with too little."""


@dataclass(slots=True)
class Tally:
    """What is counted on the way, for the statistics."""

    calls: dict[Phase, int] = field(default_factory=lambda: {'map': 0, 'reduce': 0})
    levels: int = 0
    facts_in: int = 0
    repaired: int = 0
    dropped: DroppedFacts = field(default_factory=DroppedFacts)
    warnings: list[str] = field(default_factory=list[str])

    def checked(self, answer: ChunkSummary, grounded: Grounding) -> None:
        """Count the facts of a chunk that grounding has looked at."""
        self.facts_in += len(answer.facts)
        self.merged(grounded)

    def merged(self, grounded: Grounding) -> None:
        """Count what grounding has done to the facts of a merge, which are none of the sources' own."""
        self.repaired += grounded.repaired
        self.dropped.unsupported += grounded.unsupported
