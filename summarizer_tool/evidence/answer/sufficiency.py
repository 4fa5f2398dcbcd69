"""Whether what was found is enough to answer. Pure computing.

How well a part of the question is covered is a saturating sum over its best passages:

    coverage(part) = 1 - exp(-_STEEPNESS * sum(value ** 3))

over its `_MOST_PASSAGES` best. The cube lets one good passage count for many weak ones: a single passage of value 0.8
gives 0.72, three of them 0.98; five of 0.3 give 0.29. It grows with every value and never falls when a passage is
added. The evidence as a whole is the mean over the parts.

The value of a passage is its score times the share of its question's terms that it says something with: what it has
only where it leads elsewhere answers nothing.
"""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from types import MappingProxyType

from summarizer_tool.evidence.search.results import Hit
from summarizer_tool.text import terms

_STEEPNESS = 2.5
_MOST_PASSAGES = 5

STRONG = 0.5
"""Value from which a passage is taken to answer: about two thirds of what the part's words weigh (`ranking.py`)."""

_VERY_STRONG = 0.75
"""Value from which one such passage is enough: each of the part's words, or nearly, close together or repeated."""

_ENOUGH_STRONG = 2
"""Strong passages that are enough together, if no more than a tenth of the part's terms is in none of them."""

_NEARLY_ALL = 0.9

_NAMES = 0.75
"""Share of a part's terms from which a link names what is asked: one with less may be a word of the answer."""

LEAST_GAIN = 0.02
"""What a round must add to the evidence, or it has brought nothing."""

_BY_THE_WAY = 0.9
"""What a passage that was found for one part is worth for another whose words it holds."""


@dataclass(frozen=True, slots=True)
class CoveredPart:
    """How well a part of the question is covered."""

    coverage: float
    """0 to 1."""
    best: float
    """The value of its best passage, 0 to 1."""
    strong: int
    """Passages that are."""
    held: float
    """The share of its terms that its strong passages hold together, 0 to 1."""

    @property
    def is_enough(self) -> bool:
        """Whether it has a very strong passage, or several strong ones that hold nearly all of its terms."""
        return self.best >= _VERY_STRONG or (self.strong >= _ENOUGH_STRONG and self.held >= _NEARLY_ALL)


@dataclass(frozen=True, slots=True)
class Judgement:
    """How well the parts of a question are covered."""

    parts: tuple[CoveredPart, ...] = ()

    @property
    def score(self) -> float:
        """Of all the evidence, 0 to 1."""
        return sum(part.coverage for part in self.parts) / max(1, len(self.parts))

    @property
    def is_hopeful(self) -> bool:
        """Whether every part has a strong passage at least."""
        return bool(self.parts) and all(part.strong for part in self.parts)

    @property
    def is_enough(self) -> bool:
        """Whether there is enough for every part."""
        return bool(self.parts) and all(part.is_enough for part in self.parts)


def judge(
    hits: Sequence[Hit], parts: Sequence[str], pointers: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> Judgement:
    """Look at what was found for each part of a question; neighbours (`is_adjacent`) count for nothing.

    The value of a passage is its score as far as it says anything itself; for a part that it was not found for, the
    share of that part's terms that it says something with, if that makes it strong. `pointers` are the texts, by
    source, that only lead elsewhere.
    """
    own = [hit for hit in hits if not hit.is_adjacent]
    found: list[CoveredPart] = []
    for part in parts:
        asked = frozenset(terms.asked(part).terms)
        said = [_said(hit, pointers.get(hit.passage.source_id, ()), asked) for hit in own]
        values = [_value(hit, some, part, asked, is_only=len(parts) == 1) for hit, some in zip(own, said, strict=True)]
        strong = [some for some, value in zip(said, values, strict=True) if value >= STRONG]
        best = sorted(values)[-_MOST_PASSAGES:]
        coverage = 1 - math.exp(-_STEEPNESS * sum(value**3 for value in best))
        held = _share(set[str]().union(*strong), asked)
        found.append(CoveredPart(coverage, max(best, default=0.0), len(strong), held))
    return Judgement(tuple(found))


def _said(hit: Hit, pointers: Sequence[str], asked: AbstractSet[str]) -> set[str]:
    """The terms that a passage says something with: none in a text by which most of what is asked is told elsewhere."""
    text = hit.passage.text
    for pointer in pointers:
        if pointer in text and _share(terms.terms_of(pointer), asked) >= _NAMES:
            text = text.replace(pointer, ' ')
    found = terms.terms_of(text)
    return found | terms.terms_of(' '.join((*hit.passage.path, hit.passage.header))) if found else found


def _value(hit: Hit, said: AbstractSet[str], part: str, asked: AbstractSet[str], *, is_only: bool) -> float:
    """What a passage is worth for a part, of whose terms it says something with some."""
    if is_only or hit.query in ('', part):
        there = _share(terms.terms_of(' '.join((*hit.passage.path, hit.passage.header, hit.passage.text))), asked)
        return min(1.0, max(0.0, hit.score)) * (_share(said, asked) / there if there else float(bool(said)))
    value = _BY_THE_WAY * _share(said, asked)
    return value if value >= STRONG else 0.0


def _share(held: AbstractSet[str], asked: AbstractSet[str]) -> float:
    """How much of what is asked is held, 0 to 1."""
    return len(held & asked) / len(asked) if asked else 0.0
