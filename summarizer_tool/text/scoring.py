"""Score statements, and choose those that say most in a given number of tokens.

The score of a statement is what it adds (names, numbers and words that nothing chosen says) for each token, times its
weight: importance and relevance. The choice is weighted maximum coverage under a knapsack constraint, solved greedily
with lazy evaluation (a gain only falls as others are chosen, so a stale one is looked at again only when it comes to
the top; Minoux 1978, and Lin & Bilmes 2010 for summarization).
"""

import heapq
import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import accumulate, combinations
from typing import TYPE_CHECKING

from summarizer_tool.text import names, tokens, word_vectors
from summarizer_tool.text.stop_words import ENGLISH
from summarizer_tool.text.terms import stem

if TYPE_CHECKING:
    from summarizer_tool.prompts import Focus

NAME_IN_SECTION = 0.12
"""Worth of a name that is known from elsewhere but new to its section, against 1 for one that is new altogether."""

PAIR = 0.06
"""Worth of two names said together for the first time: that is how a text relates them."""

MAX_PAIRS = 20
"""Pairs counted for one item, so that a long enumeration does not win by its length squared."""

WORD = 0.02
"""Worth of a new content word, times its rarity from 0 to 1: what ranks prose without names."""

RELEVANCE = 3.0
"""How much a fact about the schema gains over one that is not: up to four times the weight."""

OFF_FOCUS = 1e-4
"""Weight of what has nothing to do with the focus, against 1 for the best answer: it only takes the room left over."""

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

AGAIN = 0.5
"""Worth of a word for each time that it has been said, against 1 for the first time."""

FILLER = 1e-5
"""Weight of what may only take the room that is left: so little that everything else comes first."""

MOST_IMPORTANT = 5
VITAL = 1.0
VITAL_WEIGHT = 2.0
"""For the gist, each word of the most important facts is worth that of a word which is said twice, whether it is or
not, and all of it this many times as much: what binds its readers is seldom what most of a text is about."""

LONE_WORD = 0.6
"""Worth of a single word that one chunk names, against 1 for any other name."""

_STOP_STEMS = frozenset(map(stem, ENGLISH))


@lru_cache(maxsize=16_384)
def content_words(text: str) -> tuple[str, ...]:
    """The distinct words of `text` that carry meaning, stemmed."""
    return tuple(filter(None, dict.fromkeys(map(_content, names.words(text)))))


@lru_cache(maxsize=65_536)
def _content(word: str) -> str:
    """The stem of a word; nothing of one that carries no meaning."""
    return stem(word) if (len(word) > 1 or word.isdigit()) and word not in ENGLISH else ''


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


class Aim(Enum):
    """What is worth saying, which depends on what was asked for."""

    NAMES = 'names'
    """Names, numbers and dates, and how they are related: a schema will be filled with them."""
    ANSWER = 'answer'
    """Whatever is said of the focus, in as many different words as there are."""
    GIST = 'gist'
    """What most of the text is about; nothing was asked for."""

    @classmethod
    def of(cls, focus: 'Focus') -> 'Aim':
        """The aim of a request."""
        return cls.NAMES if focus.schema_hint or focus.topics else cls.ANSWER if focus.focus_areas else cls.GIST


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
    asked = [word for word in names.words(_text_of(focus)) if _content(word) in query]
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


def _bags(texts: Sequence[str]) -> list[Counter[str]]:
    return [Counter(map(stem, names.words(text))) for text in texts]


def _words_of(focus: 'Focus') -> list[str]:
    """The words that a focus asks for, stemmed; none where it names only kinds of things, which all texts have."""
    return [word for word in content_words(_text_of(focus)) if word not in _KINDS]


def _text_of(focus: 'Focus') -> str:
    return f'{focus.focus_areas} {focus.schema_hint}'


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


def fact_weight(importance: int, relevance: float, aim: Aim, *, is_filler: bool = False) -> float:
    """The weight of a fact by its importance, 1 to 5, and relevance, 0 to 1."""
    about = OFF_FOCUS + relevance if aim is Aim.ANSWER else 1 + RELEVANCE * relevance
    vital = VITAL_WEIGHT if importance == MOST_IMPORTANT and aim is Aim.GIST else 1.0
    return vital * (0.4 + 0.2 * importance) * about * (FILLER if is_filler else 1.0)


def vital(importance: int, words: Sequence[str], aim: Aim) -> float:
    """The bonus of a fact that must not be missed, whatever most of the text is about."""
    return VITAL * len(words) if importance == MOST_IMPORTANT and aim is Aim.GIST else 0.0


def ranked_names(answers: Sequence[Sequence[str]]) -> list[str]:
    """The names of all chunks by worth per token: what many chunks name, or name first, before the rest.

    A single word that only one chunk names is worth less: it is often no more than a capitalized noun.
    """
    worth: defaultdict[str, float] = defaultdict(float)
    chunks: Counter[str] = Counter()
    for entities in answers:
        for place, entity in enumerate(entities):
            worth[entity] += 1.0 - place / (2 * len(entities))
            chunks[entity] += 1

    def density(entity: str) -> float:
        doubt = LONE_WORD if chunks[entity] == 1 and ' ' not in entity else 1.0
        return doubt * worth[entity] / (tokens.count_cached(f' {entity}') + 1)

    return sorted(worth, key=density, reverse=True)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that may be chosen."""

    cost: int
    """Tokens."""
    names: tuple[str, ...]
    """Keys of the names, dates and numbers in it."""
    words: tuple[str, ...]
    """Its content words."""
    weight: float = 1.0
    """Multiplies the gain: relevance, importance."""
    bonus: float = 0.0
    """Added to the gain."""
    section: Hashable = 0
    variant_of: Hashable = None
    """Of the items that are variants of one thing, at most one is chosen."""

    @property
    def density(self) -> float:
        """Worth per token by itself."""
        return self.weight * (1 + len(self.names)) / self.cost


def rarity(texts: Iterable[Sequence[str]]) -> dict[str, float]:
    """How rare each word is among `texts`, from 0 (in all of them) to 1 (in one): idf, scaled."""
    seen: Counter[str] = Counter()
    total = 0
    for words in texts:
        seen.update(set(words))
        total += 1
    scale = math.log(total + 1)
    return {word: math.log((total + 1) / times) / scale for word, times in seen.items()} if total else {}


def choose(items: Sequence[Item], budget: int, aim: Aim = Aim.NAMES, *, fill: bool = False) -> list[int]:
    """Choose items for coverage of what is aimed at per token: their indices, the best first.

    With `fill`, items that add nothing new are chosen too, as long as there is room in the budget.
    """
    state = _Coverage(items, aim)
    heap = state.heap
    chosen: list[int] = []
    left = budget
    while heap and left > 0:
        stale, index = heapq.heappop(heap)
        if state.is_said(index):
            continue
        current = -state.density(index)
        if heap and current > heap[0][0] + _NOISE and current > stale + _NOISE:
            heapq.heappush(heap, (current, index))
            continue
        cost = max(1, items[index].cost)
        if (current >= 0 and not fill) or cost > left:
            continue
        left -= cost
        chosen.append(index)
        state.take(index)
    return chosen


_NOISE = 1e-12
"""Differences of this size are rounding."""


def _worth(items: Sequence[Item], aim: Aim) -> dict[str, float]:
    """What each word is worth when it is said for the first time."""
    if aim is Aim.NAMES:
        return {word: WORD * rare for word, rare in rarity(item.words for item in items).items()}
    # Of the variants of one thing, which share their words, each word counts once.
    things = [index if item.variant_of is None else item.variant_of for index, item in enumerate(items)]
    said = {(word, thing) for thing, item in zip(things, items, strict=True) for word in item.words}
    times = Counter(word for word, _ in said)
    return {word: 1.0 if aim is Aim.ANSWER else max(count - 1.0, 0.1) for word, count in times.items()}


class _Coverage:
    """What is said so far, and what each item would add to it."""

    def __init__(self, items: Sequence[Item], aim: Aim) -> None:
        self.items = items
        self.aim = aim
        self.word_worth = _worth(items, aim)
        self.known: set[Hashable] = set()
        self.taken: set[Hashable] = set()
        """Items, and what they were variants of."""
        self.heap = [(-self.density(index), index) for index in range(len(items))]
        heapq.heapify(self.heap)

    def is_said(self, index: int) -> bool:
        """Return whether the item, or another variant of the same thing, is chosen already."""
        variant_of = self.items[index].variant_of
        return ('item', index) in self.taken or (variant_of is not None and variant_of in self.taken)

    def density(self, index: int) -> float:
        """What the item would add now, for each token."""
        item = self.items[index]
        known = self.known
        gain = item.bonus
        if self.aim is not Aim.NAMES:
            gain += sum(self.word_worth[word] for word in item.words)
            return gain * item.weight / max(1, item.cost)
        for name in item.names:
            if name not in known:
                gain += 1.0 + NAME_IN_SECTION
            elif (item.section, name) not in known:
                gain += NAME_IN_SECTION
        if len(item.names) > 1:
            new_pairs = 0
            for pair in combinations(item.names, 2):
                if pair not in known:
                    new_pairs += 1
                    if new_pairs == MAX_PAIRS:
                        break
            gain += PAIR * new_pairs
        for word in item.words:
            if word not in known:
                gain += self.word_worth[word]
        return gain * item.weight / max(1, item.cost)

    def take(self, index: int) -> None:
        """Say the item."""
        item = self.items[index]
        self.taken.add(('item', index))
        if item.variant_of is not None:
            self.taken.add(item.variant_of)
        for word in item.words:
            self.word_worth[word] *= AGAIN
        self.known.update(item.names)
        self.known.update(item.words)
        for name in item.names:
            # "Ysolde Harrow" says "Harrow" too.
            self.known.update(name.split())
            self.known.add((item.section, name))
        self.known.update(combinations(item.names, 2))
