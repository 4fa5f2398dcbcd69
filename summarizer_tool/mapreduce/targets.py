"""How many tokens each call is asked for. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from summarizer_tool.documents.chunking import Chunk

MIN_TARGET_TOKENS = 96
"""The least that a call is asked for: two or three facts."""

STEP = 1.1
"""Sizes that are asked for are powers of it."""

OFF_FOCUS_SHARE = 0.1
"""What a chunk that has nothing to do with the focus weighs against one that is all about it."""


@dataclass(frozen=True, slots=True)
class ChunkTarget:
    """Makes a target that may be asked for of one that is wanted."""

    most: int
    """Tokens."""

    def __call__(self, wanted: float) -> int:
        """The target."""
        return max(MIN_TARGET_TOKENS, min(in_steps(wanted), self.most))


def in_steps(wanted: float) -> int:
    """A size near the wanted one, equal for nearly equal ones: what a small change elsewhere leaves as it was."""
    return round(STEP ** round(math.log(max(1.0, wanted), STEP)))


def chunk_shares(
    chunks: Sequence[Chunk], index_of: Mapping[int, int], relevance: Sequence[Sequence[float]], room: float
) -> dict[int, float]:
    """Each chunk's share of the room, by its size and how much is about the focus; at most its size. By its `id`."""
    weights: dict[int, float] = {}
    for chunk in chunks:
        about = [
            relevance[index_of[id(piece.document)]][segment - 1]
            for piece in chunk.pieces
            for first, last in piece.segment_runs
            for segment in range(first, last + 1)
        ]
        weights[id(chunk)] = chunk.tokens * (OFF_FOCUS_SHARE + sum(about) / max(1, len(about)))
    shares: dict[int, float] = {}
    left = sum(weights.values())
    # The chunks that are full first; what they leave is for the others.
    for chunk in sorted(chunks, key=lambda chunk: chunk.tokens / max(1e-9, weights[id(chunk)])):
        weight = weights[id(chunk)]
        shares[id(chunk)] = min(float(chunk.tokens), room * weight / max(1e-9, left))
        room, left = room - shares[id(chunk)], left - weight
    return shares
