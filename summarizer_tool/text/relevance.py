"""How much texts are about what is asked for: by their own words, and by the place where they stand. Pure computing."""

import heapq
import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from summarizer_tool.text import names, word_vectors
from summarizer_tool.text.scoring import Aim, content_stem, content_words
from summarizer_tool.text.stop_words import ENGLISH
from summarizer_tool.text.terms import stem

if TYPE_CHECKING:
    from summarizer_tool.prompts import Focus

NEAR = 150.0
"""Words within which a text speaks of one thing: the standard deviation of how relevance fades."""

_REACH = 3 * NEAR

NEAR_LEAST = 30
NEAR_MOST = 100
"""Words that the shortest and the longest text count for in that: a turn of one word is a step, too."""

SHARPNESS = 3
"""The power of the relevance that a place has."""

OWN = 0.5
"""Share of a text's relevance that it has by its own words; the rest it has by the place where it stands."""

BY_PLACE = 0.3
"""The most that a fact about a schema is relevant by its place alone."""

DERIVED = 0.5
"""Weight of a word that only shares its beginning with one of the focus, against 1 for that word."""

_LEAST_ROOT = 4
_MOST_OF_WORD = 0.6

FEEDBACK = 0.5
"""Weight of the best of the words that are looked for because they stand where the words of the focus do."""

FEEDBACK_WORDS = 10
FEEDBACK_TEXTS = 32
"""How many such words there are, and from how many texts."""

_FEW = 2
_FEW_SHARE = 0.01
"""Texts, and share of them, up to which a word of the focus is rare."""

_STOP_STEMS = frozenset(map(stem, ENGLISH))


# Words by which schemas ask for kinds of names. Names are wanted anyway; "people" in a sentence says nothing about it.
_KINDS = frozenset(
    map(
        stem,
        """people person persons place places location locations organization organizations organisation
        organisations group groups date dates time times year years event events number numbers name names title
        titles work works thing things item items character characters entity entities relation relations relate
        related relationship relationships fact facts detail details list description type kind string integer
        object array properties required null""".split(),  # noqa: SIM905
    )
)


def matches(texts: Sequence[str], focus: 'Focus') -> list[float]:
    """How well the words of each text match the focus, from 0 to 1."""
    if not _words_of(focus):
        return [0.0] * len(texts)
    bags = _bags(texts)
    return _scaled(_bm25(bags, _asked(bags, focus)))


def relevances(texts: Sequence[str], focus: 'Focus', breaks: Container[int] = ()) -> list[float]:
    """How much each of the texts, which follow each other, stands where the focus is spoken of, from 0 to 1.

    `breaks` are the indices of those that do not follow the one before, such as the first one of another source.

    What matches is spread over what stands near: what is talked about is named once and then spoken of. The words that
    mark off the places found are then looked for, too (pseudo relevance feedback; Rocchio 1971), since who answers
    seldom repeats the question. The power sets the best places off from those that share a frequent word. Where the
    meaning of words is known, a place counts up to twice for that; where no word is found, it alone counts.
    """
    if not _words_of(focus):
        return [0.0] * len(texts)
    cut = [names.words(text) for text in texts]
    bags = [Counter(map(stem, words)) for words in cut]
    query = _asked(bags, focus)
    sizes = [min(max(bag.total(), NEAR_LEAST), NEAR_MOST) for bag in bags]
    ends = accumulate(size + (_REACH if index in breaks else 0) for index, size in enumerate(sizes))
    places = [end - size / 2 for size, end in zip(sizes, ends, strict=True)]
    asked = [word for word in names.words(_text_of(focus)) if content_stem(word) in query]
    by_meaning = _spread(word_vectors.nearness(cut, asked), places)
    near = _together(_spread(_bm25(bags, query), places), by_meaning)
    if any(near):
        near = _together(_spread(_bm25(bags, query | _feedback(bags, near, query)), places), by_meaning)
    return [place**SHARPNESS for place in near]


def _together(by_words: Sequence[float], by_meaning: Sequence[float]) -> Sequence[float]:
    if not any(by_words):
        return by_meaning
    return _scaled([words * (1 + meaning) for words, meaning in zip(by_words, by_meaning, strict=True)])


def relevant(places: Sequence[float], texts: Sequence[str], focus: 'Focus') -> list[float]:
    """Relevance by place, as from `relevances`, together with how well each text matches by itself.

    An answer is looked for where it is spoken of; what fills a schema has its words in it: `Leader: Ada Brook`.
    """
    own = matches(texts, focus)
    if Aim.of(focus) is Aim.NAMES:
        return [max(BY_PLACE * place, each) for place, each in zip(places, own, strict=True)]
    return [place * (1 - OWN + OWN * each) for place, each in zip(places, own, strict=True)]


def rare_words(texts: Sequence[str], focus: 'Focus', headings: Sequence[str] = ()) -> list[bool]:
    """Whether each text has a word of the focus that few of them have, and no heading: who asks for it wants them."""
    asked = _words_of(focus)
    if not asked:
        return [False] * len(texts)
    bags = _bags(texts)
    above = set[str]().union(*_bags(headings))
    times = {word: sum(word in bag for bag in bags) for word in asked if word not in above}
    rare = {word for word, count in times.items() if count <= max(_FEW, _FEW_SHARE * len(texts))}
    return [not rare.isdisjoint(bag) for bag in bags]


def _bags(texts: Sequence[str]) -> list[Counter[str]]:
    return [Counter(map(stem, names.words(text))) for text in texts]


def _words_of(focus: 'Focus') -> list[str]:
    """The words that a focus asks for, stemmed; none where it names only kinds of things, which all texts have."""
    return [word for word in content_words(_text_of(focus)) if word not in _KINDS]


def _text_of(focus: 'Focus') -> str:
    return focus.questions or f'{focus.focus_areas} {focus.schema_hint}'


def _asked(bags: Sequence[Counter[str]], focus: 'Focus') -> dict[str, float]:
    """The words of the focus and their weights; where a word of the texts only goes on from one, that too: `leader`."""
    query = dict.fromkeys(_words_of(focus), 1.0)
    # In order: sums of fractions depend on it, and the answer must not depend on the hash seed.
    # Words that are alike have their first letters in common.
    by_root: defaultdict[str, list[str]] = defaultdict(list)
    for word in query:
        by_root[word[:_LEAST_ROOT]].append(word)
    alike = sorted(
        word
        for word in set[str]().union(*bags)
        if word not in query and is_alike(word, by_root.get(word[:_LEAST_ROOT], ()))
    )
    return query | dict.fromkeys(alike, DERIVED)


def beginning(word: str) -> str:
    """What a word shares at least with those that are alike; nothing of one that is too short."""
    return word[: max(_LEAST_ROOT, math.ceil(_MOST_OF_WORD * len(word)))] if len(word) >= _LEAST_ROOT else ''


def is_alike(word: str, query: Iterable[str]) -> bool:
    """Return whether a word begins with one of the query, or one of the query with it, and is mostly that."""
    return len(word) >= _LEAST_ROOT and any(
        min(len(word), len(asked)) >= max(_LEAST_ROOT, _MOST_OF_WORD * max(len(word), len(asked)))
        and (word.startswith(asked) or asked.startswith(word))
        for asked in query
    )


def _bm25(bags: Sequence[Counter[str]], query: Mapping[str, float]) -> list[float]:
    """BM25 (Robertson & Zaragoza 2009) of weighted words."""
    k1, b = 1.2, 0.3
    known = Counter(word for bag in bags for word in query if word in bag)
    worth = {
        word: query[word] * math.log(1 + (len(bags) - times + 0.5) / (times + 0.5)) for word, times in known.items()
    }
    mean = sum(bag.total() for bag in bags) / max(1, len(bags)) or 1.0
    return [
        sum(
            worth[word] * times * (k1 + 1) / (times + k1 * (1 - b + b * bag.total() / mean))
            for word in known
            if (times := bag[word])
        )
        for bag in bags
    ]


def _scaled(scores: Sequence[float]) -> list[float]:
    best = max(scores, default=0.0) or 1.0
    return [score / best for score in scores]


def _spread(scores: Sequence[float], places: Sequence[float]) -> list[float]:
    """Scores, each laid over what stands near, from 0 to 1; `places` ascend."""
    spread = [0.0] * len(scores)
    for place, score in zip(places, scores, strict=True):
        if score:
            first, last = bisect_left(places, place - _REACH), bisect_right(places, place + _REACH)
            for index in range(first, last):
                spread[index] += score * math.exp(-(((places[index] - place) / NEAR) ** 2) / 2)
    return _scaled(spread)


def _feedback(bags: Sequence[Counter[str]], near: Sequence[float], query: Mapping[str, float]) -> dict[str, float]:
    """Words that are frequent where the best places are and rare elsewhere, and their weights."""
    found_in = Counter(word for bag in bags for word in bag)
    worth: defaultdict[str, float] = defaultdict(float)
    for index in heapq.nlargest(FEEDBACK_TEXTS, range(len(bags)), key=near.__getitem__):
        for word, times in bags[index].items():
            if found_in[word] > 1 and len(word) > 2 and word not in query and word not in _STOP_STEMS:
                worth[word] += near[index] ** 2 * times * math.log(len(bags) / found_in[word])
    best = heapq.nlargest(FEEDBACK_WORDS, worth, key=worth.__getitem__)
    return {word: FEEDBACK * worth[word] / worth[best[0]] for word in best if worth[word]}
