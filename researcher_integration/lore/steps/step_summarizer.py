"""What the steps keep of the pages: one summary of them all, with a text for each topic.

Every topic draws on every page: the pages are read once, for all topics together, and each fact stands in the section
of the topic that it serves best. At the source the agent has had some pages summarized already, as soon as it had
crawled them; those summaries stay in its step as they are, and the one of all topics is made of the other pages.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.usage import RunUsage

from researcher_integration.lore.checkpoint import BlockKind, KeptBlock, Step, StepState
from researcher_integration.lore.configuration import Topic
from researcher_integration.lore.crawl.crawling import SummaryTaken
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

Blocks = Mapping[TopicId, tuple[KeptBlock, ...]]

LEAST_SUMMARY = 60
"""Tokens of a page below which a summary says nothing."""


@dataclass(frozen=True, slots=True)
class ZoneSummary:
    """What all steps keep."""

    steps: Mapping[TopicId, Step]
    """Without what their agents have spent."""
    spent: RunUsage = field(default_factory=RunUsage)
    """By the summary that they share."""
    warnings: tuple[str, ...] = ()
    """Of that summary."""


@dataclass(frozen=True, slots=True)
class ZoneSummarizer:
    """Summarizes the pages of a zone for all topics at once."""

    backend: 'SummaryBackend'
    embedded: 'SummaryBackend'
    """Stands in where that one fails."""
    topics: Sequence[Topic]
    options: RequestOptions
    """The usage of the zone, to be counted on; its limits, and progress."""

    async def summarize(
        self,
        pages: Sequence[CrawledPage],
        room: int,
        assigned: Mapping[str, TopicId],
        notes: Mapping[TopicId, str],
        taken: Mapping[TopicId, Sequence[SummaryTaken]],
    ) -> ZoneSummary:
        """Summarize the pages that no summary of an agent is of.

        All sections may have `room` tokens together; `assigned` names the one step that each page goes to where all fit
        as they are, `notes` the report of each step, `taken` the summaries that its agent had made.
        """
        noted: Blocks = {topic.id: _blocks('notes', notes.get(topic.id, '')) for topic in self.topics}
        made: Blocks = {topic.id: _made(taken.get(topic.id, ()), pages) for topic in self.topics}
        rest, free = _left(pages, noted, made, room)
        said: tuple[str, ...] = ()
        if any(made.values()) and free < LEAST_SUMMARY * len(rest):
            tokens = sum(block.tokens for block in _all(made))
            lost = f'the summaries made at the source had {tokens:,} tokens and left no room for the rest'
            said = (f'{lost}; all pages were summarized together',)
            made = {}
            rest, free = _left(pages, noted, made, room)
        whole = [_page(page) for page in rest]
        summary, reason = None, ''
        if rest and kept_tokens(whole, pages) > free:
            shared = [KeptBlock(kind='summary', source_ids=_ids(rest), tokens=0)] * len(self.topics)
            summary, reason = await self._condense(rest, free - kept_tokens(shared, pages))
        state: StepState = 'summarized' if summary or any(made.values()) else 'unchanged'
        state = 'degraded' if reason else state
        steps: dict[TopicId, Step] = {}
        for topic in self.topics:
            own = rest if summary else [page for page in rest if assigned.get(page.source_id) == topic.id]
            kept = _blocks('summary', summary.topics.get(topic.header, ''), rest) if summary else tuple(map(_page, own))
            blocks = (*noted[topic.id], *made.get(topic.id, ()), *kept)
            handles = dict.fromkeys((*(handle for block in blocks for handle in block.source_ids), *_ids(own)))
            steps[topic.id] = Step(
                topic=topic.id,
                state=state if handles else 'empty',
                pages=tuple(handles),
                blocks=blocks,
                tokens_crawled=sum(page.tokens for page in pages if page.source_id in handles),
                model=summary.model if summary else '',
                warnings=(reason,) if reason else (),
            )
        if summary is None:
            return ZoneSummary(steps, warnings=said)
        return ZoneSummary(steps, summary.usage, (*said, *summary.warnings))

    async def _condense(self, pages: Sequence[CrawledPage], budget: int) -> tuple[SourceSummary, str]:
        """Summarize pages for all topics; returns the summary, and the reason why it is the embedded model's."""
        # A text within its budget would come back as it is, and with its headings it does not fit.
        least, most = LEAST_SUMMARY * len(self.topics), sum(page.tokens for page in pages) - 1
        topics = [SummaryTopic(name=each.header, schema_hint=each.hint, share=each.share) for each in self.topics]
        tokens = max(least, min(budget, most))
        try:
            return await self.backend.condense(_ids(pages), topics, tokens, self.options), ''
        except SummaryUnavailableError as error:
            reason = f'not summarized by a model: {error}'
        except UsageLimitExceeded as error:
            reason = f'not summarized by a model, for the limit of the summaries: {limit_reached(error)}'
        free = replace(self.options, usage=None, usage_limits=None)
        try:
            return await self.embedded.condense(_ids(pages), topics, tokens, free), reason
        except SummaryUnavailableError as error:
            raise ResearchError(
                f'the pages cannot be summarized: {error}; mend that, and go on with --resume'
            ) from None


def _ids(pages: Sequence[CrawledPage]) -> tuple[str, ...]:
    return tuple(page.source_id for page in pages)


def _blocks(kind: BlockKind, text: str, pages: Sequence[CrawledPage] = ()) -> tuple[KeptBlock, ...]:
    return (KeptBlock(kind=kind, source_ids=_ids(pages), text=text, tokens=count_tokens(text)),) if text else ()


def _page(page: CrawledPage) -> KeptBlock:
    return KeptBlock(kind='page', source_ids=(page.source_id,), tokens=page.tokens)


def _made(taken: Sequence[SummaryTaken], pages: Sequence[CrawledPage]) -> tuple[KeptBlock, ...]:
    """The summaries of these pages that no later one replaces, in the order of the pages."""
    order = {page.source_id: page.number for page in pages}
    blocks: list[KeptBlock] = []
    seen: set[str] = set()
    for each in reversed(taken):
        if not order.keys().isdisjoint(each.source_ids) and not seen.issuperset(each.source_ids):
            text = _without_handles(each.text, len(each.source_ids))
            blocks.append(KeptBlock(kind='summary', source_ids=each.source_ids, text=text, tokens=count_tokens(text)))
            seen.update(each.source_ids)
    return tuple(sorted(blocks, key=lambda block: min(order.get(handle, 0) for handle in block.source_ids)))


def _without_handles(text: str, sources: int) -> str:
    """A summary without the line at its end that tells a model how to ask again."""
    body, _, last = text.rstrip().rpartition('\n')
    names_handles = 'src_' in last or f'{sources} sources' in last
    return body.rstrip() if body.strip() and names_handles and last[0] + last[-1] == '[]' else text


def _all(blocks: Blocks) -> list[KeptBlock]:
    return [block for each in blocks.values() for block in each]


def _left(pages: Sequence[CrawledPage], noted: Blocks, made: Blocks, room: int) -> tuple[list[CrawledPage], int]:
    """The pages that no summary is of, and the tokens that notes and summaries leave of the room."""
    covered = {handle for block in _all(made) for handle in block.source_ids}
    free = room - kept_tokens([*_all(noted), *_all(made)], pages)
    return [page for page in pages if page.source_id not in covered], free


Texts = Callable[[str], Awaitable[str]]
"""The text of a page by its handle."""

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
