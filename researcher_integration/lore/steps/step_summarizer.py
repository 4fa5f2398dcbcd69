"""What the steps keep of the pages: one summary of them all, with a text for each topic.

Every topic draws on every page: the pages are read once, for all topics together, and each fact stands in the section
of the topic that it serves best.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pydantic_ai.exceptions import UsageLimitExceeded

from researcher_integration.lore.checkpoint import Step, StepState
from researcher_integration.lore.configuration import Topic
from researcher_integration.lore.material import CrawledPage, ResearchError, TopicId, titled
from researcher_integration.lore.summaries.backends import SourceSummary, SummaryUnavailableError
from researcher_integration.usage import limit_reached
from summarizer_tool import (
    RequestOptions,
    SummaryTopic,
    count_tokens,
    load_prompt,
    one_line,
    render_prompt,
)

if TYPE_CHECKING:
    from researcher_integration.lore.summaries.over_mcp import SummaryBackend

LEAST_SUMMARY = 60
"""Tokens of a topic below which a summary says nothing."""

READ_RATIO = 2
"""Tokens of pages for each that a summary of them has at least, while more pages may come."""

_WORD = re.compile(r'\w+')


@dataclass(eq=False, slots=True)
class ZoneSummarizer:
    """Summarizes the pages of a zone for all topics at once."""

    backend: 'SummaryBackend'
    embedded: 'SummaryBackend'
    topics: Sequence[Topic]
    _has_read: Collection[str] = field(default=(), init=False)
    _read: SourceSummary = field(default=SourceSummary({}, '', ()), init=False)
    """The last summary that was read from, of these pages."""
    _limit: UsageLimitExceeded | None = field(default=None, init=False)
    """That was reached when pages were read; calls that are under way then are lost, and nobody counts them."""

    async def summarize(
        self,
        pages: Sequence[CrawledPage],
        room: int,
        assigned: Mapping[str, TopicId],
        notes: Mapping[TopicId, str],
        options: RequestOptions,
    ) -> tuple[dict[TopicId, Step], tuple[str, ...]]:
        """Summarize the pages, unless all fit as they are: then each goes to the step that it is assigned to.

        All sections may have `room` tokens together; `notes` are the reports of the steps.

        Returns:
            What each step keeps, and warnings about all of it.
        """
        free = room - sum(_NOTES_TOKENS + count_tokens(text) for text in notes.values())
        summary, reason = None, ''
        if sum(page.tokens + _titled(page) for page in pages) > free:
            summary, reason = await self._condense(pages, free, options)
        state: StepState = 'degraded' if reason else 'summarized' if summary else 'unchanged'
        steps: dict[TopicId, Step] = {}
        for topic in self.topics:
            own = [page for page in pages if summary or assigned.get(page.source_id) == topic.id]
            note, text = notes.get(topic.id, ''), summary.topics.get(topic.header, '') if summary else ''
            size = sum(page.tokens for page in own)
            steps[topic.id] = Step(
                state=state if own else 'empty',
                pages=tuple(page.source_id for page in own),
                notes=note,
                summary=text,
                tokens_crawled=size,
                tokens_kept=count_tokens(note) + (count_tokens(text) if summary else size),
                model=summary.model if summary else '',
                warnings=(reason,) if reason else (),
            )
        return steps, summary.warnings if summary else ()

    async def read(
        self,
        topic: Topic | None,
        pages: Sequence[CrawledPage],
        wanted: Collection[str],
        room: int,
        options: RequestOptions,
    ) -> str:
        """What the summary of all pages so far says of some, which are wanted by their handles: of a topic first.

        It is made anew for a page that is not in the last one. A model is asked what the summary in the end asks about
        these pages: the answers are kept, and found again.

        Raises:
            SummaryUnavailableError: If there is no summary, or nothing in it.
            UsageLimitExceeded: If a limit is reached.
        """
        room = min(room, sum(page.tokens for page in pages) // READ_RATIO)
        if not {*wanted} <= {*self._has_read}:
            if self._limit is not None:
                raise self._limit
            try:
                self._read = await self._ask(self.backend, pages, room, options)
            except UsageLimitExceeded as error:
                self._limit = error
                raise
            self._has_read = [page.source_id for page in pages]
        own = [page for page in pages if page.source_id in wanted]
        others = [] if len(pages) == 1 else [page.title for page in pages if page not in own]
        # Of pages that are called the same the later ones have their number, too, which no heading has.
        titles = [*(page.title for page in own), *(page.title.removesuffix(f' ({page.number})') for page in own)]
        said = [
            render_prompt('research/summary', pages=each.header, text=text)
            for each in sorted(self.topics, key=lambda each: each != topic)
            if (text := without_pages(self._read.topics.get(each.header, ''), others, titles))
        ]
        if not said:
            raise SummaryUnavailableError('the summary of all pages says nothing of these; read_source has their lines')
        return '\n\n'.join(said)

    async def _condense(
        self, pages: Sequence[CrawledPage], room: int, options: RequestOptions
    ) -> tuple[SourceSummary, str]:
        """Summarize pages for all topics; returns the summary, and the reason why it is the embedded model's."""
        try:
            return await self._ask(self.backend, pages, room, options), ''
        except SummaryUnavailableError as error:
            reason = f'not summarized by a model: {error}'
        except UsageLimitExceeded as error:
            reason = f'not summarized by a model, for the limit of the summaries: {limit_reached(error)}'
        free = replace(options, usage=None, usage_limits=None)
        try:
            return await self._ask(self.embedded, pages, room, free), reason
        except SummaryUnavailableError as error:
            said = f'the pages cannot be summarized: {error}; mend that, and go on with --resume'
            raise ResearchError(said) from None

    async def _ask(
        self, backend: 'SummaryBackend', pages: Sequence[CrawledPage], room: int, options: RequestOptions
    ) -> SourceSummary:
        # A text within its budget would come back as it is, and with its headings it does not fit.
        least, most = LEAST_SUMMARY * len(self.topics), sum(page.tokens for page in pages) - 1
        above = len(self.topics) * _titled(pages[0]) if len(pages) == 1 else 0
        topics = [SummaryTopic(name=each.header, schema_hint=each.hint, share=each.share) for each in self.topics]
        budget = max(least, min(room - above, most))
        return await backend.condense([page.source_id for page in pages], topics, budget, options)


def without_pages(text: str, titles: Collection[str], kept: Collection[str] = ()) -> str:
    """The text of a topic without what stands under the titles of some pages, unless it may be of those to be kept."""
    lines: list[str] = []
    is_wanted = True
    for line in text.splitlines():
        if line.startswith('# '):
            is_wanted = _is_one_of(line, kept) or not _is_one_of(line, titles)
        if is_wanted:
            lines.append(line)
    return '\n'.join(lines).strip()


def _is_one_of(heading: str, titles: Collection[str]) -> bool:
    """Whether a heading is one of the titles; of a long one only the beginning is there."""
    said, is_short = _words(heading), heading.endswith('…')
    return any(said == words or (is_short and words.startswith(said)) for words in map(_words, titles))


def _words(title: str) -> str:
    """A title without what marks it: above facts it has none of that."""
    return ' '.join(_WORD.findall(one_line(title).casefold()))


_NOTES_TOKENS = 8
_HEADING_TOKENS = 9
"""What the templates of sections add to a report, and to a title."""


def _titled(page: CrawledPage) -> int:
    """The most tokens of what stands above a page, or what was kept of it."""
    return count_tokens(titled(page.title)) + _HEADING_TOKENS


def section(step: Step, pages: Sequence[CrawledPage], raw: Mapping[int, str]) -> str:
    """The section of a step: what it has kept, under what it is of; `raw` are texts of pages by number."""
    own = [page for page in pages if page.source_id in step.pages]
    parts = [render_prompt('research/notes', notes=step.notes)] if step.notes else []
    if step.state == 'unchanged':
        lost = load_prompt('research/page_lost')  # evicted, and gone from where it was, too
        parts += [
            render_prompt(
                'research/page',
                number=str(page.number),
                title=titled(page.title),
                text=raw.get(page.number, lost),
            )
            for page in own
        ]
    elif step.summary and len(own) == 1:  # that of several has their titles as headings
        title = f'[{own[0].number}] {titled(own[0].title)}'
        parts.append(render_prompt('research/summary', pages=title, text=step.summary))
    elif step.summary:
        parts.append(step.summary)
    return '\n\n'.join(parts)
