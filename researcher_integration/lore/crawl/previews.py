"""What a model sees of a crawled page: number, handle, outline, beginning, and how to go on. All pure."""

from dataclasses import dataclass

from researcher_integration.lore.material import CrawledPage
from summarizer_tool import load_prompt, one_line, register_tag, render_prompt, wrap_in_tag

PREVIEW_TAG = register_tag('page_preview')

PREVIEW_CHARACTERS = 5000

OUTLINE_CHARACTERS = 2000

_LINE_WITHIN = 0.8
"""Of a preview: a line end further up is given up for the end of a word."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first part of a text."""

    text: str
    line: int
    """The line on which the rest begins, from 1, as `read_source` counts."""
    offset: int
    """Characters of that line that belong to the first part."""
    is_whole: bool
    """Whether nothing but white space is left."""


def beginning(text: str, at_most: int = PREVIEW_CHARACTERS) -> Beginning:
    """The first part of a text, up to the end of a line, or of a word where lines are long."""
    cut = _cut(text, max(0, at_most))
    line_start = text.rfind('\n', 0, cut) + 1
    return Beginning(text[:cut], text.count('\n', 0, cut) + 1, cut - line_start, not text[cut:].strip())


def _cut(text: str, at_most: int) -> int:
    if len(text) <= at_most:
        return len(text)
    line_end = text.rfind('\n', 0, at_most) + 1
    if line_end >= at_most * _LINE_WITHIN:
        return line_end
    # A word that ends exactly at the limit is whole.
    if text[at_most].isspace():
        return at_most
    return next((end for end in range(at_most, at_most // 2, -1) if text[end - 1].isspace()), at_most)


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
        beginning=first.text,
    )
    return render_prompt(
        'research/crawled' if is_new else 'research/crawled_again',
        number=str(page.number),
        source_id=page.source_id,
        tokens=f'{page.tokens:,}',
        tier=page.tier,
        preview=wrap_in_tag(PREVIEW_TAG, f'\n{body}\n'),
        rest=_rest(page, first, len(text)),
    )


def _rest(page: CrawledPage, first: Beginning, characters: int) -> str:
    if first.is_whole:
        return load_prompt('research/preview_end')
    return render_prompt(
        'research/preview_rest',
        shown=f'{len(first.text):,}',
        characters=f'{characters:,}',
        source_id=page.source_id,
        line=str(first.line),
        offset=f', offset={first.offset}' if first.offset else '',
    )
