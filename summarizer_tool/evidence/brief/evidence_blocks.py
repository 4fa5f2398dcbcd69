"""How the evidence of a brief is written: what touches as one block, with a head that says what it is."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from summarizer_tool.documents.page_numbers import PageNumbers
from summarizer_tool.documents.passage_splitting import LONG_HEADING
from summarizer_tool.evidence.brief import quoting
from summarizer_tool.evidence.brief.brief import BriefLine, BriefSource, BriefStatement, EvidenceBlock, LineRange

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
    stop: int
    """How many of the lines are shown, the first ones."""
    cut: str | None = None
    """What is shown of the last of these lines; `None` where that is all of it."""

    @property
    def lines(self) -> tuple[BriefLine, ...]:
        """What is shown."""
        lines = self.block.lines[: self.stop]
        return lines if self.cut is None else (*lines[:-1], replace(lines[-1], text=self.cut))

    @property
    def is_whole(self) -> bool:
        """Whether all of the block is shown."""
        return self.cut is None and self.stop == len(self.block.lines)


def written(pieces: Sequence[ShownBlock], number: int, name: SourceLabels) -> str:
    """Pieces that touch, in the order of their lines, as one block."""
    header = header_of(pieces)
    lines = (*([header] if header else []), *_rows(pieces))
    return '\n'.join((head(pieces, number, name), *(quoting.numbered(line.number, line.text) for line in lines)))


def fact(statement: BriefStatement, number: int, name: SourceLabels) -> str:
    """A fact of a summary, and where it is from."""
    places = '; '.join(
        ' · '.join(filter(None, (name(place.source), quoting.ranges(place.lines), _pages(place, name))))
        for place in statement.places
    )
    said = quoting.label(statement.text, _FACT_TOKENS)
    return f'[E{number}] {places or "no line"} · relevance {statement.relevance:.2f} · fact: {said}'


def _pages(place: LineRange, name: SourceLabels) -> str:
    return name.pages_of(place.source, min(place.lines), max(place.lines)) if place.lines else ''


def header_of(pieces: Sequence[ShownBlock]) -> BriefLine | None:
    """The table's first row, or the line, under which a block begins, unless it is among the lines of the block."""
    first = pieces[0].block.lines[0].number
    headers = (piece.block.header for piece in pieces)
    return next((header for header in headers if header and header.number < first), None)


def head(pieces: Sequence[ShownBlock], number: int, name: SourceLabels) -> str:
    """What stands above the lines of a block: where it is from, how good it is, and for which question it is here."""
    best = best_of(pieces)
    block = pieces[0].block
    says = [name(block.source), *_places(pieces)]
    if pages := name.pages_of(block.source, pieces[0].lines[0].number, pieces[-1].lines[-1].number):
        says.append(pages)
    if block.offset:
        says.append(f'offset {block.offset}')
    if best.relevance is not None:
        says.append(f'relevance {best.relevance:.2f}')
    elif all(piece.is_whole for piece in pieces):
        says.append('whole source')
    if best.confidence is not None:
        says.append(f'confidence {best.confidence:.2f}')
    if best.is_adjacent:
        says.append('adjacent')
    elif beside := ', '.join(_beside(pieces)):
        says.append(f'adjacent line{"s" if "-" in beside or "," in beside else ""} {beside}')
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


def best_of(pieces: Sequence[ShownBlock]) -> EvidenceBlock:
    """What a block is here for: its best passage that is not here for a neighbour's sake, if it has one."""
    return min(pieces, key=_by_rank).block


def rank(pieces: Sequence[ShownBlock]) -> int:
    """The place of the best passage of a block among all evidence."""
    return min(pieces, key=_by_rank).index


def _by_rank(piece: ShownBlock) -> tuple[bool, int]:
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


def _places(pieces: Sequence[ShownBlock]) -> Iterator[str]:
    """Which lines are shown, and of how many if that is not all of them."""
    first, last = pieces[0], pieces[-1]
    whole = quoting.line_span(first.block.lines[0].number, last.block.lines[-1].number)
    here = quoting.line_span(first.lines[0].number, last.lines[-1].number)
    shows = f'line{"s" if "-" in here else ""} {here}'
    yield shows if here == whole else f'{shows} of {whole}'
    if last.cut is not None:
        yield f'line {last.lines[-1].number} cut'


def _beside(pieces: Sequence[ShownBlock]) -> Iterator[str]:
    """The runs of lines that are there for their neighbours' sake."""
    header = header_of(pieces)
    if header:
        yield str(header.number)
    found = {line.number for piece in pieces if not piece.block.is_adjacent for line in piece.lines}
    found.update(line.number for piece in pieces for line in piece.block.between)
    run: list[int] = []
    for line in _rows(pieces):
        if line.number not in found:
            run.append(line.number)
        elif run:
            yield quoting.line_span(run[0], run[-1])
            run = []
    if run:
        yield quoting.line_span(run[0], run[-1])
