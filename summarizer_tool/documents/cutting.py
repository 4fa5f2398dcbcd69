"""Chunks as they travel between processes: places only, no text."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from summarizer_tool.documents.chunking import Chunk, ChunkPiece, chunk
from summarizer_tool.documents.document import Document
from summarizer_tool.documents.repeats import Repeat, find

Place = tuple[int, int, int, tuple[str, ...], str]
"""Index of a document, and the members of a `ChunkPiece` after its document."""


@dataclass(frozen=True, slots=True)
class ChunkCuts:
    """Where the chunks of some documents are."""

    chunks: list[tuple[int, list[Place]]] = field(default_factory=list[tuple[int, list[Place]]])
    """Tokens and pieces of each."""
    segment_starts: list['array[int]'] = field(default_factory=list['array[int]'])
    """The offsets of the segments of each document."""
    repeats: list[list[Repeat]] = field(default_factory=list[list[Repeat]])
    """Of each document: what an earlier one holds; it is in no chunk."""
    repeated_tokens: int = 0
    """The size of all repeats, in tokens."""


def cut(documents: Sequence[Document], size: int, overlap: int, strategy: str) -> ChunkCuts:
    """Cut documents into chunks, as `chunking.chunk` does, without what repeats over them."""
    index_of = {id(document): index for index, document in enumerate(documents)}
    repeats = find(documents)
    left = [document for document, found in zip(documents, repeats, strict=True) if not found]
    chunks = chunk(left, size=size, overlap=overlap, strategy=strategy)
    return ChunkCuts(
        chunks=[(each.tokens, [_place(piece, index_of) for piece in each.pieces]) for each in chunks],
        segment_starts=[array('Q', document.segment_starts) for document in documents],
        repeats=repeats,
        repeated_tokens=sum(document.tokens for document, found in zip(documents, repeats, strict=True) if found),
    )


def _place(piece: ChunkPiece, index_of: dict[int, int]) -> Place:
    index = index_of[id(piece.document)]
    return index, piece.start, piece.end, piece.heading_path, piece.header


def chunks_of(cut: ChunkCuts, documents: Sequence[Document]) -> list[Chunk]:
    """The chunks that `cut` has found in these documents."""
    for document, starts in zip(documents, cut.segment_starts, strict=True):
        document.remember(segment_starts=starts)
    return [
        Chunk(tuple(ChunkPiece(documents[place[0]], *place[1:]) for place in places), index, tokens)
        for index, (tokens, places) in enumerate(cut.chunks)
    ]
