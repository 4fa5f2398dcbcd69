"""A job: what is asked for, its calls, as many at once as are allowed, and what comes of each chunk."""

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

import anyio

from summarizer_tool.documents.chunking import Chunk
from summarizer_tool.documents.document import Document
from summarizer_tool.llm import failures
from summarizer_tool.llm.options import Phase, Progress
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.prompts import Focus
from summarizer_tool.schemas import PartState, Stats


@dataclass(frozen=True, slots=True)
class Job:
    """One request, checked and complete."""

    documents: Sequence[Document]
    focus: Focus
    budget: int
    """Tokens that the text may have."""
    tokens_in: int
    said_before: frozenset[str] = frozenset()
    """The facts of the last summary of earlier versions of the documents: what has not changed is said again."""

    def stats(self, model: str, tokens_out: int = 0) -> Stats:
        """The account of it, before a call is made."""
        return Stats(tokens_in=self.tokens_in, tokens_out=tokens_out, budget=self.budget, model=model)


@dataclass(slots=True)
class ChunkOutcome:
    """The result of one chunk."""

    facts: list[GroundedFact] = field(default_factory=list[GroundedFact])
    entities: list[str] = field(default_factory=list[str])
    state: PartState = 'failed'
    reason: str = ''
    is_broken_off: bool = False
    """Whether its answer ended before it was whole, and what there was is kept."""


@dataclass(slots=True)
class ChunkWork:
    """One chunk, from what it is asked for to what comes of it."""

    chunk: Chunk
    share: float
    """Of what is asked for in all, in tokens."""
    asked: int
    """Tokens of facts that its call is asked for."""
    outcome: ChunkOutcome = field(default_factory=ChunkOutcome)
    merged: list[GroundedFact] | None = None
    """The first of several that were merged has here what they say together, the others nothing."""

    @property
    def density(self) -> float:
        """Tokens that it is asked for, for each that it has."""
        return self.share / self.chunk.tokens


T = TypeVar('T')


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One call, and the calls it comes after."""

    make: Callable[[], Awaitable[T]]
    phase: Phase
    what: str
    """What has been done when it is finished, for the progress: `summarized chunk`."""
    rank: tuple[int, ...] = ()
    """Of several that could begin, those of the lowest rank do; of equal ones the first."""
    after: Sequence[int] = ()
    """The indices of the calls that must be finished before."""


async def calls_at_once(
    calls: Sequence[Call[T]], most: int, on_progress: Callable[[Progress], None] | None = None
) -> list[T]:
    """Make all calls, at most so many at the same time, telling of each; returns their results in order."""
    done: dict[int, T] = {}
    order = TopologicalSorter({index: call.after for index, call in enumerate(calls)})
    order.prepare()
    ready = [(calls[index].rank, index) for index in order.get_ready()]
    heapify(ready)
    totals, finished = Counter(call.phase for call in calls), Counter[Phase]()

    async def work() -> None:
        while ready:
            _, index = heappop(ready)
            call = calls[index]
            done[index] = await call.make()
            finished[call.phase] += 1
            if on_progress is not None:
                message = f'{call.what} {finished[call.phase]} of {totals[call.phase]}'
                on_progress(Progress(call.phase, finished[call.phase], totals[call.phase], message))
            order.done(index)
            # Whoever makes the last call that another one needs makes that one, too.
            for following in order.get_ready():
                heappush(ready, (calls[following].rank, following))

    try:
        async with anyio.create_task_group() as group:
            for _ in range(min(most, len(calls))):
                group.start_soon(work)
    except BaseExceptionGroup as errors:
        # A usage limit or a mistake in the setup ends all calls; the caller wants to catch it by its own type.
        raise failures.first_of(errors) from None
    return [done[index] for index in range(len(calls))]


MIN_TARGET_TOKENS = 96
"""The least that a call is asked for: two or three facts."""

STEP = 1.1
"""Sizes that are asked for are powers of it."""

OFF_FOCUS_SHARE = 0.1
"""What a chunk that has nothing to do with the focus weighs against one that is all about it."""

CHUNK_SCALES = (2.0, 1.6, 1.25, 1.0)
"""Chunk sizes that may be chosen, against the least. Few, so that a text that has grown is mostly cut as before."""

FILLED = 0.87
"""The part of the size that a chunk has on average, since it ends where the text offers a place."""

MOST_ASKED = 1000
"""Tokens of facts that one chunk may be asked for so that chunks may be larger: more takes long to write, and a model
says less of it than it is asked for."""

FEW_IDLE = 0.85
"""The part of the places of all rounds of calls that should be taken."""


def in_steps(wanted: float) -> int:
    """A size near the wanted one, equal for nearly equal ones: what a small change elsewhere leaves as it was."""
    return round(STEP ** round(math.log(max(1.0, wanted), STEP)))


def chunk_shares(chunks: Sequence[Chunk], relevance: Sequence[Sequence[float]], room: float) -> list[float]:
    """Each chunk's share of the room, by its size and how much is about the focus; at most its size."""
    weights: list[float] = []
    for chunk in chunks:
        about = [relevance[piece.document][segment - 1] for piece in chunk.pieces for segment in piece.segments]
        weights.append(chunk.tokens * (OFF_FOCUS_SHARE + sum(about) / max(1, len(about))))
    total = max(1e-9, sum(weights))
    return [min(float(each.tokens), room * weight / total) for each, weight in zip(chunks, weights, strict=True)]


def chunk_size(least: int, tokens_in: int, asked: float, at_once: int) -> int:
    """The tokens a chunk may have, the `least` or more: the more, the less is paid for instructions.

    That holds as long as no places for calls `at_once` stay idle; `asked` are tokens of facts in all.
    """

    def taken(size: float) -> float:
        calls = max(1, round(tokens_in / (FILLED * size)))
        return min(FEW_IDLE, calls / (at_once * math.ceil(calls / at_once)))

    sizes = [least * scale for scale in CHUNK_SCALES if scale == 1 or least * scale * asked <= MOST_ASKED * tokens_in]
    return round(max(sizes, key=lambda size: (taken(size), size)))


def ranks(work: Sequence[ChunkWork]) -> list[tuple[int, int]]:
    """The rank of each chunk's call.

    Where time runs out, it does so for what has least to do with the focus; of the rest the longest answers are begun
    first, so that none is still being written when all others are finished.
    """
    most = max((each.density for each in work), default=0.0)
    return [(-round(10 * each.density / most), -each.asked) for each in work]
