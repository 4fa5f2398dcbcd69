"""Text on one line, without what steers a terminal, and whether people wrote it."""

import re
from collections import Counter
from typing import Final

import regex

# It begins with one class of characters, which `re` finds quickly.
_ORDERS = re.compile(
    r'[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]'
    r'(?:(?<=\x1b)(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)|[@-Z\\^_]))?'
)
_FORWARD = re.compile(r'\x1b\[(\d{0,3})C')
_OVERSTRUCK = re.compile(r'[^\n\x08]\x08')

_WRITTEN_SHARE = 0.4
"""Share of the characters that stand in plain words from which somebody has written a text to be read."""
_SAMPLE = 20_000
"""Characters at the beginning, in the middle and at the end, by which that is told."""
_LONGEST = 30
"""Letters of a plain word."""
_PLAIN = regex.compile(
    rf'[("“‘*_\[]*+(?>(?:\p{{L}}\p{{M}}*+){{1,{_LONGEST}}})(?>(?:[-’\'་](?:\p{{L}}\p{{M}}*+){{1,20}})*)[)"”’*_\]]*[.,;:!?…。、،؛؟।॥།၊။។]*'
)

SPACELESS: Final = (
    '\u0e00-\u0eff\u1000-\u1049\u1780-\u17d3\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf'
    '\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff'
)
"""Scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""
HAS_SPACELESS = regex.compile(f'[{SPACELESS}]')
# Their punctuation, too, after which no space stands.
CLOSE = regex.compile(f'[{SPACELESS}\u3000-\u303f\uff00-\uffef]')


def unsteered(text: str) -> str:
    """A text without colours and other orders to a terminal, and without letters that are struck over."""
    text = _OVERSTRUCK.sub('', text) if '\x08' in text else text
    return _ORDERS.sub('', _FORWARD.sub(lambda moved: ' ' * int(moved[1] or 1), text) if '\x1b' in text else text)


_HEADING = re.compile(r' {0,3}#{1,6}(?:[ \t]|$)')


def is_heading(line: str) -> bool:
    """Return whether a line is a heading of markdown, rather than `#4090` or `#!`."""
    return _HEADING.match(line) is not None


def one_line(text: str, longest: int = 0) -> str:
    """Collapse white space, and cut off, with an ellipsis, what is over `longest` characters; 0 for any number."""
    line = ' '.join((text[: 4 * longest] if longest else text).split())
    return f'{line[: longest - 1].rstrip()}…' if 0 < longest < len(line) else line


def word_count(text: str) -> int:
    """How many words a text has; about half as many as letters in scripts without spaces."""
    return len(text.split()) + (0 if text.isascii() else len(CLOSE.findall(text)) // 2)


def is_written(text: str) -> bool:
    """Return whether a text is made of words, for people to read, rather than by a machine for another."""
    return plain_share(text) >= _WRITTEN_SHARE


def plain_share(text: str) -> float:
    """The share of the characters of a text that stand in plain words, from 0 to 1; of long texts by a sample."""
    middle = len(text) // 2
    sample = text if len(text) <= 3 * _SAMPLE else text[:_SAMPLE] + text[middle : middle + _SAMPLE] + text[-_SAMPLE:]
    words = Counter(sample.split())
    plain = (
        times * (len(word) if is_plain else len(HAS_SPACELESS.findall(word)))
        for word, times in words.items()
        for is_plain in ((len(word) <= _LONGEST and word.isalpha()) or _PLAIN.fullmatch(word),)
    )
    return sum(plain) / max(1, sum(len(word) * times for word, times in words.items()))
