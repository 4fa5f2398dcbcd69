"""Tell whether a sentence says otherwise than a statement taken from it, by its wording alone.

Laid beside each other, the two have another name or number in one place, a negation that the other lacks, or the same
names in each other's places. Where the wording differs so much that nothing lies beside anything, nothing is found.
"""

import unicodedata
from bisect import insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain, pairwise

import regex

from summarizer_tool.text import names
from summarizer_tool.text.negations import ENGLISH, IN_HAN, NEGATIONS, NO_DENIALS, ONLY, OPPOSITES, TURNS, is_negation
from summarizer_tool.text.normalize import NUMBER, asked, bare_number, measures, stated
from summarizer_tool.text.terms import stem
from summarizer_tool.text.verbs import roots

LEAST_ALIKE = 0.5
"""Share of the words of a statement that a sentence must have in the same order for a place to be the same place."""

_WORD = regex.compile(rf"[\p{{L}}\p{{M}}]+(?:['’]\p{{L}}+)?|{NUMBER}")
_SENTENCE = regex.compile(
    r'(?<=(?:\p{L}{3}|\s\p{Ll}{1,2}|[\d\s)\]”"])[.!?]["”’)]*)\s+(?=[\p{Lu}\d"“(*_])'  # not after `J.` or `Dr.`
)
_INTERJECTION = regex.compile(r'(?i)\bno\b(?=\s+no\b|\s*[,.!?;:](?!\s?\d))')
_NO_LONGER = regex.compile(r"\b(n(?:e|['’]\p{L}+)(?: \p{L}+)?) plus\b(?! qu)")
_TURNS = frozenset(map(stem, TURNS))
_HELPERS = frozenset(
    """be been being is are was were am has had have having will would can could did do does may might must shall should
    a an the any yet ever also longer more to of by in on at it its his her their""".split()  # noqa: SIM905
)
_ENDS = '.!?。！？:;|"”’)]'
_DIGITS_AHEAD = regex.compile(r'\d[.,:]$')
_ENDS_HERE = regex.compile(r'\s*(?:[.!?。！？:;|](?!\d)|$)')
_OPPOSITES = {frozenset(map(stem, pair)) for pair in OPPOSITES}
_OPPOSED = frozenset[str]().union(*_OPPOSITES)
_SIGNED = regex.compile(rf'(?<![\w.,])([-−–]|[<>≤≥] ?)?[$€£¥]?({NUMBER})')
_SIGNS = str.maketrans('−–≤≥', '--<>')
_DOTTED_DATE = regex.compile(r'\b(\d{1,2})\.(\d{1,2})\.(?=\d{4}\b)')

MAX_WORDS = 150
"""Of a statement or a sentence; what is longer is none, and would take long to lay beside another."""

NEARBY = 4
"""Words after a negation within which stands what it negates."""

BESIDE = 60
"""Characters beside a number in which the two words before and behind it are looked for."""

FAR = 8
"""Words before a statement within which another word turns it."""

_Code = tuple[str, int, int, int, int]
"""How a span of one text became a span of another, as difflib says it."""


@dataclass(frozen=True, slots=True)
class _Word:
    raw: str
    folded: str

    @property
    def is_number(self) -> bool:
        return self.folded[0].isdigit()

    @property
    def is_marked(self) -> bool:
        """Whether it is a number or has a capital."""
        return self.is_number or (self.raw[0].isupper() and not names.is_opener(self.raw))

    @property
    def negates(self) -> bool:
        is_short_form = self.raw.isupper() and self.raw.isalpha() and self.folded not in ENGLISH  # NI
        return not is_short_form and is_negation(self.raw.casefold())

    @property
    def tells(self) -> bool:
        return not self.negates and self.folded not in _HELPERS


@lru_cache(maxsize=65_536)
def _word(raw: str) -> _Word:
    forms = asked(raw)  # several, in scripts without spaces
    return _Word(raw, next(iter(forms)) if len(forms) == 1 else raw.casefold())


def _words(text: str) -> list[_Word]:
    text = _NO_LONGER.sub(r'\1 pas', _INTERJECTION.sub('', _DOTTED_DATE.sub(r'\1 \2 ', text)))
    return [_word(raw) for raw in _WORD.findall(text)]


def stands_in(text: str, line: str) -> bool:
    """Return whether a text is one or several whole sentences or parts of a line."""
    place = line.find(text)
    ahead, end = line[max(0, place - 9) : max(0, place)], place + len(text)
    before = ahead.rstrip()
    is_number_cut = text[:1].isdigit() and _DIGITS_AHEAD.search(ahead)
    is_begun = place >= 0 and not is_number_cut and (not before or before[-1] in _ENDS)
    return is_begun and (text[-1:] in _ENDS or bool(_ENDS_HERE.match(line, end)))


def closest(fact: str, lines: Mapping[int, str]) -> tuple[int, str]:
    """The sentence of some lines that has most of the wording of a fact, and the number of its line."""
    found = [(number, sentence) for number, line in lines.items() for sentence in _SENTENCE.split(line)]
    if len(found) < 2:
        return found[0] if found else (0, '')
    said = _pairs(fact)
    return max(found, key=lambda each: len(said & _pairs(each[1])))


def _pairs(text: str) -> set[tuple[str, str]]:
    return set(pairwise(['', *(word.folded for word in _words(text)), '']))


def contradicts(
    fact: str, sentence: str, is_elsewhere: Callable[[str], bool], is_one: Callable[[str, str], bool]
) -> bool:
    """Return whether the sentence that is most like a fact, of those it was taken from, says otherwise than the fact.

    `is_elsewhere` tells of a word whether something else that the fact was taken from says it, `is_one` of two words
    whether they are parts of one name.
    """
    if _is_denied_in_han(fact, sentence):
        return True
    said, there = _words(fact), _words(sentence)
    if len(said) > MAX_WORDS or len(there) > MAX_WORDS:
        return False
    if _is_exchanged(said, there) or _has_other_sign(fact, sentence):
        return True
    known, own = stated(sentence), {word.folded for word in said}
    has_new = any(word.folded not in known and (word.is_marked or stem(word.folded) in _OPPOSED) for word in said)
    if not has_new and not any(word.negates for word in chain(said, there)):
        return False
    ours, theirs = [word.folded for word in said], [word.folded for word in there]
    codes = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    if sum(end - start for kind, start, end, _, _ in codes if kind == 'equal') < LEAST_ALIKE * len(said):
        return False
    if _is_turned(said, there, codes):
        return True
    for _, start, end, first, last in (code for code in codes if code[0] == 'replace'):
        # In one place, and no clause for another.
        places = frozenset(stem(word.folded) for word in (*said[start:end], *there[first:last]))
        if places in _OPPOSITES and not is_elsewhere(said[start].folded):
            return True
        if all(word.is_marked or word.folded in _HELPERS for word in said[start:end]):
            new = [word for word in said[start:end] if word.is_marked and word.folded not in known]
            old = [word for word in there[first:last] if word.is_marked and word.folded not in own]
            if any(_clash(one, other, is_one) for one in new for other in old if not is_elsewhere(one.folded)):
                return True
    return False


def _is_denied_in_han(fact: str, sentence: str) -> bool:
    """Return whether a sentence has the very words of a fact, but for characters that deny."""
    fact, sentence = (unicodedata.normalize('NFKC', text) for text in (fact.rstrip('。.'), sentence))
    is_denied = fact not in sentence and IN_HAN.search(fact + sentence) is not None
    return is_denied and IN_HAN.sub('', fact) in IN_HAN.sub('', sentence)


def _clash(new: _Word, old: _Word, is_one: Callable[[str, str], bool]) -> bool:
    """Return whether the two are different names or numbers, and no two forms or parts of one."""
    if new.is_number or old.is_number:
        return new.is_number and old.is_number and bare_number(new.folded) != bare_number(old.folded)
    return new.folded[:4] != old.folded[:4] and not new.raw.isupper() and not is_one(new.raw, old.raw)


def _is_turned(said: Sequence[_Word], there: Sequence[_Word], codes: Sequence[_Code]) -> bool:
    """Return whether one of the two negates what the other states."""
    own, its = [word.negates for word in said], [word.negates for word in there]
    more = [said[start:end] for kind, start, end, _, _ in codes if kind == 'delete']
    less = [there[first:last] for kind, _, _, first, last in codes if kind == 'insert']
    if any(own) == any(its):  # one negation more or less between the same words
        return sum(own) != sum(its) and any(len(run) == 1 and run[0].negates for run in (*more, *less))
    plain, negated, surplus = (there, said, more) if any(own) else (said, there, less)
    # What is left out with all that it negates is not denied.
    left_out = {word for run in surplus if any(word.tells for word in run) for word in run}
    known = [roots(word.folded) for word in plain]
    denied = [roots(word.folded) for word in negated]
    turns = _TURNS.difference(*denied)
    return any(
        not each.isdisjoint(own := roots(word.folded))
        and all(map(turns.isdisjoint, known[max(0, at - FAR) : at + NEARBY]))
        # "Ada did not win, Brook won it": one of the two is meant.
        and (negated is said or _count(own, known) >= _count(own, denied))
        for word in _negated(negated)
        if word not in left_out
        for at, each in enumerate(known)
    )


def _count(word: frozenset[str], words: Sequence[frozenset[str]]) -> int:
    return sum(not word.isdisjoint(each) for each in words)


def _negated(words: Sequence[_Word]) -> Iterator[_Word]:
    """What each negation negates, if it is not for a time: the content word next to it."""
    for place, word in enumerate(words):
        if not word.negates:
            continue
        behind = [each.folded for each in words[place : place + FAR]]
        if 'until' in behind or any(tuple(behind[: len(each)]) == each for each in NO_DENIALS):
            continue
        to = next((each for each in words[place + 1 : place + 1 + NEARBY] if each.tells), None)
        if place + 1 == len(words) and word.folded in NEGATIONS - ENGLISH:  # "Die Brücke hält nicht"
            to = next((each for each in reversed(words[:place]) if each.tells), None)
        if to is not None and to.folded not in ONLY and not (word.folded == 'no' and to.is_number):
            yield to


def _is_exchanged(said: Sequence[_Word], there: Sequence[_Word]) -> bool:
    """Return whether the two are the same but for their names and numbers, which stand in each other's places."""
    (own, mine), (its, other) = _places(said), _places(there)
    if mine == other or own != its or sorted(chain(*mine)) != sorted(chain(*other)):
        return False
    wrong = [place for place, each in enumerate(mine) if each != other[place]]
    # "Ada and Brook" are also "Brook and Ada".
    return not (len(wrong) == wrong[-1] - wrong[0] + 1 == 2 and own[wrong[0]] in ('and', 'or'))


def has_other_unit(fact: str, evidence: str) -> bool:
    """Return whether a number of a fact has in its lines, each time, another scale, unit or currency."""
    ours = {number: found for number, found in measures(fact).items() if any(map(any, found))}
    theirs = measures(evidence) if ours else {}
    return any(
        (own := frozenset[str]().union(*(each[kind] for each in found)))
        and all(each[kind] and own.isdisjoint(each[kind]) for each in theirs[number])
        for number, found in ours.items()
        if number in theirs
        for kind in (0, 1)
    )


def _has_other_sign(fact: str, sentence: str) -> bool:
    """Return whether a number between the same words is negative in one of the two alone, or `<` here and `>` there.

    "Fell by 5" says what "changed by -5" does.
    """
    own, its = _signs(fact), _signs(sentence)
    both = ((own[number], its[number]) for number in own.keys() & its.keys())
    return any(signs[0] != signs[1] and ('-' in signs or '' not in signs) for signs in both)


def _signs(text: str) -> dict[tuple[str, ...], str]:
    """The sign of each number of a text, by the number and the two words before and behind it."""
    found: dict[tuple[str, ...], str] = {}
    for match in _SIGNED.finditer(text):
        before = _WORD.findall(text[max(0, match.start() - BESIDE) : match.start()].casefold())[-2:]
        behind = _WORD.findall(text[match.end() :][:BESIDE].casefold())[:2]
        found[*before, bare_number(match[2]), *behind] = (match[1] or '').strip().translate(_SIGNS)
    return found


def _places(words: Sequence[_Word]) -> tuple[list[str], list[list[str]]]:
    """The words that are neither name nor number, and what stands before, between and after them, in any order."""
    plain: list[str] = []
    places: list[list[str]] = [[]]
    for word in words:
        if word.is_marked:
            insort(places[-1], word.folded)
        else:
            plain.append(word.folded)
            places.append([])
    return plain, places
