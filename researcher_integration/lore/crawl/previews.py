"""What a model sees of a crawled page: number, handle, outline, beginning, and how to go on. All pure."""

from researcher_integration.lore.material import CrawledPage
from summarizer_tool import load_prompt, one_line, register_tag, render_prompt, wrap_in_tag

PREVIEW_TAG = register_tag('page_preview')

PREVIEW_CHARACTERS = 5000

OUTLINE_CHARACTERS = 2000

_LINE_WITHIN = 0.8
"""Of a preview: a line end further up is given up for the end of a word."""


def beginning(text: str, at_most: int = PREVIEW_CHARACTERS) -> str:
    """The first part of a text, up to the end of a line or a word."""
    if len(text) <= at_most:
        return text
    line_end = text.rfind('\n', 0, at_most) + 1
    if line_end >= at_most * _LINE_WITHIN:
        return text[:line_end]
    word_end = max(line_end, text.rfind(' ', 0, at_most) + 1)
    return text[: at_most if text[at_most].isspace() else word_end or at_most]


def shortened(outline: str, at_most: int = OUTLINE_CHARACTERS) -> str:
    """As many whole lines of an outline as fit, and `…` where some were left out."""
    if len(outline) <= at_most:
        return outline
    mark = '\n…'
    return outline[: max(0, outline.rfind('\n', 0, at_most - len(mark) + 1))] + mark


def describe(page: CrawledPage, text: str, outline: str, *, is_new: bool) -> str:
    """Describe a page for the model; the page's own text stands in a frame that it cannot close."""
    first = beginning(text)
    headings = shortened(outline)
    body = render_prompt(
        'research/page_preview',
        title=one_line(page.title),
        outline=f'{headings}\n\n' if headings else '',
        beginning=first,
    )
    return render_prompt(
        'research/crawled' if is_new else 'research/crawled_again',
        number=str(page.number),
        source_id=page.source_id,
        tokens=f'{page.tokens:,}',
        tier=page.tier,
        preview=wrap_in_tag(PREVIEW_TAG, f'\n{body}\n'),
        rest=_rest(page, first, text),
    )


def _rest(page: CrawledPage, first: str, text: str) -> str:
    """Where the rest begins, as `read_source` counts lines from 1, and characters of a line."""
    if not text[len(first) :].strip():
        return load_prompt('research/preview_end')
    offset = len(first) - first.rfind('\n') - 1
    return render_prompt(
        'research/preview_rest',
        shown=f'{len(first):,}',
        characters=f'{len(text):,}',
        source_id=page.source_id,
        line=str(first.count('\n') + 1),
        offset=f', offset={offset}' if offset else '',
    )
