"""How the evidence of a brief is written: passages that touch are one block, with a head that says what it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from summarizer_tool.documents.page_numbers import PageNumbers
from summarizer_tool.documents.passage_splitting import LONG_HEADING
from summarizer_tool.evidence.brief import quoting
from summarizer_tool.evidence.brief.brief import Brief, EvidenceBlock, Line, lines_of

QUERY_TOKENS = 24
HEADING_TOKENS = LONG_HEADING
_MAX_HEADINGS = 4
"""Headings of a path that are shown: the innermost."""


@dataclass(frozen=True, slots=True)
class EvidenceWriter:
    """Writes as much of the evidence of a brief as is asked for."""

    brief: Brief
    pages: Mapping[str, PageNumbers]
    """Of the sources that have pages, by handle."""

    def write(self, count: int) -> tuple[list[str], dict[int, int]]:
        """Write the first items of the evidence: blocks, best first, and by item the number of its block, from 1."""
        shown = dict(enumerate(self.brief.evidence[:count]))
        groups = sorted(_touching(shown), key=min)
        texts = [
            self._block({index: shown[index] for index in group}, number) for number, group in enumerate(groups, 1)
        ]
        return texts, {index: number for number, group in enumerate(groups, 1) for index in group}

    def alone(self, index: int) -> str:
        """One item of the evidence, as it would be written without the others."""
        return self._block({index: self.brief.evidence[index]}, 1)

    def _block(self, blocks: Mapping[int, EvidenceBlock], number: int) -> str:
        """Passages that touch, by their places in the brief and in the order of their lines, as one block."""
        pieces = [*blocks.values()]
        rows = (quoting.numbered(*line) for line in self._lines(pieces))
        return '\n'.join((self._head(blocks, number), *_opening(pieces), *rows))

    def _lines(self, pieces: Sequence[EvidenceBlock]) -> Sequence[Line]:
        """The lines of a block, with the headings between its pieces."""
        first, last = pieces[0], pieces[-1]
        if first is last or not (first.span and last.span):
            return first.lines
        text = self.brief.texts[self.brief.sources[first.source - 1].id]
        return lines_of(text[first.span[0] : last.span[1]], first.lines[0][0])

    def _pages_of(self, source: int, first: int, last: int) -> str:
        """`p. 3`, or `p. 3-4`, for lines of a source; empty where it has no pages."""
        found = self.pages.get(self.brief.sources[source - 1].id)
        return found.of_lines(first, last) if found else ''

    def _head(self, blocks: Mapping[int, EvidenceBlock], number: int) -> str:
        """What stands above the lines of a block: where it is from, how good it is, and for which question."""
        pieces, ranked = [*blocks.values()], [blocks[index] for index in sorted(blocks)]
        best, block = ranked[0], pieces[0]
        first, last = block.lines[0][0], pieces[-1].lines[-1][0]
        span = quoting.line_span(first, last)
        says = [f'source {block.source}', f'line{"s" if "-" in span else ""} {span}']
        if pages := self._pages_of(block.source, first, last):
            says.append(pages)
        if block.offset:
            says.append(f'offset {block.offset}')
        says.append('whole source' if best.relevance is None else f'relevance {best.relevance:.2f}')
        queries = dict.fromkeys(quoting.label(piece.query, QUERY_TOKENS) for piece in ranked if piece.query)
        if queries:
            says.append('for ' + ', '.join(f'"{query}"' for query in queries))
        title = self.brief.sources[block.source - 1].title
        is_titled = bool(block.path) and block.path[0].casefold() == title.casefold()
        path = [quoting.label(heading, HEADING_TOKENS) for heading in block.path[is_titled:][-_MAX_HEADINGS:]]
        line = f'[E{number}] {" · ".join(says)}'
        return f'{line}\n§ {" > ".join(filter(None, path))}' if any(path) else line


def _touching(pieces: Mapping[int, EvidenceBlock]) -> list[list[int]]:
    """The pieces of each block, in order: one follows on another where that is shown."""
    after = {piece.follows: index for index, piece in pieces.items() if piece.follows is not None}
    groups: list[list[int]] = []
    for index, piece in pieces.items():
        if piece.follows not in pieces:
            group = [index]
            while (following := after.get(group[-1])) is not None:
                group.append(following)
            groups.append(group)
    return groups


def _opening(pieces: Sequence[EvidenceBlock]) -> Iterator[str]:
    """The row or line under which a block begins, unless it is in it; a mark where lines (not rows) are left out."""
    first = pieces[0].lines[0][0]
    headers = (piece.header for piece in pieces)
    if header := next((header for header in headers if header and header[0] < first), None):
        yield quoting.numbered(*header)
        if first > header[0] + 1 and not header[1].lstrip().startswith('|'):
            yield '…'
