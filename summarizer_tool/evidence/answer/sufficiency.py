"""Whether what was found is enough to answer. Pure computing."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from summarizer_tool.evidence.search.results import Hit
from summarizer_tool.text import terms

_MOST_PASSAGES = 5
"""The best for a part, which count."""

STRONG = 0.5
"""Value from which a passage is taken to answer: about two thirds of what the part's words weigh (`ranking.py`)."""

_VERY_STRONG = 0.75
"""Value from which it is enough: each of the part's words, or nearly, close together or repeated."""

LEAST_GAIN = 0.03
"""What a round must add to the evidence, or it has brought nothing."""

_BY_THE_WAY = 0.9
"""What a passage that was found for one part is worth for another whose words it holds."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """How well the parts of a question are covered."""

    best: tuple[float, ...] = ()
    """The value of the best passage for each part, 0 to 1."""
    score: float = 0.0
    """Of all the evidence, to compare it with what there was before."""

    @property
    def is_hopeful(self) -> bool:
        """Whether every part has a strong passage at least."""
        return min(self.best, default=0.0) >= STRONG

    @property
    def is_enough(self) -> bool:
        """Whether there is enough for every part."""
        return min(self.best, default=0.0) >= _VERY_STRONG

    def open_parts(self, parts: Sequence[str]) -> list[str]:
        """The parts for which there is not enough."""
        return [part for part, best in zip(parts, self.best, strict=False) if best < _VERY_STRONG]


def judge(hits: Sequence[Hit], parts: Sequence[str]) -> Judgement:
    """Look at what was found for each part of a question; neighbours (`is_adjacent`) count for nothing.

    The value of a passage is its score; for a part that it was not found for, the share of that part's terms that it
    holds, if that makes it strong.
    """
    own = [hit for hit in hits if not hit.is_adjacent]
    held = [terms.terms_of(' '.join((*hit.passage.path, hit.passage.header, hit.passage.text))) for hit in own]
    found: list[list[float]] = []
    for part in parts:
        asked = frozenset(terms.asked(part).terms)
        values = [
            min(1.0, max(0.0, hit.score)) if len(parts) == 1 or hit.query in ('', part) else _by_the_way(some, asked)
            for hit, some in zip(own, held, strict=True)
        ]
        found.append(sorted(values)[-_MOST_PASSAGES:])
    # Cubes let one good passage count for many weak ones.
    score = sum(value**3 for values in found for value in values) / max(1, len(parts))
    return Judgement(tuple(max(values, default=0.0) for values in found), score)


def _by_the_way(held: AbstractSet[str], asked: AbstractSet[str]) -> float:
    """What a passage is worth for a part that it was not found for."""
    value = _BY_THE_WAY * len(held & asked) / max(1, len(asked))
    return value if value >= STRONG else 0.0
