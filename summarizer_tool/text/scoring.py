"""Score statements, and choose those that say most in a given number of tokens.

The score of a statement is what it adds (names, numbers and words that nothing chosen says) for each token, times its
weight: importance and relevance. The choice is weighted maximum coverage under a knapsack constraint, solved greedily
with lazy evaluation (a gain only falls as others are chosen, so a stale one is looked at again only when it comes to
the top; Minoux 1978, and Lin & Bilmes 2010 for summarization).
"""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import combinations, filterfalse, islice, pairwise
from typing import TYPE_CHECKING, Final

from summarizer_tool.text import names, tokens
from summarizer_tool.text.lines import HAS_SPACELESS
from summarizer_tool.text.stop_words import ENGLISH, is_stop_word, language_of
from summarizer_tool.text.terms import Remembered, stem

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

OFF_FOCUS = 1e-6
"""Weight of what has nothing to do with the focus, against 1 for the best answer: under all that has something."""

AGAIN = 0.5
"""Worth of a word for each time that it has been said, against 1 for the first time."""

REPEATED = 0.01
"""Weight of what another one says but for its numbers, for the gist,"""
LEAST_ALIKE = 6
"""in so many other words or more."""

FILLER = 1e-9
"""Weight of what may only take the room that is left: so little that everything else comes first."""

MOST_IMPORTANT = 5
VITAL = 3.0
VITAL_WEIGHT = 2.0
"""For the gist, each word of the most important facts is worth that of a word which is said four times, whether it
is or not, and all of it this many times as much: what binds its readers is seldom what most of a text is about."""

BEGINNING, REACH = 3.0, 0.15
"""For the gist, what the beginning of a text gains, which tells what the text is about, and over which share of the
text that fades."""


@lru_cache(maxsize=16_384)
def content_words(text: str, language: str = 'en') -> tuple[str, ...]:
    """The distinct words of `text` that carry meaning in its language, stemmed; of scripts without spaces pairs."""
    words = names.words(text)
    if not text.isascii():
        words = [part for word in words for part in _parts(word)]
    if language != 'en':
        words = [word for word in words if not is_stop_word(word, language)]
    return tuple(filter(None, dict.fromkeys(map(content_stem, words))))


def _parts(word: str) -> Sequence[str]:
    return [*map(''.join, pairwise(word))] if HAS_SPACELESS.match(word) else [word]


def _content_stem(word: str) -> str:
    return stem(word) if (len(word) > 1 or word.isdigit()) and word not in ENGLISH else ''


content_stem: Final = Remembered(_content_stem).__getitem__
"""The stem of a word; nothing of one that carries no meaning."""


def language_of_texts(texts: Iterable[str]) -> str:
    """The language that most of the texts are in, by how they begin."""
    return language_of(islice((word for text in texts for word in names.words(text[:2000])), _SAMPLE_WORDS))


_SAMPLE_WORDS = 500
"""Words by which the language is told."""


ASKED_BONUS = 4.0
"""What a text is worth beside its names where it answers the focus of an extraction, or has a rare word of the hint."""


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
        if focus.topics:
            return cls.NAMES
        if focus.questions:
            return cls.ANSWER
        return cls.NAMES if focus.schema_hint else cls.ANSWER if focus.focus_areas else cls.GIST


def fact_weight(importance: int, relevance: float, aim: Aim, *, is_filler: bool = False) -> float:
    """The weight of a fact by its importance, 1 to 5, and relevance, 0 to 1."""
    about = OFF_FOCUS + relevance if aim is Aim.ANSWER else 1 + RELEVANCE * relevance
    vital = VITAL_WEIGHT if importance == MOST_IMPORTANT and aim is Aim.GIST else 1.0
    return vital * (0.4 + 0.2 * importance) * about * (FILLER if is_filler else 1.0)


def beginning(place: float) -> float:
    """What something is worth for the gist by its place in the text, from 0 to 1, against 1 far from the beginning."""
    return 1 + BEGINNING * math.exp(-place / REACH)


def vital(importance: int, words: Sequence[str], aim: Aim) -> float:
    """The bonus of a fact that must not be missed, whatever most of the text is about."""
    return VITAL * len(words) if importance == MOST_IMPORTANT and aim is Aim.GIST else 0.0


def ranked_names(answers: Sequence[Sequence[str]]) -> list[str]:
    """The names of all chunks by worth per token: what many chunks name, or name first, before the rest."""
    worth: defaultdict[str, float] = defaultdict(float)
    for entities in answers:
        for place, entity in enumerate(entities):
            worth[entity] += 1.0 - place / (2 * len(entities))
    return sorted(worth, key=lambda entity: -worth[entity] / (tokens.count_cached(f' {entity}') + 1))


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
    below: Hashable = None
    """What headings it stands below,"""
    below_cost: int = 0
    """and their tokens, which are paid once."""

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
    heap = [(-state.density(index), index) for index in range(len(items))]
    heapq.heapify(heap)
    chosen: list[int] = []
    open_headings: set[Hashable] = set()
    left = budget
    while heap and left > 0:
        stale, index = heapq.heappop(heap)
        if state.is_said(index):
            continue
        current = -state.density(index)
        if heap and current > _EQUAL * heap[0][0] and current > _EQUAL * stale:
            heapq.heappush(heap, (current, index))
            continue
        cost = max(1, items[index].cost)
        if items[index].below not in open_headings:
            cost += items[index].below_cost
        if (current >= 0 and not fill) or cost > left:
            continue
        left -= cost
        open_headings.add(items[index].below)
        chosen.append(index)
        state.take(index)
    return chosen


_EQUAL = 1 - 1e-9
"""The ratio from which two numbers differ by rounding."""


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
        """Items, what they were variants of, and their forms."""
        forms = (frozenset(word for word in item.words if not word.isdigit()) for item in items if aim is Aim.GIST)
        self.forms = {at: form for at, form in enumerate(forms) if len(form) >= LEAST_ALIKE}

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
            gain += sum(map(self.word_worth.__getitem__, item.words))
            again = REPEATED if self.forms.get(index, ('item', index)) in self.taken else 1.0
            return gain * item.weight * again / max(1, item.cost)
        for name in item.names:
            if name not in known:
                gain += 1.0 + NAME_IN_SECTION
            elif (item.section, name) not in known:
                gain += NAME_IN_SECTION
        new_pairs = islice(filterfalse(known.__contains__, combinations(item.names, 2)), MAX_PAIRS)
        gain += PAIR * len([*new_pairs])
        gain = sum(map(self.word_worth.__getitem__, filterfalse(known.__contains__, item.words)), gain)
        return gain * item.weight / max(1, item.cost)

    def take(self, index: int) -> None:
        item = self.items[index]
        self.taken.update((('item', index), self.forms.get(index, ('item', index))))
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
