"""What stands beside the passages that were found: a hit may begin or end in the middle of what answers."""

import heapq
from collections.abc import Iterable, Mapping, Sequence

from summarizer_tool.evidence.search.results import Hit
from summarizer_tool.store import index
from summarizer_tool.store.connection import StoreConnection

_NEIGHBOUR = 0.7
"""The share of a hit's score that a passage beside it gets, and of that the next one."""

_STEPS = (-1, 1, -2, 2)
"""From the id of a passage to those of the passages around it, the nearest first."""

_BESIDE = 2
"""Passages beside hits that are brought, for each hit: with those of an answer they fill a brief, and no more."""


def with_neighbours(
    db: StoreConnection,
    collection: str,
    hits: Sequence[Hit],
    places: Mapping[int, float],
    *,
    fill: int = 0,
) -> list[Hit]:
    """The hits in their order, and what stands beside them under the same heading where its value belongs.

    `places` are the values of passages by where they stand, by id; `fill` is how many of them are brought, best first,
    beside a hit or not.
    """
    by_row = {hit.passage.id: hit for hit in hits}
    wanted = heapq.nlargest(fill, places, key=places.__getitem__)
    query = hits[0].query if hits else ''
    around = {row + step for row in by_row for step in _STEPS}
    around.update(row for row in wanted if places[row])
    found: list[Hit] = []
    for passage in index.passages(db, collection, sorted(around - by_row.keys())):
        place = places.get(passage.id, 0.0)
        near = [(_NEIGHBOUR ** abs(step), by_row[row]) for step in _STEPS if (row := passage.id + step) in by_row]
        scored = [(share, hit) for share, hit in near if hit.passage.is_with(passage)]
        if scored:
            share, hit = max(scored, key=lambda each: each[0] * each[1].value)
            value = max(share * hit.value, place)
            found.append(Hit(passage, share * hit.score, hit.query, is_adjacent=True, value=value))
        elif passage.id in wanted:
            found.append(Hit(passage, place, query, is_adjacent=True, value=place))
    return _merged(hits, _distinct(found, hits, max(_BESIDE * len(hits), fill)))


def _distinct(found: Iterable[Hit], hits: Sequence[Hit], most: int) -> list[Hit]:
    """The best of what stands beside hits, the best last: nothing that one of them says already."""
    shown = [_words(hit) for hit in hits]
    kept: list[Hit] = []
    for near in sorted(found, key=lambda hit: hit.value, reverse=True):
        words = _words(near)
        if len(kept) < most and not any(words in other for other in shown):
            shown.append(words)
            kept.append(near)
    return kept[::-1]


def _words(hit: Hit) -> str:
    return f' {" ".join(hit.passage.text.lower().split())} '


def _merged(hits: Sequence[Hit], beside: list[Hit]) -> list[Hit]:
    ordered, least = list[Hit](), 1.0
    for hit in hits:
        # Hits are not in the order of their values alone; the least one so far is what a neighbour has to be over.
        least = min(least, hit.value)
        while beside and beside[-1].value > least:
            ordered.append(beside.pop())
        ordered.append(hit)
    return [*ordered, *reversed(beside)]
