"""Find the chunks that have lost most of what was asked for, to ask about them once more. Pure computing."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from summarizer_tool.documents.chunking import Chunk
from summarizer_tool.mapreduce.audit import Inventory
from summarizer_tool.mapreduce.job import Job
from summarizer_tool.prompts import Focus

ENOUGH = 0.8
"""Share of what is asked for that the facts say where nothing is asked again."""

MAX_CHUNKS = 4
"""Chunks that are asked about again: each costs as much as the first time."""

MAX_MISSING = 40
"""Names in one request."""

TOKENS_EACH = 40
"""Room that a name with what is said of it takes at most."""


@dataclass(slots=True)
class Loss:
    """What the facts of one chunk leave out."""

    chunk: int
    """Its index."""
    missing: list[str] = field(default_factory=list[str])
    """Names, dates and numbers, as they are written; the most relevant first."""
    weight: float = 0.0
    """How many there are, each counted by its relevance."""


def losses(
    inventory: Inventory,
    said: Sequence[bool],
    chunks: Sequence[Chunk],
    relevance: Sequence[Sequence[float]],
    job: Job,
) -> list[Loss]:
    """The chunks that have lost most, the heaviest first; none where enough is said, or nothing is asked for.

    `said` tells which items of the inventory the facts say; `relevance` how much each segment of each document is about
    the focus. Where none is, a schema asks for all.
    """
    if job.focus == Focus():
        return []
    asks_for_all = bool(job.focus.schema_hint or job.focus.topics) and not any(map(any, relevance))
    starts = sorted(
        (job.index_of[id(piece.document)], piece.start, chunk.index) for chunk in chunks for piece in chunk.pieces
    )
    total = kept = 0.0
    lost: list[tuple[float, str, int]] = []
    for item, is_said in zip(inventory.items, said, strict=True):
        weight, index, offset = max(
            (1.0 if asks_for_all else relevance[index][job.documents[index].segment_at(offset) - 1], index, offset)
            for index, offset in item.places
        )
        total += weight
        kept += weight * is_said
        place = bisect_right(starts, (index, offset, len(chunks)))
        if weight and place and not is_said and starts[place - 1][0] == index:
            lost.append((weight, item.text, starts[place - 1][2]))
    if kept >= ENOUGH * total:
        return []
    found: dict[int, Loss] = {}
    for weight, text, chunk in sorted(lost, key=lambda each: -each[0]):
        loss = found.setdefault(chunk, Loss(chunk))
        if len(loss.missing) < MAX_MISSING:
            loss.missing.append(text)
            loss.weight += weight
    return sorted(found.values(), key=lambda loss: -loss.weight)


def targets(chosen: Sequence[Loss], room: float) -> list[int]:
    """The tokens to ask for of each chunk: its share of the room, and no more than its names can fill."""
    total = sum(loss.weight for loss in chosen)
    return [round(min(len(loss.missing) * TOKENS_EACH, room * loss.weight / total)) for loss in chosen]
