"""What a fact stands below in its source, without which it is read as of something else: headings, a name, a date."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import regex

from summarizer_tool.extractive.under_headings import NUMBERING, subject_of
from summarizer_tool.mapreduce.merging import Place
from summarizer_tool.text import names, scoring, tokens
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.own_lines import without_own
from summarizer_tool.text.sentences import plain

MAX_TITLE_CHARACTERS = 80
INDEX_LEAD = 'Also named: '
"""What a line of names begins with, and no lead."""
TITLE_MARKS = regex.compile(r'^[#>*+\-\s=|`~]+|[#\s=|`~]+$')
_LEAST_DATES = 3
"""Headings of a document that begin with a date, from which they are those of a timeline."""

# `33 A.R. — The coast`, `1943`, `12 March 1943`, `c. 604–610`, `Year 12: The flood`
_DATED = regex.compile(
    r'(?:[Yy]ear \d+|\d{1,4}(?: ?[-–/] ?\d{1,4})? ?(?:\p{Lu}\.?){1,3}(?!\w)'
    r'|(?:c\. ?|(?:\d{1,2}(?:st|nd|rd|th)? )?\p{Lu}\p{L}+ (?:\d{1,2}, )?)?\d{3,4}(?: ?[-–/] ?\d{1,4}){0,2}s?'
    r'(?: (?:\p{Lu}\.?){1,3}(?!\w))?)(?=$|\s*[-–—:(](?!\d))'
)
_OPENING = regex.compile(r'^[\s|"“*]*(?:The )?')


@dataclass(frozen=True, slots=True)
class FactEntry:
    """A fact, prepared for choosing and writing."""

    index: int
    place: Place
    """Where it stands in reading order."""
    text: str
    """The statement on one line, without list and heading marks before it."""
    item: scoring.Item
    section: Sequence[str] = ()
    """The headings that are written above it, if it does not follow another fact below them."""
    lead: str = ''
    """What is said with it instead, if it does not follow one of the same section."""

    @property
    def said(self) -> str:
        """The statement with its lead."""
        return f'{self.lead}: {self.text}' if self.lead else self.text


def below_headings(
    entries: Sequence[FactEntry], headings: Sequence[Sequence[str]], titles: Sequence[str]
) -> list[FactEntry]:
    """The facts, each below its innermost heading, and the one around that which tells it from others like it.

    Where none does, the one that it begins with, which is not said below it. The title of the whole is not written, nor
    what heads all of it.
    """
    sections: list[tuple[str, ...]] = [()] * len(entries)
    of_documents: defaultdict[int, list[int]] = defaultdict(list)
    for index, entry in enumerate(entries):
        of_documents[entry.place[0]].append(index)
    for document, indices in of_documents.items():
        paths = sorted(tuple(headings[index]) for index in indices if headings[index])
        # The title of the only document heads a part of it where others stand beside that.
        title = {titles[document]} if len(titles) > 1 else set[str]()
        whole = {*title, *paths[0][: _shared(paths[0], paths[-1])]} if paths else set[str]()
        telling = {index: _written(headings[index], whole) for index in indices}
        around: defaultdict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
        for above in telling.values():
            around[above[-1:]].add(above[:-1])
        for index, above in telling.items():
            led_by = [title for title in above[:-1] if _unled(text := entries[index].text, title) != text]
            sections[index] = (*(_apart(above[:-1], around[above[-1:]]) or led_by[-1:]), *above[-1:])
    return [_below(section, entry) for section, entry in zip(sections, entries, strict=True)]


def _apart(around: tuple[str, ...], every: set[tuple[str, ...]]) -> tuple[str, ...]:
    """Of the headings around one that others have, too, the innermost that only the former has at its depth."""
    telling = (each for level, each in enumerate(around) if len({other[level : level + 1] for other in every}) > 1)
    return (*telling,)[-1:]


def _written(headings: Sequence[str], whole: set[str]) -> tuple[str, ...]:
    texts = (TITLE_MARKS.sub('', without_own(one_line(plain(each)))) for each in headings if each not in whole)
    return tuple(filter(None, texts))


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _below(section: tuple[str, ...], entry: FactEntry) -> FactEntry:
    """A fact below headings, without those that it begins with."""
    text = entry.text
    for title in section:
        text = _unled(text, title)
    cost = sum(map(tokens.count_cached, heading_lines(section)))
    item = replace(entry.item, cost=tokens.count_cached(text) + 1, below=(entry.place[0], section), below_cost=cost)
    return replace(entry, section=section, text=text, item=item)


def _unled(text: str, title: str) -> str:
    """A text without a heading that it begins with, if it does."""
    lead, mark, rest = text.partition(': ')
    named = NUMBERING.sub('', title)
    return rest if mark and (lead.rstrip(' :?') == named.rstrip(' :?') or named.startswith(f'{lead}: ')) else text


def with_leads(
    entries: Sequence[FactEntry], headings: Sequence[Sequence[str]], titles: Sequence[str]
) -> list[FactEntry]:
    """The facts, each with whom its section is about, and the date above it in a timeline, where it does not say so.

    Of sections that say the same, "The cause was …", or are of one series, "Incident 4001", it is the heading.
    """
    dates = _dates(entries, headings)
    forms = [_forms(entry.text, above) for entry, above in zip(entries, headings, strict=True)]
    places = {(form, *above) for each, above in zip(forms, headings, strict=True) for form in each}
    times = Counter(form for form, *_ in places)
    alike = [not date and any(times[form] > 2 for form in each) for each, date in zip(forms, dates, strict=True)]
    led = (_led(*each, titles) for each in zip(entries, headings, alike, strict=True))
    return [_dated(entry, date) for entry, date in zip(led, dates, strict=True)]


def _forms(text: str, headings: Sequence[str]) -> set[str]:
    """What a fact and the heading above it begin with, as others like them do."""
    series = [each for each in headings[-1:] if any(map(str.isdigit, each))]
    words = [names.words(each) for each in (text, *series)]
    return {' '.join(each[:count]) for each, count in zip(words, (2, 1), strict=False) if each and headings}


def _led(entry: FactEntry, headings: Sequence[str], is_alike: bool, titles: Sequence[str]) -> FactEntry:
    """A fact with whom its section is about, a name among the headings, unless it says so or begins with a name."""
    title = titles[entry.place[0]]
    name = next((each for each in map(subject_of, reversed(headings)) if each and each not in title), '')
    subject = name or (short_title(headings[-1]) if is_alike else '')
    is_said = subject in title or {*scoring.content_words(subject)} <= {*entry.item.words}
    wanted, mentioned = {*names.words(subject)}, () if is_said else names.mentions(entry.text)
    is_said = is_said or any(
        each <= wanted or wanted <= each for each in ({*names.words(name)} for name in mentioned) if each
    )
    if name and mentioned and not is_said and _OPENING.sub('', entry.text).startswith(mentioned[0]):
        return entry  # what follows may not be about that name
    return replace(entry, section=headings, lead='' if is_said or subject.startswith(INDEX_LEAD.rstrip()) else subject)


def _dates(entries: Sequence[FactEntry], headings: Sequence[Sequence[str]]) -> list[str]:
    """The date above each fact, where several headings of its document begin with one, as those of a timeline do."""
    found = [next((date[0] for each in reversed(above) if (date := _DATED.match(each))), '') for above in headings]
    documents = [entry.place[0] for entry in entries]
    times = Counter(document for document, date in {*zip(documents, found, strict=True)} if date)
    return [date if times[document] >= _LEAST_DATES else '' for document, date in zip(documents, found, strict=True)]


def _dated(entry: FactEntry, date: str) -> FactEntry:
    """A fact with the date above it, unless it says that or begins with one."""
    if not date or date.casefold() in entry.text.casefold() or _DATED.match(entry.text):
        return entry
    text = f'{date}: {entry.text}'
    return replace(entry, text=text, item=replace(entry.item, cost=tokens.count_cached(text) + 1))


def heading_lines(section: Sequence[str], before: Sequence[str] = ()) -> list[str]:
    """The headings that are written above a fact which follows one below other headings."""
    same = _shared(before, section)
    return [f'##{"#" * level} {short_title(title)}' for level, title in enumerate(section) if level >= same]


def short_title(title: str) -> str:
    """A title of at most `MAX_TITLE_CHARACTERS`."""
    return title if len(title) <= MAX_TITLE_CHARACTERS else f'{title[:MAX_TITLE_CHARACTERS].rstrip()}…'
