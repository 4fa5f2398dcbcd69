"""One source as text: its identity, its segments, and where each of them stands.

A segment is the smallest thing evidence points to: a line, or, where a line is long, a sentence or a piece of one.
Segments are numbered from 1 through the document and cover it without gaps.
"""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress, count, pairwise
from operator import sub

from summarizer_tool.documents.page_numbers import PageNumbers
from summarizer_tool.documents.token_index import TokenIndex
from summarizer_tool.errors import check_type
from summarizer_tool.text import tokens
from summarizer_tool.text.abbreviations import is_abbreviated

LONG_LINE = 400
"""Characters (about 100 tokens) over which a line is cut into sentences, and a sentence into pieces."""

_SURROGATES = re.compile('[\ud800-\udfff]')

# The end of a line with the blank lines after it, and blank lines at the beginning of a text.
_LINE_END = re.compile(r'\n(?:\s*\n)?')
_BLANK = re.compile(r'\s*\n')

# The end of a sentence: a full stop with what closes it, then white space; or a CJK full stop. It begins with one class
# of characters, which `re` finds quickly.
_SENTENCE_END = re.compile(
    r'[.!?…。！？；](?:(?<=[。！？；])[”’」』》）】]*+(?![，、；：,\]])|[)\]"\'”’»*_]{0,2}\s+(?=\S))'
)

_MARKS = 4
"""Characters of such an end, as far as it is looked for."""

# Where a piece may end when one sentence is too long: after white space or a separator of data.
_PIECE_END = re.compile(r'.*[\s,;|}\])>](?=\S)', re.DOTALL)

# Rather where one of several objects ends, so that none is in two pieces.
_OBJECT_END = re.compile(r'.*[}\])][,;]\s*(?=\S)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Segment:
    """One numbered piece of a document."""

    number: int
    """From 1, through the document."""
    line: int
    """The line it begins on, from 1."""
    start: int
    """Offset of its first character in the document's text."""
    end: int
    """Offset after its last character, line break and following blank lines included."""
    page: int | None = None
    """The page it begins on, from 1, if the document has pages."""


def _sentence_starts(text: str, begin: int, end: int) -> list[int]:
    """Cut `text[begin:end]`, a long line, into sentences and those into pieces of at most `LONG_LINE` characters."""
    starts: list[int] = []
    stop, least = begin, LONG_LINE // 4
    while stop != end:
        # Short sentences stay together until the piece is long enough to be worth a number of its own.
        found = _SENTENCE_END.search(text, max(stop, begin + least - _MARKS), end)
        stop = found.end() if found else end
        if found and (stop - begin < least or is_abbreviated(text, found.start() + 1)):
            continue
        while stop - begin > LONG_LINE:
            cut = begin + LONG_LINE
            place = _OBJECT_END.match(text, begin + least, cut) or _PIECE_END.match(text, begin + LONG_LINE // 2, cut)
            begin = place.end() if place else tokens.safe_cut(text, cut, begin)
            starts.append(begin)
        if stop != end:
            starts.append(stop)
            begin = stop
    return starts


def _pieces(text: str, start: int, end: int) -> list[int]:
    """Where the segments after the first begin in `text[start:end]`, a line; none of them is blank."""
    line = text[start:end]
    end = start + len(line.rstrip())
    begin = end - len(line.strip())
    if end - begin <= LONG_LINE:
        return []
    starts = _sentence_starts(text, begin, end)
    return [
        begin for begin, stop in pairwise((*starts, end)) if not (text[begin].isspace() and text[begin:stop].isspace())
    ]


def segment_starts(text: str) -> list[int]:
    """The ascending offsets at which segments begin; blank lines belong to the segment before them."""
    if not text:
        return []
    blank = _BLANK.match(text)
    starts = [0]
    starts += [match.end() for match in _LINE_END.finditer(text, blank.end() if blank else 0)]
    if len(starts) > 1 and not text[starts[-1] :].strip():
        starts.pop()
    # Most lines are short and need no Python of their own.
    ends = [*starts[1:], len(text)]
    for index in compress(count(), map(LONG_LINE.__lt__, map(sub, ends, starts))):
        starts += _pieces(text, starts[index], ends[index])
    starts.sort()  # two ascending runs, which it merges
    return starts


@dataclass(frozen=True)
class Document:
    """One source as markdown or plain text.

    Equal texts have equal ids. Lone surrogates, which no encoding can carry, become U+FFFD.
    """

    text: str
    """The whole text."""
    title: str = ''
    """The name that a reader gives it; part of the heading path of its chunks."""
    url: str = ''
    """Where it came from, if anywhere."""
    id: str = field(init=False)
    """`src_` and the first 12 hex digits of the SHA-256 of the text."""
    digest: bytes = field(init=False, compare=False, repr=False)
    """All of the SHA-256."""
    token_index: TokenIndex | None = field(init=False, default=None, compare=False, repr=False)
    """The tokens of its spans, once these have been counted."""

    def __post_init__(self) -> None:
        for name in ('text', 'title', 'url'):
            check_type(name, getattr(self, name), str)
        object.__setattr__(self, 'title', _SURROGATES.sub('\ufffd', self.title))
        object.__setattr__(self, 'url', _SURROGATES.sub('\ufffd', self.url))
        try:
            encoded = self.text.encode()
        except UnicodeEncodeError:
            object.__setattr__(self, 'text', _SURROGATES.sub('\ufffd', self.text))
            encoded = self.text.encode()
        digest = hashlib.sha256(encoded)
        vars(self).update(id=f'src_{digest.hexdigest()[:12]}', digest=digest.digest())

    @cached_property
    def tokens(self) -> int:
        """The size of the text in cl100k tokens."""
        return tokens.count(self.text)

    @cached_property
    def segment_starts(self) -> Sequence[int]:
        """The offset at which each segment begins; segment `n` begins at `segment_starts[n - 1]`."""
        return segment_starts(self.text)

    def remember(self, tokens: int, segment_starts: Sequence[int] = (), token_index: TokenIndex | None = None) -> None:
        """Keep what is already known of the text, so that nobody computes it again."""
        vars(self)['tokens'] = tokens
        if token_index is not None:
            vars(self).update(segment_starts=segment_starts, token_index=token_index)

    @property
    def about_tokens(self) -> int:
        """The size of the text in cl100k tokens, or a guess where it has not been counted."""
        return vars(self).get('tokens', len(self.text) // 4)

    @cached_property
    def line_starts(self) -> Sequence[int]:
        """The offset at which each line begins."""
        return [0, *(match.end() for match in re.finditer('\n', self.text))]

    @cached_property
    def pages(self) -> PageNumbers:
        """Where its pages begin, if it has some."""
        return PageNumbers.of(self.text)

    def segment(self, number: int) -> Segment:
        """Segment `number`, from 1; raises `IndexError` if there is none."""
        starts = self.segment_starts
        if not 1 <= number <= len(starts):
            raise IndexError(f'{self.id} has segments 1 to {len(starts)}, not {number}')
        start = starts[number - 1]
        end = starts[number] if number < len(starts) else len(self.text)
        # Blank lines before the text belong to the first segment, which begins after them for a reader.
        piece = self.text[start:end]
        first = start + (len(piece) - len(piece.lstrip()) if piece[0].isspace() and piece.strip() else 0)
        line = bisect_right(self.line_starts, first)
        return Segment(number=number, line=line, start=start, end=end, page=self.pages.at(first))

    def segment_at(self, offset: int) -> int:
        """The number of the segment that holds the character at `offset`."""
        return max(1, bisect_right(self.segment_starts, offset))

    def segment_text(self, number: int) -> str:
        """The text of segment `number` without the white space around it."""
        segment = self.segment(number)
        return self.text[segment.start : segment.end].strip()
