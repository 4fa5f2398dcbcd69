"""Which sentences address whoever reads them: instructions to an assistant in what should only be data. Pure.

No list of known attacks: each sentence has features (words that override what was said before, marks of another voice,
an addressee, talk of the task at hand, a command, its target, a tool), whose weights add up. They are data, in
`reader_forms.toml`.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TypedDict

ENOUGH = 1.0
"""Sum of weights from which a sentence addresses its reader."""

CARRIED = 0.4
"""From which one does that stands close behind such a sentence: an order goes on in its next lines."""

REACH = 12
"""Lines to which that goes."""

LONGEST = 600
"""Characters of a sentence; a longer one is read in pieces."""

SHORTEST = 8
"""Characters of a sentence that is read."""

_ESCAPED_BREAK = r'\\r\\n|\\n'
"""A line break in a string of JSON."""

_END = re.compile(
    rf'(?P<line>\r?\n|\r|{_ESCAPED_BREAK})|(?<=[.!?])["\')\]]*\s+|[。！？]|(?<=[\w.]) \| '
    r'|\\?"[,:]\s*(?:\\?")?|[{\[]\s*\\?"|(?<=\d)\| |(?<=\w)="?|(?<=\d)\]:?\s+(?=\w)'
    r'|\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b[\]:]*\s+(?=\S)'
)
"""Where a sentence ends, or what stands before one: the quote of a string of JSON, the head of a line of a log."""

_READ = re.compile(r"[^\W\d_][\s,;:!'\"`*-]+[^\W\d_]+[\s,;:!'\"`*-]+[^\W\d_]|[^\x00-\x7f]|<[|</\w]|\[/?I|\\u")
"""What a sentence has that can say anything to anybody: three words in a row, another script, a mark of a turn."""

_UNSEEN = re.compile(
    r'[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]'
)
_MIXED = re.compile('[a-zA-Z][\u0370-\u04ff]|[\u0370-\u04ff][a-zA-Z]')
_LOOKS_LIKE = str.maketrans(
    'аеорсухіјѕԁһӏκοναιτυАВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧ',
    'aeopcyxijsdhlkovaituABEKMHOPCTYXIJSABEZHIKMNOPTYX',
)
"""Letters of Cyrillic and Greek by those of Latin that they look like."""
_TAG_LETTERS = re.compile('[\U000e0020-\U000e007e]+')
"""Letters that no screen shows, and models read."""
_HIDDEN = 4
"""Such letters in a row from which they are a message."""
_ESCAPED_LETTER = re.compile(r'\\u([0-9a-fA-F]{4})')


class _FormTable(TypedDict):
    weight: float
    expression: str


@dataclass(frozen=True, slots=True)
class AddressingSentence:
    """A sentence of a text that addresses its reader."""

    start: int
    end: int
    """Characters of the text."""


def passages(text: str) -> Iterator[AddressingSentence]:
    """The sentences of a text that address its reader, in order."""
    left = 0
    for start, end, line in _sentences(text):
        found = _weight(text[start:end])
        left = max(0, left - line)
        if found >= ENOUGH or (left and found >= CARRIED):
            if found >= ENOUGH:
                left = REACH
            yield AddressingSentence(start, end)


@lru_cache(maxsize=4096)
def addresses_reader(text: str) -> bool:
    """Return whether a text has a sentence that addresses its reader."""
    return next(passages(text), None) is not None


def _sentences(text: str) -> Iterator[tuple[int, int, int]]:
    """Where each sentence begins and ends, and how many lines were ended before it since the last one."""
    begin, lines = 0, 0
    for match in _END.finditer(text):
        for start in range(begin, match.start(), LONGEST):
            end = min(match.start(), start + LONGEST)
            if end - start >= SHORTEST:
                yield start, end, lines
                lines = 0
        begin = match.end()
        lines += match['line'] is not None
    for start in range(begin, len(text), LONGEST):
        yield start, min(len(text), start + LONGEST), lines
        lines = 0


def _weight(sentence: str) -> float:
    """What the features of a sentence weigh together."""
    hidden = max((len(each) for each in _TAG_LETTERS.findall(sentence)), default=0) if not sentence.isascii() else 0
    if hidden >= _HIDDEN:
        return ENOUGH
    if not _READ.search(sentence):
        return 0.0
    seen = _as_read(sentence)
    return sum(max((weight for weight, form in forms if form.search(seen)), default=0.0) for forms in _kinds())


def _as_read(sentence: str) -> str:
    """A sentence as a model reads it: without invisible characters, escapes, and letters of another width or script."""
    if '\\u' in sentence:
        sentence = _ESCAPED_LETTER.sub(lambda match: chr(int(match[1], 16)), sentence)
    if not sentence.isascii():
        sentence = unicodedata.normalize('NFKC', _UNSEEN.sub('', sentence))
        sentence = sentence.translate(_LOOKS_LIKE) if _MIXED.search(sentence) else sentence
    return sentence.replace('’', "'")


@cache
def _kinds() -> list[list[tuple[float, re.Pattern[str]]]]:
    """The forms of each kind, with their weights."""
    tables: dict[str, dict[str, list[_FormTable]]] = tomllib.loads(
        Path(__file__).with_name('reader_forms.toml').read_text(encoding='utf-8')
    )
    return [
        [(form['weight'], re.compile(form['expression'], re.IGNORECASE)) for form in table['forms']]
        for table in tables.values()
    ]
