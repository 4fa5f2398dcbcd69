"""Of many things with fields those that have most or least of what is asked for, or lack it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from summarizer_tool.digests.columns import quantities
from summarizer_tool.digests.records import Row
from summarizer_tool.digests.statements import LONGEST, DigestStatement, one_line
from summarizer_tool.text.terms import stem

_SHOWN = 3
"""Things told for a field, and those that lack it up to which these are."""
_ASKED = 84.0
"""The rank of the first,"""
_NAMED = 95.0
"""that of a thing which is called by its name,"""
_NAME_LENGTH = 4
"""if this has more characters,"""
_STEP = 3.0
"""and what each further one loses."""
_FEW = 0.1
"""Share of the things up to which those are told that lack what is asked for."""
_NUMBERS = 0.7
"""Share of the things that must have a number in a field for some of them to be most."""
_LOOKED_AT = 1000
"""Values without a number, which may be written in another way."""
_CELL = 120
"""Characters told of a field."""

_LEAST = frozenset(
    'lowest least minimum min smallest shortest fewest fastest quickest cheapest earliest youngest'.split()  # noqa: SIM905
)
"""Words that ask for least of something."""

_MOST = frozenset(
    'biggest greatest heaviest highest largest longest max maximum most slowest'.split()  # noqa: SIM905
)
"""Words that ask for most of something."""

_MEASURES = {
    **dict.fromkeys(
        ('slow', 'slower', 'slowest', 'longest', 'long', 'late'), ('duration', 'elapsed', 'seconds', 'time')
    ),
    **dict.fromkeys(('big', 'biggest', 'heaviest', 'huge', 'large', 'largest', 'room', 'space'), ('bytes', 'size')),
}
"""Words that ask for most of something, and what a field of that is called."""
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
    called: str = ''
    """Where all of them are."""


def extremes(things: NamedRows, words: Sequence[str]) -> Iterator[DigestStatement]:
    """Tell of the things with most and least in the fields of numbers that are asked for, and that lack such a field.

    Most and least are those of the things of which most fields are other words of the focus, unless few are.
    """
    fields = Counter(field for row in things.rows for field in row)
    called = {word: {field for field in fields if _is_called(word, field)} for word in words}
    is_least = not _LEAST.isdisjoint(words)
    total = len(things.rows)
    numbers = {field: _numbers(things.rows, field) for field, count in fields.items() if count >= _NUMBERS * total}
    numeric = {field for field, found in numbers.items() if found}
    if (is_least or not _MOST.isdisjoint(words)) and len(numeric) == 1:
        called[''] = numeric  # there is but one thing to have most of
    others = {word for word, fields in called.items() if not fields}
    having = [len(others.intersection(map(str.lower, row.values()))) for row in things.rows]
    most_having = max(having, default=0)
    asked = {at for at, count in enumerate(having) if count == most_having}
    for field in sorted({field for each in called.values() for field in each}):
        is_usual = total - fields[field] <= min(_SHOWN, _FEW * total)
        for at in [at for at, row in enumerate(things.rows) if field not in row] if is_usual else ():
            usual = next(row[field] for row in things.rows if field in row)
            text = f'{things.names[at]}: {field} missing, others have {one_line(usual, _CELL)}'
            yield DigestStatement(text, _ASKED - _STEP, 'mentioned', _line(things, at))
        known = numbers.get(field, {})
        in_order = sorted(asked) if known else ()
        found = [(known[cell], at) for at in in_order if (cell := things.rows[at].get(field, '')) in known]
        found.sort(key=lambda each: -each[0])
        if len(found) < _SHOWN:
            continue
        middle = found[len(found) // 2][0]
        most = [at for number, at in found[:_SHOWN] if number > middle]
        least = [at for number, at in reversed(found[-_SHOWN:]) if number < middle]
        if not is_least:
            # One that is least stands out only where no other is.
            least = least[: found[-1][0] < found[-2][0]]
        told = [('least', least), ('most', most[:1])] if is_least else [('most', most), ('least', least)]
        alike = Counter(number for number, _ in found)
        for nth, (which, at) in enumerate((which, at) for which, some in told for at in some):
            number = known[things.rows[at][field]]
            before = sum(
                count for other, count in alike.items() if (other > number if which == 'most' else other < number)
            )
            rank = f'{before + 1}. {which}' if before else which
            others = f', as {alike[number] - 1} more' if alike[number] > 1 else ''
            said = f'{_short(field)}={things.rows[at][field]} ({rank}{others})'
            text = f'{said}: {things.names[at]}' if things.are_lines else f'{things.names[at]}: {said}'
            yield DigestStatement(text, _ASKED - _STEP * nth, 'mentioned', _line(things, at))


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


def _is_in(name: str, focus: str) -> bool:
    pattern = rf'(?<!\w){re.escape(name)}(?!\w)'
    return len(name) > _NAME_LENGTH and name in focus and re.search(pattern, focus) is not None


def _numbers(rows: Sequence[Row], field: str) -> Mapping[str, float]:
    """What the cells of a field are as numbers, if most things have one there, and the others no other form of one."""
    cells = [cell for row in rows if (cell := row.get(field, ''))]
    found = quantities(cells)
    others = [cell for cell in cells if cell not in found]
    is_known = not any(map(str.isdigit, ''.join(others[:_LOOKED_AT])))
    return found if is_known and len(cells) - len(others) >= _NUMBERS * max(len(cells), len(rows)) else {}


def _is_called(word: str, field: str) -> bool:
    parts = {part.lower() for part in _PART.findall(field.rpartition('.')[2])}
    is_part = word in parts or stem(word) in map(stem, parts)
    return is_part or word == field.lower() or not parts.isdisjoint(_MEASURES.get(word, ()))


def _line(things: NamedRows, at: int) -> tuple[int, ...]:
    return (things.lines[at],) if things.lines else ()


def _short(field: str) -> str:
    return field.rpartition('.')[2] or field
