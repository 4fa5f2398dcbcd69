"""Logs: the templates of their lines with counts, and the errors; what else is unlike the others is told elsewhere."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import log2

from summarizer_tool.digests.columns import brief
from summarizer_tool.digests.log_lines import Event, Severity
from summarizer_tool.digests.places import VARIES, CutLine, cut, masked
from summarizer_tool.digests.statements import LONGEST, DigestStatement, Topic, one_line

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
_TRACED = 340
"""Characters of a line, of one with a stack trace, that are told."""
_TOLD = 3000
"""Templates of which something is said."""
_WORDS = 40
"""Words of a line by which it is compared with others."""


@dataclass(frozen=True, slots=True)
class _Template:
    """Events whose lines differ only in what varies."""

    severity: Severity
    words: AbstractSet[str]
    """Those that stand in all lines."""
    members: list[Event] = field(default_factory=list[Event])
    lines: list[CutLine] = field(default_factory=list[CutLine])

    def __str__(self) -> str:
        """The first line, in each place in which words vary with what these are in short."""
        first = self.lines[0]
        text = ''
        for place, (word, signs) in enumerate(first.words[:_WORDS]):
            column = [line.words[place][0] for line in self.lines]
            text += signs + (word if len({*column}) == 1 else brief(column))
        return text + (' …' if len(first.words) >= _WORDS else first.end)


def log_statements(read: Sequence[Event], lines: int = 0) -> Iterator[DigestStatement]:
    """What is usual in a log, and its errors.

    Args:
        read: The events of a log, or lines of another text.
        lines: How many lines the log has; none for other texts.
    """
    if not read:
        return
    templates = _templates(read)
    words = Counter(word for each in templates for word in each.words for _ in each.members)
    if lines:
        yield _overview(read, len(templates), lines)
    for each in sorted(templates, key=lambda each: (-_RANKS[each.severity], -len(each.members)))[:_TOLD]:
        if any(any(map(str.isalpha, word)) for word, _ in each.lines[0].words):
            yield from _about(each, len(read), words)


def _templates(events: Sequence[Event]) -> Sequence[_Template]:
    """Bring events of one template together, in the order of their first ones."""
    found: dict[Hashable, _Template] = {}
    for event in events:
        line = cut(event.message)
        words = tuple(masked(word, signs) for word, signs in line.words[:_WORDS])
        key = words, ''.join(signs for _, signs in line.words[:_WORDS]), event.severity
        template = found.setdefault(key, _Template(event.severity, {*words} - {VARIES}))
        template.members.append(event)
        template.lines.append(line)
    return [*found.values()]


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


def _about(template: _Template, events: int, words: Mapping[str, int]) -> Iterator[DigestStatement]:
    """What is said of one template of so many events."""
    members, severity = template.members, template.severity
    topic = _TOPICS.get(severity, 'templates')
    rank, size = _RANKS[severity], len(members)
    novel = log2(events / min((words[word] for word in template.words), default=events))
    if topic == 'templates' and size < _LEAST:
        # Where there is room, they are told even if nothing in them is surprising.
        for event in members:
            yield DigestStatement(_as_it_stands(event), _RANKS['debug'], 'odd items', (event.line,))
        return
    if topic == 'warnings' and size > _TOGETHER:
        # What is warned of again and again is usual.
        topic, rank = 'templates', _RANKS[''] + _WARNED
    text = f'{_span(members, is_timed=topic != "templates")} {template}'
    lines = tuple(event.line for event in members)
    if topic != 'templates' and 1 < size <= _TOGETHER and len(text) <= LONGEST:
        yield DigestStatement(text, rank + 0.5 * novel, topic, lines)
        return
    if topic != 'templates' and size <= _TOGETHER:
        for nth, event in enumerate(members):
            yield DigestStatement(_as_it_stands(event), rank + 0.5 * novel - nth, topic, (event.line,))
        return
    rank += 6.0 if topic == 'errors' else 1.5 * log2(size) + 0.8 * novel
    few = lines if size <= _LINES_NAMED else (*lines[:_LINES_NAMED], lines[-1])
    yield DigestStatement(one_line(text, _TEMPLATE_LENGTH), rank, topic, few, shortened=members[0].raw)


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
