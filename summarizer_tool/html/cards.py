"""Boxes at the side with labels and what is said of each, as the boxes of wikis are: as lists of terms."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import islice
from typing import Any

from summarizer_tool.html.block_score import ends_a_sentence

_LEAST = 3
"""Fields of one kind."""
_MOSTLY = 0.7
"""Share of these that have a label and a value; of some the value is a picture."""
_MOST_PARTS = 3
"""Elements of a field: its label, and what is said of that."""
_LONGEST = 120
"""Characters of a label, and of the values of three fields at least; what has longer ones are sections."""
_LABELS = frozenset({'div', 'span', 'b', 'strong', 'p', 'h3', 'h4', 'h5', 'h6'})
_HOLDING = ('img', 'div', 'p', 'ul', 'table')
_VALUES = frozenset({'div', 'span', 'p'})


def mark(tree: Any) -> None:
    """Make terms and definitions of the fields in what stands at the side, where that tells more than it links to."""
    seen: set[Any] = set()
    for aside in tree.iter('aside'):
        if aside in seen:
            continue
        seen.update(aside.iter('aside'))
        kinds: defaultdict[str, list[Any]] = defaultdict(list)
        for field in aside.iter('div'):
            if 2 <= len(field) <= _MOST_PARTS and (names := field.get('class')):
                kinds[names].append(field)
        for fields in kinds.values():
            labelled = [field for field in fields if _is_labelled(field)]
            if len(labelled) >= _MOSTLY * len(fields) and _are_facts(labelled):
                for field in labelled:
                    field.tag = 'dl'
                    for place, part in enumerate(field):
                        part.tag = 'dt' if not place else 'dd' if part.tag in _VALUES else part.tag


def _are_facts(fields: Sequence[Any]) -> bool:
    short = [field for field in fields if sum(len(_start(part)) for part in field[1:]) <= _LONGEST]
    is_told = any(sum(map(_size, field[1:])) > sum(map(_size, field.iter('a'))) for field in fields)
    return len(short) >= _LEAST and is_told


def _is_labelled(field: Any) -> bool:
    """Return whether a field is a short label, which is no sentence, and what is said of it."""
    label, *values = field
    if label.tag not in _LABELS or any(map(str.strip, (field.text or '', *(part.tail or '' for part in field)))):
        return False
    said = _start(label)
    is_short = len(said) <= _LONGEST and any(map(str.isalpha, said)) and not ends_a_sentence(said)
    return is_short and all(each is label for each in label.iter(*_HOLDING)) and any(map(_start, values))


def _size(element: Any) -> int:
    return sum(len(piece.strip()) for piece in element.itertext())


def _start(element: Any) -> str:
    """The beginning of a text, which shows whether it is short."""
    return ' '.join(' '.join(islice(element.itertext(), _LONGEST)).split())[: 2 * _LONGEST]
