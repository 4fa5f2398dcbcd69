"""Text in blocks that begin alike (`commit …`, `Name: …`, `- name: …`), each of them a record.

Its fields are `key: value` lines, named by their path where they are indented; all other lines are loose.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from researcher_integration.digests.log_lines import Event
from researcher_integration.digests.logs import log_statements
from researcher_integration.digests.records import Row, named_rows, record_statements
from researcher_integration.digests.statements import DigestStatement, one_line
from researcher_integration.digests.values import template

LEAST = 4
"""Blocks from which a text is one of blocks."""

_LEAST_LINES = 2.5
"""Lines that a block has at least, on average."""
_MOST_LINES = 150
"""And at most: what recurs more rarely heads no record."""
_MACHINE_SHARE = 0.6
"""Share of the lines that must be fields or of a form that recurs; otherwise people wrote the text."""
_COMMON = 3
"""Fields that nearly all blocks have: such a text is made by a machine in any case."""
_RECURS = 5
_NAMED_SHARE = 0.9
"""Share of the blocks that have a line above them."""
_FIELD_SHARE = 0.02
"""Share of the blocks from which what they have is a field."""
_ODD = 5
_FIRST = 2
"""Loose lines that are told of odd blocks."""
_CELLS = 300
"""Fields of one block that are read."""
_JOINED = 200
"""Characters of what stands in a field several times; what goes beyond is loose."""
_LONGEST = 2000
"""Characters of a line that are read."""

_FIELD = re.compile(
    r'(?P<item>(?:- )*)(?P<key>"[^"]{1,80}"|[\w$@./-][\w$@./()*-]*+(?: [\w()/-]+){0,3}?)'
    r'(?:\s*:(?=\s|$)|\s+[=|](?=\s|$)|\t+:)\s*(?P<value>.*)'
)
_HEAD = re.compile(r'([\w-]*[A-Za-z_][\w-]*[:=]?|\S{1,24})')
_RULE = re.compile(r'[-=_*#~+. ]{3,}$|[{}()\[\],;]*$')
_CLOSING = frozenset('{}()[],;')
_SCALAR = frozenset({'|', '>', '|-', '>-', '|+', '>+', '{', '[', '(', '{}', '[]'})


@dataclass(slots=True)
class Block:
    """One record of a text."""

    line: int
    """The number of its first line, from 1."""
    fields: dict[str, str] = field(default_factory=dict[str, str])
    """By path; what stands there more than once is joined."""
    lines: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    """The line at which each field stands first."""
    loose: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """The other lines, with their numbers."""


def read_blocks(lines: Sequence[str]) -> tuple[str, Sequence[Block]] | None:
    """How the blocks of a text begin, and the blocks; None if it is not made of blocks."""
    filled = [(number, line[:_LONGEST].expandtabs(4)) for number, line in enumerate(lines, 1) if line.strip()]
    if (head := _head(filled)) is None:
        return None
    _, key = head
    places = [at for at, (_, line) in enumerate(filled) if _key(line) == head]
    heads = [filled[at][1].split() for at in places]
    # Where each block begins with another word, its first line is a row of a table.
    width = Counter(map(len, heads)).most_common(1)[0][0] if len({words[0] for words in heads}) > len(heads) / 2 else 0
    titles = _titles(filled, places)
    starts, is_named = {*(titles or places)}, bool(titles) or width == 1
    blocks: list[Block] = []
    walk = _Walk()
    for at, (number, line) in enumerate(filled):
        if at in starts:
            walk = _Walk()
            blocks.append(Block(number))
            if is_named:
                blocks[-1].fields['name'] = line.strip().rstrip(':')
                blocks[-1].lines['name'] = (number, line)
                continue
            if width > 1 and not _FIELD.fullmatch(line.strip()):
                for place, cell in enumerate(line.split(None, width - 1), 1):
                    blocks[-1].fields[f'head {place}'] = cell
                    blocks[-1].lines[f'head {place}'] = (number, line)
                continue
        elif not blocks:
            blocks.append(Block(number))
        walk.add(blocks[-1], number, line)
    # What one block alone has is no field of all of them, but a line of its own.
    counts = Counter(name for block in blocks for name in block.fields)
    for block in blocks:
        for name in [name for name in block.fields if counts[name] <= max(1, _FIELD_SHARE * len(blocks))]:
            del block.fields[name]
            block.loose.append(block.lines[name])
    forms = Counter(_form(line) for block in blocks for _, line in block.loose)
    odd = sum(count for count in forms.values() if count < _RECURS)
    common = sum(
        count >= 0.9 * len(blocks) for count in Counter(name for each in blocks for name in each.fields).values()
    )
    if common < _COMMON and odd > (1 - _MACHINE_SHARE) * len(filled):
        return None
    return '' if width > 1 or is_named else key.strip('-:= '), blocks


def block_statements(what: str, blocks: Sequence[Block]) -> Iterator[DigestStatement]:
    """Everything a digest may say of a text of blocks."""
    # What stands before the first block is no record.
    records = blocks if blocks[0].fields else blocks[1:]
    rows: list[Row] = [block.fields for block in records]
    them = replace(named_rows(what or 'blocks', rows, [block.line for block in records]), sign=': ')
    told = list(record_statements(them))
    yield from told
    # What else an odd block says, first that of the oddest ones.
    by_line = {block.line: block for block in records}
    odd = sorted((each for each in told if each.topic == 'odd items' and each.lines), key=lambda each: -each.rank)
    forms = Counter(_form(line) for block in records for _, line in block.loose)
    for each in odd[:_ODD]:
        own = [(number, line) for number, line in by_line[each.lines[0]].loose if forms[_form(line)] < _RECURS]
        for number, line in own[:_FIRST]:
            yield DigestStatement(f'{number}| {one_line(line)}', each.rank - 4.0, 'odd items', (number,))
    names = {id(block): label for block, label in zip(records, them.labels, strict=True)}
    loose = [
        Event(number, '', '', '', line.strip(), line.strip(), name=one_line(names.get(id(block), ''), 40))
        for block in blocks
        for number, line in block.loose
    ]
    if loose:
        yield from log_statements([], loose)


def _form(line: str) -> str:
    return template(line.strip())[0]


def _key(line: str) -> tuple[int, str]:
    """How a line begins: its indentation and its first word, digits aside."""
    bare = line.lstrip()
    if bare.startswith('- '):
        return len(line) - len(bare), '-'
    found = _HEAD.match(bare)
    word = found[1] if found else bare[:1]
    return len(line) - len(bare), re.sub(r'\S*[\d/]\S*?(:?)$', r'0\1', word)


def _head(filled: Sequence[tuple[int, str]]) -> tuple[int, str] | None:
    """How blocks begin: what recurs, has lines below it, and covers the most lines."""
    keys = [_key(line) for _, line in filled]
    places: dict[tuple[int, str], list[int]] = {}
    for at, key in enumerate(keys):
        places.setdefault(key, []).append(at)
    best, covered = None, 0.0
    for key, found in places.items():
        lines = len(keys) - found[0]
        # Where blank lines part a text, blocks begin after them.
        parted = sum(not at or filled[at][0] > filled[at - 1][0] + 1 for at in found) / len(found)
        if (
            len(found) < LEAST
            or not _LEAST_LINES <= lines / len(found) <= _MOST_LINES
            or lines * (1 + parted) <= covered
        ):
            continue
        # Its blocks end where a line is less indented, few of them are a line alone, and they go on in the same way.
        is_inner = _titles(filled, found) or sum(indent >= key[0] for indent, _ in keys[found[0] :]) > 0.97 * lines
        alone = sum(after == at + 1 for at, after in pairwise(found))
        second, often = Counter(keys[at + 1] for at in found if at + 1 < len(keys)).most_common(1)[0]
        follows = often >= 0.5 * len(found) and often / len(found) > 2 * len(places[second]) / len(keys)
        if follows and is_inner and alone < 0.2 * len(found) and key[1] not in _CLOSING:
            best, covered = key, lines * (1 + parted)
    return best if covered >= 0.6 * len(keys) else None


def _titles(filled: Sequence[tuple[int, str]], places: Sequence[int]) -> list[int]:
    """Where the lines stand that name blocks: above each, less far in, and each its own; none if blocks have none."""
    above = [at - 1 for at in places if at and _key(filled[at - 1][1])[0] < _key(filled[at][1])[0]]
    return above if len({filled[at][1] for at in above}) >= _NAMED_SHARE * len(places) else []


class _Walk:
    """The lines of one block, one after another, with the path at which each stands."""

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []

    def add(self, block: Block, number: int, line: str) -> None:
        """Take a line as a field, or as a loose one."""
        bare = line.strip()
        if _RULE.match(bare) or (bare[0] == '#' and number != block.line):
            return
        indent = len(line) - len(line.lstrip())
        found = _FIELD.fullmatch(bare)
        if found is None:
            head, _, rest = bare.partition(' ')
            if block.line == number and rest:
                self._set(block, [head.strip('-#=*+')[:40] or 'head'], rest, (number, line))
            elif bare.startswith('- ') and self._path:
                self._set(block, self._at(indent + 1), bare[2:], (number, line))
            else:
                block.loose.append((number, line))
            return
        item = found['item']
        path = self._at(indent + (1 if item else 0))
        indent += len(item)
        key, value = found['key'].strip('"')[:60], found['value'].strip()
        if value in _SCALAR or not value:
            self._path = [*(each for each in self._path if each[0] < indent), (indent, key)]
        else:
            self._set(block, [*path, key], value.strip('"\''), (number, line))

    def _at(self, indent: int) -> list[str]:
        return [key for depth, key in self._path if depth < indent]

    def _set(self, block: Block, path: Sequence[str], value: str, line: tuple[int, str]) -> None:
        name = '.'.join(path)
        known = block.fields.get(name)
        if known is None:
            if len(block.fields) < _CELLS:
                block.fields[name] = value
                block.lines[name] = line
        elif value not in known.split(', '):
            if len(known) + len(value) < _JOINED:
                block.fields[name] = f'{known}, {value}'
            else:
                block.loose.append(line)
