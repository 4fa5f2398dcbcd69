"""Of many things with fields those that have most or least of what is asked for, and the one that is named."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from summarizer_tool.digests.columns import quantities
from summarizer_tool.digests.records import Row
from summarizer_tool.digests.statements import LONGEST, DigestStatement, one_line
from summarizer_tool.text.terms import stem

_SHOWN = 3
"""Things told for a field."""
_ASKED = 84.0
"""The rank of the first,"""
_NAMED = 95.0
"""that of a thing which is called by its name,"""
_NAME_LENGTH = 4
"""if this has more characters,"""
_STEP = 3.0
"""and what each further one loses."""
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


def extremes(things: NamedRows, words: Sequence[str]) -> Iterator[DigestStatement]:
    """Tell of the things with most, or least, in the fields of numbers that are asked for."""
    if {*_LEAST, *_MOST, *_MEASURES}.isdisjoint(words):
        return
    is_least = not _LEAST.isdisjoint(words)
    which = 'least' if is_least else 'most'
    fields = Counter(field for row in things.rows for field in row)
    for field in sorted(fields):
        is_usual = fields[field] >= _NUMBERS * len(things.rows)
        if not is_usual or not any(_is_called(word, field) for word in words):
            continue
        known = _numbers(things.rows, field)
        found = [(known[cell], at) for at, row in enumerate(things.rows) if (cell := row.get(field, '')) in known]
        found.sort(key=lambda each: each[0] if is_least else -each[0])
        if len(found) < _SHOWN:
            continue
        alike = Counter(number for number, _ in found)
        for nth, (number, at) in enumerate(found[:_SHOWN]):
            if number == found[len(found) // 2][0]:
                break
            before = [other for other, _ in found].index(number)
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
    found = quantities(field, cells)
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
