"""Which parts of a page are sections of a text: then their names say what they are about, not what they are for.

`<section id="sharing-data">` stands in a manual, `<div id="sharing">` beside an article. Generators of documentation
make the names of sections from their headings, or nest them as the headings do.
"""

from typing import Any

from summarizer_tool.html import signs

_HEADINGS = {f'h{level}': level for level in range(1, 7)}
_SECTIONS = frozenset({'section', 'div', 'article'})
_LEAST = 3
"""Sections of one kind, at least, for their names to mean nothing; as many for each that is named as chrome is."""
_MOST_ABOVE = 5
"""Elements around a heading that begin with it."""


def sections(tree: Any) -> frozenset[Any]:
    """The elements that are sections of a text, and the headings with names that are such."""
    kinds: dict[tuple[str, str], dict[Any, int]] = {}
    told: set[Any] = set()
    for heading in tree.iter(*_HEADINGS):
        words = ''
        for element in (heading, *_begun_by(heading)):
            kind = '' if element is heading else element.tag, element.get('class') or ''
            name = element.get('id')
            if not name if element is heading else kind == ('div', ''):
                continue
            kinds.setdefault(kind, {})[element] = _HEADINGS[heading.tag]
            words = words or _bare(''.join(heading.itertext()))
            if name and _bare(name) in words:
                told.add(element)
    found: set[Any] = set()
    for kind in kinds.values():
        telling = [element for element, level in kind.items() if element in told or _is_within(element, level, kind)]
        chrome = sum(signs.is_named_chrome(element.get('id') or '') for element in telling)
        if len(telling) - chrome >= _LEAST * max(1, chrome):
            found |= kind.keys()
    return frozenset(found)


def _begun_by(heading: Any) -> list[Any]:
    """The elements that begin with a heading, the innermost first."""
    found: list[Any] = []
    element = heading
    while len(found) < _MOST_ABOVE:
        around, before = element.getparent(), element.getprevious()
        while before is not None and not before.text and not (before.tail or '').strip() and not len(before):
            before = before.getprevious()
        if before is not None or around is None or around.tag not in _SECTIONS or (around.text or '').strip():
            break
        element = around
        found.append(element)
    return found


def _is_within(element: Any, level: int, kind: dict[Any, int]) -> bool:
    """Return whether a section stands directly in one of the same kind, whose heading is of a higher level."""
    return kind.get(element.getparent(), level) < level


def _bare(text: str) -> str:
    return ''.join(filter(str.isalnum, text.casefold()))
