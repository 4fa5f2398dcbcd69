"""Which records of machine output, of whatever form, are unlike the others, how much, and how each is shown."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log2

from summarizer_tool.digests import ranks
from summarizer_tool.digests.columns import has_not_come, quantity
from summarizer_tool.digests.naming import other_names
from summarizer_tool.digests.notable import notable_words
from summarizer_tool.digests.places import LONGEST_LINE, OF_LINES, OutputRecord, Place, find_places, without_digits
from summarizer_tool.digests.rarity import MISSING, VIEWED, as_seldom, surprises
from summarizer_tool.digests.statements import CUT, LONGEST, DigestStatement, one_line

_SHOWN = 180  # characters of a line that are shown, if it is not unlike all others
_START = 60  # of a longer one, those at its beginning
_BEFORE, _BEHIND = 2 / 9, 1 / 3  # and those before and behind the value that is surprising, for each that is shown
_WORD_END = 24  # characters up to which a word is told to its end: a half of a path or of a time is another one
_CELL = 120  # characters of a field of a thing
_TOLD_FIELDS, _LOOKED_AT = 6, 24  # fields of a thing that are shown, and values that are looked at for these
_FEW_FIELDS = 6  # fields of a thing up to which its numbers are told with what is odd about it
_SAME = 20  # characters of a value by which a thing is called that is not said again
_SHORT = 16  # characters of a usual value that is shown beside an unusual one
_USUAL_SHARE = 0.8  # share of the things from which what they have in a field is usual

_TEXT = 500_000
"""Characters of a text that are compared: half of them the first and the last ones, and between these what is rare."""
_AS_DIGITS = str.maketrans('123456789', '000000000')
_REST = 0.15  # what the further surprises of a record add to the first
_WORST = 4.0  # bits of a notable word that no other record has, in addition to what else is surprising
_WORD = 2.0  # bits that a notable word is less surprising than it is rare

_LITTLE = 3.7  # bits of surprise below which a record is like the others
_FEW = 2.0  # and among few things with fields this much less than any of them could have
_ALONE = 15.0  # bits from which it is unlike all others
_SAME_PLACE = 0.6  # bits that a record loses for each that is told for the same place
_SAME_VALUE = 1.2  # and for each that is told for the same value there
_TRIED = 1500  # records that are ranked
_TOLD = 120  # and of these so many that are told


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
    found = [each for each in _found(_bounded(records)) if each.bits >= least]
    seen: Counter[Hashable] = Counter()
    ranked: dict[tuple[str, str], tuple[float, _Surprise]] = {}
    for nth, each in enumerate(found[:_TRIED]):
        said = each.record.name, each.record.text.strip() or str(nth)
        if said not in ranked:
            places = [place for place, _ in each.values[:3] if place[0] not in OF_LINES]
            again = max((seen[place] for place in places), default=0)
            ranked[said] = each.bits - _SAME_PLACE * again - _SAME_VALUE * seen[each.values[0]], each
            seen.update([*places, each.values[0]])
    usual = _usual_values(records)
    others = other_names([dict(each.fields) for each in records if each.fields and not each.text])
    for bits, each in sorted(ranked.values(), key=lambda item: -item[0])[:_TOLD]:
        lines = (each.record.line,) if each.record.line else ()
        if text := _shown_record(each.record, each.values, usual, is_alone=each.bits > _ALONE):
            text += ''.join(
                f', {name}={value}' for name, value in each.record.fields if name in others and value not in text
            )
            rank = ranks.ODD + ranks.BIT * min(bits, 20.0)
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
    for place, values in find_places(records).items():
        rare = surprises([value for _, value in values], is_form=place[0] == 'form')
        for row, value in values if rare else ():
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
        # What is counted, and has not come, tells nothing.
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
    """Show a record in short; nothing where its name alone is unlike the others, more where all of it is."""
    value = next((value for place, value in values if place[0] not in OF_LINES), '')
    if record.text and (value in record.text or not record.fields):
        begins = record.name.partition(CUT)[0]
        if begins.endswith(record.text.strip()):
            return f'{record.line}| {record.name}'
        name = '' if begins in one_line(record.text, LONGEST_LINE) else f'{record.name}: '
        return f'{record.line}| {name}{_around(record.text, value, LONGEST if is_alone else _SHOWN)}'
    cells = dict(record.fields)
    odd: dict[str, str] = {}
    for place, value in values:
        name = str(place[1]).removesuffix('=')
        # A value stands in the field of its place, or in the first one that has it.
        name = name if name in cells else next((each for each, cell in cells.items() if value in cell), '')
        if name and cells[name][:_SAME] not in record.name:
            odd.setdefault(name, value)
    # What a thing has tells more than what it lacks.
    told = sorted(odd, key=lambda field: cells[field] == MISSING)[:_TOLD_FIELDS]
    called, numbered, _ = record.name.rpartition(' (#')
    own = [field for field, cell in cells.items() if cell not in (MISSING, usual.get(field), record.name, called)]
    if told and sum(cell != MISSING for cell in cells.values()) <= _FEW_FIELDS:
        # A counter says nothing without its count, and who is called by a number is known by what else it has.
        told += [field for field in own if field not in told and (numbered or quantity(cells[field]) is not None)]
    elif not told and not record.text:
        # What is odd about it is what it is called: that is told with what it has.
        told = own[:_TOLD_FIELDS]
    said = [_shown_field(field, cells[field], odd.get(field, ''), usual.get(field)) for field in told]
    while len(said) > 1 and len(record.name) + sum(map(len, said)) > LONGEST:
        said.pop()
    # A row that reaches over several lines is called what its first one says.
    name = f'{record.line}| {one_line(record.text, _START)}' if record.text else record.name
    return f'{name}: {", ".join(said)}' if said else ''


def _shown_field(field: str, cell: str, value: str, usual: str | None) -> str:
    """A field with the part of its cell that a value stands in, and what is usual there."""
    text = f'{field} missing' if cell == MISSING else f'{field}={_around(cell, value, _CELL)}'
    return f'{text} (usually {usual})' if value and usual is not None and cell != usual else text


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
