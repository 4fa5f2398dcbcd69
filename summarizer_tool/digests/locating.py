"""On which lines what a digest says of data stands: values are read as a whole, without their lines."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import log2

from summarizer_tool.digests.statements import DigestStatement

_MOST = 40_000
"""Lines up to which they are looked for."""
_COMMON = 100
"""Lines from which a word that stands on them does not tell where one is."""
_NEAR = 20
"""Lines around the one that says most of a statement, on which its other words may stand."""
_FOUND = 0.5
"""Share of what the words of a statement weigh that the lines must have: counts and ranges stand on none."""

_WORD = re.compile(r'\w+')


def located(statements: Sequence[DigestStatement], lines: Sequence[str]) -> list[DigestStatement]:
    """The statements, those that name no line with the one that has most of their words."""
    wanted = {word for each in statements if not each.lines for word in _WORD.findall(each.text)}
    if not 1 < len(lines) <= _MOST or not wanted:
        return [*statements]
    having: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        for word in wanted.intersection(_WORD.findall(line)):
            having[word].append(number)
    weights = {word: log2(1 + len(lines) / max(1, len(having[word]))) for word in wanted}
    return [each if each.lines else replace(each, lines=_line(each.text, having, weights)) for each in statements]


def _line(text: str, having: Mapping[str, Sequence[int]], weights: Mapping[str, float]) -> tuple[int, ...]:
    """The line that says most of a statement, if enough of it stands there and around."""
    words = {*_WORD.findall(text)}
    on: dict[int, set[str]] = defaultdict(set)
    for word in words:
        for number in having[word] if len(having[word]) <= _COMMON else ():
            on[number].add(word)

    def weight(said: Iterable[str]) -> float:
        return sum(sorted(map(weights.__getitem__, said)))

    best = max(on, key=lambda number: (weight(on[number]), -number), default=0)
    around = {word for line in range(best - _NEAR, best + _NEAR + 1) for word in on.get(line, ())}
    return (best,) if around and weight(around) >= _FOUND * weight(words) else ()
