"""What a model is told where there is no brief: what went wrong and what to do about it, or what is stored.

Each text is bounded, whatever the input, by its budget and `MAX_TOKENS`; of what went wrong it ends by asking not to
answer from memory.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from summarizer_tool import prompts
from summarizer_tool.documents import reading
from summarizer_tool.documents.document import Document
from summarizer_tool.errors import FetchError, RequestError, SummarizerError, UnknownSourceError
from summarizer_tool.evidence.answer.page_loading import TracePage
from summarizer_tool.evidence.brief import MIN_BUDGET, quoting
from summarizer_tool.evidence.brief.sections import most, of_rows, source_row
from summarizer_tool.store.source import Source, StoreTotals
from summarizer_tool.text import tokens

if TYPE_CHECKING:
    from summarizer_tool.evidence.answer.answering import GatheredEvidence

MAX_TOKENS = 1500
"""Of a text, whatever the budget; from 500 on there is room for each."""

_DETAIL_TOKENS = 300
QUERY_TOKENS = 80
URL_TOKENS = 80
FAILURE_TOKENS = 60
_MISSING_TOKENS = 160

MAX_ROWS = 8
"""Of a list: what is named one by one."""


def of_error(error: SummarizerError, budget: int = MAX_TOKENS) -> str:
    """The text for an error of this package, by its type; its message names the input, the limit and the way out."""
    detail = quoting.label(str(error) or type(error).__name__, _DETAIL_TOKENS)
    if isinstance(error, FetchError):
        return _problem('error_fetch', budget, [detail])
    names = {RequestError: 'error_request', UnknownSourceError: 'error_unknown_source'}
    name = next((name for kind, name in names.items() if isinstance(error, kind)), 'error_failed')
    return _problem(name, budget, detail=detail)


def fetch_failed(failures: Sequence[TracePage], budget: int = MAX_TOKENS) -> str:
    """None of the pages could be fetched, and nothing of them is stored."""
    return _problem('error_fetch', budget, [failure(page) for page in failures])


def failure(page: TracePage) -> str:
    """A page that failed in one line, without the query of its URL, which may hold what is not for everybody."""
    where = quoting.address(page.url, URL_TOKENS, with_query=False)
    return f'{where}: {quoting.reason(page.url, page.failure, FAILURE_TOKENS)}'


def gaps(answered: 'GatheredEvidence') -> list[str]:
    """What an answer did not get, and what to do about it."""
    late = [prompts.load('evidence/partial_deadline')] if answered.is_partial else []
    return [*late, *(prompts.render('evidence/partial_failed', failure=failure(page)) for page in answered.failures)]


def timed_out(seconds: float, set_by: str = '') -> str:
    """The time was over before there was anything; `set_by` is the setting that says how long, with its value."""
    limit = f' ({set_by})' if set_by else ''
    return _problem('error_timeout', seconds=f'{seconds:,.{0 if seconds >= 10 else 1}f}', limit=limit)


def nothing_stored() -> str:
    """A search in a collection that is empty."""
    return _problem('error_nothing_stored')


def no_results(query: str, documents: int, passages: int, missing: Sequence[str] = (), budget: int = MAX_TOKENS) -> str:
    """A search that found nothing: no error, but nothing to answer from.

    `missing` is what could not be searched or used, and what can be done about it.
    """
    return _problem(
        'no_results',
        budget,
        [quoting.label(line, _MISSING_TOKENS) for line in missing],
        query=quoting.label(query, QUERY_TOKENS).replace('"', "'"),
        documents=f'{documents:,}',
        passages=f'{passages:,}',
    )


def _problem(name: str, budget: int = MAX_TOKENS, rows: Sequence[str] = (), **values: str) -> str:
    """A text whose list has as many rows as fit, the first ones; the others are counted."""
    ending = prompts.load('evidence/not_from_memory')

    def write(count: int) -> str:
        left = len(rows) - count
        listed = [*(f'- {row}' for row in rows[:count]), *([f'- and {left:,} more'] if left else [])]
        text = prompts.render(f'evidence/{name}', **{'ending': ending, 'lists': '\n'.join(listed)} | values)
        return text.replace('\n\n\n', '\n\n')  # a list that has nothing to say leaves no gap

    return write(most(write, min(len(rows), MAX_ROWS), min(budget, MAX_TOKENS)))


def corpus(totals: StoreTotals, sources: Sequence[Source], budget: int, *, include_urls: bool = True) -> str:
    """What the collection holds, with its sources, the last used first, or only their number."""
    counts = ((totals.documents, 'document'), (totals.passages, 'passage'), (totals.tokens, 'token'))
    head = f'[CORPUS STATUS] {" · ".join(_many(count, what) for count, what in counts)}'
    text = prompts.load('evidence/status' if totals.documents else 'evidence/status_empty')
    rows = [_stored(number, source) for number, source in enumerate(sources, 1)] if include_urls else []
    return _with_lists(f'{head}\n{text}', budget, ('SOURCES', rows, max(totals.documents, len(rows))))


def one_source(
    source: Source, document: Document, links: int, passages: int, versions: Sequence[Source], budget: int
) -> str:
    """All that is known of one source, and the versions of its URL, this one among them, the newest first."""
    sums = ' · '.join(
        (_many(passages, 'passage'), _many(source.lines, 'line'), f'{source.size:,} bytes', _many(links, 'link'))
    )
    top = f'[CORPUS STATUS] 1 source\n{_stored(1, source)}\n{sums}\n{prompts.load("evidence/status_one")}'
    others = [f'- {version.id} · {_times(version)}' for version in versions] if len(versions) > 1 else []
    outline = [quoting.verbatim(line) for line in reading.outline(document).splitlines()]
    return _with_lists(top, budget, ('VERSIONS', others, len(others)), ('HEADINGS', outline, len(outline)))


def _with_lists(top: str, budget: int, *lists: tuple[str, Sequence[str], int]) -> str:
    """A text, and below it of each list as many rows as there is room for."""
    parts, left = [top], max(budget, MIN_BUDGET) - tokens.count(f'{top}\n\n')
    for name, rows, total in lists:
        write = of_rows(name, rows, total)
        if count := most(write, len(rows), left):
            parts.append(write(count))
            left -= tokens.count(f'{parts[-1]}\n\n')
    return '\n\n'.join(parts)


def _stored(number: int, source: Source) -> str:
    return source_row(number, source, f'{source.tokens:,} tokens', _times(source))


def _times(source: Source) -> str:
    known, moment = ('fetched', source.fetched_at) if source.fetched_at else ('added', source.added_at)
    return f'{known} {moment:%Y-%m-%d %H:%M} · used {source.used_at:%Y-%m-%d %H:%M}'


def _many(count: int, what: str) -> str:
    return f'{count:,} {what}{"" if count == 1 else "s"}'
