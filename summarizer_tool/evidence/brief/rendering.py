"""Fit a brief into its budget. Pure computing.

What is missing and the question are always there. The rest enters in an order that does not depend on the budget: the
evidence by rank, and between its passages citations, as far as they have their share; where all of it is there, what is
left of these follows, then the other sources. As much of that is shown as has room, so more budget shows whatever less
does, and more.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, repeat
from typing import NamedTuple

from summarizer_tool import prompts
from summarizer_tool.documents.page_numbers import PageNumbers
from summarizer_tool.evidence.brief import MIN_BUDGET, sections
from summarizer_tool.evidence.brief.blocks import EvidenceWriter
from summarizer_tool.evidence.brief.brief import Brief, RenderedBrief
from summarizer_tool.evidence.brief.citations import verify
from summarizer_tool.text import tokens

_QUESTION_SHARE = 0.08
_PARTIAL_SHARE = 0.1
_NOTICE_SHARE = 0.08

_CITED_SHARE = 0.09
"""Tokens of citations for one of the evidence, before all of these are there."""

_MAX_QUESTION = 300
_MAX_PARTIAL = 800
_MAX_NOTICE = 400
"""Tokens, whatever the budget."""
_WHOLE_NOTICE = 60
"""Tokens of a notice, which may say the opposite where its end is cut off."""

_MUCH = 3
"""Times the budget, of passages by themselves, beyond which there is no room: those that touch take less together."""

# No line of a brief begins with white space, so the tokens of its lines add up.
_LINE = re.compile(r'[^\n]+\n*')


class _Shown(NamedTuple):
    """How much of a brief is shown: of each the first ones."""

    evidence: int = 0
    citations: int = 0
    sources: int = 0
    """Beside those that evidence and citations name."""


def render(brief: Brief, budget: int) -> RenderedBrief:
    """Write a brief as plain text for a model, in `budget` tokens, counted exactly; at least `MIN_BUDGET`."""
    return _Rendering(brief, max(budget, MIN_BUDGET)).rendered()


class _Rendering:
    """One brief for one budget."""

    def __init__(self, brief: Brief, budget: int) -> None:
        self._brief = brief
        self._budget = budget
        self._cost = cache(tokens.count)
        self._before = [
            prompts.load('evidence/brief'),
            sections.question(brief, min(_MAX_QUESTION, int(budget * _QUESTION_SHARE))),
            sections.listed('PARTIAL', brief.partial, min(_MAX_PARTIAL, int(budget * _PARTIAL_SHARE))),
            sections.listed(
                'NOTICE',
                brief.notices,
                min(_MAX_NOTICE, max(min(_WHOLE_NOTICE, budget // 8), int(budget * _NOTICE_SHARE))),
            ),
        ]
        self._quoted = [
            citation
            for citation in brief.citations
            if verify(citation.quote, brief.texts.get(citation.source_id, ''), citation.line)
        ]
        self._pages = {
            source_id: found for source_id, text in brief.texts.items() if (found := PageNumbers.of(text)).breaks
        }
        self._quotes = sections.quotes(brief, self._quoted, self._pages)
        self._writer = EvidenceWriter(brief, self._pages)
        self._source_of = {source.id: number for number, source in enumerate(brief.sources, 1)}

    def rendered(self) -> RenderedBrief:
        """As much as has room."""
        steps = [*self._steps()]
        # Of two budgets the larger one has room wherever the other has, so that it goes at least as far.
        last = max(0, bisect_right(steps, self._budget, key=lambda shown: self._written(shown)[1]) - 1)
        shown = steps[last]
        text, used = self._written(shown)
        return RenderedBrief(
            text,
            used,
            shown.evidence,
            tuple(self._quoted[: shown.citations]),
            is_whole=shown.evidence == len(self._brief.evidence),
        )

    def _steps(self) -> Iterator[_Shown]:
        """What is shown, from the least on, as far as there might be room."""
        brief, shown = self._brief, _Shown()
        yield shown
        cited = [0, *accumulate(self._count(f'{row}\n') for row in sections.citations(self._quotes, repeat(None)))]
        used = 0
        for index in range(len(brief.evidence)):
            # One citation comes first.
            citations = max(bool(self._quoted), bisect_right(cited, _CITED_SHARE * used) - 1)
            yield (shown := _Shown(index, citations))
            text = f'{self._writer.alone(index)}\n'
            if not tokens.fits(text, _MUCH * self._budget - used):
                return
            used += self._count(text)
            yield (shown := shown._replace(evidence=index + 1))
        for name, rows in (('citations', self._quoted), ('sources', brief.sources)):
            for count in range(getattr(shown, name) + 1, len(rows) + 1):
                yield (shown := shown._replace(**{name: count}))

    def _written(self, shown: _Shown) -> tuple[str, int]:
        """The text and its tokens."""
        brief = self._brief
        blocks, block_of = self._writer.write(shown.evidence)
        places = (citation.evidence for citation in self._quoted[: shown.citations])
        numbers = (None if place is None else block_of.get(place) for place in places)
        cited = sections.citations(self._quotes, numbers)
        listed = {brief.evidence[index].source for index in block_of}
        listed.update(self._source_of[citation.source_id] for citation in self._quoted[: shown.citations])
        listed.update(range(1, shown.sources + 1))
        written = (
            *self._before,
            sections.sources(brief, listed),
            '\n'.join((_evidence_head(brief, shown.evidence), *blocks)),
            sections.of_rows('CITATIONS', cited, len(self._quoted))(len(cited)) if self._quoted else '',
        )
        text = '\n\n'.join(filter(None, written))
        return text, self._count(text)

    def _count(self, text: str) -> int:
        """Tokens of lines, of which most are asked for again while this brief is fitted."""
        return sum(map(self._cost, _LINE.findall(text)))


def _evidence_head(brief: Brief, shown: int) -> str:
    """How much is shown of what there is, whichever blocks that makes, and what it is that is counted."""
    total = len(brief.evidence)
    kind = 'source' if total and brief.evidence[0].relevance is None else 'passage'
    return f'{sections.head("EVIDENCE", shown, total)} {kind}{"" if total == 1 else "s"}'
