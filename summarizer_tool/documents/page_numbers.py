"""The pages of a text that has some: a form feed stands between two, as in the text of a PDF. Pure computing.

Such a text needs no more to be stored, and the mark costs a token. It counts as white space wherever lines are read.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise

PAGE_BREAK = '\f'


@dataclass(frozen=True, slots=True)
class PageNumbers:
    """Where the pages of a text begin."""

    breaks: tuple[int, ...] = ()
    """The offset of each form feed."""
    lines: tuple[int, ...] = ()
    """The line, from 1, that each of them is on."""
    before: tuple[int, ...] = ()
    """The last line with text before each of them: a form feed may stand at the beginning of a line."""

    @classmethod
    def of(cls, text: str) -> 'PageNumbers':
        """Look for the pages of a text."""
        breaks = [match.start() for match in re.finditer(PAGE_BREAK, text)]
        between = (text.count('\n', start, end) for start, end in pairwise((0, *breaks)))
        lines = tuple(accumulate(between, initial=1))[1:]
        is_first = [not text[text.rfind('\n', 0, place) + 1 : place].strip() for place in breaks]
        return cls(tuple(breaks), lines, tuple(line - first for line, first in zip(lines, is_first, strict=True)))

    def at(self, offset: int) -> int | None:
        """The page, from 1, that the character at `offset` is on; nothing where the text has no pages."""
        return 1 + bisect_right(self.breaks, offset) if self.breaks else None

    def of_lines(self, first: int, last: int) -> str:
        """`p. 3`, or `p. 3-4`, for the lines from one to another; empty where the text has no pages."""
        if not self.breaks:
            return ''
        return _shown(1 + bisect_left(self.before, first), 1 + bisect_right(self.lines, last))

    def of_characters(self, start: int, end: int) -> str:
        """The same for the characters from `start` to before `end`."""
        if not self.breaks:
            return ''
        return _shown(1 + bisect_right(self.breaks, start), 1 + bisect_right(self.breaks, max(start, end - 1)))


def _shown(first: int, last: int) -> str:
    return f'p. {first}' if first == last else f'p. {first}-{last}'
