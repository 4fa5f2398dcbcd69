"""Who speaks in a text: the labels that begin its lines, and whether a line without one is the last speaker's."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

import regex

from summarizer_tool.extractive.under_headings import is_name
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text.lines import is_heading
from summarizer_tool.text.structure import ITEM

SPEAKER = regex.compile(
    r'^(?:\[?\d\d?:\d\d(?::\d\d)?\]?\s+)?'
    r"(?|(\p{Lu}[\p{L}\p{N}_ .'’()#-]{0,40}(?:\([^()]{1,60}\))?)(?:, [\p{L} .]{0,20}\d[^:\n]{0,20})?"
    r'|(\p{Ll}[\p{L}\p{N}_-]{0,20})):\s+(?=\S)'
)
# What stands above what somebody says, as in plays: `ROPER.`, `Ada Orme (00:12:03):`
_ABOVE = regex.compile(r'^(?|(\p{Lu}[\p{Lu} .\'’&-]{1,30})[.:]|(\p{Lu}[\p{L} .\'’-]{1,40}) \(\d[\d:]{3,8}\):?)$')

_TURNS = 3
"""Times that a label must begin a line to be somebody who speaks."""
_RECUR = 2
"""Times, on the average, that somebody speaks of whom each line is a paragraph."""
_PARTED = 20
"""Lines for each blank one up to which paragraphs are more than a line."""


def turn_of(text: str) -> regex.Match[str] | None:
    """Who begins to speak on a line, as group 1, be it all of the line."""
    return SPEAKER.match(text) or _ABOVE.match(text)


def speakers_of(texts: Sequence[str]) -> tuple[frozenset[str], frozenset[str], bool]:
    """The labels before a colon that begin several lines: those of who speaks, and all; and whether they are a chat's.

    One that stands once under each of several headings is that of a field.
    """
    said: defaultdict[str, Counter[int]] = defaultdict(Counter)
    section = 0
    for text in texts:
        section += is_heading(text)
        item = ITEM.match(text)
        if match := turn_of(text[item.end() :] if item else text):
            said[match.group(1)][section] += 1
    every = Counter({label: by.total() for label, by in said.items()})
    turns = Counter({label: every[label] for label, by in said.items() if len(by) == 1 or max(by.values()) > 1})
    # Where nearly all lines begin so, somebody may have said one thing only.
    is_chat = 4 * turns.total() > 3 * (len(texts) - section) and max(turns.values(), default=0) >= _TURNS
    speakers = frozenset(label for label, times in turns.items() if is_chat or times >= _TURNS)
    return speakers, speakers | {label for label, times in every.items() if times >= _TURNS}, is_chat


def talk(lines: Sequence[NumberedLine]) -> range:
    """The numbers of the lines of a conversation, in which most paragraphs begin with a name and a colon.

    Where the names are full ones, or each line is a paragraph, it need not be most: somebody may say several. If none
    does, the last line is that which begins with a name, and what follows is told by nobody. It begins with somebody
    who speaks again: `London: Weir & Sons, 1912` is of a title page.
    """
    are_parted = _PARTED * sum(line.blank_after for line in lines) > len(lines)
    firsts = (
        line
        for before, line in pairwise(lines)
        if (before.blank_after or not are_parted) and not _ABOVE.match(before.text)
    )
    found = ((line.number, turn_of(line.text)) for line in firsts)
    opening = [(number, match.group(1) if match and is_name(match.group(1)) else '') for number, match in found]
    turns = {number: name for number, name in opening if name}
    names = Counter(turns.values())
    shares = 6 if 2 * sum(' ' in name for name in turns.values()) > len(turns) else 2 if are_parted else 4
    recur = are_parted or len(turns) >= _RECUR * len(names)
    # The labels of a form stand there once each.
    if not recur or not 1 < len(names) < len(turns) or len(turns) < 2 * _TURNS or shares * len(turns) <= len(opening):
        return range(0)
    goes_on = any(min(turns) < number < max(turns) and not name for number, name in opening)
    goes_on = goes_on or any(line.number == max(turns) and _ABOVE.match(line.text) for line in lines)
    first = next(line.number for line in lines if (match := turn_of(line.text)) and names[match.group(1)] > 1)
    return range(first, (lines[-1].number if goes_on else max(turns)) + 1)
