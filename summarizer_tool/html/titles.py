"""What a page calls itself."""

import re
from typing import Any

from summarizer_tool.html.page_blocks import PageBlock

MAX_LENGTH = 300
"""Characters of a title that are kept."""

UNSEEN = re.compile('[\xad\u200b\u2060\ufeff]')
"""Characters that split words for whoever searches, and that nobody sees."""


def page_title(tree: Any, blocks: list[PageBlock]) -> str:
    """On one line: what it is to be shared as, the heading that its title has, or its title."""
    head = tree.find('head') if tree.tag == 'html' else None
    if head is not None:
        for meta in head.iter('meta'):
            if (meta.get('property') or meta.get('name')) in ('og:title', 'twitter:title') and meta.get('content'):
                return title_line(meta.get('content'))
    found = next(tree.iter('title'), None)
    named = title_line(''.join(found.itertext())) if found is not None else ''
    headings = [(block.level, title_line(block.words)) for block in blocks if block.level]
    first = [words for level, words in headings if level == 1]
    begins_with_first = bool(first) and named.casefold().startswith(first[0].casefold())
    if begins_with_first or (len(first) == 1 and (not named or first[0] in named)):
        # A title that ends with its site's name, which may be a heading of the first level, begins with the page's.
        begins = named.casefold().startswith
        return next((words for _, words in headings if words and begins(words.casefold())), first[0])
    return named


def title_line(text: str) -> str:
    """A title of at most `MAX_LENGTH` characters without line breaks or control characters."""
    line = ' '.join(text[: 4 * MAX_LENGTH].split())
    if not line.isprintable():
        shown = (char if char.isprintable() else ' ' for char in UNSEEN.sub('', line))
        line = ' '.join(''.join(shown).split())
    return line[:MAX_LENGTH]
