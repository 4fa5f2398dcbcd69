"""Full stops that end no sentence."""

import regex

_ABBREVIATION = regex.compile(
    r'(?:\b(?:(?<!\bWar )\p{Lu}|Mr|Mrs|Ms|Dr|St|Prof|Sr|Jr|Lt|Col|Gen|Capt|Sgt|Rev|Hon|Gov|Sen|Rep|Mt|Ft|vs|etc|No|Vol'
    r'|pp?|cf|ca|approx|Inc|Ltd|Co|Corp|Bros|fl|ed|e\.g|i\.e|a\.k\.a|v|bzw|Nr|Abb|vgl|evtl|usw)|(?:\b\p{L}\.){1,4}\p{L})\.$'
)
_ABBREVIATION_REACH = 14
_LONGEST = 6
"""Letters of the longest one."""


def is_abbreviated(text: str, end: int) -> bool:
    """Return whether the full stop before `end` belongs to an abbreviation or an initial."""
    if end > _LONGEST + 1 and text[end - _LONGEST - 2 : end - 1].isalpha():
        return False
    return _ABBREVIATION.search(text, max(0, end - _ABBREVIATION_REACH), end) is not None
