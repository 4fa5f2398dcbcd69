"""How alike passages are: which of them only repeats another one, and which to show. Pure computing.

A passage that says nearly the same may be the one that matters: the report of another year, the page with a new price.
So nothing is taken for a copy that differs in a number, a name, a word that turns a statement round, or a word of the
question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import regex

from summarizer_tool.text.terms import terms_of_word, words_of

_DIVERSITY = 0.25
"""The share of likeness to what is chosen in the value of a passage; 1 - λ of Carbonell and Goldstein, SIGIR 1998."""

COPY = 0.8
"""The share of runs of three words that two passages have in common, from which one may be a copy of the other."""

_RUN = 3
"""Words of a run."""

# Numbers with what stands at one and is no word (a sign, a currency, a unit), and symbols such as a tick or an arrow.
_FIGURE = regex.compile(r'[-+−±~≈<>≤≥$€£¥₹]*+\d(?:[\w.,:/]*\w)?(?:\s?[%‰°€£¥₹])?|(?![\x00-\x7f])\p{S}')
_TURNING = frozenset(
    """no not never nor neither none nobody nothing without cannot before after since until till over under above below
    more less fewer most least all some few many only except unless if may might could would should off up down out
    first last former latter zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand
    million billion dozen half twice second third fourth fifth sixth seventh eighth ninth tenth""".split()  # noqa: SIM905
)
"""Words that make another statement of one, and numbers that are written out."""


class PassageLikeness:
    """What two passages are compared by: their words, and runs of three of them."""

    def __init__(self, text: str, question: frozenset[str] = frozenset()) -> None:
        """Cut a passage into words; passages that differ in a term of the question are no copies."""
        cut = words_of(text.lower())
        if not text.isascii():  # there may be no spaces, so cut as the terms of a question are, which takes longer
            cut = [term for word in cut for term in terms_of_word(word)]
        self._text = text
        self._question = question
        self._order = cut or [text]
        self.words = frozenset(self._order)

    @cached_property
    def runs(self) -> frozenset[tuple[str, ...]]:
        """Three words in a row each, or all where there are fewer."""
        words = self._order
        return frozenset(zip(words, words[1:], words[2:], strict=False) if len(words) >= _RUN else [tuple(words)])

    @cached_property
    def figures(self) -> list[str]:
        """The numbers in their order, each with its sign and unit, and what symbols stand among them."""
        return _FIGURE.findall(self._text.lower())

    @cached_property
    def names(self) -> frozenset[str]:
        """The words with a capital, as they are compared; none of a text that has only capitals."""
        words = [] if self._text.isupper() else [word for word in words_of(self._text) if word[0].isupper()]
        if self._text.isascii():
            return frozenset(word.lower() for word in words)
        return frozenset(term for word in words for term in terms_of_word(word))  # cut as above

    def to(self, other: 'PassageLikeness') -> float:
        """The share of words in common, 0 to 1 (Jaccard)."""
        shared = len(self.words & other.words)
        return shared / (len(self.words) + len(other.words) - shared)

    def repeats(self, other: 'PassageLikeness') -> bool:
        """Return whether both are the same words."""
        return self._order == other._order

    def is_within(self, other: 'PassageLikeness') -> bool:
        """Return whether the other one has all that is said here, in the same words."""
        return self.runs <= other.runs

    def is_copy(self, other: 'PassageLikeness') -> bool:
        """Return whether one is the other, but for a few words that say nothing of their own."""
        # Copies have nearly all words in common, too, which is quicker to see.
        if self.to(other) < COPY / 2 or self.figures != other.figures:
            return False
        shared = self.runs & other.runs
        if len(shared) < COPY * (len(self.runs) + len(other.runs) - len(shared)):
            return False
        return not self._tells(other, shared) and not other._tells(self, shared)

    def _tells(self, other: 'PassageLikeness', shared: frozenset[tuple[str, ...]]) -> bool:
        """Return whether a word outside the shared runs may be what tells this passage from the other one."""
        words, others = self._order, other._order
        is_shared = [False] * len(words)
        for place, run in enumerate(zip(words, words[1:], words[2:], strict=False)):
            if run in shared:
                is_shared[place : place + _RUN] = [True] * _RUN
        # The first and the last words are in fewer runs than the others.
        for ends in ((0, 1), (-1, -2)):
            for place in ends[: min(len(words), len(others))]:
                if words[place] != others[place]:
                    break
                is_shared[place] = True
        return any(self._is_telling(word) for word, known in zip(words, is_shared, strict=True) if not known)

    def _is_telling(self, word: str) -> bool:
        if len(word) == 1 and word != 'a':  # a mark, a grade, a variable
            return True
        # In a script without capitals any word may be a name.
        if not word.isalpha() or word.upper() == word or word in _TURNING or word in self.names:
            return True
        return word in self._question or not self._question.isdisjoint(terms_of_word(word))


@dataclass(frozen=True, slots=True)
class DiverseChoice:
    """What to show of some rankings."""

    chosen: tuple[tuple[int, int], ...]
    """Items with the index of the ranking that chose them, in the order they were chosen."""
    copies: Mapping[int, int]
    """Items that were left out, with the one that stands for each."""


def diverse(
    rankings: Sequence[Sequence[tuple[int, float]]],
    likenesses: Mapping[int, PassageLikeness],
    wanted: int,
    times: Mapping[int, int] = MappingProxyType({}),
) -> DiverseChoice:
    """Choose from rankings in turn, each time what is best and least like what is chosen; of copies the newest.

    Maximal marginal relevance, Carbonell and Goldstein, SIGIR 1998. Rankings hold items with their value, 0 to 1, best
    first; an item that is not in `times` is as old as can be.
    """
    left = [dict(ranking) for ranking in rankings]
    alike: dict[int, float] = {}
    chosen: list[tuple[int, int]] = []
    left_out: dict[int, int] = {}
    while any(left) and len(chosen) < wanted:
        for index, ranking in enumerate(left):
            if not ranking or len(chosen) >= wanted:
                continue
            best = max(ranking, key=lambda item: ranking[item] - _DIVERSITY * alike.get(item, 0.0))
            mine = likenesses[best]
            others = {item: mine.to(likenesses[item]) for each in left for item in each}
            copies = [
                item
                for item, likeness in others.items()
                if item == best or (likeness >= COPY / 2 and mine.is_copy(likenesses[item]))
            ]
            # Among equals the best one, which is the first in its ranking.
            newest = max((best, *copies), key=lambda item: times.get(item, 0))
            chosen.append((newest, index))
            left_out.update((item, newest) for item in copies if item != newest)
            for item in copies:
                for each in left:
                    each.pop(item, None)
            for item, likeness in others.items():
                alike[item] = max(alike.get(item, 0.0), likeness)
    return DiverseChoice(tuple(chosen), left_out)
