"""From what a search or an answer has found to a brief: sources, blocks and quotes.

It reads the store, so it belongs into a thread.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from summarizer_tool import prompts
from summarizer_tool.documents.document import Document
from summarizer_tool.documents.passage import Passage
from summarizer_tool.errors import UnknownSourceError
from summarizer_tool.evidence.brief import citations
from summarizer_tool.evidence.brief.brief import Brief, EvidenceBlock, lines_of
from summarizer_tool.evidence.brief.citations import Quotable
from summarizer_tool.evidence.brief.problems import gaps
from summarizer_tool.evidence.question import AnswerRequest, hosts_unread
from summarizer_tool.evidence.search.results import Hit, Query, SearchResult
from summarizer_tool.store.collection import Collection

if TYPE_CHECKING:
    from summarizer_tool.evidence.answer.answering import GatheredEvidence


def _span(document: Document | None, passage: Passage) -> tuple[int, int] | None:
    """Where a passage stands in its source; nothing where the text has changed since, or is not at hand."""
    if document is None or passage.first_line > len(document.line_starts):
        return None
    start = document.line_starts[passage.first_line - 1] + passage.offset
    return (start, start + len(passage.text)) if document.text.startswith(passage.text, start) else None


def _touch(document: Document | None, before: tuple[int, int] | None, after: tuple[int, int] | None) -> bool:
    """Return whether there is nothing between two passages but white space and headings."""
    if document is None or before is None or after is None or before[1] > after[0]:
        return False
    between = document.text[before[1] : after[0]]
    return all(line[:1] in ('#', '') for line in map(str.strip, between.split('\n')))


def _quotable(hit: Hit, evidence: int) -> Quotable:
    lines = lines_of(hit.passage.text, hit.passage.first_line)
    return Quotable(hit.passage.source_id, lines, hit.score / 2 if hit.is_adjacent else hit.score, evidence)


def join(
    hits: Sequence[Hit], numbers: Mapping[str, int], documents: Mapping[str, Document]
) -> tuple[list[EvidenceBlock], list[Quotable]]:
    """Make a block of each passage, and say which of them touch: those are one where both are shown.

    A passage of a source whose text is not at hand touches no other, and is not quoted.
    """
    places = {(hit.passage.source_id, hit.passage.number): place for place, hit in enumerate(hits)}
    spans = [_span(documents.get(hit.passage.source_id), hit.passage) for hit in hits]
    made: list[EvidenceBlock] = []
    quotables: list[Quotable] = []
    for place, (hit, span) in enumerate(zip(hits, spans, strict=True)):
        passage = hit.passage
        document = documents.get(passage.source_id)
        before = places.get((passage.source_id, passage.number - 1))
        made.append(
            EvidenceBlock(
                source=numbers[passage.source_id],
                lines=lines_of(passage.text, passage.first_line),
                path=passage.path,
                relevance=hit.value,
                query=hit.query,
                offset=passage.offset,
                follows=before if before is not None and _touch(document, spans[before], span) else None,
                span=span,
                header=(passage.header_line, passage.header) if passage.header else None,
            )
        )
        if document is not None:
            quotables.append(_quotable(hit, place))
    return made, quotables


_MAX_TEXT_BYTES = 50_000_000
"""Of the texts that are read for one brief; sources beyond it have no quotes."""


def answer_brief(answered: 'GatheredEvidence', request: AnswerRequest, collection: Collection) -> Brief:
    """The brief of an answer."""
    found = answered.found
    if named := hosts_unread(request.rules):
        notice = prompts.render('evidence/hosts_unread', hosts=', '.join(named[:3]))
        found = replace(found, warnings=(*found.warnings, notice))
    return _brief(found, request.query, answered.parts, collection, answered.source_ids, gaps(answered))


def search_brief(found: SearchResult, query: Query, collection: Collection) -> Brief:
    """The brief of a search."""
    return _brief(found, query.text, query.parts, collection, query.source_ids)


def _brief(
    found: SearchResult,
    question: str,
    parts: tuple[str, ...],
    collection: Collection,
    source_ids: Sequence[str],
    partial: Sequence[str] = (),
) -> Brief:
    """All that is said of what was found; the sources with evidence come first."""
    sources = {source.id: source for source in (*found.sources, *collection.kept(source_ids))}
    gone = [source_id for source_id in source_ids if source_id not in sources]  # evicted in the meantime
    documents: dict[str, Document] = {}
    left = _MAX_TEXT_BYTES
    for source in sources.values():
        if source.size <= left:
            try:
                documents[source.id] = collection.document(source.id)
                left -= source.size
            except UnknownSourceError:
                gone.append(source.id)
    numbers = {source_id: number for number, source_id in enumerate(sources, 1)}
    blocks, quotables = (_whole if found.is_full_context else join)(found.hits, numbers, documents)
    words = citations.terms_to_quote(question, parts)
    return Brief(
        sources=tuple(sources.values()),
        evidence=tuple(blocks),
        # What has nothing of the question proves nothing.
        citations=tuple(citations.choose(quotables, words)) if found.matched else (),
        texts={source_id: document.text for source_id, document in documents.items()},
        question=question,
        parts=parts,
        partial=(*partial, *(prompts.render('evidence/partial_gone', id=source_id) for source_id in gone)),
        notices=(*found.warnings, *_not_met(found)),
    )


def _whole(
    hits: Sequence[Hit], numbers: Mapping[str, int], documents: Mapping[str, Document]
) -> tuple[list[EvidenceBlock], list[Quotable]]:
    """The sources as they are; the best of their passages are quoted first."""
    lines = {source_id: lines_of(document.text, 1) for source_id, document in documents.items()}
    shown = [source_id for source_id in lines if lines[source_id]]
    blocks = [EvidenceBlock(numbers[source_id], lines[source_id]) for source_id in shown]
    best = sorted((hit for hit in hits if hit.passage.source_id in shown), key=lambda hit: -hit.score)
    return blocks, [_quotable(hit, shown.index(hit.passage.source_id)) for hit in best]


def _not_met(found: SearchResult) -> list[str]:
    """What is shown instead where no word of the question is in anything that was searched."""
    if found.matched:
        return []
    if found.is_full_context:
        shown = 'whole because they are small'
    elif any(hit.value for hit in found.hits):
        shown = 'where they are nearest to it by the meaning of their words'
    else:
        shown = 'as they begin'
    return [prompts.render('evidence/no_word_met', shown=shown)]
