"""Diffs: the files with how many lines each gains and loses, and the changed lines that are unlike the others."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log2

from researcher_integration.digests.statements import DigestStatement, one_line
from researcher_integration.digests.surprise import surprising

_HUNK = re.compile(r'@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@')
_FILE = re.compile(r'(?:\+\+\+|---) (?:[abciow]/)?([^\t\n]+)')
_WORD = re.compile(r'[^\W\d_]{3,}|\d+')
_SHARE = 0.6
"""Share of the lines of a text that its hunks must have."""
_TOLD = 150
"""Changed lines that are told for their rare words."""
_LONGEST = 240


@dataclass(slots=True)
class _File:
    name: str
    changed: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Lines with their numbers in the diff, as they stand."""

    def count(self, sign: str) -> int:
        return sum(line[0] == sign for _, line in self.changed)


def read_diff(lines: Sequence[str]) -> list[_File]:
    """The files of a unified diff, with the lines that it adds and takes away; none if the text is mostly no diff."""
    files: list[_File] = []
    name, old, new, used = '', 0, 0, 0
    for number, line in enumerate(lines, 1):
        if old > 0 or new > 0:
            used += 1
            old -= line[:1] not in ('+', '\\')
            new -= line[:1] not in ('-', '\\')
            if line[:1] in ('+', '-'):
                files[-1].changed.append((number, line))
        elif hunk := _HUNK.match(line):
            old, new, used = int(hunk[1] or 1), int(hunk[2] or 1), used + 1
            if not files or files[-1].name != name:
                files.append(_File(name))
        elif (found := _FILE.match(line)) and found[1] != '/dev/null':
            name = found[1]
    return files if used >= _SHARE * sum(map(bool, lines)) else []


def diff_statements(files: Sequence[_File]) -> Iterator[DigestStatement]:
    """Everything a digest of a diff may say."""
    added, gone = (sum(file.count(sign) for file in files) for sign in '+-')
    yield DigestStatement(f'diff of {len(files)} files: +{added} -{gone}', 100.0, 'overview')
    ranked = sorted(files, key=lambda file: -len(file.changed))
    told = [f'{file.name} +{file.count("+")} -{file.count("-")}' for file in ranked]
    for start in range(0, len(told), 5):
        yield DigestStatement('; '.join(told[start : start + 5]), 96.0 - 2.0 * start, 'fields' if start else 'overview')
    # A word of generated bulk stands in many lines of it: what is rare is so in all of the diff.
    words = {number: {*_WORD.findall(line.lower())} for file in files for number, line in file.changed}
    counts = Counter(word for each in words.values() for word in each)
    for file in files:
        # What is moved or changed in part is not new.
        others = Counter(line[1:].strip() for _, line in file.changed)
        bulk = log2(1 + len(file.changed))
        worth: list[tuple[float, int, str]] = []
        for number, line in file.changed:
            rare = sorted(counts[word] for word in words[number] if not word.isdigit())[:3]
            if rare and others[line[1:].strip()] == 1:
                bits = sum(log2(len(words) / count) for count in rare) / 3
                worth.append((bits - bulk + (2.0 if line[0] == '+' else 0.0), number, line))
        for nth, (bits, number, line) in enumerate(sorted(worth, reverse=True)[:_TOLD]):
            text = f'{number}| {file.name.rpartition("/")[2]}: {one_line(line, _LONGEST)}'
            yield DigestStatement(text, 62.0 + 1.2 * bits - nth, 'odd items', (number,))
    yield from surprising([each for file in files for each in file.changed])
