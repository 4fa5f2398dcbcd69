"""A passage: the few lines of a source that are found, shown and cited as one."""

from dataclasses import dataclass

_MUCH_OF_A_PATH = 400
"""Characters of a title and headings that stand above a text."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A few lines of a stored source, word for word."""

    id: int
    """The number of its row in the index, unique in the store."""
    source_id: str
    number: int
    """From 1, through its source."""
    first_line: int
    """The line it begins on, from 1."""
    last_line: int
    offset: int
    """Characters of the first line that stand before it: a long line has several passages."""
    path: tuple[str, ...]
    """The headings that are open where it begins, outermost first, without the source's title."""
    text: str
    """The source's own text, from `offset` in the first line on; without the white space at its end."""
    header: str = ''
    """The first row of the table in whose middle it begins, or the line that it is indented under, as a definition is
    under its term, word for word; empty elsewhere."""
    header_line: int = 0
    """The line of that, from 1; 0 where there is none."""

    def is_with(self, other: 'Passage') -> bool:
        """Return whether both stand in one source under the same heading."""
        return self.source_id == other.source_id and self.path == other.path

    def leads_to(self, other: 'Passage') -> bool:
        """Return whether both stand in one source, and the other one under the same headings, or under some of them."""
        shared = min(len(self.path), len(other.path))
        return self.source_id == other.source_id and self.path[:shared] == other.path[:shared]

    def under(self, title: str) -> str:
        """The text with its source's title and the headings above it, without which it may not say what it is about."""
        above = ' > '.join(dict.fromkeys(part for part in (title.strip(), *self.path) if part))
        return '\n'.join(part for part in (above[:_MUCH_OF_A_PATH], self.header, self.text) if part)
