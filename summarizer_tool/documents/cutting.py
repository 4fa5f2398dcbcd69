"""Counts and chunks as they travel between processes, places only and no text; and documents that repeat others."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from summarizer_tool.documents.chunking import Chunk, ChunkPiece, chunk, measure
from summarizer_tool.documents.document import Document
from summarizer_tool.documents.token_index import TokenIndex
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.structure import LONGEST_TITLE

Place = tuple[int, int, int, tuple[str, ...], str]
"""Index of a document, and the members of a `ChunkPiece` after its document."""

LEAST_WORDS = 40
"""Words from which a text names its own subject; what is shorter may go on with the document before it."""


def repeats_among(documents: Sequence[Document]) -> dict[int, int]:
    """The documents that are an earlier one's equal: by the index of each that of the earlier one."""
    first: dict[str, int] = {}
    found: dict[int, int] = {}
    for index, document in enumerate(documents):
        kept_in = first.setdefault(document.id, index) if document.text else index
        if kept_in != index and _is_same(documents[kept_in], document):
            found[index] = kept_in
    return found


def _is_same(one: Document, other: Document) -> bool:
    """Return whether two documents are about the same; a short text may be about what its title names."""
    title, again = (one_line(document.title, LONGEST_TITLE).casefold() for document in (one, other))
    is_long = len(other.text.split(None, LEAST_WORDS)) >= LEAST_WORDS
    names_itself = is_long and other.text.lstrip()[:2] in ('# ', '#\t')
    return one.text == other.text and (title == again or names_itself) and (bool(title) or is_long)


@dataclass(frozen=True, slots=True)
class ChunkCuts:
    """Where the chunks of some documents are."""

    chunks: list[tuple[int, list[Place]]] = field(default_factory=list[tuple[int, list[Place]]])
    """Tokens and pieces of each."""
    repeats: dict[int, int] = field(default_factory=dict[int, int])
    """The documents that are an earlier one's equal, and in no chunk, as `repeats_among` gives them."""
    repeated_tokens: int = 0
    """The size of these, in tokens."""


def measures(documents: Sequence[Document], size: int) -> list[tuple[int, 'array[int]', TokenIndex]]:
    """What documents have to remember of what `chunking.measure` finds, without their text."""
    return [
        (document.tokens, array('Q', document.segment_starts), replace(index, text=''))
        for document, index in zip(documents, measure(documents, size), strict=True)
    ]


def cut(documents: Sequence[Document], size: int) -> ChunkCuts:
    """Cut documents into chunks, as `chunking.chunk` does, without those that repeat an earlier one."""
    index_of = {id(document): index for index, document in enumerate(documents)}
    repeats = repeats_among(documents)
    left = [document for index, document in enumerate(documents) if index not in repeats]
    chunks = chunk(left, size=size)
    return ChunkCuts(
        chunks=[
            (
                each.tokens,
                [
                    (index_of[id(piece.document)], piece.start, piece.end, piece.heading_path, piece.header)
                    for piece in each.pieces
                ],
            )
            for each in chunks
        ],
        repeats=repeats,
        repeated_tokens=sum(documents[index].tokens for index in repeats),
    )


def chunks_of(cut: ChunkCuts, documents: Sequence[Document]) -> list[Chunk]:
    """The chunks that `cut` has found in these documents."""
    return [
        Chunk(tuple(ChunkPiece(documents[place[0]], *place[1:]) for place in places), index, tokens)
        for index, (tokens, places) in enumerate(cut.chunks)
    ]
