"""Which statements of one text are out of date: a later one gives the same thing another value.

It is told by shape alone, and strictly: what is wrongly taken for outdated is lost, what is missed only stands beside
the newer one. What was once so stays so ("Ada was born in 1840"), thus only what is said to hold can be outdated.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from operator import ge, ne, neg
from typing import Final

import regex

from summarizer_tool.text import names
from summarizer_tool.text.negations import COUNTS, LEADING
from summarizer_tool.text.normalize import NUMBER_WORDS
from summarizer_tool.text.stop_words import ENGLISH
from summarizer_tool.text.terms import Remembered, stem

LEAST_SHARED = 0.25
"""Share of its subject's words that the shorter of two statements must have in common with the other, if the later one
says that something has changed; all of them, if it does not."""

MAX_LENGTH = 160
MAX_VALUES = 3
"""Characters of a statement, and names, dates and numbers in it, above which it says too much to be one claim."""

MAX_SUBJECT = 6
"""Words of content, beside its values, that a statement may have to be outdated by one in other words."""

LEAST_OF_NAMED = 2
"""Words that must be shared where the values are names, which anything may be about."""

MAX_SERIES = 3
"""Statements of the same words, above which they are a series, such as monthly figures, and not corrections."""

MAX_COMPARED = 40
"""Statements with a word in common, above which the word tells nothing."""

_MONTH_NUMBERS = {
    name: number
    for number, each in enumerate('jan feb mar|mär apr may|mai jun jul aug sep oct|okt nov dec|dez'.split(), 1)  # noqa: SIM905
    for name in each.split('|')
}
_MONTH = '|'.join(_MONTH_NUMBERS)
DAY = regex.compile(
    rf'\b(?:(?P<d>\d\d?)(?:st|nd|rd|th|\.)? (?P<m>{_MONTH})\p{{L}}*\.?,? (?P<y>\d{{4}})'
    rf'|(?P<m>{_MONTH})\p{{L}}*\.? (?P<d>\d\d?)(?:st|nd|rd|th)?,? (?P<y>\d{{4}})'
    r'|(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?P<y>\d{4})|(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d))\b',
    regex.IGNORECASE,
)
_COUNT = '|'.join((*NUMBER_WORDS, 'hundred', 'thousand', 'million'))
_VALUE = regex.compile(
    r'(?P<money>[$€£¥]\s?\d(?:[\d,.]*\d)?'
    rf'|(?:(?:\d[\d,.]*|\b(?:{_COUNT}))[ -]){{1,9}}(?:dollars|euros|pounds|USD|EUR)\b)'
    rf'|(?P<date>\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th)? (?:{names.MONTH})\b(?:,? \d{{4}})?'
    rf'|\b(?:{names.MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?'
    r'|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b)'
    r'|(?P<time>\b\d{1,2}:\d\d\b(?:\s?[ap]m\b)?|\b\d{1,2}\s?[ap]\.?m\b)'
    r'|(?P<code>https?://\S*\w|\b(?=[\w./-]*\d)(?=[\w./-]*\p{L})[\p{L}\d]+(?:[/_.-][\p{L}\d]+)*\b)'
    r'|(?P<number>(?<![\w.#])\d[\d,.]*(?:\s?%)?(?![\w]))'
)
_MAY_HAVE_VALUE = regex.compile(r'\d|day|dollars|euros|pounds|USD|EUR|http')
"""What each of them has, and is found much faster than they are."""
_CHANGING = (
    *('chang', 'mov', 'switch', 'renam', 'replac', 'rotat', 'rais', 'lower', 'increas', 'reduc', 'decreas', 'postpon'),
    *('extend', 'shorten', 'reschedul', 'bump', 'rebas', 'migrat', 'revert', 'correct', 'push', 'cut', 'set'),
)
_GIVEN = r'(?: +[\p{Ll}-]+){0,2} +["“(`*]?(?-i:[\p{Lu}\d$€£¥¤])'
"""A value, up to two words behind where it may be."""
_CHANGE = regex.compile(
    r'(?:^(?:[^:]{1,40}: )?|\b(?=\w+:(?! *[^:]{1,40}: )))(?:update|correction|corrected|edit):'
    r'|\b(?:from now on|as of (?:today|now)|no longer|any ?more|would rather'
    r'|instead(?! of)|the (?:old|previous|former) \p{L}+ (?:is|was|no|has|does)'
    r'|(?:is|are|has|have|can|may|must|we|will) (?:\p{L}+ )?(?<!right )now|now \p{Ll}+s'
    rf'|(?:{"|".join(_CHANGING)})(?:e?[ds])?(?: \S+){{0,4}}? (?:to|onto|from|by|until)(?={_GIVEN}))\b'
    r'|\b(?<!right )now[.;]?$|^New \p{Ll}|(?:[-=]>(?<=\w ?..)|→(?<=\w ?.)) ?[\w$€£¥]',
    regex.IGNORECASE,
)
_STANDS = regex.compile(
    r'\b(?:is|are|has|have|must|shall|should|may|never|always|needs?|wants?|prefers?|requires?|only'
    r"|(?:we|was|were) (?:agreed|decided))\b|[’']s\b|\p{L}: (?=[$€£¥\d]|\p{L}+[-./]\S*\d)",
    regex.IGNORECASE,
)
_DENIES = regex.compile(r"\b(?:not|no longer|never|cannot)\b|n['’]t\b", regex.IGNORECASE)
_WANTS = regex.compile(r'\b(?:wants?|prefers?|would rather|would like|likes?)\b', regex.IGNORECASE)
_UNSURE = regex.compile(r'["“”„«»?]|\b(?:if|when|might|perhaps|going to|we will)\b|[’\']ll\b', regex.IGNORECASE)
_LABEL = regex.compile(r'^(?:\p{L}[\p{L}.]*(?: \p{L}+)?|(?:[\p{Lu}(]\S* ?){1,6}): (?=(?:\S+ ){3})')
_REVISES = regex.compile(
    r'(?:update|correct(?:ion|ed)|edit|revision|change[ds]?|amend\w*|(?:draft|final|old|new|now)(?=:))\b',
    regex.IGNORECASE,
)
# `bodyTimeout: …`, `Adults: …`, `Route 4: …`, `Sunday: …`, `Ada: My …`: what others say is not said of these.
_OF_SOME = regex.compile(
    r'(?-i:\p{Ll})[^:]*: |[^:]*: (?:my|our|I)\b'
    r'|[^:]*(?:\d|s|children|(?:wo)?men|people|(?:mon|tues|wednes|thurs|fri|satur|sun)day): ',
    regex.IGNORECASE,
)
_OPENS_LOOSELY = regex.compile(
    r'^(?:[^:]{1,60}: )?(?:\p{L}+,? )?(?:(?:I|you|he|she|they|it|there|who|which)\b'
    r"|(?:this|that|these|those)(?: (?:is|are|was|were|has|have|may|must)\b|['’]s))",
    regex.IGNORECASE,
)
_BREAK = regex.compile(r'[,;:]')
_WORD = regex.compile(r"¤|[\p{L}\p{M}]+(?:['’]\p{L}+)?|[,;:.]")
_GENITIVE = regex.compile("['’]s?$")
_DERIVED = ('er', 'or', 'ing', 'ment', 'ion', 'ation', 'ly', 'al')
_APART = COUNTS | LEADING | frozenset('without my your his her our their'.split())  # noqa: SIM905
"""Small words that tell one thing from another."""
# Words that say how something holds rather than what.
_MARGINAL = frozenset(
    map(
        stem,
        """now new update updated currently current still please rather total want prefer like longer anymore agreed
        decided""".split(),  # noqa: SIM905
    )
)


def _root_of(word: str) -> str:
    word = _GENITIVE.sub('', word)
    root = stem(word) if word.isalpha() and word not in ENGLISH else ''
    return '' if root in _MARGINAL else root


_root: Final = Remembered(_root_of).__getitem__
"""The stem of a word of content; nothing of others."""


@dataclass(slots=True)
class _Claim:
    """A statement as it is compared with others, read off it word by word."""

    label: str
    """Of whom or what it is told, as in "Children: The dose is 5 mg", or who says it; none of an update."""
    is_apart: bool
    """Whether it holds for those alone whom its label names."""
    wants: bool
    denies: bool
    changes: bool
    """Whether it says that something is otherwise than before."""
    holds: bool
    """Whether a verb says that it holds, or must."""
    leads: bool = False
    """Whether its values follow its verb: before it they tell what it is about, as in "Ticket 12 is closed"."""
    values: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """What it gives, by kind."""
    first_value: int = MAX_LENGTH
    subject: dict[str, str] = field(default_factory=dict[str, str])
    """Stems of its other words of content, each with the one before it, if any stands right before it."""
    topic: set[str] = field(default_factory=set[str])
    """Those before its verb."""
    apart: set[str] = field(default_factory=set[str])
    """What tells its thing from another: small words, but for those before a value ("in Oslo", "to Bergen"), units."""

    def take(self, match: regex.Match[str]) -> str:
        """Note a value, and leave a mark in its place."""
        kind, text = str(match.lastgroup), match.group()
        self.values[kind].add(names.key(text).rstrip('.,'))
        if kind == 'code':  # `release/1.2` is a release
            self.subject.update(dict.fromkeys((head.lower() for head in text.split('/')[:-1] if head.isalpha()), ''))
        self.first_value = min(self.first_value, match.start())
        return ' ¤ '

    def take_values(self, text: str) -> str:
        """Note all values: numbers and the like, and names."""
        rest = _VALUE.sub(self.take, text) if _MAY_HAVE_VALUE.search(text) else text
        for name in names.mentions(rest):
            if not names.opens_sentence(rest, name) and sum(map(str.isalpha, name)) > 1:
                self.values['name'].add(names.key(name))
                self.first_value = min(self.first_value, text.find(name))
                rest = rest.replace(name, ' ¤ ')
        return rest

    def take_words(self, rest: str) -> None:
        """Note what else it says."""
        verb = _STANDS.search(rest) or (_CHANGE.search(rest) if '¤' in rest else None)
        before_verb = verb.start() if verb and not _BREAK.search(rest, 0, verb.start()) else 0
        before = last = ''
        for match in _WORD.finditer(rest):
            word, place = match.group(), match.start()
            small = word.lower()
            root = _root(small)
            if small == '¤':
                if last in LEADING:
                    self.apart.discard(last)
            elif small in _APART or (root and last == '¤'):
                self.apart.add(root or small)
            last = small
            if not root and len(word) == 1 < place and word.isupper():
                root = word.lower()
            if root:
                self.subject.setdefault(root, before)
                if place < before_verb:
                    self.topic.add(root)
            before = root


@lru_cache(maxsize=16_384)
def _claim(text: str) -> _Claim | None:
    """What a statement claims, if it can outdate another one, or be outdated."""
    opening = _LABEL.match(text)
    bare = text[opening.end() :] if opening else text
    if len(bare) > MAX_LENGTH or _UNSURE.search(bare):
        return None
    wants = _WANTS.search(bare) is not None
    if _OPENS_LOOSELY.match(bare) and not wants:
        return None
    verb = _STANDS.search(bare)
    label = names.key(opening.group()) if opening and not _REVISES.match(text) else ''
    claim = _Claim(
        label=label,
        is_apart=bool(label) and _OF_SOME.match(text) is not None,
        wants=wants,
        denies=_DENIES.search(bare) is not None,
        changes=_CHANGE.search(text) is not None,
        holds=verb is not None,
    )
    rest = claim.take_values(bare)
    if sum(map(len, claim.values.values())) > MAX_VALUES:
        return None
    claim.take_words(rest)
    claim.leads = verb is not None and verb.start() < claim.first_value
    return claim


def depth(line: str) -> int:
    """How many quotations a line stands in: its marks (`>> `)."""
    return line[: len(line) - len(line.lstrip('> \t'))].count('>')


def superseded(said: Sequence[str], sections: Sequence[str] = (), depths: Sequence[int] = ()) -> dict[int, int]:
    """The statements of one text, in order, that are out of date, by index, each with the later one that says so.

    Under another heading (`sections`) the same words may be about something else; where all of these count down, the
    first is the newest. What is quoted there (`depths`) is older than what quotes it, which may stand above it.
    """
    sections, depths = sections or [''] * len(said), depths or [0] * len(said)
    runs_of = accumulate(map(ne, sections, [*sections[:1], *sections]))
    told = [turn for turn in map(_turn, sections) if turn]
    if told and told[0] > told[-1] and all(map(ge, told, told[1:])):  # the newest stands first
        runs_of = map(neg, runs_of)
    order = [place for *_, place in sorted(zip(runs_of, map(neg, depths), range(len(said)), strict=True))]
    claims = [_claim(said[place].removeprefix(f'{sections[place].rpartition(" / ")[2]}: ')) for place in order]
    titles = [_bare_title(sections[place]) for place in order]
    turns = [_turn(sections[place]) for place in order]
    having: defaultdict[str, list[int]] = defaultdict(list)
    for index, claim in enumerate(claims):
        for word in claim.subject if claim else ():
            having[word].append(index)
    out: dict[int, int] = {}
    runs: defaultdict[int, list[int]] = defaultdict(list)
    for later, new in enumerate(claims):
        if new is None or not (new.holds or new.changes):
            continue
        akin = _akin(new.subject)
        places = [having[word] for word in akin if word in having and len(having[word]) <= MAX_COMPARED]
        near = sorted({earlier for each in places for earlier in each if earlier < later and earlier not in out})
        likely: dict[int, float] = {}
        for earlier in near:
            old, is_here = claims[earlier], titles[earlier] == titles[later]
            if old is None or turns[earlier] > turns[later]:
                continue
            shared = [word for word in old.subject if word in akin]
            if is_here and _says_anew(old, new, shared):
                out[earlier] = later
                runs[later] += [*runs.pop(earlier, []), earlier]
            elif _changes(old, new, shared, is_here):
                likely[earlier] = sum(1 / len(having[word]) for word in shared)
        best = [earlier for earlier, score in likely.items() if score == max(likely.values())]
        if len(best) == 1:
            out[best[0]] = later
    series = {earlier for run in runs.values() if len(run) > MAX_SERIES for earlier in run}
    return {order[earlier]: order[later] for earlier, later in out.items() if earlier not in series}


@lru_cache(maxsize=16_384)
def _kin(word: str) -> frozenset[str]:
    forms = [f're{word}', word.removeprefix('re'), *(word + end for end in _DERIVED)]
    forms += [word.removesuffix(end) for end in _DERIVED if word.endswith(end)]
    return frozenset(form for form in forms if len(form) > 2)


def _akin(words: Collection[str]) -> set[str]:
    """The words, and all that may be derived from them, or they from those."""
    return set(words).union(*map(_kin, words))


def _differs(old: _Claim, new: _Claim) -> str:
    """The one kind of value that the two give differently; empty if there is none, or more than one."""
    kinds = [kind for kind in old.values if kind in new.values and old.values[kind] != new.values[kind]]
    if len(kinds) != 1:
        return ''
    before, after = old.values[kinds[0]], new.values[kinds[0]]
    if kinds[0] == 'name' and not len(before) == len(after) == 1:
        return ''
    if new.changes and (before < after or (len(before) == len(after) and not before & after)):
        return kinds[0]
    return kinds[0] if len(before - after) == len(after - before) == 1 else ''


def _are_apart(old: _Claim, new: _Claim) -> bool:
    return not (old.apart <= new.apart or new.apart <= old.apart)


def _says_anew(old: _Claim, new: _Claim, shared: Sequence[str]) -> bool:
    """Return whether the later statement has the very words of the earlier one, and another value or a denial."""
    fewer, more = sorted((len(old.subject), len(new.subject)))
    if len(shared) < fewer or not (old.holds and new.holds) or _are_apart(old, new):
        return False
    if old.label != new.label and ((old.label and new.label) or old.is_apart or new.is_apart):
        return False
    if old.denies != new.denies:
        return old.values == new.values and fewer == more > (1 if new.changes else 2)
    kind = _differs(old, new)
    return bool(kind) and old.leads and new.leads and (fewer > 1 or (fewer == more and kind != 'name'))


def _changes(old: _Claim, new: _Claim, shared: Sequence[str], is_here: bool) -> bool:
    """Return whether the later statement, which speaks of a change, is about what the earlier one is about.

    Under another heading (`is_here` is false) it must have all the words of it.
    """
    fewer = min(len(old.subject), len(new.subject))
    least = 1 if is_here else max(min(2, len(new.subject)), fewer)
    if not new.changes or len(shared) < least or len(old.subject) > MAX_SUBJECT:
        return False
    if _are_apart(old, new) or (old.is_apart and new.is_apart and old.label != new.label):
        return False
    turned = [
        word
        for word in shared
        if word in new.subject and old.subject[word] and new.subject[word] not in ('', old.subject[word])
    ]
    if old.wants and new.wants:
        return bool(turned)
    kind = _differs(old, new)
    if old.topic and new.topic and old.topic.isdisjoint(_akin(new.topic)):
        return False
    least = max(LEAST_SHARED * fewer, min(LEAST_OF_NAMED, len(old.subject)) if kind == 'name' else 1)
    names_them = old.holds and new.holds and not (old.leads or new.leads)  # "Version 1.2 is …", "Version 1.3 is now …"
    return bool(kind) and not turned and not names_them and len(shared) >= least


@lru_cache(maxsize=1024)
def _turn(title: str) -> tuple[int, ...]:
    return tuple(map(int, regex.findall(r'\d{1,9}', DAY.sub(_year_first, title))))


def _year_first(day: regex.Match[str]) -> str:
    return f'{day["y"]} {_MONTH_NUMBERS.get(day["m"].lower(), day["m"])} {day["d"]}'


@lru_cache(maxsize=1024)
def _bare_title(title: str) -> str:
    """A heading without its numbers, dates and names: those of the same kind, such as `1.2` and `1.3`, go on."""
    return ' '.join(_WORD.findall(_VALUE.sub('', DAY.sub('', title)).lower()))
