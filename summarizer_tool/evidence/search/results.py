"""What a search asks and what it finds."""

from dataclasses import dataclass

from summarizer_tool.documents.passage import Passage
from summarizer_tool.store.source import Source


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for in a collection."""

    text: str
    """The question, in the asker's words."""
    parts: tuple[str, ...] = ()
    """Its sub-queries; empty where it is one question."""
    intent: str = ''
    """What the answer is for; its words count less than those of the question."""
    source_ids: tuple[str, ...] = ()
    """The sources to look in; empty: all of the collection."""
    top_k: int = 20
    """Passages that are wanted, neighbours not counted."""
    room: int = 0
    """Tokens that all of the sources together may have to be given whole (`full_context`); 0: never."""
    fill: int = 0
    """Further passages that are wanted where there is room: what stands where the question is spoken of."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found."""

    passage: Passage
    score: float
    """0 to 1: how well it answers, comparable between searches."""
    query: str = ''
    """The sub-query that found it; empty where the question is one."""
    is_adjacent: bool = False
    """Whether it is here for its neighbour's sake."""
    value: float = 0.0
    """0 to 1: what it was ranked by, among those of one search; a brief shows it as the relevance."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer of a search."""

    hits: tuple[Hit, ...]
    """Best first; with `is_full_context` all passages of the sources in their own order."""
    sources: tuple[Source, ...]
    """The sources of the hits, in the order of their first one."""
    documents: int
    """Searched."""
    passages: int
    """Searched."""
    matched: int
    """Passages that had anything of the question, before the best were chosen."""
    is_full_context: bool = False
    ranking: str = 'bm25'
    """What ranked them: `bm25`, `bm25+embeddings`, `nearest` (by the meaning of words)
    where no passage has any of them, or `none` for whole sources and beginnings."""
    warnings: tuple[str, ...] = ()
    """What could not be used, such as an embedding model that failed."""
