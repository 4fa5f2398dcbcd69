"""Plain text that is laid out by indentation, as manual pages and standards are, as markdown. Pure computing.

What hangs below a heading or a term stands in deeper than it. Once paragraphs are joined and read one by one nobody
could see that any more: so headings get their mark, and what is said of a term is written as its definition.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from summarizer_tool.formats.joining import Vocabulary, join
from summarizer_tool.formats.wrapped import FENCE, LEAST_WIDTH, MOST_WIDTH, SLACK
from summarizer_tool.text.structure import is_row

_LEAST_FOUND = 3
"""Headings or terms that a text must have to be laid out so."""

_INDENTED = 0.7
"""Share of the lines that stand in, where those that do not are headings."""

_USUAL = 0.04
"""Share of the lines that an indentation has, if it is one of the text's own."""

_LONGEST_HEADING = 72
_LONGEST_TERM = 100
_TERM_LINES = 3
_DEEPER = 2
"""Columns that what is said of a term stands in from it, at least."""

_RAGGED = 15
"""Characters that the last line of a term leaves free: a full one goes on in the next."""

# `-a      What it does`: a term, and what is said of it from some column on.
_TERM_AND_TEXT = re.compile(r' *(\S.{0,38}?)( {2,})(?=\S)')
_BULLET = re.compile(r'(?:[-*+•·○◦▪‣o]|\(?(?:\d{1,3}|[a-z])[.)])$')
_NO_TERM = re.compile(r'(?<!\.\.)[.,:;!?]$|^[-*+•·]\s')
_MARK = re.compile(r'^( {0,3})(#{1,6}(?:\s|$))')
_COLUMNS = re.compile(r'\S {3,}\S')


def markdown(text: str) -> str:
    """The text with headings and definitions as in markdown and whole paragraphs; empty where it has no such layout."""
    text = text.expandtabs()
    if FENCE.search(text):
        return ''
    blocks = [list(lines) for is_text, lines in groupby(text.split('\n'), lambda line: bool(line.strip())) if is_text]
    lengths = sorted(len(line.rstrip()) for block in blocks for line in block[:-1])
    if not lengths or not LEAST_WIDTH <= (width := lengths[len(lengths) * 9 // 10]) <= MOST_WIDTH:
        return ''
    indents = Counter(_indent(line) for block in blocks for line in block)
    usual = [indent for indent, times in indents.items() if times >= _USUAL * indents.total()]
    base = min(filter(None, usual), default=0) if indents[0] < (1 - _INDENTED) * indents.total() else 0
    layout = _Layout(width, Vocabulary(text.split('\n')), base)
    for block, after in zip(blocks, [*blocks[1:], []], strict=True):
        layout.read(block, after)
    lines = (line if at in layout.headings else _MARK.sub(r'\1\\\2', line) for at, line in enumerate(layout.out))
    return '\n'.join(lines).strip('\n') + '\n' if layout.found >= _LEAST_FOUND else ''


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@dataclass(slots=True)
class _Layout:
    """Where the reading of one text stands."""

    width: int
    vocabulary: Vocabulary
    base: int
    """The indentation of most of the text; headings stand in less."""
    out: list[str] = field(default_factory=list[str])
    headings: set[int] = field(default_factory=set[int])
    """Where these are: another line that begins like one is none."""
    found: int = 0
    """Headings and terms so far."""
    terms: list[int] = field(default_factory=list[int])
    """The indentation of the terms at hand, outermost first."""
    columns: set[int] = field(default_factory=set[int])
    """Where the text beside a term has begun."""

    def read(self, block: Sequence[str], after: Sequence[str]) -> None:
        """Write a run of lines without a blank one between them, before the run `after`."""
        first, rest = block[0], block[1:] or after
        is_heading = (
            _indent(first) < self.base
            and bool(rest)
            and any(map(str.isalnum, first))
            and _indent(rest[0]) > _indent(first)
            and len(first.strip()) <= _LONGEST_HEADING
            and not self._goes_on(first, rest[0])
            and not _NO_TERM.search(first.strip())
            and not _COLUMNS.search(first.strip())
        )
        self.out.append('')
        if is_heading:
            self.headings.add(len(self.out))
            self.out += [f'{"##" if _indent(first) == 0 else "###"} {first.strip()}', '']
            self.found += 1
            self.terms.clear()
            block = block[1:]
        self._write(block)

    def _write(self, lines: Sequence[str], mark: str = '') -> None:
        """Write lines, the first of them after a mark."""
        for label, indent, body in self._entries(lines):
            while self.terms and indent <= self.terms[-1]:
                self.terms.pop()
            pad = '  ' * len(self.terms)
            if label and not _BULLET.match(label):
                self.found += 1
                self.out += [*([''] if self.out[-1] else []), f'{pad}{mark}{label}']
                self.terms.append(indent)
                self._write(body, ': ')
            else:
                first, *others = self._joined(body)
                # What is said of a term stands in from it by as much as the mark of its first line takes.
                self.out.append(f'{pad[len(mark) :]}{mark}{label}{" " * bool(label)}{first}')
                self.out += [pad + line for line in others]
            mark = ''

    def _goes_on(self, line: str, below: str) -> bool:
        """Return whether the line below begins with a word for which a line had no room."""
        return len(line.rstrip()) + 1 + len(below.split(maxsplit=1)[0]) > self.width - SLACK

    def _joined(self, lines: Sequence[str]) -> list[str]:
        """A paragraph that was wrapped as one line; other lines as they are, with what they stand in from the first."""
        is_wrapped = (
            sum(map(is_row, lines)) < 2
            and sum(_COLUMNS.search(line) is not None for line in lines) < 2
            and all(self._goes_on(line, below) for line, below in pairwise(lines))
        )
        if is_wrapped:
            return [join([' '.join(line.split()) for line in lines], self.vocabulary, hyphenated=False)]
        return [lines[0].strip(), *(line[_indent(lines[0]) :].rstrip() for line in lines[1:])]

    def _entries(self, lines: Sequence[str]) -> Iterator[tuple[str, int, list[str]]]:
        """Each term with its indentation and the lines that hang below it, and paragraphs without a term."""
        at = 0
        while at < len(lines):
            line, indent = lines[at], _indent(lines[at])
            run = at + 1
            while run < len(lines) and _indent(lines[run]) == indent:
                run += 1
            end = run
            while end < len(lines) and _indent(lines[end]) > indent:
                end += 1
            beside = _TERM_AND_TEXT.match(line)
            hangs = beside is not None and run == at + 1 < end and beside.end() == _indent(lines[run])
            if beside and (
                hangs
                or (
                    not at + 1 == run < end
                    and len(beside[2]) > _DEEPER
                    and (beside.end() in self.columns or _BULLET.match(beside[1]))
                )
            ):
                self.columns.add(beside.end())
                at = end if hangs else at + 1
                yield beside[1], indent, [' ' * beside.end() + line[beside.end() :], *(lines[run:end] if hangs else ())]
                continue
            term = ' '.join(each.strip() for each in lines[at:run])
            # Text goes on around a line that stands in.
            goes_on = min(len(term.split()), len(''.join(lines[end : end + 1]).split())) > _TERM_LINES
            goes_on = goes_on and lines[end].strip()[0].islower()
            if (
                run < end
                and run - at <= _TERM_LINES
                and not goes_on
                and self._is_term(term, lines[run - 1], lines[run])
            ):
                yield term, indent, list(lines[run:end])
            else:
                yield '', indent, list(lines[at:end])
            at = end

    def _is_term(self, term: str, last: str, following: str) -> bool:
        return (
            len(term) <= _LONGEST_TERM
            and _indent(following) >= _indent(last) + _DEEPER
            and len(last) <= self.width - _RAGGED
            and _NO_TERM.search(term) is None
        )
