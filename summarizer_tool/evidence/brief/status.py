"""What is stored, for a model that decides whether to search or to fetch."""

from collections.abc import Sequence
from datetime import datetime

from summarizer_tool import prompts
from summarizer_tool.documents import reading
from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.brief import quoting
from summarizer_tool.evidence.brief.sections import TITLE_TOKENS, URL_TOKENS, BriefSection, head
from summarizer_tool.store.page_details import PageDetails
from summarizer_tool.store.source import Source, StoreTotals
from summarizer_tool.text import tokens

MIN_BUDGET = 500
"""Tokens below which there is no room for what is always there."""

_MAX_VERSIONS = 20
"""Stored versions of one URL that are named."""


def corpus(totals: StoreTotals, sources: Sequence[Source], budget: int, *, include_urls: bool = True) -> str:
    """What the collection holds, with its sources, the last used first, or only their number."""
    sums = (
        f'{_many(totals.documents, "document")} · {_many(totals.passages, "passage")} · {_many(totals.tokens, "token")}'
    )
    top = f'[CORPUS STATUS] {sums}'
    if not totals.documents:
        return f'{top}\n{prompts.load("evidence/status_empty")}'
    top = f'{top}\n{prompts.load("evidence/status")}'
    if not include_urls:
        return top
    rows = [_row(number, source) for number, source in enumerate(sources, 1)]
    room = max(budget, MIN_BUDGET) - tokens.count(f'{top}\n\n')
    section = _rows('SOURCES', rows, max(totals.documents, len(rows)))
    return f'{top}\n\n{section.write(section.most(room))}'


def one(
    source: Source, document: Document, details: PageDetails, passages: int, versions: Sequence[Source], budget: int
) -> str:
    """All that is known of one source, and the versions of its URL, this one among them, the newest first."""
    sums = ' · '.join(
        (
            _many(passages, 'passage'),
            _many(source.lines, 'line'),
            f'{source.size:,} bytes',
            _many(len(details.images), 'image'),
            _many(len(details.links), 'link'),
        )
    )
    top = f'[CORPUS STATUS] 1 source\n{_row(1, source)}\n{sums}\n{prompts.load("evidence/status_one")}'
    left = max(budget, MIN_BUDGET) - tokens.count(f'{top}\n\n')
    parts = [top]
    others = [f'- {version.id} · {_times(version)}' for version in versions[:_MAX_VERSIONS]]
    outline = [quoting.verbatim(line) for line in reading.outline(document).splitlines()]
    for section in (
        _rows('VERSIONS', others if len(versions) > 1 else [], len(versions)),
        _rows('HEADINGS', outline, len(outline)),
    ):
        if count := section.most(left):
            parts.append(section.write(count))
            left -= section.cost(count)
    return '\n\n'.join(parts)


def _rows(name: str, rows: Sequence[str], total: int) -> BriefSection:
    return BriefSection(lambda count: '\n'.join((head(name, count, total), *rows[:count])), len(rows))


def _row(number: int, source: Source) -> str:
    """A source in one line; its title, which may say anything, comes last."""
    says = [f'{number}. {source.id}', f'{source.tokens:,} tokens', _times(source)]
    if source.url:
        says.append(quoting.address(source.url, URL_TOKENS))
    says.append(quoting.label(source.title, TITLE_TOKENS) or 'untitled')
    return ' · '.join(says)


def _times(source: Source) -> str:
    known = f'fetched {_time(source.fetched_at)}' if source.fetched_at else f'added {_time(source.added_at)}'
    return f'{known} · used {_time(source.used_at)}'


def _time(moment: datetime) -> str:
    """UTC, to the minute."""
    return f'{moment:%Y-%m-%d %H:%M}'


def _many(count: int, what: str) -> str:
    return f'{count:,} {what}{"" if count == 1 else "s"}'
