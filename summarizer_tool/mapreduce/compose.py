"""From facts to the result: the text that fills its budget, and the account of everything. Pure computing."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from summarizer_tool.documents.chunking import Chunk
from summarizer_tool.documents.cutting import ChunkCuts
from summarizer_tool.documents.document import Document
from summarizer_tool.llm.failures import DEADLINE
from summarizer_tool.mapreduce import render, report
from summarizer_tool.mapreduce.job import ChunkOutcome, Job
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.schemas import Stats, Summary
from summarizer_tool.text import tokens

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
        self,
        chunks: Sequence[Chunk],
        outcomes: Sequence[ChunkOutcome],
        facts: Sequence[GroundedFact],
        rendered: render.RenderedFacts,
    ) -> Summary:
        """The summary of the facts, within the budget."""
        text = rendered.text
        if not text:
            # The best fact, or the source, cut off.
            best = max(facts, key=lambda fact: (fact.importance, -len(fact.text)), default=None)
            text = render.shorten(best.text if best else report.joined(self.job.documents).strip(), self.job.budget)
            what = 'not one fact fits the budget' if facts else 'no facts found'
            self.warnings.append(f'{what}; the text is cut off')
        if not facts:
            for outcome in outcomes:
                if outcome.state == 'summarized':
                    outcome.state, outcome.reason = 'degraded', 'no facts found'
        self.stats.dropped.over_budget += len(facts) - len(rendered.kept)
        kept = [facts[index] for index in rendered.kept]
        return Summary(
            text=text,
            state='complete' if all(outcome.state == 'summarized' for outcome in outcomes) else 'degraded',
            facts=[report.sourced(fact, self.job.documents) for fact in kept],
            entities=report.entities_of(kept, rendered.entities),
            parts=report.parts(chunks, outcomes, self.job.documents, self.cut.repeats),
            warnings=list(dict.fromkeys(self.warnings)),
            stats=self._stats(text, len(chunks), len(kept)),
        )

    def original(self, chunks: Sequence[Chunk], outcomes: Sequence[ChunkOutcome]) -> Summary:
        """The input as it was, over its budget and saying so, because every model call failed for good."""
        text = report.joined(self.job.documents)
        stats = self._stats(text, len(chunks), 0)
        reason = next(outcome.reason for outcome in outcomes if outcome.is_failure)
        _logger.warning(
            'every model call failed; the original content is returned',
            extra={'reason': reason, 'output_size': stats.tokens_out, 'budget': self.job.budget},
        )
        return Summary(
            text=text,
            state='original',
            parts=report.parts(chunks, outcomes, self.job.documents, self.cut.repeats),
            warnings=[
                f'every model call failed ({reason}): this is the original content, {stats.tokens_out} tokens '
                f'for a budget of {self.job.budget}'
            ],
            stats=stats,
        )

    def _stats(self, text: str, chunks: int, facts_out: int) -> Stats:
        counted = {'tokens_out': tokens.count(text), 'chunks': chunks, 'facts_out': facts_out}
        return self.stats.model_copy(update={**counted, 'repeated_tokens': self.cut.repeated_tokens})


def truncated_summary(documents: Sequence[Document], budget: int, model_name: str, strategy: str) -> Summary:
    """A summary for when all the time has gone into waiting: the beginning of each document."""
    share = max(1, budget // max(1, len(documents)) - 2)
    started = [render.shorten(document.text[: share * _LONG_TOKEN].strip(), share) for document in documents]
    text = render.shorten('\n\n'.join(part for part in started if part), budget)
    return Summary(
        text=text,
        state='degraded',
        parts=[report.unprocessed_part(document, DEADLINE) for document in documents if document.text],
        warnings=['there was no time to summarize: this is only the beginning of the text'],
        stats=Stats(
            tokens_in=sum(document.about_tokens for document in documents),
            tokens_out=tokens.count(text),
            budget=budget,
            model=model_name,
            strategy=strategy,
        ),
    )
