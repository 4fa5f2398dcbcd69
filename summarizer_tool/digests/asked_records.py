"""Of many things with fields those that are asked for: by what stands in them, or most and least of a field."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from summarizer_tool.digests.records import Row
from summarizer_tool.digests.statements import DigestStatement, one_line
from summarizer_tool.digests.values import quantity
from summarizer_tool.text.terms import stem

_MOST = 6
"""Things with as much of what is asked up to which these are told,"""
_SHOWN = 3
"""and so many of them first."""
_ASKED = 84.0
"""The rank of the first,"""
_STEP = 3.0
"""what each further one loses,"""
_LITTLE = 45.0
"""and the rank of those behind."""
_NAMED = 0.5
"""What a word counts that is the name of a field only, which most things have."""
_FEW = 0.1
"""Share of the things up to which those are told that lack what is asked for."""
_NUMBERS = 0.7
"""Share of the things that must have a number in a field for some of them to be most."""
_LENGTH = 320
"""Characters told of a thing,"""
_CELL = 120
"""and of a field of it."""

_MEASURES = {
    **dict.fromkeys(
        ('slow', 'slower', 'slowest', 'longest', 'long', 'late'), ('duration', 'elapsed', 'seconds', 'time')
    ),
    **dict.fromkeys(('big', 'biggest', 'heaviest', 'huge', 'large', 'largest', 'room', 'space'), ('bytes', 'size')),
}
"""Words that ask for most of something, and what a field of that is called."""
_PART = re.compile(r'[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+')
_WORD = re.compile(r'[\w./:@+-]*\w')


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


def asked_records(things: NamedRows, words: Sequence[str]) -> Iterator[DigestStatement]:
    """Tell of the things in which most of the words of a focus are, where these are few, and of those with most."""
    fields = Counter(field for row in things.rows for field in row)
    parts = {field: {part.lower() for part in _PART.findall(field.rpartition('.')[2])} for field in fields}
    called = {word: {field for field in fields if _is_called(word, parts[field])} for word in words}
    yield from _extremes(things, fields, called)
    if things.are_lines:
        return
    held = [_held(name, row, words) for name, row in zip(things.names, things.rows, strict=True)]
    times = Counter(word for each in held for word in each)
    total = len(held)
    scores = [
        sum(log((1 + total) / times[word]) for word in each)
        + _NAMED * sum(not called[word].isdisjoint(row) and word not in each for word in words if each)
        for each, row in zip(held, things.rows, strict=True)
    ]
    best = max(scores, default=0.0)
    chosen = [at for at, score in enumerate(scores) if best > 0 and score == best]
    if len(chosen) <= _MOST:
        for nth, at in enumerate(chosen):
            rank = _ASKED - _STEP * nth if nth < _SHOWN else _LITTLE
            yield DigestStatement(_told(things, at, words, called), rank, 'mentioned', _line(things, at))


def _is_called(word: str, parts: set[str]) -> bool:
    return word in parts or stem(word) in map(stem, parts) or not parts.isdisjoint(_MEASURES.get(word, ()))


def _held(name: str, row: Row, words: Sequence[str]) -> set[str]:
    """The words that are in the name or the fields of a thing, as words of their own."""
    said = {part for text in (name, *row.values()) for part in _parts(text[:2000])}
    return {word for word in words if word in said or (word.isalpha() and stem(word) in said)}


def _parts(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower()):
        yield word
        yield stem(word)
        if not word.isalnum():
            yield from re.split(r'[^a-z0-9]+', word)


def _extremes(
    things: NamedRows, fields: Mapping[str, int], called: Mapping[str, set[str]]
) -> Iterator[DigestStatement]:
    """The things with most and least in the fields of numbers that are asked for, and those that lack such a field.

    Most and least are those of the things of which most fields are other words of the focus, unless few are.
    """
    others = {word for word, fields in called.items() if not fields}
    having = [len(others.intersection(map(str.lower, row.values()))) for row in things.rows]
    asked = {at for at, count in enumerate(having) if count == max(having)}
    for field in sorted({field for each in called.values() for field in each}):
        lacking = [at for at, row in enumerate(things.rows) if field not in row]
        for at in lacking if len(lacking) <= min(_SHOWN, _FEW * len(things.rows)) else ():
            text = f'{things.names[at]}: {field} missing, others have {_usual(things.rows, field)}'
            yield DigestStatement(text, _ASKED - _STEP, 'mentioned', _line(things, at))
        found = [
            (number, at) for at, row in enumerate(things.rows) if (number := quantity(row.get(field, ''))) is not None
        ]
        if len(found) < max(_SHOWN, _NUMBERS * fields[field]) or len(found) < _NUMBERS * len(things.rows):
            continue
        found = sorted((each for each in found if each[1] in asked), key=lambda each: -each[0])
        if len(found) < _SHOWN:
            continue
        middle = found[len(found) // 2][0]
        chosen = [(nth, at, 'most') for nth, (number, at) in enumerate(found[:_SHOWN]) if number > middle]
        chosen += [(_SHOWN, at, 'least') for number, at in found[-1:] if number < found[-2][0] <= middle]
        for nth, at, which in chosen:
            said = f'{_short(field)}={things.rows[at][field]} ({which})'
            text = f'{said}: {things.names[at]}' if things.are_lines else f'{things.names[at]}: {said}'
            yield DigestStatement(text, _ASKED - _STEP * nth, 'mentioned', _line(things, at))


def _usual(rows: Sequence[Row], field: str) -> str:
    return one_line(Counter(row[field] for row in rows if field in row).most_common(1)[0][0], _CELL)


def _line(things: NamedRows, at: int) -> tuple[int, ...]:
    return (things.lines[at],) if things.lines else ()


def _short(field: str) -> str:
    return field.rpartition('.')[2] or field


def _told(things: NamedRows, at: int, words: Sequence[str], called: Mapping[str, set[str]]) -> str:
    """What a thing is called, its fields with what is asked for, and as many of the others as there is room for."""
    row = things.rows[at]
    asked = [field for field in row if any(field in fields for fields in called.values())]
    holding = [field for field in row if field not in asked and _held('', {field: row[field]}, words)]
    others = sorted((field for field in row if field not in asked and field not in holding), key=lambda f: f.count('.'))
    said: list[str] = []
    left = _LENGTH - len(things.names[at])
    for field in dict.fromkeys((*asked, *holding, *others)):
        text = f'{_short(field)}={one_line(row[field], _CELL)}'
        if len(text) > left:
            continue
        said.append(text)
        left -= len(text) + 2
    return f'{one_line(things.names[at], _CELL)}: {", ".join(said)}'
