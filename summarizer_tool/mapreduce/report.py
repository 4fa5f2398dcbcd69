"""From facts to the result, and the account of it: what became of every segment, and where each kept fact stands."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from summarizer_tool.documents.cutting import ChunkCuts
from summarizer_tool.documents.document import Document
from summarizer_tool.llm.failures import DEADLINE
from summarizer_tool.mapreduce import render
from summarizer_tool.mapreduce.job import ChunkWork, Job
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.schemas import Evidence, Part, PartState, SourcedFact, Stats, Summary
from summarizer_tool.text import names, tokens
from summarizer_tool.text.lines import unsteered

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


def unprocessed_part(document: Document) -> Part:
    """The account of a document of which nothing was made for lack of time, without looking for its segments.

    The number of its last segment is that of its last line where nobody has counted them.
    """
    if document.token_index:
        return part_of(document, 'failed', DEADLINE)
    lines = document.text.count('\n') + 1
    where = {'first_segment': 1, 'last_segment': lines, 'first_line': 1, 'last_line': lines}
    return Part(source_id=document.id, title=document.title, **where, state='failed', reason=DEADLINE)


def repeated_part(document: Document, kept_in: int) -> Part:
    """The account of a document that is an earlier one's equal."""
    return part_of(document, 'repeated', f'document {kept_in + 1} is the same')


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


_LONG_TOKEN = 12
"""Characters; few texts have longer tokens on average."""

_logger = logging.getLogger('summarizer_tool')


@dataclass(frozen=True, slots=True)
class Composer:
    """Writes the summary of one job."""

    job: Job
    stats: Stats
    """As the calls have left them."""
    warnings: list[str]
    cut: ChunkCuts
    """The chunks, and the documents that are in none of them."""

    def summary(
        self, work: Sequence[ChunkWork], facts: Sequence[GroundedFact], rendered: render.RenderedFacts
    ) -> Summary:
        """The summary of the facts, within the budget."""
        text, chosen, warnings = rendered.text, rendered.kept, self.warnings
        if not text:
            # The best fact, or the source, cut off.
            best = max(range(len(facts)), key=lambda at: (facts[at].importance, -len(facts[at].text)), default=None)
            content = joined(self.job.documents)
            whole = (unsteered(content).strip() or content.strip()) if best is None else facts[best].text
            text = render.shorten(whole, self.job.budget)
            if best is not None and text == whole:
                chosen = [best]
            else:
                what = 'not one fact fits the budget' if facts else 'no facts found'
                warnings = [*warnings, f'{what}; the text is cut off']
        kept = [facts[index] for index in chosen]
        mentions = (mention for fact in kept for mention in names.mentions(fact.text))
        said = (each for each in mentions if not each[0].isdigit() and each[0] not in '$€£¥')
        return Summary(
            text=text,
            state='complete' if all(each.outcome.state == 'summarized' for each in work) else 'degraded',
            facts=[sourced(fact, self.job.documents) for fact in kept],
            entities=list(dict.fromkeys([*said, *rendered.entities])),
            parts=self._parts(work),
            warnings=list(dict.fromkeys(warnings)),
            stats=self._stats(text, len(work), len(facts), len(kept)),
        )

    def original(self, work: Sequence[ChunkWork], reason: str) -> Summary:
        """The input as it was, over its budget and saying so, because every model call failed for good."""
        text = joined(self.job.documents)
        stats = self._stats(text, len(work))
        sizes = {'output_size': stats.tokens_out, 'budget': self.job.budget}
        _logger.warning('every model call failed; the original content is returned', extra={'reason': reason, **sizes})
        warning = (
            f'every model call failed ({reason}): this is the original content, {stats.tokens_out} tokens '
            f'for a budget of {self.job.budget}'
        )
        return Summary(text=text, state='original', parts=self._parts(work), warnings=[warning], stats=stats)

    def _parts(self, work: Sequence[ChunkWork]) -> list[Part]:
        documents = self.job.documents
        found = [
            (
                piece.document,
                part_of(
                    documents[piece.document],
                    each.outcome.state,
                    each.outcome.reason,
                    first=piece.segments[0],
                    last=piece.segments[-1],
                ),
            )
            for each in work
            for piece in each.chunk.pieces
        ]
        found += [(index, repeated_part(documents[index], kept_in)) for index, kept_in in self.cut.repeats.items()]
        return [part for _, part in sorted(found, key=lambda each: (each[0], each[1].first_segment))]

    def _stats(self, text: str, chunks: int, facts: int = 0, facts_out: int = 0) -> Stats:
        dropped = self.stats.dropped.model_copy(update={'over_budget': facts - facts_out})
        counted = {'tokens_out': tokens.count(text), 'chunks': chunks, 'facts_out': facts_out, 'dropped': dropped}
        return self.stats.model_copy(update={**counted, 'repeated_tokens': self.cut.repeated_tokens})


def truncated_summary(documents: Sequence[Document], budget: int, model_name: str) -> Summary:
    """A summary for when all the time has gone into waiting: the beginning of each document."""
    share = max(1, budget // max(1, len(documents)) - 2)
    started = [render.shorten(document.text[: share * _LONG_TOKEN].strip(), share) for document in documents]
    text = render.shorten('\n\n'.join(part for part in started if part), budget)
    return Summary(
        text=text,
        state='degraded',
        parts=[unprocessed_part(document) for document in documents if document.text],
        warnings=['there was no time to summarize: this is only the beginning of the text'],
        stats=Stats(
            tokens_in=sum(document.about_tokens for document in documents),
            tokens_out=tokens.count(text),
            budget=budget,
            model=model_name,
        ),
    )
