"""Detectors that are regular expressions, tried only where one of their anchors stands."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Pattern:
    """Secrets that an expression describes; a `Find`."""

    kind: str
    expression: 'regex.Pattern[str]'
    """With a group `secret` where only a part of what it matches is one."""
    anchors: tuple[str, ...] = ()
    """Lower case; the expression is tried in the lines that have one of them. None: in all of the text."""
    keep: Callable[[str], bool] | None = None
    """Tells a secret from what only has its form."""
    lines: int = 1
    """That a match may take, from that of the anchor on."""

    def __call__(self, text: str, lower: str) -> Iterator[Finding]:
        """Find them, as `Find` says."""
        places = _places(lower, self.anchors, self.lines) if self.anchors else [(0, len(text))]
        if not places:
            return
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


SHORT = 4_000
"""Characters up to which one look for the anchors of all expressions is worth while: in most texts there is none."""


class Patterns:
    """Several expressions, each with anchors; a `Find`."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        """Put their anchors together."""
        self._patterns = [*patterns]
        self._anchor = re.compile(any_of({anchor for pattern in self._patterns for anchor in pattern.anchors}))

    def __call__(self, text: str, lower: str) -> Iterator[Finding]:
        """Find them, as `Find` says."""
        if len(text) <= SHORT and not self._anchor.search(lower):
            return
        for pattern in self._patterns:
            yield from pattern(text, lower)


def any_of(words: Iterable[str]) -> str:
    """An expression for any of some words that reads each beginning that they share once, and so is fast."""
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[:1], []).append(word[1:])
    ends = bool(rests.pop('', ()))
    each = [re.escape(first) + any_of(rest) for first, rest in sorted(rests.items())]
    if len(each) == 1 and not ends:
        return each[0]
    return f'(?:{"|".join(each)}){"?" if ends else ""}' if each else ''


def _places(lower: str, anchors: Sequence[str], lines: int) -> list[tuple[int, int]]:
    """The lines that have one of the anchors, of long ones what is near it, in order and apart."""
    found: list[tuple[int, int]] = []
    for anchor in anchors:
        at = lower.find(anchor)
        while at >= 0:
            limit, end = at + AFTER, at
            for _ in range(lines):
                end = lower.find('\n', end + 1, limit)
                if end < 0:
                    break
            found.append(
                (max(lower.rfind('\n', max(0, at - BEFORE), at) + 1, at - BEFORE, 0), end if end >= 0 else limit)
            )
            at = lower.find(anchor, end if end >= 0 and lines == 1 else at + 1)
    found.sort()
    apart: list[tuple[int, int]] = []
    for start, end in found:
        if apart and start <= apart[-1][1] + 1:
            apart[-1] = apart[-1][0], max(apart[-1][1], end)
        else:
            apart.append((start, end))
    return [(start, min(end, len(lower))) for start, end in apart]
