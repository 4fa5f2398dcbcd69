"""Plain text whose lines were broken for want of room, with whole paragraphs. Pure computing.

A line was broken for want of room if the first word of the next one would not have fitted. That holds for all lines of
a wrapped paragraph but the last, and for few of verses, lists, addresses, tables, code or a log; so each run of lines
is judged by itself, against the width that the whole text was wrapped to, and is left alone in doubt.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import regex

from summarizer_tool.formats.joining import Vocabulary, join
from summarizer_tool.html.block_score import ends_a_sentence
from summarizer_tool.text.structure import is_row

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

# What parts paragraphs: blank lines, and headings.
_BLOCKS = re.compile(r'((?:\n[ \t\f\r]*)?\n#{1,6} [^\n]*\n\s*|\n[ \t\f\r]*\n\s*)')
_FENCE = re.compile(r'^[ \t]*(?:```|~~~)', re.MULTILINE)
# What begins a line that stands for itself: marks of lists, quotes, tables, comments and prompts, and numbers.
_OWN = re.compile(r'[-*+•#>|:;%$@&=~\\<{}/]|\(?(?:\d{1,4}|[a-zA-Z])[.)](?:\s|$)|\[\d')
# What an item of a list begins with, whose further lines hang below its text.
_LABEL = re.compile(r'\s*(?:[-*+•]|\(?(?:\d{1,4}|[a-zA-Z]{1,2})[.)])\s+(?=\S)')
# A row whose columns are kept apart by white space, and a field with its name.
_COLUMNS = re.compile(r'\S(?: {3,}|\t)\S')
_FIELD = re.compile(r'[\w.-]{1,30}:\s')
# A word that a formatter divided, in a line that stays for itself.
_DIVIDED = re.compile(r'(?<![^\W\d_])([^\W\d_]++‐)\n([ \t]*+)([^\W\d_]+)[ \t]?')
_WIDE = re.compile(r'[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]')


_IN_CAPITALS = regex.compile(r'(?=.*\p{Lu}{3})(?!.*\p{Ll})(?!.*(?: {3}|\t))[\p{Lu}\p{N}(„“"«].{2,78}(?<![.,;!?=*_])')
_MARKED = regex.compile(r'^(?:#{1,6} |```|~~~|(?:={4,}|-{4,})$)', regex.MULTILINE)
_AT_MARGIN = re.compile(r'(?=.*[^\W\d_])\S(?!.* {3}).{1,70}(?<![.,:;!?])')
_STANDING_IN = 0.7
"""Share of the lines, where those that do not stand in are headings, as in manual pages and standards."""
_LEAST_TITLES = 3
"""One or two lines in capitals may be anything."""
_WORDS_BELOW = 4
"""Of the first line below most headings."""


def unwrap(text: str) -> str:
    """Join the lines of paragraphs that were wrapped; all else stays as it is, to the character."""
    width = _width(text[:_MUCH])
    if not width:
        return text
    end = len(text.rstrip())
    parts = _BLOCKS.split(text[:end])
    vocabulary = Vocabulary(text[:_MUCH].splitlines())
    fences = len(_FENCE.findall(text)) // 2 * 2  # the last one may not be closed
    seen = 0
    for index in range(0, len(parts), 2):
        block = parts[index]
        inside = len(_FENCE.findall(block))
        if not inside and (seen % 2 == 0 or seen >= fences):
            parts[index] = '\n'.join(_joined(block, width, vocabulary))
        seen += inside
    return ''.join(parts) + text[end:]


def undivided(text: str) -> str:
    """The text with whole words where a formatter divided them in lines that stay for themselves."""
    if '‐\n' not in text:
        return text
    vocabulary = Vocabulary(text[:_MUCH].splitlines())
    return _DIVIDED.sub(lambda words: f'{join((words[1], words[3]), vocabulary, hyphenated=False)}\n{words[2]}', text)


def _width(text: str) -> int:
    """The width that most of a text is wrapped to; 0 where it is not."""
    widths: list[int] = []
    lines = 0
    for block in _BLOCKS.split(text.rstrip())[::2]:
        for paragraph in _paragraphs(block.split('\n')):
            lines += len(paragraph)
            if len(paragraph) > 2 and _is_text(paragraph):
                width = max(map(len, paragraph))
                if _LEAST_WIDTH <= width <= _MOST_WIDTH and _is_wrapped(paragraph, width):
                    widths += [width] * len(paragraph)
    # One paragraph may look wrapped by chance, and of a few lines nobody can say.
    if len(widths) < max(3, 0.15 * lines):
        return 0
    widths.sort()
    return widths[len(widths) * 9 // 10]


def _joined(block: str, width: int, vocabulary: Vocabulary) -> Iterator[str]:
    for paragraph in _paragraphs(block.split('\n')):
        if len(paragraph) > 1 and _is_text(paragraph) and _is_wrapped(paragraph, width):
            indent = paragraph[0][: len(paragraph[0]) - len(paragraph[0].lstrip())]
            # What is indented by four would be taken for code.
            yield indent[:3] + join([line.strip() for line in paragraph], vocabulary, hyphenated=False)
        else:
            yield from paragraph


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    """The paragraphs of lines without a blank one between them: each may begin with an indented line, or be an item."""
    items = [index for index, line in enumerate(lines) if _LABEL.match(line)]
    if items and items[0] == 0:
        pieces = [list(lines[start:end]) for start, end in pairwise([*items, len(lines)])]
        if all(map(_hangs, pieces)):
            yield from pieces
            return
    indents = [len(line) - len(line.lstrip()) for line in lines]
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
    first = len(lines[0]) - len(lines[0].lstrip())
    return all(len(line) - len(line.lstrip()) > first for line in lines[1:])


def _is_text(lines: Sequence[str]) -> bool:
    """Return whether no line stands for itself by what it begins with or by how it is laid out."""
    indents = {len(line) - len(line.lstrip()) for line in lines[1:]}
    if len(indents) > 1:
        return False
    stripped = [line.strip() for line in lines]
    if (label := _LABEL.match(lines[0])) and _hangs(lines):
        stripped[0] = lines[0][label.end() :].strip()
    if (
        sum(map(is_row, stripped)) > 1
        or any(_OWN.match(line) for line in stripped)
        or sum(_COLUMNS.search(line) is not None for line in stripped) > 1
    ):
        return False
    return sum(_FIELD.match(line) is not None for line in stripped) <= len(lines) // 4


def _is_wrapped(lines: Sequence[str], width: int) -> bool:
    """Return whether the lines but the last were broken for want of room, in the middle of what they say."""
    if 2 * sum(' ' not in line.strip() and not _WIDE.match(line.strip()) for line in lines) > len(lines):
        return False  # nothing that could be broken
    forced = going_on = closed = has_case = 0
    for line, following in pairwise(lines):
        line, following = line.rstrip(), following.strip()
        word = 1 if _WIDE.match(following) else len(following.partition(' ')[0])
        forced += len(line) <= width + 1 and len(line) + 1 + word > width - _SLACK
        going_on += following[:1].islower()
        closed += ends_a_sentence(line)
        has_case += following[:1].islower() or following[:1].isupper() or not following[:1].isalpha()
    breaks = len(lines) - 1
    if forced < _FORCED * breaks:
        return False
    if has_case < 0.3 * breaks:  # a script without small letters
        return closed <= 0.4 * breaks
    # Of two lines the second may well begin with a name, if the first breaks off.
    return going_on >= _GOING_ON * breaks or (breaks <= 2 and closed == 0 and len(lines[0]) > 0.8 * width)


def titled(text: str) -> str:
    """The text with its headings marked: lines in capitals, or at the margin of text that stands in, above other text.

    One that recurs is none.
    """
    if _MARKED.search(text):
        return text
    lines = text.split('\n')
    filled = [line for line in lines if line.strip()]
    stands_in = sum(line[0] in ' \t' for line in filled) > _STANDING_IN * len(filled)
    found: dict[int, str] = {}
    below = ''
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place].rstrip()
        is_first = place == 0 or not lines[place - 1].strip()
        is_above = stands_in and below[:1] in {' ', '\t'} and _AT_MARGIN.fullmatch(line)
        if is_first and below and (is_above or (not below.isupper() and _IN_CAPITALS.fullmatch(line))):
            found[place] = below
        below = line or below
    times = Counter(lines[place] for place in found)
    found = {place: said for place, said in found.items() if times[lines[place]] <= 2}
    telling = sum(len(said.split()) >= _WORDS_BELOW for said in found.values())
    if len(found) < _LEAST_TITLES or 2 * telling <= len(found):
        return text
    first = next(place for place, line in enumerate(lines) if line.strip())
    return '\n'.join(
        f'{"#" if place == first else "##"} {line}' if place in found else line for place, line in enumerate(lines)
    )
