"""Plain text whose lines were broken for want of room, with whole paragraphs. Pure computing.

A line was broken for want of room if the first word of the next one would not have fitted. That holds for all lines of
a wrapped paragraph but the last, and for few of verses, lists, addresses, tables, code or a log; so each run of lines
is judged by itself, against the width that the whole text was wrapped to, and is left alone in doubt.

Terms with wrapped definitions below them, as in manual pages, become the definition lists of markdown.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from summarizer_tool.formats.joining import Vocabulary, join, words_in

_LEAST_WIDTH = 45
_MOST_WIDTH = 130
"""Characters to which texts are wrapped by hand, by an editor or for a terminal."""

_SLACK = 8
"""Characters that a line may have left although the next word would have fitted: some programs even lines out, and
words are changed after a text was wrapped."""

_FORCED = 0.85
"""Share of the breaks of a paragraph, and of a text, that were for want of room."""

_GOING_ON = 0.35
"""Share of the lines after a break that begin in small letters, in scripts that have such: most of them in English,
half of them in German, none of verses, entries and commands."""

_MUCH = 200_000
"""Characters by which the width is found."""

_BLOCKS = re.compile(r'(\n(?:[ \t\f\r]*\n)+)')
_FENCE = re.compile(r'^[ \t]*(?:```|~~~)', re.MULTILINE)
# What begins a line that stands for itself: marks of lists, quotes, tables, comments and prompts, and numbers.
_OWN = re.compile(r'[*+•#>|:;%$@&=\\<{}]|[-~/](?![\w./~-]*\w)|\(?(?:\d{1,4}|[a-zA-Z])[.)](?:\s|$)|\[\d')
# What an item of a list begins with, whose further lines hang below its text.
_LABEL = re.compile(r'\s*(?:[-*+•]|\(?(?:\d{1,4}|[a-zA-Z]{1,2})[.)])\s+(?=\S)')
# What keeps the columns of a row apart, and a field with its name.
_GAP = re.compile(r'(?<=\S)(?: {3,}|\t)(?=\S)')
_FIELD = re.compile(r'[\w.-]{1,30}:\s')
_CLOSED = re.compile(r'[.!?:;。！？]["\'”’»)\]]*$')
_WIDE = re.compile(r'[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]')


def unwrap(text: str) -> str:
    """Join the lines of paragraphs that were wrapped; all else stays as it is, to the character.

    A wrapped definition that hangs below its term, or begins beside it, follows it as `: what it is`.

    Args:
        text: Any plain text; one in which no paragraphs are wrapped comes back as it is.
    """
    width = _width(text[:_MUCH])
    if not width:
        return text
    end = len(text.rstrip())
    parts = _BLOCKS.split(text[:end])
    vocabulary = words_in(text[:_MUCH].splitlines())
    hanging = _hanging(text[:_MUCH], width)
    fences = len(_FENCE.findall(text)) // 2 * 2  # the last one may not be closed
    seen = 0
    for index in range(0, len(parts), 2):
        block = parts[index]
        inside = len(_FENCE.findall(block))
        if not inside and (seen % 2 == 0 or seen >= fences):
            parts[index] = '\n'.join(_joined(block, width, vocabulary, hanging))
        seen += inside
    return ''.join(parts) + text[end:]


def _width(text: str) -> int:
    """The width that most of a text is wrapped to; 0 where it is not."""
    widths: list[int] = []
    lines = 0
    for block in _BLOCKS.split(text.rstrip())[::2]:
        # The first line of a paragraph may be indented, or be a term.
        for _, run in groupby(block.split('\n'), key=_indent):
            paragraph = list(run)
            lines += len(paragraph)
            width = max(map(len, paragraph))
            if len(paragraph) > 2 and _LEAST_WIDTH <= width <= _MOST_WIDTH and _is_paragraph(paragraph, width):
                widths += [width] * len(paragraph)
    # One paragraph may look wrapped by chance, and of a few lines nobody can say.
    if len(widths) < max(3, 0.15 * lines):
        return 0
    widths.sort()
    return widths[len(widths) * 9 // 10]


@dataclass(frozen=True, slots=True)
class _Definition:
    """A term, and what hangs below it."""

    term: str
    """With its indent; empty for lines of no term."""
    below: list[str]
    """The lines that say what it is; the first may begin beside the term."""
    lines: list[str]
    """All of it as it stood."""

    @property
    def indents(self) -> tuple[int, int]:
        return _indent(self.term), _indent(self.below[0])


def _definitions(lines: Sequence[str], width: int, hanging: Collection[tuple[int, int]] = ()) -> Iterator[_Definition]:
    """Take lines apart into what may be terms with their definitions, and the lines between these.

    A definition begins below its term, on whose line it would have had room; beside it only where others hang as far.
    """
    loose: list[str] = []
    start = 0
    while start < len(lines):
        line, end = lines[start], start + 1
        depth = _indent(lines[end]) if end < len(lines) else 0
        while depth and end < len(lines) and _indent(lines[end]) == depth:
            end += 1
        below = list(lines[start + 1 : end])
        term, beside = '', line[depth:]
        if below and depth > _indent(line) + 1 and not (loose and _is_forced(loose[-1], line, width)):
            if not _is_forced(line, below[0], width):
                term = line
            elif (_indent(line), depth) in hanging and line[depth - 1] == ' ' and beside[:1].strip():
                term = line[:depth].rstrip()
                below.insert(0, ' ' * depth + beside)
        if not term:
            loose.append(line)
            start += 1
            continue
        if loose:
            yield _Definition('', loose, loose)
            loose = []
        yield _Definition(term, below, list(lines[start:end]))
        start = end
    if loose:
        yield _Definition('', loose, loose)


def _hanging(text: str, width: int) -> frozenset[tuple[int, int]]:
    """How far terms and the wrapped definitions below them are indented."""
    parts = [part for block in _BLOCKS.split(text.rstrip())[::2] for part in _definitions(block.split('\n'), width)]
    wrapped = [part for part in parts if len(part.below) > 1 and _is_paragraph(part.below, width)]
    # What stands above text that is no deeper than all the other is a heading.
    edge = min((part.indents[1] for part in wrapped if not part.term), default=-1)
    return frozenset(part.indents for part in wrapped if part.term and part.indents[1] > edge)


def _joined(block: str, width: int, vocabulary: Vocabulary, hanging: Collection[tuple[int, int]]) -> Iterator[str]:
    for part in _definitions(block.split('\n'), width, hanging):
        is_paragraph = len(part.below) == 1 or _is_paragraph(part.below, width)
        if part.term and part.indents in hanging and is_paragraph:
            yield part.term
            yield f'{" " * _indent(part.term)}: {_one_line(part.below, vocabulary)}'
            continue
        is_heading = part.term != '' and part.term == part.lines[0]
        if is_heading:
            yield part.term
        for paragraph in _paragraphs(part.below if is_heading else part.lines):
            if len(paragraph) > 1 and _is_paragraph(paragraph, width):
                # An indented first line says no more than that a paragraph begins.
                yield ' ' * min(map(_indent, paragraph)) + _one_line(paragraph, vocabulary)
            else:
                yield from paragraph


def _one_line(lines: Sequence[str], vocabulary: Vocabulary) -> str:
    return join([' '.join(line.split()) for line in lines], vocabulary, hyphenated=False)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_paragraph(lines: Sequence[str], width: int) -> bool:
    return _is_text(lines) and _is_wrapped(lines, width)


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    """The paragraphs of lines without a blank one between them: each may begin with an indented line, or be an item."""
    items = [index for index, line in enumerate(lines) if _LABEL.match(line)]
    if items and items[0] == 0:
        pieces = [list(lines[start:end]) for start, end in pairwise([*items, len(lines)])]
        if all(map(_hangs, pieces)):
            yield from pieces
            return
    indents = [_indent(line) for line in lines]
    base = min(indents)
    firsts = [index for index, indent in enumerate(indents) if 2 <= indent - base <= 8]
    # Where every other line is indented, or two in a row are, this is something else.
    if not firsts or any(after - before < 2 for before, after in pairwise(firsts)):
        yield list(lines)
        return
    starts = sorted({0, *firsts})
    for start, end in zip(starts, (*starts[1:], len(lines)), strict=True):
        yield list(lines[start:end])


def _hangs(lines: Sequence[str]) -> bool:
    """Return whether all lines of an item but the first stand in further than its label."""
    return all(_indent(line) > _indent(lines[0]) for line in lines[1:])


def _is_text(lines: Sequence[str]) -> bool:
    """Return whether no line stands for itself by what it begins with or by how it is laid out."""
    if len({_indent(line) for line in lines[1:]}) > 1:
        return False
    stripped = [line.strip() for line in lines]
    if (label := _LABEL.match(lines[0])) and _hangs(lines):
        stripped[0] = lines[0][label.end() :].strip()
    # Columns begin at one place in several lines; the gaps of lines that were evened out, anywhere.
    columns = Counter(gap.end() for line in stripped for gap in _GAP.finditer(line))
    if any(_OWN.match(line) for line in stripped) or max(columns.values(), default=0) > max(1, len(lines) // 4):
        return False
    return sum(_FIELD.match(line) is not None for line in stripped) <= len(lines) // 4


def _is_forced(line: str, following: str, width: int) -> bool:
    """Return whether the first word of the next line would not have fitted."""
    following = following.strip()
    word = 1 if _WIDE.match(following) else len(following.partition(' ')[0])
    return len(line.rstrip()) + 1 + word > width - _SLACK


def _is_wrapped(lines: Sequence[str], width: int) -> bool:
    """Return whether the lines but the last were broken for want of room, in the middle of what they say."""
    forced = going_on = closed = has_case = 0
    for line, following in pairwise(lines):
        forced += len(line.rstrip()) <= width + 1 and _is_forced(line, following, width)
        line, following = line.rstrip(), following.strip()
        going_on += following[:1].islower()
        closed += _CLOSED.search(line) is not None
        has_case += following[:1].islower() or following[:1].isupper() or not following[:1].isalpha()
    breaks = len(lines) - 1
    if forced < _FORCED * breaks:
        return False
    if has_case < 0.3 * breaks:  # a script without small letters
        return closed <= 0.4 * breaks
    # Of two lines the second may well begin with a name, if the first breaks off.
    return going_on >= _GOING_ON * breaks or (breaks <= 2 and closed == 0 and len(lines[0]) > 0.8 * width)
