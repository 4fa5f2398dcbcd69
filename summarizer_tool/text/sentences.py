"""Cut running text into sentences, each with the numbers of the lines it stands on."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import regex

from summarizer_tool.text.lines import one_line

if TYPE_CHECKING:
    from summarizer_tool.prompts import NumberedLine

MAX_WORDS = 48
"""Longer sentences are cut into pieces; a reader takes in a sentence, not a page."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or, of one that is too long, a piece."""

    text: str
    evidence: tuple[int, ...]
    """Numbers of the lines it stands on."""
    continues: bool = False
    """Whether it is a later piece, so that its subject stands in the piece before."""


# Every repetition is bounded: a line of a million brackets or stars costs no more than any other.
_IMAGE = regex.compile(r'!\[([^\[\]]{0,300})\]\([^()]{0,500}\)')
_LINK = regex.compile(r'\[([^\[\]]{1,300})\](?:\((?:[^()]|\([^()]{0,100}\)){0,500}\)|\[[^\[\]]{0,100}\])')
_FOOTNOTE = regex.compile(
    r'\[(?:\^?\w{1,3}|edit\b[^\[\]]{0,30}|citation needed|note \d{1,4})\](?!\()', regex.IGNORECASE
)
_STARS = regex.compile(r'(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]{1,400}+)(?<=\S)\1(?![\w*])')
_UNDERSCORES = regex.compile(r'(?<![\w_])(_{1,3})(?=[^\s_])([^_\n]{1,400}+)(?<=\S)\1(?![\w_])')
_CODE_SPAN = regex.compile(r'(?<!`)(`{1,3})([^`\n]{1,400})\1(?!`)')
_URL = regex.compile(r'<?https?://\S+>?')
_TAG = regex.compile(r'</?(?:br|p|b|i|em|strong|sup|sub|span|div|small|u)\b[^<>]{0,200}>', regex.IGNORECASE)
_SPACES = regex.compile(r'\s+')

_STOP = regex.compile(r'[.!?…][)\]"\'”’»]{0,2}(?=\s+["\'“‘«(\[]?[\p{Lu}\p{Lo}\d])|[。！？]')
_ABBREVIATION = regex.compile(
    r'(?:\b(?:(?<!\bWar )\p{Lu}|Mr|Mrs|Ms|Dr|St|Prof|Sr|Jr|Lt|Col|Gen|Capt|Sgt|Rev|Hon|Gov|Sen|Rep|Mt|Ft|vs|etc|No|Vol'
    r'|pp?|cf|ca|approx|Inc|Ltd|Co|Corp|Bros|fl|ed|e\.g|i\.e|a\.k\.a|v|bzw|Nr|Abb|vgl|evtl|usw)|(?:\b\p{L}\.){1,4}\p{L})\.$'
)
_ABBREVIATION_REACH = 14
_CONNECTIVE = regex.compile(r'^(?:and|but|or|while|und|et|y)\s+', regex.IGNORECASE)


def plain(text: str) -> str:
    """Take the markdown marks off one line: links, emphasis, code spans, footnotes, bare URLs."""
    if not any(mark in text for mark in '[*_`<!') and 'http' not in text:
        return one_line(text)
    text = _IMAGE.sub(r'\1', text)
    text = _LINK.sub(r'\1', text)
    text = _FOOTNOTE.sub('', text)
    text = _CODE_SPAN.sub(r'\2', text)
    text = _UNDERSCORES.sub(r'\2', _STARS.sub(r'\2', _STARS.sub(r'\2', text)))
    text = _TAG.sub(' ', text)
    text = _URL.sub('', text)
    return one_line(text)


def is_abbreviated(text: str, end: int) -> bool:
    """Return whether the full stop before `end` belongs to an abbreviation or an initial."""
    return _ABBREVIATION.search(text, max(0, end - _ABBREVIATION_REACH), end) is not None


def sentences(lines: 'Sequence[NumberedLine]') -> Iterator[Sentence]:
    """Cut a paragraph into sentences."""
    text = ' '.join(line.text for line in lines)
    starts: list[int] = []
    offset = 0
    for line in lines:
        starts.append(offset)
        offset += len(line.text) + 1
    stops = [end for match in _STOP.finditer(text) if not is_abbreviated(text, end := match.end())]
    begin = 0
    for stop in (*stops, len(text)):
        for low, high in _pieces(text, begin, stop):
            piece = text[low:high].strip()
            if low > begin:
                piece = _CONNECTIVE.sub('', piece)
            if piece:
                on = lines[max(0, bisect_right(starts, low) - 1) : bisect_left(starts, high)]
                yield Sentence(piece, tuple(line.number for line in on), low > begin)
        begin = stop


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a sentence that is too long at its semicolons and commas, or, without any, at white space."""
    spaces = [match.start() for match in _SPACES.finditer(text, start, end)]
    at = 0
    while len(spaces) - at >= MAX_WORDS:
        reach = spaces[at + MAX_WORDS - 1]
        least = start + (reach - start) // 3
        cut = max(text.rfind('; ', least, reach), text.rfind(', ', least, reach)) + 1 or reach
        yield start, cut
        start = cut
        at = bisect_right(spaces, cut)
    if start < end:
        yield start, end
