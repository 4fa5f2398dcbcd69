"""Cut a text into passages: a few whole lines each, under the headings that are open there. Pure computing."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from summarizer_tool.documents.document import segment_starts
from summarizer_tool.text import tokens
from summarizer_tool.text.structure import Structure, parse

LEAST = 300
"""Characters (about 75 tokens) from which a passage may end where a paragraph does."""

GOOD = 450
"""Characters that a passage has rather than take a part of the next paragraph."""

MOST = 700
"""Characters (about 160 tokens) that a passage has unless one line, row, item or turn has more."""

WHOLE = 1000
"""Characters up to which one line (a paragraph, a table's row, a speaker's turn) is never cut."""

LONG_HEADING = 16
"""Tokens over which a heading stands in the text of a passage, too: as part of a heading path it is cut."""

_SMALL = 120
"""Characters under which a last passage of a section goes with the one before it."""

# What begins something of its own: a line that is not indented, and is a list item or a speaker's turn.
_OPENING = re.compile(r'(?:[-*+]|\d{1,9}[.)])[ \t]|(?:\*\*|\[)?[^\W\d_][^\n:.!?|]{0,40}(?:\*\*|\])?:(?:\*\*)?\s')
# What stands under the first row of a table, if it has bars and dashes.
_DELIMITERS = re.compile(r'[-:| \t]++\r?$', re.MULTILINE)
# How far what a line says is indented: that of a definition stands behind a colon.
_INDENT = re.compile(r'[ \t]*+(?::[ \t]++)?')
_REACH = 4 * WHOLE
"""Characters within which the line above is looked for that a line is indented under."""

_PARAGRAPH = 2
_ITEM = 1


@dataclass(frozen=True, slots=True)
class PassageCuts:
    """Where a passage stands in its text."""

    first_line: int
    """From 1."""
    last_line: int
    offset: int
    """Characters of the first line before it."""
    start: int
    """The offset of its first character in the text."""
    end: int
    """The offset after its last character that is not white space."""
    path: tuple[str, ...]
    """The headings that are open there, outermost first; with the one that it begins with, if there is text below."""
    header: tuple[int, int] = (0, 0)
    """Where the first row is of the table in whose middle it begins, or the line that it is indented under; empty
    elsewhere."""
    header_line: int = 0
    """The line of that, from 1."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, or a piece of a long one: what a passage is put together from."""

    start: int
    end: int
    """After its last character that is not white space."""
    rank: int
    """How good a place to cut before it is: 0 within a paragraph, an item or a row."""


def passages_of(text: str) -> list[PassageCuts]:
    """Cut a text into passages of a few lines.

    A passage never goes on over a heading that has text below it. A heading is in the path of what stands below it; one
    that has no text below it, or is long, is in the text of a passage: such a run of headings makes one of its own, and
    a long heading begins the first one below it. Lines stay whole up to `WHOLE` characters; a longer one is cut at the
    ends of sentences, as the segments of a document are. A passage ends where a paragraph, an item or a turn does, if
    one of those ends in time.

    Returns:
        The passages in order. They do not overlap, and hold every character that is neither white space nor part of a
        heading; each heading that says anything is in the text or the path of one.
    """
    structure = parse(text)
    return list(_placed(structure, [*_spans(structure)]))


_Span = tuple[int, int, tuple[str, ...]]
"""Where a passage begins and ends, and its path."""


def _spans(structure: Structure) -> Iterator[_Span]:
    """The passages of all sections: each with the headings above it that no path holds, or none holds all of."""
    above: list[int] = []
    for heading, (start, end) in enumerate(_sections(structure), -1):
        above += [heading] if heading >= 0 and structure.title(heading) else []
        if not structure.text[start:end].strip():
            continue
        open_ = _open(structure, heading)
        shown = [each for each in above if each not in open_ or _is_long(structure.title(each))]
        others = [each for each in shown if each not in open_]
        yield from _of_headings(structure, others)
        own = chain.from_iterable(_heading(structure, each) for each in shown if each in open_)
        path = structure.path(start)
        yield from ((first, last, path) for first, last in _grouped(chain(own, _lines(structure, start, end))))
        above = []
    yield from _of_headings(structure, above)


def _open(structure: Structure, heading: int) -> set[int]:
    """A heading and those that it stands under."""
    found: set[int] = set()
    while heading >= 0:
        found.add(heading)
        heading = structure.parents[heading]
    return found


def _sections(structure: Structure) -> Iterator[tuple[int, int]]:
    start = 0
    for heading, end in zip(structure.heading_starts, structure.heading_ends, strict=True):
        yield start, heading
        start = end
    yield start, len(structure.text)


def _is_long(title: str) -> bool:
    return len(title.encode(errors='replace')) > LONG_HEADING and tokens.count(title) > LONG_HEADING


def _of_headings(structure: Structure, headings: Sequence[int]) -> Iterator[_Span]:
    """The passages of headings without text below them; one does not go on where a higher part begins."""
    runs: list[list[int]] = []
    for heading in headings:
        if runs and structure.levels[heading] >= structure.levels[runs[-1][0]]:
            runs[-1].append(heading)
        else:
            runs.append([heading])
    for run in runs:
        lines = chain.from_iterable(_heading(structure, each) for each in run)
        yield from ((first, last, structure.path(first)) for first, last in _grouped(lines))


def _heading(structure: Structure, heading: int) -> Iterator[_Line]:
    start, end = structure.heading_starts[heading], structure.heading_ends[heading]
    return _pieces(structure.text, start, start + len(structure.text[start:end].rstrip()), _PARAGRAPH)


def _lines(structure: Structure, start: int, end: int) -> Iterator[_Line]:
    """The lines of a section that are not blank, and the pieces of those that are too long."""
    text, position, rank = structure.text, start, _PARAGRAPH
    blocks = structure.block_starts
    block_at = bisect_right(blocks, start)
    block_end = structure.block_ends[block_at - 1] if block_at else 0
    for line in text[start:end].split('\n'):
        begin, position = position, position + len(line) + 1
        stripped = line.rstrip()
        if not stripped:
            if begin >= block_end:
                rank = _PARAGRAPH
            continue
        if block_at < len(blocks) and begin >= blocks[block_at]:  # a block begins
            rank, block_end = _PARAGRAPH, structure.block_ends[block_at]
            block_at += 1
        elif begin >= block_end and line[0] not in ' \t':
            if _OPENING.match(line):
                rank = max(rank, _ITEM)
        elif rank == _PARAGRAPH and begin >= block_end:
            rank = 0  # an indented line goes on with the item above, over a blank line too
        yield from _pieces(text, begin, begin + len(stripped), rank)
        rank = 0


def _pieces(text: str, start: int, end: int, rank: int) -> Iterator[_Line]:
    """A line, as pieces that end where sentences do if it is too long."""
    starts = [start] if end - start <= WHOLE else [start + place for place in segment_starts(text[start:end])]
    for begin, stop in zip(starts, (*starts[1:], end), strict=True):
        yield _Line(begin, begin + len(text[begin:stop].rstrip()), rank)
        rank = 0


def _grouped(lines: Iterable[_Line]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    open_: list[_Line] = []
    for line in lines:
        while open_ and not _goes_on(open_, line):
            kept = 0 if line.rank else _best_cut(open_)
            spans.append((open_[0].start, open_[kept - 1].end))
            open_ = open_[kept:] if kept else []
        open_.append(line)
    if open_:
        spans.append((open_[0].start, open_[-1].end))
    if len(spans) > 1 and spans[-1][1] - spans[-1][0] < _SMALL and spans[-1][1] - spans[-2][0] <= WHOLE:
        (first, _), (_, last) = spans[-2:]
        spans[-2:] = [(first, last)]
    return spans


def _goes_on(lines: list[_Line], line: _Line) -> bool:
    size = lines[-1].end - lines[0].start
    grown = line.end - lines[0].start
    if grown > (MOST if size >= _SMALL else WHOLE):
        return False
    return not line.rank or size < LEAST or grown <= GOOD


def _best_cut(lines: list[_Line]) -> int:
    """How many lines go into the passage when the next one, in the middle of something, does not fit; 0 for all."""
    for rank in (_PARAGRAPH, _ITEM):
        for index in range(len(lines) - 1, 0, -1):
            if lines[index].rank == rank and lines[index - 1].end - lines[0].start >= LEAST:
                return index
    return 0


def _placed(structure: Structure, spans: Sequence[_Span]) -> Iterator[PassageCuts]:
    breaks = [match.start() for match in re.finditer('\n', structure.text)]
    for start, end, path in spans:
        first = bisect_left(breaks, start)
        last = bisect_left(breaks, end)
        offset = start - (breaks[first - 1] + 1 if first else 0)
        header = _header(structure, start)
        row = bisect_left(breaks, header[0]) + 1 if header[1] else 0
        yield PassageCuts(first + 1, last + 1, offset, start, end, path, header, row)


def _header(structure: Structure, at: int) -> tuple[int, int]:
    """Where the first row is of the table that `at` is in the middle of, or the line that it is indented under."""
    block = structure.block(at)
    if block is None:
        return _lead_in(structure, at)
    text, (start, _) = structure.text, block
    end = text.find('\n', start, at)
    delimiters = _DELIMITERS.match(text, end + 1) if start < end <= start + WHOLE else None
    if delimiters is None or not {'|', '-'} <= {*delimiters[0]}:  # a fence, or front matter
        return 0, 0
    return start, start + len(text[start:end].rstrip())


def _lead_in(structure: Structure, at: int) -> tuple[int, int]:
    """Where the short line is that is the next one above with less indentation, such as the term of a definition."""
    text, depth = structure.text, _indent(structure.text, at) - at
    section = bisect_right(structure.heading_ends, at)
    floor = max(structure.heading_ends[section - 1] if section else 0, at - _REACH)
    end = at - 1
    if not depth or text[end:at] != '\n':
        return 0, 0
    for line in reversed(text[floor:end].split('\n')):
        start, end = end - len(line), end - len(line) - 1
        if line.strip() and _indent(line, 0) < depth:
            return (start, start + len(line.rstrip())) if start > floor and len(line) <= _SMALL else (0, 0)
    return 0, 0


def _indent(text: str, at: int) -> int:
    found = _INDENT.match(text, at)
    return found.end() if found else at
