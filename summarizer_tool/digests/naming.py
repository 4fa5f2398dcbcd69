"""What many things with the same fields are called: by a field that names them, or by words that tell them apart."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from math import log2
from os.path import commonprefix

from summarizer_tool.digests.columns import moment, quantity
from summarizer_tool.digests.statements import distinct_parts, one_line

Row = Mapping[str, str]
"""Cells by field; a field that a thing does not have is not in it."""

_NAME = re.compile(r'(?i)(?:^|[._ -])(?:names?|title|key|host(?:name)?|pod|node|user(?:name)?|container_?name)$')
_ID = re.compile(r'(?i)(?:^|[._ -])(?:id|uid|uuid|number|no|code|sku|ref|pid|arn)$|[a-z]I[Dd]$|_id$')

_NAMES_FROM = 1.2
"""Score from which a field names things; a field with only different values has 2."""
_FOLDER = 20
"""Characters of the folders that all names begin with, over which these are no part of each."""
_SHORT = 24
"""Characters of a second name."""
_WORD = re.compile(r'(?<![^\W_])[^\W\d_]{3,}(?![^\W_])')
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
_FIELDS = 120
"""Fields among which names are looked for."""


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
