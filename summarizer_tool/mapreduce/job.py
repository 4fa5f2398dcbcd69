"""The engine's input, and its result for each chunk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from summarizer_tool.documents.document import Document
from summarizer_tool.mapreduce.merging import GroundedFact, Place
from summarizer_tool.prompts import Focus
from summarizer_tool.schemas import PartState, Stats


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

    def stats(self, model: str, tokens_out: int = 0) -> Stats:
        """The account of it, before a call is made."""
        strategy, budget = self.strategy, self.budget
        return Stats(tokens_in=self.tokens_in, tokens_out=tokens_out, budget=budget, model=model, strategy=strategy)


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
