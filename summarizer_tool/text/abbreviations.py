"""Full stops that end no sentence."""

import regex

_WORDS = frozenset(
    """Mr Mrs Ms Dr St Prof Sr Jr Lt Col Gen Capt Sgt Rev Hon Gov Sen Rep Mt Ft vs etc No Vol pp cf ca approx Inc Ltd Co
    Corp Bros fl ed bzw Nr Abb vgl evtl usw""".split()  # noqa: SIM905
)
_ABBREVIATION = regex.compile(
    rf'(?:\b(?:(?<!\bWar )\p{{Lu}}|{"|".join(sorted(_WORDS))}|p|v|e\.g|i\.e|a\.k\.a)|(?:\b\p{{L}}\.){{1,4}}\p{{L}})\.$'
)
_ABBREVIATION_REACH = 14
_LONGEST = 6
"""Letters of the longest one."""


def is_abbreviated(text: str, end: int) -> bool:
    """Return whether the full stop before `end` belongs to an abbreviation or an initial."""
    if text[end - 1 : end] != '.':
        return False
    word = text[max(0, end - _LONGEST - 2) : end - 1].rpartition(' ')[2]
    if len(word) > 1 and word.isalpha():  # as nearly all are
        return word in _WORDS
    return _ABBREVIATION.search(text, max(0, end - _ABBREVIATION_REACH), end) is not None
