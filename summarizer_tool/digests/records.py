"""Many things with the same fields (a list of objects, the rows of a table): how many, named by what, what is usual."""

import re
from collections.abc import Iterator, Sequence

from summarizer_tool.digests import ranks
from summarizer_tool.digests.asked import NamedRows
from summarizer_tool.digests.columns import Column, describe, shown
from summarizer_tool.digests.naming import LENGTH, Row, is_id
from summarizer_tool.digests.notable import BAD
from summarizer_tool.digests.places import OutputRecord
from summarizer_tool.digests.rarity import MISSING
from summarizer_tool.digests.statements import LONGEST, DigestStatement, one_line
from summarizer_tool.digests.surprise import surprising

_FIELDS = 120  # fields that are described; things with more are described by these, the ones most things have
_EACH = 12  # things up to which each is told with all its fields
_MASK = re.compile(r'\[MASKED_[A-Z_]+\]')  # what stands in the place of a secret
_CONSTANT_LENGTH = 60


def record_statements(what: str, things: NamedRows, key: str = '') -> Iterator[DigestStatement]:
    """What is usual of things with the same fields, and which are unlike the others, if they are no lines.

    Few things are told with all of their fields. The field `key` names them.
    """
    part, rows = f'{things.part}[].' if things.part else '', things.rows
    labels = () if things.are_lines else things.names
    fields = [field for field, _ in things.times.most_common(_FIELDS)]
    named = f', named by {key}' if key else ''
    known = {field.removesuffix(LENGTH) for field in things.times}
    text = f'{what}: {len(rows)} items with {len(known)} fields{named}'
    yield DigestStatement(text, ranks.OVERVIEW, 'overview')
    if told := _each(rows):
        for row, text in enumerate(told):
            bad = ranks.WRONG * bool(BAD.search(text))
            text = f'{things.names[row]}: {text}' if part else text
            yield DigestStatement(text, ranks.EACH + bad, 'values', tuple(things.lines[row : row + 1]))
        return
    columns = [describe(field, [row.get(field) for row in rows], () if is_id(field) else labels) for field in fields]
    constant = [column for column in columns if column.kind == 'constant']
    masked = [column.name for column in constant if _MASK.search(column.text)]
    if masked:  # by the same words, whatever was there
        yield DigestStatement(f'masked in all: {", ".join(masked)}', ranks.CONSTANT, 'fields')
    constants = [
        f'{part}{column.name}={one_line(column.text, _CONSTANT_LENGTH)}'
        for column in constant
        if column.name not in masked
    ]
    for start in range(0, len(constants), 8):
        yield DigestStatement(
            f'the same in all: {", ".join(constants[start : start + 8])}', ranks.CONSTANT - start, 'fields'
        )
    for column in columns:
        if column.kind != 'constant':
            yield DigestStatement(f'{part}{column.name}: {column.text}', _rank(column), 'fields')
    if labels:
        some = [field for field in things.times if things.times[field] < len(rows)][:_FIELDS]
        missing = [[(field, MISSING) for field in some if field not in row] for row in rows]
        found = zip(labels, rows, missing, strict=True)
        yield from surprising([OutputRecord('', 0, name, [*row.items(), *lacks]) for name, row, lacks in found])


def _each(rows: Sequence[Row]) -> Sequence[str]:
    """All that each of few things has; nothing if that is much."""
    told = [', '.join(f'{field}={shown(cell, 80)}' for field, cell in row.items()) for row in rows[:_EACH]]
    return told if len(rows) <= _EACH and max(map(len, told)) <= LONGEST else ()


def _rank(column: Column) -> float:
    # What few things have is told with each of them.
    if column.kind == 'few' and column.text.startswith('(missing)'):
        return ranks.COLUMN['texts']
    return ranks.COLUMN['bad' if column.kind == 'few' and column.bad else column.kind]
