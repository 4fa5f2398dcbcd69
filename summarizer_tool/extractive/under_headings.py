"""What a heading says of the statements below it: whom they are about, and whether it turns them around."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import regex

from summarizer_tool.extractive.statement import HeadingSection, Statement
from summarizer_tool.text import names

_LONGEST = 80
"""Characters of a heading that is said with what stands below it."""

NUMBERING = regex.compile(r'^(?:\d{1,3}(?:\.\d{1,3})*[.)]|[IVX]{1,5}[.)])\s+')
VERSION = regex.compile(
    r'(?:(?<![\d.§-])\d{1,4}\.\d{1,4}(?:\.\d|\b(?!\.))|\b(?:[Vv]ersions?|[Rr]elease) \d)(?!.*(?:[.?!]$|\d:\d\d))'
)
_ASIDE = regex.compile(r' ?[(\[][^()\[\]]{0,200}[)\]]')

_LISTING = regex.compile(r'^(?:(?:List|Outline|Index|Timeline|Table) of\b|Timeline$)')

# Below it stands what the text does not hold itself, or not as things are.
TURNS = regex.compile(
    r'^(?:(?:annex|article|part|section) [\p{Lu}\d.]+[-–—:. ]+)?[\d. ]*(?:non-?goals?\b'
    r'|(?:out|not in|outside) (?:of )?scope\b'
    r'|(?:what \p{L}+ (?:\p{L}+ )?)?not (?:cover(?:ed)?|includ(?:ed?)|planned|supported)\b|exclusions?\b|exceptions?\b'
    r'|(?:\p{L}+ )?(?:alternatives?|objections?|counter-?arguments?|drawbacks|criticisms?|myths|misconceptions)\b'
    r'|(?:rejected|discarded|abandoned)\b|(?:\p{L}+ / ?)?(?:roll-?back|downgrad(?:e|ing))\b'
    r'|nicht-?ziele\b|(?:verworfene )?alternativen\b|einwände\b|hors périmètre\b)',
    regex.IGNORECASE,
)


def is_name(label: str) -> bool:
    """Return whether all longer words of a label have capitals, what stands in brackets aside."""
    return all(word[0].isupper() for word in _ASIDE.sub('', label).split() if len(word) > 3)


@lru_cache(maxsize=1024)
def subject_of(heading: str) -> str:
    """The subject of a section, if its heading is a name: `Mola di Bari (town)` is about Mola di Bari."""
    title = NUMBERING.sub('', _ASIDE.sub('', heading)).strip(' :-–—')
    if len(title.split()) > 8 or not title[:1].isupper() or not names.mentions(title) or _LISTING.match(title):
        return ''
    words = [word for word in title.split() if len(word) > 3]
    return title if sum(word[0].isupper() for word in words) * 2 > len(words) else ''


def under_headings(said: Sequence[Statement], sections: Sequence[HeadingSection]) -> list[Statement]:
    """The statements, those with a heading before them that need one.

    That is what stands below one which turns it around, as Non-Goals does, or below one of several that are versions or
    days, as in a changelog.
    """
    titles = (section.titles for section in sections if section.titles)
    editions = {each for each in titles if VERSION.search(each[-1]) or _has_day(each[-1])}
    several = len({each[:-1] for each in editions}) < len(editions)
    leads = [_leads(section, editions if several else set()) for section in sections]
    return [_under(each, leads[each.section]) for each in said]


def _has_day(title: str) -> bool:
    return any(kind == 'date' and len(text) > len('2026') for kind, text, _ in names.located(title))


def _leads(section: HeadingSection, editions: set[tuple[str, ...]]) -> list[tuple[str, int]]:
    """The headings that stand before what is below them, with the numbers of their lines."""
    titles = section.titles
    turning = (depth for depth, title in enumerate(titles) if TURNS.match(title))
    dated = (depth for depth in range(len(titles) - 1, -1, -1) if titles[: depth + 1] in editions)
    found = ((NUMBERING.sub('', titles[depth]), section.numbers[depth], depth) for depth in (*turning, *dated))
    is_whole = titles[:1] not in editions  # the outermost is the title of the text
    return [(title, at) for title, at, depth in found if not (is_whole and depth == at == 0) and len(title) <= _LONGEST]


def _under(statement: Statement, leads: Sequence[tuple[str, int]]) -> Statement:
    for title, number in leads:
        if title not in statement.said(statement.text):
            lead = f'{title}: {statement.lead}' if statement.lead not in ('', '>') else title
            evidence = (*statement.evidence, *filter(None, [number]))
            return replace(statement, lead=lead, evidence=tuple(dict.fromkeys(evidence)))
    return statement
