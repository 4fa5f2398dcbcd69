"""Which statements of one text are out of date: a later one gives the same thing another value.

It is told by shape alone, and strictly: what is wrongly taken for outdated is lost, what is missed only stands beside
the newer one. Under another heading, said by another, or quoted, the same words may be about something else, or older.
What was once so stays so ("Ada was born in 1840"), thus only what is said to hold can be outdated.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import regex

from summarizer_tool.text import names
from summarizer_tool.text.negations import COUNTS, LEADING
from summarizer_tool.text.normalize import NUMBER_WORDS
from summarizer_tool.text.scoring import content_stem

MAX_LENGTH = 160
MAX_VALUES = 3
"""Characters of a statement, and names, dates and numbers in it, above which it says too much to be one claim."""

MAX_SUBJECT = 6
"""Words of content, beside its values, that a statement may have to be outdated by one in other words."""

MAX_SERIES = 3
"""Statements of the same words, above which they are a series, such as monthly figures, and not corrections."""

MAX_COMPARED = 40
"""Statements with a word in common, above which the word tells nothing."""

_COUNT = '|'.join((*NUMBER_WORDS, 'hundred', 'thousand', 'million'))
_VALUE = re.compile(
    r'(?P<money>[$€£¥]\s?\d(?:[\d,.]*\d)?'
    rf'|(?:(?:\d[\d,.]*|\b(?:{_COUNT}))[ -]){{1,9}}(?:dollars|euros|pounds|USD|EUR)\b)'
    rf'|(?P<date>\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th)? (?:{names.MONTH})\b(?:,? \d{{4}})?'
    rf'|\b(?:{names.MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?'
    r'|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b)'
    r'|(?P<time>\b\d{1,2}:\d\d\b(?:\s?[ap]m\b)?|\b\d{1,2}\s?[ap]\.?m\b)'
    r'|(?P<code>https?://\S*\w|\b(?=[\w./-]*\d)(?=[\w./-]*[^\W\d_])[^\W_]+(?:[/_.-][^\W_]+)*\b)'
    r'|(?P<number>(?<![\w.#])\d[\d,.]*(?:\s?%)?(?![\w]))'
)
_MAY_GIVE = re.compile(r'[\d$€£¥]|day|dollars|euros|pounds|USD|EUR|http')
"""What each of them has, and is found much faster than they are."""
# Apart from each other, since what a text begins with would be tried at each of its places.
_UPDATE = re.compile(r'(?:[^:]{1,40}: )?(?:[^\W\d_]+ )?(?:update|correction|corrected|edit):|new ')
_CHANGE = re.compile(
    r'\b(?:from now on|no longer|would rather|(?<!right )now'
    r'|the (?:old|previous|former) [^\W\d_]+ (?:is|was|no|has|does)'
    r'|(?:chang|mov|switch|renam|replac|rotat|rais|lower|increas|reduc|postpon|rebas)e?[ds]\b)'
)
_HOLDS = regex.compile(r'\b(?:is|are|has|have|must|should|may|needs?|requires?)\b|: (?=[$€£¥\d])', regex.IGNORECASE)
_DENIES = regex.compile(r"\b(?:not|no longer|never|cannot)\b|n['’]t\b", regex.IGNORECASE)
_WANTS = regex.compile(r'\b(?:wants?|prefers?|would (?:rather|like))\b', regex.IGNORECASE)
_UNSURE = regex.compile(r'["“”„«»?]|\b(?:if|when|might|perhaps|going to|we will)\b|[’\']ll\b', regex.IGNORECASE)
_LABEL = regex.compile(r'^(?:\p{L}[\p{L}.]*(?: \p{L}+)?): (?=(?:\S+ ){2})')
_REVISES = regex.compile(r'(?:\w+ )?(?:update|correction|corrected|edit|draft|final|old|new|now)\b', regex.IGNORECASE)
_OPENS_LOOSELY = regex.compile(r'(?:I|you|he|she|they|it|there|this|that|these|those)\b', regex.IGNORECASE)
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['’]\p{L}+)?")
_APART = COUNTS | LEADING | frozenset('without my your his her our their'.split())  # noqa: SIM905
"""Small words that tell one thing from another."""
_WISHES = frozenset(map(content_stem, ('want', 'prefer', 'like')))
# Words that say how something holds rather than what.
_MARGINAL = _WISHES.union(
    map(content_stem, 'new update current currently still please total longer anymore'.split())  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class _Claim:
    """A statement as it is compared with others."""

    label: str
    """Who says it, or of whom it is told; none of an update."""
    values: dict[str, frozenset[str]]
    """What it gives, by kind: numbers and the like, and names."""
    subject: dict[str, str]
    """Stems of its other words of content, each with that of the word before it, if that is one, too."""
    topic: frozenset[str]
    """Those before its verb, where it has one."""
    apart: frozenset[str]
    leads: bool
    """Whether its values follow a verb by which they hold; before it they tell what it is about."""
    wants: bool
    denies: bool
    changes: bool
    """Whether it says that something is otherwise than before."""


def _change(text: str) -> re.Match[str] | None:
    """What tells that something is otherwise than before."""
    text = text.lower()
    return _UPDATE.match(text) or _CHANGE.search(text)


def _is_plain(text: str) -> bool:
    """Return whether a statement is short, sure, and names what it is about."""
    opening = _LABEL.match(text)
    bare = text[opening.end() :] if opening else text
    if len(bare) > MAX_LENGTH or _UNSURE.search(bare):
        return False
    return _OPENS_LOOSELY.match(bare) is None or _WANTS.search(bare) is not None


@lru_cache(maxsize=16_384)
def _claim(text: str, is_changed: bool) -> _Claim | None:
    """What a plain statement claims, if it can outdate another one, or be outdated; by its value unless changed."""
    opening = _LABEL.match(text)
    bare = text[opening.end() :] if opening else text
    values: defaultdict[str, set[str]] = defaultdict(set)
    first = MAX_LENGTH
    rest = bare
    for match in _VALUE.finditer(bare) if _MAY_GIVE.search(bare) else ():
        values[str(match.lastgroup)].add(names.key(match.group()).rstrip('.,'))
        first = min(first, match.start())
        rest = rest.replace(match.group(), ' ', 1)
    for name in names.mentions(rest):
        if not names.opens_sentence(rest, name) and sum(map(str.isalpha, name)) > 1:
            values['name'].add(names.key(name))
            first = min(first, bare.find(name))
            rest = rest.replace(name, ' ')
    verb = _HOLDS.search(bare)
    leads = verb is not None and verb.start() < first
    if sum(map(len, values.values())) > MAX_VALUES or not (is_changed or (leads and values)):
        return None
    words = [word if len(word) == 1 else word.lower() for word in _WORD.findall(rest)]
    stems = [word if len(word) == 1 and word.isupper() else content_stem(word) for word in words]
    pairs = [*pairwise(('', *stems))]  # the first place of a word counts
    verb_or_change = verb or _change(bare)
    start = verb_or_change.start() if verb_or_change else 0
    return _Claim(
        label=names.key(opening.group()) if opening and not _REVISES.match(text) else '',
        values={kind: frozenset(given) for kind, given in values.items()},
        subject={
            word: '' if before in _WISHES else before
            for before, word in reversed(pairs)
            if word and word not in _MARGINAL
        },
        topic=frozenset(map(content_stem, map(str.lower, _WORD.findall(bare[:start])))).intersection(stems) - {''},
        apart=frozenset(_APART.intersection(words)),
        leads=leads,
        wants=_WANTS.search(bare) is not None,
        denies=_DENIES.search(bare) is not None,
        changes=_change(text) is not None,
    )


def depth(line: str) -> int:
    """How many quotations a line stands in: its marks (`>> `)."""
    return line[: len(line) - len(line.lstrip('> \t'))].count('>')


def superseded(said: Sequence[str], sections: Sequence[str] = ()) -> dict[int, int]:
    """The statements of one text, in order, that are out of date, by index, each with the later one that says so.

    `sections` are the headings they stand under, or whatever else keeps them apart.
    """
    sections = sections or [''] * len(said)
    bare = [
        text.removeprefix(f'{above.rpartition(" / ")[2].lstrip("> ")}: ')
        for text, above in zip(said, sections, strict=True)
    ]
    plain = [(index, text) for index, text in enumerate(bare) if _is_plain(text)]
    changed = {sections[index]: index for index, text in plain if _change(text)}
    # What neither holds nor is followed by a change cannot be outdated, nor outdate anything.
    claims: list[_Claim | None] = [None] * len(bare)
    for index, text in plain:
        is_changed = index <= changed.get(sections[index], -1)
        if is_changed or _HOLDS.search(text):
            claims[index] = _claim(text, is_changed)
    having: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    out: dict[int, int] = {}
    runs: defaultdict[int, list[int]] = defaultdict(list)
    for later, new in enumerate(claims):
        if new is None:
            continue
        places = [having[sections[later], word] for word in new.subject]
        near = {earlier for each in places if len(each) <= MAX_COMPARED for earlier in each if earlier not in out}
        likely: dict[int, int] = {}
        for earlier in sorted(near):
            old = claims[earlier]
            if old is None:
                continue
            if _says_anew(old, new):
                out[earlier] = later
                runs[later] += [*runs.pop(earlier, []), earlier]
            elif _changes(old, new):
                likely[earlier] = len(old.subject.keys() & new.subject.keys())
        best = [earlier for earlier, shared in likely.items() if shared == max(likely.values())]
        if len(best) == 1:
            out[best[0]] = later
        for word in new.subject:
            having[sections[later], word].append(later)
    series = {earlier for run in runs.values() if len(run) > MAX_SERIES for earlier in run}
    return {earlier: later for earlier, later in out.items() if earlier not in series}


def _differs(old: _Claim, new: _Claim) -> str:
    """The one kind of value that the two give differently; empty if there is none, or more than one."""
    kinds = [kind for kind in old.values if kind in new.values and old.values[kind] != new.values[kind]]
    return kinds[0] if len(kinds) == 1 and len(old.values[kinds[0]]) == 1 else ''


def _says_anew(old: _Claim, new: _Claim) -> bool:
    """Return whether the later statement has the very words of the earlier one, and another value or a denial."""
    if old.subject.keys() != new.subject.keys() or old.apart != new.apart or new.label not in ('', old.label):
        return False
    if old.denies != new.denies:
        return new.changes and old.values == new.values and len(old.subject) > 1
    kind = _differs(old, new)
    return kind != '' and old.leads and new.leads and (len(old.subject) > 1 or kind != 'name')


def _changes(old: _Claim, new: _Claim) -> bool:
    """Return whether the later statement, which speaks of a change, is about what the earlier one is about."""
    if not new.changes or len(old.subject) > MAX_SUBJECT or new.label not in ('', old.label):
        return False
    is_turned = any(
        before and new.subject.get(word, before) not in ('', before) for word, before in old.subject.items()
    )
    if old.wants and new.wants:
        return is_turned
    if is_turned or (old.topic and new.topic and old.topic.isdisjoint(new.topic)):
        return False
    kind = _differs(old, new)
    shared = len(old.subject.keys() & new.subject.keys())
    return kind != '' and shared >= (min(2, len(old.subject)) if kind in ('name', 'number') else 1)
