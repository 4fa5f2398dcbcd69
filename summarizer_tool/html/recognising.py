"""Whether a text is a web page, or only speaks of one."""

import re

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
