"""Boxes of labels and what is said of each that are made of `div`s, as the boxes of wikis are: as lists of terms."""

from itertools import islice
from typing import Any

from summarizer_tool.html.block_score import ends_a_sentence

_LEAST = 3
"""Boxes of one kind beside each other."""
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
            is_linked = all(next(box.iter('a'), None) is not None for box in boxes)
            if len(boxes) >= _LEAST and not is_linked and all(map(_is_labelled, boxes)):
                for box in boxes:
                    box.tag = 'dl'
                    for place, part in enumerate(box):
                        part.tag = 'dt' if not place else 'dd' if part.tag in _VALUES else part.tag


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


def _start(element: Any, characters: int) -> str:
    """A text of an element up to some more than so many characters."""
    text = ''
    for piece in islice(element.itertext(), characters):
        text += piece
        if len(text) > 2 * characters:
            break
    return text
