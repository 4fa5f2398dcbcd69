"""How the ranking by words and the one by meaning make one, and how several make a list. Pure computing."""

from collections.abc import Sequence

from summarizer_tool.evidence.search.candidates import RankedPassages
from summarizer_tool.evidence.search.ranking import RRF_K, fuse

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
    # By rank alone, since the values of the two rankings do not compare.
    return {item: (scored[item], RRF_K / (RRF_K + rank)) for rank, item in enumerate(fused)}


def in_turn(rankings: Sequence[Sequence[tuple[int, float]]], wanted: int) -> list[int]:
    """The first of each ranking, then the second of each, and so on."""
    longest = max(map(len, rankings), default=0)
    turns = (ranking[place][0] for place in range(longest) for ranking in rankings if place < len(ranking))
    return list(dict.fromkeys(turns))[:wanted]
