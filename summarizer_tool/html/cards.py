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
    """Make terms and definitions of the boxes of a tree: of three or more beside each other, each with a label."""
    for parent in tree.iter('div', 'section', 'aside'):
        kinds: dict[str, list[Any]] = {}
        for child in parent.iterchildren('div'):
            if 2 <= len(child) <= _MOST_PARTS and (names := child.get('class')):
                kinds.setdefault(names, []).append(child)
        for boxes in kinds.values():
            labelled = [box for box in boxes if _is_labelled(box)] if len(boxes) >= _LEAST else []
            if len(labelled) >= _LEAST and _are_facts(parent, boxes, labelled):
                for box in labelled:
                    box.tag = 'dl'
                    for place, part in enumerate(box):
                        part.tag = 'dt' if not place else 'dd' if part.tag in _VALUES else part.tag


def _are_facts(parent: Any, boxes: Sequence[Any], labelled: Sequence[Any]) -> bool:
    """Return whether boxes tell something, rather than lead elsewhere: at the side most values may be links."""
    if parent.tag == 'aside' or next(parent.iterancestors('aside'), None) is not None:
        return len(labelled) >= _MOSTLY * len(boxes) and any(map(_is_told, labelled))
    return len(labelled) == len(boxes) and any(next(box.iter('a'), None) is None for box in boxes)


def _is_labelled(box: Any) -> bool:
    """Return whether a box is a short label, which is no link and no sentence, and what is said of it."""
    label, *values = box
    if label.tag not in _LABELS or any(each.strip() for each in (box.text or '', *(part.tail or '' for part in box))):
        return False
    said = ' '.join(_start(label, _LONGEST_LABEL).split())
    is_short = len(said) <= _LONGEST_LABEL and any(map(str.isalpha, said)) and not ends_a_sentence(said)
    if not is_short or any(each is not label for each in label.iter(*_HOLDING)):
        return False
    value = ''.join(_start(part, _LONGEST_VALUE) for part in values).strip()
    are_values = len(value) <= _LONGEST_VALUE and all(part.tag in _VALUES for part in values)
    return value != '' and (label.tag[0] != 'h' or are_values)


def _is_told(box: Any) -> bool:
    """Return whether something that is said in a box is no link."""
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
