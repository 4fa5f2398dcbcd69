"""Lines and fields cut into words, and the places in which their words stand.

A value has a place: a field of a thing; or in a line a position among the lines that begin alike, what stands behind
another word, the end. What is usual is learnt for each place from the text itself.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

LONGEST_LINE = 2000
"""Characters of a line that are read."""
LONGEST_PART = 320
"""Characters of a piece of a line that is longer than can be told."""
VARIES = '*'
LEAST_VALUES = 6
"""Values of a place from which something is usual in it."""

_FREQUENT = (4, 0.002)  # lines, and share of the lines, in which a word stands that is part of a template
_WORDS = 40  # words of a line that are compared
_POSITIONS = 14  # of which so many by their position
_RECURRING = 0.7  # share of the words of a field that must be frequent ones for them to be compared

_TOKENS = re.compile(
    r"(?<=[(,=])'(?>[^'\n]*(?:''[^'\n]*)*)'(?=[),;])|"
    r'"(?>(?:[^"\\\n]++|\\.)*)"|[^\s=,;|"\'<>(){}\[\]:]++(?>(?::[^\s=,;|"\'<>(){}\[\]]++)*)|\s++|.',
    re.DOTALL,
)
_PIECE = re.compile(rf'.{{1,{LONGEST_PART - 1}}}(?:[,;}}\s]|\Z)|.{{1,{LONGEST_PART}}}')
"""A part of a long line, rather to the end of a field or a word."""
_DIGITS = re.compile(r'0x[\da-f]+|\b(?=[a-f]*\d)[\da-f]{6,}\b|\d+')

Place = tuple[Hashable, ...]
"""Its first item says of which kind it is: `field`, `at` (a position), `behind` (a word and signs), `end`; and of whole
lines `form` (their template) and `new` (how many of their words no other has)."""

Found = tuple[int, str]
"""The number of a record, and what stands in a place of it."""

OF_LINES = frozenset({'form', 'new'})
"""The kinds of places that are those of whole lines."""


@dataclass(frozen=True, slots=True)
class OutputRecord:
    """A line, or one of many things with fields."""

    text: str
    """As it stands; of what stands on no line of its own, empty."""
    line: int = 0
    """Its number, from 1, where it has one."""
    name: str = ''
    """What it is a part of, or what the thing is called."""
    fields: Sequence[tuple[str, str]] = ()
    """Where they are known; what a line without them is compared by are its words."""


@dataclass(frozen=True, slots=True)
class CutLine:
    """A line in words."""

    words: Sequence[tuple[str, str]]
    """Each with the signs before it."""
    end: str
    """The signs behind the last one."""


@dataclass(frozen=True, slots=True)
class FrequentWords:
    """How many lines have each word, digits aside, and from how many on a word is frequent."""

    counts: Mapping[str, int]
    least: float

    def has(self, word: str) -> bool:
        """Return whether a word, without its digits, is frequent; signs and numbers are none."""
        return self.counts[word] >= self.least and any(map(str.isalpha, word))

    def template(self, line: CutLine) -> str:
        """The frequent words of a line, and a sign for each of the others."""
        names = (without_digits(word) for word, _ in line.words[:_WORDS])
        return ' '.join(name if self.has(name) else '*' for name in names)


def pieces(line: str, longest: int) -> Sequence[str]:
    """A line, or the pieces of one that has more characters than that."""
    return (line,) if len(line) <= longest else [*filter(None, map(str.strip, _PIECE.findall(line)))]


@lru_cache(maxsize=8192)
def cut(text: str) -> CutLine:
    """Cut a line, or the value of a field, into words; what stands in quotes is one, in single ones as in SQL."""
    words: list[tuple[str, str]] = []
    signs = ''
    for part in _TOKENS.findall(text[:LONGEST_LINE].strip()):
        if part.isspace():
            signs += ' '
        elif len(part) == 1 and not part.isalnum():
            signs += part
        else:
            words.append((part, signs))
            signs = ''
    return CutLine(words, signs)


@lru_cache(maxsize=65_536)
def without_digits(word: str) -> str:
    """A word with one zero for each run of digits, and for each number in hexadecimal digits."""
    return _DIGITS.sub('0', word)


def masked(word: str, signs: str) -> str:
    """A word with signs before it, or `VARIES` for one that varies: the value of a name, a path, what has digits.

    So does a value in single quotes.
    """
    if ' ' in word and word[0] != "'":
        return ' '.join(masked(each, '') for each in word.split(' '))
    return VARIES if signs.endswith('=') or '/' in word or word[:1] == "'" or any(map(str.isdigit, word)) else word


def form(line: str) -> str:
    """What a line shares with those that differ from it only in what varies."""
    return ''.join(signs + masked(word, signs) for word, signs in cut(line).words)


def frequent_words(lines: Iterable[CutLine], total: int) -> FrequentWords:
    """Count the words of the lines and cells of so many records."""
    counts = Counter(name for line in lines for name in {without_digits(word) for word, _ in line.words})
    least, share = _FREQUENT
    return FrequentWords(counts, max(least, share * total))


def find_places(records: Sequence[OutputRecord]) -> Mapping[Place, list[Found]]:
    """Note each value of all records in each of its places, of those that have enough values to tell what is usual."""
    lines = {row: cut(each.text) for row, each in enumerate(records) if not each.fields}
    # Many cells have the same value.
    cells = {value: cut(value) for value in {value for each in records for _, value in each.fields}}
    fields = [(row, name, cells[value]) for row, each in enumerate(records) for name, value in each.fields]
    frequent = frequent_words([*lines.values(), *(cell for _, _, cell in fields)], len(records))
    places: dict[Place, list[Found]] = defaultdict(list)
    for row, each in enumerate(records):
        for name, value in each.fields:
            places['field', name].append((row, value))
    of_words = _made_of_words(fields, frequent)
    for row, name, cell in fields:
        if len(cell.words) > 1 and name in of_words:
            _add_words(places, row, cell, f'{name}=', frequent)
    _add_lines(places, lines, frequent)
    return {
        place: found
        for place, found in places.items()
        if len(found) >= LEAST_VALUES and len({value for _, value in found}) > 1
    }


def _add_lines(places: Mapping[Place, list[Found]], lines: Mapping[int, CutLine], frequent: FrequentWords) -> None:
    """Note lines by their templates, and their words."""
    first = {row: without_digits(line.words[0][0]) if line.words else '' for row, line in lines.items()}
    beginning = Counter(first.values())
    heads = {row: head if beginning[head] >= frequent.least else '*' for row, head in first.items()}
    templates = {row: frequent.template(line) for row, line in lines.items()}
    for row, line in lines.items():
        head, template = heads[row], templates[row]
        signs = ''.join(signs for _, signs in line.words)[:60] + line.end
        places['form', head].append((row, re.sub(r'(.)\1+', r'\1', signs.replace(' ', ''))))
        places['form', 'of all'].append((row, template))
        words = {without_digits(word) for word, _ in line.words}
        places['new', head].append((row, str(sum(frequent.counts[word] == 1 for word in words if word.isalpha()))))
        _add_words(places, row, line, head, frequent)


def _made_of_words(fields: Sequence[tuple[int, str, CutLine]], frequent: FrequentWords) -> AbstractSet[str]:
    """The fields whose values are made of parts that come again and again, rather than of free words."""
    known: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for _, name, cell in fields:
        if len(cell.words) > 1:
            known[name] += sum(frequent.counts[without_digits(word)] >= frequent.least for word, _ in cell.words)
            total[name] += len(cell.words)
    return {name for name in total if known[name] >= _RECURRING * total[name]}


def _add_words(
    places: Mapping[Place, list[Found]], row: int, line: CutLine, head: str, frequent: FrequentWords
) -> None:
    """Note the words of a line or a cell by their positions, the word before them, and the last one."""
    last = ''
    for nth, (word, signs) in enumerate(line.words[:_WORDS]):
        value = word.strip('"')
        if nth < _POSITIONS:
            places['at', head, nth].append((row, value))
        if last:
            places['behind', last, signs].append((row, value))
        name = without_digits(word)
        last = name if frequent.has(name) else ''
    if line.words:
        places['end', head, len(line.words) > 1].append((row, line.words[-1][0].strip('"') + line.end))
