"""Code on a page: its text as it is written, and its language."""

import re
from typing import Any

from summarizer_tool.html.parsing import walk

_LINES = frozenset({'div', 'p', 'li', 'tr', 'ol', 'ul', 'table', 'pre', 'figure'})
"""Each of these within code begins and ends a line."""
_OUT = frozenset({'button', 'script', 'style', 'svg', 'select', 'textarea', 'input', 'template'})
_GUTTER = re.compile(r'(?:^|[\s_-])(?:gutter|linenos?|linenodiv|lnt?)(?:$|\s)')
"""Class names of line numbers beside code."""
_LANGUAGE = re.compile(r'(?:^|\s)lang(?:uage)?-([A-Za-z][\w+#.-]{0,29})(?=$|\s)')
_MAX_NAMES = 400
"""Characters of class names that are looked at."""


def verbatim(element: Any) -> str:
    """The text of a `pre`, line breaks and indentation kept, without line numbers and buttons."""
    if _is_gutter(element.getparent()):
        return ''
    if len(element) == 0:
        return _without_empty_edges(element.text or '')
    pieces: list[str] = []
    walker = walk(element)
    for event, inner in walker:
        is_start = event == 'start'
        if is_start and (inner.tag in _OUT or (inner is not element and _is_gutter(inner))):
            walker.skip_subtree()
            continue
        is_break = inner.tag == 'br' and is_start
        if inner is not element and inner.tag in _LINES and pieces and not pieces[-1].endswith('\n'):
            pieces.append('\n')
        text = inner.text if is_start else inner.tail if inner is not element else None
        if is_break:
            pieces.append('\n')
        if text:
            pieces.append(text)
    return _without_empty_edges(''.join(pieces))


def _is_gutter(element: Any) -> bool:
    return element is not None and _GUTTER.search((element.get('class') or '')[:_MAX_NAMES]) is not None


def _without_empty_edges(text: str) -> str:
    lines = text.split('\n')
    first = next((place for place, line in enumerate(lines) if line.strip()), len(lines))
    last = next((place for place in range(len(lines), first, -1) if lines[place - 1].strip()), first)
    return '\n'.join(lines[first:last])


def language(element: Any) -> str:
    """The language that a `pre`, or the `code` in it, names as HTML has it; empty if neither does."""
    names = (place.get('class') or '' for place in (element, *element.iterchildren('code')))
    return next((found[1].lower() for each in names if (found := _LANGUAGE.search(each[:_MAX_NAMES]))), '')


def fenced(text: str, language: str) -> str:
    """A fence that nothing in the code can close."""
    fence = max(['``', *re.findall('`+', text)], key=len) + '`'
    return f'{fence}{language}\n{text}\n{fence}'


def inline(text: str) -> str:
    """A code span that nothing in the code can close."""
    text = ' '.join(text.split())
    fence = max(['', *re.findall('`+', text)], key=len) + '`'
    return f'{fence} {text} {fence}' if len(fence) > 1 else f'`{text}`' * bool(text)
