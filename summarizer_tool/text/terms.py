"""The words that passages are found by: cut from a text and from a question in one way, so that they meet.

The index holds what `terms_of` gives, word for word. A change of that needs a new schema version (`index.py`), since a
passage is taken out of the index by the terms it was put in with.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeVar

from summarizer_tool.text.lines import SPACELESS
from summarizer_tool.text.stop_words import PARTICLES, stop_words

T = TypeVar('T')

LONGEST_TERM = 64
"""Characters of a word that count; what is longer is data rather than a word."""

MOST_ASKED = 64
"""Terms of a question that are looked for; a question may be a page of text."""

_REMEMBERED = 65_536
"""Words of which is kept in memory what is made of them, about 10 MB."""

LEAST_ROOT = 4
_MOST_OF_WORD = 0.6
"""Letters, and share of the longer word, that words of one root have in common."""

CONNECTORS: Final = '-.+#'
"""What may stand within a term in ASCII, beside letters, digits and the underscore: `e-4021`, `v1.2.3`, `c++`."""

# Marks of scripts whose vowels are marks, which `\w` leaves out, but not their full stops.
_MARKS = '\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff\u0f00-\u0fff'
# Korean, too, whose words end in particles.
_SPACELESS = f'{SPACELESS}\uac00-\ud7af'
_LETTER = rf'[\w{_MARKS}{_SPACELESS}]'

# Words with what holds identifiers, versions and numbers together. Possessive, so that nothing is tried twice.
_ASCII_WORD = re.compile(r"\w++(?>(?:[-.',+#]\w++)*)[+#]*+", re.ASCII)
_WORD = re.compile(rf"{_LETTER}++(?>(?:[-.'’,+#]{_LETTER}++)*)[+#]*+")
_SPACELESS_RUN = re.compile(rf'([{_SPACELESS}]+)')
_PARTS = re.compile(r"[-_.',+#]+")
_GROUPED = re.compile(r'\d{1,3}(?>(?:,\d{3})+(?:\.\d++)?)')
_ACCENTS = re.compile('[\u0300-\u036f]')
_VOWEL = re.compile('[aeiouy]')
_ENDINGS = frozenset('deglnsy')
"""Letters with which a word ends that may lose something."""
# A word on `ee` and its `d`, but not `feed`, `speed` and `proceed`.
_AGREED = re.compile('[aeiouy].*[^c]eed$')
# `termination`, `relation`: what a verb does, where enough is left of that; not `station` and `nation`.
_NOUN_OF_VERB = re.compile('[^aeiouy]*(?:[aeiouy]+[^aeiouy]+){2,}(?<=at)ion$')
_USE = re.compile('[aeiou][^aeiouy]')


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """What a question looks for."""

    terms: tuple[str, ...] = ()
    """Distinct, in the order of the question."""
    wholes: frozenset[str] = frozenset()
    """Those of `terms` that are made of others, such as `e-4021`; where the collection has none, their parts serve."""


def words_of(text: str) -> list[str]:
    """The words of a text as they stand there, identifiers and numbers whole."""
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


class Remembered(dict[str, T]):
    """What is made of each word: `lru_cache`, which notes each use, takes twice as long for the words of a text."""

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, word: str) -> T:
        made = self._make(word)
        if len(word) <= LONGEST_TERM:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[word] = made
        return made


def terms_of(text: str) -> set[str]:
    """The terms a text is found by.

    Words lose accents, case and the commonest endings. What is joined by `-`, `.`, `_` and the like is found whole and
    by its parts; runs of a script without spaces by each two neighbours and each single character.
    """
    return set[str]().union(*map(terms_of_word, {*words_of(text.lower() if text.isascii() else text)}))


def asked(question: str) -> QueryTerms:
    """What to look for: the terms of a question without those that say nothing, unless there are no others."""
    kept: dict[str, bool] = {}
    spare: dict[str, bool] = {}
    words = [(word, folded) for word in words_of(question) for folded in _folded(word)]
    parts = [_PARTS.split(folded) for _, folded in words]
    idle = stop_words(part for some in parts for part in some)
    is_shouted = question.isupper()
    for (word, folded), pieces in zip(words, parts, strict=True):
        # `what's` and `don't` say nothing, too, but `a.b` does, and so do `WHO` and `IT`.
        is_kept = "'" not in folded if len(pieces) > 1 else len(word) > 1 and word.isupper() and not is_shouted
        says_nothing = not is_kept and all(piece in idle or len(pieces) > len(piece) for piece in pieces)
        for term, is_whole in _asked_of(folded):
            (spare if says_nothing else kept).setdefault(term, is_whole)
    chosen = dict(list((kept or spare).items())[:MOST_ASKED])
    return QueryTerms(tuple(chosen), frozenset(term for term, is_whole in chosen.items() if is_whole))


def _asked_of(folded: str) -> list[tuple[str, bool]]:
    """The terms of one word of a question, and whether each is made of others."""
    whole, parts = _cut(folded)
    if whole and whole not in folded:  # a number in groups, whose digits say nothing
        return [(whole, False)]
    if _SPACELESS_RUN.search(folded):  # pairs say more than single characters, which are for questions of one
        pairs = tuple(part for part in parts if len(part) > 1)
        parts = tuple(part for part in pairs if part not in PARTICLES) or pairs or parts
    elif whole or len(parts) > 1:  # a single letter, as in `c++` or `l'eau`, says nothing beside the rest
        parts = tuple(part for part in parts if len(part) > 1)
    return [*([(whole, True)] if whole else []), *((part, False) for part in parts)]


def _fold(word: str) -> str:
    """Without case, accents and forms of compatibility such as full width."""
    if word.isascii():
        return word.lower()
    plain = _ACCENTS.sub('', unicodedata.normalize('NFKD', word.replace('’', "'")))
    return unicodedata.normalize('NFKC', plain.casefold())


def _folded(word: str) -> list[str]:
    """A folded word, as several where one character stands for several words, such as the ligature of a blessing."""
    return [_fold(word)] if word.isascii() else words_of(_fold(word))


def _terms(word: str) -> tuple[str, ...]:
    if word.isascii() and word.isalnum():  # as most are
        return (stem(word.lower()[:LONGEST_TERM]),)
    cuts = map(_cut, _folded(word))
    return tuple(dict.fromkeys(term for whole, parts in cuts for term in (whole, *parts) if term))


terms_of_word: Final = Remembered(_terms).__getitem__
"""What one of `words_of` is found by; its own form first."""


def _cut(folded: str) -> tuple[str, tuple[str, ...]]:
    """The form of a word that is made of others, if it is, and what it is made of."""
    folded = folded.strip("_-.',")
    if folded.isascii() and folded.isalnum():
        return '', (stem(folded[:LONGEST_TERM]),)
    if not folded.isascii() and _SPACELESS_RUN.search(folded):
        return '', _spaceless(folded)
    parts = [part for part in _PARTS.split(folded) if part]
    if parts[1:] == ['s'] and "'" in folded:  # Ada's
        parts.pop()
    stems = tuple(dict.fromkeys(stem(part[:LONGEST_TERM]) for part in parts))
    if _GROUPED.fullmatch(folded):
        return folded.replace(',', '')[:LONGEST_TERM], stems
    is_whole = folded not in parts and not {"'", ','} & {*folded}
    return (folded[:LONGEST_TERM] if is_whole and parts else ''), stems


def _spaceless(folded: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for index, run in enumerate(_SPACELESS_RUN.split(folded)):
        if index % 2 == 0:
            for word in words_of(run):
                found.update(dict.fromkeys(_terms(word)))
            continue
        found.update(dict.fromkeys(first + second for first, second in pairwise(run)))
        found.update(dict.fromkeys(run))
    return tuple(found)


def beginning(word: str) -> str:
    """What a word shares at least with those that are alike; nothing of one that is too short."""
    return word[: max(LEAST_ROOT, math.ceil(_MOST_OF_WORD * len(word)))] if len(word) >= LEAST_ROOT else ''


def is_alike(word: str, query: Iterable[str]) -> bool:
    """Return whether a word begins with one of the query, or one of the query with it, and is mostly that."""
    return len(word) >= LEAST_ROOT and any(
        min(len(word), len(asked)) >= max(LEAST_ROOT, _MOST_OF_WORD * max(len(word), len(asked)))
        and (word.startswith(asked) or asked.startswith(word))
        for asked in query
    )


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A word without the endings of number and tense, and without a silent `e`: the first steps of Porter's stemmer.

    They are English, and do little harm to other languages, since questions and texts lose the same. Beside Porter's,
    `use` and `used`, `tie` and `tied`, `agree` and `agreed`, `control` and `controlling`, `terminate` and `termination`
    meet.
    Source: https://tartarus.org/martin/PorterStemmer/def.txt, steps 1a to 1c, 5a and 5b.
    """
    if not 4 <= len(word) <= LONGEST_TERM or word[-1] not in _ENDINGS or not word.isalpha():
        return word
    if word.endswith('s'):
        if word.endswith('ies'):
            word = word[:-2] if len(word) > 4 else word[:-1]
        elif word.endswith('sses'):
            word = word[:-2]
        elif not word.endswith(('ss', 'us', 'is')):
            word = word[:-1]
    word = word[:-3] if _NOUN_OF_VERB.match(word) else _without_tense(word)
    if len(word) > 3 and word.endswith('e'):
        word = word[:-1]
    if len(word) > 3 and word.endswith('y') and word[-2] not in 'aeiou':
        word = word[:-1] + 'i'
    if word.endswith('ll') and len(_VOWEL.findall(word)) > 1:  # `controll` is `control`, but `call` is not `cal`
        word = word[:-1]
    return word


def _without_tense(word: str) -> str:
    """Without `ed`, `ing` or `ly`, as far as something is left that may be a word; a silent `e` may be on it."""
    if (word.endswith('eed') and _AGREED.search(word)) or (len(word) == 4 and word.endswith('ied')):
        return word[:-1]
    root = word[:-2] if word.endswith('ed') else word[:-3] if word.endswith('ing') else ''
    if len(root) == 2 and _USE.fullmatch(root):
        return root + 'e'
    if len(root) > 2 and _VOWEL.search(root) and not (word.endswith('ed') and root.endswith('e')):
        is_doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in 'aeioulsz'
        return root[:-1] if is_doubled else root
    if len(word) > 5 and word.endswith('ly'):
        return word[:-2]
    return word
