"""Which elements of a page are containers that show in its markdown."""

from typing import Any

from summarizer_tool.html.page_blocks import MAX_FRAMES, Frame, FrameKind

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
_FIGURES = frozenset({'wp-caption', 'thumb', 'thumbinner', 'gallerybox', 'image-container'})
_CAPTIONS = frozenset({'wp-caption-text', 'thumbcaption', 'gallerytext', 'caption', 'image-caption', 'figcaption'})
"""Names of what stands for `figure` and `figcaption` in the markup of WordPress, MediaWiki and others."""


def framed(element: Any, tag: str, names: str, label: str, parent: Frame | None) -> Frame | None:
    """The container that an element opens, or the one that it stands in; `label` says what it is if it is a note."""
    kind = 'quote' if label else _KINDS.get(tag) or (_figured(names) if names else None)
    depth = parent.depth + 1 if parent is not None else 0
    if kind is None or depth >= MAX_FRAMES:
        return parent
    frame = Frame(kind, parent, label=label, depth=depth)
    match kind:
        case 'list':
            frame.is_ordered = tag == 'ol'
            frame.number = _number(element.get('start'), 1)
        case 'item' if parent is not None and parent.kind == 'list' and parent.is_ordered:
            frame.number = _number(element.get('value'), parent.number)
            parent.number = frame.number + 1
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


def _figured(names: str) -> FrameKind | None:
    words = names.split()
    if not _CAPTIONS.isdisjoint(words):
        return 'caption'
    return None if _FIGURES.isdisjoint(words) else 'figure'


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else otherwise
