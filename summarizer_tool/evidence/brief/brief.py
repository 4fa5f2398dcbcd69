"""What a brief holds, before it is fitted into a budget: sources, evidence and citations."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from summarizer_tool.evidence.brief.citations import Citation
from summarizer_tool.store.source import Source

Line = tuple[int, str]
"""A line of a source, or what a passage has of it: its number, from 1, and its text."""


def lines_of(text: str, first: int) -> tuple[Line, ...]:
    """The lines of a piece of a source that begins on line `first`, without blank ones."""
    lines = enumerate(text.split('\n'), first)
    return tuple((number, line.removesuffix('\r')) for number, line in lines if line.strip())


@dataclass(frozen=True, slots=True)
class EvidenceBlock:
    """Lines of one source, word for word."""

    source: int
    """Its number in the brief."""
    lines: tuple[Line, ...]
    """In order, without blank ones; at least one."""
    path: tuple[str, ...] = ()
    """The headings above it, outermost first."""
    relevance: float | None = None
    """0 to 1; `None` where the whole source is shown."""
    query: str = ''
    """The sub-query that found it."""
    offset: int = 0
    """Characters of its first line that stand before it."""
    follows: int | None = None
    """The index, in the brief, of the block that ends where this one begins; where both are shown, they are one."""
    span: tuple[int, int] | None = None
    """Where it begins and ends in the text of its source, if it is known to stand there."""
    header: Line | None = None
    """The first row of the table in whose middle it begins, or the line that it is indented under."""


@dataclass(frozen=True, slots=True)
class Brief:
    """Everything there is to say, best first; what of it is said depends on the budget."""

    sources: tuple[Source, ...]
    """Those with evidence first; the number of each is its place, from 1."""
    evidence: tuple[EvidenceBlock, ...]
    """Best first, or whole sources in their order."""
    citations: tuple[Citation, ...] = ()
    """Best first."""
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """The stored texts by handle: every citation is checked against them."""
    question: str = ''
    parts: tuple[str, ...] = ()
    """Its sub-queries."""
    partial: tuple[str, ...] = ()
    """What is missing, and how to get it."""
    notices: tuple[str, ...] = ()
    """What could not be used, such as an embedding model."""


@dataclass(frozen=True, slots=True)
class RenderedBrief:
    """A brief as a model gets it."""

    text: str
    tokens: int
    """Of the text, in cl100k; at most the budget."""
    shown: int
    """Of the evidence: passages or whole sources; of passages that touch several are one block."""
    citations: tuple[Citation, ...]
    """Those in the text; each stands word for word in the lines it names."""
    is_whole: bool
    """Whether all of the evidence is in the text, every line of it."""
