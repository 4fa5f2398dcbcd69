"""What stands beside the passages that were found: a hit may begin or end in the middle of what answers."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace

from summarizer_tool.evidence.search.candidates import STEPS
from summarizer_tool.evidence.search.likeness import PassageLikeness
from summarizer_tool.evidence.search.results import Hit
from summarizer_tool.store import index

_NEIGHBOUR = 0.7
"""The share of a hit's score that a passage beside it gets, and of that the next one."""

_BESIDE = 2
"""Passages beside hits that are brought, for each hit: with those of an answer they fill a brief, and no more."""


def with_neighbours(
    db: sqlite3.Connection, collection: str, hits: Sequence[Hit], question: frozenset[str] = frozenset()
) -> list[Hit]:
    """The hits in their order, and what stands beside them under the same heading where its score belongs."""
    return placed(hits, _beside(db, collection, hits, question))


def placed(hits: Iterable[Hit], beside: list[Hit], share: float = 1.0) -> list[Hit]:
    """Hits in their order, and their neighbours, the best last, where that share of their scores belongs."""
    ordered, least = list[Hit](), 1.0
    for hit in hits:
        # Hits are not in the order of their scores alone; the least one so far is what a neighbour has to be over.
        least = min(least, hit.score)
        while beside and share * beside[-1].score > least:
            ordered.append(beside.pop())
        ordered.append(hit)
    return [*ordered, *reversed(beside)]


def _beside(db: sqlite3.Connection, collection: str, hits: Sequence[Hit], question: frozenset[str]) -> list[Hit]:
    """The passages beside hits, the best last: none of them a hit, or what one says already."""
    by_row = {hit.passage.id: hit for hit in hits}
    around = {row + step for row in by_row for step in STEPS} - by_row.keys()
    shown = [PassageLikeness(hit.passage.text, question) for hit in hits]
    found: list[Hit] = []
    for passage in index.passages(db, collection, sorted(around)):
        near = [(_NEIGHBOUR ** abs(step), by_row[row]) for step in STEPS if (row := passage.id + step) in by_row]
        scored = [(share * hit.score, hit) for share, hit in near if hit.passage.is_with(passage)]
        if scored:
            score, hit = max(scored, key=lambda each: each[0])
            found.append(replace(hit, passage=passage, score=score, is_adjacent=True, confidence=None))
    kept: list[Hit] = []
    for near in sorted(found, key=lambda hit: hit.score, reverse=True):
        if len(kept) >= _BESIDE * len(hits):
            break
        likeness = PassageLikeness(near.passage.text, question)
        if not any(likeness.is_within(other) or likeness.is_copy(other) for other in shown):
            shown.append(likeness)
            kept.append(near)
    return kept[::-1]
