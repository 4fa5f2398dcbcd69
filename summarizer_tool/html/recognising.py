"""Whether a text is a web page, or only speaks of one."""

import re

HEAD = 4096
"""Characters in which a page shows that it is one."""

_START = re.compile(
    r'\s*(?:<\?xml[^<>]*>\s*|<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html)\b', re.IGNORECASE | re.DOTALL
)
# One tag may be what a sentence is about: "<html> is the root of every page."
_TAG = re.compile(r'</?[a-z][^<>]*>', re.IGNORECASE)


def is_page(text: str) -> bool:
    """Whether a text begins as an HTML page does, and goes on with tags.

    Args:
        text: Any text; its beginning decides.
    """
    head = text[:HEAD].removeprefix('\ufeff')
    start = _START.match(head)
    return start is not None and _TAG.search(head, start.end()) is not None
