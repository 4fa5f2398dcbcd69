"""On which lines what a digest says of data stands: values are read as a whole, without their lines."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import log2

from summarizer_tool.digests.statements import DigestStatement

_MOST = 40_000  # lines up to which they are looked for
_COMMON = 100  # lines from which a word that stands on them does not tell where one is
_NEAR, _LINES = 20, 5
"""Lines around the one that says most of a statement, on which its other words may stand, and of these at most."""
_FOUND = 0.5  # share of what the words of a statement weigh that the lines must have: counts and ranges stand on none

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

    def found(text: str) -> tuple[int, ...]:
        return _lines(text, having, weights)

    # Of what is usual elsewhere, the name stands somewhere.
    return [
        each if each.lines else replace(each, lines=found(each.text) or found(each.text.partition(': ')[0]))
        for each in statements
    ]


def _lines(text: str, having: Mapping[str, Sequence[int]], weights: Mapping[str, float]) -> tuple[int, ...]:
    words = {*_WORD.findall(text)}
    on: dict[int, set[str]] = defaultdict(set)
    for word in words:
        for number in having[word] if len(having[word]) <= _COMMON else ():
            on[number].add(word)
    if not on:
        return ()

    def weight(numbers: Iterable[int]) -> float:
        return sum(weights[word] for word in {word for number in numbers for word in on[number]})

    def around(number: int) -> list[int]:
        return [each for each in range(number - _NEAR, number + _NEAR + 1) if each in on]

    own = {number: weight([number]) for number in on}
    most = max(own.values())
    best = max((number for number in on if own[number] == most), key=lambda number: (weight(around(number)), -number))
    found = sorted(around(best), key=lambda number: (number != best, -own[number], abs(number - best)))[:_LINES]
    return tuple(found) if weight(found) >= _FOUND * sum(map(weights.__getitem__, words)) else ()
