"""Named numbers, a line each, with labels or without (`name{label="value"} 12`): which are unlike their kind."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from researcher_integration.digests.columns import BAD, brief, describe
from researcher_integration.digests.log_lines import loose
from researcher_integration.digests.logs import log_statements
from researcher_integration.digests.statements import DigestStatement, one_line

_SHARE = 0.8
"""Share of the lines that must be samples, comments aside."""
_LEAST = 8

_SAMPLE = re.compile(
    r'(?P<name>[A-Za-z_][\w:./-]*+)(?:\{(?P<labels>[^\n]*)\})?\s*[ \t=:]\s*'
    r'(?P<value>[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|Inf))(?:\s+\d{10,})?'
)
_LABEL = re.compile(r'([A-Za-z_]\w*)="((?>(?:[^"\\]++|\\.)*))"')
_WORDS = re.compile(r'[_:./-]')
_ORDERED = frozenset({'le', 'quantile'})
"""Labels that say to which of the numbers of one thing a sample belongs."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One named number."""

    line: int
    raw: str
    name: str
    labels: Mapping[str, str]
    value: str


def read_samples(lines: Sequence[str]) -> list[Sample]:
    """Read lines that are named numbers; none if too few are."""
    filled = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip() and line[0] != '#']
    found: list[Sample] = []
    for at, (number, line) in enumerate(filled):
        if match := _SAMPLE.fullmatch(line[:2000]):
            labels = dict(_LABEL.findall(match['labels'] or ''))
            found.append(Sample(number, line, match['name'], labels, match['value']))
        elif at == 50 and len(found) < _SHARE * at:
            return []
    return found if len(found) >= max(_LEAST, _SHARE * len(filled)) else []


def sample_statements(samples: Sequence[Sample], lines: Sequence[str]) -> Iterator[DigestStatement]:
    """Everything a digest may say of named numbers, and of the lines among them that are none."""
    by_name: dict[str, list[Sample]] = {}
    for sample in samples:
        by_name.setdefault(re.sub(r'\d+', '*', sample.name), []).append(sample)
    known = {sample.line for sample in samples}
    beside = [(at, line) for at, line in enumerate(lines, 1) if at not in known and line.strip() and line[0] != '#']
    yield from log_statements([], loose(beside))
    yield DigestStatement(f'{len(samples)} numbers of {len(by_name)} names', 99.0, 'overview')
    for name, group in by_name.items():
        yield from _unlike(name, group)
        if len(group) > 1:
            text = f'{name} ×{len(group)} in {group[0].line}-{group[-1].line}: {brief([each.value for each in group])}'
            yield DigestStatement(text, 40.0 + math.log2(len(group)), 'templates', (group[0].line, group[-1].line))
        else:
            yield DigestStatement(f'{group[0].line}| {group[0].raw}', 40.0, 'values', (group[0].line,))


def _unlike(name: str, group: Sequence[Sample]) -> Iterator[DigestStatement]:
    """The samples of one name that are unlike the others, and those that count what went wrong."""
    numbers = [float(each.value) for each in group]
    counts = Counter(each.value for each in group)
    odd: dict[int, tuple[float, str]] = {}
    if len(counts) == 2 and len(group) > 2 and min(counts.values()) == 1:
        usual, once = (value for value, _ in counts.most_common())
        row = next(row for row, each in enumerate(group) if each.value == once)
        odd[row] = (18.0 if {usual, once} == {'0', '1'} else 10.0, f' [usually {usual}]')
    for each in describe(name, [each.value for each in group]).oddities if not _ordered(group) else ():
        odd.setdefault(each.row, (min(12.0, each.surprise), f' [{each.text.partition("(")[2][:-1]}]'))
    # What counts timeouts is named by several; one alone is a setting.
    bad = BAD.search(_WORDS.sub(' ', name).replace('timeout', '')) is not None and not _ordered(group)
    for row, (sample, number) in enumerate(zip(group, numbers, strict=True)):
        if not math.isfinite(number):
            odd[row] = (8.0, '')
        elif (bad or BAD.search(' '.join(sample.labels.values()))) and number > 0:
            extra, why = odd.get(row, (0.0, ''))
            odd[row] = (extra + min(12.0, 3.0 * math.log10(1.0 + number)), why)
    for nth, (row, (extra, why)) in enumerate(sorted(odd.items(), key=lambda item: -item[1][0])[:20]):
        text = f'{group[row].line}| {one_line(group[row].raw, 240)}{why}'
        yield DigestStatement(text, 62.0 + extra - nth, 'odd items', (group[row].line,))


def _ordered(group: Sequence[Sample]) -> bool:
    return not _ORDERED.isdisjoint(group[0].labels)
