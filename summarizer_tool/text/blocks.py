"""The blocks of a markdown text: what stands between its blank lines and headings, to be compared with other texts'."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from summarizer_tool.text.lines import one_line
from summarizer_tool.text.structure import parse

Kind = Literal['text', 'heading', 'rule', 'whole']
"""`rule`: marks without words; `whole`: a part of a fence, a table or front matter, which means nothing by itself."""

# The end of a line with the blank lines after it, as segments are cut; and a line that may be a heading.
_BLANK = re.compile(r'\n\s*\n')
_HEADING = re.compile(r'^[ \t]*#{1,6}(?:[ \t].*)?$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A run of whole segments of one text."""

    start: int
    """Offset of its first character."""
    end: int
    """Offset after its last character, blank lines after it included."""
    kind: Kind
    key: int
    """A hash of the text with its white space collapsed: blocks that differ in it are different."""
    level: int = 0
    """1 to 6, of a heading."""


def normal(text: str) -> str:
    """Text with its white space collapsed; rare kinds of it only beside the usual ones."""
    text = text.strip()
    return one_line(text) if '\n' in text or '  ' in text or '\t' in text else text


def lines_of(text: str) -> list[str]:
    """The lines of a text that say something, with their white space collapsed."""
    return [one_line(line) for line in text.split('\n') if any(map(str.isalnum, line))]


def keys(text: str) -> list[int]:
    """The keys of a text's blocks, quickly: more than there are where fences hold blank lines, headings left out."""
    return list(map(hash, _parts(text)))


def _parts(text: str) -> Iterator[str]:
    for part in _BLANK.split(text):
        if '#' in part:
            yield from filter(None, map(normal, _HEADING.split(part)))
        elif found := normal(part):
            yield found


def blocks(text: str, segment_starts: Sequence[int]) -> list[MarkdownBlock]:
    """Cut a text into blocks."""
    if not text:
        return []
    structure = parse(text)
    headings = structure.heading_starts
    starts = {match.end() for match in _BLANK.finditer(text)}
    starts.update(headings)
    for end in structure.heading_ends:
        after = bisect_left(segment_starts, end)
        starts.update(segment_starts[after : after + 1])
    starts.intersection_update(segment_starts)
    starts.add(0)
    ordered = sorted(starts)
    found: list[MarkdownBlock] = []
    for start, end in zip(ordered, (*ordered[1:], len(text)), strict=True):
        body = normal(text[start:end])
        index = bisect_left(headings, start)
        if index < len(headings) and headings[index] < end:
            found.append(MarkdownBlock(start, end, 'heading', hash(body), structure.levels[index]))
            continue
        held = bisect_right(structure.block_starts, end - 1) - 1
        is_held = held >= 0 and structure.block_ends[held] > start
        says = any(map(str.isalnum, body))
        found.append(MarkdownBlock(start, end, 'whole' if is_held else 'text' if says else 'rule', hash(body)))
    return found
