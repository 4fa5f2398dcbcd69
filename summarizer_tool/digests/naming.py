"""What many things with the same fields are called: by a field that names them, or by words that tell them apart."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from math import log2
from os.path import commonprefix

from summarizer_tool.digests.columns import moment, quantity
from summarizer_tool.digests.statements import one_line

Row = Mapping[str, str]
"""Cells by field; a field that a thing does not have is not in it."""

_NAME = re.compile(r'(?i)(?:^|[._ -])(?:names?|title|key|host(?:name)?|pod|node|user(?:name)?|container_?name)$')
_ID = re.compile(r'(?i)(?:^|[._ -])(?:id|uid|uuid|number|no|code|sku|ref|pid|arn)$|[a-z]I[Dd]$|_id$')

_NAMES_FROM = 1.2  # score from which a field names things; a field with only different values has 2
_SHORT, _APART, _OTHERS = 24, 0.95, 2
"""Characters of other names, share of the things that must have one of their own, and how many are told."""
_SAMPLE = 1000  # things by whose words they are told apart, from all over the list
_SENTENCE = 6  # blanks from which a value is a sentence rather than a name
_CHARACTER, _LEVEL, _LEAST_GAIN = 0.02, 0.3, 0.5
"""Bits that the words of a field must tell for each character it takes, each level it is inside, and anyway."""
_FOLDER = 20  # characters of the folders that all names begin with, over which these are no part of each
_WORD = re.compile(r'(?<![^\W_])[^\W\d_]{3,}(?![^\W_])')
_LITERALS = frozenset({'null', 'true', 'false'})
LENGTH = '.length'
"""What stands behind a field that says how many there are of something."""
_FIELDS = 120  # fields among which names are looked for


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
    names = ['' if row.get(key) == 'null' else row.get(key, '') for row in rows]
    # What all stand in is said once.
    folder = commonprefix(names).rpartition('/')[0] + '/'  # noqa: RUF071 of names as of paths
    folder = folder if len(folder) > _FOLDER else ''
    named = f'{key} in {folder}' if folder else key
    labels = [one_line(name.removeprefix(folder), 100) for name in names]
    # Some ask by name and others by number: a short second one of the other sort is said, too.
    if others := [field for field in fields if _complements(field, key, rows)]:
        second = max(others, key=lambda field: _naming(field, rows, owners) - field.count('.'))
        named = f'{named or "number"} ({second})'
        seconds = [one_line(row.get(second, ''), 50) for row in rows]
        labels = [
            f'{name} ({also})' if name and also else name or also for name, also in zip(labels, seconds, strict=True)
        ]
    # By numbers nobody knows what a thing is.
    if 2 * sum(map(is_wordless, labels)) > len(rows) and (telling := _telling(rows)):
        named = telling
        seconds = [label if 0 < len(label) <= _SHORT else f'#{nth}' for nth, label in enumerate(labels, 1)]
        both = zip([one_line(row.get(telling, ''), 50) for row in rows], seconds, strict=True)
        labels = [f'{name} ({number})' if name else number for name, number in both]
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


def short_names(fields: AbstractSet[str]) -> Mapping[str, str]:
    """What each field is called without the path to it, where no other is called so."""
    last = {field: field[field.removesuffix(LENGTH).rfind('.') + 1 :] or field for field in fields}
    times = Counter(last.values())
    return {field: name if times[name] == 1 else field for field, name in last.items()}


def other_names(rows: Sequence[Row]) -> Sequence[str]:
    """The fields that tell things apart by a short name or number, as well as the one that names them: some ask by it.

    Those at the margin of a thing come first.
    """
    fields = Counter(field for row in rows for field in row)
    called = [field for field in fields if '[]' not in field and (_NAME.search(field) or _ID.search(field))]
    found = [field for field in called if len({row.get(field) for row in rows}) > _APART * len(rows)]
    short = [field for field in found if max(len(row.get(field, '')) for row in rows) <= _SHORT]
    return sorted(short, key=lambda field: field.count('.'))[:_OTHERS]


def is_id(field: str) -> bool:
    """Return whether a field has numbers that nobody compares, by what it is called."""
    return _ID.search(field) is not None


@lru_cache(maxsize=65_536)
def is_wordless(value: str) -> bool:
    """Return whether a value is a number, a time or an identifier."""
    return value in _LITERALS or _WORD.search(value[:400]) is None


def _telling(rows: Sequence[Row]) -> str:
    """The field whose words tell things apart best for what it takes to read them, sentences aside; empty if none."""
    sample = rows[:: 1 + len(rows) // _SAMPLE]
    counts = Counter(field for row in sample for field in row)
    gains: dict[str, float] = {}
    for field in [field for field, count in counts.most_common(_FIELDS) if 2 * count >= len(sample)]:
        usual = sorted((row.get(field, '') for row in sample), key=len)[len(sample) // 2]
        if '[]' not in field and usual.count(' ') < _SENTENCE:
            said = Counter(' '.join(_WORD.findall(row.get(field, '')[:400])) for row in sample)
            bits = -sum(count / len(sample) * log2(count / len(sample)) for count in said.values())
            gains[field] = bits - _CHARACTER * len(usual) - _LEVEL * field.count('.')
    best = max(gains, key=gains.__getitem__, default='')
    return best if best and gains[best] > _LEAST_GAIN else ''


def _complements(field: str, key: str, rows: Sequence[Row]) -> bool:
    """Return whether a field names things as well as another: by a short name, if this is a number, or by a number."""
    is_name = _NAME.search(field) is not None
    if '[]' in field or is_name == bool(_NAME.search(key)) or not (is_name or ('.' not in field and _ID.search(field))):
        return False
    values = {row.get(field, '') for row in rows}
    return max(map(len, values)) <= _SHORT and len(values) > (1 if is_name and '.' not in field else _APART * len(rows))


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
