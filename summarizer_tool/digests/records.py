"""Many things with the same fields (a list of objects, the rows of a table): how many, named by what, what is usual."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from summarizer_tool.digests.columns import Column, describe, moment, quantity, shown
from summarizer_tool.digests.notable import BAD
from summarizer_tool.digests.places import OutputRecord
from summarizer_tool.digests.statements import LONGEST, DigestStatement, distinct_parts, one_line
from summarizer_tool.digests.surprise import MISSING, surprising

Row = Mapping[str, str]
"""Cells by field; a field that a thing does not have is not in it."""

_NAME = re.compile(r'(?i)(?:^|[._ -])(?:names?|title|key|host(?:name)?|pod|node|user(?:name)?|container_?name)$')
_ID = re.compile(r'(?i)(?:^|[._ -])(?:id|uid|uuid|number|no|code|sku|ref|pid|arn)$|[a-z]I[Dd]$|_id$')

_FIELDS = 120
"""Fields that are described; things with more are described by these, the ones most things have."""
_NAMES_FROM = 1.2
"""Score from which a field names things; a field with only different values has 2."""
_SHORT = 24
"""Characters of a second name."""
_EACH = 12
"""Things up to which each is told with all its fields."""
_MASK = re.compile(r'\[MASKED_[A-Z_]+\]')
"""What stands in the place of a secret."""
_CONSTANT_LENGTH = 60
_FREE = 8
"""Fields below one path from which their names are free, if few things have any one of them."""


def named_by(rows: Sequence[Row]) -> tuple[str, Sequence[str]]:
    """The field that names each of two or more rows, empty if they are numbered, and what each is named by."""
    fields = Counter(field for row in rows for field in row)
    scored: list[tuple[float, str]] = []
    for field, count in list(fields.items())[:_FIELDS]:
        if count >= 0.9 * len(rows) and (score := _naming(field, rows)) >= _NAMES_FROM:
            scored.append((score, field))
    scored.sort(key=lambda each: -each[0])
    key = scored[0][1] if scored else ''
    # Some ask by name and others by number: a short second one of the other sort is said, too.
    other = next((field for field in fields if _complements(field, key, rows)), '')
    beside = distinct_parts([row.get(other, '') for row in rows], 50)
    labels: list[str] = []
    for number, (row, second) in enumerate(zip(rows, beside, strict=True), 1):
        label = one_line(row.get(key, ''), 50 if other else 100) or f'#{number}'
        labels.append(f'{label} ({second})' if second else label)
    return f'{key or "number"} ({other})' if other else key, labels


def _naming(field: str, rows: Sequence[Row]) -> float:
    """How well a field names things: the more of its values are different, the better."""
    if '[]' in field:
        return 0.0  # of several things in one
    values = {row.get(field, '') for row in rows}
    share = len(values) / len(rows)
    sample = sorted(values)[:100]
    length = sorted(map(len, sample))[len(sample) * 9 // 10]
    if share < (0.2 if _NAME.search(field) else 0.5) or (length > 100 and not _NAME.search(field)):
        return 0.0
    score = share * 2.0 + (1.5 if _NAME.search(field) else 1.4 if _ID.search(field) else 0.0)
    # The names of a thing stand first, and not deep inside it.
    score -= 0.25 * field.count('.') + (0.3 if length > 40 else 0.0)
    if all(quantity(value) is not None for value in sample[:20]) and not _ID.search(field):
        score -= 1.5
    elif all(moment(value) is not None for value in sample[:20]):
        score -= 0.8  # a time names what nothing else does
    return score


def _complements(field: str, key: str, rows: Sequence[Row]) -> bool:
    is_name = _NAME.search(field) is not None
    if is_name == bool(_NAME.search(key)) or not (is_name or _ID.search(field)) or '.' in field.strip('.'):
        return False
    values = {row.get(field, '') for row in rows}
    # By its identifier nobody knows what a thing is.
    return max(map(len, values)) <= _SHORT and len(values) > (1 if is_name else 0.95 * len(rows))


def record_statements(what: str, rows: Sequence[Row], key: str, labels: Sequence[str]) -> Iterator[DigestStatement]:
    """Everything a digest may say of two or more things with the same fields, which `named_by` has named."""
    yield from usual_statements(what, rows, key)
    if not _each(rows):
        yield from surprising([*_records(rows, labels)])


def _records(rows: Sequence[Row], labels: Sequence[str]) -> Iterator[OutputRecord]:
    """Things as records; of a field that others have a thing says that it is missing."""
    counts = Counter(field for row in rows for field in row)
    free = _free(counts, len(rows))
    some = [field for field, count in counts.items() if count < len(rows) and field not in free][:_FIELDS]
    for row, label in zip(rows, labels, strict=True):
        own = [(free.get(field, field), cell) for field, cell in row.items()]
        yield OutputRecord('', name=label, fields=[*own, *((field, MISSING) for field in some if field not in row)])


def _free(counts: Mapping[str, int], total: int) -> Mapping[str, str]:
    """Fields whose names are free, such as those of labels and dependencies, with a name for all of them."""
    below: dict[str, list[str]] = {}
    for field in counts:
        for at, sign in enumerate(field):
            if sign == '.' and at:
                below.setdefault(field[:at], []).append(field)
    free = [
        path
        for path, fields in below.items()
        if len(fields) > _FREE and sum(counts[field] <= 0.1 * total for field in fields) > 0.8 * len(fields)
    ]
    return {field: f'{path}.*' for path in sorted(free, key=len, reverse=True) for field in below[path]}


def usual_statements(
    what: str, rows: Sequence[Row], key: str = '', lines: Sequence[int] = ()
) -> Iterator[DigestStatement]:
    """What is usual of two or more things with the same fields; few things are told with all of these.

    Args:
        what: What they are.
        rows: The things.
        key: The field that names them.
        lines: The number of the line on which each stands, if they stand on lines.
    """
    total = len(rows)
    counts = Counter(field for row in rows for field in row)
    free = _free(counts, total)
    fields = [field for field, _ in counts.most_common() if field not in free][:_FIELDS]
    named = f', named by {key}' if key else ''
    yield DigestStatement(f'{what}: {total} items with {len(counts)} fields{named}', 99.0, 'overview')
    if told := _each(rows):
        for row, text in enumerate(told):
            bad = 14.0 if BAD.search(text) else 0.0
            yield DigestStatement(text, 76.0 + bad, 'values', tuple(lines[row : row + 1]))
        return
    columns = [describe(field, [row.get(field) for row in rows]) for field in fields]
    constant = [column for column in columns if column.kind == 'constant']
    masked = [column.name for column in constant if _MASK.search(column.text)]
    if masked:  # by the same words, whatever was there
        yield DigestStatement(f'masked in all: {", ".join(masked)}', 44.0, 'fields')
    constants = [
        f'{column.name}={one_line(column.text, _CONSTANT_LENGTH)}' for column in constant if column.name not in masked
    ]
    for start in range(0, len(constants), 8):
        yield DigestStatement(f'the same in all: {", ".join(constants[start : start + 8])}', 44.0 - start, 'fields')
    for column in columns:
        if column.kind != 'constant':
            yield DigestStatement(f'{column.name}: {column.text}', _rank(column), 'fields')


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
