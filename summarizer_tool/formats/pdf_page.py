"""A page of a PDF as its file has it: words that stand together, on lines, in points from the lower left corner."""

import re
from dataclasses import dataclass, field, replace
from itertools import groupby

_LEFTWARDS = re.compile('[\u05be-\u065f\u066e-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]')
"""A character of Hebrew, Arabic and the like, no digit."""
_BLANK = 0.45
"""Of a font's size: what stands between two words at most."""


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
    words: list[tuple[str, float, float]] = field(default_factory=list[tuple[str, float, float]])
    """Each with its left and its right."""
    is_bold: bool = False
    """Whether each of its words begins so."""

    def __post_init__(self) -> None:
        """Begin with one word."""
        self.words.append((self.text, self.left, self.right))

    def add(self, word: str, left: float, right: float, bottom: float, top: float, size: float) -> None:
        """Go on with the next word, whose font counts where only a raised number stands before it."""
        if self.size < 0.85 * size and self.text.isdigit():
            self.size = size
        self.text += f' {word}'
        self.words.append((word, left, right))
        self.left, self.right = min(self.left, left), max(self.right, right)
        self.bottom, self.top = min(self.bottom, bottom), max(self.top, top)

    def of(self, words: list[tuple[str, float, float]]) -> 'Cell':
        """The cell with other words."""
        said = ' '.join(word for word, _, _ in words)
        edges = min(left for _, left, _ in words), max(right for _, _, right in words)
        made = replace(self, text=said, left=edges[0], right=edges[1], words=[])
        made.words[:] = words
        return made

    def parts(self) -> list[tuple[str, float, float]]:
        """What has wider blanks between it than words have."""
        parts = self.words[:1]
        for text, left, right in self.words[1:]:
            said, begin, end = parts[-1]
            if left - end > _BLANK * self.size:
                parts.append((text, left, right))
            else:
                parts[-1] = f'{said} {text}', begin, max(end, right)
        return parts


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
        """Count points from the right to the left, so that what is written leftwards goes on like other text.

        The words of other scripts among it, which the library has from the right to the left, too, go the other way.
        """
        mirrored: list[Cell] = []
        for cell in self.cells:
            words: list[tuple[str, float, float]] = []
            for _, run in groupby(cell.words, lambda word: leftwards(word[0]) > 0):
                others = [*run]
                is_other = any(map(str.isalpha, others[0][0])) and not leftwards(others[0][0])
                words += sorted(others, key=lambda word: word[1]) if is_other else others
            mirrored.append(cell.of([(word, -right, -left) for word, left, right in words]))
        self.cells = sorted(mirrored, key=lambda cell: cell.left)


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
        cell.add(note.text, cell.right, cell.right, cell.bottom, cell.top, cell.size)
    else:
        note.bottom, note.top, note.size = line.bottom, line.top, line.size
        line.cells = sorted([*line.cells, note], key=lambda each: each.left)
