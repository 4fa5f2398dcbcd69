"""A page as a flat run of blocks, each with the containers it stands in."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

FrameKind = Literal['quote', 'list', 'item', 'terms', 'term', 'definition', 'table', 'row', 'cell', 'caption', 'figure']
BlockKind = Literal['text', 'heading', 'code', 'math']

# Within the text of a block, until it is written. None of them can stand on a page.
MAX_FRAMES = 24
"""Containers around a block; those further in do not show."""
MAX_REGIONS = 12

BREAK = '\x1e'
LINK_OPEN = '\x02'
LINK_CLOSE = '\x03'


@dataclass(slots=True, eq=False)
class Frame:
    """A container that shows in the markdown."""

    kind: FrameKind
    parent: 'Frame | None' = None
    is_ordered: bool = False
    """Of a list."""
    number: int = 0
    """Of a list: that of its next item; of an item: its own."""
    step: int = 1
    """Of a list: from the number of an item to the next one's."""
    form: str = ''
    """Of a list: that of its numbers, if these are no digits."""
    children: 'list[Frame]' = field(default_factory=list['Frame'])
    """Of a table its rows, of a row its cells."""
    columns: int = 1
    """That a cell spans."""
    rows: int = 1
    """That a cell spans; 0: all there are."""
    is_header: bool = False
    """Of a cell."""
    depth: int = 0
    """Containers around it."""
    is_layout: bool = False
    """Of a table or list: whether it only places things on the page."""
    kinds: frozenset[FrameKind] = field(init=False)
    """Its own, and those of the containers around it."""

    def __post_init__(self) -> None:
        around = self.parent.kinds if self.parent is not None else frozenset[FrameKind]()
        self.kinds = around if self.kind in around else around | frozenset[FrameKind]((self.kind,))

    def chain(self) -> 'list[Frame]':
        """This frame and those around it, the outermost first."""
        frames: list[Frame] = []
        frame: Frame | None = self
        while frame is not None:
            frames.append(frame)
            frame = frame.parent
        return frames[::-1]


@dataclass(slots=True, eq=False)
class Region:
    """A part of the page whose name, role or tag says that it is none of the content."""

    parent: 'Region | None'
    name: str
    """Parts that are named alike are judged together."""
    tag: str
    depth: int = 0
    """Such parts around it."""
    group: int = 0
    """The element that it stands in."""
    is_chrome: bool = True
    """Unless what it holds says otherwise."""
    is_box: bool = False
    """Whether it is an infobox."""


@dataclass(slots=True, eq=False)
class PageBlock:
    """Text that stands on lines of its own."""

    kind: BlockKind
    text: str
    """Without marks for its containers; code and formulas verbatim."""
    frame: Frame | None = None
    region: Region | None = None
    tag: str = ''
    """The element that is its box."""
    level: int = 0
    """Of a heading, 1 to 6."""
    language: str = ''
    """Of code."""
    size: int = 0
    """Characters, without white space at the edges of text nodes."""
    linked: int = 0
    """Those of them that stand in links."""
    box: int = 0
    """The element whose text it is: its own, or one that holds other blocks beside bare text."""
    group: int = 0
    """The element around its box; equal for siblings."""
    form: int = 0
    """What its box and the elements around it are: their tags and names; equal for texts that are set alike."""
    marks: list[int] = field(default_factory=list[int])
    """The numbers of its text nodes, each followed by its characters."""
    links: list[str] = field(default_factory=list[str])
    """Targets, as the page has them, of the links in its text."""
    is_kept: bool = False
    leads_on: bool = False
    """Whether its links belong to the content, though its text is left out."""

    def frames(self) -> Iterator[Frame]:
        """The containers around it, the innermost first."""
        frame = self.frame
        while frame is not None:
            yield frame
            frame = frame.parent

    def is_in(self, *kinds: FrameKind) -> bool:
        """Return whether it stands in a container of one of these kinds."""
        return self.frame is not None and not self.frame.kinds.isdisjoint(kinds)

    @property
    def is_chrome(self) -> bool:
        """Whether it stands in a part that is none of the content."""
        return self.region is not None and self.region.is_chrome

    @property
    def words(self) -> str:
        """Its text without the marks of links."""
        return self.text.replace(LINK_OPEN, '').replace(LINK_CLOSE, '') if self.links else self.text


@dataclass(slots=True, eq=False)
class Picture:
    """An image, and where it stands."""

    place: int
    """The number of the block that follows it."""
    alt: str
    """What is said of it."""
    frame: Frame | None
    """The innermost container."""
    region: Region | None
    is_kept: bool = False


@dataclass(slots=True)
class Blocks:
    """All of a page."""

    blocks: list[PageBlock] = field(default_factory=list[PageBlock])
    pictures: list[Picture] = field(default_factory=list[Picture])
    parents: list[int] = field(default_factory=lambda: [0])
    """By the number of each element that is a box: that of the one around it."""
    depth: int = 0
    """Of its tree, in elements."""


_KINDS: dict[str, FrameKind] = {
    **dict.fromkeys(('ul', 'ol', 'dir', 'menu'), 'list'),
    **dict.fromkeys(('blockquote', 'details'), 'quote'),
    **dict.fromkeys(('td', 'th'), 'cell'),
    **dict.fromkeys(('caption', 'figcaption'), 'caption'),
    'li': 'item',
    'dl': 'terms',
    'dt': 'term',
    'dd': 'definition',
    'table': 'table',
    'tr': 'row',
    'figure': 'figure',
}
_FORMS = {'a': 'lowerLetter', 'A': 'upperLetter', 'i': 'lowerRoman', 'I': 'upperRoman'}


def framed(element: Any, tag: str, parent: Frame | None) -> Frame | None:
    """The container that an element opens, or the one that it stands in."""
    kind = _KINDS.get(tag)
    depth = parent.depth + 1 if parent is not None else 0
    if kind is None or depth >= MAX_FRAMES:
        return parent
    frame = Frame(kind, parent, depth=depth)
    match kind:
        case 'list':
            frame.is_ordered = tag == 'ol'
            frame.form = _FORMS.get(element.get('type'), '')
            is_reversed = frame.is_ordered and element.get('reversed') is not None
            frame.step = -1 if is_reversed else 1
            items = sum(1 for _ in element.iterchildren('li')) if is_reversed else 1
            frame.number = _number(element.get('start'), items, sign='-')
        case 'item' if parent is not None and parent.kind == 'list' and parent.is_ordered:
            frame.number = _number(element.get('value'), parent.number, sign='-')
            parent.number = frame.number + parent.step
        case 'table':
            frame.is_layout = element.get('role') in ('presentation', 'none')
        case 'cell':
            frame.is_header = tag == 'th'
            # Taken away: trafilatura would spread the cells, however many.
            frame.columns = _number(element.attrib.pop('colspan', None), 1)
            frame.rows = _number(element.attrib.pop('rowspan', None), 1)
        case _:
            pass
    if parent is not None and (kind, parent.kind) in (('row', 'table'), ('cell', 'row')):
        parent.children.append(frame)
    return frame


def _number(text: str | None, otherwise: int, *, sign: str = '') -> int:
    digits = (text or '').removeprefix(sign)
    return int(text) if text and digits.isascii() and digits.isdigit() and len(digits) < 9 else otherwise
