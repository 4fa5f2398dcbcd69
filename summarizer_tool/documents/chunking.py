"""Cut documents into chunks of at most `size` tokens, at the best places their structure offers.

Chunks are of even size, give or take 15 %, each up to the best boundary in that range: a document's start, a heading, a
rule, a paragraph, down to a sentence. Which of equal ones depends on the text behind it, so that after a change the
cuts meet those of before again; where these are known, at once. Code fences and tables stay whole where they fit a
chunk. The open headings stand before each piece and count.
"""

import zlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.token_index import TokenIndex, index_tokens
from summarizer_tool.text import tokens
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.structure import LONGEST_TITLE, Structure, parse

_LEAST = 0.74
"""The part of the allowed size that a chunk has at least where the text offers a place to end it: 15 % on each side of
the middle, so that cuts follow the text and chunks are even."""

_UNITS = 40
"""Units a chunk is counted in: enough that what is counted twice at its ends does not matter."""

_FINGERPRINT = 200
"""Characters that tell one place from another."""

_SHORTEST = 4
"""Where a chunk began before, one ends that has at least this part of the size, so that what follows is as before."""

_HEADER_SHARE = 4
"""A heading path takes at most this part of a chunk."""

_LONGEST_TOKEN = 128
"""Characters of the longest token in cl100k."""

_NEXT_SOURCE = '---\n'
"""Stands before a piece without a heading path that follows another piece."""


@dataclass(frozen=True, slots=True)
class ChunkPiece:
    """A run of one document inside a chunk: places only, so that it travels between processes without the text."""

    document: int
    """Its index."""
    start: int
    """Offset of its first character in the document's text."""
    end: int
    """Offset after its last character."""
    segments: range
    """The numbers of its segments."""
    heading_path: tuple[str, ...]
    """The headings open where it begins, outermost first, after the document's title."""
    header: str
    """The heading path as the line a reader gets before the text: shortened if it would take over a quarter of the
    chunk, with its line feed; empty without a path."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The text of one call of the map step."""

    pieces: tuple[ChunkPiece, ...]
    """Runs of one or, where they are small, several documents, in order."""
    index: int
    """From 0, through the chunks."""
    tokens: int
    """Of its text, exactly, in cl100k: each piece after its header, and each on a line of its own."""


def chunk(
    documents: Sequence[Document], *, size: int, left_out: Container[int] = (), before: frozenset[int] = frozenset()
) -> list[Chunk]:
    """Cut documents into chunks.

    Args:
        documents: The sources, in the order in which they are to be read. An empty one gives no piece.
        size: Tokens a chunk may have, heading paths included; at least 16, which hold any character together with one.
        left_out: Indices of documents that give no piece.
        before: Where the chunks of earlier versions of them began, by `fingerprint`.

    Returns:
        Chunks of at most `size` tokens. The pieces of a document, in order, make up its text.
    """
    packer = _Packer(size)
    for index, document in enumerate(documents):
        if document.text and index not in left_out:
            _pack(_Source(index, document, measure(document, size), parse(document.text), size, before), packer)
    packer.close()
    return packer.chunks


def measure(document: Document, size: int) -> TokenIndex:
    """Count a document that has not been counted, as suits chunks of `size` tokens; it remembers that."""
    # About four characters a token; a unit is not so short that calls cost more than what they count.
    unit = min(max(size * 4 // _UNITS, 100), 4000)
    index = document.token_index or index_tokens(document.text, document.segment_starts, unit)
    document.remember(index.count(0, len(document.text)), document.segment_starts, index)
    return index


def fingerprint(text: str, at: int) -> int:
    """A number that stands for the text at a place, wherever the place is."""
    return zlib.crc32(text[at : at + _FINGERPRINT].encode(errors='replace'))


@lru_cache(maxsize=4096)
def _header(path: tuple[str, ...], limit: int) -> str:
    """A heading path as a line of at most `limit` tokens: without inner levels, then cut off, if it has to be."""
    if not path:
        return ''
    for titles in (path, *((path[0], '…', *path[level:]) for level in range(2, len(path))), path[-1:]):
        line = ' > '.join(titles) + '\n'
        if tokens.count(line) <= limit:
            return line
    for room in range(limit - 1, 0, -1):
        line = tokens.truncate(path[-1], room).rstrip()
        if line and tokens.count(f'{line}…\n') <= limit:
            return f'{line}…\n'
    return ''


@dataclass(frozen=True)
class _Source:
    """A document with all that is known of it before it is cut."""

    index: int
    document: Document
    token_index: TokenIndex
    structure: Structure
    size: int
    before: frozenset[int]
    _whole: dict[tuple[int, int], tuple[int, int] | None] = field(
        default_factory=dict[tuple[int, int], tuple[int, int] | None]
    )
    """By the span of a block: the span of its segments if they fit a chunk, else None."""

    @cached_property
    def known(self) -> list[int]:
        """The places where chunks began before, as far as there is one place alone with such a text."""
        if not self.before:
            return []
        marks = [*map(self.fingerprint, self.document.segment_starts)]
        times = Counter(mark for mark in marks if mark in self.before)
        return [at for at, mark in zip(self.document.segment_starts, marks, strict=True) if times[mark] == 1]

    def path(self, at: int) -> tuple[str, ...]:
        """The heading path of a piece that begins at `at`."""
        path = self.structure.path(at)
        title = one_line(self.document.title, LONGEST_TITLE)
        # A title that the first heading repeats is said once.
        first = path[0] if path else self.structure.opening(at)
        return path if not title or title.casefold() == first.casefold() else (title, *path)

    def header(self, at: int) -> str:
        """The heading path of a piece that begins at `at`, as a line."""
        return _header(self.path(at), self.size // _HEADER_SHARE)

    def piece(self, start: int, end: int) -> ChunkPiece:
        path = self.path(start)
        segments = range(self.document.segment_at(start), self.document.segment_at(end - 1) + 1)
        return ChunkPiece(self.index, start, end, segments, path, _header(path, self.size // _HEADER_SHARE))

    def fingerprint(self, at: int) -> int:
        return fingerprint(self.document.text, at)

    def may_end_at(self, at: int) -> bool:
        """Return whether a piece may end before a segment: a heading keeps its text, and what fits a chunk is whole."""
        is_place = self.document.segment_starts[self.document.segment_at(at) - 1] == at
        return is_place and not self.structure.parts_heading(at) and self.divided_block(at) is None

    def divided_block(self, at: int) -> tuple[int, int] | None:
        """The span of the fence or table that a cut at `at` goes through although it fits a chunk, if any."""
        block = self.structure.block(at)
        if block is None:
            return None
        if block not in self._whole:
            # With the blank lines around it that belong to its segments.
            places = self.document.segment_starts
            start = places[bisect_right(places, block[0]) - 1]
            after = bisect_left(places, block[1])
            end = places[after] if after < len(places) else len(self.document.text)
            fits = self.token_index.estimate(start, end) < self.size // 2 or self.token_index.fits(
                start, end, self.size, self.header(start)
            )
            self._whole[block] = (start, end) if fits else None
        return self._whole[block]


class _Packer:
    def __init__(self, size: int) -> None:
        self.size = size
        self.smallest = int(_LEAST * size)
        self.chunks: list[Chunk] = []
        self._pieces: list[ChunkPiece] = []
        self._tokens = 0
        self._joint = 0

    @property
    def is_empty(self) -> bool:
        return not self._pieces

    @property
    def room(self) -> int:
        return self.size - self._tokens - self._joint

    def has(self, least: int) -> bool:
        return self._tokens >= least

    def is_long(self, more: int) -> bool:
        """Return whether a chunk with so many tokens more is long enough to end where one did before."""
        return self.has(self.size // _SHORTEST - more)

    def lead(self, header: str) -> str:
        """The line before the next piece."""
        return header or ('' if self.is_empty else _NEXT_SOURCE)

    def add(self, source: _Source, start: int, end: int) -> None:
        """Put a piece into the chunk; it fits."""
        piece = source.piece(start, end)
        lead = self.lead(piece.header)
        self._tokens += self._joint + source.token_index.count(start, end, lead)
        self._pieces.append(piece)
        # The next piece begins a line, so that counts on both sides of the joint add up.
        self._joint = 0
        if not source.document.text.endswith('\n', start, end):
            self._joint = source.token_index.joint(start, end, '\n', lead)

    def close(self) -> None:
        if self._pieces:
            self.chunks.append(Chunk(tuple(self._pieces), len(self.chunks), self._tokens))
        self._pieces, self._tokens, self._joint = [], 0, 0


def _pack(source: _Source, packer: _Packer) -> None:
    """Put a document into the open chunk and as many more as it takes; the last stays open for the next document."""
    start, end = 0, len(source.document.text)
    if source.known[:1] == [0] and packer.is_long(0):
        packer.close()
    while start < end:
        lead = packer.lead(source.header(start))
        known = _known_cut(source, start, packer, lead) if source.known else start
        if known == start and source.token_index.fits(start, end, packer.room, lead):
            packer.add(source, start, end)
            if packer.has((packer.smallest + packer.size) // 2):
                packer.close()
            return
        cut = known
        if cut == start and (packer.is_empty or not packer.has(packer.smallest)):
            cut = _best_cut(source, start, packer, lead, or_none=not packer.is_empty)
        if cut == start and packer.is_empty:
            places = source.document.segment_starts
            number = source.document.segment_at(start)
            cut = _cut_inside(source, start, places[number] if number < len(places) else end, packer.room, lead)
        if cut > start:
            packer.add(source, start, cut)
        packer.close()
        start = cut


def _known_cut(source: _Source, start: int, packer: _Packer, lead: str) -> int:
    """Where to end a piece that begins at `start` so that the next chunk begins where one did before, or `start`."""
    last = source.token_index.reach(source.document.segment_starts, start, packer.room, lead)
    at = bisect_right(source.known, last) - 1
    cut = source.known[at] if at >= 0 else start
    return cut if cut > start and packer.is_long(source.token_index.estimate(start, cut)) else start


def _best_cut(source: _Source, start: int, packer: _Packer, lead: str, *, or_none: bool) -> int:
    """Where to end a piece that begins at `start`: the best boundary of those that make the chunk large enough.

    It is `start` if no segment fits, and with `or_none` also rather than where a heading would lose its text, or a
    fence or table would be divided.
    """
    token_index, places, room = source.token_index, source.document.segment_starts, packer.room
    last = token_index.reach(places, start, room, lead)
    if block := source.divided_block(last):
        # What `reach` leaves out may be no more than its end.
        last = block[1] if token_index.fits(start, block[1], room, lead) else block[0] if block[0] > start else last
    ahead = bisect_right(source.known, last)
    if ahead < len(source.known):  # where a chunk began before, just out of reach: leave enough to go up to there
        enough = bisect_right(places, token_index.before(source.known[ahead], packer.size // _SHORTEST)) - 1
        last = places[enough] if start < places[enough] < last else last
    lowest = max(start, token_index.before(last, packer.size - packer.smallest))
    # Nothing is better than a heading, and most places are none.
    headings = source.structure.headings(lowest, last)
    for *_, place in sorted((level, source.fingerprint(place), place) for place, level in headings):
        if source.may_end_at(place):
            return place
    cut, best = start, None
    index = bisect_right(places, last) - 1
    while places[index] > start and (best is None or places[index] > lowest):
        place = places[index]
        kind = source.structure.boundary(place, places[index - 1])
        # Most places are worse than one that is known.
        if best is None or kind <= best[0]:
            rank = kind, source.fingerprint(place)
            if (best is None or rank < best) and source.may_end_at(place):
                cut, best = place, rank
        index -= 1
    return cut if best is not None or or_none else last


def _cut_inside(source: _Source, start: int, end: int, room: int, lead: str) -> int:
    """Where to end a piece that begins at `start` and has not the room to go on to `end`: after some token."""
    text, token_index = source.document.text, source.token_index
    window = text[start : min(end, start + room * _LONGEST_TOKEN)]
    budget = room - tokens.count(lead)
    while budget > 0:
        cut = start + len(tokens.truncate(window, budget))
        if cut == start:
            break
        excess = token_index.count(start, cut, lead) - room
        if excess <= 0:
            return cut
        budget -= excess
    # What a reader sees as one character (a flag, a family) can be longer than a small chunk: cut between code points.
    cut = start + 1
    while cut < end and token_index.count(start, cut + 1, lead) <= room:
        cut += 1
    return cut
