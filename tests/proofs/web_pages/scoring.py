"""How much of what is asked for is in a text, and how much of what is not."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from tests.proofs.web_pages.corpus import LabelledPage

_LINE_MARKS = re.compile(r'(?m)^[ \t]*(?:>[ \t]?|#{1,6}[ \t]+|[-*+][ \t]+|\d{1,9}[.)][ \t]+|:[ \t]+)+')
_INLINE_MARKS = re.compile(r'<br>|[|*_`~\\$^\[\]]')
_INVISIBLE = re.compile('[\xad\u200b\u2060\ufeff]')


def plain(text: str) -> str:
    """Runs of white space as one space: all that trafilatura's own evaluation does."""
    return ' '.join(text.split())


def bare(text: str) -> str:
    """Without the marks of markdown and without characters that nobody sees; what is looked for is changed alike.

    A string of a page may run from a link into its text, over two cells or past a soft hyphen. Whether markup stands
    there, in whichever way, is not what is asked.
    """
    text = _INVISIBLE.sub('', unicodedata.normalize('NFC', text))
    return plain(_INLINE_MARKS.sub(' ', _LINE_MARKS.sub('', text)))


@dataclass(frozen=True, slots=True)
class Score:
    """Strings that were found where they should be, and where they should not."""

    kept: int = 0
    content: int = 0
    left: int = 0
    """Of the chrome."""
    chrome: int = 0

    @classmethod
    def of(cls, page: LabelledPage, text: str, normalise: Callable[[str], str]) -> 'Score':
        """Of one page."""
        made = normalise(text)
        return cls(
            sum(normalise(said) in made for said in page.content),
            len(page.content),
            sum(normalise(said) in made for said in page.chrome),
            len(page.chrome),
        )

    def __add__(self, other: 'Score') -> 'Score':
        return Score(
            self.kept + other.kept, self.content + other.content, self.left + other.left, self.chrome + other.chrome
        )

    @property
    def errors(self) -> int:
        """Strings that are missing, and those that should be."""
        return self.content - self.kept + self.left

    @property
    def mean(self) -> float:
        """The harmonic mean of the share that is kept and the share that is dropped; 0 to 1."""
        kept, dropped = self.kept / self.content, 1 - self.left / self.chrome
        return 2 * kept * dropped / (kept + dropped) if kept + dropped else 0.0

    def __str__(self) -> str:
        return f'kept {self.kept}/{self.content}, dropped {self.chrome - self.left}/{self.chrome}, mean {self.mean:.4f}'
