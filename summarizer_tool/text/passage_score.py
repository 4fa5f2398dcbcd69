"""How likely each passage is a part of the answer: a linear model of its own words and of the text around it.

Whoever answers seldom repeats the question, so what counts most is what is said near a passage, within about a hundred
words and within a few hundred. The weights maximize the likelihood that a passage drawn by `exp(score)` is
one of those that answer (listwise; Cao et al., ICML 2007), on the train split of QMSum (meetings), on XQuAD (Wikipedia)
and on pages of documentation, whose headings are the questions: `python -m tests.proofs.evidence.fitting`.
"""

import heapq
import math
import operator
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, compress

from summarizer_tool.text import names, word_vectors
from summarizer_tool.text.ranking import idf
from summarizer_tool.text.scoring import content_stem
from summarizer_tool.text.terms import Remembered

Columns = Mapping[str, Sequence[float]]
"""The value of each feature for each passage."""

WEIGHTS: dict[str, float] = {
    'own words': 2.58,
    'words near': 1.57,
    'words around': 0.84,
    'meaning near': 3.82,
    'meant around': 0.71,
    'feedback': 1.48,
}
"""What each feature adds to the score; those of meaning are 0 where the vectors of `wordllama` are not installed."""

ANSWERS = 0.5
"""The score from which a passage is ranked by its own words alone, before all that only stands in a good place."""

NEAR, AROUND = 150.0, 600.0
"""Words within which a text speaks of one thing, and of one topic: standard deviations of how what is said fades."""

_REACH = 3

_SATURATION = 1.2
"""BM25's k1."""

_FEEDBACK_WORDS = 20
_FEEDBACK_PASSAGES = (4, 12)
"""How many words are looked for because they stand where the best passages are, and in how many passages: a twentieth
of all, and at least and at most so many."""

_TIMES = 3
"""Times that such a word counts in one passage, at most."""

_LEAST_LETTERS = 3
"""Of such a word."""


@dataclass(frozen=True, slots=True)
class PassageWords:
    """What the words of a passage have of a question."""

    words: Sequence[str]
    """As `words_of` gives them, case-folded."""
    score: float
    """0 to 1."""
    counts: Mapping[str, float]
    """By term of the question how many times it counts."""
    is_apart: bool = False
    """Whether it does not follow the one before, or stands in a section beside that one's."""


def values(read: Sequence[PassageWords], weights: Mapping[str, float], question: str) -> list[float]:
    """What passages are ranked by, 0 to 1; zeros where nothing is met of the question.

    Passages come in the order of the text; `weights` are those of the question's terms.
    """
    stretches = Stretches(read)
    found = features(stretches, read, weights, question)
    if not any(map(any, found.values())):
        return [0.0] * len(read)
    likely = exponentials(found | {'feedback': feedback(stretches, exponentials(found), weights)})
    if max(each.score for each in read) < ANSWERS:  # none has the words, so that those tell more which stand together
        likely = [*map(math.sqrt, map(operator.mul, likely, _spread(likely, stretches.near)))]
    return [each.score if each.score >= ANSWERS else ANSWERS * share for share, each in zip(likely, read, strict=True)]


def exponentials(found: Columns, weights: Mapping[str, float] = WEIGHTS) -> list[float]:
    """How likely each passage is one that answers, against the best one, by the features there are."""
    used = [weights[name] for name in found]
    sums = [sum(map(operator.mul, used, row)) for row in zip(*found.values(), strict=True)]
    best = max(sums)
    return [math.exp(each - best) for each in sums]


def _parts(word: str) -> tuple[str, ...]:
    is_one = word.isascii() and (word.isalpha() or word.isdigit())  # as most are
    return (word,) if is_one else tuple(names.words(word))


_parts_of = Remembered(_parts).__getitem__


class Stretches:
    """Which passages stand near each one, and how near."""

    def __init__(self, read: Sequence[PassageWords]) -> None:
        parts = [[*chain.from_iterable(map(_parts_of, each.words))] for each in read]
        self.stems = [[*map(content_stem, each)] for each in parts]
        self.telling = [[*compress(*each)] for each in zip(parts, self.stems, strict=True)]
        """The words of each passage that carry meaning, those within identifiers one by one."""
        sizes = [max(1, len(each)) for each in parts]
        gaps = [_REACH * AROUND if each.is_apart else 0.0 for each in read]
        ends = accumulate(gap + size for gap, size in zip(gaps, sizes, strict=True))
        self.places = [end - size / 2 for end, size in zip(ends, sizes, strict=True)]
        self.near, self.around = self.fading(NEAR), self.fading(AROUND)

    def fading(self, words: float) -> list[dict[int, float]]:
        """For each passage how much what others say counts there."""
        places, reach = self.places, _REACH * words
        return [
            {
                other: math.exp(-(((places[other] - place) / words) ** 2) / 2)
                for other in range(bisect_left(places, place - reach), bisect_right(places, place + reach))
            }
            for place in places
        ]


def features(
    stretches: Stretches, read: Sequence[PassageWords], weights: Mapping[str, float], question: str
) -> dict[str, Sequence[float]]:
    """What the score of each passage rests on but for feedback, by name."""
    counts = [each.counts for each in read]
    worth = {term: weight**2 for term, weight in weights.items()}  # what is rare tells most
    asked = [*filter(content_stem, names.words(question))]
    meaning, meant = word_vectors.likeness(stretches.telling, asked, stretches.near, stretches.around)
    return {
        'own words': [each.score for each in read],
        'words near': _told(counts, worth, stretches.near),
        'words around': _told(counts, worth, stretches.around),
        'meaning near': meaning,
        'meant around': meant,
    }


def _saturated(times: float) -> float:
    return times * (_SATURATION + 1) / (times + _SATURATION)


def _spread(said: Sequence[float], fading: Sequence[Mapping[int, float]]) -> list[float]:
    """What is said, each laid over what stands near, from 0 to 1."""
    sums = [sum(said[other] * share for other, share in shares.items()) for shares in fading]
    most = max(sums, default=0.0) or 1.0
    return [each / most for each in sums]


def _told(
    counts: Sequence[Mapping[str, float]], worth: Mapping[str, float], fading: Sequence[Mapping[int, float]]
) -> list[float]:
    """How much is said of each term near each passage; one more term is worth more than one more mention."""
    total = sum(worth.values()) or 1.0
    told = [0.0] * len(counts)
    for term, weight in worth.items():
        near: defaultdict[int, float] = defaultdict(float)
        for index, each in enumerate(counts):
            if times := each.get(term):
                said = _saturated(times)
                for other, share in fading[index].items():
                    near[other] += said * share
        for index, said in near.items():
            told[index] += weight * math.log1p(said) / total
    return told


def feedback(stretches: Stretches, first: Sequence[float], weights: Mapping[str, float]) -> list[float]:
    """How much stands around each passage of the words that mark off those which are the best at first."""
    texts = stretches.stems
    least, most = _FEEDBACK_PASSAGES
    best = heapq.nlargest(max(least, min(most, len(texts) // 20)), range(len(texts)), key=first.__getitem__)
    bags = [Counter(filter(None, texts[index])) for index in best]
    found_in = Counter(chain.from_iterable(map(set[str]().union(*bags).intersection, texts)))
    worth: defaultdict[str, float] = defaultdict(float)
    for index, bag in zip(best, bags, strict=True):
        for word, times in bag.items():
            if found_in[word] > 1 and len(word) >= _LEAST_LETTERS and word not in weights:
                worth[word] += first[index] * min(times, _TIMES) * idf(found_in[word], len(texts))
    chosen = {
        word: worth[word] * idf(found_in[word], len(texts))
        for word in heapq.nlargest(_FEEDBACK_WORDS, worth, key=worth.__getitem__)
    }
    counts = [Counter(filter(chosen.__contains__, text)) for text in texts]
    said = [sum(each * _saturated(bag[word]) for word, each in chosen.items() if word in bag) for bag in counts]
    return _spread(said, stretches.around)
