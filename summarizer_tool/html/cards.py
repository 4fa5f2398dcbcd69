"""Boxes of labels and what is said of each that are made of `div`s, as the boxes of wikis are: as lists of terms."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from summarizer_tool.html.block_score import ends_a_sentence

_LEAST = 3
"""Boxes of one kind beside each other."""
_MOSTLY = 0.7
"""Share of these at the side that have a label and a value; of some the value is a picture."""
_MOST_PARTS = 3
"""Elements of a box: its label, and what is said of that."""
_LONGEST_LABEL = 80
_LONGEST_VALUE = 120
"""Characters of what stands below a heading that is a label; it is one of a section otherwise."""
_LABELS = frozenset({'div', 'span', 'b', 'strong', 'p', 'h3', 'h4', 'h5', 'h6'})
_HOLDING = ('a', 'img', 'div', 'p', 'ul', 'table')
_VALUES = frozenset({'div', 'span', 'p'})


def mark(tree: Any) -> None:
    """Make terms and definitions of the boxes of a tree: of three or more of a kind, each with a label.

    They stand beside each other, or anywhere in what stands at the side.
    """
    at_side: set[Any] = set()
    for parent in tree.iter('div', 'section', 'aside'):
        if parent in at_side:
            continue
        if is_aside := parent.tag == 'aside':
            at_side.update(parent.iter('div', 'section', 'aside'))
        kinds: dict[str, list[Any]] = {}
        for child in parent.iter('div') if is_aside else parent.iterchildren('div'):
            if 2 <= len(child) <= _MOST_PARTS and (names := child.get('class')):
                kinds.setdefault(names, []).append(child)
        for boxes in kinds.values():
            labelled = [box for box in boxes if _is_labelled(box, is_aside=is_aside)] if len(boxes) >= _LEAST else []
            short = [box for box in labelled if _has_short_value(box)]
            pairs = labelled if is_aside else short
            if len(short) >= _LEAST and _are_facts(boxes, pairs, is_aside=is_aside):
                for box in pairs:
                    box.tag = 'dl'
                    for place, part in enumerate(box):
                        part.tag = 'dt' if not place else 'dd' if part.tag in _VALUES else part.tag


def _are_facts(boxes: Sequence[Any], labelled: Sequence[Any], *, is_aside: bool) -> bool:
    """Return whether boxes tell something, rather than lead elsewhere: at the side most values may be links."""
    if is_aside:
        return len(labelled) >= _MOSTLY * len(boxes) and any(map(_is_told, labelled))
    return len(labelled) == len(boxes) and any(next(box.iter('a'), None) is None for box in boxes)


def _is_labelled(box: Any, *, is_aside: bool) -> bool:
    """Return whether a box is a short label, no sentence and but at the side no link, and what is said of it."""
    label, *values = box
    if label.tag not in _LABELS or any(each.strip() for each in (box.text or '', *(part.tail or '' for part in box))):
        return False
    said = ' '.join(_start(label, _LONGEST_LABEL).split())
    is_short = len(said) <= _LONGEST_LABEL and any(map(str.isalpha, said)) and not ends_a_sentence(said)
    if not is_short or any(each is not label for each in label.iter(*_HOLDING[is_aside:])):
        return False
    return any(_start(part, _LONGEST_VALUE).strip() for part in values)


def _has_short_value(box: Any) -> bool:
    """Return whether what is said of a label is short, where that is a heading: it is a section otherwise."""
    label, *values = box
    size = sum(len(_start(part, _LONGEST_VALUE).strip()) for part in values)
    return label.tag[0] != 'h' or (size <= _LONGEST_VALUE and all(part.tag in _VALUES for part in values))


def _is_told(box: Any) -> bool:
    return sum(map(_size, box[1:])) > sum(map(_size, box.iter('a')))


def _size(element: Any) -> int:
    return sum(len(piece.strip()) for piece in element.itertext())


def _start(element: Any, characters: int) -> str:
    """A text of an element up to some more than so many characters."""
    text = ''
    for piece in islice(element.itertext(), characters):
        text += piece
        if len(text) > 2 * characters:
            break
    return text
