"""From the passages of a search to the blocks of a brief, which say where they touch. Pure computing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from summarizer_tool.documents.passage import Passage
from summarizer_tool.evidence.brief.brief import BriefLine, EvidenceBlock
from summarizer_tool.evidence.brief.citations import Quotable
from summarizer_tool.evidence.search.results import Hit


@dataclass(frozen=True)
class SourceText:
    """The text of a source, with a way to its lines."""

    text: str

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line."""
        return [0, *(match.end() for match in re.finditer('\n', self.text))]

    def start(self, passage: Passage) -> int | None:
        """Where a passage stands; nothing where the text has changed since."""
        if passage.first_line > len(self.starts):
            return None
        start = self.starts[passage.first_line - 1] + passage.offset
        return start if self.text.startswith(passage.text, start) else None

    def between(self, before: Passage, after: Passage) -> str | None:
        """The white space and the headings between two passages; `None` where anything else stands there."""
        begin, start = self.start(before), self.start(after)
        if begin is None or start is None:
            return None
        end = begin + len(before.text)
        space = self.text[end:start]
        is_open = end <= start and all(line[:1] in ('#', '') for line in map(str.strip, space.split('\n')))
        return space if is_open else None

    @cached_property
    def lines(self) -> tuple[BriefLine, ...]:
        """All of it, without blank lines."""
        return lines_of(self.text, 1)


def lines_of(text: str, first: int) -> tuple[BriefLine, ...]:
    """The lines of a piece of a source that begins on line `first`, without blank ones."""
    return tuple(
        BriefLine(number, line.removesuffix('\r'))
        for number, line in enumerate(text.split('\n'), first)
        if line.strip()
    )


def join(
    hits: Sequence[Hit], numbers: Mapping[str, int], texts: Mapping[str, SourceText]
) -> tuple[list[EvidenceBlock], list[Quotable]]:
    """Make a block of each passage, and say which of them touch: those are one where both are shown.

    A passage of a source whose text is not at hand touches no other, and is not quoted.
    """
    places = {(hit.passage.source_id, hit.passage.number): place for place, hit in enumerate(hits)}
    made: list[EvidenceBlock] = []
    quotables: list[Quotable] = []
    for place, hit in enumerate(hits):
        passage = hit.passage
        text = texts.get(passage.source_id)
        lines = lines_of(passage.text, passage.first_line)
        before = places.get((passage.source_id, passage.number - 1))
        space: str | None = None
        if text is not None and before is not None:
            space = text.between(hits[before].passage, passage)
        made.append(
            EvidenceBlock(
                source=numbers[passage.source_id],
                lines=lines,
                path=passage.path,
                relevance=hit.value,
                confidence=hit.confidence,
                query=hit.query,
                is_adjacent=hit.is_adjacent,
                offset=passage.offset,
                follows=None if space is None else before,
                space=space if space and space.isspace() else '',
                between=lines_of(space or '', passage.first_line - (space or '').count('\n')),
                header=BriefLine(passage.header_line, passage.header) if passage.header else None,
            )
        )
        if text is not None:
            quotable = [(line.number, line.text) for line in lines]
            worth = hit.score / 2 if hit.is_adjacent else hit.score
            quotables.append(Quotable(passage.source_id, quotable, worth, place))
    return made, quotables
