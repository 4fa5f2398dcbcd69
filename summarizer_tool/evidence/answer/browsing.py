"""Which pages to read where no word speaks for a link: breadth first, by section, steered by what was read.

Links that stand under one heading and lead into one folder are a shelf. Whoever looks for something in a library of
unknown order takes one book from each shelf, and then more from where it was nearly right. Pure computing.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from summarizer_tool.evidence.answer.links import MANY, Reference

_UNKNOWN = 0.25
"""Worth of a page, 0 to 1, as long as nothing of its shelf was read."""

_CURIOSITY = 0.4
"""What a shelf is worth more of which nothing was read; half of it after one page, a third after two."""

_FURTHER = 0.85
"""For each link on the way from the pages that were named, and for each folder of the path."""

_WAY = 2.0
"""For a guide, an index and the like, for the sections of a site, and for the chapters of a page."""

_KNOWN = 0.2
"""For a page in whose folder stand `MANY` links that are known, of which it is likely the list."""

_Shelf = tuple[int, frozenset[str], str]


@dataclass(slots=True)
class _Read:
    """What was read of a shelf, or is about to be."""

    values: list[float] = field(default_factory=list[float])
    chosen: int = 0

    @property
    def worth(self) -> float:
        """What is to be expected of its next page."""
        expected = (_UNKNOWN + sum(self.values)) / (1 + len(self.values))
        return expected + _CURIOSITY / (1 + len(self.values) + self.chosen)


def in_turn(known: Iterable[Reference], candidates: Collection[str], read: Mapping[str, float]) -> list[str]:
    """The keys of candidates in the order in which they are to be read.

    `known` are all links; `read` says what the pages that were read are worth, 0 to 1, by key.
    """
    links = list(known)
    folders = Counter(reference.key.rpartition('/')[0] for reference in links)
    shelves: defaultdict[_Shelf, dict[str, float]] = defaultdict(dict)
    seen: defaultdict[_Shelf, _Read] = defaultdict(_Read)
    for reference in links:
        folder = reference.key.rpartition('/')[0]
        shelf = (reference.parent, reference.section, folder)
        if reference.key in candidates:
            nearness = reference.factor * _FURTHER ** (reference.depth + folder.count('/'))
            nearness *= (_WAY if reference.is_way else 1.0) * (_KNOWN if folders[reference.key] >= MANY else 1.0)
            shelves[shelf].setdefault(reference.key, nearness)
        elif (value := read.get(reference.key)) is not None:
            seen[shelf].values.append(value)
    order: dict[str, None] = {}
    waiting = {shelf: sorted(keys, key=lambda key: -keys[key]) for shelf, keys in shelves.items()}
    while waiting:
        best = max(waiting, key=lambda shelf: seen[shelf].worth * shelves[shelf][waiting[shelf][0]])
        order.setdefault(waiting[best].pop(0))
        seen[best].chosen += 1
        if not waiting[best]:
            del waiting[best]
    return list(order)
