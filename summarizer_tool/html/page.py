"""What a web page holds, once it is read."""

import re
from dataclasses import dataclass

HEAD = 4096
"""Characters in which a page shows that it is one."""

START = re.compile(
    r'\s*(?:<\?xml[^<>]*>\s*|<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html)\b', re.IGNORECASE | re.DOTALL
)
"""How an HTML page begins."""

TAG = re.compile(r'</?[a-z][^<>]{0,4096}>', re.IGNORECASE)


def is_page(text: str) -> bool:
    """Return whether a text begins as an HTML page does, and goes on with tags."""
    head = text[:HEAD].removeprefix('\ufeff')
    start = START.match(head)
    # One tag may be what a sentence is about: "<html> is the root of every page."
    return start is not None and TAG.search(head, start.end()) is not None


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the main content, or of a list that belongs to it, to another page."""

    url: str
    """Absolute, http or https, without fragment."""
    text: str = ''
    """What is shown of it, on one line."""
    section: str = ''
    """The heading it stands under."""
    around: str = ''
    """Its sentence, with those before it in the same block where that is short; on one line, of at most 200 characters.
    Where it stands alone in its block: its text and, after a colon, what stands under it, such as a teaser, if anything
    does."""


@dataclass(frozen=True, slots=True)
class Page:
    """A web page as text and what stands beside it."""

    markdown: str
    """The main content; empty where the page has no text."""
    title: str = ''
    """On one line; empty if the page names none."""
    links: tuple[Link, ...] = ()
