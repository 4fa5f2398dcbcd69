"""A statement: what a line of a text or a few of them say, of which kind it is, and under which headings it stands."""

from dataclasses import dataclass
from enum import Enum

from summarizer_tool.text.sentences import is_whole


class Kind(Enum):
    """The form of text that a statement was read from.

    Each with its weight against prose, which relates what it names, while rows and lists are as full of names and state
    less, code and fragments state nothing; and with how much a fact of it matters to the whole, 1 to 5. How well one
    served its own chunk is no part of that: what one chunk says best another one may have said.
    """

    PROSE = ('prose', 1.0, 3)
    FRAGMENT = ('fragment', 0.02, 1)
    """Prose that has not the form of a sentence: a caption, a reference, a name in a line of its own."""
    LIST = ('list', 0.4, 2)
    """Short list items or labelled values, said together."""
    ROW = ('row', 0.6, 2)
    """A table row, or a line of a code block that is no code."""
    CODE = ('code', 0.02, 1)
    DECLARATION = ('declaration', 1.0, 5)
    """What source code declares, with what is said of it."""
    COMMENT = ('comment', 0.05, 1)
    """What else is said in source code, and what it declares for itself alone."""
    REFERENCE = ('reference', 0.02, 1)
    """An entry of a list of references."""

    def __init__(self, form: str, weight: float, importance: int) -> None:
        self.form = form
        self.weight = weight
        self.importance = importance


@dataclass(frozen=True, slots=True)
class HeadingSection:
    """The headings that are open over some statements."""

    titles: tuple[str, ...] = ()
    """Outermost first."""
    numbers: tuple[int, ...] = ()
    """Their line numbers; 0 for a heading that stands before the lines."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Something a line or a few of them say."""

    text: str
    """As it stands there."""
    evidence: tuple[int, ...]
    section: int
    """Index among the sections; statements of one section are about one thing."""
    paragraph: int = 0
    """Counts the paragraphs of the source."""
    kind: Kind = Kind.PROSE
    lead: str = ''
    """Who says it, or what it is about."""
    thing: int = -1
    """Of statements that have this number in common one is enough: a sentence, and the same with those after it that
    point back to it."""
    is_opening: bool = False
    """Whether it tells what the text is about."""
    prominence: float = 1.0
    """What it is worth for the gist by its place in the text and in its paragraph, against 1 for another."""

    @property
    def is_sentence(self) -> bool:
        """Whether it is one for a reader, such as an order, in which no verb is known by its form."""
        return self.kind is Kind.PROSE or (self.kind is Kind.FRAGMENT and not self.lead and is_whole(self.text, ''))

    def said(self, text: str) -> str:
        """A form of the text with what leads to it."""
        return f'{self.lead}{" " if self.lead == ">" else ": "}{text}' if self.lead else text
