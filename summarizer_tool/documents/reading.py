"""Show a stored source: its outline, its raw lines with their numbers, or what has changed in it. Pure computing."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, islice, zip_longest

from summarizer_tool import prompts
from summarizer_tool.documents.document import Document
from summarizer_tool.documents.page_numbers import PAGE_BREAK
from summarizer_tool.errors import RequestError
from summarizer_tool.text import tokens
from summarizer_tool.text.structure import FIELD, front_matter, parse


def _upper(indices: list[int], levels: Sequence[int], most: int) -> list[int]:
    """Without the lower levels, as many of these as it takes to have at most `most`."""
    for level in range(6, 1, -1):
        if len(indices) > most:
            indices = [index for index in indices if levels[index] < level] or indices
    return indices


OUTLINE_HEADINGS = 40
"""Headings that an outline shows; of more, those of the upper levels."""

OUTLINE_TOKENS = 1000

_ALIKE = 2
"""Headings up to which the first may be the title of a text although it begins as they do, digits aside."""

MIN_READ_TOKENS = 50
MAX_READ_TOKENS = 20_000
"""Bounds of what is read at once; clients cut results at 25,000 tokens."""


def title_of(text: str) -> str:
    """A title for a text that has none: as its fields say, or its first heading, unless that is one of many.

    Those of versions are, and those of the parts of a text whose title has no mark.
    """
    found = parse(text[:8192])
    titles = [found.title(place) for place, level in enumerate(found.levels) if level <= found.levels[0]]
    forms = [re.sub(r'[\d.]+', '0', title.partition(' ')[0]) for title in titles]
    is_numbered = bool(titles) and any(map(str.isdigit, titles[0])) and forms.count(forms[0]) > _ALIKE
    is_part = bool(titles) and found.levels[0] > 1 and len(titles) > _ALIKE
    named = (field['title'] for line in front_matter(text).split('\n') if (field := FIELD.match(line)))
    is_title = bool(titles) and any(map(str.isalpha, titles[0])) and not (is_numbered or is_part)
    return next(filter(None, named), titles[0] if is_title else '')


def outline(document: Document) -> str:
    """The headings with their line numbers, indented by level; empty where there are none."""
    found = parse(document.text)
    shown = _upper(list(range(len(found.levels))), found.levels, OUTLINE_HEADINGS)
    top = min((found.levels[index] for index in shown), default=1)
    lines: list[str] = []
    room = OUTLINE_TOKENS
    for index in islice(shown, OUTLINE_HEADINGS):
        number = bisect_right(document.line_starts, found.heading_starts[index])
        line = f'{"  " * (found.levels[index] - top)}{number}| {found.title(index)}'
        room -= tokens.count(line) + 1
        if room < 0:
            break
        lines.append(line)
    left = len(found.levels) - len(lines)
    return '\n'.join([*lines, f'({left} more)'] if left and lines else lines)


def read(document: Document, start_line: int, max_tokens: int, offset: int = 0) -> str:
    """Raw lines with their numbers, as many as fit, and a last line that says where they stand.

    `max_tokens` are those of the whole, brought between 50 and 20,000; `offset` counts characters of the first line.
    Raises `RequestError` if there is no such line or place in it.
    """
    lines = document.text.split('\n')
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    if not 1 <= start_line <= len(lines):
        raise RequestError(f'{document.id} has lines 1 to {len(lines)}, not start_line={start_line}')
    if not 0 <= offset <= len(lines[start_line - 1]):
        raise RequestError(
            f'line {start_line} of {document.id} has {len(lines[start_line - 1])} characters, not offset={offset}'
        )
    room = min(max(max_tokens, MIN_READ_TOKENS), MAX_READ_TOKENS)
    room -= tokens.count(_position(document, start_line, len(lines), len(lines), (len(lines), 10**7)))
    shown: list[str] = []
    number = start_line
    while number <= len(lines):
        text = lines[number - 1][offset:].rstrip('\r')
        # Nobody sees a page break.
        shown_text = f'[{document.pages.of_lines(number + 1, number + 1)}]' if text == PAGE_BREAK else text
        numbered = f'{number}| {shown_text}' if text else f'{number}|'
        fits = tokens.fits(numbered, room - 1)
        if not fits and shown:
            break
        if not fits:  # one line, larger than what may be read at once
            prefix = f'{number}| '
            kept = tokens.truncate(prefix + text, max(1, room - 1))
            part = text[: max(1, len(kept) - len(prefix))]
            shown.append(f'{number}| {part}')
            offset += len(part)
            position = _position(document, start_line, number, len(lines), (number, offset))
            return '\n'.join([*shown, position])
        shown.append(numbered)
        room -= tokens.count(numbered) + 1
        number += 1
        offset = 0
    onward = (number, 0) if number <= len(lines) else None
    return '\n'.join([*shown, _position(document, start_line, number - 1, len(lines), onward)])


def _position(document: Document, first: int, last: int, lines: int, onward: tuple[int, int] | None) -> str:
    pages = document.pages.of_lines(first, last)
    place = {
        'id': document.id,
        'from': str(first),
        'to': str(last),
        'lines': str(lines),
        'pages': f', {pages} of {len(document.pages.breaks) + 1}' if pages else '',
    }
    if onward is None:
        return prompts.render('answers/read_end', **place)
    line, offset = onward
    rest = f', offset={offset}' if offset else ''
    return prompts.render('answers/read_on', **place, next=str(line), offset=rest)


MAX_LINE_TOKENS = 400
"""Of a line that is shown."""

_LEAST_TOKENS = 40
"""Of a change that is cut."""

_CUT_TOKENS = 16
"""What says that lines of a change are left out."""

_MOST_PAIRS = 20_000
"""Pairs of equal lines beyond one for each line, up to which all lines are compared; above, without those that come
often, since the time grows with the square of these."""

_LAYOUT = re.compile(r'^\s*(?:(?:#{1,6}|[>*+-])(?:\s+|$))*')


def changes(older: str, newer: str) -> list[tuple[range, range]]:
    """The places where two texts differ, in order: the numbers of the older lines, from 1, and of those in their place.

    The first are none where lines are new, the second where they are gone. Blank lines do not count.
    """
    old_numbers, old = _bare_lines(older)
    new_numbers, new = _bare_lines(newer)
    times = Counter(new)
    matcher = SequenceMatcher(None, old, new, autojunk=sum(times[line] - 1 for line in old) > _MOST_PAIRS)
    return [
        (_numbers(old_numbers, first, last), _numbers(new_numbers, start, end))
        for kind, first, last, start, end in matcher.get_opcodes()
        # Lines that are only broken elsewhere say the same.
        if kind != 'equal' and ' '.join(old[first:last]).split() != ' '.join(new[start:end]).split()
    ]


def changes_report(older: Document, newer: Document, max_tokens: int, *, is_version: bool = True) -> str:
    """What has changed: `-` lines of the older version and `+` lines of the newer, with their numbers there.

    The first line counts. Where there is no room for all, the largest changes are cut, and what is left out is counted.
    `max_tokens` are brought between 50 and 20,000; `is_version`: `older` is the version before `newer`.
    """
    found = changes(older.text, newer.text)
    gone, new = (sum(map(len, side)) for side in ([before for before, _ in found], [after for _, after in found]))
    counts = (('count', len(found), 'change'), ('gone', gone, 'line'), ('new', new, 'line'))
    figures = {key: f'{count:,} {name}{"s" * (count != 1)}' for key, count, name in counts}
    figures['relation'] = prompts.load('answers/changes_version') if is_version else ''
    name = 'answers/changes' if found else 'answers/unchanged'
    lines = [prompts.render(name, newer=newer.id, older=older.id, **figures)]
    room = min(max(max_tokens, MIN_READ_TOKENS), MAX_READ_TOKENS)
    room -= tokens.count(lines[0]) + tokens.count(_left_out(len(found))) + 2
    old_lines, new_lines = _lines(older.text), _lines(newer.text)
    sides = [(_shown('-', old_lines, before), _shown('+', new_lines, after)) for before, after in found]
    # By turns, so that of a change that is cut both sides are shown.
    shown = [[line for pair in zip_longest(*both) for line in pair if line] for both in sides]
    sizes = [[tokens.count(line + '\n') + 1 for line in change] for change in shown]
    most = max(room // max(1, len(found)), min(room, _LEAST_TOKENS)) - _CUT_TOKENS - 1
    left_out = 0
    for change, costs in zip(shown, sizes, strict=True):
        count = max(2, bisect_right([*accumulate(costs)], most))
        cut = [prompts.render('answers/changes_cut', count=f'{len(change) - count:,}')] if count < len(change) else []
        cost = 1 + sum(costs[:count]) + (_CUT_TOKENS if cut else 0)
        if cost > room:
            left_out += 1
            continue
        lines += ['', *sorted(change[:count], key=lambda line: line[0] == '+'), *cut]
        room -= cost
    return '\n'.join((*lines, '', _left_out(left_out)) if left_out else lines)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split('\n')]


def _bare_lines(text: str) -> tuple[list[int], list[str]]:
    """The numbers of lines, and these as they are compared: blanks and marks of Markdown change nothing they say."""
    bare = [' '.join(_LAYOUT.sub('', line, count=1).split()) for line in text.split('\n')]
    numbers = [number for number, line in enumerate(bare, 1) if line]
    return numbers, [*filter(None, bare)]


def _numbers(numbers: Sequence[int], first: int, last: int) -> range:
    if first == last:
        return range(0)
    return range(numbers[first], numbers[last - 1] + 1)


def _shown(mark: str, lines: list[str], numbers: range) -> Iterator[str]:
    for number in numbers:
        line = lines[number - 1]
        if line:
            cut = tokens.truncate(line, MAX_LINE_TOKENS)
            yield f'{mark} {number}| {cut}{"" if cut == line else "…"}'


def _left_out(count: int) -> str:
    return prompts.render('answers/changes_left_out', count=f'{count:,}')
