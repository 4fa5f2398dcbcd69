"""Fit a brief into its budget. Pure computing.

What is always there is written first: what is missing, and the question. The rest enters in an order that does not
depend on the budget, each thing with the source that it names, until one does not fit: so more budget shows whatever
less does, and more. The evidence comes by rank, between its passages the citations and the statistics, as far as they
have their share; where all of it is shown, what is left of these follows, then the other sources.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from summarizer_tool import prompts
from summarizer_tool.documents.page_numbers import PageNumbers
from summarizer_tool.evidence.brief import MIN_BUDGET, sections
from summarizer_tool.evidence.brief.brief import Brief, BriefStatement, RenderedBrief
from summarizer_tool.evidence.brief.citations import Citation, verify
from summarizer_tool.evidence.brief.fitting import Fitting, SourceLabels
from summarizer_tool.evidence.brief.sections import BriefSection
from summarizer_tool.text import tokens

_QUESTION_SHARE = 0.08
_PARTIAL_SHARE = 0.1
_NOTICE_SHARE = 0.08

_STATS_SHARE = 0.01
"""Of what is shown, for statistics, before all of the evidence is there."""

_MAX_QUESTION = 300
_MAX_PARTIAL = 800
_MAX_NOTICE = 400
"""Tokens, whatever the budget."""

_END = '\n\n'


def render(brief: Brief, budget: int) -> RenderedBrief:
    """Write a brief as plain text for a model, in `budget` tokens, counted exactly; at least `MIN_BUDGET`."""
    budget = max(budget, MIN_BUDGET)
    quoted = [
        citation
        for citation in brief.citations
        if verify(citation.quote, brief.texts.get(citation.source_id, ''), citation.first_line, citation.last_line)
    ]
    room = budget
    while (rendered := _rendered(brief, budget, quoted, room)).tokens > budget:
        room -= rendered.tokens - budget
    return rendered


def _rendered(brief: Brief, budget: int, quoted: Sequence[Citation], room: int) -> RenderedBrief:
    """Write a brief with its verified citations, for a budget of which there is a little less room."""
    before = [
        prompts.load('evidence/brief'),
        sections.question(brief, min(_MAX_QUESTION, int(budget * _QUESTION_SHARE))),
        sections.listed('PARTIAL', brief.partial, min(_MAX_PARTIAL, int(budget * _PARTIAL_SHARE))),
        sections.listed('NOTICE', brief.notices, min(_MAX_NOTICE, int(budget * _NOTICE_SHARE))),
    ]
    texts = {source_id: found for source_id, text in brief.texts.items() if (found := PageNumbers.of(text)).breaks}
    total = len(brief.sources)
    everywhere = SourceLabels(brief.sources, range(1, total + 1), texts)
    # As wide as they can be: which evidence is shown, and so its numbers, is not known yet.
    quotes = sections.citations(brief, quoted, everywhere, lambda _: len(brief.evidence))
    left = room - _cost(*before, sections.head('SOURCES', total, total + 1))
    left -= _cost(sections.head('CITATIONS', 0, len(quoted))) if quoted else 0
    left -= tokens.count(sections.stats((), 0, budget, budget) + _evidence_head(brief, len(brief.evidence) + 1) + _END)

    rows = [tokens.count(f'{sections.source_row(number, each)}\n') for number, each in enumerate(brief.sources, 1)]
    fitting = Fitting(brief.evidence, everywhere, rows, left)
    ids = {source.id: number for number, source in enumerate(brief.sources, 1)}
    citing = _Share(quotes, brief.citation_share, [ids[citation.source_id] for citation in quoted])
    stats = BriefSection(lambda count: sections.stats(brief.stats, count, budget, budget), len(brief.stats))
    telling = _Share(stats, _STATS_SHARE)
    is_all = citing.is_first_there(fitting)
    for index in range(len(brief.evidence)):
        if not (is_all and fitting.put(index)):
            fitting.cut(index)
            is_all = False
            break
        if not all(share.keep_up(fitting, left) for share in (citing, telling)):
            is_all = False
            break
    # As soon as one thing does not fit, what comes after it is left out.
    if is_all and citing.fill(fitting) and telling.fill(fitting):
        for number in range(1, total + 1):
            if not fitting.list_sources([number]):
                break

    fitted = fitting.fitted()
    name = SourceLabels(brief.sources, fitting.listed, texts)
    cited = sections.citations(brief, quoted, name, fitted.number)
    text = '\n\n'.join(
        section
        for section in (
            *before,
            sections.sources(brief, fitting.listed),
            '\n'.join((_evidence_head(brief, len(fitted.numbers)), *fitted.texts)),
            cited.write(citing.count) if cited.total else '',
        )
        if section
    )
    text, used = _with_stats(text, brief, budget, telling.count)
    return RenderedBrief(
        text,
        used,
        len(fitted.numbers),
        tuple(quoted[: citing.count]),
        fitted.is_whole,
    )


@dataclass(slots=True)
class _Share:
    """A section that grows with what is shown of the evidence, to a share of it."""

    section: BriefSection
    share: float
    sources: Sequence[int] = ()
    """The numbers of the sources that its items name, if they name any."""
    count: int = 0
    spent: int = 0
    """Tokens."""

    def is_first_there(self, fitting: Fitting) -> bool:
        """Show the first item; return whether it fits, or there is none."""
        return not self.section.total or self._take(fitting)

    def keep_up(self, fitting: Fitting, room: int) -> bool:
        """Show as many items as have their share of what of the room is used; return whether these fit."""
        while self.count < self.section.total:
            if self.spent + self._next > self.share * (room - fitting.left):
                return True
            if not self._take(fitting):
                return False
        return True

    def fill(self, fitting: Fitting) -> bool:
        """Show as many items as fit; return whether those are all."""
        while self.count < self.section.total and self._take(fitting):
            pass
        return self.count == self.section.total

    @property
    def _next(self) -> int:
        return self.section.cost(self.count + 1) - self.section.cost(self.count)

    def _take(self, fitting: Fitting) -> bool:
        cost = self._next
        numbers = self.sources[self.count : self.count + 1]
        if cost + sum(fitting.rows[number - 1] for number in {*numbers} - fitting.listed) > fitting.left:
            return False
        fitting.list_sources(numbers)
        fitting.left -= cost
        self.spent += cost
        self.count += 1
        return True


def _cost(*texts: str) -> int:
    """Tokens of sections with the blank lines after them; these add up, since none begins with white space."""
    return sum(tokens.count(text + _END) for text in texts if text)


def _evidence_head(brief: Brief, shown: int) -> str:
    """How much is shown of what there is, whichever blocks that makes, and what it is that is counted."""
    total = len(brief.evidence)
    kinds = {
        item.kind if isinstance(item, BriefStatement) else 'source' if item.relevance is None else 'passage'
        for item in brief.evidence
    }
    counted = [kind if total == 1 else f'{kind}s' for kind in kinds] if len(kinds) == 1 else []
    return ' '.join((sections.head('EVIDENCE', shown, total), *counted))


def _with_stats(text: str, brief: Brief, budget: int, count: int) -> tuple[str, int]:
    """The whole text, which says how many tokens it has, and that number."""
    used = tokens.count(text + _END)
    before = used
    while True:
        stats = sections.stats(brief.stats, count, used, budget)
        whole = before + tokens.count(stats)
        if whole == used:
            return f'{text}{_END}{stats}', whole
        used = whole
