"""What a model gets for a question, and what a program may want to know about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from summarizer_tool.evidence.brief.brief import RenderedBrief
from summarizer_tool.evidence.search.results import SearchResult
from summarizer_tool.text import tokens

if TYPE_CHECKING:
    from summarizer_tool.evidence.answer.answering import GatheredEvidence

Figures = dict[str, str | int | float | bool]


@dataclass(frozen=True, slots=True)
class EvidenceBrief:
    """What a model gets for a question, and what a program may want to know about it."""

    text: str
    """A brief within its budget; or, with `is_error`, what went wrong."""
    tokens: int
    """Of the text."""
    is_error: bool = False
    source_ids: tuple[str, ...] = ()
    """The sources with evidence first."""
    figures: Mapping[str, str | int | float | bool] = field(default_factory=Figures)
    """Counts, reason of stopping and the like, by name."""


def figures(found: SearchResult, answered: 'GatheredEvidence | None', rendered: RenderedBrief | None = None) -> Figures:
    """Counts of what was found and shown, and how an answer went."""
    figures: Figures = {
        'documents': found.documents,
        'passages': found.passages,
        'matched': found.matched,
        'hits': len(found.hits),
        'shown': rendered.shown if rendered else 0,
        'citations': len(rendered.citations) if rendered else 0,
        'full_context': found.is_full_context,
        'ranking': found.ranking,
    }
    if answered is not None:
        figures |= {
            'pages': len(answered.pages),
            'failures': len(answered.failures),
            'rounds': answered.rounds,
            'stop_reason': answered.stop_reason,
            'partial': answered.is_partial,
        }
    return figures


def told(
    text: str, figures: Figures | None = None, source_ids: Sequence[str] = (), *, is_error: bool = True
) -> EvidenceBrief:
    """What went wrong or was not found, or what is stored."""
    return EvidenceBrief(text, tokens.count(text), is_error, tuple(source_ids), figures or Figures())
