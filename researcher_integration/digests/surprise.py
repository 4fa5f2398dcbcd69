"""Lines unlike the others in machine output of any form.

Each word stands in several places: at a position among the lines that begin alike, behind another word, behind the same
signs, at the end. What is usual in a place is learnt from the text itself, and the surprise of a word there is how
small a share of that place is as rare: in exact value, in shape, in length, in how it begins, as a number. A place in
which anything may stand has no rare values, for all of them together are the rule.
"""

import heapq
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, pairwise
from math import copysign, log1p, log2

from researcher_integration.digests.columns import BAD
from researcher_integration.digests.statements import DigestStatement, one_line
from researcher_integration.digests.values import moment, quantity

_LEAST = 6
"""Values of a place from which something is usual in it."""
_FREQUENT = (4, 0.002)
"""Lines, and share of the lines, in which a word stands that others are told by."""
_RARE = 0.05
"""Share of a place up to which values are rare."""
_ENTROPY = 0.5
"""What each bit of uncertainty about a value takes from the surprise of a rare one,"""
_FREE = 2.0
"""and what a place takes in which every value stands once,"""
_OPTIONAL = 2.0
"""and one that few of the lines reach."""
_REST = 0.15
"""What the further surprises of a line add to the first."""

_LITTLE = 6.0
"""Bits of surprise below which a line is like the others."""
_AGAIN = 0.6
"""Bits that a line loses for each that is told for the same place."""
_WORST = 4.0
"""Bits of words that say something went wrong, where few lines have them."""
_FAR = 0.6
"""Values this share as far from the median are as far."""
_DEVIATIONS = 3.0
_NUMERIC = 0.7
_GROWN = 0.75

_LINE = 2000
"""Characters of a line that are read."""
_TEXT = 500_000
"""Characters of a text that are read, the first and the last ones."""
_WORDS = 40
"""Words of a line that are compared,"""
_PLACES = 14
"""of which so many by their position."""
_VALUE = 80
_TRIED = 1500
_TOLD = 120
_SHOWN = 160
"""Characters of a line that are told."""
_START = 80
"""Of a longer one, those at its beginning."""

_PARTS = re.compile(
    r'"(?>(?:[^"\\\n]++|\\.)*)"|[^\s=,;|"\'<>(){}\[\]:]++(?>(?::[^\s=,;|"\'<>(){}\[\]]++)*)|\s++|.', re.DOTALL
)
_DIGITS = re.compile(r'\d+')
_BEGINNING = re.compile(r'(?:[\w+.-]+://)?/?[^/:@\s]*')
_SIGNS = re.compile(r'[\w\s]+')
_RUN = re.compile(r'([^\w]?[w0x])(?:\1)+')

_Place = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class _CutLine:
    """A line in words."""

    number: int
    text: str
    indent: int
    words: Sequence[tuple[str, str]]
    """Each with the signs before it."""
    end: str
    """The signs behind the last one."""


@dataclass(slots=True)
class _Values:
    """What stands in one place, and in which lines."""

    rows: list[int] = field(default_factory=list[int])
    values: list[str] = field(default_factory=list[str])

    def add(self, row: int, value: str) -> None:
        """Note a value."""
        self.rows.append(row)
        self.values.append(value)


@dataclass(frozen=True, slots=True)
class _Surprise:
    """How surprising a line is, and why."""

    bits: float
    line: _CutLine
    places: Sequence[_Place]
    """The most surprising first."""
    value: str


def surprising(lines: Sequence[tuple[int, str]]) -> Iterator[DigestStatement]:
    """Lines unlike the others, with their numbers, the most surprising first; a kind of surprise counts less again."""
    found = [each for each in _found(_read(_bounded(lines))) if each.bits >= _LITTLE]
    waiting = [(-each.bits, at) for at, each in enumerate(found[:_TRIED])]
    heapq.heapify(waiting)
    seen: Counter[_Place] = Counter()
    told = 0
    while waiting and told < _TOLD:
        bits, at = heapq.heappop(waiting)
        each = found[at]
        now = each.bits - _AGAIN * max((seen[place] for place in each.places[:3]), default=0)
        if -bits > now:
            heapq.heappush(waiting, (-now, at))
            continue
        seen.update(each.places[:3])
        told += 1
        text = f'{each.line.number}| {_around(each.line.text.strip(), each.value)}'
        yield DigestStatement(text, 54.0 + 1.5 * min(now, 20.0), 'unlike', (each.line.number,))


def _around(text: str, value: str) -> str:
    at = text.rfind(value)
    if len(text) <= _SHOWN or at < _START:
        return one_line(text[:_SHOWN]) + (' …' if len(text) > _SHOWN else '')
    return f'{one_line(text[:_START])} … {one_line(text[max(_START, at - 30) : at + min(len(value), 60) + 20])}'


def _bounded(lines: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
    """Those at the beginning and at the end, of a text that is too long."""
    ends = [*accumulate(min(len(text), _LINE) + 1 for _, text in lines)]
    if not ends or ends[-1] <= _TEXT:
        return lines
    last = ends[-1] - _TEXT // 2
    return [line for line, end in zip(lines, ends, strict=True) if end <= _TEXT // 2 or end > last]


def _read(lines: Sequence[tuple[int, str]]) -> list[_CutLine]:
    found: list[_CutLine] = []
    for number, text in lines:
        bare = text[:_LINE].strip()
        if not any(map(str.isalnum, bare)):
            continue
        words: list[tuple[str, str]] = []
        signs = ''
        for part in _PARTS.findall(bare):
            if part.isspace():
                signs += '' if signs.endswith(' ') else ' '
            elif len(part) == 1 and not part.isalnum():
                signs += part
            else:
                words.append((part, signs))
                signs = ''
        found.append(_CutLine(number, text, len(text) - len(text.lstrip()), words, signs))
    return found


@lru_cache(maxsize=65_536)
def _masked(word: str) -> str:
    return _DIGITS.sub('0', word)


def _found(lines: Sequence[_CutLine]) -> list[_Surprise]:
    """What is surprising of each line, the most surprising line first."""
    places, sizes = _places(lines)
    bits: dict[int, dict[_Place, tuple[float, str]]] = defaultdict(dict)
    for place, values in places.items():
        if len(values.values) >= _LEAST and len(set(values.values)) > 1:
            optional = place[0] == 'at' and len(values.values) < 0.9 * sizes[place[1]]
            surprises = _surprises(values.values, is_form=place[0] == 'form')
            if not surprises:
                continue
            for row, value in zip(values.rows, values.values, strict=True):
                if value in surprises and (less := surprises[value] - _OPTIONAL * optional) > 0:
                    bits[row][place] = max(bits[row].get(place, (0.0, '')), (less, value))
    bad = {row for row, line in enumerate(lines) if BAD.search(line.text[:400])}
    worse = min(6.0, log2(len(lines) / len(bad))) / 6.0 * _WORST if bad else 0.0
    found: list[_Surprise] = []
    for row, surprises in bits.items():
        ranked = sorted(surprises.items(), key=lambda item: -item[1][0])
        sizes_of = [each for _, (each, _) in ranked]
        total = sizes_of[0] + _REST * sum(sizes_of[1:6]) + worse * (row in bad)
        found.append(_Surprise(total, lines[row], [place for place, _ in ranked[:6]], ranked[0][1][1]))
    return sorted(found, key=lambda each: (-each.bits, each.line.number))


def _places(lines: Sequence[_CutLine]) -> tuple[Mapping[_Place, _Values], Counter[Hashable]]:
    """What stands in each place, and how many lines begin in each way."""
    counts = Counter(word for line in lines for word in {_masked(word) for word, _ in line.words})
    least = max(_FREQUENT[0], _FREQUENT[1] * len(lines))
    heads = [_masked(line.words[0][0]) if line.words else '' for line in lines]
    sizes = Counter(heads)
    heads = [head if sizes[head] >= least else '*' for head in heads]
    places: dict[_Place, _Values] = defaultdict(_Values)
    above: list[tuple[int, str]] = []
    before = ''
    for row, (line, head) in enumerate(zip(lines, heads, strict=True)):
        while above and above[-1][0] >= line.indent:
            above.pop()
        parent = above[-1][1] if above else ''
        above.append((line.indent, head))
        signs = ''.join(signs for _, signs in line.words)[:60] + line.end
        places['form', parent].add(row, head)
        places['form', parent, head].add(row, re.sub(r'(.)\1+', r'\1', signs.replace(' ', '')))
        places['form', 'after', before].add(row, head)
        before = head
        path, last, tail = '', '', ''
        for nth, (word, signs) in enumerate(line.words[:_WORDS]):
            value = word.strip('"')
            if nth < _PLACES:
                path += signs
                places['at', head, nth].add(row, value)
                places['in', head, parent if head != '*' else '', path].add(row, value)
            if last:
                places['behind', last, signs].add(row, value)
            if tail:
                places['behind', tail, signs].add(row, value)
            name = _masked(word)
            last = name if counts[name] >= least and any(map(str.isalpha, name)) else ''
            tail = name[name.rfind('.') :] if not last and '.' in name else ''
        if line.words:
            places['end', head, len(line.words) > 1].add(row, line.words[-1][0].strip('"') + line.end)
    return places, Counter(heads)


@lru_cache(maxsize=65_536)
def _shape(value: str) -> str:
    """Its kinds of characters in order, runs of the same as one."""
    text = re.sub(
        r'[A-Za-z]+', lambda found: 'w' if found[0][1:].islower() or len(found[0]) < 2 else 'W', value[:_VALUE]
    )
    text = re.sub(r'\d+', '0', text)
    text = re.sub(r'(?:[wW]0|0[wW])[wW0]*', 'x', text)
    return _RUN.sub(r'\1+', text)[:24]


@lru_cache(maxsize=65_536)
def _beginning(value: str) -> str:
    found = _BEGINNING.match(value)
    return found[0][:30] if found else ''


@lru_cache(maxsize=65_536)
def _signs(value: str) -> str:
    return ''.join(sorted(set(_SIGNS.sub('', value))))


def _length(value: str) -> str:
    return str(len(value).bit_length())


_VIEWS: Sequence[Callable[[str], str]] = (_shape, _beginning, _signs, _length)


def _surprises(values: Sequence[str], *, is_form: bool) -> Mapping[str, float]:
    """The rare values of a place, and how surprising they are in bits."""
    total = len(values)
    counts = Counter(values)
    best = _rarity(counts, total)
    if not is_form:
        for view in _VIEWS:
            seen = {value: view(value) for value in counts}
            together: Counter[str] = Counter()
            for value, count in counts.items():
                together[seen[value]] += count
            if rare := _rarity(together, total):
                for value, each in seen.items():
                    if each in rare:
                        best[value] = max(best.get(value, 0.0), rare[each])
        for value, far in _farness(values, counts).items():
            best[value] = max(best.get(value, 0.0), far)
    if not best:
        return best
    free = 0.0 if is_form else _FREE * sum(count == 1 for count in counts.values()) / total
    # Of many views some are rare in any line: what counts is how rare it is that one of them is as rare.
    ordered = sorted((found, counts[value]) for value, found in best.items())
    as_rare = [0, *accumulate(count for _, count in reversed(ordered))]
    return {
        value: min(found, log2(total / as_rare[len(ordered) - bisect_left(ordered, (found - 0.5, 0))])) - free
        for value, found in best.items()
    }


def _rarity(counts: Mapping[str, int], total: int) -> dict[str, float]:
    """How surprising each rare value is, in bits: how small a share all values are that stand as seldom."""
    by_count: Counter[int] = Counter()
    for count in counts.values():
        by_count[count] += count
    ordered = sorted(by_count)
    if len(counts) == 1 or by_count[ordered[0]] > _RARE * total:
        return {}
    as_rare = dict(zip(ordered, accumulate(by_count[count] for count in ordered), strict=True))
    uncertainty = _ENTROPY * -sum(count / total * log2(count / total) for count in counts.values())
    return {
        value: bits
        for value, count in counts.items()
        if as_rare[count] <= _RARE * total and (bits := log2(total / as_rare[count]) - uncertainty) > 0
    }


@lru_cache(maxsize=65_536)
def _number(value: str) -> float | None:
    found = quantity(value)
    return moment(value) if found is None else found


def _as_it_is(number: float) -> float:
    return number


def _logarithm(number: float) -> float:
    return copysign(log1p(abs(number)), number)


def _farness(values: Sequence[str], counts: Mapping[str, int]) -> Mapping[str, float]:
    """How surprising numbers are that stand far from the others, in bits: how few are nearly as far."""
    known = {value: number for value in counts if (number := _number(value)) is not None}
    total = sum(counts[value] for value in known)
    if total < max(8, _NUMERIC * len(values)) or len(known) < 3:
        return {}
    rows = [known[value] for value in values if value in known]
    grown = sum(after >= before for before, after in pairwise(rows))
    if grown >= _GROWN * (total - 1) and len(known) > total / 4:
        return {}
    found: dict[str, float] = {}
    for scale in (_as_it_is, _logarithm):
        scaled = {value: scale(number) for value, number in known.items()}
        ordered = sorted((scaled[value], counts[value]) for value in known)
        middle = _median(ordered, total)
        away = {value: abs(number - middle) for value, number in scaled.items()}
        ordered = sorted((away[value], counts[value]) for value in known)
        least = _DEVIATIONS * _median(ordered, total)
        as_far = [0, *accumulate(count for _, count in reversed(ordered))]
        for value, far in away.items():
            if (
                far > least
                and (count := as_far[len(ordered) - bisect_left(ordered, (_FAR * far, 0))]) <= 0.02 * total + 1
            ):
                found[value] = max(found.get(value, 0.0), log2(total / count))
    return found


def _median(ordered: Sequence[tuple[float, int]], total: int) -> float:
    """Of numbers in order, each with how often it stands there."""
    below = accumulate(count for _, count in ordered)
    return next(number for (number, _), upto in zip(ordered, below, strict=True) if upto > total // 2)
