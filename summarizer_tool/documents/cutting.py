"""Counts and chunks as they travel between processes: places only, no text."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from summarizer_tool.documents.chunking import Chunk, ChunkPiece, chunk, measure
from summarizer_tool.documents.document import Document
from summarizer_tool.documents.repeats import find
from summarizer_tool.documents.token_index import TokenIndex

Place = tuple[int, int, int, tuple[str, ...], str]
"""Index of a document, and the members of a `ChunkPiece` after its document."""


@dataclass(frozen=True, slots=True)
class ChunkCuts:
    """Where the chunks of some documents are."""

    chunks: list[tuple[int, list[Place]]] = field(default_factory=list[tuple[int, list[Place]]])
    """Tokens and pieces of each."""
    repeats: dict[int, int] = field(default_factory=dict[int, int])
    """The documents that are an earlier one's equal, and in no chunk, as `find` gives them."""
    repeated_tokens: int = 0
    """The size of these, in tokens."""


def measures(documents: Sequence[Document], size: int) -> list[tuple[int, 'array[int]', TokenIndex]]:
    """What documents have to remember of what `chunking.measure` finds, without their text."""
    return [
        (document.tokens, array('Q', document.segment_starts), replace(index, text=''))
        for document, index in zip(documents, measure(documents, size), strict=True)
    ]


def cut(documents: Sequence[Document], size: int, overlap: int, strategy: str) -> ChunkCuts:
    """Cut documents into chunks, as `chunking.chunk` does, without those that repeat an earlier one."""
    index_of = {id(document): index for index, document in enumerate(documents)}
    repeats = find(documents)
    left = [document for index, document in enumerate(documents) if index not in repeats]
    chunks = chunk(left, size=size, overlap=overlap, strategy=strategy)
    return ChunkCuts(
        chunks=[(each.tokens, [_place(piece, index_of) for piece in each.pieces]) for each in chunks],
        repeats=repeats,
        repeated_tokens=sum(documents[index].tokens for index in repeats),
    )


def _place(piece: ChunkPiece, index_of: dict[int, int]) -> Place:
    index = index_of[id(piece.document)]
    return index, piece.start, piece.end, piece.heading_path, piece.header


def chunks_of(cut: ChunkCuts, documents: Sequence[Document]) -> list[Chunk]:
    """The chunks that `cut` has found in these documents."""
    return [
        Chunk(tuple(ChunkPiece(documents[place[0]], *place[1:]) for place in places), index, tokens)
        for index, (tokens, places) in enumerate(cut.chunks)
    ]
