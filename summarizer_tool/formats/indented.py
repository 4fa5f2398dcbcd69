"""Plain text that is laid out by indentation, as manual pages and standards are, as markdown. Pure computing.

What hangs below a heading or a term stands in deeper than it. Once paragraphs are joined and read one by one nobody
could see that any more: so headings get their mark, and what is said of a term is written as its definition.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from summarizer_tool.formats.joining import Vocabulary, join
from summarizer_tool.formats.wrapped import FENCE, LEAST_WIDTH, MOST_WIDTH, SLACK
from summarizer_tool.text.structure import is_row

_LEAST_FOUND = 3
"""Headings or terms that a text must have to be laid out so."""

_INDENTED = 0.7
"""Share of the lines that stand in, where those that do not are headings."""

_USUAL = 0.04
"""Share of the lines that an indentation has, if it is one of the text's own."""

_LONGEST_HEADING, _LONGEST_TERM, _TERM_LINES = 72, 100, 3
_RAGGED = 15
"""Characters that a term leaves free: a full line goes on in the next."""

_DEEPER = 2
"""Columns that what is said of a term or below a heading stands in from it, at least."""

_NEAR = 5
"""Lines from a heading to the text below it."""

_BLANK = 1_000_000
"""Columns that a blank line stands in, which belongs to what is around it."""

_DEEPEST = 8
"""Terms within terms."""

# `-a      What it does`: a term, and what is said of it from some column on.
_TERM_AND_TEXT = re.compile(r' *(\S.{0,38}?)( {2,})(?=\S)')
_BULLET = re.compile(r'(?:[-*+•·○◦▪‣o]|\(?(?:\d{1,3}|[a-z])[.)])$')
_NO_TERM = re.compile(r'(?<!\.\.)[.,:;!?]$|^[-*+•·]\s')
_MARK = re.compile(r'^(?= *#{1,6}(?:\s|$)) *')
_FOUND = re.compile(r'\s*(?:#{2,3}|:) ')
_COLUMNS = re.compile(r'\S {3,}\S')


def markdown(text: str) -> str:
    """The text with headings and definitions as in markdown and whole paragraphs; empty where it has no such layout."""
    if FENCE.search(text):
        return ''
    lines = [line.rstrip() for line in text.expandtabs().split('\n')]
    lengths = sorted(len(line) for line, below in pairwise(lines) if line and below)
    if not lengths or not LEAST_WIDTH <= (width := lengths[len(lengths) * 9 // 10]) <= MOST_WIDTH:
        return ''
    indents = Counter(_indent(line) for line in lines if line)
    usual = [indent for indent, times in indents.items() if times >= _USUAL * indents.total()]
    base = min(filter(None, usual), default=0) if indents[0] < (1 - _INDENTED) * indents.total() else 0
    found = ((_TERM_AND_TEXT.match(line), below) for line, below in pairwise(lines))
    columns = {match.end() for match, below in found if match and match.end() == _indent(below)}
    made = _Layout(width, Vocabulary(lines), base, columns).read(lines)
    return '\n'.join(made).strip('\n') + '\n' if sum(map(bool, map(_FOUND.match, made))) >= _LEAST_FOUND else ''


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip()) if line else _BLANK


def _end(lines: Sequence[str], at: int, least: int, most: int) -> int:
    """Where lines from one on end that stand in by so much."""
    while at < len(lines) and least <= _indent(lines[at]) <= most:
        at += 1
    return at


@dataclass(frozen=True, slots=True)
class _Layout:
    """What is the same all over a text."""

    width: int
    vocabulary: Vocabulary
    base: int
    """The indentation of most of the text; headings stand in less."""
    columns: set[int]
    """Where the text beside a term begins."""

    def read(self, lines: Sequence[str], depth: int = 0) -> list[str]:
        """Write lines, and what hangs below a term as its definition."""
        out: list[str] = []
        at = 0
        while at < len(lines):
            line, indent = lines[at], _indent(lines[at])
            label, start, body = self._term(lines, at)
            after = next((each for each in lines[at + 1 : at + _NEAR] if each), '')
            if not line:
                out.append('')
                at += 1
            elif indent < self.base and self._is_label(line, after, _LONGEST_HEADING):
                out += ['', f'{"###" if indent else "##"} {line.strip()}', '']
                at += 1
            elif label and depth < _DEEPEST:
                end = _end(lines, start, indent + 1, _BLANK)
                end -= next(place for place in range(len(lines)) if lines[end - 1 - place])
                first, *others = self.read([*body, *lines[start:end]], depth + 1)
                if _BULLET.match(label):
                    out += [f'{label} {first}', *others]
                else:
                    blank = [''] if any(out[-1:]) else []
                    out += [*blank, _MARK.sub(r'\\', label), f': {first}', *(each and f'  {each}' for each in others)]
                at = end
            else:
                start = _end(lines, at, indent, indent)
                end = _end(lines, start, indent + 1, _BLANK - 1)
                out += [_MARK.sub(r'\g<0>\\', each) for each in self._joined(lines[at:end])]
                at = end
        return out

    def _term(self, lines: Sequence[str], at: int) -> tuple[str, int, list[str]]:
        """The term that a line begins with, if any; the line after it, and what stands beside it."""
        line, below = lines[at], ''.join(lines[at + 1 : at + 2])
        beside = _TERM_AND_TEXT.match(line)
        if beside and (
            _indent(below) == beside.end()
            or (len(beside[2]) > _DEEPER and (beside.end() in self.columns or _BULLET.match(beside[1])))
        ):
            return beside[1], at + 1, [' ' * beside.end() + line[beside.end() :]]
        start = _end(lines[at : at + _TERM_LINES], 0, _indent(line), _indent(line)) + at
        term, below = ' '.join(each.strip() for each in lines[at:start]), ''.join(lines[start : start + 1])
        end = _end(lines, start, _indent(line) + 1, _BLANK - 1)
        # A sentence goes on around a line that stands in.
        goes_on = len(term.split()) > _TERM_LINES and ''.join(lines[end : end + 1]).lstrip()[:1].islower()
        is_term = not goes_on and self._is_label(lines[start - 1], below, _LONGEST_TERM)
        return term if is_term else '', start, []

    def _is_label(self, line: str, below: str, longest: int) -> bool:
        """Return whether a line is short, no sentence, and stands above what stands in deeper."""
        said = line.strip()
        return (
            any(map(str.isalnum, said))
            and len(said) <= longest
            and below != ''
            and _indent(below) >= _indent(line) + _DEEPER
            and len(line) <= self.width - _RAGGED
            and not _NO_TERM.search(said)
            and not _COLUMNS.search(said)
        )

    def _joined(self, lines: Sequence[str]) -> list[str]:
        """A paragraph that was wrapped as one line; other lines as they are, with what they stand in from the first."""
        is_wrapped = (
            sum(map(is_row, lines)) < 2
            and sum(_COLUMNS.search(line) is not None for line in lines) < 2
            and all(
                len(line) + 1 + len(below.split(maxsplit=1)[0]) > self.width - SLACK for line, below in pairwise(lines)
            )
        )
        if is_wrapped:
            return [join([' '.join(line.split()) for line in lines], self.vocabulary, hyphenated=False)]
        return [lines[0].strip(), *(line[_indent(lines[0]) :] for line in lines[1:])]
