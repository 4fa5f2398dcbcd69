"""What is stored, for a model that decides whether to search or to fetch."""

from collections.abc import Sequence

from summarizer_tool import prompts
from summarizer_tool.documents import reading
from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.brief import MIN_BUDGET, quoting
from summarizer_tool.evidence.brief.sections import of_rows, source_line
from summarizer_tool.store.page_details import PageDetails
from summarizer_tool.store.source import Source, StoreTotals
from summarizer_tool.text import tokens

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
    rows = [source_line(number, source, _times(source)) for number, source in enumerate(sources, 1)]
    room = max(budget, MIN_BUDGET) - tokens.count(f'{top}\n\n')
    section = of_rows('SOURCES', rows, max(totals.documents, len(rows)))
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
    line = source_line(1, source, _times(source))
    top = f'[CORPUS STATUS] 1 source\n{line}\n{sums}\n{prompts.load("evidence/status_one")}'
    left = max(budget, MIN_BUDGET) - tokens.count(f'{top}\n\n')
    parts = [top]
    others = [f'- {version.id} · {_times(version)}' for version in versions[:_MAX_VERSIONS]]
    outline = [quoting.verbatim(line) for line in reading.outline(document).splitlines()]
    for section in (
        of_rows('VERSIONS', others if len(versions) > 1 else [], len(versions)),
        of_rows('HEADINGS', outline, len(outline)),
    ):
        if count := section.most(left):
            parts.append(section.write(count))
            left -= section.cost(count)
    return '\n\n'.join(parts)


def _times(source: Source) -> str:
    known, moment = ('fetched', source.fetched_at) if source.fetched_at else ('added', source.added_at)
    return f'{known} {moment:%Y-%m-%d %H:%M} · used {source.used_at:%Y-%m-%d %H:%M}'


def _many(count: int, what: str) -> str:
    return f'{count:,} {what}{"" if count == 1 else "s"}'
