"""Fit a brief into its budget. Pure computing.

What is always there is written first, each section within its share of the budget: what is missing, the sources, the
statistics. The rest goes by rank: the citations get the share that is reserved for them, then comes the evidence, then
the trace, then the images. So the images are the first to go, then the trace, then the evidence from its end.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from summarizer_tool import prompts
from summarizer_tool.documents.page_numbers import PageNumbers
from summarizer_tool.evidence.brief import sections
from summarizer_tool.evidence.brief.brief import Brief, BriefStatement, RenderedBrief, ShownCount
from summarizer_tool.evidence.brief.citations import Citation, verify
from summarizer_tool.evidence.brief.evidence_blocks import SourceLabels
from summarizer_tool.evidence.brief.fitting import Fitted, fit
from summarizer_tool.evidence.brief.quoting import span
from summarizer_tool.evidence.brief.sections import BriefSection
from summarizer_tool.text import tokens

MIN_BUDGET = 500
"""Tokens below which there is no room for what is always there."""

_SOURCES_SHARE = 0.5
"""Of the budget: what the list of sources may take at most, with no more than handles and titles."""

_FULL_SHARE = 0.3
"""What it may take to name sizes, times and URLs."""

_HEADINGS_SHARE = 0.15
"""What it may take to name headings, too."""

_EVIDENCE_SHARE = 0.12
"""What the list of sources leaves for evidence in any case."""

_QUESTION_SHARE = 0.08
_PARTIAL_SHARE = 0.1
_NOTICE_SHARE = 0.08
_STATS_SHARE = 0.16

_MAX_QUESTION = 300
_MAX_PARTIAL = 800
_MAX_NOTICE = 400
"""Tokens, whatever the budget."""

SLACK = 0.03
"""Share of the budget that rather stays free than that a line is cut to fill it."""

SMALL = 3000
"""Tokens under which a budget is for evidence: where not everything fits, sources have handles and titles alone, and
less is quoted."""

_SMALL_CITATION_SHARE = 0.06
"""Of a small budget, for quotes of passages, which are to be read above as well."""

_END = '\n\n'


def render(brief: Brief, budget: int) -> RenderedBrief:
    """Write a brief as plain text for a model, in `budget` tokens, counted exactly; at least `MIN_BUDGET`."""
    budget = max(budget, MIN_BUDGET)
    quoted = [
        citation
        for citation in brief.citations
        if verify(citation.quote, brief.texts.get(citation.source_id, ''), citation.first_line, citation.last_line)
    ]
    unverified = len(brief.citations) - len(quoted)
    rendered = _rendered(brief, budget, quoted, unverified, is_short=False)
    counts = (rendered.sources, rendered.evidence, rendered.images, rendered.trace)
    shows_all = all(count.shown == count.total for count in counts) and len(rendered.citations) == len(quoted)
    if budget >= SMALL or (rendered.is_whole and shows_all):
        return rendered
    return _rendered(brief, budget, quoted, unverified, is_short=True)


def _rendered(
    brief: Brief, budget: int, quoted: Sequence[Citation], unverified: int, *, is_short: bool
) -> RenderedBrief:
    """Write a brief with its verified citations; where it `is_short`, as little as possible beside the evidence."""
    notices = (
        (*brief.notices, prompts.render('evidence/unverified', count=str(unverified))) if unverified else brief.notices
    )
    before = [
        prompts.load('evidence/brief'),
        sections.question(brief, min(_MAX_QUESTION, int(budget * _QUESTION_SHARE))),
        sections.listed('PARTIAL', brief.partial, min(_MAX_PARTIAL, int(budget * _PARTIAL_SHARE))),
        sections.listed('NOTICE', notices, min(_MAX_NOTICE, int(budget * _NOTICE_SHARE))),
    ]
    stats_room = int(budget * _STATS_SHARE)
    pages_fetched = len(brief.trace.pages) if brief.trace else 0
    # Each section says at least what of it has been dropped.
    empty = {'EXPANSION TRACE': pages_fetched, 'IMAGES': len(brief.images), 'CITATIONS': len(quoted)}
    left = budget - _cost(*before) - sum(sections.empty(name, total) for name, total in empty.items())
    left -= tokens.count(sections.stats(brief.stats, budget, budget, stats_room))
    room = min(int(budget * _SOURCES_SHARE), left - int(budget * _EVIDENCE_SHARE))
    listing, listed = (
        sections.sources(brief, room, 0, 0)
        if is_short
        else sections.sources(
            brief, room, min(room, int(budget * _FULL_SHARE)), min(room, int(budget * _HEADINGS_SHARE))
        )
    )
    before.append(listing)
    left -= _cost(listing)

    pages = {source_id: found for source_id, text in brief.texts.items() if (found := PageNumbers.of(text)).breaks}
    name = SourceLabels(brief.sources, listed, pages)
    on_pages = partial(_page_of, brief=brief, pages=pages) if pages else _no_page
    trace = sections.trace(brief.trace, name)
    images = sections.images(brief.images, name)
    # As wide as they can be: which evidence is shown, and so its numbers, is not known yet.
    quotes = sections.citations(quoted, name, lambda _: len(brief.evidence), on_pages)

    # A quote is of little use without the lines around it: some evidence goes before all quotes.
    citing = _cited(brief, quotes, budget, left - int(budget * _EVIDENCE_SHARE), is_short=is_short)
    fitted = _evidence(brief, name, left - quotes.cost(citing) + quotes.cost(0), int(budget * SLACK))
    if citing and not fitted.texts:
        citing = 0
        fitted = _evidence(brief, name, left, int(budget * SLACK))
    left -= quotes.cost(citing) - quotes.cost(0) + _cost(_written(fitted, brief))
    pages = pictures = 0
    if fitted.is_whole:
        more = quotes.most(left + quotes.cost(citing))
        left -= quotes.cost(max(more, citing)) - quotes.cost(citing)
        citing = max(more, citing)
        pages = trace.most(left + trace.cost(0))
        left -= trace.cost(pages) - trace.cost(0)
        if pages == trace.total:
            pictures = images.most(left + images.cost(0))

    cited = sections.citations(quoted, name, fitted.number, on_pages)
    text = '\n\n'.join(
        section
        for section in (
            *before,
            _written(fitted, brief),
            images.write(pictures) if images.total else '',
            trace.write(pages) if trace.total else '',
            cited.write(citing) if cited.total else '',
        )
        if section
    )
    text, used = _with_stats(text, brief, budget, stats_room)
    return RenderedBrief(
        text,
        used,
        ShownCount(listed, len(brief.sources)),
        ShownCount(len(fitted.numbers), len(brief.evidence)),
        ShownCount(pictures, images.total),
        ShownCount(pages, trace.total),
        tuple(quoted[:citing]),
        unverified,
        fitted.is_whole,
    )


def _no_page(_: Citation) -> str:
    return ''


def _page_of(citation: Citation, *, brief: Brief, pages: Mapping[str, PageNumbers]) -> str:
    """The page that a quote stands on."""
    found = pages.get(citation.source_id)
    if found is None:
        return ''
    text = brief.texts[citation.source_id]
    start = text.find(citation.quote, *span(text, citation.first_line, citation.last_line))
    return found.of_characters(start, start + len(citation.quote))


def _cost(*texts: str) -> int:
    """Tokens of sections with the blank lines after them; these add up, since none begins with white space."""
    return sum(tokens.count(text + _END) for text in texts if text)


def _cited(brief: Brief, quotes: BriefSection, budget: int, left: int, *, is_short: bool) -> int:
    """How many quotes have room in what is reserved for them: one, if any can be had for their full share."""
    head, left = quotes.cost(0), max(0, left)
    full = quotes.most(min(int(budget * brief.citation_share), left) + head)
    if not is_short or any(
        isinstance(item, BriefStatement) for item in brief.evidence
    ):  # whose lines stand nowhere else
        return full
    return min(full, max(1, quotes.most(min(int(budget * _SMALL_CITATION_SHARE), left) + head)))


def _evidence(brief: Brief, name: SourceLabels, room: int, slack: int) -> Fitted:
    """The evidence that fits with its head, exactly counted."""
    total = len(brief.evidence)
    inner = room - tokens.count(f'{sections.evidence_head(total, total + 1, 0)}\n')
    while True:
        fitted = fit(brief.evidence, name, max(0, inner), slack)
        over = _cost(_written(fitted, brief)) - room
        if over <= 0 or not fitted.texts:
            return fitted
        inner -= over


def _written(fitted: Fitted, brief: Brief) -> str:
    head = sections.evidence_head(len(fitted.numbers), len(brief.evidence), len(fitted.texts))
    return '\n'.join((head, *fitted.texts))


def _with_stats(text: str, brief: Brief, budget: int, room: int) -> tuple[str, int]:
    """The whole text, which says how many tokens it has, and that number."""
    used = tokens.count(text + _END)
    before = used
    while True:
        stats = sections.stats(brief.stats, used, budget, room)
        whole = before + tokens.count(stats)
        if whole == used:
            return f'{text}{_END}{stats}', whole
        used = whole
