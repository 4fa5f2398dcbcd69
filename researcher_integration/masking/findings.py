"""Where secrets stand in a text, and the text without them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import regex

MASK = regex.compile(r'\[MASKED_[A-Z0-9_]{1,64}\]')
"""What stands in a text instead of a secret."""

END = '\0'
"""Ends whatever is open: it parts the strings of a text that are read together, once their escapes are undone."""

_TO_LINE_END = regex.compile(r'[^\r\n\0]*+')


class Finding(NamedTuple):
    """A secret: its characters from `start` up to `end`, and what kind of thing it is."""

    start: int
    end: int
    kind: str
    """In capitals: `AWS_KEY`."""
    quote: str = ''
    """What a mask stands in, in place of a number of JSON; with an escape where that JSON is in a string."""


class Masked(NamedTuple):
    """A text without its secrets."""

    text: str
    counts: Mapping[str, int]
    """How many were masked, by kind (`{'AWS_KEY': 2}`); empty if none, and then the text is what it was."""


Find = Callable[[str, str], Iterator[Finding]]
"""Finds secrets, given a text and the same text in lower case, character by character."""


def lowered(text: str) -> str:
    """The text in lower case, each character where it was: a few letters become two, and stay as they are."""
    lower = text.lower()
    return lower if len(lower) == len(text) else ''.join(low if len(low := c.lower()) == 1 else c for c in text)


def line_end(text: str, at: int) -> int:
    """Where the line ends, or the string of those that are read together."""
    match = _TO_LINE_END.match(text, at)
    return match.end() if match else at


def lines_below(text: str, end: int) -> Iterator[tuple[int, int]]:
    """Where the lines stand that follow one that ends there, in the same string."""
    while end < len(text) and text[end] != END:
        start = end + (2 if text.startswith('\r\n', end) else 1)
        end = line_end(text, start)
        if start < len(text):
            yield start, end


def replace(text: str, findings: Iterable[Finding]) -> tuple[str, Counter[str]]:
    """Put masks where secrets are, and count those of each kind.

    Of findings that overlap, the first given names the kind. What has been masked already is left alone.
    """
    counts: Counter[str] = Counter()
    pieces: list[str] = []
    done = 0
    for found in _apart(text, findings):
        pieces += text[done : found.start], f'{found.quote}[MASKED_{found.kind}]{found.quote}'
        done = found.end
        counts[found.kind] += 1
    return ''.join((*pieces, text[done:])) if pieces else text, counts


def _apart(text: str, findings: Iterable[Finding]) -> Sequence[Finding]:
    """The findings in the order of the text, those that overlap as one, with masks that they cut; no mask."""
    given = [found for found in findings if found.start < found.end]
    masks = [Finding(*match.span(), '') for match in MASK.finditer(text)] if given else []
    merged: list[tuple[int, Finding]] = []
    for rank, found in sorted(enumerate([*given, *masks]), key=lambda each: each[1].start):
        if merged and found.start < merged[-1][1].end:
            first, last = merged[-1]
            named = min((first, last), (rank, found), key=lambda each: each[0])
            quote = (last.quote or found.quote) if found[:2] == last[:2] else ''
            merged[-1] = (named[0], Finding(last.start, max(last.end, found.end), named[1].kind, quote))
        else:
            merged.append((rank, found))
    return [found for _, found in merged if not MASK.fullmatch(text, found.start, found.end)]
