"""Many things with the same fields (a list of objects, the rows of a table): how many, named by what, what is usual."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from summarizer_tool.digests.columns import Column, describe, has_not_come, quantity, shown
from summarizer_tool.digests.naming import LENGTH, Row, is_id, short_names
from summarizer_tool.digests.notable import BAD
from summarizer_tool.digests.places import OutputRecord, form
from summarizer_tool.digests.statements import LONGEST, DigestStatement, one_line
from summarizer_tool.digests.surprise import MISSING, surprising
from summarizer_tool.text.addressing import addresses_reader

_FIELDS = 120
"""Fields that are described; things with more are described by these, the ones most things have."""
_EACH = 12
"""Things up to which each is told with all its fields."""
_MASK = re.compile(r'\[MASKED_[A-Z_]+\]')
"""What stands in the place of a secret."""
_CONSTANT_LENGTH = 60
_WRONG = 78.0
"""The rank of things that say that something went wrong."""
_NAMED_BY = re.compile(r'[\s()]+')
_SMALL, _COUNTS = 8, 4
"""Fields of things up to which their numbers are told with what went wrong, and of so many things at most."""
_NEARLY = 0.9
"""Share of the things that must have a number in a field for it to be told with them."""
_FREE = 8
"""Fields below one path from which their names are free, if few things have any one of them."""


def record_statements(
    what: str, rows: Sequence[Row], key: str, labels: Sequence[str], part: str = ''
) -> Iterator[DigestStatement]:
    """Everything a digest may say of two or more things with the same fields, which `named_by` has named.

    Args:
        what: What they are.
        rows: The things.
        key: The field that names them.
        labels: What each is called.
        part: What they are of others that they are inside of; that is said with each of their fields.
    """
    yield from usual_statements(what, rows, key, part=part, labels=labels)
    if not _each(rows):
        odd = [*surprising([*_records(rows, labels)])]
        yield from odd
        yield from _went_wrong(rows, labels, [each.text for each in odd])


def _went_wrong(rows: Sequence[Row], labels: Sequence[str], told: Sequence[str]) -> Iterator[DigestStatement]:
    """Tell of things with values that say that something went wrong, unless most have them or that has been told.

    Those alike are told together.
    """
    times = Counter(item for row in rows for item in row.items())
    short = short_names({field for field, _ in times})
    fields = {field for field, _ in times}
    measures = [field for field in fields if len(fields) <= _SMALL and _is_measure(field, rows)]
    alike: dict[str, list[int]] = {}
    said: list[list[str]] = []
    for at, row in enumerate(rows):
        own = [item for item in row.items() if 2 * times[item] < len(rows) and _says_wrong(item[1])]
        # A name of one word is what a thing is called, whatever it says: `IllegalMonthError`.
        said.append(
            [
                f'{short[field]}={one_line(cell)}'
                for field, cell in own
                if ' ' in cell or cell not in _NAMED_BY.split(labels[at])
            ]
        )
        if said[at] and not has_not_come(row.items()):
            alike.setdefault(form(', '.join(said[at])), []).append(at)
    if 2 * sum(map(len, alike.values())) > len(rows):
        return
    for first, *others in alike.values():
        more = f' (and {len(others)} more)' if others else ''
        known = next((text for text in told if text.startswith(f'{labels[first]}: ')), '')
        if more or not all(text in known for text in said[first]):
            counts = [', '.join(rows[at].get(field, '') for at in (first, *others)[:_COUNTS]) for field in measures]
            numbers = [f'{short[field]}={count}' for field, count in zip(measures, counts, strict=True)]
            text = one_line(', '.join([*said[first], *numbers]))
            yield DigestStatement(f'{labels[first]}{more}: {text}', _WRONG, 'errors')


def _is_measure(field: str, rows: Sequence[Row]) -> bool:
    """Return whether nearly all things have a number in a field, and not all the same."""
    cells = [row[field] for row in rows if field in row]
    numbers = sum(quantity(cell) is not None for cell in cells)
    return numbers >= _NEARLY * len(rows) and len({*cells}) > 1 and not is_id(field)


@lru_cache(maxsize=65_536)
def _says_wrong(value: str) -> bool:
    return BAD.search(value[:LONGEST]) is not None and not addresses_reader(value)


def _records(rows: Sequence[Row], labels: Sequence[str]) -> Iterator[OutputRecord]:
    """Things as records; of a field that others have a thing says that it is missing."""
    counts = Counter(field for row in rows for field in row)
    free = _free(counts, len(rows))
    some = [field for field, count in counts.items() if count < len(rows) and field not in free][:_FIELDS]
    for row, label in zip(rows, labels, strict=True):
        fields = {**row, **{field: MISSING for field in some if field not in row}}
        yield OutputRecord('', 0, label, [(free.get(field, field), cell) for field, cell in fields.items()], [*fields])


def _free(counts: Mapping[str, int], total: int) -> Mapping[str, str]:
    """Fields whose names are free, such as those of labels and dependencies, with a name for all of them."""
    below: dict[str, list[str]] = {}
    for field in counts:
        for at, sign in enumerate(field):
            if sign == '.' and at and not field.endswith(LENGTH):
                below.setdefault(field[:at], []).append(field)
    free = [
        path
        for path, fields in below.items()
        if len(fields) > _FREE and sum(counts[field] <= 0.1 * total for field in fields) > 0.8 * len(fields)
    ]
    return {field: f'{path}.*' for path in sorted(free, key=len, reverse=True) for field in below[path]}


def with_counts(rows: Sequence[Row]) -> Sequence[Row]:
    """Rows that say how many fields with free names they have below a path, and which of their values are objects."""
    fields = Counter(field for row in rows for field in row)
    free = _free(fields, len(rows))
    # Values inside of lists share cells, those that are objects with those that are none.
    outer = {above for field in fields for above in _above(field) if above in fields and '[]' not in above}
    rows = [{**{above: '{…}' for each in row for above in _above(each) if above in outer}, **row} for row in rows]
    counts = [Counter(free[field].removesuffix('.*') for field in row if field in free) for row in rows]
    # What but one thing has are its fields, whatever they are called.
    names = Counter(path for counted in counts for path in counted)
    return [
        {**row, **{f'{path}{LENGTH}': str(count) for path, count in counted.items() if names[path] > 1}}
        for row, counted in zip(rows, counts, strict=True)
    ]


def _above(field: str) -> Iterator[str]:
    """The paths that a field is inside of."""
    return (field[:at] for at, sign in enumerate(field) if at and sign in '.[')


def usual_statements(
    what: str,
    rows: Sequence[Row],
    key: str = '',
    lines: Sequence[int] = (),
    part: str = '',
    labels: Sequence[str] = (),
) -> Iterator[DigestStatement]:
    """What is usual of two or more things with the same fields; few things are told with all of these.

    Args:
        what: What they are.
        rows: The things.
        key: The field that names them.
        lines: The number of the line on which each stands, if they stand on lines.
        part: What they are of others, said before the names of fields.
        labels: What each is called, if they have names.
    """
    part = f'{part}[].' if part else ''
    total = len(rows)
    counts = Counter(field for row in rows for field in row)
    free = _free(counts, total)
    fields = [field for field, _ in counts.most_common() if field not in free][:_FIELDS]
    named = f', named by {key}' if key else ''
    yield DigestStatement(f'{what}: {total} items with {len(counts)} fields{named}', 99.0, 'overview')
    if told := _each(rows):
        for row, text in enumerate(told):
            bad = 14.0 if BAD.search(text) else 0.0
            text = f'{labels[row]}: {text}' if part else text
            yield DigestStatement(text, 76.0 + bad, 'values', tuple(lines[row : row + 1]))
        return
    columns = [describe(field, [row.get(field) for row in rows], () if is_id(field) else labels) for field in fields]
    constant = [column for column in columns if column.kind == 'constant']
    masked = [column.name for column in constant if _MASK.search(column.text)]
    if masked:  # by the same words, whatever was there
        yield DigestStatement(f'masked in all: {", ".join(masked)}', 44.0, 'fields')
    constants = [
        f'{part}{column.name}={one_line(column.text, _CONSTANT_LENGTH)}'
        for column in constant
        if column.name not in masked
    ]
    for start in range(0, len(constants), 8):
        yield DigestStatement(f'the same in all: {", ".join(constants[start : start + 8])}', 44.0 - start, 'fields')
    for column in columns:
        if column.kind != 'constant':
            yield DigestStatement(f'{part}{column.name}: {column.text}', _rank(column), 'fields')


def _each(rows: Sequence[Row]) -> Sequence[str]:
    """All that each of few things has; nothing if that is much."""
    told = [', '.join(f'{field}={shown(cell, 80)}' for field, cell in row.items()) for row in rows[:_EACH]]
    return told if len(rows) <= _EACH and max(map(len, told)) <= LONGEST else ()


def _rank(column: Column) -> float:
    if column.kind == 'few':
        rank = 68.0 if column.bad else 60.0
        # What few things have is told with each of them.
        return rank - 20.0 if column.text.startswith('(missing)') else rank
    return {'numbers': 58.0, 'times': 46.0}.get(column.kind, 42.0)
