"""The names, dates and numbers in a text, found by their shape alone.

They are what an extraction schema asks for and what a summary must not invent, so ranking covers them, grounding
checks them, and a budget too small for their sentences still lists them.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import regex

from summarizer_tool.text.normalize import NUMBER, NUMBER_WORDS, number_form
from summarizer_tool.text.stop_words import ENGLISH, FILLERS

if TYPE_CHECKING:
    from summarizer_tool.schemas import ItemKind

MONTH = (
    'January|February|March|April|May|June|July|August|September|October|November|December'
    '|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec'
)
_DATE = (
    rf'\d{{1,2}}(?:st|nd|rd|th)? (?:{MONTH})\b\.?(?:,? \d{{3,4}}\b)?'
    rf'|(?:{MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:, \d{{3,4}}\b)?'
    rf'|(?:{MONTH}) \d{{4}}\b|\d{{4}}-\d\d-\d\d\b|\d{{3,4}}s\b'
)
_WEEKDAY = '(?:Mon|Tue(?:s)?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?'
_IS_DATE = re.compile(
    rf'(?:{_WEEKDAY} )?(?:{_DATE})|\d{{1,2}}([./-])\d{{1,2}}\1\d{{4}}|\d{{4}}-\d\d-\d\d', re.IGNORECASE
)
"""What is found as a name, after the capital of `On` or a day of the week, or as a number, and is a date."""
DAY_OF_MONTH = re.compile(rf'(?:(?<=day )|(?<=day, ))\d{{1,2}}\. (?:{MONTH})\b|\d{{1,2}}\. (?:{MONTH}),? \d{{4}}\b')
"""`Monday 3. February`, or `3. February 2020`: a full stop that ends no sentence."""
# Small words inside a name; "and", "in" or "for" would join two names into one.
_JOINT = r"(?:of the|of|de la|de|la|le|du|des|von der|von|van der|van|der|den|di|da|del|al|bin|ibn|y|e|et|zu|&|'n'|the)"
# Runs of letters are read at once: one by one, names would take a third longer to find.
_WORD = r"(?:(?:[CAPITALS]\.){2,}|[CAPITALS](?:[’'.\-]*+(?:[^\W_]++|[\u0300-\u036f]))+|[CAPITALS]\.?)"
# Blanks around a hyphen may stand behind the first word alone: `Gate Opens - Ada Finn` are two.
_NAME = rf'{_WORD}(?: - {_WORD})?(?:(?: | {_JOINT} ){_WORD}|(?: (?:No\. )?\d+\b(?![,.%]\d|%)))*'
# Scripts without capitals: a run of Han, Kana, Hangul or the like within quotation or title marks.
_QUOTED = r'(?<=[「『《〈“"])[^「」『』《》〈〉“”"\n]{2,40}(?=[」』》〉”"])'
_NUMBER = r'[$€£¥]\s?\d[\d,.]*(?:\s?(?:million|billion|trillion|bn|[kKmM])\b)?|\d[\d,.:/–-]*\d\s?%?|\d+[¼-¾⅐-⅞]?\s?%?'
# `On 3 May 2020 Ada left`: a date and a name.
_LEADS = rf'(?:On|In|By|At|Since|From|Until|Before|After|Around|About|Of|For) (?:\d|(?:{MONTH}) \d)'
_MENTION = (
    # All that none of them begins with or after is passed over at once, and so is a place where there is none.
    r'[^CAPITALS\d$€£¥「『《〈“"]*+[「『《〈“"]*+'
    rf'(?:(?P<date>\b(?=[\dJFMASOND])(?:{_DATE}))|(?P<name>\b(?<!°)(?!{_LEADS}){_NAME})|(?P<title>{_QUOTED})|(?P<number>{_NUMBER})|.|\Z)'
)
# A key of a configuration, a name in a program, the id of a thing: small letters with digits or underscores at once.
_IDENTIFIER = re.compile(r'\b[a-z]++[_\d][\w.\-]*\w|\b(?=[a-f\d]*\d[a-f]|[a-f]+\d)[a-f\d]{7,40}\b')
_IN_IDENTIFIER = re.compile(r'[_\d](?:(?<=[a-z].)|(?<=\d)(?=[a-f]))')
"""What each of them has, and is found much faster than they are."""
_CLOCK = re.compile(r'\d:\d\d')
_GROUPS: 'dict[str | None, ItemKind]' = {'date': 'date', 'name': 'name', 'title': 'title', 'number': 'number'}
_MAY_BE_TITLES = frozenset({'name', 'identifier'})
_OPENING, _CLOSING = frozenset('"“«'), frozenset('"”»')

# Words with a capital only because a sentence begins with them; but `Don`, `Per` and `Tell` are names.
_OPENERS = ENGLISH.union(
    FILLERS,
    """according additionally afterwards another anyone anything apparently approximately back based became began
    behind beneath born briefly called certain clearly come compared consequently considered currently due
    earlier elsewhere eventually every everyone everything except famously finally first five follow following
    formerly found four furthermore give given go half including initially inside known large last late lately
    later least less like likewise located mean mine named namely near neither nevertheless next nine nobody
    none nonetheless notably note nothing occasionally ok one originally others outside overall partly people
    possibly presumably previously prior probably recently respectively right second see shall similarly six
    someone something somewhere soon specifically subsequently ten thanks thereafter third three today
    traditionally typically ultimately unfortunately unless unlike whereas whole widely""".split(),  # noqa: SIM905
) - {'don', 'per', 'tell'}
_WORDS = regex.compile(r"\b[dl]['’](?=\p{L}{2})|[\p{L}\p{M}]+(?:['’][\p{L}]+)?|\d+(?:,\d+)*(?:\.\d+)?")
# The same of folded ASCII, in half the time.
_ASCII_WORDS = re.compile(r"[dl](?<=\b.)'(?=[a-z]{2})|[a-z]+(?:'[a-z]+)?|\d+(?:,\d+)*(?:\.\d+)?")

_NUMBERS = re.compile(NUMBER)


@lru_cache(maxsize=65_536)
def mentions(text: str) -> tuple[str, ...]:
    """The distinct names, dates and numbers of a sentence or paragraph, as they are written, in order."""
    return tuple(dict.fromkeys(mention for _, _, _, (_, mention) in _found(text)))


def located(text: str) -> Iterator[tuple['ItemKind', str, int]]:
    """Every name, quoted title, date, number and identifier of a text: its kind, as it is written, and its offset."""
    for start, end, group, (kind, mention) in _found(text):
        before = text[start - 1 : start]
        if group == 'number' and (before.isalpha() or before == '_'):
            continue  # a part of an identifier
        if group == 'title' and not mention[0].isalpha():
            continue  # what stands between two titles
        if before in _OPENING and kind in _MAY_BE_TITLES and text[end : end + 1] in _CLOSING:
            kind = 'title'
        if kind != 'title' or not mention[0].islower():  # words in quotation marks
            yield kind, mention, start
    if _IN_IDENTIFIER.search(text):
        for match in _IDENTIFIER.finditer(text):
            yield 'identifier', match.group(), match.start()


def _found(text: str) -> Iterator[tuple[int, int, str, tuple['ItemKind', str]]]:
    """The span of every match, the group that has matched, and the kind and words that are read of it."""
    for match in _mention().finditer(text):
        if group := _GROUPS.get(match.lastgroup):
            start, end = match.span(group)
            ahead, blank = text[start - 2 : start - 1], text[start - 1 : start]
            is_inside = blank == ' ' and (ahead.islower() or ahead == ',')
            if read := _read(group, text[start:end], is_inside):
                yield start, end, group, read


@cache
def _mention() -> re.Pattern[str]:
    # The standard library's engine is three times as fast as one that knows capitals by their property.
    upper = filter(str.isupper, map(chr, range(0x10000)))
    capitals = (each for each in upper if unicodedata.category(each) == 'Lu')
    return re.compile(_MENTION.replace('CAPITALS', ''.join(capitals)), re.DOTALL)


@lru_cache(maxsize=65_536)
def _read(group: 'ItemKind', written: str, is_inside: bool) -> tuple['ItemKind', str] | None:
    """The kind and words of what has been found, within a sentence or not; nothing of a mere opener or letter."""
    mention = (_trim(written, is_inside) if group == 'name' else written).strip()
    if not mention or (len(mention) == 1 and not mention.isdigit()):
        return None
    if mention.isdigit():
        return 'date' if len(mention) == 4 and mention[0] in '12' else 'number', mention
    if group in ('name', 'number') and _IS_DATE.fullmatch(mention):
        return 'date', mention
    if group == 'name' and ' ' not in mention and any(map(str.isdigit, mention)):
        return 'identifier', mention
    return group, mention


def _trim(name: str, is_inside: bool) -> str:
    """Take sentence openers off the front of a name, and a possessive off its end.

    Within a sentence a month, or a number or `Will` before another word, has its capital as a part of a name.
    """
    words = name.split(' ')
    while words and is_opener(words[0]):
        first = words[0].lower()
        if is_inside and (words[0] == 'May' or (len(words) > 1 and (first == 'will' or first in NUMBER_WORDS))):
            break
        words.pop(0)
        is_inside = True
    if words[1:2] == ['-'] and is_opener(words[2]):  # `Orme - The keepers`
        del words[1:]
    if not words:
        return ''
    return ' '.join(words).removesuffix("'s").removesuffix('’s')


def is_opener(word: str) -> bool:
    """Return whether `word` has a capital only because a sentence begins with it."""
    return word.lower().rstrip(".,'’") in _OPENERS


@lru_cache(maxsize=65_536)
def key(mention: str) -> str:
    """What two spellings of one name have in common: case, groups of digits and leading articles do not count."""
    folded = mention.casefold().replace('’', "'")
    if folded[:1].isdigit() or folded[:1] in '$€£¥':
        return _NUMBERS.sub(lambda match: number_form(match.group()), folded).replace(', ', '').replace(' ', '')
    return folded.removeprefix('the ')


def words(text: str) -> list[str]:
    """The words and numbers of `text`, case-folded, numbers without groups."""
    folded = text.casefold()
    return [*map(_bare, (_ASCII_WORDS if folded.isascii() else _WORDS).findall(folded))]


@lru_cache(maxsize=65_536)
def _bare(word: str) -> str:
    if word[0].isdigit():
        return number_form(word)
    return word[:-2] if word.endswith(("'s", '’s')) else word


def opens_sentence(text: str, mention: str) -> bool:
    """Return whether `mention` is one capitalized word that may only be capitalized because `text` begins with it."""
    return ' ' not in mention and text.lstrip('"“\'(*_').startswith(mention)


def writer(text: str) -> str:
    """Who wrote when, as what leads to a quotation tells: `On 3 May 2026 at 14:40, Ada Brook wrote:`."""
    if not text.endswith(':') or not _CLOCK.search(text):
        return ''
    found = {kind: name for kind, name, _ in located(text) if ' ' in name or kind != 'name'}
    return found.get('name', '') if 'date' in found else ''
