"""What is unlike the rest in machine output of any form.

Output is a sequence of records: lines, or things with fields. A value has a place: a field; or in a line a position
among the lines that begin alike, a variable place of the line's template, what stands behind another word or behind the
same signs, the end. What is usual in a place is learnt from the text itself, and the surprise of a value there is how
small a share of that place is as rare: in exact value, in a part of it, in shape, in length, in how it begins, in how
often it stands in the text, as a number. A place in which anything may stand has no rare values, for all of them
together are the rule.
"""

import heapq
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, pairwise
from math import copysign, log1p, log2

from researcher_integration.digests.notable import notable_words
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
"""and what a place takes from a value in which every value stands once,"""
_VIEWED = 1.5
"""and one of its views, or a word within a field: of many some are rare in any place,"""
_OPTIONAL = 2.0
"""and one that few of the lines reach."""
_REST = 0.15
"""What the further surprises of a line add to the first."""

_LITTLE = 4.5
"""Bits of surprise below which a record is like the others."""
_AGAIN = 0.6
"""Bits that a record loses for each that is told for the same place,"""
_SAME = 1.2
"""and for each that is told for the same value there."""
_WORST = 4.0
"""Bits of a notable word that no other line has, in addition to what else is surprising."""
_WORD = 2.0
"""Bits that a notable word is less surprising than it is rare."""
_FAR = 0.6
"""Values this share as far from the median are as far."""
_DEVIATIONS = 3.0
_GAP = 5.0
"""Bits at most for how much farther a number is from the median than the next ones."""
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
_OFTEN = 9
"""Times from which a value stands often in a text, however often it does."""
_TRIED = 1500
_TOLD = 120
_SHOWN = 150
"""Characters of a line that are told."""
_START = 60
"""Of a longer one, those at its beginning."""
_AROUND = (40, 60)
"""And those before and behind the value that is surprising."""
_MADE = 0.7
"""Share of the words of a field that must come again and again for them to be compared."""
_CELL = 80
"""Characters of a field of a thing, and of several from which no further one is told."""
_SHORT = 16
"""Characters of a usual value that is told beside an unusual one."""
MISSING = '(missing)'
"""Stands for the value of a field that a thing does not have and others have."""

_TOKENS = re.compile(
    r'"(?>(?:[^"\\\n]++|\\.)*)"|[^\s=,;|"\'<>(){}\[\]:]++(?>(?::[^\s=,;|"\'<>(){}\[\]]++)*)|\s++|.', re.DOTALL
)
_DIGITS = re.compile(r'\d+')
_PART = re.compile(r'\d+|[^\W\d_]+')
_BEGINNING = re.compile(r'(?:[\w+.-]+://)?/?[^/:@\s]*')
_SIGNS = re.compile(r'[\w\s]+')
_RUN = re.compile(r'([^\w]?[w0x])(?:\1)+')

_OF_LINES = frozenset({'form', 'new'})
"""Places that are those of whole lines."""

_Place = tuple[Hashable, ...]


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
class _CutLine:
    """A line in words."""

    indent: int
    words: Sequence[tuple[str, str]]
    """Each with the signs before it."""
    end: str
    """The signs behind the last one."""


@dataclass(slots=True)
class _Values:
    """What stands in one place, and in which records."""

    rows: list[int] = field(default_factory=list[int])
    values: list[str] = field(default_factory=list[str])

    def add(self, row: int, value: str) -> None:
        """Note a value."""
        self.rows.append(row)
        self.values.append(value)


@dataclass(frozen=True, slots=True)
class _Surprise:
    """How surprising a record is, and why."""

    bits: float
    record: OutputRecord
    values: Sequence[tuple[_Place, str]]
    """The most surprising first."""


def surprising(records: Sequence[OutputRecord]) -> Iterator[DigestStatement]:
    """Records unlike the others, the most surprising first; what is surprising again in the same place counts less."""
    found = [each for each in _found(_bounded(records)) if each.bits >= _LITTLE][:_TRIED]
    waiting = [(-each.bits, at) for at, each in enumerate(found)]
    heapq.heapify(waiting)
    seen: Counter[Hashable] = Counter()
    usual = _usual(records)
    told = 0
    while waiting and told < _TOLD:
        bits, at = heapq.heappop(waiting)
        each = found[at]
        places = [place for place, _ in each.values[:3] if place[0] not in _OF_LINES]
        now = each.bits - _AGAIN * max((seen[place] for place in places), default=0) - _SAME * seen[each.values[0]]
        if -bits > now:
            heapq.heappush(waiting, (-now, at))
            continue
        seen.update(places)
        seen[each.values[0]] += 1
        told += 1
        lines = (each.record.line,) if each.record.line else ()
        yield DigestStatement(_told(each, usual), 54.0 + 1.5 * min(now, 20.0), 'odd items', lines)


def _usual(records: Sequence[OutputRecord]) -> Mapping[str, str]:
    """By field what nearly all things have there, if it is short."""
    values: dict[str, Counter[str]] = defaultdict(Counter)
    for each in records:
        for name, value in each.fields:
            values[name][value] += 1
    most = {name: counts.most_common(1)[0] for name, counts in values.items()}
    return {
        name: f' (usually {value})'
        for name, (value, count) in most.items()
        if 0.8 * len(records) <= count and 0 < len(value) <= _SHORT and value != MISSING
    }


def _told(found: _Surprise, usual: Mapping[str, str]) -> str:
    """A record in short: its line, or of a thing its name and the fields that are unlike those of others."""
    record = found.record
    value = next((value for place, value in found.values if place[0] not in _OF_LINES), '')
    if record.text and (value in record.text or not record.fields):
        name = f'{record.name}: ' if record.name and record.name not in record.text else ''
        return f'{record.line}| {name}{_around(record.text, value)}'
    told: dict[str, str] = {}
    for place, value in found.values:
        own = next(((name, cell) for name, cell in record.fields if name == place[1] or value in cell), None)
        if own is not None and own[0] not in told and sum(map(len, told.values())) < _CELL:
            name, cell = own
            at = max(0, cell.rfind(value) - _CELL // 4) if len(cell) > _CELL else 0
            shown = f'{"… " * (at > 0)}{one_line(cell[at : at + _CELL])}{" …" * (at + _CELL < len(cell))}'
            text = f'{name} missing' if cell == MISSING else f'{name}={shown}'
            told[name] = text + usual.get(name, '')
    # A row that reaches over several lines is called what its first one says.
    name = f'{record.line}| {one_line(record.text, _START)}' if record.text else record.name
    return f'{name}: {", ".join(told.values())}'


def _around(text: str, value: str) -> str:
    """A line; of a long one its beginning and what is around a value."""
    text, value = one_line(text, _LINE), one_line(value, _LINE)
    at = text.rfind(value) if value else 0
    before, behind = _AROUND
    if len(text) <= _SHOWN or at - before <= _START:
        end = max(_SHOWN if at < _START else 0, at + min(len(value), behind) + behind)
        return one_line(text[:end]) + (' …' if end < len(text) else '')
    begin = text.find(' ', at - before, at) + 1 or at - before
    end = at + min(len(value), behind) + behind
    return f'{one_line(text[:_START])} … {one_line(text[begin:end])}{" …" if end < len(text) else ""}'


def _bounded(records: Sequence[OutputRecord]) -> Sequence[OutputRecord]:
    """Those at the beginning and at the end, of a text that is too long."""
    sizes = (
        min(len(each.text), _LINE) + 1 if each.text else sum(len(value) for _, value in each.fields) for each in records
    )
    ends = [*accumulate(sizes)]
    if not ends or ends[-1] <= _TEXT:
        return records
    last = ends[-1] - _TEXT // 2
    return [each for each, end in zip(records, ends, strict=True) if end <= _TEXT // 2 or end > last]


def _cut(text: str) -> _CutLine:
    bare = text[:_LINE].strip()
    words: list[tuple[str, str]] = []
    signs = ''
    for part in _TOKENS.findall(bare):
        if part.isspace():
            signs += '' if signs.endswith(' ') else ' '
        elif len(part) == 1 and not part.isalnum():
            signs += part
        else:
            words.append((part, signs))
            signs = ''
    return _CutLine(len(text) - len(text.lstrip()), words, signs)


@lru_cache(maxsize=65_536)
def _masked(word: str) -> str:
    return _DIGITS.sub('0', word)


def _found(records: Sequence[OutputRecord]) -> list[_Surprise]:
    """What is surprising of each record, the most surprising one first."""
    records = [each for each in records if each.fields or any(map(str.isalnum, each.text[:_LINE]))]
    places, sizes, often = _places(records)
    bits: dict[int, dict[_Place, tuple[float, str]]] = defaultdict(dict)
    for place, values in places.items():
        if len(values.values) < _LEAST or len({*values.values}) == 1:
            continue
        optional = place[0] == 'at' and len(values.values) < 0.9 * sizes.get(place[1], len(records))
        is_form = place[0] == 'form'
        surprises = _surprises(values.values, often, is_form=is_form, in_parts=place[0] in ('at', 'slot', 'field'))
        for row, value in zip(values.rows, values.values, strict=True) if surprises else ():
            within = _VIEWED if records[row].fields and place[0] != 'field' else 0.0
            if value in surprises and (less := surprises[value] - _OPTIONAL * optional - within) > 0:
                bits[row][place] = max(bits[row].get(place, (0.0, '')), (less, value))
    notable = _notable(records)
    for row, (rare, word) in notable.items():
        bits[row]['word', word] = (rare - _WORD, word)
    scale = _WORST / log2(max(4, len(records)))
    found: list[_Surprise] = []
    for row, surprises in bits.items():
        ranked = sorted(surprises.items(), key=lambda item: -item[1][0])
        # A word has several places: it is surprising once.
        by_value: dict[str, float] = {}
        for _, (each, value) in ranked:
            by_value.setdefault(value, each)
        sizes_of = [*by_value.values()]
        total = sizes_of[0] + _REST * sum(sizes_of[1:6]) + scale * notable.get(row, (0.0, ''))[0]
        found.append(_Surprise(total, records[row], [(place, value) for place, (_, value) in ranked[:6]]))
    return sorted(found, key=lambda each: (-each.bits, each.record.line))


def _notable(records: Sequence[OutputRecord]) -> Mapping[int, tuple[float, str]]:
    """The notable word of each record that fewest have, and in bits how few records have one that is as rare."""
    texts = (each.text[:400] or ' '.join(map(': '.join, each.fields))[:1000] for each in records)
    said = [notable_words(text) for text in texts]
    counts = Counter(word for words in said for word in words)
    rarest = {row: min((counts[word], word) for word in words) for row, words in enumerate(said) if words}
    as_rare = _cumulated(Counter(count for count, _ in rarest.values()))
    return {row: (log2(len(records) / as_rare[count]), word) for row, (count, word) in rarest.items()}


def _cumulated(by_count: Mapping[int, int]) -> Mapping[int, int]:
    """By how often a value stands somewhere, how many stand there as seldom."""
    ordered = sorted(by_count)
    return dict(zip(ordered, accumulate(by_count[count] for count in ordered), strict=True))


def _places(records: Sequence[OutputRecord]) -> tuple[Mapping[_Place, _Values], Counter[Hashable], Counter[str]]:
    """What stands in each place, how many lines begin in each way, and how often each value stands in the text."""
    lines = {row: _cut(each.text) for row, each in enumerate(records) if not each.fields}
    cells = {(row, name): _cut(value) for row, each in enumerate(records) for name, value in each.fields}
    counts = Counter(
        _masked(word) for line in (*lines.values(), *cells.values()) for word in {word for word, _ in line.words}
    )
    often = Counter(value for each in records for _, value in each.fields)
    for line in lines.values():
        often.update({word.strip('"') for word, _ in line.words})
    least = max(_FREQUENT[0], _FREQUENT[1] * len(records))
    places: dict[_Place, _Values] = defaultdict(_Values)
    for row, each in enumerate(records):
        for name, value in each.fields:
            places['field', name].add(row, value)
    in_words = _made_of_words(cells, counts, least)
    for (row, name), cell in cells.items():
        if len(cell.words) > 1 and name in in_words:
            _add_words(places, row, cell, f'{name}=', '', counts, least)
    first = {row: _masked(line.words[0][0]) if line.words else '' for row, line in lines.items()}
    sizes = Counter(first.values())
    heads = {row: head if sizes[head] >= least else '*' for row, head in first.items()}
    forms = {row: _form(line, counts, least) for row, line in lines.items()}
    common = Counter(forms.values())
    above: list[tuple[int, str]] = []
    before = ''
    for row, line in lines.items():
        head, form = heads[row], forms[row]
        while above and above[-1][0] >= line.indent:
            above.pop()
        parent = above[-1][1] if above else ''
        above.append((line.indent, head))
        signs = ''.join(signs for _, signs in line.words)[:60] + line.end
        places['form', parent].add(row, head)
        places['form', parent, head].add(row, re.sub(r'(.)\1+', r'\1', signs.replace(' ', '')))
        places['form', 'of all'].add(row, form)
        places['form', 'behind', before].add(row, form)
        before = form
        # How many of its words no other line has.
        new = sum(counts[name] == 1 for name in {_masked(word) for word, _ in line.words} if name.isalpha())
        places['new', head].add(row, str(new))
        _add_words(places, row, line, head, parent if head != '*' else '', counts, least)
        if common[form] >= _LEAST:
            for nth, (word, _) in enumerate(line.words[:_WORDS]):
                places['slot', form, nth].add(row, word.strip('"'))
    return places, Counter(heads.values()), often


def _made_of_words(
    cells: Mapping[tuple[int, str], _CutLine], counts: Mapping[str, int], least: float
) -> AbstractSet[str]:
    """The fields whose values are made of parts that come again and again, rather than of free words."""
    known: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for (_, name), cell in cells.items():
        if len(cell.words) > 1:
            known[name] += sum(counts[_masked(word)] >= least for word, _ in cell.words)
            total[name] += len(cell.words)
    return {name for name in total if known[name] >= _MADE * total[name]}


def _add_words(
    places: Mapping[_Place, _Values],
    row: int,
    line: _CutLine,
    head: str,
    parent: str,
    counts: Mapping[str, int],
    least: float,
) -> None:
    """Note the words of a line or a cell by their positions, the signs before them and the word before them."""
    path, last, tail = '', '', ''
    for nth, (word, signs) in enumerate(line.words[:_WORDS]):
        value = word.strip('"')
        if nth < _PLACES:
            path += signs
            places['at', head, nth].add(row, value)
            places['in', head, parent, path].add(row, value)
        if last:
            places['behind', last, signs].add(row, value)
        if tail:
            places['behind', tail, signs].add(row, value)
        name = _masked(word)
        last = name if counts[name] >= least and any(map(str.isalpha, name)) else ''
        tail = name[name.rfind('.') :] if not last and '.' in name else ''
    if line.words:
        places['end', head, len(line.words) > 1].add(row, line.words[-1][0].strip('"') + line.end)


def _form(line: _CutLine, counts: Mapping[str, int], least: float) -> str:
    """The template of a line: its frequent words, and a sign for each of the others."""
    masked = (_masked(word) for word, _ in line.words[:_WORDS])
    return ' '.join(name if counts[name] >= least and any(map(str.isalpha, name)) else '*' for name in masked)


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


def _surprises(
    values: Sequence[str], often: Mapping[str, int], *, is_form: bool, in_parts: bool
) -> Mapping[str, float]:
    """The rare values of a place, and how surprising they are in bits."""
    total = len(values)
    counts = Counter(values)
    free = 0.0 if is_form else _FREE * sum(count == 1 for count in counts.values()) / total
    best = {value: bits - free for value, bits in _rarity(counts, total).items()}
    gaps: Mapping[str, float] = {}
    if not is_form:
        how_often = {value: str(min(often[value], _OFTEN)) for value in counts}
        for view in (*_VIEWS, how_often.__getitem__):
            _raise(best, _rare_by(view, counts, total), _VIEWED)
        far, gaps = _farness(values, counts)
        _raise(best, far)
        if in_parts:
            _raise(best, _rare_parts(counts), _VIEWED)
    if not best:
        return best
    # Of many views some are rare in any record: what counts is how rare it is that one of them is as rare.
    ordered = sorted((found, counts[value]) for value, found in best.items())
    as_rare = [0, *accumulate(count for _, count in reversed(ordered))]
    return {
        value: min(found, log2(total / as_rare[len(ordered) - bisect_left(ordered, (found - 0.5, 0))]))
        + gaps.get(value, 0.0)
        for value, found in best.items()
    }


def _raise(best: dict[str, float], others: Mapping[str, float], less: float = 0.0) -> None:
    """Keep for each value what is greater."""
    for value, bits in others.items():
        best[value] = max(best.get(value, 0.0), bits - less)


def _rare_by(view: Callable[[str], str], counts: Mapping[str, int], total: int) -> Mapping[str, float]:
    """How surprising values are by something that many have in common."""
    seen = {value: view(value) for value in counts}
    together: Counter[str] = Counter()
    for value, count in counts.items():
        together[seen[value]] += count
    rare = _rarity(together, total)
    return {value: rare[each] for value, each in seen.items() if each in rare} if rare else {}


def _rare_parts(counts: Mapping[str, int]) -> Mapping[str, float]:
    """How surprising the rarest part of a value is among those of one shape: a year, the start of an address."""
    shaped: dict[str, list[str]] = defaultdict(list)
    for value in counts:
        shaped[_shape(value)].append(value)
    best: dict[str, float] = {}
    for alike in shaped.values():
        own = {value: counts[value] for value in alike}
        total = sum(own.values())
        if total < _LEAST or len(alike) < 2:
            continue
        parts = {value: _PART.findall(value)[:8] for value in alike}
        for nth in range(max(map(len, parts.values()))):
            part = {value: ''.join(each[nth : nth + 1]) for value, each in parts.items()}
            _raise(best, _rare_by(part.__getitem__, own, total))
    return best


def _rarity(counts: Mapping[str, int], total: int) -> dict[str, float]:
    """How surprising each rare value is, in bits: how small a share all values are that stand as seldom."""
    by_count: Counter[int] = Counter()
    for count in counts.values():
        by_count[count] += count
    least = min(by_count)
    if len(counts) == 1 or by_count[least] > _RARE * total:
        return {}
    as_rare = _cumulated(by_count)
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


def _farness(values: Sequence[str], counts: Mapping[str, int]) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """How surprising numbers are that stand far from the others, in bits.

    How few are nearly as far, and how much nearer the next ones are.
    """
    known = {value: number for value in counts if (number := _number(value)) is not None}
    total = sum(counts[value] for value in known)
    if total < max(8, _NUMERIC * len(values)) or len(known) < 3:
        return {}, {}
    rows = [known[value] for value in values if value in known]
    grown = sum(after >= before for before, after in pairwise(rows))
    if grown >= _GROWN * (total - 1) and len(known) > total / 4:
        return {}, {}
    found: dict[str, float] = {}
    gaps: dict[str, float] = {}
    for scale in (_as_it_is, _logarithm):
        scaled = {value: scale(number) for value, number in known.items()}
        ordered = sorted((scaled[value], counts[value]) for value in known)
        middle = _median(ordered, total)
        away = {value: abs(number - middle) for value, number in scaled.items()}
        ordered = sorted((away[value], counts[value]) for value in known)
        deviation = _median(ordered, total)
        as_far = [0, *accumulate(count for _, count in reversed(ordered))]
        for value, far in away.items():
            at = bisect_left(ordered, (_FAR * far, 0))
            count = as_far[len(ordered) - at]
            if far > _DEVIATIONS * deviation and count <= 0.02 * total + 1:
                nearest = max(ordered[at - 1][0] if at else 0.0, deviation)
                gap = min(_GAP, log2(far / nearest)) if nearest > 0 else _GAP
                found[value] = max(found.get(value, 0.0), log2(total / count))
                gaps[value] = max(gaps.get(value, 0.0), gap)
    return found, gaps


def _median(ordered: Sequence[tuple[float, int]], total: int) -> float:
    """Of numbers in order, each with how often it stands there."""
    below = accumulate(count for _, count in ordered)
    return next(number for (number, _), upto in zip(ordered, below, strict=True) if upto > total // 2)
