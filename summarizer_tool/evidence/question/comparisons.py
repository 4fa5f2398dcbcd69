"""Comparisons and enumerations within one question: each thing that is compared or listed gets a query of its own."""

from collections.abc import Sequence
from itertools import dropwhile

import regex

from summarizer_tool.evidence.question.pronouns import QUESTION_WORDS, VERBS

_MAX_ITEM_WORDS = 8

# "on price" and the like; what it is compared by keeps no preposition, where and when it is compared does.
_BY = (
    r'(?:\s*[,:]?\s+(?:(?:on|by|in terms of|with respect to|with regards? to|regarding|according to|based on'
    r'|concerning)\s+(?P<by>[^?]{2,150}?)|(?P<where>(?:for|in|during|at|since|under)\s+[^?]{2,150}?)))?\s*[?.!]*$'
)
_COMPARED = tuple(
    regex.compile(pattern, regex.IGNORECASE)
    for pattern in (
        rf'^(?:please )?(?:compare|contrast)(?: and contrast)? (?P<items>[^?]{{3,200}}?){_BY}',
        rf'^(?:.{{0,40}}?\b)?(?:differences?|similarit(?:y|ies)|comparison|trade-?offs?)(?: in (?P<by>[^,?]{{2,80}}?))?'
        rf' (?:between|of) (?P<items>[^?]{{3,200}}?){_BY}',
        rf'^how (?:do|does|did|is|are|was|were) (?P<items>[^?]{{2,120}}? (?:compared? (?:to|with)|differ(?:ent)? from) '
        rf'[^?]{{2,120}}?){_BY}',
        rf'^how (?:do|did|are|were) (?P<items>[^?]{{2,160}}? and [^?]{{2,80}}?) (?:differ|compare|different){_BY}',
        r'^(?:(?:which|what|who)(?: one)? (?:is|are|was|were|has|have|had) (?P<by>[^,:?]{3,80}?)[,:] )'
        r'(?P<items>[^?]{2,120}? or [^?]{2,120}?)(?P<where>)\s*[?.!]*$',
        rf'^(?P<items>[^?,;]{{2,80}}? (?:vs\.?|versus) [^?,;]{{2,80}}?){_BY}',
    )
)
_BETWEEN = regex.compile(
    r'\s+(?:with|to|against|vs\.?|versus|compared? (?:to|with)|differ(?:ent)? from)\s+', regex.IGNORECASE
)
_LISTED = regex.compile(r'\s*,\s*(?:and|or)\s+|\s*,\s*|\s+(?:and|or|&)\s+', regex.IGNORECASE)
_ARTICLE = regex.compile(r'^(?:the|an?|both|either)\s+', regex.IGNORECASE)

_OPENING = (
    rf'(?:(?:{QUESTION_WORDS}\s+(?:is|are|was|were)|(?:please )?(?:tell me(?: about)?|list|give(?: me)?|show(?: me)?'
    r'|describe|explain|find|name|summari[sz]e)|i (?:want|need)(?: to know)?|what about)\s+)?'
)
_NOUN = r'(?:(?:the|an?|its|their|all)\s+)?[\p{L}\p{N}’\'-]+(?:\s+[\p{L}\p{N}’\'-]+){0,3}?'
_AND = r'(?:and|or|und|et|y)'
# Three at least: two ("research and development") are often one thing, unless each has its article.
_NOUNS = regex.compile(
    rf'^{_OPENING}(?P<items>{_NOUN}(?:\s*,\s*{_NOUN}){{1,5}}\s*,?\s+{_AND}\s+{_NOUN})\s+'
    r'(?P<whole>(?:of|for|in|at|from|on)\s+[^,;?]{2,120}?)(?P<mark>\s*[?.!]*)$',
    regex.IGNORECASE,
)
_TWO = regex.compile(
    rf'^{_OPENING}(?P<items>the\s+[\p{{L}}’\'-]+(?:\s+[\p{{L}}’\'-]+)?\s+{_AND}\s+the\s+[\p{{L}}’\'-]+(?:\s+[\p{{L}}’\'-]+)?)\s+'
    r'(?P<whole>of\s+[^,;?]{2,120}?)(?P<mark>\s*[?.!]*)$',
    regex.IGNORECASE,
)
_OF = r'the\s+[^,;?]{2,60}?\s+of\s+[^,;?]{2,60}?'
_OF_NAME = r'the\s+\S+\s+of\s+(?:the\s+)?(?-i:\p{Lu})'
_EACH_OF = regex.compile(
    # The first one is of something with a name: "the name of the owner and the age of the mill" are of one mill.
    rf'^(?P<head>{_OPENING})(?P<items>(?={_OF_NAME}){_OF}\s+{_AND}\s+{_OF})(?P<mark>\s*[?.!]*)$',
    regex.IGNORECASE,
)
_AND_THE = regex.compile(rf'\s+{_AND}\s+(?=the\s)', regex.IGNORECASE)
_PROPER = (
    r"\p{Lu}[\p{L}\p{N}’'.-]*(?:\s+(?:of|de|la|the)\s+\p{Lu}[\p{L}\p{N}’'.-]*|\s+[\p{Lu}\p{N}][\p{L}\p{N}’'.-]*){0,4}"
)
_NAMES = regex.compile(
    rf'^(?P<head>.{{3,120}}?\s(?:of|for|in|by|does|do|did|is|are|was|were|has|have)\s+)'
    rf'(?P<items>{_PROPER}(?:,\s*{_PROPER})+,?\s+(?:and|or|und|et|y)\s+{_PROPER})(?P<tail>\s+[^,;?]{{1,80}})?(?P<mark>[?.!]*)$'
)
_NO_NOUN = regex.compile(rf'\b(?:{QUESTION_WORDS}|{VERBS})\b', regex.IGNORECASE)


def compared(question: str) -> tuple[str, ...]:
    """One query for each thing that a question compares, with what they are compared by.

    "Kaplan price", "Francis price" of "compare Kaplan and Francis on price"; nothing if it compares nothing.
    """
    for pattern in _COMPARED:
        for match in pattern.finditer(question):
            found = match.capturesdict()
            items = _with_head(_things(match['items']))
            if len(items) >= 2:
                tail = ' '.join(
                    text.strip() for name in ('by', 'where') for text in found.get(name, []) if text.strip()
                )
                return tuple(f'{item} {tail}'.strip() for item in items)
    return ()


def enumerated(question: str) -> tuple[str, ...]:
    """One query for each thing that a question lists about something, or for each name that it asks the same of.

    "height of the dam", "age of the dam" ...; nothing if it lists nothing, or but two things without articles.
    """
    for pattern in (_NOUNS, _TWO):
        if match := pattern.match(question):
            items = [_ARTICLE.sub('', item) for item in _LISTED.split(match['items']) if item]
            if not any(_NO_NOUN.search(item) for item in items):
                return tuple(f'{item} {match["whole"]}' for item in items)
    if (match := _EACH_OF.match(question)) and len(items := _AND_THE.split(match['items'])) == 2:
        return tuple(f'{match["head"]}{item}{match["mark"]}' for item in items)
    if match := _NAMES.match(question):
        items = [item for item in _LISTED.split(match['items']) if item]
        return tuple(f'{match["head"]}{item}{match["tail"] or ""}{match["mark"]}' for item in items)
    return ()


def _things(text: str) -> list[str]:
    """What is compared: what stands on both sides of "with" or "vs", or else the items of a list."""
    sides = _BETWEEN.split(text)
    items = sides if len(sides) > 1 else _LISTED.split(text)
    items = [item.strip(' .,:') for item in items]
    is_sound = all(0 < len(item.split()) <= _MAX_ITEM_WORDS and not _NO_NOUN.search(item) for item in items)
    return items if is_sound else []


def _with_head(items: list[str]) -> list[str]:
    """The items with what they share: "the Kaplan and the Francis turbine" are two turbines."""
    if len(items) < 2:
        return items
    *others, last = items
    shared = regex.search(r'\sof\s.+$', last)
    if shared and not any(' of ' in item or item[:1].isupper() for item in others):
        return [f'{item}{shared.group()}' for item in others] + [last]
    first = regex.match(r'^.+?\sof\s', items[0])
    if first and not any(' of ' in item for item in items[1:]):
        return [items[0], *(f'{first.group()}{item}' for item in items[1:])]
    head = _head(others, last)
    return [f'{item} {head}'.strip() for item in others] + [last]


def _head(others: Sequence[str], last: str) -> str:
    """The noun at the end of the last item, if the others stand there without one."""
    bare = [_ARTICLE.sub('', item) for item in others]
    words = _ARTICLE.sub('', last).split()
    if len(words) < 2 or not words[-1].islower() or any(' ' in item for item in bare):
        return ''
    if all(item[:1].isupper() for item in bare):
        return ' '.join(dropwhile(lambda word: not word.islower(), words[1:]))
    have_articles = all(_ARTICLE.match(item) for item in (*others, last))
    return words[-1] if have_articles and len(words) == 2 else ''
