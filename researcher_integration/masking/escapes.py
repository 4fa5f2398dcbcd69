r"""The strings in a text with their escapes undone: `"https:\/\/me:s3cr\u00e8t@host"` hides what it says.

A tool often returns JSON, and JSON within the strings of JSON. A detector that looks for a key sees it only as it was
before it was written down.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from operator import itemgetter
from unicodedata import normalize

from researcher_integration.masking.findings import END, Finding
from researcher_integration.masking.patterns import AFTER, BEFORE

MAX_DEPTH = 3  # strings within strings within strings; deeper ones are masked as they stand

# What stands between two quotes, be it in a string or outside: where a text has a quote too many, nobody can tell.
_PIECE = re.compile(r'(?>(?:[^"\\\0\n]++|\\[^\0\n])+)')
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
# What stands behind a letter and is one with it, as macOS writes names of files; and vowels of Korean.
_MARKS = '[\u0300-\u0327\u1161-\u1175\u11a8-\u11c2\u3099\u309a]'
# What is not shown as it is written: colours of a terminal, characters without width, or of two bytes, or full width,
# codes of HTML and of URLs, wide blanks and those that do not break, quotes of typesetters. The words of a command that
# are given as a list are shown as one line.
_WRITTEN = re.compile(
    r'\x1b\[[0-?]*+[ -/]*+[@-~]|[\u00ad\u200b-\u200d\u2060\ufeff]|\0(?=[^\0\n]\0)'
    r'|%(?P<url>[2-7][0-9A-Fa-f])|(?P<coded>&(?:quot|apos|amp|lt|gt|#\d{2,3}|#x[0-9A-Fa-f]{2});|[\u00a0\u202f\u3000\uff01-\uff5e]|'
    rf'[^\W\d_]{_MARKS}+)|(?P<quote>[“”„])'
    r'|["\'](?P<space>,\s*)["\'](?=-)|(?<=["\']-\w)["\'](?P<comma>,\s*)["\']'
)
# Each alternative begins with one character, so that a text is searched for those.
_IS_WRITTEN = re.compile(
    r'[\x1b\u00ad\u200b-\u200d\u2060\u0300-\u0327\u1161-\u1175\u3099\u309a\uff1d\uff21-\uff3a\uff41-\uff5a]|%(?:3[dDaA]|22|40)|&(?:quot|#34|#39|#[xX]2[27]);'
    r'|\u00a0(?:[:=]|(?<=[:=].))|\u3000(?:[:=：＝]|(?<=[:=：＝].))'
    r'|\u202f(?:[:=]|(?<=[:=].))|”[ ]?[:=]|“(?<=[:=].)|“(?<=[:=][ ].)'
    r'|\0[^\0\n]\0[^\0\n]\0|",\s*"-\w|\',\s*\'-\w'
)
_SHORT = {'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}


@dataclass(frozen=True, slots=True)
class Unescaped:
    """The contents of the strings of a text, one after the other, and where each character comes from."""

    text: str
    pieces: list[tuple[int, int, int]]
    """Each copied as it was, or one escape: where it begins in `text`, and where in the original; the length of an
    escape there, 0 for what was copied."""

    def original(self, found: Finding) -> Finding:
        """The finding as it stands in the original text, within a string, where quotes have escapes."""
        quote = found.quote.replace('\\', '\\\\').replace('"', '\\"')
        return Finding(self._span(found.start)[0], self._span(found.end - 1)[1], found.kind, quote)

    def _span(self, index: int) -> tuple[int, int]:
        start, origin, length = self.pieces[bisect_right(self.pieces, index, key=itemgetter(0)) - 1]
        origin += 0 if length else index - start
        return origin, origin + (length or 1)


def unescaped(text: str) -> Unescaped | None:
    """The strings of a text that have escapes, with those undone, parted by `END`; none if there are none."""
    if '\\' not in text:
        return None
    return _joined(piece for start, end in _strings(text) for piece in _undone(text, start, end, _ESCAPE, _of_escape))


def _strings(text: str) -> Iterator[tuple[int, int]]:
    end = 0
    while (at := text.find('\\', end)) >= 0:
        begin = max(text.rfind('"', end, at) + 1, text.rfind('\n', end, at) + 1, text.rfind(END, end, at) + 1, end)
        piece = _PIECE.match(text, begin)
        end = piece.end() if piece and piece.end() > at else at + 1
        if end > at + 1:
            yield begin, end


def as_shown(text: str) -> Unescaped | None:
    """The text without what parts a name from its value, or a key in two, only as it is written: `token%3D…`.

    Of a text without colours only the lines that have such characters.
    """
    if '\x1b' in text:
        return _joined(_undone(text, 0, len(text), _WRITTEN, _shown))
    return _joined(piece for start, end in _written(text) for piece in _undone(text, start, end, _WRITTEN, _shown))


def _written(text: str) -> Iterator[tuple[int, int]]:
    """Where the lines stand, or what is near in long ones, that are not shown as they are written."""
    end = 0
    for match in _IS_WRITTEN.finditer(text):
        if match.start() >= end:
            start = max(text.rfind('\n', end, match.start()) + 1, match.start() - BEFORE, end)
            line_end = text.find('\n', match.end(), match.end() + AFTER)
            end = line_end if line_end >= 0 else min(match.end() + AFTER, len(text))
            yield start, end


def _of_escape(match: re.Match[str]) -> str:
    code, short = match.groups()
    return chr(int(code, 16)) if code else _SHORT.get(short, short)


def _shown(match: re.Match[str]) -> str:
    if code := match['url']:
        return chr(int(code, 16))
    if match['space'] or match['comma']:
        return ' '
    return '"' if match['quote'] else unescape(normalize('NFKC', match['coded'] or ''))


def _undone(
    text: str, start: int, end: int, written: re.Pattern[str], shown: Callable[[re.Match[str]], str]
) -> Iterator[tuple[str, int, int]]:
    """The pieces of a part of a text, with what is written in it in another way than it is shown undone."""
    done = start
    for match in written.finditer(text, start, end):
        if match.start() > done:
            yield text[done : match.start()], done, 0
        done = match.end()
        if character := shown(match):
            yield character, match.start(), done - match.start()
    if done < end:
        yield text[done:end], done, 0
    if end < len(text):
        yield END + '\n', end, 1


def _joined(pieces: Iterable[tuple[str, int, int]]) -> Unescaped | None:
    """The view of pieces, each with its place in the original and, of an escape, its length there."""
    texts, places = list[str](), list[tuple[int, int, int]]()
    start = 0
    for text, origin, length in pieces:
        texts.append(text)
        places.append((start, origin, length))
        start += len(text)
    return Unescaped(''.join(texts), places) if texts else None
