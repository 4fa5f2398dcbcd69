"""How many lines, or things with fields, have what a question names: exact counts, each with what it counts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain

from summarizer_tool.digests.asked import NamedRows
from summarizer_tool.digests.statements import LONGEST, DigestStatement
from summarizer_tool.text.lines import SPACELESS
from summarizer_tool.text.stop_words import stop_words
from summarizer_tool.text.terms import stem

_COUNTED, _SINGLE = 110.0, 64.0
"""The rank of the first count, and that of a single line or thing,"""
_STEP = 2.0
"""and what each further one loses."""
_MOST = 4
"""Counts that are told."""
_NEARLY_ALL = 0.98
"""Share of the lines or things from which what they have tells nothing."""
_WORDS = 16
"""Words of a question that are looked for."""
_FIELDS = 60
"""Fields of things in which they are."""
_ROOT = 4
"""Letters of a root from which words that have it are of one meaning, whatever their endings."""
_FREE = 0.5
"""Values of a field, for each thing, from which it is free text."""
_LISTED = 8
"""Things up to which each is named that has all of what is asked for."""

_HOW_MANY = re.compile(
    r'(?i)\b(?:how (?:many|often)|(?:total )?(?:number|count) of|wie ?viele?|wie oft|combien|cu[aá]nt[oa]s'
    r'|quant[oaie]s?|hoeveel|сколько)\b|多少|几[个次条]|いくつ|何[件回個]'
)
"""What asks for a count; without it only things are counted that have several words of a question, and are few."""
_SPACELESS = re.compile(f'[{SPACELESS}]+')
_WORD = re.compile(r'[^\s,;?!"“”„«»()\[\]<>]+')
_LETTERS = re.compile(r'\b[^\W\d_]{3,}\b')


@dataclass(frozen=True, slots=True)
class _Having:
    """Which lines or things have a word."""

    word: str
    said: str
    """What they have, as a count says it."""
    having: AbstractSet[int]
    """Their indices, from 0."""

    @property
    def is_name(self) -> bool:
        """Whether it is written as a name is, with capitals, digits or signs, and not as any word."""
        return not (self.word.isalpha() and self.word.islower())


def tallies(lines: Sequence[str], things: Sequence[NamedRows], focus: str) -> Iterator[DigestStatement]:
    """Count what has each thing that a question names, and what has several of them.

    Args:
        lines: Those of the text.
        things: Lists of things with fields in it; of these their fields are counted where they have what is asked for.
        focus: The question.
    """
    is_asked = _HOW_MANY.search(focus) is not None
    words = _asked(_HOW_MANY.sub(' ', focus))
    of_rows = [told for each in things if len(each.rows) > 1 if (told := _of_rows(each, words, len(things) > 1))]
    # What is asked for may be in any of several lists.
    told = [each[0] for each in of_rows] if len(of_rows) > 1 else of_rows[0] if of_rows else _of_lines(lines, words)
    # A count of one tells less than the one itself.
    for nth, (text, is_listed) in enumerate(told[:_MOST]):
        rank = _SINGLE if text.startswith('1 ') else _COUNTED
        if is_asked or is_listed:
            yield DigestStatement(text, rank - _STEP * nth, 'mentioned')


def _asked(question: str) -> Sequence[str]:
    """The words of a question that say something, as they are written: names, paths, endings of files whole."""
    found = [word.rstrip(".:'’") for word in _WORD.findall(_SPACELESS.sub(r' \g<0> ', question[:2000]))]
    idle = stop_words(map(str.lower, found))
    words = (word for word in found if len(word) > 1 or _SPACELESS.match(word))
    return [*dict.fromkeys(word for word in words if word.lower() not in idle or word.isupper())][:_WORDS]


def _pattern(word: str) -> re.Pattern[str]:
    """Finds a word, with its capitals if it has some; of a path no part of a name."""
    sign = r'[\w-]' if '/' in word else r'[^\W_]'  # `pydantic` is in `pydantic_core`
    before = f'(?<!{sign})' if word[0].isascii() and word[0].isalnum() else ''
    after = r'[^\W\d_]' if word[-1].isalpha() and '/' not in word else sign  # `python` is in `python3`
    behind = f'(?!{after})' if word[-1].isascii() and word[-1].isalnum() else ''
    return re.compile(f'{before}{re.escape(word)}{behind}', re.IGNORECASE if word.islower() else 0)


def _searched(texts: Sequence[str], words: Sequence[str]) -> Iterator[_Having]:
    """Which texts have each word, as it is asked for, or else as most of them write it."""
    folded = [text.lower() for text in texts]
    written = Counter(chain.from_iterable({*_LETTERS.findall(text)} for text in folded))
    # The last one of a root stays: the one that most have.
    usual = {stem(each): each for each, _ in reversed(written.most_common())}
    for word in words:
        root = stem(word.lower())
        alike = usual.get(root, '')
        if len(root) < _ROOT and alike.removesuffix('s') != word.lower().removesuffix('s'):
            alike = ''  # `com` is not `come`
        # Of a word in small letters, as most lines have it: `error` for `errors`; a name is looked for as it is first.
        for form in dict.fromkeys((word, word.lower()) if not alike else (alike,) if word.islower() else (word, alike)):
            pattern = _pattern(form)
            at = {at for at, text in enumerate(folded) if form.lower() in text and pattern.search(texts[at])}
            if at:
                yield _Having(form, f'"{form}"', at)
                break


def _of_lines(lines: Sequence[str], words: Sequence[str]) -> Sequence[tuple[str, bool]]:
    """What is counted of lines; none of it names them all."""
    total = len(lines)
    counts = _counts([*_searched(lines, words)], total)
    return [(f'{len(at)} of {total} lines contain {said}', False) for said, at, _ in counts]


def _of_rows(things: NamedRows, words: Sequence[str], is_called: bool) -> Sequence[tuple[str, bool]]:
    """What is counted of things, by the field that has a word as its value, else in which most have it.

    And whether those that have several words are named.
    """
    fields = [*dict.fromkeys(field for row in things.rows for field in row)][:_FIELDS]
    best: dict[str, tuple[bool, _Having]] = {}
    for field in fields:
        rows: dict[str, list[int]] = {}
        for at, row in enumerate(things.rows):
            rows.setdefault(row.get(field, ''), []).append(at)
        cells = [*rows]
        is_known = len(cells) <= _FREE * len(things.rows)
        for each in _searched(cells, words):
            is_value = {cells[nth].lower() for nth in each.having} == {each.word.lower()}
            having = {at for nth in each.having for at in rows[cells[nth]]}
            if not (each.is_name or is_value or is_known):
                continue  # in free text any word may stand
            said = f'{field} {each.said}' if is_value else f'{each.said} in {field}'
            known = best.get(root := stem(each.word.lower()))
            if known is None or (is_value, len(having)) > (known[0], len(known[1].having)):
                best[root] = is_value, _Having(each.word, said, having)
    total = len(things.rows)
    where = f' of {things.called}' if is_called else ''
    told: list[tuple[str, bool]] = []
    for said, at, are_several in _counts([each for _, each in best.values()], total):
        named = '; '.join(things.names[each] for each in sorted(at)) if len(at) <= _LISTED else ''
        text = f'{len(at)} of {total} items{where} have {said}'
        is_listed = 0 < len(named) < LONGEST - len(text) and not things.are_lines
        told.append((f'{text}: {named}' if is_listed else text, is_listed and are_several))
    return told


def _counts(found: Sequence[_Having], total: int) -> Sequence[tuple[str, AbstractSet[int], bool]]:
    """What has several words together, as the flag says, and each of them, names first; not what nearly all have."""
    ordered = sorted(found, key=lambda each: (not each.is_name, len(each.having)))
    told: list[tuple[str, AbstractSet[int], bool]] = []
    together: list[_Having] = []
    having: AbstractSet[int] = frozenset()
    for each in ordered:
        if both := having & each.having if together else each.having:
            having = both
            together.append(each)
    if len(together) > 1 and len(having) < total * _NEARLY_ALL:
        *others, last = (each.said for each in together)
        told.append((f'{", ".join(others)} and {last}', having, True))
    named = [each for each in ordered if each.is_name] or ordered
    return [*told, *((each.said, each.having, False) for each in named if each.having != having or not told)]
