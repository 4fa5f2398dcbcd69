"""Logs: lines as events (when, how bad, what), each with its stack trace; the templates and the errors of these."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import log2
from typing import Literal

from summarizer_tool.digests import ranks
from summarizer_tool.digests.columns import brief, listed, moment, quantity
from summarizer_tool.digests.places import LONGEST_LINE, VARIES, CutLine, cut, masked, pieces
from summarizer_tool.digests.statements import LONGEST, DigestStatement, Topic, one_line

Severity = Literal['fatal', 'error', 'warning', '', 'debug']
"""As the line itself says; empty for lines that say nothing or say info."""

LEVEL_WITHIN = 240
"""Characters in which a line says how bad it is."""

_BEFORE = 3  # words before the time of a line up to which it is one of a log: in a listing of files there are more

LONGEST_TAIL = 2000
"""Lines of one stack trace that are kept."""

_TIME = re.compile(
    r'\[?(?:'
    r'\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:\s?Z|\s?[+-]\d\d:?\d\d| UTC| GMT)?'
    r'|(?:(?<!\d)\d\d?(?:[./-]\d\d?[./-]| [A-Z][a-z]{2} )\d{4},? |\d{4}年\d\d?月\d\d?日 ?)'
    r'\d\d?:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M\b)?'
    r'|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}'
    r'|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d(?: \d{4})?'
    r'|(?<=\b[IWEF])\d{4} \d\d:\d\d:\d\d\.\d{6}'
    r')\]?'
)
_CLOCK = re.compile(r'\[?(?<![\w:.])(?:\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?![\d:])(?: [AP]M\b)?|\d:\d\d:\d\d [AP]M\b)\]?')
"""Only looked for where no date stands."""
_IN_TIME = re.compile(r'\d:\d\d:\d\d')  # what each of both has, and is found much faster
_TIME_KEY = re.compile(r'\b(?:ts|t|time|timestamp)=["\']?$')
_LEADING_TIME = re.compile(r'\[\s*\d{1,7}\.\d{6}\]|(?:1[0-9]{9}(?:\.\d+)?|1[0-9]{12}|\d{6} \d{6}|\d{8}T\d{6}Z?)(?=\s)')
_LEVEL = re.compile(
    r'\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|CRIT(?:ICAL)?|FATAL|PANIC|SEVERE|ALERT|EMERG(?:ENCY)?)\b'
    r'|(?i:\b(?:level|lvl|severity|loglevel)["\']?\s?[=:]\s?["\']?([a-z]{3,9})(?![\w(]))'
    r'|(?i:[\[<(]\s?(trace|debug|info|notice|warn(?:ing)?|error|err|crit(?:ical)?|fatal|panic|alert|emerg)\s?[\])>])'
    r'|^([IWEF])(?=\d{4} \d\d:\d\d:\d\d)'
    r'|(?i:(?:^\W{0,3}|:\s?|\s)(debug|info|warn(?:ing)?|error|fatal|panic)(?:\[\w+\])?:(?=\s))'
    r'|(?i:\b(?:HTTP/[\d.]{1,3}"?|(?:http[ _-]?)?status(?:[ _-]?code)?)[ =:]{1,2}([45]\d\d)\b)'
    r'|(?i:\b(?:(?:exit|return)(?:ed)?(?: with)?[ _-](?:status|code)|rc)[ =:]{1,2}([1-9]\d{0,2})\b)'
    r'|= -1 (E[A-Z]{3,})\b'
    r'|^[\s│├└─]*(?:(not ok|[✗✘✖×❌⨯]|-{0,3} ?FAIL(?:ED|URE)?\b)|([✓✔√✅]|ok(?= \d)|PASS(?:ED)?\b)|(⚠))(?=[\s:\ufe0f])'
)
_IN_LEVEL = (
    *'trac debu info noti warn err crit fata pani seve aler emer level lvl http status exit return rc'.split(),  # noqa: SIM905
    '= -1 e',
    'not ok',
    'fail',
    'pass',
    'ok ',
    *'✗✘✖×❌⨯✓✔√✅⚠',
)
"""What a level has, in small letters, but for that of one letter, which stands before a time."""
_SEVERITIES: Mapping[str, Severity] = {
    'trac': 'debug', 'debu': 'debug', 'warn': 'warning', 'w': 'warning', 'erro': 'error', 'err': 'error', 'e': 'error',
    'seve': 'error', 'crit': 'fatal', 'fata': 'fatal', 'f': 'fatal', 'pani': 'fatal', 'aler': 'fatal', 'emer': 'fatal',
}  # fmt: skip
_NAMES = {'w': 'WARN', 'e': 'ERROR', 'f': 'FATAL', 'i': 'INFO', 'warn': 'WARN', 'err': 'ERROR'}

_EXCEPTION_LENGTH = 160  # characters of an exception of several in a stack trace
_TRACE = re.compile(
    r'\s*(?:Caused by\b|Suppressed\b|Wrapped by\b|Traceback \(most recent|\.\.\. \d+ more|goroutine \d+ \['
    r'|During handling of the above exception|The above exception was the direct cause)'
)
_EXCEPTION = re.compile(r'(?:[\w$]+\.)*[A-Z][\w$]*(?:Error|Exception|Warning|Exit|Interrupt|Throwable|Fault)\b')
_LOCATED = re.compile(r'([^\s:()]{1,200})(?::\d+|\(\d+(?:,\d+)?\))(?::\d+)?:\s')
"""A line that begins with where something stands, as compilers and linters say it: `a.c:12:5: …`."""
_STATUS = re.compile(r'\S[ .]+\[ ?[A-Z][A-Z ]{1,20}\]\s*$')  # what came of what a line says, at its end: `[ OK ]`
_FRAME = re.compile(r'\s+(?:at \S|File "|#\d+ )|\t\S+\.(?:go|rs|rb|js|ts):\d')
_MARGIN = re.compile(r'(?!Traceback)\S')
_FOLDERS = re.compile(r'(?<=File ")(?=[^"\n]{41})[^"\n]*(?=/[^/"\n]+/[^/"\n]+")')
"""All but the last of the folders of a long path."""


@dataclass(slots=True)
class Event:
    """One message of a log."""

    line: int
    """Number of its first line, from 1."""
    time: str
    """As written; empty if there is none."""
    level: str
    """In capitals; empty if there is none."""
    severity: Severity
    message: str
    """The line without its time, with what its stack trace says in short."""
    raw: str = ''
    """The line as it stands, with what its stack trace says in short."""
    tail: list[str] = field(default_factory=list[str])
    """The lines that follow and belong to it: a stack trace."""


def loose(lines: Sequence[str]) -> list[Event]:
    """Lines as events in a text that is no log, long ones in pieces."""
    parted = ((number, pieces(line, LONGEST_LINE)) for number, line in enumerate(lines, 1))
    return [Event(number, '', '', '', piece, piece) for number, found in parted for piece in found if piece.strip()]


def events(lines: Sequence[str]) -> Iterator[Event]:
    """Read the lines of a log, which are without line breaks and escapes."""
    timed = sum(parts(line)[0] != '' for line in lines[:400]) >= 0.5 * sum(line.strip() != '' for line in lines[:400])
    current: Event | None = None
    is_parted = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            is_parted = True
            continue
        follows, is_parted = not is_parted, False
        time, message = parts(line[:LONGEST_LINE])
        level, severity = _level(line[:LEVEL_WITHIN])
        if not time and line.startswith('Traceback') and (current is None or _is_well(current)):
            if current is not None:
                yield _with_trace(current)
            current = Event(number, '', 'exception', 'error', '', '', [line[:LONGEST_LINE]])
            continue
        if current is not None and not time and _belongs(line, current, timed=timed, level=level, follows=follows):
            if len(current.tail) == LONGEST_TAIL:  # what went wrong stands at its end
                del current.tail[LONGEST_TAIL // 2]
            current.tail.append(line[:LONGEST_LINE])
            continue
        if current is not None:
            yield _with_trace(current)
        current = Event(number, time, level, severity, message, line[:LONGEST_LINE])
    if current is not None:
        yield _with_trace(current)


def _with_trace(event: Event) -> Event:
    """An event that says what its stack trace does."""
    if traced := trace(event.tail):
        event.message = ' | '.join(filter(None, (event.message, traced)))
        event.raw = ' | '.join(filter(None, (event.raw, traced)))
        if not event.level and any(_FRAME.match(line) or _EXCEPTION.match(line.strip()) for line in event.tail):
            event.severity = event.severity or 'error'
    return event


@lru_cache(maxsize=4096)
def parts(line: str) -> tuple[str, str]:
    """The time of a line, and the line without it."""
    found = _LEADING_TIME.match(line) or _time(line, 160)
    if found is None:
        return '', line
    before, after = _TIME_KEY.sub('', line[: found.start()]), line[found.end() :].lstrip('"')
    return found[0].strip('[]'), f'{before.rstrip()} {after.lstrip()}'.strip(' \t|:')


def _time(line: str, within: int) -> re.Match[str] | None:
    if not _IN_TIME.search(line, 0, within):
        return None
    return _TIME.search(line, 0, within) or _CLOCK.search(line, 0, within)


@lru_cache(maxsize=4096)
def _level(line: str) -> tuple[str, Severity]:
    folded = line.casefold()
    if not any(map(folded.__contains__, _IN_LEVEL)) and not _IN_TIME.search(line):
        return '', ''
    found = _LEVEL.search(line)
    if found is None:
        return '', ''
    word = next(group for group in found.groups() if group).lstrip('- ')
    if found[9] or found[10] or found[11]:  # of what has been tried, one after another
        return word, 'error' if found[9] else '' if found[10] else 'warning'
    if found[8]:  # of a call of the system
        return word, 'warning'
    if word.isdigit():
        return f'status {word}', 'warning' if found[6] and word < '5' else 'error'
    key = word.lower()[:4]
    return _NAMES.get(key, word.upper()), _SEVERITIES.get(key, '')


def _is_well(current: Event) -> bool:
    """Return whether all is well with an event, so that a stack trace behind it does not belong to it."""
    return current.level != '' and current.severity in ('', 'debug')


def _belongs(line: str, current: Event, *, timed: bool, level: str, follows: bool) -> bool:
    """Return whether a line without a time goes on with the event before it."""
    if _FRAME.match(line) or _TRACE.match(line):
        return True
    if line[0] in ' \t' and not timed:
        # Many tools indent what they print; only a trace that has begun goes on with any indented line.
        return bool(current.tail) and follows
    if current.tail and _FRAME.match(current.tail[-1]) and _EXCEPTION.match(line):
        return True
    if current.tail and current.tail[0].startswith('Traceback') and line[0] not in ' \t':
        # The last line of a Python traceback, after the source line of its innermost frame.
        return bool(_EXCEPTION.match(line)) or (current.tail[-1][:1] in ' \t' and not level)
    return timed and not level


def trace(tail: Sequence[str]) -> str:
    """What a stack trace (the lines after the message) says: its exceptions, and where they were thrown."""
    said: list[str] = []
    frame = ''
    for nth, line in enumerate(tail):
        bare = line.strip()
        if bare.startswith(('File "', 'Traceback')):
            frame = _FOLDERS.sub('…', bare)
            continue
        # What Python throws stands at the margin below its frames, whatever it is called.
        is_thrown = frame and _MARGIN.match(line) and tail[nth - 1][:1].isspace()
        if nth == 0 or is_thrown or _EXCEPTION.match(bare) or bare.startswith(('Caused by', 'Suppressed', 'panic:')):
            said.append(f'{bare} [{frame}]' if frame else bare)
            frame = ''
        elif _FRAME.match(line) and len(said) == 1 and not _FRAME.match(tail[0]):
            said.append(bare)
    if len(said) > 2:
        # What went wrong first is told last: it must not be cut out of the middle.
        last = next((each for each in reversed(said) if each.startswith('Caused by')), said[-1])
        said = [one_line(each, _EXCEPTION_LENGTH) for each in (said[0], last)]
    return ' | '.join(said)


def starts_like_log(line: str) -> bool:
    """Return whether a line has a time near its beginning, a level or a place in a file, or is a frame of a trace."""
    found = _time(line, 80)
    return (
        _LEADING_TIME.match(line) is not None
        or (found is not None and len(line[: found.start()].split()) <= _BEFORE and not _is_field(line, found))
        or bool(_level(line[:LEVEL_WITHIN])[0])
        or _FRAME.match(line) is not None
        or _LOCATED.match(line) is not None
        or _STATUS.search(line) is not None
    )


def _is_field(line: str, time: re.Match[str]) -> bool:
    """Return whether a line is a time with its name, as in a record of several lines: an event says more."""
    return line[: time.start()].rstrip().endswith((':', '=')) and not line[time.end() :].strip()


_TOPICS: dict[Severity, Topic] = {'fatal': 'errors', 'error': 'errors', 'warning': 'warnings'}

_FINE = re.compile(r'(?<=:\d\d)(?:[.,]\d+)?(?: ?[+-]\d\d:?\d\d|Z)?$')
"""Parts of a second and the zone: an hour tells enough of when many lines began and ended."""
_DAY_TIME = re.compile(r'\d\d:\d\d:\d\d')

_TOGETHER = 8  # errors and warnings of one template up to which they are told together, if they fit, or each
_LEAST = 3  # lines from which others of one template are told together
_TEMPLATE_LENGTH = 160
_MARKED = 0.1  # share of the lines that have a time or a level from which these are told of
_LINES_NAMED = 20
_LISTED, _TALLIES, _NAMED = 5, 6, 60
"""Values of one place, and places, of which is told how often they are there, and characters of each."""
_TALLIED, _LEAST_BITS, _FIRST_WORDS = 8, 0.3, 6
"""Lines, and bits for each line, from which values are counted in a place, and words of a line that are one each."""
_UNIT = re.compile(r'[^A-Za-zµ]')  # what is none in a number with its unit
_LINE_NUMBERS = re.compile(r'(?::\d+)*:?$')
_LINE_LENGTH = 210
_TRACED = 340  # characters of a line, of one with a stack trace or the only fatal one of its template, that are told
_TOLD = 3000  # templates of which something is said
_WORDS = 40  # words of a line by which it is compared with others


@dataclass(frozen=True, slots=True)
class LogTemplate:
    """Events whose lines differ only in what varies."""

    severity: Severity
    words: AbstractSet[str]
    """Those that stand in all lines."""
    members: list[Event] = field(default_factory=list[Event])
    lines: list[CutLine] = field(default_factory=list[CutLine])

    def text(self, told: Callable[[Sequence[str]], str]) -> str:
        """The first line, in each place in which words vary with what is told of these."""
        first = self.lines[0]
        text = ''
        for place, (word, signs) in enumerate(first.words[:_WORDS]):
            column = [line.words[place][0] for line in self.lines]
            text += signs + (word if len({*column}) == 1 else told(column))
        return text + (' …' if len(first.words) >= _WORDS else first.end)


def log_statements(
    read: Sequence[Event], templates: Sequence[LogTemplate], lines: int = 0
) -> Iterator[DigestStatement]:
    """What is usual in a log of so many lines, or in lines of another text, and its errors."""
    if not read:
        return
    words = Counter(word for each in templates for word in each.words for _ in each.members)
    if lines:
        yield _overview(read, len(templates), lines)
        yield from _tallies(read)
    for each in sorted(templates, key=lambda each: (-ranks.SEVERITY[each.severity], -len(each.members)))[:_TOLD]:
        if any(any(map(str.isalpha, word)) for word, _ in each.lines[0].words):
            yield from _about(each, len(read), words)


def log_templates(events: Sequence[Event]) -> Sequence[LogTemplate]:
    """Bring events of one template together, in the order of their first ones."""
    found: dict[Hashable, LogTemplate] = {}
    for event in events:
        line = cut(event.message)
        words = tuple(masked(word, signs) for word, signs in line.words[:_WORDS])
        key = words, ''.join(signs for _, signs in line.words[:_WORDS]), event.severity
        template = found.setdefault(key, LogTemplate(event.severity, {*words} - {VARIES}))
        template.members.append(event)
        template.lines.append(line)
    return [*found.values()]


def measures(templates: Sequence[LogTemplate]) -> Iterator[tuple[Event, Mapping[str, str]]]:
    """The numbers of each event that differ within its template, by the word before each and its unit, or counted."""
    for template in templates:
        words = [word for word, _ in template.lines[0].words[:_WORDS]]
        varied = [len({line.words[place][0] for line in template.lines}) > 1 for place in range(len(words))]
        places: dict[str, int] = {}
        for place, number in enumerate(words):
            if quantity(number) is None or not (varied[place] or len(template.lines) == 1):
                continue
            before = [word for word in words[max(0, place - 1) : place] if not varied[place - 1] and word[:1].isalpha()]
            units = [unit for unit in (_UNIT.sub('', number), *words[place + 1 : place + 2]) if quantity(f'1{unit}')]
            places.setdefault(' '.join(filter(None, [*before, *units])) or f'number {len(places) + 1}', place)
        for event, line in zip(template.members, template.lines, strict=True):
            row = {
                name: number for name, place in places.items() if quantity(number := line.words[place][0]) is not None
            }
            if row:
                yield event, row


def _overview(events: Sequence[Event], templates: int, lines: int) -> DigestStatement:
    is_log = sum(event.time != '' or event.level != '' for event in events) >= _MARKED * len(events)
    times = [event.time for event in events if event.time and is_log]
    levels = Counter(event.level for event in events if event.level and is_log)
    parts = [f'log of {lines} lines' if times or levels else f'{lines} lines']
    if (times or levels) and len(events) < 0.98 * lines:
        parts.append(f'{len(events)} events')
    if times:
        parts.append(' to '.join(_from_to(times)))
    if levels:
        parts.append(', '.join(f'{level} ×{count}' for level, count in levels.most_common(8)))
    parts.append(f'{templates} templates')
    return DigestStatement('; '.join(parts), ranks.OVERVIEW, 'overview')


def _tallies(events: Sequence[Event]) -> Iterator[DigestStatement]:
    """What stands most often where the same stands again and again: files and kinds of findings, hosts, users."""
    places: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for event in events:
        words = [(_LINE_NUMBERS.sub('', word), signs) for word, signs in cut(event.message).words[:_WORDS]]
        last = len(words) - 1
        lines = ('lines', 'lines of errors and warnings') if event.severity in _TOPICS else ('lines',)
        for nth, (value, signs) in enumerate(words):
            # Plain words are those of templates.
            if quantity(value) is not None or (value.rstrip('.').isalpha() and signs[-1:] not in ('=', '[')):
                continue
            before = words[nth - 1][0] if nth else ''
            named = [f'behind {before}{signs}'.rstrip()] if before.isalpha() else []
            if nth < _FIRST_WORDS or nth == last:
                named.append('as last word' if nth == last else f'as word {nth + 1}')
            for place in product(named, lines):
                places[place][value] += 1
    told: dict[tuple[tuple[str, int], ...], tuple[float, str]] = {}
    for (place, which), counts in places.items():
        total = counts.total()
        if total < max(_TALLIED, _MARKED * len(events)) or len(counts) < 2 or max(counts.values()) < _LEAST:
            continue
        entropy = -sum(count / total * log2(count / total) for count in counts.values())
        # Neither what is always the same tells anything, nor what is always another.
        bits = entropy * (1 - entropy / log2(total)) * total / len(events)
        most = (*counts.most_common(_LISTED),)
        if bits > told.get(most, (_LEAST_BITS, ''))[0] and any(map(str.isalpha, ''.join(counts))):
            told[most] = bits, f'most often {place}, of {len(counts)} in {total} {which}: '
    for most, (_, text) in sorted(told.items(), key=lambda each: -each[1][0])[:_TALLIES]:
        values = ', '.join(f'{one_line(value, _NAMED)} ×{count}' for value, count in most)
        yield DigestStatement(text + values, ranks.TALLY, 'fields')


def _from_to(times: Sequence[str]) -> tuple[str, str]:
    """The first and the last of some times: lines do not stand in their order where several write one log."""
    known = {time: at for time in times if (at := moment(time)) is not None}
    ordered = sorted(known, key=lambda time: (known[time], time)) if len(known) == len({*times}) else times
    return ordered[0], ordered[-1]


def _about(template: LogTemplate, events: int, words: Mapping[str, int]) -> Iterator[DigestStatement]:
    """What is said of one template of so many events."""
    members, severity = template.members, template.severity
    topic = _TOPICS.get(severity, 'templates')
    rank, size = ranks.SEVERITY[severity], len(members)
    novel = log2(events / min((words[word] for word in template.words), default=events))
    if topic == 'templates' and size < _LEAST:
        # Where there is room, they are told even if nothing in them is surprising.
        for event in members:
            yield DigestStatement(_as_it_stands(event), ranks.SEVERITY['debug'], 'odd items', (event.line,))
        return
    if topic == 'warnings' and size > _TOGETHER:
        # What is warned of again and again is usual.
        topic, rank = 'templates', ranks.WARNED_AGAIN
    is_few = topic != 'templates' and size <= _TOGETHER
    text = f'{_span(members, is_timed=topic != "templates")} {template.text(listed if is_few else brief)}'
    lines = tuple(event.line for event in members)
    if is_few and (size == 1 or len(text) > LONGEST):
        for nth, event in enumerate(members):
            yield DigestStatement(_as_it_stands(event, size), rank + 0.5 * novel - nth, topic, (event.line,))
        return
    if is_few:
        rank += 0.5 * novel
    else:
        rank += 6.0 if topic == 'errors' else ranks.BIT * log2(size) + 0.8 * novel
        text = one_line(text, _TRACED if members[0].tail else _TEMPLATE_LENGTH)
    few = lines if size <= _LINES_NAMED else (*lines[:_LINES_NAMED], lines[-1])
    yield DigestStatement(text, rank, topic, few, shortened='' if is_few else members[0].raw)


def summed(template: LogTemplate) -> str:
    """How many lines of one template there are, where and when, and what varies in them."""
    is_timed = any(event.time for event in template.members)
    return one_line(f'{_span(template.members, is_timed=is_timed)} {template.text(brief)}')


def _as_it_stands(event: Event, alike: int = 0) -> str:
    """A line with its number; one that is fatal and has no other alike may be longer."""
    is_long = event.tail or (event.severity == 'fatal' and alike == 1)
    return f'{event.line}| {one_line(event.raw, _TRACED if is_long else _LINE_LENGTH)}'


def _span(members: Sequence[Event], *, is_timed: bool) -> str:
    """How many lines, where they stand, and when that was."""
    first, last = members[0], members[-1]
    times = [event.time for event in members if event.time and is_timed]
    begin, end = (_FINE.sub('', time) for time in (_from_to(times) if times else ('', '')))
    day = begin[: found.start()] if (found := _DAY_TIME.search(begin)) else '-'
    end = end.removeprefix(day)
    times = f' {begin} to {end}' if end and not begin.endswith(end) else f' {begin}'
    return f'×{len(members)} in {first.line}-{last.line}:{times}'.rstrip()
