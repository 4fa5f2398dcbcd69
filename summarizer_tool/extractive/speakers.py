"""Who speaks in a text: the labels that begin its lines, and which lines are a conversation."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import regex

from summarizer_tool.extractive.under_headings import is_name
from summarizer_tool.prompts import NumberedLine

SPEAKER = regex.compile(
    r'^(?:\[?\d\d?:\d\d(?::\d\d)?\]?\s+)?'
    r"(?|(\p{Lu}[\p{L}\p{N}_ .'’()#-]{0,40}(?:\([^()]{1,60}\))?)(?:, [\p{L} .]{0,20}\d[^:\n]{0,20})?"
    r'|(\p{Ll}[\p{L}\p{N}_-]{0,20})):\s+(?=\S)'
)
# What stands above what somebody says, as in plays: `ROPER.`, `Ada Orme (00:12:03):`
ABOVE = regex.compile(r'^(?|(\p{Lu}[\p{Lu} .\'’&-]{1,30})[.:]|(\p{Lu}[\p{L} .\'’-]{1,40}) \(\d[\d:]{3,8}\):?)$')
_TURNS = 3
"""Times that a label must begin a line to be somebody who speaks."""
_LONGEST_ABOVE = 60
_PARTED = 20
"""Lines for each blank one up to which paragraphs are more than a line."""


def turn_of(text: str) -> regex.Match[str] | None:
    """Who begins to speak on a line, as group 1, be it all of the line."""
    return SPEAKER.match(text) or (ABOVE.match(text) if len(text) <= _LONGEST_ABOVE else None)


def speakers_of(texts: Sequence[str]) -> tuple[frozenset[str], bool]:
    """The labels before a colon that begin several lines, and whether nearly all lines begin so, as in a chat."""
    times = Counter(turn[1] for text in texts if (turn := turn_of(text)))
    is_chat = 4 * times.total() > 3 * len(texts) and max(times.values(), default=0) >= _TURNS
    return frozenset(label for label, each in times.items() if is_chat or each >= _TURNS), is_chat


def talk(lines: Sequence[NumberedLine]) -> range:
    """The numbers of the lines of a conversation, in which most paragraphs begin with a name and a colon.

    Where the names are full ones, it need not be most: somebody may say several. If none does, the last line is that
    which begins with a name, and what follows is told by nobody.
    """
    are_parted = _PARTED * sum(line.blank_after for line in lines) > len(lines)
    firsts = [
        line
        for before, line in pairwise([*lines[:1], *lines])
        if before is line or ((before.blank_after or not are_parted) and not ABOVE.match(before.text))
    ]
    found = ((line.number, turn_of(line.text)) for line in firsts)
    turns = {number: turn[1] for number, turn in found if turn and is_name(turn[1])}
    times = Counter(turns.values())
    share = 6 if 2 * sum(' ' in name for name in turns.values()) > len(turns) else 2
    recur = len(turns) > len(times) if are_parted else len(turns) >= 2 * len(times)  # the labels of a form do not
    if not recur or len(times) < 2 or len(turns) < 2 * _TURNS or share * len(turns) <= len(firsts):
        return range(0)
    goes_on = any(min(turns) < line.number < max(turns) and line.number not in turns for line in firsts)
    goes_on = goes_on or any(line.number == max(turns) and ABOVE.match(line.text) for line in lines)
    first = next(number for number, name in turns.items() if times[name] > 1)
    return range(first, (lines[-1].number if goes_on else max(turns)) + 1)
