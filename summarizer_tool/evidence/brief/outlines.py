"""The headings of a source, as a list of sources names them. Pure computing."""

from summarizer_tool.text.structure import parse

MOST = 24
"""Headings of one source; of more, those of the upper levels."""

_ENOUGH = 200
"""Headings of one level that are read, though a text may have any number."""


def upper_headings(text: str, title: str = '') -> tuple[str, ...]:
    """The headings of the upper levels of a Markdown text in order, without the one that is the title."""
    found = parse(text)
    indices = list(range(len(found.levels)))
    if indices and found.title(0).casefold() == title.strip().casefold():
        indices = indices[1:]
    for level in range(6, 1, -1):
        if len(indices) <= MOST:
            break
        indices = [index for index in indices if found.levels[index] < level] or indices
    return tuple(dict.fromkeys(name for index in indices[:_ENOUGH] if (name := found.title(index))))
