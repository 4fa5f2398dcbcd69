"""How well a passage answers a question by its words. Pure computing.

The score of a passage is between 0 and 1 and means the same in every search of a collection, so that a caller can judge
whether the best is good enough. It is BM25 (idf times a saturated count) without the length, since passages are about
equally long, divided by what a passage could reach at most:

    coverage = sum of idf(t) * tf(t) / (tf(t) + 1/3) over the question's terms t, / sum of idf(t)
    score    = coverage + (1 - coverage) * (0.25 * closeness + 0.1 * intent)

`tf` is how often a term is in the text, and half a time more if it is in the headings or the title; a word that only
shares its beginning with a term, such as `leader` with `lead`, is a fifth of a time. Where
the innermost heading names what is asked about and the text has more of the question, as the row `Leader` under `The
Silt Choir`, its terms are as good as said there.
`closeness` is the share of the question's neighbouring terms that stand close in the passage, or together in such a
heading, weighed by their idf; `intent` is the coverage of what the answer is for. One mention
of each term gives 0.75, two 0.86; half of the question's weight about 0.4. What is added to a passage never lowers its
score. What stands around a passage is no part of it: `passage_score.py`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from summarizer_tool.text.terms import LEAST_ROOT, QueryTerms, asked, is_alike, terms_of_word, words_of

_HALF = 1 / 3
"""Times a term must occur to count half; BM25's k1, smaller since passages are short."""

_HEADING = 0.5
"""Times that a term in a heading or the title counts."""

_NAMED = 1.25
"""The same, where the innermost heading is the name of what is asked about."""

_CLOSE = 0.25
_INTENT = 0.1
"""What closeness and intent add of the way from the coverage to 1."""

_NEAR_WORDS = 4
_FAR_WORDS = 20
"""Terms at most so many words apart are close; those as far apart as that are not, and between it falls in a line."""

_DERIVED = 0.2
"""Times that a word counts which only shares its beginning with a term: three in eight of one mention."""

_ALIKE = '~'
"""Stands before a term where a word only shares its beginning, such as `leader` with `lead`."""

RRF_K = 60
"""Of reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009."""


def idf(frequency: int, passages: int) -> float:
    """How much a term says that is in `frequency` of `passages`; a term that is in none says as much as a rare one."""
    known = min(max(frequency, 1), max(passages, 1))
    return math.log(1 + (max(passages, 1) - known + 0.5) / (known + 0.5))


@dataclass(frozen=True, slots=True)
class WeighedQuestion:
    """A question with the weight of each of its terms."""

    weights: Mapping[str, float]
    """By term, in the order of the question."""
    intent: Mapping[str, float] = field(default_factory=dict[str, float])
    _wanted: '_TermsOfWords' = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, '_wanted', _TermsOfWords({*self.weights, *self.intent}))

    def score(self, text: str, headings: frozenset[str] = frozenset(), path: Sequence[str] = ()) -> float:
        """How well a passage answers, 0 to 1, as `read` says."""
        return self.read(words_of(text.casefold()), headings, path)[0]

    def read(
        self, words: Sequence[str], headings: frozenset[str] = frozenset(), path: Sequence[str] = ()
    ) -> tuple[float, dict[str, float]]:
        """How well a passage answers, 0 to 1 (see the head of this file), and how often each term counts that it has.

        `words` are those of its text, case-folded, `headings` the terms of its heading path, of its source's title and
        of its table's first row, `path` is the former, outermost first.
        """
        places = self._places(words)
        said = dict.fromkeys(headings.intersection(self.weights.keys() | self.intent.keys()), _HEADING)
        above = said | dict.fromkeys(self._named(path[-1], places) if said and path else (), _NAMED)
        coverage = _covered(self.weights, places, above)
        intent = _covered(self.intent, places, above) if self.intent else 0.0
        counts = {term: times for term in self.weights if (times := _times(term, places, said))}
        closeness = _CLOSE * self._closeness(places, above) + _INTENT * intent if coverage else 0.0
        return coverage + (1 - coverage) * closeness, counts

    def _named(self, heading: str, places: Mapping[str, list[int]]) -> tuple[str, ...]:
        """The terms of a heading that names what is asked about, and nothing else, if more is said that is asked."""
        said = _terms_of_heading(heading)
        others = self.weights.keys() - set(said)
        is_name = len(said) + len(others) == len(self.weights)
        return said if is_name and any(term in places or _ALIKE + term in places for term in others) else ()

    def _places(self, words: Sequence[str]) -> dict[str, list[int]]:
        """Where among words the terms are."""
        places = dict[str, list[int]]()
        for place, word in enumerate(words):
            for term in self._wanted[word]:
                places.setdefault(term, []).append(place)
        return places

    def _closeness(self, places: Mapping[str, list[int]], above: Mapping[str, float]) -> float:
        got = mass = 0.0
        for (first, one), (second, other) in pairwise(self.weights.items()):
            weight = min(one, other)
            mass += weight
            if above.get(first) == above.get(second) == _NAMED:
                got += weight
            elif first in places and second in places:
                apart = _distance(places[first], places[second])
                got += weight * min(1.0, max(0.0, (_FAR_WORDS - apart) / (_FAR_WORDS - _NEAR_WORDS)))
        return got / mass if mass else 0.0


class _TermsOfWords(dict[str, tuple[str, ...]]):
    """By word, case-folded, the terms in it that count."""

    def __init__(self, terms: set[str]) -> None:
        super().__init__()
        self._terms = terms
        self._roots: dict[str, list[str]] = {}
        for term in terms:
            self._roots.setdefault(term[:LEAST_ROOT], []).append(term)
        # A stem is the beginning of its words but for its last letter, so most words need not be cut.
        self._starts = tuple({term[:3] if len(term) > 3 else term[:2] for term in terms})

    def __missing__(self, word: str) -> tuple[str, ...]:
        found: tuple[str, ...] = ()
        if not (word.isalnum() and word.isascii()) or word.startswith(self._starts):
            cut = terms_of_word(word)
            found = tuple(term for term in cut if term in self._terms) or tuple(
                {
                    _ALIKE + term: None
                    for each in cut
                    for term in self._roots.get(each[:LEAST_ROOT], ())
                    if is_alike(each, (term,))
                }
            )
        self[word] = found
        return found


@lru_cache(maxsize=4096)
def _terms_of_heading(heading: str) -> tuple[str, ...]:
    """What a heading is about, without its number."""
    terms = asked(heading).terms
    return tuple(term for term in terms if not term.isdecimal()) or terms


def _times(term: str, places: Mapping[str, list[int]], above: Mapping[str, float]) -> float:
    return len(places.get(term, ())) + _DERIVED * (_ALIKE + term in places) + above.get(term, 0.0)


def _covered(weights: Mapping[str, float], places: Mapping[str, list[int]], above: Mapping[str, float]) -> float:
    got = 0.0
    for term, weight in weights.items():
        times = _times(term, places, above)
        got += weight * times / (times + _HALF)
    mass = sum(weights.values())
    return got / mass if mass else 0.0


def _distance(one: list[int], other: list[int]) -> int:
    """The least distance between two ascending lists of places."""
    best, index = _FAR_WORDS, 0
    for place in one:
        while index + 1 < len(other) and other[index + 1] <= place:
            index += 1
        best = min(best, *(abs(place - near) for near in other[index : index + 2]))
    return best


def weigh(question: QueryTerms, intent: QueryTerms, frequencies: Mapping[str, int], passages: int) -> WeighedQuestion:
    """Give each term of a question its weight in a collection."""
    kept = [term for term in question.terms if term not in question.wholes or frequencies.get(term)]
    weights = {term: idf(frequencies.get(term, 0), passages) for term in kept or question.terms}
    purpose = {term: idf(frequencies[term], passages) for term in intent.terms if frequencies.get(term)}
    return WeighedQuestion(weights, {term: weight for term, weight in purpose.items() if term not in weights})


def fuse(rankings: Iterable[Sequence[int]]) -> list[int]:
    """Make one ranking of several by the sum of `1 / (RRF_K + rank)`; among equals the first seen wins."""
    points: dict[int, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, 1):
            points[item] = points.get(item, 0.0) + 1 / (RRF_K + rank)
    return sorted(points, key=points.__getitem__, reverse=True)
