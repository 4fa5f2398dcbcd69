"""The long words of a text, one a line: where tokens that have a form of their own stand, and few other things do."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from researcher_integration.masking.findings import Find, Finding
from researcher_integration.masking.patterns import Pattern, Patterns

MIN_WORD = 13
"""Characters of the shortest token that is looked for."""

# Not a quote, a comma or a bracket: a word ends with what it stands in.
_WORD = re.compile(rf'[A-Za-z0-9_\-.+/=~:@|#%^!]{{{MIN_WORD},}}')
# Without one, a word is searched for anchors only.
_DIGIT = re.compile('[0-9]')


class LongWords:
    """Finds with expressions what is within one word; a `Find`.

    One look at all words tells where an anchor of any expression is in them: in most there is none.
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        """Put the anchors of the expressions together."""
        self._unanchored = [pattern for pattern in patterns if not pattern.anchors]
        self._anchored = Patterns(pattern for pattern in patterns if pattern.anchors)

    def __call__(self, text: str, _lower: str) -> Iterator[Finding]:
        """Find them, as `Find` says; what stands in a text several times is read once."""
        places: dict[str, list[int]] = {}
        for match in _WORD.finditer(text):
            places.setdefault(match[0], []).append(match.start())
        yield from _found(places, [word for word in places if _DIGIT.search(word)], self._unanchored)
        yield from _found(places, [*places], [self._anchored])


def _found(places: Mapping[str, Sequence[int]], words: Sequence[str], finds: Sequence[Find]) -> Iterator[Finding]:
    starts = [0, *accumulate(len(word) + 1 for word in words)]
    joined = '\n'.join(words)
    lower = joined.lower()
    for find in finds if words else ():
        for found in find(joined, lower):
            at = bisect_right(starts, found.start) - 1
            for place in places[words[at]]:
                yield Finding(found.start - starts[at] + place, found.end - starts[at] + place, found.kind)
