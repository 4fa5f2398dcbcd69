"""From rankings to a list of hits: fused, taken in turn, with what stands beside them.

Pure computing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from operator import itemgetter

from summarizer_tool.evidence.search.candidates import RankedPassages
from summarizer_tool.evidence.search.results import Hit
from summarizer_tool.text.ranking import RRF_K, fuse

_MEANT = 0.5
"""The score of the passage that is nearest by meaning, where its words say less."""


def values_of(by_words: RankedPassages, near: Sequence[int], pool: int) -> dict[int, tuple[float, float]]:
    """The best passages for a part, best first: the score of each, and its value in the ranking."""
    scored = {each.passage.id: each.score for each in by_words.scored}
    if not near:
        return {each.passage.id: (each.score, each.value) for each in by_words.scored[:pool]}
    by_meaning = [item for item in near if item in scored]
    for rank, item in enumerate(by_meaning):
        scored[item] = max(scored[item], _MEANT * RRF_K / (RRF_K + rank))
    words = [each.passage.id for each in by_words.scored if each.score > 0]
    fused = fuse((words[:pool], by_meaning))[:pool]
    # By rank, since the scores of the two do not compare: none is worth less than one behind it.
    values = accumulate((scored[item] for item in reversed(fused)), max)
    return {item: (scored[item], value) for item, value in zip(fused, reversed([*values]), strict=True)}


def words_of(hit: Hit) -> str:
    """The text of a passage, whatever its capitals and spaces."""
    return ' '.join(hit.passage.text.lower().split())


def in_turn(rankings: Sequence[Iterable[int]], wanted: int, texts: Mapping[int, str]) -> dict[int, int]:
    """The best of each ranking in turn, and the index of the one that chose it; of equal texts the first."""
    chosen: dict[int, int] = {}
    said: set[str] = set()
    left = {index: iter(ranking) for index, ranking in enumerate(rankings)}
    while left:
        for index, ranking in [*left.items()]:
            if len(chosen) >= wanted:
                return chosen
            item = next((item for item in ranking if texts[item] not in said), None)
            if item is None:
                del left[index]
            else:
                chosen[item] = index
                said.add(texts[item])
    return chosen


_BESIDE = 2
"""Passages beside hits that are brought, for each hit: with those of an answer they fill a brief, and no more."""


def with_neighbours(hits: Sequence[Hit], around: Mapping[int, Hit], *, fill: int = 0) -> list[Hit]:
    """The hits in their order, and what stands beside them under the same heading where its value belongs.

    `around` are the passages that were read, by id; up to `fill` passages they are brought, beside a hit or not.
    """
    by_row = {hit.passage.id: hit for hit in hits}
    shown, found = [words_of(hit) for hit in hits], list[Hit]()
    for row, each in sorted(around.items(), key=lambda item: item[1].value, reverse=True):
        near = [by_row[place] for place in (row - 1, row + 1) if place in by_row]
        near = [hit for hit in near if hit.passage.is_with(each.passage)]
        has_room = len(found) < max(_BESIDE * len(hits), fill) if near else len(hits) + len(found) < fill
        words = words_of(each)
        if each.value and has_room and not any(words in other for other in shown):  # what none of them says already
            shown.append(words)
            found.append(replace(each, query=next((hit.query for hit in (*near, *hits)), ''), is_adjacent=True))
    # Hits are not in the order of their values alone; the least one so far is what a neighbour has to be over.
    least = accumulate((hit.value for hit in hits), min)
    every = [*zip(least, hits, strict=True), *((each.value, each) for each in found)]
    return [hit for _, hit in sorted(every, key=itemgetter(0), reverse=True)]
