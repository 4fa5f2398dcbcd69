"""What a step keeps of its pages: both ways of summarizing, at the source and in the pipeline.

At the source each page is summarized by itself: by the agent, as soon as it has crawled it, and what it has left over
by `at_source`. In the pipeline all pages of a step are summarized together, once, after it. Choose the pipeline where
nothing speaks against it: one call sees all pages of a step, so that what two of them say is kept once, and no turn of
the agent is spent on it. Choose the source where the agent must read on from what it has found, as when it follows
links from page to page, and where each page must be represented, however little it says.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import anyio
from pydantic_ai.exceptions import UsageLimitExceeded

from researcher_integration.lore.checkpoint import KeptBlock, StepState
from researcher_integration.lore.crawl.researcher import SMALL_PAGE, SummaryTaken
from researcher_integration.lore.material import CrawledPage
from researcher_integration.lore.summaries.backends import SourceSummary, SummaryBackend, SummaryUnavailableError
from researcher_integration.lore.topics import RAISED_BY
from researcher_integration.usage import Spent, limit_reached
from summarizer_tool import RequestOptions, count_tokens

LEAST_SUMMARY = 60
"""Tokens below which a summary of a page says nothing."""


@dataclass(frozen=True, slots=True)
class StepSummary:
    """The blocks that a step keeps, and what they cost."""

    blocks: tuple[KeptBlock, ...]
    state: StepState
    model: str = ''
    spent: Spent = field(default_factory=Spent)
    """By the summaries made here."""
    warnings: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of all blocks."""
        return sum(block.tokens for block in self.blocks)


@dataclass(frozen=True, slots=True)
class StepSummarizer:
    """Summarizes the pages of a step."""

    backend: SummaryBackend
    hint: str
    """What the step looks for, and what must be preserved."""
    options: RequestOptions
    """The usage of the zone, to be counted on; its limits, and progress."""

    async def in_pipeline(self, pages: Sequence[CrawledPage], notes: str, budget: int) -> StepSummary:
        """Summarize all pages of a step together; where that cannot be done, they are kept as they are."""
        noted = _noted(notes)
        if not pages:
            return StepSummary(noted, 'empty')
        return await self._together(pages, noted, budget)

    async def at_source(
        self, pages: Sequence[CrawledPage], notes: str, budget: int, summaries: Sequence[SummaryTaken] = ()
    ) -> StepSummary:
        """Keep the summaries that were made at the source, and make those that are missing, page by page."""
        noted = _noted(notes)
        if not pages:
            return StepSummary(noted, 'empty')
        made = [
            _summary(taken.text, taken.source_ids) for taken in _last(summaries, {page.source_id for page in pages})
        ]
        covered = {source_id for block in made for source_id in block.source_ids}
        rest = [page for page in pages if page.source_id not in covered]
        small = [page for page in rest if page.tokens <= SMALL_PAGE]
        large = [page for page in rest if page.tokens > SMALL_PAGE]
        asis = [_page(page) for page in small]
        free = budget - _tokens(noted) - _tokens(made) - _tokens(asis)
        if free < LEAST_SUMMARY * len(large) or free < 0:
            kept = await self._together(pages, noted, budget)
            if not made:
                return kept
            said = f'the summaries made at the source had {_tokens(made):,} tokens and left no room for the rest'
            return replace(kept, warnings=(*kept.warnings, f'{said}; all pages were summarized together'))
        results = await self._one_by_one(large, free)
        blocks = [*made, *asis, *(block for block, _, _ in results)]
        order = {page.source_id: page.number for page in pages}
        warnings = [warning for _, _, warning in results if warning]
        if made and large:
            warnings.append(f'pages over {SMALL_PAGE:,} tokens that the agent left, summarized for it: {len(large)}')
        done = [summary for _, summary, _ in results if summary]
        return StepSummary(
            (*noted, *sorted(blocks, key=lambda block: min(order.get(handle, 0) for handle in block.source_ids))),
            'raw' if len(done) < len(large) else 'summarized' if done or made else 'unchanged',
            next((summary.model for summary in done), ''),
            sum((Spent.of(summary.usage) for summary in done), Spent()),
            tuple(dict.fromkeys(warnings)),
        )

    async def _together(self, pages: Sequence[CrawledPage], noted: tuple[KeptBlock, ...], budget: int) -> StepSummary:
        summary, reason = await self._condense(pages, budget - _tokens(noted))
        if summary is None:
            return StepSummary((*noted, *map(_page, pages)), 'raw', warnings=(reason,))
        if summary.state == 'unchanged':
            return StepSummary((*noted, *map(_page, pages)), 'unchanged', warnings=_warnings(summary))
        block = _summary(summary.text, tuple(page.source_id for page in pages))
        return StepSummary((*noted, block), 'summarized', summary.model, Spent.of(summary.usage), _warnings(summary))

    async def _one_by_one(
        self, pages: Sequence[CrawledPage], free: int
    ) -> list[tuple[KeptBlock, SourceSummary | None, str]]:
        """Summarize each page in its share of the free tokens; a page that fails is kept whole."""
        total = sum(page.tokens for page in pages)
        results: dict[str, tuple[KeptBlock, SourceSummary | None, str]] = {}

        async def one(page: CrawledPage, budget: int) -> None:
            summary, reason = await self._condense([page], budget)
            if summary is None:
                results[page.source_id] = _page(page), None, reason
                return
            is_whole = summary.state == 'unchanged'
            block = _page(page) if is_whole else _summary(summary.text, (page.source_id,))
            results[page.source_id] = block, summary, '; '.join(_warnings(summary))

        spare = free - LEAST_SUMMARY * len(pages)
        async with anyio.create_task_group() as tasks:
            for page in pages:
                tasks.start_soon(partial(one, page, LEAST_SUMMARY + spare * page.tokens // total))
        return [results[page.source_id] for page in pages]

    async def _condense(self, pages: Sequence[CrawledPage], budget: int) -> tuple[SourceSummary | None, str]:
        """Summarize pages; returns the summary, or the reason there is none."""
        try:
            ids = [page.source_id for page in pages]
            return await self.backend.condense(ids, self.hint, max(LEAST_SUMMARY, budget), self.options), ''
        except SummaryUnavailableError as error:
            return None, f'not summarized by a model: {error}'
        except UsageLimitExceeded as error:
            return None, f'not summarized by a model, for the limit of the step: {limit_reached(error)}; {RAISED_BY}'


def _noted(notes: str) -> tuple[KeptBlock, ...]:
    text = notes.encode(errors='replace').decode()  # half a character, which a model may write, goes into no file
    return (KeptBlock(kind='notes', text=text, tokens=count_tokens(text)),) if text else ()


def _page(page: CrawledPage) -> KeptBlock:
    return KeptBlock(kind='page', source_ids=(page.source_id,), tokens=page.tokens)


def _summary(text: str, source_ids: tuple[str, ...]) -> KeptBlock:
    """A summary as a block, without the handle line at its end."""
    body, _, last = text.rstrip().rpartition('\n')
    names_handles = 'src_' in last or f'{len(source_ids)} sources' in last
    if body.strip() and names_handles and last.startswith('[') and last.endswith(']'):
        text = body.rstrip()
    return KeptBlock(kind='summary', source_ids=source_ids, text=text, tokens=count_tokens(text))


def _tokens(blocks: Sequence[KeptBlock]) -> int:
    return sum(block.tokens for block in blocks)


def _last(summaries: Sequence[SummaryTaken], of: set[str]) -> list[SummaryTaken]:
    """The summaries of this step's pages that no later summary replaces, in order."""
    kept: list[SummaryTaken] = []
    seen: set[str] = set()
    for taken in reversed(summaries):
        ids = set(taken.source_ids)
        if ids & of and not ids <= seen:
            kept.append(taken)
            seen |= ids
    return kept[::-1]


def _warnings(summary: SourceSummary) -> tuple[str, ...]:
    degraded = summary.degraded_parts
    said = (f'{degraded} parts were summarized by the embedded model instead',) if degraded else ()
    return (*summary.warnings, *said)
