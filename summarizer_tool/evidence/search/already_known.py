"""Rank down what the asker knows already."""

from dataclasses import replace

from summarizer_tool.evidence.search.results import Hit, SearchResult
from summarizer_tool.text import terms

RUN = 3
"""Words in a row that are compared: single words recur in texts that say something else."""

_MOSTLY = 0.8
"""Share of a passage's runs of words from which it says nothing new."""

_KNOWN_FACTOR = 0.3
"""What the score of such a passage is multiplied by."""

MAX_CHARACTERS = 50_000
"""Of what is known that are compared."""


def ranked_down(found: SearchResult, known: str) -> SearchResult:
    """What was found, with passages that stand almost word for word in what is known behind all others.

    Whole sources (`is_full_context`) stay as they are, a reader needs them in order.
    """
    if found.is_full_context or not known.strip():
        return found
    runs = _runs(known[:MAX_CHARACTERS])
    hits = [_judged(hit, runs) for hit in found.hits]
    new = [hit for hit, is_known in hits if not is_known]
    old = [hit for hit, is_known in hits if is_known]
    return replace(found, hits=(*new, *sorted(old, key=lambda hit: -hit.score)))


def _judged(hit: Hit, known: frozenset[tuple[str, ...]]) -> tuple[Hit, bool]:
    own = _runs(hit.passage.text)
    if not own or len(own & known) / len(own) < _MOSTLY:
        return hit, False
    confidence = None if hit.confidence is None else hit.confidence * _KNOWN_FACTOR
    return replace(hit, score=hit.score * _KNOWN_FACTOR, confidence=confidence), True


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = [word.casefold() for word in terms.words_of(text)]
    return (
        frozenset(tuple(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))) if words else frozenset()
    )
