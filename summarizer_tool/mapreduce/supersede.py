"""Let the later of two statements of one document stand, and name the earlier one as the former. Pure computing."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from summarizer_tool.documents.document import Document
from summarizer_tool.mapreduce import merging
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.text import structure
from summarizer_tool.text.superseding import superseded

FORMER = 'Formerly: '
"""Stands before what no longer holds."""


@dataclass(frozen=True, slots=True)
class Current:
    """The facts, with the later of each two that give one thing different values."""

    facts: list[GroundedFact]
    left_out: int
    """Former facts for which there is no room."""
    is_disputed: bool
    """Whether documents give one thing different values: both stand, and the reader must see which says which."""


def current(facts: Sequence[GroundedFact], documents: Sequence[Document], budget: int) -> Current:
    """Find the facts that a later one of the same document puts out of date.

    Where all facts fit the budget these are marked as the former ones, else left out. A fact that another document
    states too stands, and so do those of different documents that contradict each other.
    """
    of_document: defaultdict[int, list[int]] = defaultdict(list)
    for index, fact in enumerate(facts):
        if len({document for document, _ in fact.evidence}) == 1:
            of_document[fact.evidence[-1][0]].append(index)
    former: set[int] = set()
    for document, inside in of_document.items():
        inside.sort(key=lambda index: facts[index].evidence[-1])
        sections = _sections(documents[document], [facts[index] for index in inside])
        former.update(inside[place] for place in superseded([facts[index].text for index in inside], sections))
    standing = [index for inside in of_document.values() for index in inside if index not in former]
    said = [facts[index].text for index in standing]
    source = [facts[index].evidence[-1][0] for index in standing]
    is_disputed = len(of_document) > 1 and any(
        source[earlier] != source[later] for earlier, later in superseded(said).items()
    )
    if merging.size(facts) > budget:
        return Current([fact for index, fact in enumerate(facts) if index not in former], len(former), is_disputed)
    marked = [
        replace(fact, text=f'{FORMER}{fact.text.removeprefix(FORMER)}', importance=1, is_filler=True)
        if index in former
        else fact
        for index, fact in enumerate(facts)
    ]
    return Current(marked, 0, is_disputed)


def _sections(document: Document, facts: Sequence[GroundedFact]) -> list[str]:
    found = structure.parse(document.text)
    starts = document.segment_starts
    return [' / '.join(found.path(starts[fact.evidence[-1][1] - 1])) for fact in facts]
