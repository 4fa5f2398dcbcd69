"""Logs: the templates of their lines with counts, and the errors; what else is unlike the others is told elsewhere."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log2

from summarizer_tool.digests.columns import brief
from summarizer_tool.digests.log_lines import Event, Severity
from summarizer_tool.digests.statements import LONGEST, DigestStatement, Topic, one_line
from summarizer_tool.digests.templates import Group, grouped

_RANKS: dict[Severity, float] = {'fatal': 92.0, 'error': 86.0, 'warning': 67.0, '': 34.0, 'debug': 18.0}
_TOPICS: dict[Severity, Topic] = {'fatal': 'errors', 'error': 'errors', 'warning': 'warnings'}

_FINE = re.compile(r'(?<=:\d\d)(?:[.,]\d+)?(?: ?[+-]\d\d:?\d\d|Z)?$')
"""Parts of a second and the zone: an hour tells enough of when many lines began and ended."""
_DAY_TIME = re.compile(r'\d\d:\d\d:\d\d')

_TOGETHER = 8
"""Errors and warnings of one template up to which they are told together, if they fit, or each."""
_LEAST = 3
"""Lines from which others of one template are told together."""
_WARNED = 8.0
"""What the rank of a template gains that warns."""
_TEMPLATE_LENGTH = 160
_LINES_NAMED = 20
_LINE_LENGTH = 210
_TRACED = 300
"""Characters of a line, of one with a stack trace, that are told."""
_TOLD = 3000
"""Templates of which something is said."""


def log_statements(read: Sequence[Event], lines: int = 0) -> Iterator[DigestStatement]:
    """What is usual in a log, and its errors.

    Args:
        read: The events of a log, or lines of another text.
        lines: How many lines the log has; none for other texts.
    """
    if not read:
        return
    groups = grouped(read)
    words = Counter(word for group in groups for word in group.constant_words() for _ in group.members)
    if lines:
        yield _overview(read, len(groups), lines)
    for group in sorted(groups, key=lambda each: (-_RANKS[each.severity], -len(each.members)))[:_TOLD]:
        if any(any(map(str.isalpha, word)) for word, _ in group.lines[0].words):
            yield from _about(group, read, words)


def _overview(events: Sequence[Event], templates: int, lines: int) -> DigestStatement:
    times = [event.time for event in events if event.time]
    levels = Counter(event.level for event in events if event.level)
    parts = [f'log of {lines} lines']
    if len(events) < 0.98 * lines:
        parts.append(f'{len(events)} events')
    if times:
        # What begins with the year has the order of time; lines have not where several write one log.
        ordered = sorted(times) if all(time[:4].isdigit() for time in times) else times
        parts.append(f'{ordered[0]} to {ordered[-1]}')
    if levels:
        parts.append(', '.join(f'{level} ×{count}' for level, count in levels.most_common(8)))
    parts.append(f'{templates} templates')
    return DigestStatement('; '.join(parts), 100.0, 'overview')


def _about(group: Group, events: Sequence[Event], words: Mapping[str, int]) -> Iterator[DigestStatement]:
    """What is said of one template."""
    members = [events[index] for index in group.members]
    severity = group.severity or members[0].severity
    topic = _TOPICS.get(severity, 'templates')
    rank, size = _RANKS[severity], len(members)
    novel = log2(len(events) / min((words[word] for word in group.constant_words()), default=len(events)))
    if topic != 'templates' and 1 < size <= _TOGETHER:
        text = f'{_span(members, is_timed=True)} {group.told(brief)}'
        if len(text) <= LONGEST:
            yield DigestStatement(text, rank + 0.5 * novel, topic, tuple(event.line for event in members))
            return
    if topic != 'templates' and size <= _TOGETHER:
        for nth, event in enumerate(members):
            yield DigestStatement(_as_it_stands(event), rank + 0.5 * novel - nth, topic, (event.line,))
        return
    if size < _LEAST:
        # Where there is room, they are told even if nothing in them is surprising.
        for event in members:
            yield DigestStatement(_as_it_stands(event), _RANKS['debug'], 'odd items', (event.line,))
        return
    if topic == 'warnings':
        # What is warned of again and again is usual.
        topic, rank = 'templates', _RANKS[''] + _WARNED
    if topic == 'errors':
        rank += 6.0
    else:
        rank += 1.5 * log2(size) + 0.8 * novel
    few = members if size <= _LINES_NAMED else [*members[:_LINES_NAMED], members[-1]]
    told = one_line(f'{_span(members, is_timed=topic != "templates")} {group.told(brief)}', _TEMPLATE_LENGTH)
    lines = tuple(event.line for event in few)
    yield DigestStatement(told, rank, topic, lines, shortened=members[0].raw)


def _as_it_stands(event: Event) -> str:
    """A line with its number."""
    return f'{event.line}| {one_line(event.raw, _TRACED if event.tail else _LINE_LENGTH)}'


def _span(members: Sequence[Event], *, is_timed: bool) -> str:
    """How many lines, where they stand, and when that was."""
    first, last = members[0], members[-1]
    begin, end = (_FINE.sub('', event.time) if is_timed else '' for event in (first, last))
    day = begin[: found.start()] if (found := _DAY_TIME.search(begin)) else '-'
    end = end.removeprefix(day)
    times = f' {begin} to {end}' if end and not begin.endswith(end) else f' {begin}'
    return f'×{len(members)} in {first.line}-{last.line}:{times}'.rstrip()
