"""Number the segments of a chunk for a request, and find them again in the documents."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise, takewhile, zip_longest

from summarizer_tool.documents.chunking import Chunk
from summarizer_tool.documents.document import Document
from summarizer_tool.extractive.labelled_values import BULLET
from summarizer_tool.mapreduce.grounding import MAX_EVIDENCE, Grounding
from summarizer_tool.mapreduce.merging import GroundedFact, Place
from summarizer_tool.prompts import Focus, NumberedLine, PromptSource
from summarizer_tool.text.boilerplate_lines import is_boilerplate, leads_away
from summarizer_tool.text.code_lines import language_of, may_be_code
from summarizer_tool.text.lines import unsteered
from summarizer_tool.text.relevance import relevances
from summarizer_tool.text.structure import parse


@dataclass(frozen=True, slots=True)
class Numbered:
    """A chunk's lines with the numbers of its request, and where they stand in the documents.

    Numbers count from 1 in each request: they cost a token or two, and equal chunks make equal requests.
    """

    sources: list[PromptSource]
    places: list[Place]
    """Place of line `n` at index `n - 1`."""

    @property
    def lines(self) -> list[NumberedLine]:
        """All lines, over all sources."""
        return [line for source in self.sources for line in source.lines]

    @property
    def context(self) -> str:
        """The titles and headings that the request has beside the lines."""
        return '\n'.join(' '.join(source.path) for source in self.sources)

    @property
    def characters(self) -> int:
        """Of its lines."""
        return sum(len(line.text) for line in self.lines)

    def parts(self, count: int) -> list['Numbered']:
        """The same lines with the same numbers, in at most `count` parts of about equal size."""
        ends = accumulate(len(line.text) for line in self.lines)
        part_of = {
            line.number: count * (end - 1) // self.characters for line, end in zip(self.lines, ends, strict=True)
        }
        parts: list[Numbered] = []
        for part in range(count):
            shown = (
                (source, [line for line in source.lines if part_of[line.number] == part]) for source in self.sources
            )
            if sources := [replace(source, lines=lines) for source, lines in shown if lines]:
                parts.append(replace(self, sources=sources))
        return parts

    def found(self, grounded: Grounding) -> list[GroundedFact]:
        """The grounded facts of an answer, with their evidence in the documents."""
        facts = ((fact, dict.fromkeys(self.places[line - 1] for line in fact.evidence)) for fact in grounded.facts)
        return [
            GroundedFact(fact.text, fact.importance, tuple(places), topics=tuple(fact.topics)) for fact, places in facts
        ]


def number(chunk: Chunk, documents: Sequence[Document], *, is_paid: bool = False) -> Numbered:
    """Number a chunk's segments from 1, over all its pieces; blank ones get no number.

    Where each token `is_paid`, what belongs to the site and not to the text is left out, if anything else is there.
    """
    sources: list[PromptSource] = []
    places: list[Place] = []
    for piece in chunk.pieces:
        text, starts = documents[piece.document].text, documents[piece.document].segment_starts
        lines: list[NumberedLine] = []
        within = ''  # how deep what goes on with a long list item stands in
        for segment in piece.segments:
            end = starts[segment] if segment < len(starts) else len(text)
            raw = text[max(starts[segment - 1], piece.start) : min(end, piece.end)]
            shown = unsteered(raw).strip('\r\n').rstrip()
            ends = raw[len(raw.rstrip()) :].count('\n')
            # Not what tells of the lines below that they are.
            is_furniture = is_paid and not shown.startswith('#') and is_boilerplate(shown) and not leads_away(shown)
            if shown and not is_furniture:
                places.append((piece.document, segment))
                lines.append(NumberedLine(len(places), within + ' '.join(shown.splitlines()), ends > 1))
            within = '' if ends else within or ' ' * (item.end() if (item := BULLET.match(raw)) else 0)
        if lines or not is_paid:
            sources.append(PromptSource(lines, piece.heading_path))
    return Numbered(sources, places) if places or not is_paid else number(chunk, documents)


_PARAGRAPH = 1000
"""Characters that a paragraph has about where all of it is judged together."""


def segment_relevances(documents: Sequence[Document], focus: Focus) -> list[list[float]]:
    """How much each segment of each document is about the focus, 0 to 1, with the paragraph that it stands in."""
    if focus == Focus():
        return [[0.0] * len(document.segment_starts) for document in documents]
    paragraphs: list[list[str]] = []
    paragraph_of: list[list[int]] = []
    firsts: set[int] = set()
    for document in documents:
        firsts.add(len(paragraphs))
        paragraph_of.append([])
        is_open = False
        for start, end in pairwise((*document.segment_starts, len(document.text))):
            raw = document.text[start:end]
            if not is_open:
                paragraphs.append([])
            paragraphs[-1].append(raw)
            paragraph_of[-1].append(len(paragraphs) - 1)
            # A long paragraph, such as a table, is judged in parts.
            is_open = raw[len(raw.rstrip()) :].count('\n') < 2 and sum(map(len, paragraphs[-1])) < _PARAGRAPH
    relevance = relevances([' '.join(parts) for parts in paragraphs], focus, firsts)
    return [[relevance[paragraph] for paragraph in inside] for inside in paragraph_of]


def headings_of(documents: Sequence[Document], facts: Sequence[GroundedFact]) -> list[Sequence[str]]:
    """The headings above each fact, outermost first: those that are above all lines of its document that it cites."""
    given = {place: documents[place] for place in {fact.evidence[-1][0] for fact in facts}}
    # In code a number sign begins a comment.
    parsed = {place: parse('' if _is_code(each) else each.text) for place, each in given.items()}
    headings: list[Sequence[str]] = []
    for fact in facts:
        document = fact.evidence[-1][0]
        starts = documents[document].segment_starts
        cited = [starts[segment - 1] for place, segment in fact.evidence if place == document]
        # A heading that is cited is above what stands below it anyway.
        path = parsed[document].path
        above = [path(start) for start in cited[:-1] if path(start) == path(start + 1)] + [path(cited[-1])]
        same = takewhile(lambda level: len({*level}) == 1, zip(*above, strict=False))
        headings.append([level[0] for level in same])
    return headings


def _is_code(document: Document) -> bool:
    """Return whether it is code by its name, which pages on Node.js have, too, and by its lines."""
    return bool(language_of(document.title)) and may_be_code([*filter(str.strip, document.text.splitlines())])


def merged(grounded: Grounding, facts: Sequence[GroundedFact]) -> list[GroundedFact]:
    """The grounded facts of a merge, with evidence and topics of the facts they rest on, which theirs counts from 1."""
    found: list[GroundedFact] = []
    for fact in grounded.facts:
        rested = [facts[line - 1] for line in fact.evidence]
        # Where there are too many places, the first ones of each fact in turn.
        in_turn = chain.from_iterable(zip_longest(*(each.evidence for each in rested)))
        places = [place for place in dict.fromkeys(in_turn) if place][:MAX_EVIDENCE]
        topics = tuple(dict.fromkeys(topic for each in rested for topic in each.topics))
        found.append(GroundedFact(fact.text, fact.importance, tuple(sorted(places)), topics=topics))
    return found
