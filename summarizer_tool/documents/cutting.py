"""Counts and chunks as they travel between processes, without text; and documents that repeat others."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from summarizer_tool.documents.chunking import Chunk, chunk, fingerprint, measure
from summarizer_tool.documents.document import Document
from summarizer_tool.documents.token_index import TokenIndex
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.structure import LONGEST_TITLE

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
    """The chunks of some documents."""

    chunks: list[Chunk] = field(default_factory=list[Chunk])
    repeats: dict[int, int] = field(default_factory=dict[int, int])
    """The documents that are an earlier one's equal, and in no chunk, as `repeats_among` gives them."""
    repeated_tokens: int = 0
    """The size of these, in tokens."""
    starts: frozenset[int] = frozenset()
    """Where chunks begin, by `fingerprint`."""


def measures(documents: Sequence[Document], size: int) -> list[tuple[int, 'array[int]', TokenIndex]]:
    """What documents have to remember of what `chunking.measure` finds, without their text."""
    found = [(document, measure(document, size)) for document in documents]
    return [(each.tokens, array('Q', each.segment_starts), replace(index, text='')) for each, index in found]


def cut(documents: Sequence[Document], size: int, before: frozenset[int] = frozenset()) -> ChunkCuts:
    """Cut documents into chunks, as `chunking.chunk` does, without those that repeat an earlier one."""
    repeats = repeats_among(documents)
    chunks = chunk(documents, size=size, left_out=repeats, before=before)
    first = [each.pieces[0] for each in chunks]
    starts = frozenset(fingerprint(documents[piece.document].text, piece.start) for piece in first)
    return ChunkCuts(chunks, repeats, sum(documents[index].tokens for index in repeats), starts)
