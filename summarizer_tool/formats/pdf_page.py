"""A page of a PDF as its file has it: words that stand together, on lines, in points from the lower left corner."""

import re
from dataclasses import dataclass, field, replace

_LEFTWARDS = re.compile('[\u05be-\u065f\u066e-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]')
"""A character of Hebrew, Arabic and the like, no digit."""


@dataclass(slots=True)
class Cell:
    """Words on a line that stand together; in points, from the lower left corner of the page."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    size: float
    """Height of the font."""
    is_bold: bool = False
    """Whether each of its words begins so."""

    run: int = 0
    """Where those of its last words begin that are written to the right."""
    latest: float = field(init=False)
    """The left of its last word."""

    def __post_init__(self) -> None:
        """Begin with one word."""
        self.latest = self.left

    def add(self, other: 'Cell') -> None:
        """Go on with the next word, whose font counts where only a raised number stands before it.

        Words to be read to the right, amid others, the library has from the right to the left, too.
        """
        if self.size < 0.85 * other.size and self.text.isdigit():
            self.size = other.size
        is_rightwards = any(map(str.isalpha, other.text)) and not leftwards(other.text)
        if is_rightwards and self.run < len(self.text) and other.right < self.latest:
            self.text = f'{self.text[: self.run]}{other.text} {self.text[self.run :]}'
        else:
            self.text += f' {other.text}'
            self.run = self.run if is_rightwards else len(self.text) + 1
        self.latest = other.left
        self.left, self.right = min(self.left, other.left), max(self.right, other.right)
        self.bottom, self.top = min(self.bottom, other.bottom), max(self.top, other.top)
        self.is_bold = self.is_bold and other.is_bold


@dataclass(slots=True)
class TextLine:
    """What stands on one line."""

    cells: list[Cell]
    turn: int = 0
    """Quarters by which the page was turned for it to be upright."""

    @property
    def text(self) -> str:
        """All of it."""
        return ' '.join(cell.text for cell in self.cells)

    @property
    def left(self) -> float:
        """In points."""
        return min(cell.left for cell in self.cells)

    @property
    def right(self) -> float:
        """In points."""
        return max(cell.right for cell in self.cells)

    @property
    def bottom(self) -> float:
        """In points."""
        return min(cell.bottom for cell in self.cells)

    @property
    def top(self) -> float:
        """In points."""
        return max(cell.top for cell in self.cells)

    @property
    def size(self) -> float:
        """Of the font that most of it is in."""
        return max(self.cells, key=lambda cell: len(cell.text)).size

    @property
    def is_bold(self) -> bool:
        """Whether all of its cells are."""
        return all(cell.is_bold for cell in self.cells)

    def mirror(self) -> None:
        """Count points from the right to the left, so that what is written leftwards goes on like other text."""
        cells = [replace(cell, left=-cell.right, right=-cell.left) for cell in self.cells]
        self.cells = sorted(cells, key=lambda cell: cell.left)


@dataclass(frozen=True, slots=True)
class PdfPage:
    """A page as its file has it."""

    lines: list[TextLine] = field(default_factory=list[TextLine])
    has_image: bool = False
    """Of a page without text: whether there is something to see."""
    is_broken: bool = False


def leftwards(text: str) -> int:
    """How many characters of a text are of a script that is written from the right to the left."""
    return len(_LEFTWARDS.findall(text))


def place_note(lines: list[TextLine], note: Cell) -> None:
    """Put what somebody has written upon a page on the line where it stands, or on one below what is above it."""
    middle = (note.bottom + note.top) / 2
    near = [
        (max(cell.left - note.right, note.left - cell.right), line, cell)
        for line in lines
        if line.bottom < middle < line.top
        for cell in line.cells
    ]
    if not near:
        above = [index for index, line in enumerate(lines) if line.bottom >= middle]
        after = min(above, key=lambda index: lines[index].bottom, default=-1)
        note.size = lines[after].size if lines else note.size
        lines.insert(after + 1, TextLine([note]))
        return
    gap, line, cell = min(near, key=lambda found: found[0])
    if gap < 0:
        cell.add(replace(cell, text=note.text))
    else:
        note.bottom, note.top, note.size = line.bottom, line.top, line.size
        line.cells = sorted([*line.cells, note], key=lambda each: each.left)
