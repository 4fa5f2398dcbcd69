"""From what the steps have kept to what the extraction reads: five sections, within the window."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from researcher_integration.checkpoint import Block, Step
from researcher_integration.material import Page, Section, TopicId
from researcher_integration.topics import Topic
from summarizer_tool import Document, ExtractiveModel, Settings, Summarizer, prompts, tokens

Texts = Callable[[str], Awaitable[str]]
"""The text of a page by its handle."""

_NOTES_TOKENS = 8
_HEADING_TOKENS = 9
"""What the templates of sections add to a report, and to a title."""


async def build(
    steps: Mapping[TopicId, Step],
    topics: Sequence[Topic],
    pages: Mapping[str, Page],
    texts: Texts,
    room: int,
    settings: Settings,
) -> tuple[list[Section], list[str]]:
    """A section for each step, together at most `room` tokens.

    A step that stayed raw is condensed by the embedded model to the step's budget, so that the extraction still gets
    something of all its pages; so is what goes over the room.

    Args:
        steps: The finished ones.
        topics: In the order of the steps.
        pages: By handle.
        texts: Reads a page.
        room: Tokens of all sections together.
        settings: For the embedded model.

    Returns:
        The sections, and what was condensed here, for the reader.
    """
    embedded = Summarizer(settings, model=ExtractiveModel())
    sections: list[Section] = []
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
        sections.append(Section(topic.id, topic.header, text))
    hints = {topic.id: topic.hint for topic in topics}
    while (over := sum(tokens.count(section.text) for section in sections) - room) > 0:
        index = max(range(len(sections)), key=lambda each: len(sections[each].text))
        section = sections[index]
        left = max(1, tokens.count(section.text) - over)
        summary = await embedded.summarize_for_extraction(section.text, hints[section.topic], max_output_tokens=left)
        shorter = summary.text if tokens.fits(summary.text, left) else tokens.truncate(section.text, left)
        sections[index] = Section(section.topic, section.header, shorter)
        said.append(f'{section.header}: {over:,} tokens over the window, condensed by the embedded model')
    return sections, said


def overhead(pages: Sequence[Page]) -> int:
    """Tokens that a section of these pages has at most beside their texts: what says of which page it is."""
    return _NOTES_TOKENS + sum(tokens.count(_line(page.title)) + _HEADING_TOKENS for page in pages)


async def _text(block: Block, pages: Mapping[str, Page], texts: Texts) -> str:
    if block.kind == 'notes':
        return prompts.render('research/notes', notes=block.text)
    if block.kind == 'summary':
        titles = ', '.join(f'[{pages[handle].number}] {_line(pages[handle].title)}' for handle in block.source_ids)
        return prompts.render('research/summary', pages=titles, text=block.text)
    [handle] = block.source_ids
    page = pages[handle]
    return prompts.render('research/page', number=str(page.number), title=_line(page.title), text=await texts(handle))


def _line(title: str) -> str:
    return ' '.join(title.split())[:80] or 'untitled'
