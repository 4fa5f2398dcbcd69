"""How many tokens each call is asked for. Pure."""

import math
from collections.abc import Mapping, Sequence

from summarizer_tool.documents.chunking import Chunk

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


def chunk_shares(
    chunks: Sequence[Chunk], index_of: Mapping[int, int], relevance: Sequence[Sequence[float]], room: float
) -> list[float]:
    """Each chunk's share of the room, by its size and how much is about the focus; at most its size."""
    weights: list[float] = []
    for chunk in chunks:
        about = [
            relevance[index_of[id(piece.document)]][segment - 1] for piece in chunk.pieces for segment in piece.segments
        ]
        weights.append(chunk.tokens * (OFF_FOCUS_SHARE + sum(about) / max(1, len(about))))
    shares = [0.0] * len(chunks)
    left = sum(weights)
    # The chunks that are full first; what they leave is for the others.
    for index in sorted(range(len(chunks)), key=lambda index: chunks[index].tokens / max(1e-9, weights[index])):
        shares[index] = min(float(chunks[index].tokens), room * weights[index] / max(1e-9, left))
        room, left = room - shares[index], left - weights[index]
    return shares


def chunk_size(least: int, tokens_in: int, asked: float, at_once: int) -> int:
    """The tokens a chunk may have, the `least` or more: the more, the less is paid for instructions.

    That holds as long as no places for calls `at_once` stay idle; `asked` are tokens of facts in all.
    """

    def taken(size: float) -> float:
        calls = max(1, round(tokens_in / (FILLED * size)))
        return min(FEW_IDLE, calls / (at_once * math.ceil(calls / at_once)))

    sizes = [least * scale for scale in CHUNK_SCALES if scale == 1 or least * scale * asked <= MOST_ASKED * tokens_in]
    return round(max(sizes, key=lambda size: (taken(size), size)))


def turns(chunks: Sequence[Chunk], targets: Sequence[float], asked: Sequence[int]) -> list[int]:
    """When each chunk's turn is, by its share of the room (`targets`) and the tokens that it is asked for.

    Where time runs out, it does so for what has least to do with the focus; of the rest the longest answers are begun
    first, so that none is still being written when all others are finished.
    """
    shares = [target / chunk.tokens for target, chunk in zip(targets, chunks, strict=True)]
    order = sorted(range(len(chunks)), key=lambda index: (-round(10 * shares[index] / max(shares)), -asked[index]))
    return [place for _, place in sorted(zip(order, range(len(chunks)), strict=True))]
