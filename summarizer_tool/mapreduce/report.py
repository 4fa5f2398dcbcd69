"""Account for a request: what became of every segment, and where each kept fact stands."""

from collections.abc import Mapping, Sequence

from summarizer_tool.documents.chunking import Chunk
from summarizer_tool.documents.document import Document
from summarizer_tool.mapreduce.job import ChunkOutcome
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.schemas import Evidence, Part, PartState, SourcedFact
from summarizer_tool.text import names, tokens

_BETWEEN = '\n\n'
"""Stands between two documents of one text."""


def part_of(document: Document, state: PartState, reason: str = '', *, first: int = 1, last: int | None = None) -> Part:
    """The account of a run of segments of one document, by default all of them."""
    last = len(document.segment_starts) if last is None else last
    return Part(
        source_id=document.id,
        title=document.title,
        first_segment=first,
        last_segment=last,
        first_line=document.segment(first).line,
        last_line=document.segment(last).line,
        state=state,
        reason=reason,
    )


def unprocessed_part(document: Document, reason: str) -> Part:
    """The account of a document of which nothing was made, without a look at where its segments are.

    The number of its last segment is that of its last line where nobody has counted them.
    """
    if document.token_index:
        return part_of(document, 'failed', reason)
    lines = document.text.count('\n') + 1
    return Part(
        source_id=document.id,
        title=document.title,
        first_segment=1,
        last_segment=lines,
        first_line=1,
        last_line=lines,
        state='failed',
        reason=reason,
    )


def parts(
    chunks: Sequence[Chunk],
    outcomes: Sequence[ChunkOutcome],
    documents: Sequence[Document],
    repeats: Mapping[int, int],
) -> list[Part]:
    """The account of everything, by document."""
    index_of = {id(document): index for index, document in enumerate(documents)}
    found = [
        (index, part_of(piece.document, state, outcome.reason, first=first, last=last))
        for chunk, outcome in zip(chunks, outcomes, strict=True)
        for piece in chunk.pieces
        for index in [index_of[id(piece.document)]]
        for first, last, state in _by_state(index, piece.segments[0], piece.segments[-1], outcome)
    ]
    found += [(index, repeated_part(documents[index], kept_in)) for index, kept_in in repeats.items()]
    return [part for _, part in sorted(found, key=lambda each: (each[0], each[1].first_segment))]


def _by_state(index: int, first: int, last: int, outcome: ChunkOutcome) -> list[tuple[int, int, PartState]]:
    """A run of segments of a document, cut where an answer was broken off."""
    if outcome.reached is None:
        return [(first, last, outcome.state)]
    document, segment = outcome.reached
    until = min(last, max(first - 1, segment)) if index == document else last if index < document else first - 1
    both: list[tuple[int, int, PartState]] = [(first, until, 'summarized'), (until + 1, last, outcome.state)]
    return [each for each in both if each[0] <= each[1]]


def repeated_part(document: Document, kept_in: int) -> Part:
    """The account of a document that is an earlier one's equal."""
    reason = f'document {kept_in + 1} is the same'
    return part_of(document, 'repeated', reason)


def sourced(fact: GroundedFact, documents: Sequence[Document]) -> SourcedFact:
    """A kept fact as the caller gets it."""
    return SourcedFact(
        text=fact.text,
        importance=fact.importance,
        names=list(names.mentions(fact.text)),
        evidence=[
            evidence_at(document, segment)
            # Equal documents have one id.
            for document, segment in {
                (documents[index].id, segment): (documents[index], segment) for index, segment in fact.evidence
            }.values()
        ],
    )


def evidence_at(document: Document, number: int) -> Evidence:
    """A segment as evidence."""
    segment = document.segment(number)
    return Evidence(source_id=document.id, segment=number, line=segment.line, page=segment.page)


def entities_of(facts: Sequence[GroundedFact], listed: Sequence[str]) -> list[str]:
    """The names in the text: those that its facts say, then those it lists."""
    said = (
        mention
        for fact in facts
        for mention in names.mentions(fact.text)
        if not mention[0].isdigit() and mention[0] not in '$€£¥'
    )
    return list(dict.fromkeys([*said, *listed]))


def joined(documents: Sequence[Document]) -> str:
    """The documents as one text, as it would be handed on without a summary."""
    return _BETWEEN.join(document.text for document in documents)


def joined_tokens(documents: Sequence[Document]) -> int:
    """The tokens of that text."""
    joints = [each.token_index.joint(0, len(each.text), _BETWEEN) for each in documents[:-1] if each.token_index]
    # A line that begins with something else than white space counts by itself.
    if len(joints) < len(documents) - 1 or any(each.text[:1].isspace() or not each.text for each in documents[1:]):
        return tokens.count(joined(documents))
    return sum(document.tokens for document in documents) + sum(joints)
