"""Detectors that are regular expressions, tried only where one of their anchors stands, or within one long word."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from researcher_integration.masking.findings import Finding

if TYPE_CHECKING:
    import regex

SECONDS = 10.0
SECONDS_PER_MB = 4.0
"""What one expression may take; each takes far less, unless a text was made to hold it up."""

BEFORE = 400
AFTER = 1200
"""Characters around an anchor where a match may begin and, unless it goes on without a break, end."""


MIN_WORD = 13  # characters of the shortest token that is looked for

# Not a quote, a comma or a bracket: a word ends with what it stands in.
_WORD = re.compile(rf'[A-Za-z0-9_\-.+/=~:@|#%^!]{{{MIN_WORD},}}')


@dataclass(frozen=True, slots=True)
class Pattern:
    """Secrets that an expression describes; a `Find`."""

    kind: str
    expression: 'regex.Pattern[str]'
    """With a group `secret` where only a part of what it matches is one."""
    anchors: tuple[str, ...] = ()
    """Lower case; `Patterns` tries the expression in the lines that have one of them."""
    keep: Callable[[str], bool] | None = None
    """Tells a secret from what only has its form."""
    lines: int = 1
    """That a match may take, from that of the anchor on."""

    def __call__(self, text: str, _lower: str) -> Iterator[Finding]:
        """Find them in all of the text, as `Find` says."""
        return self.find(text, [(0, len(text))])

    def find(self, text: str, places: Iterable[tuple[int, int]]) -> Iterator[Finding]:
        """Find them in some places, which are in order and apart."""
        group = 'secret' if 'secret' in self.expression.groupindex else 0
        seconds = SECONDS + SECONDS_PER_MB * len(text) / 1e6
        done = 0
        for first, last in places:
            cut = last < len(text) and text[last] != '\n'
            for found in self.expression.finditer(text, first, last, timeout=seconds):
                # Where a long line was cut, a match may go on behind that, or be none.
                match = self.expression.match(text, found.start(), timeout=seconds) if cut else found
                if match is None or match.start() < done:
                    continue
                done = match.end()
                # A group that takes no part in a match leaves all of it to be masked.
                start, end = match.span(group) if match[group] is not None else match.span()
                if self.keep is None or self.keep(text[start:end]):
                    yield Finding(start, end, self.kind)


class Patterns:
    """Several expressions; a `Find`. All anchors are looked for together."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._patterns = [pattern for pattern in patterns if pattern.anchors]
        self._free = [pattern for pattern in patterns if not pattern.anchors]
        rests: dict[str, set[str]] = {}
        self._of: dict[str, list[int]] = {}
        for anchor in (anchor for pattern in self._patterns for anchor in pattern.anchors):
            rests.setdefault(anchor[0], set()).add(anchor[1:])
            self._of[anchor] = [at for at, each in enumerate(self._patterns) if anchor.startswith(each.anchors)]
        # One character is taken, since an anchor may begin within another; of those that begin at one, the longest.
        any_anchor = '|'.join(f'{re.escape(first)}(?=({any_of(each)}))' for first, each in rests.items())
        self._anchor = re.compile(any_anchor or '(?!)')

    def __call__(self, text: str, lower: str) -> Iterator[Finding]:
        """Find them, as `Find` says."""
        found: dict[int, list[int]] = {}
        for match in self._anchor.finditer(lower):
            for at in self._of[match[0] + match[match.lastindex or 0]]:
                found.setdefault(at, []).append(match.start())
        for at in sorted(found):
            pattern = self._patterns[at]
            yield from pattern.find(text, _places(lower, found[at], pattern.lines))
        for pattern in self._free:
            yield from pattern(text, lower)


class LongWords:
    """Finds with expressions what is within one word; a `Find`.

    One look at all words tells where an anchor of any expression is in them: in most there is none.
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._find = Patterns(patterns)

    def __call__(self, text: str, _lower: str) -> Iterator[Finding]:
        """Find them, as `Find` says; what stands in a text several times is read once."""
        places: dict[str, list[int]] = {}
        for match in _WORD.finditer(text):
            places.setdefault(match[0], []).append(match.start())
        words = [*places]
        starts = [0, *accumulate(len(word) + 1 for word in words)]
        joined = '\n'.join(words)
        for found in self._find(joined, joined.lower()):
            at = bisect_right(starts, found.start) - 1
            for place in places[words[at]]:
                yield Finding(found.start - starts[at] + place, found.end - starts[at] + place, found.kind)


def any_of(words: Iterable[str]) -> str:
    """An expression for any of some words, which reads each beginning that they share once, and so is fast."""
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[:1], []).append(word[1:])
    each = [re.escape(first) + any_of(rest) for first, rest in sorted(rests.items()) if first]
    each += [''] * ('' in rests)
    return each[0] if len(each) == 1 else f'(?:{"|".join(each)})'


def _places(lower: str, anchors: Sequence[int], lines: int) -> list[tuple[int, int]]:
    """The lines of the anchors that stand at some places, of long ones what is near them, in order and apart."""
    apart: list[tuple[int, int]] = []
    done = 0
    for at in anchors:
        if at < done:
            continue
        limit, end = at + AFTER, at
        for _ in range(lines):
            end = lower.find('\n', end + 1, limit)
            if end < 0:
                break
        done = end if lines == 1 else 0
        start = max(lower.rfind('\n', max(0, at - BEFORE), at) + 1, at - BEFORE, 0)
        end = end if end >= 0 else min(limit, len(lower))
        if apart and start <= apart[-1][1] + 1:
            apart[-1] = apart[-1][0], max(apart[-1][1], end)
        else:
            apart.append((start, end))
    return apart
