"""What a question is about, as weighted terms: what is still open counts most."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from summarizer_tool.text import terms

_COVERED_PART = 0.3
"""Worth of a term whose sub-query is answered, against 1 for one whose is open."""

_ASIDE = 0.3
"""Worth of a term of the intent and the constraints."""

_MAX_KNOWN = 20_000
"""Characters of what the asker knows that are weighed."""

KNOWN = 0.1
"""Worth of a term of what the asker knows already: it tells two things of one name apart, but asks for nothing."""


@dataclass(frozen=True, slots=True)
class QuestionTopic:
    """Terms, in the form in which the index holds them, and how much each counts."""

    weights: Mapping[str, float]
    """From 0 to 1."""
    asked: frozenset[str]
    """The terms of the question itself."""
    parts: Mapping[str, float]
    """The parts of the question, and how open each is, 0 to 1."""


def topic_of(
    parts: Sequence[str],
    coverage: Sequence[float],
    *,
    aside: str = '',
    known: str = '',
) -> QuestionTopic:
    """Weigh the terms of a question by what is still missing.

    The coverage of a part goes from 0 (open) to 1 (answered).
    """
    weights = dict.fromkeys(terms.asked(known[:_MAX_KNOWN]).terms, KNOWN) if known else {}
    weights.update(dict.fromkeys(terms.asked(aside).terms, _ASIDE) if aside else {})
    asked: set[str] = set()
    open_: dict[str, float] = {}
    for part, covered in zip(parts, coverage, strict=True):
        worth = open_[part] = _COVERED_PART + (1 - _COVERED_PART) * (1 - covered)
        for term in terms.asked(part).terms:
            weights[term] = max(worth, weights.get(term, 0.0) if term in asked else 0.0, _ASIDE)
            asked.add(term)
    return QuestionTopic(MappingProxyType(weights), frozenset(asked), MappingProxyType(open_))
