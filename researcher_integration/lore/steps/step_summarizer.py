"""What the steps keep of the pages: one summary of them all, with a text for each topic.

Every topic draws on every page: the pages are read once, for all topics together, and each fact stands in the section
of the topic that it serves best.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.usage import RunUsage

from researcher_integration.lore.checkpoint import KeptBlock, Step, StepState
from researcher_integration.lore.configuration import Topic
from researcher_integration.lore.material import CrawledPage, KeptSection, ResearchError, TopicId, titled
from researcher_integration.lore.summaries.backends import SourceSummary, SummaryUnavailableError
from researcher_integration.usage import limit_reached
from summarizer_tool import (
    RequestOptions,
    SummarizerError,
    SummaryTopic,
    count_tokens,
    load_prompt,
    render_prompt,
)

if TYPE_CHECKING:
    from researcher_integration.lore.summaries.over_mcp import SummaryBackend

LEAST_SUMMARY = 60
"""Tokens of a topic below which a summary says nothing."""


@dataclass(frozen=True, slots=True)
class ZoneSummary:
    """What all steps keep."""

    steps: Mapping[TopicId, Step]
    spent: RunUsage = field(default_factory=RunUsage)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ZoneSummarizer:
    """Summarizes the pages of a zone for all topics at once."""

    backend: 'SummaryBackend'
    embedded: 'SummaryBackend'
    topics: Sequence[Topic]
    options: RequestOptions
    """The usage of the zone, to be counted on; its limits, and progress."""

    async def summarize(
        self, pages: Sequence[CrawledPage], room: int, assigned: Mapping[str, TopicId], notes: Mapping[TopicId, str]
    ) -> ZoneSummary:
        """Summarize the pages, unless all fit as they are: then each goes to the step that it is assigned to.

        All sections may have `room` tokens together; `notes` are the reports of the steps.
        """
        handles = tuple(page.source_id for page in pages)
        noted = {topic: KeptBlock(kind='notes', text=text, tokens=count_tokens(text)) for topic, text in notes.items()}
        whole = {
            page.source_id: KeptBlock(kind='page', source_ids=(page.source_id,), tokens=page.tokens) for page in pages
        }
        free = room - kept_tokens([*noted.values()], pages)
        summary, reason = None, ''
        if kept_tokens([*whole.values()], pages) > free:
            above = kept_tokens([KeptBlock(kind='summary', source_ids=handles, tokens=0)] * len(self.topics), pages)
            summary, reason = await self._condense(pages, free - above)
        state: StepState = 'degraded' if reason else 'summarized' if summary else 'unchanged'
        steps: dict[TopicId, Step] = {}
        for topic in self.topics:
            blocks = [noted[topic.id]] if notes.get(topic.id) else []
            own = handles if summary else tuple(handle for handle in whole if assigned.get(handle) == topic.id)
            if summary is None:
                blocks += [whole[handle] for handle in own]
            elif text := summary.topics.get(topic.header, ''):
                blocks.append(KeptBlock(kind='summary', source_ids=own, text=text, tokens=count_tokens(text)))
            steps[topic.id] = Step(
                topic=topic.id,
                state=state if own else 'empty',
                pages=own,
                blocks=tuple(blocks),
                tokens_crawled=sum(whole[handle].tokens for handle in own),
                model=summary.model if summary else '',
                warnings=(reason,) if reason else (),
            )
        return ZoneSummary(steps, summary.usage, summary.warnings) if summary else ZoneSummary(steps)

    async def _condense(self, pages: Sequence[CrawledPage], budget: int) -> tuple[SourceSummary, str]:
        """Summarize pages for all topics; returns the summary, and the reason why it is the embedded model's."""
        # A text within its budget would come back as it is, and with its headings it does not fit.
        least, most = LEAST_SUMMARY * len(self.topics), sum(page.tokens for page in pages) - 1
        topics = [SummaryTopic(name=each.header, schema_hint=each.hint, share=each.share) for each in self.topics]
        handles, tokens = [page.source_id for page in pages], max(least, min(budget, most))
        try:
            return await self.backend.condense(handles, topics, tokens, self.options), ''
        except SummaryUnavailableError as error:
            reason = f'not summarized by a model: {error}'
        except UsageLimitExceeded as error:
            reason = f'not summarized by a model, for the limit of the summaries: {limit_reached(error)}'
        free = replace(self.options, usage=None, usage_limits=None)
        try:
            return await self.embedded.condense(handles, topics, tokens, free), reason
        except SummaryUnavailableError as error:
            said = f'the pages cannot be summarized: {error}; mend that, and go on with --resume'
            raise ResearchError(said) from None


Texts = Callable[[str], Awaitable[str]]

LISTED = 4
"""Pages of a summary that are named above it; that of more pages has their titles as headings."""

_NOTES_TOKENS = 8
_HEADING_TOKENS = 9
"""What the templates of sections add to a report, and to a title."""


async def section(topic: Topic, step: Step, pages: Sequence[CrawledPage], texts: Texts) -> KeptSection:
    """The section of a step: the text of its blocks, each under what it is of."""
    known = {page.source_id: page for page in pages}
    read = [await _text(block, known, texts) for block in step.blocks]
    return KeptSection(topic.id, topic.header, '\n\n'.join(read))


def kept_tokens(blocks: Sequence[KeptBlock], pages: Sequence[CrawledPage]) -> int:
    """The most tokens that blocks have in sections, with what stands above each."""
    known = {page.source_id: page for page in pages}
    named = [known[handle] for block in blocks if len(block.source_ids) <= LISTED for handle in block.source_ids]
    titles = sum(count_tokens(titled(page.title)) + _HEADING_TOKENS for page in named)
    return titles + sum(_NOTES_TOKENS + block.tokens for block in blocks)


async def _text(block: KeptBlock, pages: Mapping[str, CrawledPage], texts: Texts) -> str:
    if block.kind == 'notes':
        return render_prompt('research/notes', notes=block.text)
    if block.kind == 'summary':
        if len(block.source_ids) > LISTED:
            return block.text
        titles = ', '.join(f'[{pages[handle].number}] {titled(pages[handle].title)}' for handle in block.source_ids)
        return render_prompt('research/summary', pages=titles, text=block.text)
    [handle] = block.source_ids
    page = pages[handle]
    try:
        text = await texts(handle)
    except SummarizerError:  # evicted, and gone from where it was, too
        text = load_prompt('research/page_lost')
    return render_prompt('research/page', number=str(page.number), title=titled(page.title), text=text)
