"""What stands beside the passages that were found: a hit may begin or end in the middle of what answers."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from summarizer_tool.evidence.search.results import Hit

_BESIDE = 2
"""Passages beside hits that are brought, for each hit: with those of an answer they fill a brief, and no more."""


def with_neighbours(hits: Sequence[Hit], around: Mapping[int, Hit], *, fill: int = 0) -> list[Hit]:
    """The hits in their order, and what stands beside them under the same heading where its value belongs.

    `around` are the passages that were read, by id; `fill` is how many of them are brought, best first, beside a hit or
    not.
    """
    by_row = {hit.passage.id: hit for hit in hits}
    wanted = set(heapq.nlargest(fill, around, key=lambda row: around[row].value))
    found: list[Hit] = []
    for row, each in around.items():
        near = [by_row[place] for place in (row - 1, row + 1) if place in by_row]
        beside = [hit for hit in near if hit.passage.is_with(each.passage)]
        if each.value and row not in by_row and (beside or row in wanted):
            query = next((hit.query for hit in (*beside, *hits)), '')
            found.append(replace(each, query=query, is_adjacent=True))
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
