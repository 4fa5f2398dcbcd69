"""Which evidence has room in a brief, the best first, and how it is written. Pure computing.

Each passage is put by its own rank; what touches is one block, with a head that says what it is.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from summarizer_tool.documents.page_numbers import PageNumbers
from summarizer_tool.documents.passage_splitting import LONG_HEADING
from summarizer_tool.evidence.brief import quoting
from summarizer_tool.evidence.brief.brief import BriefLine, BriefSource, BriefStatement, EvidenceBlock, LineRange
from summarizer_tool.evidence.brief.citations import Citation
from summarizer_tool.text import tokens

_MIN_PART = 24
"""Tokens below which a part of a block, or of a line, tells a reader nothing."""

_LONGEST_TOKEN = 128
"""Characters of cl100k's longest one."""

_LONGEST_HEAD = 400
"""Tokens that are saved at most where two blocks become one."""

_LESS = 8
"""Tokens that a cut line gives back where it costs more than was thought."""

_WORD_REACH = 40
"""Characters within which a cut looks for the end of a word."""

_ANY_NUMBER = 999
"""What a block is numbered with while its number is not known."""

QUERY_TOKENS = 24
HEADING_TOKENS = LONG_HEADING
_MAX_HEADINGS = 4
"""Headings of a path that are shown: the innermost."""

_FACT_TOKENS = 200
"""A fact is one statement; what is longer ends with an ellipsis."""


@dataclass(frozen=True, slots=True)
class SourceLabels:
    """What a source is called: its number, if it is listed, else its handle."""

    sources: Sequence[BriefSource]
    listed: Collection[int]
    """The numbers of those that are."""
    pages: Mapping[str, PageNumbers] = field(default_factory=dict[str, PageNumbers])
    """Of the sources that have pages, by handle."""

    def pages_of(self, number: int, first: int, last: int) -> str:
        """`p. 3`, or `p. 3-4`, for lines of a source; empty where it has no pages."""
        found = self.pages.get(self.sources[number - 1].id) if self.pages else None
        return found.of_lines(first, last) if found else ''

    def __call__(self, number: int) -> str:
        """`source 2`, or `src_` and 12 hex digits."""
        return f'source {number}' if number in self.listed else self.sources[number - 1].id


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A block of a brief, or as much of one as is shown."""

    index: int
    """Its place in the brief, best first."""
    block: EvidenceBlock
    lines: tuple[BriefLine, ...]
    """What is shown of it, of the last line perhaps a part."""
    is_whole: bool = True
    """Whether all of the block is shown."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The evidence that is shown."""

    texts: tuple[str, ...]
    """Its blocks, best first."""
    numbers: dict[int, int]
    """The number of the block, from 1, in which something is shown, by its index in the brief."""
    cuts: dict[int, str]
    """Of what is not shown whole, by its index: what is shown of it."""
    is_whole: bool
    """Whether nothing was left out or cut."""

    def number(self, citation: Citation) -> int | None:
        """The number of the block that shows what is quoted, or of the fact that it proves."""
        index = citation.evidence
        if index is None or citation.quote not in self.cuts.get(index, citation.quote):
            return None
        return self.numbers.get(index)


@dataclass(slots=True)
class Fitting:
    """Evidence while it is chosen: passage by passage, best first, whatever the room.

    So more room shows whatever less room does, and more. Passages that touch become one block. `rows` are the tokens
    that the list of sources takes for each of them; a source is listed with the first thing that is shown of it.
    """

    evidence: Sequence[EvidenceBlock | BriefStatement]
    name: SourceLabels
    rows: Sequence[int]
    left: int
    """Tokens."""
    listed: set[int] = field(default_factory=set[int])
    """The numbers of the sources that are named."""
    pieces: dict[int, ShownBlock] = field(default_factory=dict[int, ShownBlock])
    facts: list[int] = field(default_factory=list[int])
    costs: dict[int, int] = field(default_factory=dict[int, int])
    """Of the lines of the pieces."""
    after: dict[int, int] = field(init=False)
    """By the index of a block, that of the one which begins where it ends."""

    def __post_init__(self) -> None:
        self.after = {
            item.follows: index
            for index, item in enumerate(self.evidence)
            if isinstance(item, EvidenceBlock) and item.follows is not None
        }

    def put(self, index: int) -> bool:
        """Show a passage or a fact, and name its sources, if there is room."""
        item = self.evidence[index]
        before, left = set(self.listed), self.left
        is_fact = isinstance(item, BriefStatement)
        if self.list_sources([place.source for place in item.places] if is_fact else [item.source]):
            if is_fact:
                self.left -= tokens.count(_fact(item, _ANY_NUMBER, self.name) + '\n')
                if self.left >= 0:
                    self.facts.append(index)
                    return True
            elif self._put(ShownBlock(index, item, item.lines)):
                return True
        self.listed, self.left = before, left
        return False

    def list_sources(self, numbers: Iterable[int]) -> bool:
        """Name sources, if there is room."""
        new = {*numbers} - self.listed
        cost = sum(self.rows[number - 1] for number in new)
        if cost > self.left:
            return False
        self.listed |= new
        self.left -= cost
        return True

    def cut(self, index: int) -> None:
        """Show as much of the beginning of a passage as has room."""
        item = self.evidence[index]
        before, room = set(self.listed), self.left
        if isinstance(item, BriefStatement) or room < _MIN_PART or not self.list_sources([item.source]):
            return
        for least in range(self.left, _MIN_PART, -_LESS):
            lines = _beginning(item.lines, least)
            if lines and lines != item.lines and self._put(ShownBlock(index, item, lines, is_whole=False)):
                return
        self.listed, self.left = before, room

    def fitted(self) -> Fitted:
        """What was chosen, written."""
        groups = {
            group[0].index: group for index in self.pieces if (group := self._group(index))
        }  # by the first of each, which all of its pieces have in common
        ranked: list[tuple[int, list[ShownBlock]]] = [(index, []) for index in self.facts]
        ranked += [(min(group, key=_by_rank).index, group) for group in groups.values()]
        texts: list[str] = []
        numbers: dict[int, int] = {}
        for number, (index, group) in enumerate(sorted(ranked, key=lambda each: each[0]), 1):
            item = self.evidence[index]
            if isinstance(item, BriefStatement):
                texts.append(_fact(item, number, self.name))
                numbers[index] = number
            else:
                texts.append(_written(group, number, self.name))
                numbers |= dict.fromkeys((piece.index for piece in group), number)
        cuts = {
            piece.index: '\n'.join(line.text for line in piece.lines)
            for piece in self.pieces.values()
            if not piece.is_whole
        }
        return Fitted(tuple(texts), numbers, cuts, is_whole=len(numbers) == len(self.evidence) and not cuts)

    def _beside(self, index: int) -> list[int]:
        """The blocks before and after one that touch it."""
        item = self.evidence[index]
        before = item.follows if isinstance(item, EvidenceBlock) else None
        return [near for near in (before, self.after.get(index)) if near is not None]

    def _follows_on(self, index: int) -> bool:
        """Return whether the end of what stands before a block is shown."""
        item = self.evidence[index]
        before = self.pieces.get(item.follows) if isinstance(item, EvidenceBlock) and item.follows is not None else None
        return before is not None and before.is_whole

    def _group(self, index: int) -> list[ShownBlock]:
        """The pieces that touch a piece, and it, in order."""
        group = [self.pieces[index]]
        while self._follows_on(group[0].index):
            before = group[0].block.follows
            assert before is not None  # noqa: S101 - for the type checker
            group.insert(0, self.pieces[before])
        while group[-1].is_whole and self.after.get(group[-1].index) in self.pieces:
            group.append(self.pieces[self.after[group[-1].index]])
        return group

    def _cost_around(self, index: int) -> int:
        """Tokens of a block and of those beside it; no line begins with white space, so what they cost adds up."""
        near = [index, *self._beside(index)]
        groups = {(group := self._group(each))[0].index: group for each in near if each in self.pieces}
        return sum(map(self._cost, groups.values()))

    def _cost(self, group: Sequence[ShownBlock]) -> int:
        inner = (line for piece in group[1:] for line in piece.block.between)
        above = '\n'.join(
            (*_opening(group, _ANY_NUMBER, self.name), *(quoting.numbered(line.number, line.text) for line in inner))
        )
        return tokens.count(above + '\n') + sum(self.costs[piece.index] for piece in group)

    def _put(self, piece: ShownBlock) -> bool:
        """Show a piece, if there is room."""
        rows = '\n'.join(quoting.numbered(line.number, line.text) for line in piece.lines) + '\n'
        room = self.left + _LONGEST_HEAD
        if len(rows) > room * _LONGEST_TOKEN or (cost := tokens.count(rows)) > room:
            return False
        index, before = piece.index, self._cost_around(piece.index)
        self.pieces[index], self.costs[index] = piece, cost
        more = self._cost_around(index) - before
        if more > self.left:
            del self.pieces[index], self.costs[index]
            return False
        self.left -= more
        return True


def _beginning(lines: Sequence[BriefLine], room: int) -> tuple[BriefLine, ...]:
    """The first lines that have room, and of the next one what has room up to the end of a word."""
    shown: list[BriefLine] = []
    for line in lines:
        row = f'{quoting.numbered(line.number, line.text)}\n'
        if len(row) > room * _LONGEST_TOKEN or (cost := tokens.count(row)) > room:
            text = quoting.verbatim(line.text[: room * _LONGEST_TOKEN])
            kept = tokens.truncate(text, room) if room >= _MIN_PART else ''
            space = max(kept.rfind(' ', len(kept) - _WORD_REACH), kept.rfind('\t', len(kept) - _WORD_REACH))
            kept = kept[:space] if 0 < space < len(text) and len(kept) < len(text) else kept
            return (*shown, BriefLine(line.number, kept.rstrip())) if kept.strip() else tuple(shown)
        shown.append(line)
        room -= cost
    return tuple(shown)


def _written(pieces: Sequence[ShownBlock], number: int, name: SourceLabels) -> str:
    """Pieces that touch, in the order of their lines, as one block."""
    rows = (quoting.numbered(line.number, line.text) for line in _rows(pieces))
    return '\n'.join((*_opening(pieces, number, name), *rows))


def _opening(pieces: Sequence[ShownBlock], number: int, name: SourceLabels) -> Iterator[str]:
    """The head of a block, the line under which it begins, and a mark where lines (not rows) are left out there."""
    yield _head(pieces, number, name)
    if header := _header(pieces):
        yield quoting.numbered(header.number, header.text)
        if pieces[0].lines[0].number > header.number + 1 and not header.text.lstrip().startswith('|'):
            yield '…'


def _fact(statement: BriefStatement, number: int, name: SourceLabels) -> str:
    """A fact of a summary, and where it is from."""
    places = '; '.join(
        ' · '.join(
            filter(None, (name(place.source), quoting.ranges(place.lines) if place.lines else '', _pages(place, name)))
        )
        for place in statement.places
    )
    said = quoting.label(statement.text, _FACT_TOKENS)
    return f'[E{number}] {places or "no line"} · relevance {statement.relevance:.2f} · {statement.kind}: {said}'


def _pages(place: LineRange, name: SourceLabels) -> str:
    return name.pages_of(place.source, min(place.lines), max(place.lines)) if place.lines else ''


def _header(pieces: Sequence[ShownBlock]) -> BriefLine | None:
    """The table's first row, or the line, under which a block begins, unless it is among the lines of the block."""
    first = pieces[0].block.lines[0].number
    headers = (piece.block.header for piece in pieces)
    return next((header for header in headers if header and header.number < first), None)


def _head(pieces: Sequence[ShownBlock], number: int, name: SourceLabels) -> str:
    """What stands above the lines of a block: where it is from, how good it is, and for which question it is here."""
    best = min(pieces, key=_by_rank).block
    block = pieces[0].block
    whole = quoting.line_span(block.lines[0].number, pieces[-1].block.lines[-1].number)
    here = quoting.line_span(pieces[0].lines[0].number, pieces[-1].lines[-1].number)
    says = [name(block.source), f'line{"s" if "-" in here else ""} {here}{"" if here == whole else f" of {whole}"}']
    if pieces[-1].lines[-1] not in pieces[-1].block.lines:
        says.append(f'line {pieces[-1].lines[-1].number} cut')
    if pages := name.pages_of(block.source, pieces[0].lines[0].number, pieces[-1].lines[-1].number):
        says.append(pages)
    if block.offset:
        says.append(f'offset {block.offset}')
    if best.relevance is not None:
        says.append(f'relevance {best.relevance:.2f}')
    elif all(piece.is_whole for piece in pieces):
        says.append('whole source')
    if best.is_adjacent:
        says.append('adjacent')
    elif beside := _beside(pieces):
        says.append(f'adjacent {quoting.ranges(beside)}')
    queries = dict.fromkeys(
        quoting.label(piece.block.query, QUERY_TOKENS)
        for piece in sorted(pieces, key=_by_rank)
        if piece.block.query and (best.is_adjacent or not piece.block.is_adjacent)
    )
    if queries:
        says.append('for ' + ', '.join(f'"{query}"' for query in queries))
    is_titled = bool(block.path) and block.path[0].casefold() == name.sources[block.source - 1].title.casefold()
    path = [quoting.label(heading, HEADING_TOKENS) for heading in block.path[is_titled:][-_MAX_HEADINGS:]]
    line = f'[E{number}] {" · ".join(says)}'
    return f'{line}\n§ {" > ".join(filter(None, path))}' if any(path) else line


def _by_rank(piece: ShownBlock) -> tuple[bool, int]:
    """By which the first is what a block is here for: its best passage, rather not one for a neighbour's sake."""
    return piece.block.is_adjacent, piece.index


def _rows(pieces: Sequence[ShownBlock]) -> list[BriefLine]:
    """The lines of a block; a long line of which several passages are shown is one."""
    rows: list[BriefLine] = []
    for piece in pieces:
        first, *others = piece.lines
        if rows and rows[-1].number == first.number:
            rows[-1] = BriefLine(first.number, rows[-1].text + piece.block.space + first.text)
        else:
            rows += (*(piece.block.between if rows else ()), first)
        rows += others
    return rows


def _beside(pieces: Sequence[ShownBlock]) -> set[int]:
    """The lines that are there for their neighbours' sake, and the blank ones between two of them."""
    found = {line.number for piece in pieces if not piece.block.is_adjacent for line in piece.lines}
    found.update(line.number for piece in pieces for line in piece.block.between)
    rows = [line.number for line in _rows(pieces)]
    beside = {*rows} - found
    blank = {number for one, other in pairwise(rows) if {one, other} <= beside for number in range(one, other)}
    header = _header(pieces)
    return beside | blank | ({header.number} if header else set())
