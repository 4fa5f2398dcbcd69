"""Text in blocks that begin alike (`commit …`, `Name: …`, `- name: …`): where they begin, and what each is called."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from summarizer_tool.digests import ranks
from summarizer_tool.digests.asked import NamedRows
from summarizer_tool.digests.columns import describe
from summarizer_tool.digests.enclosing import IS_ID, enclosing
from summarizer_tool.digests.logs import log_statements, log_templates, loose
from summarizer_tool.digests.places import OutputRecord, form
from summarizer_tool.digests.statements import DigestStatement, distinct_parts, one_line
from summarizer_tool.digests.surprise import surprising

LEAST = 4
"""TextBlocks from which a text is one of blocks."""

_LEAST_LINES = 2.5  # lines that a block has at least, on average
_MOST_LINES = 150  # and at most: what recurs more rarely heads no record
_NAMED_SHARE = 0.9  # share of the blocks that are as nearly all of them are
_OUTER = 0.03  # share of the lines from the first block on, up to which they may be less far in
_COVERED = 0.6  # share of the lines that must stand in blocks
_MACHINE_SHARE = 0.6  # and share of them that must be fields or of forms that recur
_RECURS = 5
_NAMED_LINES = 0.5  # share of the lines in blocks with names from which these tell enough
_NAME_LENGTH = 40
_FIRST = 12  # lines of a block in which its name is looked for
_READ = 400  # characters of a line that are read

_FIELDS_TOLD = 40  # fields of blocks of which is told what is least, most or rare in them

_VALUE = re.compile(r'[ \t]*(?:- )?"?([A-Za-z][\w./-]*(?: [\w.-]+){0,3})"?[ \t]*[:=][ \t]+(\S.*)')
_PAIRS = re.compile(r'(?<![\w@.-])([A-Za-z][\w.-]*)[:=] ?([^\s:=,;]+)(?=[\s,;]|$)')
"""Several names with a value each on one line."""
_NUMBERS = re.compile(r'((?<![\w-])(?:[A-Za-z][\w-]* )?[A-Za-z][\w-]*)[ =] ?(\d[\d.]*%?)(?= |[,;)]|$)')
"""Numbers behind words."""
_COUNTED = re.compile(r'\s*(?:[A-Z][a-z]+ )?(\d[\d.]*%?) ([A-Za-z][\w/-]*(?: [a-z]+){0,2})\s*$')
"""How many there are of something: `9 input errors`."""
_NUMBER = re.compile(r'(?<!\w)\d+(?!\w)')
_NAME = re.compile(r'(?i)[\s"-]*(?:\w*name|title|subject|summary|id|file)"?\s*[:=|]\s*(\S.*)')
_HEAD = re.compile(r'((?:[#>*]+ (?=[\w-]+:))?[\w-]*[A-Za-z_][\w-]*[:=]?|\S+)')
_CLOSING = frozenset('{}()[],;')


@dataclass(frozen=True, slots=True)
class TextBlocks:
    """The blocks of a text."""

    head: str
    """What begins each of them, as it stands in the first."""
    names: Sequence[str]
    """What the block of each line is called; empty for lines of none."""
    starts: Sequence[int]
    """The lines, from 0, with which they begin."""

    def fields(self, lines: Sequence[str]) -> NamedRows:
        """The blocks as things with the fields that their lines are; of one that stands there twice none is the one."""
        rows: list[dict[str, str]] = [{} for _ in self.starts]
        for row, start, end in zip(rows, self.starts, [*self.starts[1:], len(lines)], strict=True):
            for line, name in zip(lines[start:end], self.names[start:end], strict=True):
                for field, value in _fields(line[:_READ]) if name else ():
                    row[field] = '' if field in row else value
        times = Counter(lines)
        own = [
            ' | '.join(line.strip() for line in lines[start:end] if 2 * times[line] < len(rows))
            for start, end in zip(self.starts, [*self.starts[1:], len(lines)], strict=True)
        ]
        names = [self.names[start] for start in self.starts]
        return NamedRows(names, rows, [start + 1 for start in self.starts], texts=own)


def read_blocks(lines: Sequence[str]) -> TextBlocks | None:
    """The blocks of a text; None if it is not made of blocks."""
    filled = [(number, line[:_READ]) for number, line in enumerate(lines) if line.strip()]
    if (places := _heads(filled)) is None or not _is_made(filled):
        return None
    starts = [filled[at][0] for at in places]
    # Heads that differ, and not by a number alone, say what each block is.
    heads = {_NUMBER.sub('0', lines[start].strip()) for start in starts}
    is_named = len(heads) >= _NAMED_SHARE * len(starts)
    called: list[str] = []
    ends = [*starts[1:], len(lines)]
    first = [[line[:_READ] for line in lines[at : min(end, at + _FIRST)]] for at, end in zip(starts, ends, strict=True)]
    # Of the fields that give names, the one that tells them apart best; the first of several.
    given = [_given(own) for own in first]
    values = Counter(field for field, _ in {item for each in given for item in each.items()})
    for own, fields in zip(first, given, strict=True):
        distinct = {field: values[field] * (_NAMED_SHARE if _is_id(name) else 1) for field, name in fields.items()}
        best = '' if is_named else max(reversed(fields), key=distinct.__getitem__, default='')
        called.append(fields[best].strip(' "\',:') if best else _head(own).strip(' ,:'))
    names = [''] * len(lines)
    short = distinct_parts(called, _NAME_LENGTH)
    longest = max(end - start for start, end in pairwise(starts))
    for start, end, name in zip(starts, ends, short, strict=True):
        # What comes after the last block belongs to none.
        names[start:end] = [name if at < longest else '' for at in range(end - start)]
    return TextBlocks(one_line(_head(first[0]), _NAME_LENGTH), names, starts)


def _fields(line: str) -> Sequence[tuple[str, str]]:
    """The fields that a line has: its numbers, by what is counted, or what it says of one thing."""
    before, _, counts = line.rpartition(': ')
    counted = [_COUNTED.match(part) for part in counts.split(',')]
    if all(counted):
        return [(f'{before} {each[2]}'.strip(), each[1]) for each in counted if each]
    if len(pairs := _PAIRS.findall(line)) > 1 and sum(map(len, pairs[0])) < len(line) / 2:
        return [(name, value) for name, value in pairs]
    if found := _VALUE.match(line):
        return [(found[1], found[2].strip(' "\','))]
    return _NUMBERS.findall(line)


def _given(block: Sequence[str]) -> dict[str, str]:
    """The fields of a block that may be its name, by what stands before them."""
    read = (line[:_READ] for line in block[::-1])
    return {line[: found.start(1)]: found[1] for line in read if (found := _NAME.match(line))}


def _is_id(name: str) -> bool:
    return IS_ID.fullmatch(name.strip(' "\',')) is not None


def _head(block: Sequence[str]) -> str:
    """The first line of a block, or below a rule or the end of an element, which call none, the next one."""
    says = (line for line in block if any(map(str.isalnum, line)) and not line.lstrip().startswith('</'))
    return block[0] if block[0].endswith(':') else next(says, block[0])


def _is_made(filled: Sequence[tuple[int, str]]) -> bool:
    """Return whether most lines are fields, or of a form that recurs: otherwise people wrote the text."""
    forms = [key if (key := _key(line))[1].endswith((':', '=')) else form(line) for _, line in filled]
    counts = Counter(forms)
    return sum(counts[form] >= _RECURS for form in forms) >= _MACHINE_SHARE * len(forms)


@lru_cache(maxsize=8192)
def _key(line: str) -> tuple[int, str]:
    """How a line begins: its indentation and its first word, digits aside."""
    bare = line.lstrip()
    found = _HEAD.match(bare)
    word = found[1] if found else bare[:1]
    alike = ('0:' if word.endswith(':') else '0') if re.search(r'[\d/]', word) else word
    return len(line) - len(bare), alike


def _parted(filled: Sequence[tuple[int, str]]) -> list[int]:
    """The first line, and those below blank ones."""
    return [at for at, (number, _) in enumerate(filled) if not at or number != filled[at - 1][0] + 1]


def _heads(filled: Sequence[tuple[int, str]]) -> list[int] | None:
    """The lines with which blocks begin: what recurs, has lines below it, and covers the most lines."""
    keys = [_key(line) for _, line in filled]
    places: dict[tuple[int, str], list[int]] = {}
    for at, key in enumerate(keys):
        places.setdefault(key, []).append(at)
    parted = _parted(filled)
    [(key, often)] = Counter(keys[at] for at in parted).most_common(1) or [((0, ''), 0)]
    if key[1].endswith(':') and often >= max(LEAST, _NAMED_SHARE * len(parted)) and len(keys) >= _LEAST_LINES * often:
        return parted  # blank lines part records that begin with the same field
    best, covered, below = None, 0, (0, '')
    for key, found in places.items():
        lines = len(keys) - found[0]
        if len(found) < LEAST or not _LEAST_LINES <= lines / len(found) <= _MOST_LINES or lines <= covered:
            continue
        # Its blocks end where a line is less indented, few of them are a line alone, and they go on in the same way.
        is_inner = sum(indent < key[0] for indent, _ in keys[found[0] :]) <= _OUTER * lines
        alone = sum(after == at + 1 for at, after in pairwise(found))
        second, often = Counter(keys[at + 1] for at in found if at + 1 < len(keys)).most_common(1)[0]
        follows = often >= 0.5 * len(found) and often / len(found) > 2 * len(places[second]) / len(keys)
        is_end = key[1] in _CLOSING or key[1].startswith('</')
        if follows and is_inner and alone < 0.2 * len(found) and not is_end:
            best, covered, below = found, lines, second
    if best is None or covered < _COVERED * len(keys):
        return None
    depth, parted = keys[best[0]][0], {*parted} - {0}
    if len(parted.intersection(best)) < _NAMED_SHARE * len(best):
        return best
    # What stands below a blank line and goes on as the others do begins a block, too, however it is written.
    others = {at for at in parted if keys[at][0] == depth and keys[at + 1 : at + 2] == [below]}
    return sorted(others.union(best))


def line_names(blocks: TextBlocks, lines: Sequence[str]) -> Sequence[str]:
    """What each line is a part of: its block, and where few lines stand in one that has a name, what is around it."""
    names = [name if any(map(str.isalnum, name)) else '' for name in blocks.names]
    if sum(map(bool, names)) >= _NAMED_LINES * len(lines):
        return blocks.names
    return [first or other for first, other in zip(names, enclosing(lines), strict=True)]


def block_statements(
    blocks: TextBlocks, lines: Sequence[str], named: Sequence[str], things: NamedRows
) -> Iterator[DigestStatement]:
    """How many blocks there are, which lines stand in many of them, and which are unlike the others.

    Args:
        blocks: The blocks.
        lines: All lines of the text.
        named: What each of these is a part of.
        things: The blocks with their fields.
    """
    yield DigestStatement(f'blocks: {len(blocks.starts)} items, the first: {blocks.head}', ranks.OVERVIEW, 'overview')
    having = Counter(field for row in things.rows for field in row)
    for field in [field for field, count in having.items() if 2 * count > len(things.rows)][:_FIELDS_TOLD]:
        column = describe(field, [row.get(field) for row in things.rows], things.names)
        if column.kind in ('numbers', 'times', 'few'):
            yield DigestStatement(f'{field}: {column.text}', ranks.VALUE, 'fields')
    read = loose(lines)
    yield from log_statements(read, log_templates(read))
    records = (OutputRecord(line, at, name) for at, (line, name) in enumerate(zip(lines, named, strict=True), 1))
    yield from surprising([*records])
