"""How many lines, or things with fields, have what a question names: exact counts, each with what it counts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import chain

from summarizer_tool.digests.asked import NamedRows
from summarizer_tool.digests.statements import LONGEST, DigestStatement, one_line
from summarizer_tool.text.lines import SPACELESS
from summarizer_tool.text.stop_words import stop_words
from summarizer_tool.text.terms import stem

_COUNTED, _BESIDE = 110.0, 64.0
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
_FORMS, _FORM_LENGTH = 4, 48
"""Ways in which a word stands there that are counted each, and characters of these."""
_SUMS = 3
"""Lines up to which a number beside a word is one that the program itself has counted."""
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
    pattern: re.Pattern[str]
    beside: str = ''
    """How many have one of what most have several of, or the other way round: 20 `ERROR` beside 180 `errors=0`."""

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
    of_rows = [(each, told) for each in things if len(each.rows) > 1 if (told := _of_rows(each, words))]
    told = of_rows[0][1] if of_rows else _of_lines(lines, words)
    if len(of_rows) > 1:
        # What is asked for may be in any of several lists: each is told with its place, one that is named first.
        roots = {*map(stem, map(str.lower, words))}
        of_rows.sort(key=lambda each: stem(each[0].called.rpartition('.')[2].lower()) not in roots)
        told = [
            (text.replace(' items ', f' items of {_where(each)} ', 1), is_listed)
            for each, (first, *_) in of_rows
            for text, is_listed in [first]
        ]
    # A count of one tells less than the one itself.
    for nth, (text, is_listed) in enumerate(told[:_MOST]):
        rank = _BESIDE if text.startswith('1 ') else _COUNTED
        if is_asked or is_listed:
            yield DigestStatement(text, rank - _STEP * nth, 'mentioned')
    for nth, at in enumerate(_sums(lines, words) if is_asked else ()):
        yield DigestStatement(f'{at + 1}| {one_line(lines[at])}', _COUNTED - _STEP * nth, 'mentioned', (at + 1,))


def _where(things: NamedRows) -> str:
    return things.called or (f'lines {things.lines[0]}-{things.lines[-1]}' if things.lines else 'one list')


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
                yield _Having(form, f'"{form}"', at, pattern, _beside(texts, form, written))
                break


def _beside(texts: Sequence[str], form: str, written: Counter[str]) -> str:
    other = form.removesuffix('s') if form.endswith('s') else f'{form}s'
    if not form.islower() or not written[other]:
        return ''
    pattern = _pattern(other)
    return f', {sum(pattern.search(text) is not None for text in texts)} "{other}"'


def _of_lines(lines: Sequence[str], words: Sequence[str]) -> Sequence[tuple[str, bool]]:
    """What is counted of lines; none of it names them all."""
    found = [*_searched(lines, words)]
    total = len(lines)
    told = _counts(found, total)
    return [
        (f'{len(at)} of {total} lines contain {said}{_forms(lines, at, pattern) if pattern else ""}', False)
        for said, at, pattern in told
    ]


def _of_rows(things: NamedRows, words: Sequence[str]) -> Sequence[tuple[str, bool]]:
    """What is counted of things, by the field that has a word as its value, else in which most have it.

    And whether those that have several words are named.
    """
    fields = [*dict.fromkeys(field for row in things.rows for field in row)][:_FIELDS]
    best: dict[str, _Having] = {}
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
            if known is None or (is_value, len(having)) > (not known.said.startswith('"'), len(known.having)):
                best[root] = replace(each, said=said, having=having, beside='')
    total = len(things.rows)
    told: list[tuple[str, bool]] = []
    for said, at, pattern in _counts([*best.values()], total):
        named = '; '.join(things.names[each] for each in sorted(at)) if len(at) <= _LISTED else ''
        text = f'{len(at)} of {total} items have {said}'
        is_listed = 0 < len(named) < LONGEST - len(text) and not things.are_lines
        told.append((f'{text}: {named}' if is_listed else text, is_listed and pattern is None))
    return told


def _counts(found: Sequence[_Having], total: int) -> Sequence[tuple[str, AbstractSet[int], re.Pattern[str] | None]]:
    """What has several words together, and each of them, names first, those that nearly all have left out."""
    ordered = sorted(found, key=lambda each: (not each.is_name, len(each.having)))
    told: list[tuple[str, AbstractSet[int], re.Pattern[str] | None]] = []
    together: list[_Having] = []
    having: AbstractSet[int] = frozenset()
    for each in ordered:
        if both := having & each.having if together else each.having:
            having = both
            together.append(each)
    if len(together) > 1 and len(having) < total * _NEARLY_ALL:
        *others, last = (each.said for each in together)
        told.append((f'{", ".join(others)} and {last}', having, None))
    named = [each for each in ordered if each.is_name] or ordered
    alone = (each for each in named if each.having != having or not told)
    told += [(f'{each.said}{each.beside}', each.having, each.pattern) for each in alone]
    return told


def _forms(lines: Sequence[str], at: AbstractSet[int], pattern: re.Pattern[str]) -> str:
    """How a word stands in lines: in which names, in which folder, how many begin with it."""
    forms: Counter[str] = Counter()
    begins = 0
    for number in sorted(at):
        line = lines[number]
        found = pattern.search(line)
        if found is None:
            continue
        start = line.rfind(' ', 0, found.start()) + 1
        end = len(line) if (end := line.find(' ', found.end())) < 0 else end
        inner = line.find('/', found.end() + 1, end)
        begins += not line[: found.start()].strip()
        token = line[start : inner + 1 if inner > 0 else end]
        forms[one_line(re.sub(r'\d+', '0', token), _FORM_LENGTH).rstrip(',;')] += 1
    told = [f'{form} ×{count}' for form, count in forms.most_common(_FORMS)]
    covered = sum(count for _, count in forms.most_common(_FORMS))
    parts = [f'{begins} begin with it'] if len(at) / 2 < begins < len(at) else []
    if len(forms) > 1 and 2 * covered > len(at) and forms.most_common(1)[0][1] > 1:
        parts.append(', '.join(told) + (f', … {len(at) - covered} more' if covered < len(at) else ''))
    return f' ({"; ".join(parts)})' if parts else ''


def _sums(lines: Sequence[str], words: Sequence[str]) -> Sequence[int]:
    """Indices of lines that say a number of what is asked for, as a program does at its end; none if these are many."""
    roots = '|'.join(re.escape(stem(word.lower())) for word in words if word.isalpha() and len(word) > 3)
    if not roots:
        return ()
    number = r'\d[\d,]*(?![\w.])'
    beside = re.compile(rf'(?i)(?<![\w.,:/-]){number}(?: \w+)? (?:{roots})|(?<![^\s(])(?:{roots})\w*[:=] ?{number}')
    found = [at for at, line in enumerate(lines) if beside.search(line[:LONGEST])]
    return found[::-1] if len(found) <= _SUMS else ()
