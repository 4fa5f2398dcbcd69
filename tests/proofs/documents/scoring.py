"""How much of a text another one has, and in its order."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

RUN = 4
"""Words in a row that are looked for together, so that a word alone, found anywhere, counts for nothing."""

_HYPHEN = re.compile(r'(?<=\w)(?:-\s*\n\s*|\u00ad|\u2010\s*\n\s*)(?=\w)')
_WORD = re.compile(r'[^\W_]+')


def words(text: str) -> list[str]:
    """The words of a text in small letters, those that were divided at the end of a line put together."""
    return _WORD.findall(_HYPHEN.sub('', text).casefold())


def kept_in_order(reference: str, made: str) -> float:
    """The share of the runs of words of a reference that a text has in the same order, 0 to 1.

    Counted are runs that occur once in the reference: of these the longest series that the text has in order.
    """
    wanted = _runs(words(reference))
    counts = Counter(wanted)
    only = [run for run in wanted if counts[run] == 1]
    places: dict[tuple[str, ...], int] = {}
    for place, run in enumerate(_runs(words(made))):
        places.setdefault(run, place)
    return _longest([places[run] for run in only if run in places]) / len(only) if only else 0.0


def _runs(found: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*(found[start:] for start in range(RUN)), strict=False))


def _longest(places: Sequence[int]) -> int:
    """The length of the longest ascending series (patience sorting)."""
    ends: list[int] = []
    for place in places:
        index = bisect_left(ends, place)
        ends[index : index + 1] = [place]
    return len(ends)
