"""Messages that differ only in what varies, brought together: masks first, then words that take many values."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from researcher_integration.digests.log_lines import Event, Severity
from researcher_integration.digests.notable import BAD
from researcher_integration.digests.values import MARK, template

WILD = '\x01'
"""A word of a template that takes many values, without digits in it: a user, a host."""

MANY = 8
"""Values from which a word is held for a variable one."""

VARIANTS = 3
"""Values from which a word is held for a variable one where each has its share of the lines."""
_SHARE = 5
"""Lines of each such value."""

_MOST_WORDS = 60
"""Words of a template up to which it is compared with others."""
_MOST_TEMPLATES = 3000
"""Templates that are compared with each other."""

_NAME = re.compile(r'([A-Za-z_][\w./-]*?)["\']?\s?[=:]?\s?["\'(\[]?$')


@dataclass(slots=True)
class Group:
    """Events of one template."""

    words: list[str]
    """Of the template, by spaces: with `MARK` where a part varies, or `WILD` where the whole word does."""
    severity: Severity
    members: list[int] = field(default_factory=list[int])
    """Indices of the events, in order."""
    rows: list[Sequence[str]] = field(default_factory=list[Sequence[str]])
    """What stands in the variable places, for each member."""
    names: list[str] = field(default_factory=list[str])
    """What each variable place is called by the word before it; may be empty."""

    def column(self, place: int) -> list[str]:
        """What stands in one variable place."""
        return [row[place] for row in self.rows]

    def constant_words(self) -> Iterator[str]:
        """The words in which nothing varies, and the constant parts of those in which something does."""
        for word in self.words:
            if word != WILD:
                yield from (part for part in word.split(MARK) if len(part) > 1)

    def told(self, shown: Callable[[Sequence[str]], str]) -> str:
        """The template, each variable place with what `shown` says of its values."""
        place = 0
        out: list[str] = []
        for word in self.words:
            pieces = (WILD, '') if word == WILD else word.split(MARK)
            text = '' if word == WILD else pieces[0]
            for piece in pieces[1:]:
                text += shown(self.column(place)) + piece
                place += 1
            out.append(text)
        return ' '.join(out)

    def part(self, rows: Sequence[int], severity: Severity) -> 'Group':
        """Some of the events as a group of their own."""
        return Group(
            self.words, severity, [self.members[row] for row in rows], [self.rows[row] for row in rows], self.names
        )


def grouped(events: Sequence[Event]) -> list[Group]:
    """Bring events of one template together, in the order of their first ones."""
    groups: dict[tuple[str, Severity], Group] = {}
    for index, event in enumerate(events):
        form, values = template(' '.join(event.message.replace(WILD, ' ').split()))
        key = (form, event.severity)
        group = groups.get(key)
        if group is None:
            group = groups[key] = Group(form.split(' '), event.severity)
        group.members.append(index)
        group.rows.append(values)
    found = _merged_by_word(list(groups.values()), events)
    for group in found:
        group.names = list(_names(group.words))
    return sorted(found, key=lambda group: group.members[0])


def _merged_by_word(groups: list[Group], events: Sequence[Event]) -> list[Group]:
    """Bring templates together that differ in one word, where that word takes many values."""
    for _ in range(3):
        if len(groups) > _MOST_TEMPLATES:
            return groups
        holes: dict[tuple[int, Severity, tuple[str, ...]], list[Group]] = {}
        for group in groups:
            if len(group.words) > _MOST_WORDS or events[group.members[0]].tail:
                continue
            for place, word in enumerate(group.words):
                if word != WILD and _is_name(word):
                    key = (place, group.severity, (*group.words[:place], *group.words[place + 1 :]))
                    holes.setdefault(key, []).append(group)
        gone: set[int] = set()
        merged: list[Group] = []
        for (place, _, _), alike in sorted(holes.items(), key=lambda item: -len(item[1])):
            left = [group for group in alike if id(group) not in gone]
            if len(left) >= MANY or (len(left) >= VARIANTS and all(len(group.members) >= _SHARE for group in left)):
                gone |= {id(group) for group in left}
                merged.append(_merge(left, {place}))
        if not merged:
            return groups
        groups = [*(group for group in groups if id(group) not in gone), *merged]
    return groups


@lru_cache(maxsize=16_384)
def _is_name(word: str) -> bool:
    """Return whether a word can be a value: words that say how bad something is are none."""
    return BAD.search(word) is None and not (word.isupper() and len(word) <= 9)


def _merge(groups: Sequence[Group], places: set[int]) -> Group:
    """One group of several, in which the words at some places vary as a whole."""
    first = groups[0]
    whole = Group([WILD if place in places else word for place, word in enumerate(first.words)], first.severity)
    pairs = [
        (member, _filled(group.words, row, places))
        for group in groups
        for member, row in zip(group.members, group.rows, strict=True)
    ]
    pairs.sort(key=lambda pair: pair[0])
    whole.members = [member for member, _ in pairs]
    whole.rows = [row for _, row in pairs]
    return whole


def _filled(words: Sequence[str], row: Sequence[str], places: set[int]) -> list[str]:
    """The values of one event, with the words at some places as values."""
    out: list[str] = []
    used = 0
    for place, word in enumerate(words):
        if word == WILD:
            pieces, marks = ['', ''], 1
        else:
            pieces = word.split(MARK)
            marks = len(pieces) - 1
        values = row[used : used + marks]
        used += marks
        if place in places:
            out.append(pieces[0] + ''.join(value + piece for value, piece in zip(values, pieces[1:], strict=True)))
        else:
            out.extend(values)
    return out


def _names(words: Sequence[str]) -> Iterator[str]:
    """What stands before each variable place."""
    before = ''
    for word in words:
        pieces = ['', ''] if word == WILD else word.split(MARK)
        text = before
        for piece in pieces[:-1]:
            text = f'{text} {piece}'.strip() if piece else text
            found = _NAME.search(text[-60:])
            yield found[1] if found else ''
        before = pieces[-1] if pieces[-1] or len(pieces) > 1 else word
