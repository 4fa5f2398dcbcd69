"""On which lines what a digest says of data stands: values are read as a whole, without their lines."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import log2

from summarizer_tool.digests.statements import DigestStatement

_MOST = 40_000
"""Lines up to which they are looked for."""
_COMMON = 100
"""Lines from which a word that stands on them does not tell where one is."""
_NEAR = 20
"""Lines around the one that says most of a statement, on which its other words may stand,"""
_LINES = 5
"""and so many of them at most."""
_TOLD = 0.1
"""Share of it that a further line must have."""
_FOUND = 0.5
"""Share of what the words of a statement weigh that the lines must have: counts and ranges stand on none."""

_WORD = re.compile(r'\w+')


def located(statements: Sequence[DigestStatement], lines: Sequence[str]) -> list[DigestStatement]:
    """The statements, with the lines that have the words of those that name none; the one that has most comes first."""
    wanted = {word for each in statements if not each.lines for word in _WORD.findall(each.text)}
    if not 1 < len(lines) <= _MOST or not wanted:
        return [*statements]
    having: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        for word in wanted.intersection(_WORD.findall(line)):
            having[word].append(number)
    weights = {word: log2(1 + len(lines) / max(1, len(having[word]))) for word in wanted}
    return [each if each.lines else replace(each, lines=_lines(each.text, having, weights)) for each in statements]


def _lines(text: str, having: Mapping[str, Sequence[int]], weights: Mapping[str, float]) -> tuple[int, ...]:
    words = {*_WORD.findall(text)}
    on: dict[int, set[str]] = defaultdict(set)
    for word in words:
        for number in having[word] if len(having[word]) <= _COMMON else ():
            on[number].add(word)
    if not on:
        return ()

    def weight(said: Iterable[str]) -> float:
        return sum(weights[word] for word in said)

    around: Counter[int] = Counter()
    for number in on:
        near = range(max(1, number - _NEAR), number + _NEAR + 1)
        around[number] = round(weight({word for line in near for word in on.get(line, ())}))
    best = max(on, key=lambda number: (weight(on[number]), around[number], -number))
    found, missing = [best], words - on[best]
    near = [number for number in range(best - _NEAR, best + _NEAR + 1) if number in on]
    while len(found) < _LINES:
        line = max(near, key=lambda number: (weight(on[number] & missing), -abs(number - best)))
        if weight(on[line] & missing) < _TOLD * weight(words):
            break
        found.append(line)
        missing -= on[line]
    if weight(words - missing) >= _FOUND * weight(words):
        return tuple(found)
    # Of an item that is told by what it is called, that has a line of its own, though what is usual elsewhere has none.
    name = {
        number for word in _WORD.findall(text.partition(': ')[0]) if len(having[word]) == 1 for number in having[word]
    }
    return tuple(name) if len(name) == 1 else ()
