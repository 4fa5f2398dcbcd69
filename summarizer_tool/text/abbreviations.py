"""Full stops that end no sentence."""

import re

import regex

from summarizer_tool.text.names import DAY_OF_MONTH
from summarizer_tool.text.stop_words import is_stop_word

_WORDS = frozenset(
    """Mr Mrs Ms Dr St Prof Sr Jr Lt Col Gen Capt Sgt Rev Hon Gov Sen Rep Mt Ft vs etc No Vol pp cf ca approx Inc Ltd Co
    Corp Bros fl ed bzw Nr Abb vgl evtl usw jur phil inż ul ks św im płk Sra Dra Av""".split()  # noqa: SIM905
)
_BEFORE_NUMBER = frozenset('abs approx art ca ch eq fig gem kl kr max min nr pkt poz sec str tab tel ust'.split())  # noqa: SIM905
_ABBREVIATION = regex.compile(
    rf'(?:\b(?:(?<!\bWar )\p{{Lu}}|{"|".join(sorted(_WORDS))}|p|v|e\.g|i\.e|a\.k\.a)|(?:\b\p{{L}}\.){{1,4}}\p{{L}})\.$'
)
_ORDINAL = regex.compile(r'(?<![\p{L}\d.,:/-])\d{1,3}\.$')
_APART = re.compile(r"[\s'’.-]")
_NEXT = regex.compile(r'\s*(\w+)')
_ABBREVIATION_REACH, _GAP = 14, 14
"""Characters before a full stop in which an abbreviation stands, and after it in which the next word begins."""
_SHORT = 4
"""Letters of a word after which a full stop and a small letter end no sentence, in whatever language."""
_LONGEST = 6
"""Letters of the longest one."""


def is_abbreviated(text: str, end: int, language: str = 'en') -> bool:
    """Return whether the full stop before `end` belongs to an abbreviation, an initial or an ordinal number."""
    if text[end - 1 : end] != '.':
        return False
    word = text[max(0, end - _LONGEST - 2) : end - 1].rpartition(' ')[2]
    if len(word) > _LONGEST and word.isalpha():
        return False
    if not word.isalpha():  # as nearly all are
        word = _APART.split(word)[-1]
    if len(word) > 1 and word.isalpha():
        if word in _WORDS or word[:1].lower() + word[1:] in _WORDS:
            return True
        following = text[end : end + _GAP].lstrip()[:1]
        if following.isdigit():
            return word.lower() in _BEFORE_NUMBER or (len(word) < _SHORT and word.islower())
        return len(word) <= _SHORT and (following.islower() or following == '§')
    start = max(0, end - _ABBREVIATION_REACH)
    is_number = word[-1:].isdigit() and (len(word) < _SHORT or not word.isdigit())
    if is_number and _ORDINAL.search(text, start, end):
        following = _next(text, end)
        # In German nouns have capitals, too, and in a date of many languages the month.
        is_noun = language == 'de' and following[:1].isupper() and not is_stop_word(following, language)
        return is_noun or following[:1].islower() or DAY_OF_MONTH.match(text, end - len(word) - 1) is not None
    if word[-1:].isalpha() and _ABBREVIATION.search(text, start, end):
        return True
    return word.islower() and _next(text, end)[:1].islower()


def ends(text: str, stops: regex.Pattern[str]) -> list[int]:
    """Where the sentences of a text end, by a pattern of what may end one; last, where the text does."""
    found = (stop for stop in stops.finditer(text) if not is_abbreviated(text, stop.start() + 1))
    return [*(stop.end() for stop in found), len(text)]


def _next(text: str, end: int) -> str:
    following = _NEXT.match(text, end)
    return following[1] if following else ''
