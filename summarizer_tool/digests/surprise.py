"""Which records of machine output, of whatever form, are unlike the others, how much, and how each is shown."""

import heapq
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log2

from summarizer_tool.digests.columns import has_not_come, is_count, quantity
from summarizer_tool.digests.notable import notable_words
from summarizer_tool.digests.places import (
    LONGEST_LINE,
    OF_LINES,
    OutputRecord,
    Place,
    find_places,
    without_digits,
)
from summarizer_tool.digests.rarity import VIEWED, as_seldom, surprises
from summarizer_tool.digests.statements import CUT, LONGEST, DigestStatement, one_line

MISSING = '(missing)'
"""Stands for the value of a field that a thing does not have and others have."""

_SHOWN = 180
"""Characters of a line that are shown, if it is not unlike all others."""
_START = 60
"""Of a longer one, those at its beginning."""
_BEFORE, _BEHIND = 2 / 9, 1 / 3
"""And those before and behind the value that is surprising, for each that is shown."""
_WORD_END = 24
"""Characters up to which a word is told to its end: a half of a path or of a time is another one."""
_CELL = 120
"""Characters of a field of a thing, and of several, without their names, from which no further one is shown."""
_SHORT_CELL = 40
"""Characters of one that is not odd."""
_TOLD_FIELDS, _LOOKED_AT = 6, 24
"""Fields of a thing that are shown, and values that are looked at for these."""
_FEW_FIELDS = 6
"""Fields of a thing up to which its numbers are told with what is odd about it."""
_SAME = 20
"""Characters of a value by which a thing is called that is not said again."""
_SHORT = 16
"""Characters of a usual value that is shown beside an unusual one."""
_USUAL_SHARE = 0.8
"""Share of the things from which what they have in a field is usual."""

_TEXT = 500_000
"""Characters of a text that are compared: half of them the first and the last ones, and between these what is rare."""
_AS_DIGITS = str.maketrans('123456789', '000000000')
_REST = 0.15
"""What the further surprises of a record add to the first."""
_WORST = 4.0
"""Bits of a notable word that no other record has, in addition to what else is surprising."""
_WORD = 2.0
"""Bits that a notable word is less surprising than it is rare."""

_LITTLE = 3.7
"""Bits of surprise below which a record is like the others,"""
_FEW = 2.0
"""and among few things with fields this much less than any of them could have."""
_ALONE = 15.0
"""Bits from which it is unlike all others."""
_SAME_PLACE = 0.6
"""Bits that a record loses for each that is told for the same place,"""
_SAME_VALUE = 1.2
"""and for each that is told for the same value there."""
_TRIED = 1500
"""Records that are ranked,"""
_TOLD = 120
"""and of these so many that are told."""


@dataclass(frozen=True, slots=True)
class _Surprise:
    """How surprising a record is, and why."""

    bits: float
    record: OutputRecord
    values: Sequence[tuple[Place, str]]
    """The most surprising first."""


def surprising(records: Sequence[OutputRecord]) -> Iterator[DigestStatement]:
    """Records unlike the others, the most surprising first; what is surprising again in the same place counts less."""
    least = min(_LITTLE, log2(len(records)) - _FEW) if any(each.fields for each in records[:1]) else _LITTLE
    found = [each for each in _found(_bounded(records)) if each.bits >= least][:_TRIED]
    waiting = [(-each.bits, at) for at, each in enumerate(found)]
    heapq.heapify(waiting)
    seen: Counter[Hashable] = Counter()
    texts: set[tuple[str, str]] = set()
    usual = _usual_values(records)
    told = 0
    while waiting and told < _TOLD:
        bits, at = heapq.heappop(waiting)
        each = found[at]
        said = each.record.name, each.record.text.strip()
        if said[1] and said in texts:
            continue
        places = [place for place, _ in each.values[:3] if place[0] not in OF_LINES]
        again = max((seen[place] for place in places), default=0)
        now = each.bits - _SAME_PLACE * again - _SAME_VALUE * seen[each.values[0]]
        if -bits > now:
            heapq.heappush(waiting, (-now, at))
            continue
        texts.add(said)
        seen.update(places)
        seen[each.values[0]] += 1
        told += 1
        lines = (each.record.line,) if each.record.line else ()
        text = _shown_record(each.record, each.values, usual, is_alone=each.bits > _ALONE)
        if not text:
            continue
        rank = 54.0 + 1.5 * min(now, 20.0)
        yield DigestStatement(text, rank, 'odd items', lines, shortened=_whole(each.record))


def _whole(record: OutputRecord) -> str:
    """All that a record says, each field on a line."""
    return '\n'.join(one_line(text, LONGEST_LINE) for text in (record.text, *dict(record.fields).values()) if text)


def _bounded(records: Sequence[OutputRecord]) -> Sequence[OutputRecord]:
    """Of a text that is too long the beginning and the end, and from between what has a form that few others have."""
    texts = [
        each.text[:LONGEST_LINE] or '\n'.join(value[:LONGEST_LINE] for _, value in each.fields) for each in records
    ]
    ends = [*accumulate(len(text) + 1 for text in texts)]
    if not ends or ends[-1] <= _TEXT:
        return records
    first, last = bisect_right(ends, _TEXT // 4), bisect_right(ends, ends[-1] - _TEXT // 4)
    forms = [text.translate(_AS_DIGITS) for text in texts]
    times = Counter(forms)
    room = _TEXT // 2
    chosen: list[int] = []
    for row in sorted(range(first, last), key=lambda row: times[forms[row]]):
        room -= len(texts[row]) + 1
        if room < 0:
            break
        chosen.append(row)
    return [records[row] for row in (*range(first), *sorted(chosen), *range(last, len(records)))]


def _found(records: Sequence[OutputRecord]) -> list[_Surprise]:
    """What is surprising of each record, the most surprising one first."""
    records = [each for each in records if each.fields or _says_something(each.text[:LONGEST_LINE])]
    bits: dict[int, dict[Place, tuple[float, str]]] = defaultdict(dict)
    places = find_places(records)
    for place, values in places.items():
        rare = surprises(values.values, is_form=place[0] == 'form')
        for row, value in zip(values.rows, values.values, strict=True) if rare else ():
            within = VIEWED if records[row].fields and place[0] != 'field' else 0.0
            if rare.get(value, 0.0) > within:
                bits[row][place] = max(bits[row].get(place, (0.0, '')), (rare[value] - within, value))
    notable = _notable(records)
    for row, (rare, word) in notable.items():
        if rare > _WORD:
            bits[row]['word', word] = (rare - _WORD, word)
    scale = _WORST / log2(max(4, len(records)))
    found: list[_Surprise] = []
    for row, of_places in bits.items():
        ranked = sorted(of_places.items(), key=lambda item: -item[1][0])
        # A word has several places: it is surprising once.
        by_value: dict[str, float] = {}
        for _, (each, value) in ranked:
            by_value.setdefault(value, each)
        first, *rest = by_value.values()
        total = first + _REST * sum(rest[:5]) + scale * notable.get(row, (0.0, ''))[0]
        found.append(_Surprise(total, records[row], [(place, value) for place, (_, value) in ranked[:_LOOKED_AT]]))
    return sorted(found, key=lambda each: (-each.bits, each.record.line))


def _says_something(line: str) -> bool:
    return any(map(str.isalpha, line)) and not line.lstrip().startswith('</')


def _notable(records: Sequence[OutputRecord]) -> Mapping[int, tuple[float, str]]:
    """The notable word of each record that fewest have, and in bits how few records have one that is as rare."""
    said: list[set[str]] = []
    for each in records:
        text = each.text[:400] or ' '.join(map(': '.join, each.fields))[:1000]
        said.append(set[str]() if has_not_come(each.fields) else notable_words(text))
    counts = Counter(without_digits(word) for words in said for word in words)
    rarest = {
        row: min((counts[without_digits(word)], word) for word in words) for row, words in enumerate(said) if words
    }
    as_rare = as_seldom(Counter(count for count, _ in rarest.values()))
    return {row: (log2(len(records) / as_rare[count]), word) for row, (count, word) in rarest.items()}


def _usual_values(records: Sequence[OutputRecord]) -> Mapping[str, str]:
    """By field what nearly all things have there, if it is short."""
    values: dict[str, Counter[str]] = defaultdict(Counter)
    for each in records:
        for name, value in each.fields:
            values[name][value] += 1
    most = {name: counts.most_common(1)[0] for name, counts in values.items()}
    return {
        name: value
        for name, (value, count) in most.items()
        if count >= _USUAL_SHARE * len(records) and 0 < len(value) <= _SHORT and value != MISSING
    }


def _shown_record(
    record: OutputRecord, values: Sequence[tuple[Place, str]], usual: Mapping[str, str], *, is_alone: bool
) -> str:
    """Show a record in short; nothing where its name alone is unlike the others.

    Args:
        record: The record.
        values: Its surprising values with their places, the most surprising first.
        usual: By field what is usual.
        is_alone: Whether it is unlike all others, and may take more room.
    """
    value = next((value for place, value in values if place[0] not in OF_LINES), '')
    if record.text and (value in record.text or not record.fields):
        begins = record.name.partition(CUT)[0]
        if begins.endswith(record.text.strip()):
            return f'{record.line}| {record.name}'
        name = '' if begins in one_line(record.text, LONGEST_LINE) else f'{record.name}: '
        return f'{record.line}| {name}{_around(record.text, value, LONGEST if is_alone else _SHOWN)}'
    titles = record.titles or [name for name, _ in record.fields]
    cells = dict(zip(titles, (cell for _, cell in record.fields), strict=True))
    fields: dict[str, str] = {}
    room = LONGEST - len(record.name)
    odd = [(place, value, _titled(record, titles, _field(place), value)) for place, value in values]
    # What a thing has tells more than what it lacks.
    for place, value, name in sorted(odd, key=lambda each: cells.get(each[2]) == MISSING):
        cell = cells.get(name, '')
        if not name or name in fields or cell[:_SAME] in record.name or len(fields) >= _TOLD_FIELDS:
            continue
        at = max(0, cell.rfind(value) - _CELL // 4) if len(cell) > _CELL else 0
        shown = f'{"… " * (at > 0)}{one_line(cell[at : at + _CELL])}{" …" * (at + _CELL < len(cell))}'
        text = f'{name} missing' if cell == MISSING else f'{name}={shown}'
        text = f'{text} (usually {usual[_field(place)]})' if _field(place) in usual else text
        room -= len(text) + 2
        if fields and room < 0:
            break
        fields[name] = text
    if fields and len(cells) <= _FEW_FIELDS:
        # A counter says nothing without its count.
        own = [field for field, cell in cells.items() if cell != usual.get(field) or is_count(field)]
        counts = [field for field in own if field not in fields and quantity(cells[field]) is not None]
        fields |= {field: f'{field}={cells[field]}' for field in counts}
    if not fields and not record.text:
        # What is odd about it is what it is called: that is told with what it has.
        own = [field for field, cell in cells.items() if cell not in (MISSING, usual.get(field), record.name)]
        fields = {field: f'{field}={one_line(cells[field], _SHORT_CELL)}' for field in own[:_TOLD_FIELDS]}
    # A row that reaches over several lines is called what its first one says.
    name = f'{record.line}| {one_line(record.text, _START)}' if record.text else record.name
    return f'{name}: {", ".join(fields.values())}' if fields else ''


def _titled(record: OutputRecord, titles: Sequence[str], name: str, value: str) -> str:
    """What the field is called in which a value stands: that of its place, or the first one that has it."""
    having = [at for at, (_, cell) in enumerate(record.fields) if value in cell]
    own = [at for at in having if record.fields[at][0] == name] or having
    return titles[own[0]] if own else name if name in titles else ''


def _field(place: Place) -> str:
    """The field that a place is, or is in."""
    return str(place[1]).removesuffix('=')


def _around(text: str, value: str, longest: int) -> str:
    """A line; of one that is longer its beginning and what is around a value."""
    text, value = one_line(text, LONGEST_LINE), one_line(value, LONGEST_LINE)
    at = text.rfind(value) if value else 0
    before, behind = round(_BEFORE * longest), round(_BEHIND * longest)
    if len(text) <= longest or at - before <= _START:
        least = longest if at < _START or longest > _SHOWN else 0
        end = _end_of_word(text, max(least, at + min(len(value), behind) + behind))
        return one_line(text[:end]) + (' …' if end < len(text) else '')
    begin = text.find(' ', at - before, at) + 1 or at - before
    end = _end_of_word(text, at + min(len(value), behind) + behind)
    return f'{one_line(text[:_START])} … {one_line(text[begin:end])}{" …" if end < len(text) else ""}'


def _end_of_word(text: str, at: int) -> int:
    """Where the word ends that reaches over a place, if that is not far."""
    found = f'{text} '.find(' ', at, at + _WORD_END)
    return found if found > 0 else at
