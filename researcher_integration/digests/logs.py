"""Logs: line templates with counts, and the lines that are unlike the others."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log2

from researcher_integration.digests.columns import BAD, Column, brief, describe, shown
from researcher_integration.digests.log_lines import Event, Severity, events
from researcher_integration.digests.statements import LONGEST, DigestStatement, Topic, one_line
from researcher_integration.digests.templates import Group, grouped
from researcher_integration.digests.values import quantity

_RANKS: dict[Severity, float] = {'fatal': 92.0, 'error': 86.0, 'warning': 70.0, '': 30.0, 'debug': 18.0}
_TOPICS: dict[Severity, Topic] = {'fatal': 'errors', 'error': 'errors', 'warning': 'warnings'}

_CHANGE = re.compile(
    r'(?i)\b(?:restart(?:s|ed|ing)?|reboot\w*|start(?:ed|ing) up|shut(?:ting)? ?down|stopp(?:ed|ing)|scal(?:ed|ing)'
    r'|upgrad\w+|roll(?:ed|ing)? ?back|deploy\w*|migrat\w+|promot\w+|demot\w+|failover|elected|leader|switch\w*'
    r'|chang(?:ed?|ing)|transition\w*|became|overrid\w+|overrode|non-default|instead of|disabl\w+|enabl\w+|reload\w*'
    r'|rotat\w+|revok\w+|quarantin\w+|drain\w*|cordon\w*|throttl\w+|config\w*|setting|set to|version|->|→)'
)
"""Words that say that something is no longer as it was."""

_EXIT = re.compile(r'(?i)(?:exit(?:ed)?|return(?:ed)?|rc)(?:[ _-]?(?:with|status|code))*$')
_EXITED = re.compile(r'(?i)\bexit(?:ed)?\b.{0,40}?(?:status|code)[=: ]{1,3}-?[1-9]')
_STATUS = re.compile(r'(?i)(?:status|code|http|https?[ _-]?status|status[ _-]?code|HTTP/[\d.]+)$')

_FEW = (3, 8)
"""Lines of a template up to which each of them is told, in short and in long logs."""
_FEW_SHARE = 0.004

_RARE_RANK = 58.0
_NOVEL = 4.0
"""What each bit of a line's rarest words adds to its rank, up to `_NOVEL_LIMIT`."""
_NOVEL_LIMIT = 18.0
_LINES_NAMED = 20
_LISTED = 16
"""Names that are listed of those that errors of one template are about."""
_LINE_LENGTH = 300
_TOLD = 3000
"""Templates of which something is said."""


@dataclass(slots=True)
class _Log:
    """A log that is being told."""

    events: Sequence[Event]
    groups: Sequence[Group]
    words: Counter[str] = field(default_factory=Counter[str])
    """In how many lines a word of a template stands."""

    def novelty(self, group: Group) -> float:
        """How rare the rarest words of a template are in the log, in bits."""
        found = sorted(self.words[word] for word in set(group.constant_words()))[:3]
        if not found:
            return 0.0
        total = len(self.events)
        return sum(log2(total / max(1, count)) for count in found) / len(found)


def log_statements(lines: Sequence[str]) -> Iterator[DigestStatement]:
    """Everything a digest of a log may say; its lines are without line breaks and escapes."""
    found = list(events(lines))
    if not found:
        return
    log = _Log(found, list(_by_outcome(grouped(found), found)))
    for group in log.groups:
        for word in set(group.constant_words()):
            log.words[word] += len(group.members)
    yield _overview(log, len(lines))
    told = log.groups
    if len(told) > _TOLD:
        # The worst and the rarest; no digest has room for as many.
        worth = sorted(told, key=lambda group: (-_RANKS[group.severity], len(group.members)))
        told = [*worth[: _TOLD // 2], *sorted(worth[_TOLD // 2 :], key=lambda group: -len(group.members))[: _TOLD // 2]]
    for group in told:
        yield from _about(group, log)


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
    if not severity and (BAD.search(said) or _EXITED.search(said)):
        rank, topic = 62.0, 'warnings'
    else:
        rank, topic = _RANKS[severity], _TOPICS.get(severity, 'templates')
    changed = _CHANGE.search(said) is not None
    size = len(group.members)
    numbers = tuple(found[index].line for index in group.members[:_LINES_NAMED])
    if size <= min(_FEW[1], max(_FEW[0], int(len(found) * _FEW_SHARE))):
        novel = min(_NOVEL_LIMIT, _NOVEL * max(0.0, log.novelty(group) - log2(len(found)) * 0.5))
        rank = max(rank, _RARE_RANK) + (novel * 0.4 if severity in ('fatal', 'error') else novel) + 6.0 * changed
        topic = 'odd items' if topic == 'templates' else topic
        text = _rare(group, found)
        if len(text) <= LONGEST:
            yield DigestStatement(text, rank, topic, numbers)
        else:
            for index in group.members:
                event = found[index]
                yield DigestStatement(f'{event.clock} {event.message[:LONGEST]}', rank, topic, (event.line,))
        return
    if topic == 'templates':
        rank = max(rank, 34.0) + min(8.0, log2(size)) + 8.0 * changed
    columns = [describe(name or 'value', group.column(place)) for place, name in enumerate(group.names)]
    yield DigestStatement(_template(group, found, topic), rank, topic, numbers)
    if topic != 'templates':
        yield from _involved(group, columns, rank)
    yield from _unlike(group, columns, found, rank)
    yield from _measures(group, columns, found)


def _rare(group: Group, found: Sequence[Event]) -> str:
    """A few lines alike: the line itself, or one with the values of each."""
    members = [found[index] for index in group.members]
    if len(members) == 1:
        return f'{members[0].clock} {members[0].message[:_LINE_LENGTH]}'.strip()
    times = [event.clock for event in members if event.clock]
    told = ', '.join(times) if len(times) <= 3 else f'{times[0]} to {times[-1]}'
    return f'×{len(members)} {told} {group.told(_inline)}'


def _involved(group: Group, columns: Sequence[Column], rank: float) -> Iterator[DigestStatement]:
    """What errors of one template are about: the names and numbers that are not the same in all."""
    for place, column in enumerate(columns):
        if column.kind != 'texts' or not column.name:
            continue
        values = list(dict.fromkeys(group.column(place)))
        listed = ', '.join(shown(value)[:40] for value in values[:_LISTED])
        more = f', … {len(values) - _LISTED} more' if len(values) > _LISTED else ''
        about = ' '.join(word for word in group.constant_words() if len(word) > 3)[:60]
        yield DigestStatement(f'{column.name} in “{about}”: {listed}{more}', rank - 38.0, 'values')


def _inline(values: Sequence[str]) -> str:
    """All values in the order of the lines, so that the places of a template can be read together; or the only one."""
    return values[0] if len(set(values)) == 1 else f'{{{", ".join(map(shown, values))}}}'


def _template(group: Group, found: Sequence[Event], topic: Topic) -> str:
    first, last = found[group.members[0]], found[group.members[-1]]
    text = f'×{len(group.members)} '
    if topic != 'templates' and first.clock:
        text += f'{first.clock} to {last.clock} ' if last.clock != first.clock else f'{first.clock} '
    return text + group.told(brief)


def _unlike(group: Group, columns: Iterable[Column], found: Sequence[Event], rank: float) -> Iterator[DigestStatement]:
    """Lines of a template whose values are unlike those of the others."""
    odd: dict[int, tuple[float, list[str]]] = {}
    for column in columns:
        for each in column.oddities:
            surprise, told = odd.get(each.row, (0.0, []))
            odd[each.row] = surprise + each.surprise, [*told, each.text]
    for row, (surprise, told) in sorted(odd.items(), key=lambda item: -item[1][0])[:60]:
        event = found[group.members[row]]
        why = ', '.join(each for each in told if '(' in each)
        text = f'{event.clock} {event.message[:_LINE_LENGTH]}'.strip()
        if why:
            text += f' [{one_line(why, 100)}]'
        yield DigestStatement(text, max(rank - 12.0, 56.0 + min(20.0, 1.3 * surprise)), 'odd items', (event.line,))


def _measures(group: Group, columns: Sequence[Column], found: Sequence[Event]) -> Iterator[DigestStatement]:
    """The greatest value of a field with a unit, where no line was told apart for it."""
    for column in columns:
        if column.kind != 'numbers' or column.extreme is None or column.oddities:
            continue
        event = found[group.members[column.extreme]]
        yield DigestStatement(
            f'greatest {column.name} {column.text}: {event.clock} {event.message[:_LINE_LENGTH]}',
            28.0 + (6.0 if re.search(r'(?i)\d[a-zµ%]', column.text[:20]) or '.' in column.text[:6] else 0.0),
            'values',
            (event.line,),
        )


def _by_outcome(groups: Iterable[Group], found: Sequence[Event]) -> Iterator[Group]:
    """Tell failed outcomes from good ones where only a number says so: HTTP statuses and exit codes."""
    for group in groups:
        at = next((place for place, name in enumerate(group.names) if _is_outcome(name, group.column(place))), None)
        if at is None:
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
