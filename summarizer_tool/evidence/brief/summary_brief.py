"""A summary as a brief: its facts as evidence, and the lines they rest on as citations. Pure computing."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from summarizer_tool import prompts
from summarizer_tool.documents import reading
from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.brief import citations
from summarizer_tool.evidence.brief.assembling import lines_of
from summarizer_tool.evidence.brief.brief import Brief, BriefSource, BriefStatement, EvidenceBlock, LineRange
from summarizer_tool.evidence.brief.citations import Citation
from summarizer_tool.evidence.brief.quoting import ranges
from summarizer_tool.schemas import PartState, SourcedFact, Summary

_MAX_IMPORTANCE = 5

_QUOTED_SHARE = 0.3
"""Of the budget, for the lines that prove the facts: a quote is about as long as the fact it proves."""

_QUOTES_A_FACT = 2

_BECAME: Mapping[PartState, str] = MappingProxyType(
    {'degraded': 'summarized without the model', 'failed': 'not in the summary'}
)


def brief_of_summary(summary: Summary, documents: Sequence[Document], question: str = '') -> Brief:
    """The brief of a summary. Where it has no facts, as when the text fits its budget, the text itself is the evidence.

    That is so, too, where every model call has failed and the original is given instead: of that a brief has as much
    as its budget holds, and says so. The question is what was asked of the summary: the schema hint, or the focus.
    """
    known = {document.id: document for document in documents}
    numbers = {source_id: number for number, source_id in enumerate(known, 1)}
    facts = sorted(summary.facts, key=lambda fact: -fact.importance)
    evidence: list[EvidenceBlock | BriefStatement] = [_statement(fact, numbers) for fact in facts]
    if not facts:
        evidence = [
            EvidenceBlock(numbers[source_id], lines)
            for source_id, document in known.items()
            if (lines := lines_of(document.text, 1))
        ]
    return Brief(
        sources=tuple(
            BriefSource(document.id, document.title or reading.title_of(document.text), document.url)
            for document in known.values()
        ),
        evidence=tuple(evidence),
        stats=_stats(summary),
        citations=_citations(facts, known),
        texts={source_id: document.text for source_id, document in known.items()},
        question=question,
        partial=_partial(summary, numbers),
        # The first warning of an original is about its own size, which is not the brief's.
        notices=tuple(summary.warnings[1:] if summary.state == 'original' else summary.warnings),
        citation_share=_QUOTED_SHARE,
    )


def _partial(summary: Summary, numbers: Mapping[str, int]) -> tuple[str, ...]:
    """What has not been summarized, part by part, or altogether."""
    if summary.state == 'original':
        reason = next((part.reason for part in summary.parts if part.reason), 'no reason given')
        return (prompts.render('evidence/partial_original', budget=f'{summary.stats.budget:,}', reason=reason),)
    return tuple(
        prompts.render(
            'evidence/partial_part',
            source=f'source {numbers[part.source_id]}' if part.source_id in numbers else part.source_id,
            lines=ranges(range(part.first_line, part.last_line + 1)),
            what=_BECAME[part.state],
            reason=part.reason or 'no reason given',
        )
        for part in summary.degraded
    )


def _statement(fact: SourcedFact, numbers: Mapping[str, int]) -> BriefStatement:
    lines: dict[int, set[int]] = {}
    for place in fact.evidence:
        if number := numbers.get(place.source_id):
            lines.setdefault(number, set()).add(place.line)
    places = tuple(LineRange(number, tuple(sorted(lines[number]))) for number in sorted(lines))
    return BriefStatement(fact.text, places, fact.importance / _MAX_IMPORTANCE)


def _citations(facts: Sequence[SourcedFact], documents: Mapping[str, Document]) -> tuple[Citation, ...]:
    """What proves the facts: of each the sentences with most of its words, then of a second line what adds some."""
    turns: list[list[Citation]] = [[] for _ in range(_QUOTES_A_FACT)]
    for index, fact in enumerate(facts):
        missing = citations.terms_to_quote(fact.text)
        # A long line has several segments, and the fact rests on one of them.
        places = [
            (place, document.segment_text(place.segment))
            for place in fact.evidence
            if (document := documents.get(place.source_id)) and 1 <= place.segment <= len(document.segment_starts)
        ]
        for turn in turns:
            proofs = [(place, *citations.proof(text, missing)) for place, text in places]
            place, quote, has = max(proofs, key=lambda proof: len(proof[2]), default=(None, '', frozenset[str]()))
            if place and quote:
                turn.append(Citation(quote, place.source_id, place.line, place.line, index))
                missing -= has
    return tuple(quote for turn in turns for quote in turn)


def _stats(summary: Summary) -> tuple[tuple[str, str], ...]:
    stats = summary.stats
    degraded, parts = len(summary.degraded), len(summary.parts)
    done = (
        ('summarized', f'{stats.tokens_in:,} tokens in {stats.chunks:,} chunks'),
        ('facts', f'{len(summary.facts):,} of {stats.facts_in:,}'),
        ('degraded', f'{degraded:,} of {parts:,} parts'),
    )
    return (
        ('mode', 'summary'),
        ('state', summary.state),
        ('model', stats.model),
        *((('text', f'{stats.tokens_in:,} tokens'),) if summary.state == 'original' else done),
        ('seconds', f'{stats.seconds:.2f}'),
    )
