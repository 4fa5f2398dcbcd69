"""The structure of a markdown text: its headings, what should stay whole, and how good a place to cut each line is.

It follows CommonMark where that decides what a line means (https://spec.commonmark.org), and reads only the lines that
begin like markup: one pattern finds them, so that 2 MB of prose cost a few milliseconds.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, lru_cache

from summarizer_tool.text.lines import one_line

LONGEST_HEADING = 300
"""Characters over which an underlined paragraph is taken for a paragraph before a rule."""

LONGEST_TITLE = 200
"""Characters of a heading (or a document's title) that a heading path repeats."""

_MUCH_OF_A_TITLE = 4 * LONGEST_TITLE
"""Characters of a title that are looked at; it may be a megabyte."""

# The lines that change how others are read. Each match begins at the line feed before, so on a text with a line feed
# in front, a match's start is the line's offset in the text without. Repeats are possessive, so nothing is tried twice.
_MARKUP = re.compile(
    r"""\n(?P<indent>[ \t]*+)(?=[-#`~=|:*+0-9])(?:
      (?P<atx>\#{1,6}+)(?=[ \t\r\n]|\Z)[^\n]*+
    | (?P<list>(?:(?:[-*+]|\d{1,9}+[.)])[ \t]++){1,3}(?=[`~]))?
      (?P<fence>`{3,}+(?=[^`\n]*+(?:\n|\Z))|~{3,}+(?![^~\n]+~~~))
    | (?P<bar>[-=|:][-=|: \t]*+)(?=\r?(?:\n|\Z))
    )""",
    re.VERBOSE,
)

_FRONT_MATTER = re.compile(
    r"""\ufeff?(?:
    ---[ \t]*\r?\n(?=[^\s:#][^\n:]*:\s)            # a rule, then `key: value`
    (?>(?:(?!---)(?:[ \t#\-\]}][^\n]*+|[^\s:#][^\n:]*:(?=\s)[^\n]*+|\r?)\n)*)
    ---
    |\+\+\+[ \t]*\r?\n(?=[\w."'-]+[ \t]*=)             # of TOML, and `key = value`
    (?>(?:(?!\+\+\+)(?:[ \t#\[\]}][^\n]*+|[\w."'-]+[ \t]*=[^\n]*+|\r?)\n)*)
    \+\+\+
    )[ \t]*\r?(?:\n|\Z)""",
    re.VERBOSE,
)

FIELD = re.compile(
    r'(?i:(?:title|name)(?:: +| *= *)[\'"]?(?P<title>\S(?:.*[^\s\'"])?)'
    r'|(?:description|summary)(?:: +| *= *)[\'"]?(?P<about>\w(?:.*[^\s\'"])?))'
)
"""Of the fields before a text, what it is called and what it is about."""

# A table goes on until a blank line or the beginning of another block.
_TABLE_END = re.compile(r'\n(?=[ \t\r]*(?:\n|\Z)|[ \t]*(?:#{1,6}[ \t]|`{3}|~{3}|>))|\Z')

# A line that ends a paragraph above it without being blank, and one that can hold a paragraph we do not look into.
_BLOCK = re.compile(r' {0,3}(?:#{1,6}(?:[ \t]|$)|(?:\*[ \t]*){3,}$|(?:_[ \t]*){3,}$|(?:-[ \t]*){3,}$|<)')
_CONTAINER = re.compile(r' {0,3}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]|\|)')
_INDENTED = re.compile(r' {4}| {0,3}\t')
# What opens a block of indented lines in MkDocs and MyST: `!!! note`, `=== "Tab"`, `: definition`.
_OPENS_INDENTED = re.compile(r' {0,3}(?:!!!|\?\?\?|=== |:)')

# What ends a heading's line and is not its text: closing hashes, and an anchor as in `{#install .wide}`.
_ANCHOR = re.compile(r'[ \t]*\{:?[ \t]*[#.][^{}]*\}$')
_CLOSING_HASHES = re.compile(r'(?:^|[ \t]+)#+$')
_OVERLINE = re.compile(r'[=~*^"]{3,}[ \t]*\r?\n')
_TEXT = re.compile(r'\S')
_RULE = re.compile(r' {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})\r?(?=\n|\Z)')
ITEM = re.compile(r'([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]')
# Where the columns of a row are kept apart, and what in it is a value rather than a word or an element of a list.
GAP = re.compile(r'(?<=[^\s.,;:])(?: {3,}|\t+)(?=\S)')
_VALUE = re.compile(r'(?!\S*,$)(?:\S*[\d/_=<>|\\@]\S*|[\W_]+)')
_ENDS_TEXT = re.compile(r'[^\s.,;:][.,;:][)"\'”]?\s*$')
_SPREAD = re.compile(r'(?<=[^\s.,;:])  (?=\S)')
"""What text that is spread to both margins has, too, where it has gaps."""
_LEAST_FIELDS = 4


class Boundary(IntEnum):
    """How good a place to cut is, best first. A heading's rank is its level, 1 to 6."""

    DOCUMENT = 0
    RULE = 7
    """After a horizontal rule."""
    PARAGRAPH = 8
    """After a blank line."""
    ITEM = 9
    """Before a list item, or an indented block after a blank line."""
    ROW = 10
    """Before a table row."""
    LINE = 11
    SENTENCE = 12


@lru_cache(maxsize=64)
def _fence_end(mark: str, columns: int) -> re.Pattern[str]:
    """What may end a fence of `mark`s: a closing line, or, in a list item, a line that is less indented."""
    if not columns:
        return re.compile(rf'\n {{0,3}}(?P<mark>{mark}{{3,}}+)[ \t]*\r?(?=\n|\Z)')
    nearly = max(1, columns - 3)
    return re.compile(
        rf'\n(?:[ \t]{{{nearly},}}(?P<mark>{mark}{{3,}}+)[ \t]*\r?(?=\n|\Z)'
        rf'|(?P<dedent>(?![ \t]{{{columns}}})(?=[ \t]*\S)))'
    )


@dataclass(frozen=True)
class Structure:
    """Where the headings and the blocks of one text are."""

    text: str
    heading_starts: list[int] = field(default_factory=list[int])
    """Offset of each heading's first line."""
    heading_ends: list[int] = field(default_factory=list[int])
    """Offset of the end of each heading's last line, the line break left out."""
    levels: list[int] = field(default_factory=list[int])
    """1 to 6."""
    block_starts: list[int] = field(default_factory=list[int])
    """Where each fence, table and front matter begins: what a cut should not go through."""
    block_ends: list[int] = field(default_factory=list[int])

    @cached_property
    def parents(self) -> list[int]:
        """The index of the heading that each heading stands under, or -1."""
        parents: list[int] = []
        open_: list[int] = []
        for index, level in enumerate(self.levels):
            while open_ and self.levels[open_[-1]] >= level:
                open_.pop()
            parents.append(open_[-1] if open_ else -1)
            open_.append(index)
        return parents

    def title(self, index: int) -> str:
        """The text of a heading on one line, without its marks."""
        start, end = self.heading_starts[index], self.heading_ends[index]
        source = self.text[start : min(end, start + _MUCH_OF_A_TITLE)].strip()
        above, underline, _ = source.rpartition('\n')
        line = _OVERLINE.sub('', above) if underline else _CLOSING_HASHES.sub('', source.lstrip('#').strip())
        return one_line(_ANCHOR.sub('', line.rstrip()), LONGEST_TITLE)

    def path(self, at: int) -> tuple[str, ...]:
        """The headings that are open at `at`, outermost first; one that begins there is not open yet."""
        index = bisect_left(self.heading_starts, at)
        here = index < len(self.heading_starts) and self.heading_starts[index] == at
        index = self.parents[index] if here else index - 1
        titles: list[str] = []
        while index >= 0:
            titles.append(self.title(index))
            index = self.parents[index]
        return tuple(title for title in reversed(titles) if title)

    def opening(self, at: int) -> str:
        """The heading that the text from `at` begins with, if it does."""
        index = bisect_left(self.heading_starts, at)
        if index < len(self.levels) and not _TEXT.search(self.text, at, self.heading_starts[index]):
            return self.title(index)
        return ''

    def block(self, at: int) -> tuple[int, int] | None:
        """The span of the block that a cut at `at` would go through, if any."""
        index = bisect_left(self.block_starts, at) - 1
        if index >= 0 and at < self.block_ends[index]:
            return self.block_starts[index], self.block_ends[index]
        return None

    def parts_heading(self, at: int) -> bool:
        """Return whether a cut at `at` would go through a heading or leave one behind without any text."""
        index = bisect_left(self.heading_starts, at) - 1
        if index < 0:
            return False
        end = self.heading_ends[index]
        return at <= end or not _TEXT.search(self.text, end, at)

    def headings(self, after: int, last: int) -> Iterator[tuple[int, int]]:
        """Where headings begin behind one place up to another, each with its level."""
        inside = slice(bisect_right(self.heading_starts, after), bisect_right(self.heading_starts, last))
        return zip(self.heading_starts[inside], self.levels[inside], strict=True)

    def boundary(self, at: int, before: int) -> int:
        """How good a place to cut `at` is."""
        text = self.text
        if at == 0:
            return Boundary.DOCUMENT
        index = bisect_left(self.heading_starts, at)
        if index < len(self.heading_starts) and self.heading_starts[index] == at:
            return self.levels[index]
        if text[at - 1] != '\n':
            return Boundary.SENTENCE
        if _RULE.match(text, before):
            return Boundary.RULE
        item = None if _RULE.match(text, at) else ITEM.match(text, at)
        # Only a blank line stands between two line feeds of one segment.
        if text.count('\n', before, at) > 1:
            return Boundary.ITEM if item or text[at].isspace() else Boundary.PARAGRAPH
        if item and not item[1]:
            return Boundary.ITEM
        return Boundary.ROW if text[at] == '|' else Boundary.LINE


def parse(text: str) -> Structure:
    """Find the headings, fences and tables of a markdown text.

    A fence that is never closed goes on to the end of the text, or, where it is indented as part of a list item, to the
    end of the item. Underlined paragraphs of more than `LONGEST_HEADING` characters are no headings.
    """
    found = Structure(text)
    padded = f'\n{text}'
    position = 0  # where to go on in `padded`
    if front := _FRONT_MATTER.match(text):
        position = _add_block(found, 0, front.end())
    while match := _MARKUP.search(padded, position):
        position = match.end()
        start, end, kind = match.start(), position - 1, match.lastgroup
        if kind == 'fence' and is_underline(
            text[(title := _line_before(text, start)) : start], text[start : _line_end(text, start)]
        ):
            _add_heading(found, title, end, 2)
        elif kind == 'fence' and _INDENTED.match(match['indent']) and _goes_on_with_paragraph(found, start):
            continue
        elif kind == 'fence':
            position = _add_block(found, start, _end_of_fence(padded, match))
        elif kind == 'bar' and '|' in match['bar']:
            position = _add_table(found, padded, start, position)
        elif len(match['indent'].expandtabs(4)) > 3:
            continue  # indented code
        elif kind == 'atx':
            _add_heading(found, start, end, len(match['atx']))
        else:
            _add_setext(found, start, end, match['bar'].rstrip())
    return found


def front_matter(text: str) -> str:
    """The fields between two rules that a text begins with; empty where there are none."""
    found = _FRONT_MATTER.match(text)
    return found.group() if found else ''


def _goes_on_with_paragraph(found: Structure, start: int) -> bool:
    """Return whether an indented line stands right below the text of a paragraph."""
    above, floor = start, _floor(found)
    while start - above <= LONGEST_HEADING and above > floor:
        above, below = _line_before(found.text, above), above
        line = found.text[above : below - 1].rstrip()
        if line and _INDENTED.match(line):
            continue
        return bool(line) and not any(each.match(line) for each in (_BLOCK, _CONTAINER, _OPENS_INDENTED))
    return False


def _add_heading(found: Structure, start: int, end: int, level: int) -> None:
    found.heading_starts.append(start)
    found.heading_ends.append(end)
    found.levels.append(level)


def _add_block(found: Structure, start: int, end: int) -> int:
    """Add a block, and give back where to go on in the padded text: at the line feed before the next line."""
    end = min(end, len(found.text))
    found.block_starts.append(start)
    found.block_ends.append(end)
    return end if found.text.endswith('\n', 0, end) else end + 1


def _end_of_fence(padded: str, opening: re.Match[str]) -> int:
    """The offset in the text after the fence that `opening` opens."""
    mark, lead = opening['fence'], opening['indent'] + (opening['list'] or '')
    # A fence in a list item ends with the item. Any text may begin with one character of white space less than a tab.
    nested = bool(opening['list']) or len(lead.expandtabs(4)) > 3
    columns = (1 if '\t' in lead else min(len(lead), 40)) if nested else 0
    for match in _fence_end(mark[0], columns).finditer(padded, opening.end()):
        if not match['mark']:
            return match.start()
        if len(match['mark']) >= len(mark):
            return match.end()
    return len(padded)


def is_underline(above: str, line: str) -> bool:
    """Return whether a line of tildes underlines the line above it, as in reStructuredText, and opens no block."""
    title, mark = above.rstrip(), line.rstrip()
    return (
        not mark.strip('~') and 2 < len(title) <= len(mark) <= len(title) + 3 * (len(mark) > 3) and title[:1].isalnum()
    )


def is_row(line: str) -> bool:
    """Return whether a line is a row of fields rather than a part of a sentence: more values than words, or columns."""
    fields = line.split()
    if len(fields) < _LEAST_FIELDS or len(line) > LONGEST_HEADING or _ENDS_TEXT.search(line):
        return False
    values = sum(_VALUE.fullmatch(field) is not None for field in fields)
    gaps = len(GAP.findall(line.strip()))
    are_columns = gaps > 1 and not _SPREAD.search(line)
    return 5 * values > 3 * len(fields) or 2 * gaps >= len(fields) - 1 or are_columns


def _line_end(text: str, start: int) -> int:
    """The end of the line at `start`, without its line feed."""
    end = text.find('\n', start)
    return len(text) if end < 0 else end


def _line_before(text: str, start: int) -> int:
    """The start of the line that ends where the line at `start` begins."""
    return text.rfind('\n', 0, start - 1) + 1 if start else 0


def _floor(found: Structure) -> int:
    """The end of what was found so far: no heading or table reaches back over it."""
    ends = found.heading_ends[-1:] + found.block_ends[-1:]
    return max(ends, default=0)


def _add_table(found: Structure, padded: str, start: int, position: int) -> int:
    """Add the table whose delimiter row is at `start`, if the line before it is its header."""
    header = _line_before(found.text, start)
    if '-' not in found.text[start : position - 1] or header < _floor(found) or '|' not in found.text[header:start]:
        return position
    end = _TABLE_END.search(padded, position)
    return _add_block(found, header, end.start() if end else len(padded))


def _add_setext(found: Structure, start: int, end: int, underline: str) -> None:
    """Add the heading that the line at `start` underlines, if it underlines a paragraph."""
    marks = set(underline)
    if marks not in ({'='}, {'-'}):
        return
    first = above = start
    floor = _floor(found)
    while above > floor:
        above, below = _line_before(found.text, above), above
        line = found.text[above : below - 1].rstrip()
        if not line or above < floor or _BLOCK.match(line):
            break
        if start - above > LONGEST_HEADING or _CONTAINER.match(line):
            return
        # An indented line goes on with a paragraph, but begins none.
        first = first if _INDENTED.match(line) else above
    if first < start:
        _add_heading(found, first, end, 1 if marks == {'='} else 2)
