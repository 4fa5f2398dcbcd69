"""Many things with the same fields (a list of objects, the rows of a table): what is usual, and who is unlike."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from researcher_integration.digests.columns import BAD, Column, Oddity, describe, shown
from researcher_integration.digests.statements import LONGEST, DigestStatement, one_line
from researcher_integration.digests.values import quantity

Row = Mapping[str, str]
"""Cells by field; a field that a thing does not have is not in it."""

_NAME = re.compile(r'(?i)(?:^|[._ -])(?:names?|title|key|host(?:name)?|pod|node|user(?:name)?|container_?name)$')
_ID = re.compile(r'(?i)(?:^|[._ -])(?:id|uid|uuid|number|no|code|sku|ref|pid|arn)$|[a-z]I[Dd]$|_id$')
_STATE = re.compile(
    r'(?i)(?:^|[._])(?:\w*status\w*|state|phase|health\w*|ready|condition\w*|result|level|severity|reason)$'
)
_MESSAGE = re.compile(r'(?i)(?:error|message|reason|detail|warning|note|comment|fault)')

_HASH = re.compile(r'[0-9a-f]{32,}')
"""What is as well known by its beginning."""

_FIELDS = 120
"""Fields that are described; things with more are described by these, the ones most things have."""
_NAMED = 8
"""Things named in a line on many of them."""
_ODD_ITEMS = 150
_NAMES_FROM = 1.2
"""Score from which a field names things; a field with only different values has 2."""
_SHORT = 24
"""Characters of a second name."""
_EACH = 12
"""Things up to which each is told with all its fields."""
_CONSTANT_LENGTH = 60
_FREE = 8
"""Fields below one path from which their names are free, if few things have any one of them."""
_REST = 0.1
"""What the further oddities of a thing add to the first."""
_AGAIN = 0.7
"""Bits that each further odd value of a field is less surprising."""
_TOLD = 5
"""Oddities of one thing that are told."""
_WHOLE = 5
"""Odd things that are told with their longest text where only a number names them, or with all where nothing does."""
_TELLING = 70
"""Characters of that."""
_CELL = 120
"""Characters of one of them,"""
_BOTH = 150
"""and of all but the first."""


@dataclass(frozen=True, slots=True)
class NamedRows:
    """Rows with what they are called."""

    what: str
    """Where they stand: `items`, or the path of the list."""
    rows: Sequence[Row]
    labels: Sequence[str]
    """What each is named by."""
    key: str
    """The field that names them; empty if they are numbered."""
    lines: Sequence[int] = ()
    """The line each stands on, from 1, where that is known."""

    sign: str = '='
    """What stands between a field and its value."""

    def where(self, row: int) -> tuple[int, ...]:
        """The line of a row."""
        return (self.lines[row],) if self.lines else ()


def named_rows(what: str, rows: Sequence[Row], lines: Sequence[int] = ()) -> NamedRows:
    """Find out what names each of two or more rows."""
    fields = Counter(field for row in rows for field in row)
    scored: list[tuple[float, str]] = []
    for field, count in list(fields.items())[:_FIELDS]:
        if count >= 0.9 * len(rows) and (score := _naming(field, rows)) >= _NAMES_FROM:
            scored.append((score, field))
    scored.sort(key=lambda each: -each[0])
    key = scored[0][1] if scored else ''
    # Some ask by name and others by number: a short second one of the other sort is said, too.
    other = next((field for _, field in scored[1:] if _complements(field, key, rows)), '')
    labels: list[str] = []
    for number, row in enumerate(rows, 1):
        label = one_line(row.get(key, ''), 50 if other else 100) or f'#{number}'
        label = f'{label[:12]}…' if _HASH.fullmatch(label) else label
        labels.append(f'{label} ({one_line(row[other], 50)})' if row.get(other) else label)
    return NamedRows(what, rows, labels, f'{key} ({other})' if other else key, lines)


def is_name(field: str) -> bool:
    """Return whether a field says what a thing is called."""
    return _NAME.search(field) is not None


def _naming(field: str, rows: Sequence[Row]) -> float:
    """How well a field names things: the more of its values are different, the better."""
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
    return score


def _complements(field: str, key: str, rows: Sequence[Row]) -> bool:
    if bool(_NAME.search(field)) == bool(_NAME.search(key)) or not (_NAME.search(field) or _ID.search(field)):
        return False
    values = {row.get(field, '') for row in rows}
    return len(values) >= 0.95 * len(rows) and max(map(len, values)) <= _SHORT and '.' not in field.strip('.')


def record_statements(them: NamedRows) -> Iterator[DigestStatement]:
    """Everything a digest may say of two or more things with the same fields."""
    total = len(them.rows)
    counts = Counter(field for row in them.rows for field in row)
    pooled = _pooled(them, counts)
    own = Counter({field: count for field, count in counts.items() if field not in pooled})
    fields = [field for field, _ in own.most_common(_FIELDS)] if len(own) > _FIELDS else list(own)
    columns = [describe(field, [row.get(field) for row in them.rows]) for field in fields]
    columns += [_pool(path, them, pooled) for path in dict.fromkeys(pooled.values())]
    named = f', named by {them.key}' if them.key else ''
    more = f' ({len(own) - len(fields)} rare ones not described)' if len(own) > len(fields) else ''
    yield DigestStatement(f'{them.what}: {total} items with {len(counts)} fields{named}{more}', 99.0, 'overview')
    told = [', '.join(f'{field}={shown(cell)[:80]}' for field, cell in row.items()) for row in them.rows[:_EACH]]
    if total <= _EACH and max(map(len, told)) <= LONGEST:
        for row, text in enumerate(told):
            bad = 14.0 if BAD.search(text) else 0.0
            yield DigestStatement(text, 76.0 + bad, 'values', them.where(row))
        return
    constants = [f'{column.name}={column.text[:_CONSTANT_LENGTH]}' for column in columns if column.kind == 'constant']
    for start in range(0, len(constants), 8):
        yield DigestStatement(f'the same in all: {", ".join(constants[start : start + 8])}', 44.0 - start, 'fields')
    for column in columns:
        if column.kind != 'constant':
            yield from _about(column, them)
    example = ', '.join(f'{field}={shown(cell)[:40]}' for field, cell in list(them.rows[0].items())[:30])
    yield DigestStatement(f'the first: {example}', 26.0, 'values', them.where(0))
    own_texts = [
        column.name for column in columns if column.kind == 'texts' and column.name not in them.key.split(' (')[:1]
    ]
    telling = max(own_texts, key=lambda name: sum(len(row.get(name, '')[:_TELLING]) for row in them.rows), default='')
    yield from _odd(them, [each for column in columns for each in column.oddities], telling)


def _about(column: Column, them: NamedRows) -> Iterator[DigestStatement]:
    """What is said of one field."""
    text = f'{column.name}: {column.text}'
    if column.kind == 'few':
        rank = 60.0 + (14.0 if _STATE.search(column.name) else 0.0) + (8.0 if column.bad else 0.0)
        # What few things have is told with each of them.
        rank -= 20.0 if column.text.startswith('(missing)') else 0.0
    elif column.kind == 'numbers':
        rank = 58.0
        if column.extreme is not None:
            text += f', greatest: {them.labels[column.extreme]}'
    elif column.kind == 'times':
        rank = 46.0
    else:
        rank = 42.0 + (8.0 if _MESSAGE.search(column.name) else 0.0) + (4.0 if column.name == them.key else 0.0)
    yield DigestStatement(text, rank, 'fields')
    values = [row.get(column.name) for row in them.rows] if column.rare else []
    for value, count in column.rare:
        rows = [row for row, each in enumerate(values) if each is not None and shown(each) == value]
        rank = 50.0 + (12.0 if BAD.search(value) else 0.0)
        yield DigestStatement(
            f'{column.name}={value} ×{count}: {_names(them, rows)}', rank, 'values', _where(them, rows)
        )


def _names(them: NamedRows, rows: Sequence[int]) -> str:
    names = ', '.join(them.labels[row] for row in rows[:_NAMED])
    return names + (f', … {len(rows) - _NAMED} more' if len(rows) > _NAMED else '')


def _where(them: NamedRows, rows: Sequence[int]) -> tuple[int, ...]:
    return tuple(line for row in rows[:20] for line in them.where(row))


def _odd(them: NamedRows, oddities: Sequence[Oddity], telling: str) -> Iterator[DigestStatement]:
    """The things that are unlike the others, those that are so in the same way together; the first with their text."""
    by_row: dict[int, list[Oddity]] = {}
    for each in oddities:
        by_row.setdefault(each.row, []).append(each)
    alike: dict[tuple[str, ...], list[int]] = {}
    for row, found in by_row.items():
        found.sort(key=lambda each: -each.surprise)
        # What names a thing is said anyway.
        key = f'{them.key.split(" (")[0]}='
        texts = tuple(
            each.text.replace('=', them.sign, 1) if each.text.startswith(f'{each.field}=') else each.text
            for each in found
            if not each.text.startswith(key)
        )
        alike.setdefault(texts or ('', str(row)), []).append(row)
    surprises = {
        texts: by_row[rows[0]][0].surprise + _REST * sum(each.surprise for each in by_row[rows[0]][1:_TOLD])
        for texts, rows in alike.items()
    }
    seen: Counter[str] = Counter()
    ranked = sorted(alike.items(), key=lambda item: -surprises[item[0]])[:_ODD_ITEMS]
    for nth, (texts, rows) in enumerate(ranked):
        # One field with many odd values must not hide another that has one.
        field = by_row[rows[0]][0].field
        surprise = surprises[texts] - _AGAIN * seen[field]
        seen[field] += 1
        several = f'×{len(rows)}: ' if len(rows) > 1 else ''
        cells = [text if len(text) < _CELL else one_line(text, _CELL) for text in texts[:_TOLD]]
        fits = max(1, sum(length <= _BOTH for length in accumulate(map(len, cells))))
        more = f', … {len(texts) - fits} more' if len(texts) > fits else ''
        told = ', '.join(cells[:fits]) + more
        told = told if texts[0] else f'{them.key} unlike the others'
        row, names = them.rows[rows[0]], _names(them, rows)
        if len(rows) == 1:
            own = {telling: row[telling]} if telling in row else {} if them.key else row
            said = ', '.join(f'{field}{them.sign}{shown(cell)}' for field, cell in own.items())
            if telling in own and not them.key:
                names = one_line(row[telling], _TELLING)
            elif said and nth < _WHOLE and said not in told and (not them.key or quantity(names) is not None):
                told += f' [{one_line(said, _TELLING)}]'
            names = f'{them.lines[rows[0]]}| {names}' if them.lines else names
        text = f'{several}{names}: {told}' if len(names) < 400 else f'{told} {several}{names}'
        yield DigestStatement(text, 66.0 + min(22.0, 1.1 * surprise), 'odd items', _where(them, rows))


def _pooled(them: NamedRows, counts: Mapping[str, int]) -> dict[str, str]:
    """Fields whose names are free, such as those of labels and dependencies, with what they stand below."""
    below: dict[str, list[str]] = {}
    for field in counts:
        for at, sign in enumerate(field):
            if sign == '.' and at:
                below.setdefault(field[:at], []).append(field)
    free = [
        path
        for path, fields in below.items()
        if len(fields) > _FREE and sum(counts[field] <= 0.1 * len(them.rows) for field in fields) > 0.8 * len(fields)
    ]
    return {field: path for path in sorted(free, key=len, reverse=True) for field in below[path]}


def _pool(path: str, them: NamedRows, pooled: Mapping[str, str]) -> Column:
    """The values below fields with free names, as those of one field."""
    cells = [
        (row, field, cell)
        for row, each in enumerate(them.rows)
        for field, cell in each.items()
        if pooled.get(field) == path
    ]
    column = describe(f'{path}.*', [cell for _, _, cell in cells])
    found = [
        replace(each, row=cells[each.row][0], text=each.text.replace(f'{path}.*', cells[each.row][1], 1))
        for each in column.oddities
    ]
    return replace(column, oddities=found, rare=(), extreme=None)
