"""Many things with the same fields (a list of objects, the rows of a table): how many, named by what, what is usual."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from math import log2
from os.path import commonprefix

from summarizer_tool.digests.columns import Column, describe, moment, quantity, shown
from summarizer_tool.digests.notable import BAD
from summarizer_tool.digests.places import OutputRecord, form
from summarizer_tool.digests.statements import LONGEST, DigestStatement, distinct_parts, one_line
from summarizer_tool.digests.surprise import MISSING, surprising
from summarizer_tool.text.addressing import addresses_reader

Row = Mapping[str, str]
"""Cells by field; a field that a thing does not have is not in it."""

_NAME = re.compile(r'(?i)(?:^|[._ -])(?:names?|title|key|host(?:name)?|pod|node|user(?:name)?|container_?name)$')
_ID = re.compile(r'(?i)(?:^|[._ -])(?:id|uid|uuid|number|no|code|sku|ref|pid|arn)$|[a-z]I[Dd]$|_id$')

_FIELDS = 120
"""Fields that are described; things with more are described by these, the ones most things have."""
_NAMES_FROM = 1.2
"""Score from which a field names things; a field with only different values has 2."""
_FOLDER = 20
"""Characters of the folders that all names begin with, over which these are no part of each."""
_SHORT = 24
"""Characters of a second name."""
_EACH = 12
"""Things up to which each is told with all its fields."""
_MASK = re.compile(r'\[MASKED_[A-Z_]+\]')
"""What stands in the place of a secret."""
_CONSTANT_LENGTH = 60
_WORD = re.compile(r'(?<![^\W_])[^\W\d_]{3,}(?![^\W_])')
_WRONG = 78.0
"""The rank of things that say that something went wrong."""
_LITERALS = frozenset({'null', 'true', 'false'})
_TELLING, _PRESENT = 3, 0.5
"""Fields that tell things apart, and the share of the things that must have one."""
_SAMPLE = 1000
"""Things by which these are found, from all over the list."""
_SENTENCE = 6
"""Blanks from which a value is a sentence rather than a name."""
_CHARACTER, _LEVEL, _LEAST_GAIN = 0.02, 0.3, 0.5
"""Bits that a field must tell for each character it takes, each level it is inside, and anyway."""
LENGTH = '.length'
"""What stands behind a field that says how many there are of something."""
_COUNTER = re.compile(r'(?i)count|value|total|number|times')
"""What a number is called that says how often something has come; of others, such as a time, none is nothing wrong."""
_NAMED_BY = re.compile(r'[\s()]+')
_SMALL, _COUNTS = 8, 4
"""Fields of things up to which their numbers are told with what went wrong, and of so many things at most."""
_FREE = 8
"""Fields below one path from which their names are free, if few things have any one of them."""


def named_by(rows: Sequence[Row], owners: Sequence[str] = ()) -> tuple[str, Sequence[str]]:
    """The field that names each of two or more rows, empty if they are numbered, and what each is named by.

    Args:
        rows: The things.
        owners: What each belongs to, if it is a part of others; that is told before its name.
    """
    fields = Counter(field for row in rows for field in row)
    scored: list[tuple[float, str]] = []
    for field, count in list(fields.items())[:_FIELDS]:
        if count >= 0.9 * len(rows) and (score := _naming(field, rows, owners)) >= _NAMES_FROM:
            scored.append((score, field))
    key = max(scored, default=(0.0, ''), key=lambda each: each[0])[1]
    # Some ask by name and others by number: a short second one of the other sort is said, too.
    others = [field for field in fields if _complements(field, key, rows)]
    other = max(others, key=lambda field: _naming(field, rows, owners) - field.count('.'), default='')
    names = ['' if row.get(key) == 'null' else row.get(key, '') for row in rows]
    # What all stand in is said once.
    folder = commonprefix(names).rpartition('/')[0] + '/'  # noqa: RUF071 of names as of paths
    folder = folder if len(folder) > _FOLDER else ''
    named = f'{key or "number"} ({other})' if other else f'{key} in {folder}' if folder else key
    seconds = distinct_parts([row.get(other, '') for row in rows], 50)
    labels = [_label(name.removeprefix(folder), second) for name, second in zip(names, seconds, strict=True)]
    # By numbers nobody knows what a thing is.
    if 2 * sum(map(bool, map(_words, labels))) < len(rows) and (told := telling(rows, are_names=True) or telling(rows)):
        used = told[: 1 if 2 * len({row.get(told[0]) for row in rows}) > len(rows) else 2]
        named = ', '.join(used)
        seconds = [label if 0 < len(label) <= _SHORT else f'#{nth}' for nth, label in enumerate(labels, 1)]
        names = [' '.join(row.get(field, '') for field in used) for row in rows]
        labels = [*map(_label, names, seconds)]
    if owners:
        places = Counter[str]()
        for at, owner in enumerate(owners):
            has_name = labels[at] and labels[at][0] != '#'
            own = f' > {one_line(labels[at], 60)}' if has_name else f'[{places[owner]}]'
            places[owner] += 1
            labels[at] = f'{one_line(owner, 60)}{own}'
    times = Counter(labels)
    # Of two things with one name each is told by its place, too.
    return named, [
        label if times[label] == 1 and label else f'{label} #{nth}'.strip() for nth, label in enumerate(labels, 1)
    ]


def _label(name: str, second: str) -> str:
    """What a thing is called by its name and a number, either of which may be missing."""
    if not (name and second) or name == second:
        return one_line(name, 100) or second
    return f'{one_line(name, 50)} ({second})'


def short_names(fields: AbstractSet[str]) -> Mapping[str, str]:
    """What each field is called without the path to it, where no other is called so."""
    last = {field: field[field.removesuffix(LENGTH).rfind('.') + 1 :] or field for field in fields}
    times = Counter(last.values())
    return {field: name if times[name] == 1 else field for field, name in last.items()}


def is_id(field: str) -> bool:
    """Return whether a field has numbers that nobody compares, by what it is called."""
    return _ID.search(field) is not None


def telling(rows: Sequence[Row], *, are_names: bool = False) -> Sequence[str]:
    """The fields whose words tell things apart, those first that do so in few characters; of names, no sentences."""
    rows = rows[:: 1 + len(rows) // _SAMPLE]
    counts = Counter(field for row in rows for field in row)
    said = {
        field: [_words(row.get(field, '')) for row in rows]
        for field, count in [*counts.items()][:_FIELDS]
        if '[]' not in field and count >= _PRESENT * len(rows) and not (are_names and _is_said(field, rows))
    }
    cost = {field: _cost(field, [row[field] for row in rows if field in row]) for field in said}
    found: list[str] = []
    known: list[str] = [''] * len(rows)
    told = 0.0
    while len(found) < _TELLING and said:
        gains = {field: _entropy(map(' '.join, zip(known, words, strict=True))) - told for field, words in said.items()}
        best = max(gains, key=lambda field: gains[field] - cost[field])
        if gains[best] - cost[best] < _LEAST_GAIN:
            break
        found.append(best)
        told += gains[best]
        known = [*map(' '.join, zip(known, said.pop(best), strict=True))]
    return found


def _is_said(field: str, rows: Sequence[Row]) -> bool:
    """Return whether a field has sentences."""
    blanks = sorted(row.get(field, '').count(' ') for row in rows)
    return blanks[len(blanks) * 9 // 10] >= _SENTENCE


def _cost(field: str, values: Sequence[str]) -> float:
    """What a field must tell apart for what it takes to read."""
    length = sorted(map(len, values))[len(values) // 2]
    return _CHARACTER * length + _LEVEL * field.count('.')


@lru_cache(maxsize=65_536)
def _words(value: str) -> str:
    """The words of a value: what has digits in it is a number, or one of many of a name."""
    return '' if value in _LITERALS else ' '.join(_WORD.findall(value[:400]))


def is_wordless(value: str) -> bool:
    """Return whether a value is a number, a time or an identifier."""
    return not _words(value)


def _entropy(values: Iterable[str]) -> float:
    counts = Counter(values)
    total = counts.total()
    return -sum(count / total * log2(count / total) for count in counts.values())


def _naming(field: str, rows: Sequence[Row], owners: Sequence[str]) -> float:
    """How well a field names things: the more of its values are different, the better."""
    if '[]' in field:
        return 0.0  # of several things in one
    values = {row.get(field, '') for row in rows}
    # Things inside others have names there.
    share = len({*zip(owners, (row.get(field, '') for row in rows), strict=True)} if owners else values) / len(rows)
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
    if is_name == bool(_NAME.search(key)) or not (is_name or _ID.search(field)):
        return False
    is_deep = '.' in field.strip('.')
    if '[]' in field or (is_deep and not is_name):
        return False
    values = {row.get(field, '') for row in rows}
    # By its identifier nobody knows what a thing is.
    return max(map(len, values)) <= _SHORT and len(values) > (1 if is_name and not is_deep else 0.95 * len(rows))


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
    counters = [field for field in measures if _COUNTER.search(field)]
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
        has_come = not counters or any(quantity(row[field]) for field in counters)
        if said[at] and has_come:
            alike.setdefault(form(', '.join(said[at])), []).append(at)
    if 2 * sum(map(len, alike.values())) > len(rows):
        return
    for first, *others in alike.values():
        more = f' (and {len(others)} more)' if others else ''
        known = next((text for text in told if text.startswith(f'{labels[first]}: ')), '')
        if more or not all(text in known for text in said[first]):
            counts = [', '.join(rows[at][field] for at in (first, *others)[:_COUNTS]) for field in measures]
            numbers = [f'{short[field]}={count}' for field, count in zip(measures, counts, strict=True)]
            text = one_line(', '.join([*said[first], *numbers]))
            yield DigestStatement(f'{labels[first]}{more}: {text}', _WRONG, 'errors')


def _is_measure(field: str, rows: Sequence[Row]) -> bool:
    """Return whether all things have a number in a field, and not all the same."""
    cells = {row.get(field, '') for row in rows}
    return len(cells) > 1 and not is_id(field) and all(quantity(cell) is not None for cell in cells)


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
    outer = {above for field in fields for above in _above(field) if above in fields}
    rows = [{**{above: '{…}' for each in row for above in _above(each) if above in outer}, **row} for row in rows]
    counts = (Counter(free[field].removesuffix('.*') for field in row if field in free) for row in rows)
    return [
        {**row, **{f'{path}{LENGTH}': str(count) for path, count in counted.items()}}
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
