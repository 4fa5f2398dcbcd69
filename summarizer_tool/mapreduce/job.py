"""The engine's input, its result for each chunk, and its counters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from summarizer_tool.documents.document import Document
from summarizer_tool.llm.options import Phase
from summarizer_tool.mapreduce.grounding import Grounding
from summarizer_tool.mapreduce.merging import GroundedFact, Place
from summarizer_tool.prompts import Focus
from summarizer_tool.schemas import DroppedFacts, PartState


@dataclass(frozen=True)
class Job:
    """One request, checked and complete."""

    documents: Sequence[Document]
    focus: Focus
    budget: int
    """Tokens that the text may have."""
    strategy: str
    tokens_in: int
    said_before: frozenset[str] = frozenset()
    """The facts of the last summary of earlier versions of the documents: what has not changed is said again."""

    @cached_property
    def index_of(self) -> Mapping[int, int]:
        """The index of each document, by its `id()`."""
        return {id(document): index for index, document in enumerate(self.documents)}


@dataclass(slots=True)
class ChunkOutcome:
    """The result of one chunk."""

    facts: list[GroundedFact] = field(default_factory=list[GroundedFact])
    entities: list[str] = field(default_factory=list[str])
    state: PartState = 'failed'
    reason: str = ''
    reached: Place | None = None
    """The last segment of which the model has said something, if its answer was broken off."""
    is_failure: bool = False
    """Whether the model's call failed for good, rather than lacking time or answering with too little."""


@dataclass(slots=True)
class RunStats:
    """Counters for the statistics of a summary."""

    calls: dict[Phase, int] = field(default_factory=lambda: {'map': 0, 'reduce': 0, 'repair': 0})
    recovered: int = 0
    levels: int = 0
    cut_short: bool = False
    facts_in: int = 0
    repaired: int = 0
    dropped: DroppedFacts = field(default_factory=DroppedFacts)
    warnings: list[str] = field(default_factory=list[str])

    def mark_cut_short(self, reason: str) -> None:
        """Say that what follows the map was cut short."""
        self.cut_short = True
        warning = f'not all was merged or filled ({reason}); facts were chosen without a model'
        if warning not in self.warnings:
            self.warnings.append(warning)

    def checked(self, facts: int, grounded: Grounding) -> None:
        """Count the facts of a chunk that grounding has looked at."""
        self.facts_in += facts
        self.merged(grounded)

    def merged(self, grounded: Grounding) -> None:
        """Count what grounding has done to the facts of a merge, which are none of the sources' own."""
        self.repaired += grounded.repaired
        self.dropped.unsupported += grounded.unsupported
