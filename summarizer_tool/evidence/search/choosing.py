"""From rankings to a list of hits: fused, taken in turn, with what stands beside them.

Pure computing.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from types import MappingProxyType

from summarizer_tool.evidence.search.candidates import RankedPassages
from summarizer_tool.evidence.search.results import Hit
from summarizer_tool.text.ranking import RRF_K, fuse

_MEANT = 0.5
"""The score of the passage that is nearest by meaning, where its words say less."""

_FLOOR = 0.1
"""The share of the best score or value under which a passage is left out."""


def values_of(by_words: RankedPassages, near: Sequence[int], pool: int) -> dict[int, tuple[float, float]]:
    """The best passages for a part, best first: the score of each, and its value in the ranking."""
    scored = {each.passage.id: each.score for each in by_words.scored}
    if not near:
        best = by_words.scored[:pool]
        least = _FLOOR * max((max(each.score, each.value) for each in best), default=0.0)
        return {each.passage.id: (each.score, each.value) for each in best if max(each.score, each.value) >= least}
    by_meaning = [item for item in near if item in scored]
    for rank, item in enumerate(by_meaning):
        scored[item] = max(scored[item], _MEANT * RRF_K / (RRF_K + rank))
    words = [each.passage.id for each in by_words.scored if each.score > 0]
    fused = fuse((words[:pool], by_meaning))[:pool]
    # By rank, since the scores of the two do not compare: none is worth less than one behind it.
    values = accumulate((scored[item] for item in reversed(fused)), max)
    return {item: (scored[item], value) for item, value in zip(fused, reversed([*values]), strict=True)}


def in_turn(
    rankings: Sequence[Iterable[int]], wanted: int, stand_in: Mapping[int, int] = MappingProxyType({})
) -> dict[int, int]:
    """The best of each ranking in turn, passing over what others have chosen; with the index of the one that chose it.

    `stand_in` names, by item, what is chosen in its place, where that is another one.
    """
    chosen: dict[int, int] = {}
    left = {index: iter([stand_in.get(item, item) for item in ranking]) for index, ranking in enumerate(rankings)}
    while left:
        for index, ranking in [*left.items()]:
            if len(chosen) >= wanted:
                return chosen
            item = next((item for item in ranking if item not in chosen), None)
            if item is None:
                del left[index]
            else:
                chosen[item] = index
    return chosen


def newest_of_copies(texts: Mapping[int, str], times: Mapping[int, int]) -> dict[int, int]:
    """By item the one that stands for it: of those with the same text the newest, among equals the first."""
    same: dict[str, list[int]] = {}
    for item, text in texts.items():
        same.setdefault(' '.join(text.split()).lower(), []).append(item)
    return {item: max(items, key=lambda item: times.get(item, 0)) for items in same.values() for item in items}


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
