"""From what the steps have kept to what the extraction reads: five sections, within the window."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from researcher_integration.lore.checkpoint import KeptBlock, Step
from researcher_integration.lore.material import CrawledPage, KeptSection, TopicId, titled
from researcher_integration.lore.topics import Topic
from summarizer_tool import (
    Document,
    ExtractiveModel,
    Settings,
    Summarizer,
    SummarizerError,
    count_tokens,
    load_prompt,
    render_prompt,
    truncate_tokens,
)

Texts = Callable[[str], Awaitable[str]]
"""The text of a page by its handle."""

_LEAST_SUMMARY = 20
"""Tokens below which the embedded model has no choice to make."""

LISTED = 4
"""Pages of a summary that are named above it; that of more pages has their titles as headings."""

_NOTES_TOKENS = 8
_HEADING_TOKENS = 9
"""What the templates of sections add to a report, and to a title."""


async def build(
    steps: Mapping[TopicId, Step],
    topics: Sequence[Topic],
    pages: Mapping[str, CrawledPage],
    texts: Texts,
    room: int,
    settings: Settings,
) -> tuple[list[KeptSection], list[str]]:
    """Build one section for each step, together at most `room` tokens, and say what was condensed for that.

    A step that stayed raw is condensed by the embedded model to the step's budget, so that the extraction still gets
    something of all its pages; so is what goes over the room.
    """
    embedded = Summarizer(settings, model=ExtractiveModel())
    sections: list[KeptSection] = []
    said: list[str] = []
    for topic in topics:
        step = steps.get(topic.id)
        if step is None:
            continue
        text = '\n\n'.join([await _text(block, pages, texts) for block in step.blocks])
        if step.state == 'raw' and step.tokens_kept > step.budget:
            documents = [Document(await _text(block, pages, texts)) for block in step.blocks]
            summary = await embedded.summarize_for_extraction(documents, topic.hint, max_output_tokens=step.budget)
            text = summary.text
            said.append(f'{topic.header}: {step.tokens_kept:,} raw tokens condensed by the embedded model')
        sections.append(KeptSection(topic.id, topic.header, text))
    over = sum(count_tokens(section.text) for section in sections) - room
    if over > 0:
        sections = await _fitted(sections, {topic.id: topic.hint for topic in topics}, room, embedded)
        said.append(f'{over:,} tokens over the window, taken from all sections alike by the embedded model')
    return sections, said


async def _fitted(
    sections: Sequence[KeptSection], hints: Mapping[TopicId, str], room: int, embedded: Summarizer
) -> list[KeptSection]:
    counts = [count_tokens(section.text) for section in sections]
    fitted: list[KeptSection] = []
    for section, count in zip(sections, counts, strict=True):
        share = room * count // max(1, sum(counts))
        text = section.text
        if count > share >= _LEAST_SUMMARY:
            summary = await embedded.summarize_for_extraction(text, hints[section.topic], max_output_tokens=share)
            text = summary.text
        fitted.append(KeptSection(section.topic, section.header, truncate_tokens(text, share)))
    return fitted


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
