"""Logs: line templates with counts, and the lines that are unlike the others."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import log2

from researcher_integration.digests.columns import BAD, Oddity, brief, describe, shown
from researcher_integration.digests.log_lines import Event, Severity, events, outcomes
from researcher_integration.digests.statements import LONGEST, DigestStatement, Topic, one_line
from researcher_integration.digests.templates import WILD, Group, grouped
from researcher_integration.digests.values import MARK, moment, quantity
from researcher_integration.untrusted.detecting import addresses_reader

_RANKS: dict[Severity, float] = {'fatal': 92.0, 'error': 86.0, 'warning': 67.0, '': 30.0, 'debug': 18.0, 'fine': 18.0}
_TOPICS: dict[Severity, Topic] = {'fatal': 'errors', 'error': 'errors', 'warning': 'warnings'}

_CHANGE = re.compile(
    r'(?i)\b(?:restart(?:s|ed|ing)?|reboot\w*|start(?:ed|ing) up|shut(?:ting)? ?down|stopp(?:ed|ing)|scal(?:ed|ing)'
    r'|upgrad\w+|roll(?:ed|ing)? ?back|deploy\w*|migrat\w+|promot\w+|demot\w+|failover|elected|leader|switch\w*'
    r'|chang(?:ed?|ing)|transition\w*|became|overrid\w+|overrode|non-default|instead of|disabl\w+|enabl\w+|reload\w*'
    r'|rotat\w+|revok\w+|quarantin\w+|drain\w*|cordon\w*|throttl\w+|config\w*|setting|set to|version|->|→)'
)
"""Words that say that something is no longer as it was."""

_EXIT = re.compile(r'(?i)(?:exit(?:ed)?|return(?:ed)?|rc)(?:[ _-]?(?:with|status|code))*$')
_STATUS = re.compile(r'(?i)(?:status|code|http|https?[ _-]?status|status[ _-]?code|HTTP/[\d.]+)$')

_FINE = re.compile(r'(?<=:\d\d)(?:[.,]\d+)?(?: ?[+-]\d\d:?\d\d|Z)?$')
"""Parts of a second and the zone: an hour tells enough of when many lines began and ended."""
_DAY_TIME = re.compile(r'\d\d:\d\d:\d\d')

_FEW = (3, 8)
"""Lines of a template up to which each of them is told, in short and in long logs."""
_FEW_SHARE = 0.004

_RARE_RANK = 58.0
_NOVEL = 4.0
"""What each bit of a line's rarest words adds to its rank, up to `_NOVEL_LIMIT`."""
_NOVEL_LIMIT = 18.0
_COMPARED = 24
"""Words of a template that are compared with those of others."""
_AROUND = 12
"""Lines before and after a rare one in which others are looked for."""
_CROWDED = 4.0
"""What each bit of other rare lines around it takes from the rank of a rare line."""
_EACH = 6
"""Errors of one template up to which each is told as it stands."""
_OFTEN = 6.0
"""What the rank of an error gains at most by how often it stands there."""
_TEMPLATE_LENGTH = 200
_NEAR = 8.0
"""What the rank of a rare line gains that begins or ends as a common one does,"""
_LIKE = 4
_LIKE_SHARE = 0.6
"""in so many words, and this share of them."""
_FURTHER = 1.5
"""Bits that each further odd line of one template is less surprising."""
_LINES_NAMED = 20
_LINE_LENGTH = 300
_EXCERPT = 200
"""Characters that are shown of a line that says of nothing that it went wrong."""
_TOLD = 3000
"""Templates of which something is said."""


@dataclass(slots=True)
class _Log:
    """A log that is being told."""

    events: Sequence[Event]
    groups: Sequence[Group]
    words: Counter[str] = field(default_factory=Counter[str])
    """In how many lines a word of a template stands."""
    rare: Sequence[int] = ()
    """The events of rare templates, in order."""
    usual: AbstractSet[tuple[str, ...]] = frozenset()
    """How common templates begin and end."""

    def novelty(self, group: Group) -> float:
        """How rare the rarest words of a template are in the log, in bits."""
        found = sorted(self.words[word] for word in set(group.constant_words()))[:3]
        if not found:
            return 0.0
        total = len(self.events)
        bits = [log2(total / max(1, count)) for count in found]
        return (bits[0] + sum(bits) / len(bits)) / 2

    def crowd(self, group: Group) -> float:
        """How many other rare lines stand around those of a template, in bits: one of many says less than one alone."""
        around = 0
        for index in group.members:
            low, high = bisect_left(self.rare, index - _AROUND), bisect_left(self.rare, index + _AROUND + 1)
            around = max(around, high - low - len(group.members))
        return log2(1 + max(0, around))

    def is_rare(self, group: Group) -> bool:
        """Whether each line of a template is told."""
        few = max(_FEW[0], int(len(self.events) * _FEW_SHARE))
        return len(group.members) <= (_FEW[1] if group.severity in ('fatal', 'error') else min(_FEW[1], few))


def log_statements(lines: Sequence[str], loose: Sequence[Event] = ()) -> Iterator[DigestStatement]:
    """Everything a digest of a log may say; its lines are without line breaks and escapes.

    Args:
        lines: Those of a log.
        loose: In place of them, lines of which it is known where they stand.
    """
    found = list(loose or events(lines))
    if not found:
        return
    for event, (word, severity) in zip(found, outcomes([event.message for event in found]), strict=False):
        if not event.level:
            event.level, event.severity = word, event.severity or severity
    log = _Log(found, list(_by_outcome(grouped(found), found)))
    for group in log.groups:
        for word in set(group.constant_words()):
            log.words[word] += len(group.members)
    log.usual = {key for group in log.groups if not log.is_rare(group) for key in _parts(group)}
    log.rare = sorted(index for group in log.groups if log.is_rare(group) for index in group.members)
    if not loose:
        yield _overview(log, len(lines))
    for each in describe('time', [event.time or None for event in found]).oddities:
        event = found[each.row]
        if moment(event.time) is not None:
            yield DigestStatement(_as_it_stands(event), 66.0 + each.surprise, 'odd items', (event.line,))
    told = log.groups
    if len(told) > _TOLD:
        # The worst and the rarest; no digest has room for as many.
        worth = sorted(told, key=lambda group: (-_RANKS[group.severity], len(group.members)))
        told = [*worth[: _TOLD // 2], *sorted(worth[_TOLD // 2 :], key=lambda group: -len(group.members))[: _TOLD // 2]]
    for group in told:
        yield from _about(group, log)


def _parts(group: Group) -> Iterator[tuple[str, ...]]:
    """How a template begins and how it ends, in all lengths."""
    words = group.words[:_COMPARED]
    for size in range(_LIKE, len(words)):
        yield tuple(words[:size])
        yield ('', *words[-size:])


def _overview(log: _Log, lines: int) -> DigestStatement:
    times = [event.time for event in log.events if event.time]
    levels = Counter(event.level for event in log.events if event.level)
    parts = [f'log of {lines} lines']
    if len(log.events) < 0.98 * lines:
        parts.append(f'{len(log.events)} events')
    if times:
        parts.append(f'{times[0]} to {times[-1]}')
    if levels:
        parts.append(', '.join(f'{level} ×{count}' for level, count in levels.most_common(8)))
    parts.append(f'{len(log.groups)} templates')
    return DigestStatement('; '.join(parts), 100.0, 'overview')


def _about(group: Group, log: _Log) -> Iterator[DigestStatement]:
    """What is said of one template."""
    found = log.events
    example = found[group.members[0]]
    severity = group.severity or example.severity
    said = example.message[:_LINE_LENGTH]
    bad = not severity and BAD.search(said) is not None
    if bad and log.is_rare(group) and not addresses_reader(said):
        rank, topic = 62.0, 'warnings'
    else:
        rank, topic = _RANKS[severity], _TOPICS.get(severity, 'templates')
    changed = _CHANGE.search(said) is not None
    size = len(group.members)
    few = group.members if len(group.members) <= _LINES_NAMED else [*group.members[:_LINES_NAMED], group.members[-1]]
    numbers = tuple(found[index].line for index in few)
    if log.is_rare(group):
        novel = min(_NOVEL_LIMIT, _NOVEL * max(0.0, log.novelty(group) - log2(len(found)) * 0.5))
        rank = max(rank, _RARE_RANK) + (novel * 0.4 if severity in ('fatal', 'error') else novel) + 6.0 * changed
        rank += _NEAR * any(key in log.usual for key in _parts(group) if len(key) >= _LIKE_SHARE * len(group.words))
        if severity not in ('fatal', 'error'):
            rank -= _CROWDED * log.crowd(group)
        topic = 'odd items' if topic == 'templates' else topic
        if severity == 'fine':
            rank, topic = _RANKS['fine'] + novel, 'templates'
        text = _rare(group, found)
        if len(text) <= LONGEST and not (topic == 'errors' and size <= _EACH):
            yield DigestStatement(text, rank, topic, numbers)
        else:
            for nth, index in enumerate(group.members):
                yield DigestStatement(_as_it_stands(found[index]), rank - nth, topic, (found[index].line,))
        return
    rank += min(_OFTEN, log2(size)) if severity else 0.0
    if topic == 'templates':
        rank = max(rank, 34.0) + log2(size) + 1.2 * log.novelty(group) + 8.0 * max(bad, changed)
    cells = [(name or 'value', group.column(place)) for place, name in enumerate(group.names)]
    odd = [each for name, values in cells for each in describe(name, values).oddities]
    yield DigestStatement(_template(group, found, topic), rank, topic, numbers)
    yield from _unlike(group, odd, found, rank)


def _rare(group: Group, found: Sequence[Event]) -> str:
    """A few lines alike: the line itself, or one with the values of each."""
    members = [found[index] for index in group.members]
    if len(members) == 1:
        return _as_it_stands(members[0])
    return f'{_span(members)} {group.told(_inline)}'


def _as_it_stands(event: Event, value: str = '') -> str:
    """A line with its number; of a long one the beginning, and what is around a value."""
    name = f'{event.name}: ' if event.name else ''
    longest = _LINE_LENGTH if event.severity or event.tail else _EXCERPT
    at = event.raw.rfind(value) if value else -1
    if len(event.raw) > longest and at > longest // 2:
        around = event.raw[max(longest // 2, at - longest // 4) : at + len(value) + longest // 8]
        return f'{event.line}| {name}{one_line(event.raw[: longest // 2])} … {one_line(around)}'
    return f'{event.line}| {name}{one_line(event.raw, longest)}'


def _span(members: Sequence[Event], *, is_timed: bool = True) -> str:
    """How many lines, where they stand, and when that was."""
    first, last = members[0], members[-1]
    begin, end = (_FINE.sub('', event.time) if is_timed else '' for event in (first, last))
    day = begin[: found.start()] if (found := _DAY_TIME.search(begin)) else '-'
    end = end.removeprefix(day)
    times = f' {begin} to {end}' if end and not begin.endswith(end) else f' {begin}'
    return f'×{len(members)} in {first.line}-{last.line}:{times}'.rstrip()


def _inline(values: Sequence[str]) -> str:
    """All values in the order of the lines, so that the places of a template can be read together; or the only one."""
    return values[0] if len(set(values)) == 1 else f'{{{", ".join(map(shown, values))}}}'


def _template(group: Group, found: Sequence[Event], topic: Topic) -> str:
    text = f'{_span([found[index] for index in group.members], is_timed=topic != "templates")} {group.told(brief)}'
    # What is counted by its words stands in lines of other templates, too: one that repeats it, or goes on.
    phrase = max(
        (piece.strip(' \t[]():;,.|') for piece in ' '.join(group.words).replace(WILD, MARK).split(MARK)), key=len
    )
    having = sum(phrase in event.raw for event in found) if phrase.count(' ') > 1 else 0
    text = one_line(text, LONGEST if topic != 'templates' else _TEMPLATE_LENGTH)
    return f'{text} [“{phrase}” ×{having}]' if having > len(group.members) else text


def _unlike(group: Group, oddities: Iterable[Oddity], found: Sequence[Event], rank: float) -> Iterator[DigestStatement]:
    """Lines of a template whose values are unlike those of the others."""
    odd: dict[int, tuple[float, list[str]]] = {}
    values: dict[int, str] = {}
    for each in oddities:
        surprise, told = odd.get(each.row, (0.0, []))
        odd[each.row] = surprise + each.surprise, [*told, each.text]
        values.setdefault(each.row, each.value)
    # The same again right after is one odd thing.
    alike: dict[tuple[str, ...], list[int]] = {}
    for row, (_, told) in sorted(odd.items()):
        key = tuple(told)
        if key in alike and group.members[row] - group.members[alike[key][-1]] > _AROUND:
            key = (*told, str(row))
        alike.setdefault(key, []).append(row)
    ranked = sorted(alike.items(), key=lambda item: -odd[item[1][0]][0])
    for nth, (told, rows) in enumerate(ranked[:60]):
        event = found[group.members[rows[0]]]
        surprise = odd[rows[0]][0] - _FURTHER * nth
        why = ', '.join(
            [
                *[each for each in told if '(usually' in each or '(median' in each][:1],
                *([f'×{len(rows)}'] if len(rows) > 1 else []),
            ]
        )
        text = _as_it_stands(event, values[rows[0]])
        if why:
            text += f' [{one_line(why, 100)}]'
        yield DigestStatement(
            text, max(rank - 12.0 - nth, 56.0 + min(24.0, 1.3 * surprise)), 'odd items', (event.line,)
        )


def _by_outcome(groups: Iterable[Group], found: Sequence[Event]) -> Iterator[Group]:
    """Tell failed outcomes from good ones where only a number says so: HTTP statuses and exit codes."""
    for group in groups:
        at = next((place for place, name in enumerate(group.names) if _is_outcome(name, group.column(place))), None)
        if at is None or group.severity == 'fine':
            yield group
            continue
        exits = _EXIT.search(group.names[at]) is not None
        parted: dict[Severity, list[int]] = {}
        for row, value in enumerate(group.column(at)):
            parted.setdefault(_outcome(value, exits=exits), []).append(row)
        for severity, rows in parted.items():
            worst = severity or group.severity
            yield group.part(rows, 'fatal' if group.severity == 'fatal' else worst)


def _is_outcome(name: str, values: Sequence[str]) -> bool:
    if _EXIT.search(name):
        return all(value.lstrip('-').isdigit() and len(value) < 5 for value in values[:50])
    if _STATUS.search(name):
        return all(len(value) == 3 and value.isdigit() and value[0] in '12345' for value in values[:50])
    return False


def _outcome(value: str, *, exits: bool) -> Severity:
    if exits:
        return '' if quantity(value) == 0 else 'error'
    return {'4': 'warning', '5': 'error'}.get(value[:1], '')  # pyright: ignore[reportReturnType]
