"""What the engine works on and what it keeps count of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage, UsageLimits

from summarizer_tool.documents.document import Document
from summarizer_tool.mapreduce.answer_cache import Cache
from summarizer_tool.mapreduce.grounding import Grounding
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.prompts import Focus
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.schemas import DroppedFacts, PartState
from summarizer_tool.settings import OnFailure, OutputMode

Phase = Literal['map', 'reduce', 'fetch', 'index', 'analyse', 'search', 'expand', 'assemble']


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a request has come: one of these after each finished call."""

    phase: Phase
    done: int
    total: int
    message: str


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """What a caller brings along; all of it optional."""

    on_progress: Callable[[Progress], None] | None = None
    """Called on the event loop after each finished model call."""
    usage: RunUsage | None = None
    """Model usage is added to it, e.g. the calling agent's."""
    usage_limits: UsageLimits | None = None
    """Checked before each model request."""
    deadline: Deadline | None = None
    """Instead of one in `SUMMARIZER_DEADLINE_SECONDS`."""
    model: Model | None = None
    """Does the work instead of the configured one."""
    output_mode: OutputMode | None = None
    """How structured output is asked of it; by default as configured."""
    on_failure: OnFailure | None = None
    """What happens when every call of it fails for good; by default as configured."""
    cache: Cache | None = None
    """Where finished work is looked for and kept."""
    cache_scope: str = ''
    """What else a kept answer depends on, such as whose model has given it."""
    reserve: Callable[[int], int] | None = None
    """Tokens of a budget that the caller needs for itself, unless the text comes back unchanged."""
    on_fact: Callable[[str], None] | None = None
    """Called on the event loop with each fact of a chunk as the model writes it, before it is checked; answers are
    then streamed. The embedded model's facts come all at once, finished work's not at all."""


@dataclass(frozen=True, slots=True)
class Job:
    """One request, checked and complete."""

    documents: Sequence[Document]
    wish: Focus
    budget: int
    """Tokens that the text may have."""
    strategy: str
    tokens_in: int


@dataclass(slots=True)
class ChunkOutcome:
    """What became of one chunk."""

    facts: list[GroundedFact] = field(default_factory=list[GroundedFact])
    entities: list[str] = field(default_factory=list[str])
    state: PartState = 'failed'
    reason: str = ''
    is_failure: bool = False
    """Whether the model's call failed for good, rather than lacking time or answering with too little."""


@dataclass(slots=True)
class RunStats:
    """What is counted on the way, for the statistics."""

    calls: dict[Phase, int] = field(default_factory=lambda: {'map': 0, 'reduce': 0})
    levels: int = 0
    cut_short: bool = False
    facts_in: int = 0
    repaired: int = 0
    dropped: DroppedFacts = field(default_factory=DroppedFacts)
    warnings: list[str] = field(default_factory=list[str])

    def checked(self, facts: int, grounded: Grounding) -> None:
        """Count the facts of a chunk that grounding has looked at."""
        self.facts_in += facts
        self.merged(grounded)

    def merged(self, grounded: Grounding) -> None:
        """Count what grounding has done to the facts of a merge, which are none of the sources' own."""
        self.repaired += grounded.repaired
        self.dropped.unsupported += grounded.unsupported
