"""Bring the facts of many chunks together without a model: union, what is out of date, groups for the merger."""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import regex

from summarizer_tool.documents.document import Document
from summarizer_tool.mapreduce.grounding import MAX_EVIDENCE
from summarizer_tool.text import structure, tokens
from summarizer_tool.text.superseding import depth, superseded

_MARKS = 40
"""Characters in which marks of quotations stand."""

FITS = 1.75
"""Up to this many times the budget the last step only has to drop facts, which needs no model; above, the merger
condenses them first."""

MERGE_TARGET = 1.1
"""Size of the facts that a level of merging asks for, in budgets."""

FULL = 0.7
"""Of the merger's window."""

_SHORT_NOT = regex.compile(r"n['’]t\b")
_BETWEEN_DIGITS = regex.compile(r'(?<=\d),(?=\d{3}\b)')

Place = tuple[int, int]
"""Index of a document and number of a segment in it."""


@dataclass(frozen=True, slots=True)
class GroundedFact:
    """A grounded fact, with its evidence in the documents rather than in a request."""

    text: str
    importance: int
    evidence: tuple[Place, ...]
    """Ascending, at least one."""
    is_filler: bool = False
    """True if it may only take room that the other facts leave."""
    topics: tuple[int, ...] = ()
    """Numbers of the request's topics that it serves, from 1, the one that it serves most first; as the model says."""


_PAIR = 3  # bars of a row of two cells


def _wording(fact: GroundedFact) -> str:
    """The text of a fact, but for its capitals, its spaces, its last full stop and how "not" and thousands look."""
    text = _SHORT_NOT.sub(' not', _BETWEEN_DIGITS.sub('', ' '.join(fact.text.casefold().split())))
    # A label and its value do not say whom they are about: `| Race | Human |` of another document is another fact.
    is_pair = text.startswith('|') and text.count('|') == _PAIR
    return f'{fact.evidence[-1][0]} {text}' if is_pair else text.removesuffix('.')


def union(facts: Iterable[GroundedFact]) -> tuple[list[GroundedFact], int]:
    """Join facts of one wording, in whatever order they come; the longer text stays, with the evidence of all.

    Returns:
        The distinct facts in reading order, and how many were joined into others.
    """
    kept: dict[str, GroundedFact] = {}
    duplicates = 0
    for fact in facts:
        words = _wording(fact)
        duplicates += words in kept
        kept[words] = _joined(kept[words], fact) if words in kept else fact
    return [*kept.values()], duplicates


def _joined(first: GroundedFact, second: GroundedFact) -> GroundedFact:
    fuller, other = sorted((first, second), key=lambda fact: (len(fact.text), fact.text), reverse=True)
    # Lines that state the wording that stays go before those that state the other.
    evidence = list(dict.fromkeys((*fuller.evidence, *other.evidence)))[:MAX_EVIDENCE]
    return GroundedFact(
        fuller.text,
        max(first.importance, second.importance),
        tuple(sorted(evidence)),
        is_filler=first.is_filler and second.is_filler,
        topics=tuple(dict.fromkeys((*first.topics, *second.topics))),
    )


def size(facts: Iterable[GroundedFact]) -> int:
    """Tokens of the facts as text, one a line."""
    return sum(tokens.count_cached(f'{fact.text}\n') for fact in facts)


def groups(costs: Sequence[int], marks: Sequence[str], window: int) -> Iterator[range]:
    """Cut texts, of which costs are the tokens, into groups that fit a window and fill at least `FULL` of it.

    Where a group ends in that range depends on its texts alone, by marks that tell each from others, such as its
    beginning: so other texts before it change few groups.
    """
    start = 0
    while start < len(costs):
        end, used, least = start, 0, start + 1
        while end < len(costs) and (end == start or used + costs[end] <= window):
            used += costs[end]
            end += 1
            least = end if used < FULL * window else least
        if end < len(costs):
            end = min(range(least, end + 1), key=lambda place: zlib.crc32(marks[place].encode(errors='replace')))
        yield range(start, end)
        start = end


FORMER = 'Formerly: '
"""Stands before what no longer holds."""


def current(
    facts: Sequence[GroundedFact], documents: Sequence[Document], budget: int
) -> tuple[list[GroundedFact], int]:
    """Find the facts that a later one of the same document puts out of date.

    Where all facts fit the budget these are marked as the former ones, else left out. A fact that another document
    states too stands, and so do those of different documents that contradict each other.

    Returns:
        The facts, and how many were left out.
    """
    former: set[int] = set()
    for document, inside in _of_one_document(facts).items():
        sections = _places(documents[document], [facts[index] for index in inside])
        former.update(inside[place] for place in superseded([facts[index].text for index in inside], sections))
    if size(facts) > budget:
        return [fact for index, fact in enumerate(facts) if index not in former], len(former)
    marked = list(facts)
    for index in former:
        text = f'{FORMER}{facts[index].text.removeprefix(FORMER)}'
        marked[index] = replace(facts[index], text=text, importance=1, is_filler=True)
    return marked, 0


def are_disputed(facts: Sequence[GroundedFact]) -> bool:
    """Return whether documents give one thing different values: both stand, and readers must see which says which."""
    facts = [fact for fact in facts if not fact.text.startswith(FORMER)]
    of_document = _of_one_document(facts)
    standing = [facts[index] for inside in of_document.values() for index in inside]
    source = [fact.evidence[-1][0] for fact in standing]
    later_of = superseded([fact.text for fact in standing]) if len(of_document) > 1 else {}
    return any(source[earlier] != source[later] for earlier, later in later_of.items())


def _of_one_document(facts: Sequence[GroundedFact]) -> dict[int, list[int]]:
    """For each document the facts that no other one states, by index, in its order."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for index in sorted(range(len(facts)), key=lambda index: facts[index].evidence[-1]):
        if len({document for document, _ in facts[index].evidence}) == 1:
            found[facts[index].evidence[-1][0]].append(index)
    return found


def _places(document: Document, facts: Sequence[GroundedFact]) -> list[str]:
    """The headings above facts, and the marks of quotations these stand in."""
    found = structure.parse(document.text)
    starts = [document.segment_starts[fact.evidence[-1][1] - 1] for fact in facts]
    return [f'{"> " * depth(document.text[start : start + _MARKS])}{" / ".join(found.path(start))}' for start in starts]
