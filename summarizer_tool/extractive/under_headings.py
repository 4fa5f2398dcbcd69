"""Say with statements the heading without which they would be taken for something else. Pure text work."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import regex

from summarizer_tool.extractive.statement import HeadingSection, Statement
from summarizer_tool.text import names

_LONGEST = 80
"""Characters of a heading that is said with what stands below it."""

NUMBERING = regex.compile(r'^(?:\d{1,3}(?:\.\d{1,3})*[.)]|[IVX]{1,5}[.)])\s+')
ASIDE = regex.compile(r' ?[(\[][^()\[\]]{0,200}[)\]]')
_LISTING = regex.compile(r'^(?:(?:List|Outline|Index|Timeline|Table) of\b|Timeline$)')

VERSION = regex.compile(
    r'(?:(?<![\d.§-])\d{1,4}\.\d{1,4}(?:\.\d|\b(?!\.))|\b(?:[Vv]ersions?|[Rr]elease) \d)(?!.*(?:[.?!]$|\d:\d\d))'
)

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

# What is said in spite of it.
_TURNS_BACK = regex.compile(r'^(?:But|However|Nevertheless|Aber|Jedoch|Mais|Pero)\b')

# `Ada Orme: The new plan (Mon, 3 Feb 2025 09:12, to all)`
_WRITTEN_BY = regex.compile(r'^([^:()]{2,60}?)(?:: [^()]{1,200})? \([^()]{0,60}(?:\d\d:\d\d|, to )[^()]{0,300}\)$')


def is_name(label: str) -> bool:
    """Return whether all longer words of a label have capitals, what stands in brackets aside."""
    return all(word[0].isupper() for word in ASIDE.sub('', label).split() if len(word) > 3)


@lru_cache(maxsize=1024)
def subject_of(heading: str) -> str:
    """The subject of a section, if its heading is a name: `Mola di Bari (town)` is about Mola di Bari."""
    title = NUMBERING.sub('', ASIDE.sub('', heading)).strip(' :-–—')
    found = names.mentions(title)
    if not found or len(title.split()) > 8 or _LISTING.match(title):
        return ''
    words = [word for word in title.split() if len(word) > 3]
    return title if title[0].isupper() and sum(word[0].isupper() for word in words) * 2 > len(words) else ''


def under_headings(said: Sequence[Statement], sections: Sequence[HeadingSection]) -> list[Statement]:
    """The statements, those with a heading before them that need one.

    That is what stands under a heading which turns it around, as Non-Goals does; and under one of several that are
    alike, each with headings of the same names below it, or of which each is a version or a day, as in a changelog.
    """
    parents_of: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for section in sections:
        if len(section.titles) > 1:
            parents_of[section.titles[-1].casefold()].add(section.titles[:-1])
    alike = {parent for parents in parents_of.values() if len(parents) > 1 for parent in parents}
    named = [section.titles for section in sections if section.titles and len(section.titles[-1]) <= _LONGEST]
    editions = {
        titles
        for titles in named
        if VERSION.search(titles[-1]) or (_has_day(titles[-1]) and not _WRITTEN_BY.match(titles[-1]))
    }
    alike |= editions if len({each[:-1] for each in editions}) < len(editions) else set()
    recurring = {
        title for title, times in Counter(each.titles[-1] for each in sections if each.titles).items() if times > 2
    }
    alike = {parent for parent in alike if parent[-1] not in recurring}
    titles = {sections[each.section].titles for each in said}
    # Not the title of all of the text.
    alike = {parent for parent in alike if any(each[: len(parent)] != parent for each in titles)}
    writers = [_WRITTEN_BY.match(section.titles[-1] if section.titles else '') for section in sections]
    if sum(map(bool, writers)) > 1:
        said = [_written(each, sections[each.section], writers[each.section]) for each in said]
    return [_under(each, sections[each.section], alike) for each in said]


def _has_day(title: str) -> bool:
    return any(kind == 'date' and len(text) > len('2026') for kind, text, _ in names.located(title))


def _written(statement: Statement, section: HeadingSection, writer: regex.Match[str] | None) -> Statement:
    """A statement with who wrote the mail it is from, unless it has a lead."""
    if not writer or statement.lead:
        return statement
    evidence = tuple(dict.fromkeys((*statement.evidence, *filter(None, section.numbers[-1:]))))
    return replace(statement, lead=writer[1], evidence=evidence)


def _under(statement: Statement, section: HeadingSection, alike: set[tuple[str, ...]]) -> Statement:
    turning = enumerate(section.titles if not _TURNS_BACK.match(statement.text) else ())
    depth = next((depth for depth, title in turning if TURNS.match(title)), None)
    if depth is None:
        depth = next((at - 1 for at in range(len(section.titles), 0, -1) if section.titles[:at] in alike), None)
    if depth is None:
        return statement
    if section.numbers[depth] == depth == 0 and not VERSION.search(section.titles[0]):  # the title of the text
        return statement
    title = NUMBERING.sub('', section.titles[depth]).rstrip('?？ ')
    if len(title) > _LONGEST or title in statement.said(statement.text):
        return statement
    lead = f'{title}: {statement.lead}' if statement.lead not in ('', '>') else title
    numbers = filter(None, section.numbers[depth : depth + 1])
    return replace(statement, lead=lead, evidence=tuple(dict.fromkeys((*statement.evidence, *numbers))))
