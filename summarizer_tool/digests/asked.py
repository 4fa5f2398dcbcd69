"""Of many things with fields those that have most or least of what is asked for, or lack it."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from os.path import commonprefix

from summarizer_tool.digests.columns import moment, quantities
from summarizer_tool.digests.naming import LENGTH, Row, is_id, is_wordless, short_names
from summarizer_tool.digests.relevance import OutputPart
from summarizer_tool.digests.statements import LONGEST, DigestStatement, one_line
from summarizer_tool.text.scoring import content_stem
from summarizer_tool.text.terms import stem

_SHOWN = 3
"""Things told for a field, and those that lack it up to which these are."""
_ASKED, _ANSWER = 84.0, 97.0
"""The rank of the first, and where most or least is asked for, in what most words of the focus name,"""
_NAMED = 95.0
"""that of a thing which is called by its name,"""
_NAME_LENGTH = 4
"""if this has more characters,"""
_APART = 8.0
"""what those lose that are parts of other things, unless they are asked for,"""
_STEP = 3.0
"""and what each further one loses."""
_FEW = 0.1
"""Share of the things up to which those are told that lack what is asked for."""
_NUMBERS = 0.7
"""Share of the things that must have a number in a field for some of them to be most."""
_LOOKED_AT = 1000
"""Values without a number, which may be written in another way."""
_CELL, _TOGETHER = 120, 320
"""Characters told of a field, and of several at once."""
_SMALL = 6
"""Fields of a thing all of which are told that are its own."""

_LEAST = frozenset(
    'lowest least minimum min smallest shortest fewest fastest quickest cheapest earliest youngest'.split()  # noqa: SIM905
)
"""Words that ask for least of something."""

_MOST = frozenset(
    'biggest greatest heaviest highest largest longest max maximum most slowest'.split()  # noqa: SIM905
)
"""Words that ask for most of something."""
_FIRST = frozenset({'earliest', 'first', 'oldest'})
_LAST = frozenset({'last', 'latest', 'newest', 'recent', 'recently'})
"""Words that ask for what was before all others, and behind them,"""
_WHEN, _MUCH = ('earliest', 'latest'), ('least', 'most')
"""and what that is called, and the ends of numbers."""

_HOW_MANY = frozenset({'count', 'many', 'number', 'times'})
"""Words that ask for how many there are."""
_MEASURES = {
    **dict.fromkeys(
        ('slow', 'slower', 'slowest', 'longest', 'long', 'late'),
        ('duration', 'elapsed', 'latency', 'ms', 'seconds', 'time', 'took'),
    ),
    **dict.fromkeys(('big', 'biggest', 'heaviest', 'huge', 'large', 'largest', 'room', 'space'), ('bytes', 'size')),
}
"""Words that ask for most of something, and what a field of that is called."""
_ENDS = _LEAST | _MOST | _FIRST | _LAST | {*_MEASURES}
_SHARED, _ENDING = 5, 4
"""Letters that words made from one have in common at their beginnings, and others behind these."""
_PART = re.compile(r'[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+')


@dataclass(frozen=True, slots=True)
class NamedRows:
    """Things with the same fields."""

    names: Sequence[str]
    """What each is called."""
    rows: Sequence[Row]
    lines: Sequence[int] = ()
    """On which line each begins, if that is known."""
    are_lines: bool = False
    """Whether they are called what their lines say, all of it."""
    what: str = 'items'
    """What they are."""
    part: str = ''
    """And of other things, if they are parts of these."""


def asks_for_an_end(words: Sequence[str]) -> bool:
    """Return whether a question asks for most or least of something."""
    return not _ENDS.isdisjoint(words)


def extremes(things: NamedRows, words: Sequence[str]) -> Iterator[DigestStatement]:
    """Tell of the things with most and least in the fields of numbers that are asked for, and that lack such a field.

    Of fields of times the earliest and the latest ones are told where the focus asks for such. Most and least are those
    of the things of which most fields are other words of the focus, unless few are.
    """
    fields = Counter(field for row in things.rows for field in row)
    called = {word: {field for field in fields if _is_called(word, field)} for word in words}
    total = len(things.rows)
    met = {field: sum(_is_called(word, field.replace('.', '_')) for word in words) for field in fields}
    # What few things have is asked for where several words name it, or one and most or least of it is asked for.
    least_met = 1 + _ENDS.isdisjoint(words)
    often = [field for field, count in fields.items() if count >= _NUMBERS * total or met[field] >= least_met]
    numbers: dict[str, Mapping[str, float]] = {}
    ends: dict[str, tuple[str, str, int]] = {}
    for read, low, high, (least, most) in ((_times, _FIRST, _LAST, _WHEN), (_numbers, _LEAST, _MOST, _MUCH)):
        asks = not (low | high).isdisjoint(words)
        own = {field: found for field in often if field not in numbers and (found := read(things.rows, field))}
        measures = {field for field in own if not (is_id(field) or field.endswith(LENGTH))}
        if asks and len(measures) == 1:
            called.setdefault('', measures)  # there is but one thing to have most of
        if asks or read is _numbers:
            numbers |= own
            ends |= dict.fromkeys(own, (most, least, -1) if low.isdisjoint(words) else (least, most, 1))
    others = {word for word, fields in called.items() if not fields and word not in _FIRST | _LAST}
    having = [len(others.intersection(map(str.lower, row.values()))) for row in things.rows]
    most_having = max(having, default=0)
    asked = [at for at, count in enumerate(having) if count == most_having]
    asked_for = {field for each in called.values() for field in each}
    is_apart = things.part and not any(_is_called(word, things.part) for word in words)
    most_met = max((met[field] for field in asked_for if field in numbers), default=0)
    answers = {field for field in asked_for if met[field] == most_met and not _ENDS.isdisjoint(words)}
    for field in sorted(asked_for):
        is_usual = total - fields[field] <= min(_SHOWN, _FEW * total)
        for at in [at for at, row in enumerate(things.rows) if field not in row] if is_usual else ():
            usual = next(row[field] for row in things.rows if field in row)
            text = f'{things.names[at]}: {field} missing, others have one, such as {one_line(usual, _CELL)}'
            yield DigestStatement(text, _ASKED - _STEP, 'mentioned', _line(things, at))
        if known := numbers.get(field):
            cells = ((at, things.rows[at].get(field, '')) for at in asked)
            found = [(known[cell], at) for at, cell in cells if cell in known]
            highest = (_ANSWER if field in answers else _ASKED) - _APART * bool(is_apart)
            yield from _at_ends(things, field, found, ends[field], highest)


def _at_ends(
    things: NamedRows, field: str, found: list[tuple[float, int]], ends: tuple[str, str, int], highest: float
) -> Iterator[DigestStatement]:
    """Tell of the things at both ends of a field, of numbers with the index of a thing each.

    Args:
        things: The things.
        field: The field.
        found: What some of them have there.
        ends: What that end is called which is asked for, and the other one; and the sign with which it is the least.
        highest: The rank of the first.
    """
    if len(found) < _SHOWN:
        return
    first, last, sign = ends
    called = short_names({field for row in things.rows for field in row})[field]
    found.sort(key=lambda each: sign * each[0])
    in_order = [number for number, _ in found]
    middle = in_order[len(found) // 2]
    told = [(first, *each) for each in found[:_SHOWN] if each[0] != middle]
    # One at the other end stands out only where no other is.
    told += [(last, *found[-1])] if in_order[-1] not in (in_order[-2], middle) else []
    for nth, (which, number, at) in enumerate(told):
        before = in_order.index(number) if which == first else 0
        rank = f'{before + 1}. {which}' if before else which
        alike = in_order.count(number) - 1
        others = f', as {alike} more' if alike else ''
        said = f'{called}={things.rows[at][field]} ({rank}{others})'
        text = f'{said}: {things.names[at]}' if things.are_lines else f'{things.names[at]}: {said}'
        yield DigestStatement(text, highest - _STEP * nth, 'mentioned', _line(things, at))


def mentioned(things: NamedRows, focus: str, words: Sequence[str]) -> Iterator[DigestStatement]:
    """Tell of the one thing whose whole name is in a focus what it has, first what is asked for."""
    focus = focus.lower()
    names = [name.lower().removesuffix(')').rpartition(' (') for name in things.names]
    found = [at for at, (name, _, second) in enumerate(names) if _is_in(name or second, focus)]
    found = found if len(found) < 2 else [at for at in found if names[at][2] in focus]
    for at in found if len(found) == 1 and not things.are_lines else ():
        row, text = things.rows[at], f'{things.names[at]}:'
        asked = {field for field in row if any(_is_called(word, field.replace('.', '_')) for word in words)}
        for field in sorted(row, key=lambda field: (field not in asked, field.count('['))):
            said = f' {field}={one_line(row[field], _CELL)},'
            text += said if len(text) + len(said) <= LONGEST else ''
        yield DigestStatement(text.rstrip(','), _NAMED, 'mentioned', _line(things, at))


def thing_parts(things: NamedRows, words: Sequence[str], told: Container[str]) -> Iterator[OutputPart]:
    """What each thing has that is not usual, so many fields at once: those that have one of the words, and others.

    Of numbers only those are told that are asked for; nothing of things whose names are in `told`.
    """
    roots = [*map(stem, words)]
    times = Counter(item for row in things.rows for item in row.items())
    short = short_names({field for field, _ in times})
    for name, row in zip(things.names, things.rows, strict=True):
        own_name = name.rpartition(' > ')[2].partition(' (')[0]
        said: list[tuple[bool, bool, str]] = []
        shown = {field: f'{short[field]}={one_line(cell, _TOGETHER)}' for field, cell in row.items()}
        has = {field for field, text in shown.items() if any(root in text.lower() for root in roots)}
        for field, cell in row.items():
            text, is_asked = shown[field], field in has
            is_own = 2 * times[field, cell] < len(things.rows) and cell != own_name
            if is_own and (is_asked or (has and len(row) <= _SMALL) or not is_wordless(cell)):
                said.append(('[' in field, not is_asked, text))
        texts = [text for *_, text in sorted(said, key=lambda each: each[:2])]
        while texts and name not in told:
            count = max(1, bisect_right([*accumulate(map(len, texts))], _TOGETHER))
            yield OutputPart(f'{name}: {", ".join(texts[:count])}')
            del texts[:count]


def _is_in(name: str, focus: str) -> bool:
    pattern = rf'(?<!\w){re.escape(name)}(?!\w)'
    return len(name) > _NAME_LENGTH and name in focus and re.search(pattern, focus) is not None


def _numbers(rows: Sequence[Row], field: str) -> Mapping[str, float]:
    """What the cells of a field are as numbers, if most things have one there, and the others no other form of one."""
    cells = [cell for row in rows if (cell := row.get(field, ''))]
    found = quantities(cells)
    others = [cell for cell in cells if cell not in found]
    is_known = not any(map(str.isdigit, ''.join(others[:_LOOKED_AT])))
    return found if is_known and len(cells) - len(others) >= _NUMBERS * len(cells) else {}


def _times(rows: Sequence[Row], field: str) -> Mapping[str, float]:
    """What the cells of a field are as times, if most things have one there."""
    found = {cell: at for row in rows if (cell := row.get(field, '')) and (at := moment(cell)) is not None}
    return found if sum(row.get(field) in found for row in rows) >= _NUMBERS * len(rows) else {}


def _is_called(word: str, field: str) -> bool:
    parts = {part.lower() for part in _PART.findall(field.removesuffix(LENGTH).rpartition('.')[2])}
    is_part = word in parts or any(_are_alike(word, part) for part in parts)
    return is_part or word == field.lower() or not parts.isdisjoint(_MEASURES.get(word, ()))


@lru_cache(maxsize=65_536)
def _are_alike(word: str, other: str) -> bool:
    """Return whether two words have one stem, or are made from one: `coverage`, `covered`."""
    shared = len(commonprefix((word, other)))  # noqa: RUF071 words are no paths
    return stem(word) == stem(other) or (shared >= _SHARED and max(len(word), len(other)) - shared <= _ENDING)


def _line(things: NamedRows, at: int) -> tuple[int, ...]:
    return (things.lines[at],) if things.lines else ()


def called_fields(things: NamedRows, words: Sequence[str]) -> frozenset[str]:
    """The words of a question that name fields of things."""
    fields = {field for row in things.rows[:_LOOKED_AT] for field in row}
    return frozenset(word for word in words if any(_is_called(word, field) for field in fields))


def asked_of(topic: str, words: Sequence[str]) -> bool:
    """Return whether a field is what all words of a question name, or several of them."""
    met = sum(_is_called(word, topic) for word in words)
    return met > 1 or 0 < met == len(words)


def counted(
    units: Sequence[str],
    what: str,
    focus: str,
    words: Sequence[str],
    called: Container[str] = (),
    *,
    is_apart: bool = False,
) -> Iterator[DigestStatement]:
    """Tell how many lines or things have what is counted in a question, if any has all of its words that some have.

    Args:
        units: The lines or things.
        what: What they are.
        focus: The question.
        words: Those of it that tell something.
        called: Words of it that name fields, which values need not have.
        is_apart: Whether they are parts of other things.
    """
    lower = [*map(str.lower, units)]
    having: dict[str, set[int]] = {}
    for word in words if _HOW_MANY.intersection(words) else ():
        if word in _HOW_MANY or _is_called(word, what) or word in called or not content_stem(word):
            continue
        # Of a word other forms count, too; of a name or number nothing that is longer.
        begin, end = (stem(word)[:_SHARED], r'[^\W_]*') if word.isalpha() else (word, r'(?![.-]?\w)')
        form = re.compile(rf'(?<![^\W_]){re.escape(begin)}{end}')
        said = [{word, stem(word)}.intersection({*map(stem, found), *found}) for found in map(form.findall, lower)]
        having[word] = {at for at, each in enumerate(said) if each}
    having = {word: found for word, found in having.items() if found}
    # What is counted is what the things are, whether they say so or not.
    after = re.split(r'\b(?:many|number of|count of) ', focus)[-1].rstrip('?').split()
    if [*having] == after[:1] and not {*after[1:2]} & {*words}:
        return
    alike = set[int].intersection(*having.values()) if having else set[int]()
    if alike:
        each = f' ({", ".join(f"{word} ×{len(found)}" for word, found in having.items())})' if len(having) > 1 else ''
        text = f'{len(alike)} of {len(units)} {what} have {" and ".join(having)}{each}'
        yield DigestStatement(text, _ANSWER - _APART * is_apart, 'mentioned')
