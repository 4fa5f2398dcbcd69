"""Changes of files as `diff` writes them: which files, and how many lines of each."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from math import log2

from summarizer_tool.digests import ranks
from summarizer_tool.digests.places import OutputRecord
from summarizer_tool.digests.statements import DigestStatement, one_line
from summarizer_tool.digests.surprise import surprising

_BEGIN = re.compile(r'diff --git "?\S/.* "?\S/([^"]*)|--- (?!/dev/null)(?:a/)?([^\t]+)')
_HEADER = re.compile(r'diff |index |(?:old|new) mode |(?:dis)?similarity |(?:rename|copy) to |(?:---|\+\+\+) |\\ ')
_HUNK = re.compile(r'@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@')
_WHAT = re.compile(r'(new file|deleted file|rename from .+|copy from .+|Binary files)')
_MESSAGE = 24  # lines of a message up to which it may stand above changes
_TOLD = 8  # and of the first up to which they are told before the files


@dataclass(slots=True)
class ChangedFile:
    """What is changed in a file."""

    name: str
    line: int
    """With which it begins, from 1."""
    what: str = ''
    is_new: bool = True
    """Whether none of its lines have been read."""
    lines: list[int] = field(default_factory=list[int])
    """Those that are put in or taken out."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of some files."""

    files: Sequence[ChangedFile]
    beside: Sequence[tuple[int, str]]
    """The lines of messages, with their numbers."""
    titles: Container[int]
    """Numbers of the lines with which files and hunks begin."""

    def names(self, count: int) -> list[str]:
        """By line of the text the file whose change it is a part of."""
        names = [''] * count
        for each, end in zip(self.files, [*(later.line - 1 for later in self.files[1:]), count], strict=True):
            names[each.line - 1 : end] = [each.name] * (end - each.line + 1)
        return names


def read_changes(lines: Sequence[str]) -> Changes | None:
    """The files that a text has the changes of; none if it is no changes, which a message may stand above."""
    files: list[ChangedFile] = []
    beside: list[tuple[int, str]] = []
    titles: set[int] = set()
    old = new = hunks = 0
    for number, line in enumerate(lines, 1):
        if old > 0 or new > 0:
            old, new = old - (line[:1] not in ('+', '\\')), new - (line[:1] not in ('-', '\\'))
            files[-1].lines += [number] if line[:1] in ('+', '-') else []
            continue
        titles.add(number)
        if found := _BEGIN.match(line):
            if found[1] or not (files and files[-1].is_new):
                files.append(ChangedFile((found[1] or found[2]).strip(), number))
        elif files and (found := _HUNK.match(line)):
            hunks += 1
            old, new = int(found[1] or 1), int(found[2] or 1)
            files[-1].is_new = False
        elif files and (found := _WHAT.match(line)):
            files[-1].what = found[1].replace('Binary files', 'binary')
        elif line.strip() and not _HEADER.match(line):
            beside.append((number, line))
            titles.discard(number)
            if not files and len(beside) > _MESSAGE:
                return None
    return Changes(files, beside, titles) if hunks and 2 * len(beside) < len(lines) else None


def change_statements(changes: Changes, lines: Sequence[str]) -> Iterator[DigestStatement]:
    """How much is changed in all and in each file, and which changed lines are unlike the others."""
    files = changes.files
    signs = [Counter(lines[at - 1][0] for at in each.lines) for each in files]
    total = sum(signs, Counter[str]())
    named = len({each.name for each in files})
    yield DigestStatement(f'changes of {named} files: +{total["+"]} -{total["-"]} lines', ranks.OVERVIEW, 'overview')
    for nth, (at, line) in enumerate(changes.beside):
        rank, topic = (ranks.BROKEN - nth, 'overview') if nth < _TOLD else (ranks.CHANGED_FILE, 'values')
        yield DigestStatement(one_line(line), rank, topic, (at,))
    for each, count in zip(files, signs, strict=True):
        what = f' ({each.what})' if each.what else ''
        text = f'{each.name}: +{count["+"]} -{count["-"]}{what}'
        yield DigestStatement(text, ranks.CHANGED_FILE + ranks.BIT * log2(2 + count.total()), 'values', (each.line,))
    changed = (OutputRecord(lines[at - 1], at, each.name) for each in files for at in each.lines)
    yield from surprising([*changed])
