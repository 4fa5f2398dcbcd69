"""The pages of a PDF as its file has them: lines, and where they stand."""

from dataclasses import dataclass, field


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

    def add(self, word: str, right: float, bottom: float, top: float) -> None:
        """Go on with the next word."""
        self.text += f' {word}'
        self.right = max(self.right, right)
        self.bottom, self.top = min(self.bottom, bottom), max(self.top, top)


@dataclass(slots=True)
class TextLine:
    """What stands on one line."""

    cells: list[Cell]

    @property
    def text(self) -> str:
        """All of it."""
        return ' '.join(cell.text for cell in self.cells)

    @property
    def left(self) -> float:
        """In points."""
        return self.cells[0].left

    @property
    def right(self) -> float:
        """In points."""
        return self.cells[-1].right

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


@dataclass(frozen=True, slots=True)
class PdfPage:
    """A page as its file has it."""

    lines: list[TextLine] = field(default_factory=list[TextLine])
    has_image: bool = False
    """Of a page without text: whether there is something to see."""
    is_broken: bool = False


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline that a file brings along."""

    title: str
    page: int
    """From 0."""
    level: int
    """From 1."""
