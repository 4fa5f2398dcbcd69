"""How the evidence of a brief is written: passages that touch are one block, with a head that says what it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from summarizer_tool.documents.page_numbers import PageNumbers
from summarizer_tool.documents.passage_splitting import LONG_HEADING
from summarizer_tool.evidence.brief import quoting
from summarizer_tool.evidence.brief.brief import Brief, BriefLine, DigestLine, EvidenceBlock
from summarizer_tool.evidence.brief.citations import Citation

QUERY_TOKENS = 24
HEADING_TOKENS = LONG_HEADING
_MAX_HEADINGS = 4
"""Headings of a path that are shown: the innermost."""

_DIGEST_TOKENS = 200
"""Of a line of a digest; a longer one ends with an ellipsis."""


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A block of a brief, or as much of one as is shown."""

    index: int
    """Its place in the brief, best first."""
    block: EvidenceBlock
    lines: tuple[BriefLine, ...]
    """What is shown of it, of the last line perhaps a part."""
    is_whole: bool = True
    """Whether all of the block is shown."""


@dataclass(frozen=True, slots=True)
class ShownEvidence:
    """The evidence that is shown, written."""

    texts: tuple[str, ...]
    """Its blocks, best first."""
    numbers: dict[int, int]
    """The number of the block, from 1, in which something is shown, by its index in the brief."""
    cut: ShownPiece | None
    """What is shown in part."""

    def number(self, citation: Citation) -> int | None:
        """The number of the block that shows what is quoted."""
        index = citation.evidence
        if index is None or (
            self.cut and self.cut.index == index and not any(citation.quote in line.text for line in self.cut.lines)
        ):
            return None
        return self.numbers.get(index)


@dataclass(frozen=True, slots=True)
class EvidenceWriter:
    """Writes as much of the evidence of a brief as is asked for."""

    brief: Brief
    pages: Mapping[str, PageNumbers]
    """Of the sources that have pages, by handle."""

    def write(self, count: int, beginning: Sequence[BriefLine] = ()) -> ShownEvidence:
        """Write the first items of the evidence, and what is the beginning of the next one."""
        evidence = self.brief.evidence
        pieces = {
            index: ShownPiece(index, item, item.lines)
            for index, item in enumerate(evidence[:count])
            if isinstance(item, EvidenceBlock)
        }
        cut = None
        if beginning and isinstance(block := evidence[count], EvidenceBlock):
            pieces[count] = cut = ShownPiece(count, block, tuple(beginning), is_whole=False)
        groups = [[index] for index, item in enumerate(evidence[:count]) if isinstance(item, DigestLine)]
        groups += _touching(pieces)
        texts: list[str] = []
        numbers: dict[int, int] = {}
        for number, group in enumerate(sorted(groups, key=min), 1):
            item = evidence[group[0]]
            is_digest = isinstance(item, DigestLine)
            texts.append(self._digest(item, number) if is_digest else self._block([pieces[at] for at in group], number))
            numbers |= dict.fromkeys(group, number)
        return ShownEvidence(tuple(texts), numbers, cut)

    def alone(self, index: int) -> str:
        """One item of the evidence, as it would be written without the others."""
        item = self.brief.evidence[index]
        if isinstance(item, DigestLine):
            return self._digest(item, 1)
        return self._block([ShownPiece(index, item, item.lines)], 1)

    def _pages_of(self, source: int, first: int, last: int) -> str:
        """`p. 3`, or `p. 3-4`, for lines of a source; empty where it has no pages."""
        found = self.pages.get(self.brief.sources[source - 1].id)
        return found.of_lines(first, last) if found else ''

    def _digest(self, line: DigestLine, number: int) -> str:
        places = [f'source {line.source}']
        if line.lines:
            places += [quoting.ranges(line.lines), self._pages_of(line.source, line.lines[0], line.lines[-1])]
        said = quoting.label(line.text, _DIGEST_TOKENS)
        return f'[E{number}] {" · ".join(filter(None, places))} · relevance {line.relevance:.2f} · digest: {said}'

    def _block(self, pieces: Sequence[ShownPiece], number: int) -> str:
        """Pieces that touch, in the order of their lines, as one block."""
        rows = (quoting.numbered(line.number, line.text) for line in _rows(pieces))
        return '\n'.join((self._head(pieces, number), *_opening(pieces), *rows))

    def _head(self, pieces: Sequence[ShownPiece], number: int) -> str:
        """What stands above the lines of a block: where it is from, how good it is, and for which question."""
        ranked = sorted(pieces, key=lambda piece: piece.index)
        best, block = ranked[0].block, pieces[0].block
        first, last = pieces[0].lines[0].number, pieces[-1].lines[-1]
        whole = quoting.line_span(block.lines[0].number, pieces[-1].block.lines[-1].number)
        here = quoting.line_span(first, last.number)
        says = [
            f'source {block.source}',
            f'line{"s" if "-" in here else ""} {here}{"" if here == whole else f" of {whole}"}',
        ]
        if last not in pieces[-1].block.lines:
            says.append(f'line {last.number} cut')
        if pages := self._pages_of(block.source, first, last.number):
            says.append(pages)
        if block.offset:
            says.append(f'offset {block.offset}')
        if best.relevance is not None:
            says.append(f'relevance {best.relevance:.2f}')
        elif all(piece.is_whole for piece in pieces):
            says.append('whole source')
        queries = dict.fromkeys(quoting.label(piece.block.query, QUERY_TOKENS) for piece in ranked if piece.block.query)
        if queries:
            says.append('for ' + ', '.join(f'"{query}"' for query in queries))
        title = self.brief.sources[block.source - 1].title
        is_titled = bool(block.path) and block.path[0].casefold() == title.casefold()
        path = [quoting.label(heading, HEADING_TOKENS) for heading in block.path[is_titled:][-_MAX_HEADINGS:]]
        line = f'[E{number}] {" · ".join(says)}'
        return f'{line}\n§ {" > ".join(filter(None, path))}' if any(path) else line


def _touching(pieces: Mapping[int, ShownPiece]) -> list[list[int]]:
    """The pieces of each block, in order: one follows on another where the end of that is shown."""

    def before(piece: ShownPiece) -> int | None:
        follows = piece.block.follows
        return follows if follows is not None and follows in pieces and pieces[follows].is_whole else None

    after = {place: index for index, piece in pieces.items() if (place := before(piece)) is not None}
    groups: list[list[int]] = []
    for index, piece in pieces.items():
        if before(piece) is None:
            group = [index]
            while (following := after.get(group[-1])) is not None:
                group.append(following)
            groups.append(group)
    return groups


def _opening(pieces: Sequence[ShownPiece]) -> Iterator[str]:
    """The row or line under which a block begins, unless it is in it; a mark where lines (not rows) are left out."""
    first = pieces[0].block.lines[0].number
    headers = (piece.block.header for piece in pieces)
    if header := next((header for header in headers if header and header.number < first), None):
        yield quoting.numbered(header.number, header.text)
        if pieces[0].lines[0].number > header.number + 1 and not header.text.lstrip().startswith('|'):
            yield '…'


def _rows(pieces: Sequence[ShownPiece]) -> list[BriefLine]:
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
