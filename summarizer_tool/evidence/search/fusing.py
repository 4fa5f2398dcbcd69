"""How the ranking by words and the one by meaning make one, and how several make a list. Pure computing."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType

from summarizer_tool.evidence.search.candidates import RankedPassages
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
    rankings: Sequence[Sequence[tuple[int, float]]],
    wanted: int,
    stand_in: Mapping[int, int] = MappingProxyType({}),
) -> dict[int, int]:
    """The best of each ranking in turn, passing over what others have chosen; with the index of the one that chose it.

    `stand_in` names, by item, what is chosen in its place, where that is another one.
    """
    chosen: dict[int, int] = {}
    left = {index: iter([stand_in.get(item, item) for item, _ in ranking]) for index, ranking in enumerate(rankings)}
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
