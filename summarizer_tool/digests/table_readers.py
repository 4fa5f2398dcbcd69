"""Blocks of lines as tables: cells between pipes, commas or tabs, and columns aligned by blanks as tools print them."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from summarizer_tool.digests.columns import quantity
from summarizer_tool.digests.naming import Row
from summarizer_tool.digests.places import without_digits
from summarizer_tool.digests.statements import one_line

LONGEST_LINE = 20_000
LEAST_ROWS = 4
"""Rows from which lines in columns are a table."""
_FIT = 0.9  # share of the lines that must have the table's number of columns
_WIDEST = 200  # columns
_LONGEST_CELL = 400  # characters
_BARE = 3  # columns up to which every row must have all of them
_HEADS = 5  # lines among which titles are looked for
_BELOW = 40  # and lines by which it is told whether these stand above numbers
_NUMBERS = 0.9  # which so many of them must have there
_BLANK = 0.98  # share of the lines that are blank where a column ends
_REACHED = 0.2  # share of the lines that reach a place, under which nothing is said of it
_INDENTED = 24
_WIDE = 400  # characters of a line in which columns are looked for
_RULE = re.compile(r'[\s|+:=-]+$')
_STROKES = str.maketrans('│┃║╎─━═╌┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╭╮╰╯╞╪╡╟╫╢┏┳┓┣╋┫┗┻┛┡╇┩', '||||----' + 40 * '+')
_GAP = re.compile(r'\s{2,}|\t')
_WIDE_WORDS = re.compile(r'\S+(?: \S+)*')
_WORDS = re.compile(r'\S+')
_TITLE = re.compile(r'[%A-Z][A-Z0-9%_()/.-]*$|[A-Z][\w%()/.:\'-]*$')
_TABS = 2  # tabs in a line from which these, and no blanks, part its cells


@dataclass(frozen=True, slots=True)
class Table:
    """A table that was found in a text."""

    rows: Sequence[Row]
    lines: Sequence[int]
    """The line each row stands on, from 1."""
    beside: Sequence[tuple[int, str]]
    """Lines that are no rows, with their numbers."""


def _rows_of(
    names: Sequence[str],
    cells: Sequence[tuple[int, Sequence[str]]],
    beside: Sequence[tuple[int, str]],
    *,
    least: int = 1,
) -> Table | None:
    """A table of what was split; None if it is too small or its columns do not fit."""
    varied = sum(len({row[place] for _, row in cells if place < len(row)}) > 1 for place in range(len(names)))
    if len(cells) < least or not 2 <= len(names) <= _WIDEST or (len(cells) > LEAST_ROWS and varied < 2):
        return None
    # Lines of `name: value` are fields of one thing, or of each of several.
    if sum(row[0].endswith(':') for _, row in cells if row) > _FIT * len(cells):
        return None
    seen: Counter[str] = Counter()
    titles: list[str] = []
    for place, each in enumerate(names, 1):
        title = one_line(each, 60) or f'column {place}'
        seen[title] += 1
        titles.append(title if seen[title] == 1 else f'{title} {seen[title]}')
    rows = [{title: cell[:_LONGEST_CELL].strip() for title, cell in zip(titles, row, strict=False)} for _, row in cells]
    lines = [number for number, _ in cells]
    return Table(rows, lines, [each for each in beside if any(map(str.isalnum, each[1]))])


def markdown(block: Sequence[str], start: int) -> Table | None:
    """Lines of cells between pipes, or strokes that look like such, with a line of dashes below the first."""
    block = [line.translate(_STROKES) for line in block]
    rule = next((at for at, line in enumerate(block[:6]) if at and '-' in line and _RULE.match(line)), None)
    if rule is None or '|' not in block[rule - 1]:
        return None
    names = _piped(block[rule - 1])
    lines = [(at, line) for at, line in enumerate(block, start + 1) if not _RULE.match(line)]
    cells = [(at, _piped(line)) for at, line in lines if '|' in line and at > start + rule]
    if sum(len(row) == len(names) for _, row in cells) < _FIT * len(cells):
        return None
    return _rows_of(names, cells, [(at, line) for at, line in lines if '|' not in line or at < start + rule])


def tabbed(block: Sequence[str], start: int) -> Table | None:
    """Values with a tab between them, as many in nearly every line; those in quotes may reach over several lines."""
    return separated(block, start, '\t') if block[0].count('\t') >= _TABS else None


def separated(block: Sequence[str], start: int, separators: str = ',\t;|') -> Table | None:
    """Values with a comma, tab, semicolon or pipe between them; those in quotes may reach over several lines."""
    if len(block) < LEAST_ROWS or sum(line.endswith('.') for line in block) > 0.5 * len(block):  # sentences
        return None
    for separator in separators:
        if not 2 <= block[0].count(separator) + 1 <= _WIDEST:
            continue
        for cells in _cells(block, start, separator):
            names = cells[0][1]
            least = _least_cells(len(names))
            fitting = [(at, [*row, ''][: len(names)]) for at, row in cells if least <= len(row) <= len(names)]
            # The parts of other sentences are many words, and their first line has no titles.
            if len(fitting) < _FIT * len(cells) or any(len(name.split()) > 4 or len(name) > 50 for name in names):
                continue
            # What stands in brackets is one thing.
            if sum(any(each.count('{') != each.count('}') for each in row) for _, row in fitting) > 0.5 * len(fitting):
                continue
            read = {at for at, _ in fitting}
            return headed(fitting, [(at, separator.join(row)) for at, row in cells if at not in read])
    return None


def _piped(line: str) -> list[str]:
    line = line.strip()
    # What is empty at the end has a pipe before it, where none stands before the first.
    inside = line[1:].removesuffix('|') if line.startswith('|') else line
    return [cell.strip().replace('\\|', '|') for cell in re.split(r'(?<!\\)\|', inside)]


def _cells(block: Sequence[str], start: int, separator: str) -> Iterator[Sequence[tuple[int, Sequence[str]]]]:
    """The rows of lines with the number of the line each begins on: over several lines, and a line each."""
    if reaches_over(block):
        reader = csv.reader((f'{line}\n' for line in block), delimiter=separator)
        cells: list[tuple[int, Sequence[str]]] = []
        begin = start + 1
        try:
            for row in reader:
                cells.append((begin, row))
                begin = start + reader.line_num + 1
        except csv.Error:
            cells = []
        cells = [each for each in cells if any(each[1])]
        if len(cells) >= LEAST_ROWS:
            yield cells
    least = _least_cells(block[0].count(separator) + 1)
    sample = block[:50]
    if sum(line.count(separator) + 1 >= least for line in sample) >= _FIT * len(sample):
        rows = ([*csv.reader([line], delimiter=separator)] for line in block)
        yield [(start + at, [*map(str.strip, row)]) for at, found in enumerate(rows, 1) for row in found]


def _least_cells(columns: int) -> int:
    """How many cells a row of so many columns has at least: what is empty at the end is often left away."""
    return columns - (columns > _BARE)


def reaches_over(lines: Sequence[str]) -> bool:
    """Return whether what stands in quotes may reach over several lines."""
    return any(line.count('"') % 2 for line in lines)


def headed(cells: Sequence[tuple[int, Sequence[str]]], beside: Sequence[tuple[int, str]]) -> Table | None:
    """A table with its first row as titles, unless what stands there stands in the same column again, numbers aside."""
    (_, first), *rest = cells
    titles = [*map(without_digits, first)]
    if any(title == without_digits(cell) for _, row in rest for title, cell in zip(titles, row, strict=False)):
        return _rows_of([''] * len(first), cells, beside, least=LEAST_ROWS)
    return _rows_of(first, rest, beside, least=LEAST_ROWS - 1)


def aligned(block: Sequence[str], start: int) -> Table | None:
    """Columns below titles."""
    lines = [line.expandtabs() for line in block]
    places, gaps = _places(lines[:: len(lines) // 500 + 1])
    # Cells may have blanks in them, and titles tell where columns begin.
    split = [_GAP.split(line.strip()) for line in lines[: _HEADS + _BELOW]]
    heads = [lines[at] for at, row in enumerate(split[:_HEADS]) if _titled(row, split[at + 1 :])]
    places = next((begins for line in heads if (begins := _begins(line, places, gaps))), places)
    if len(places) < 3 or places[0] > _INDENTED:
        return None
    titles, cells, beside = _rows(lines, start, places)
    if not titles or len(cells) < _FIT * (len(lines) - 1):
        return None
    return _rows_of(titles, cells, beside)


def _rows(
    lines: Sequence[str], start: int, places: Sequence[int]
) -> tuple[Sequence[str], list[tuple[int, Sequence[str]]], list[tuple[int, str]]]:
    """The titles of columns that begin at some places, the cells of each row, and the other lines."""
    titles: Sequence[str] = ()
    cells: list[tuple[int, Sequence[str]]] = []
    beside: list[tuple[int, str]] = []
    below = [_cut_at(line, places) for line in lines[1 : _HEADS + _BELOW]]
    for number, line in enumerate(lines, start + 1):
        row = _cut_at(line, places)
        if len(row) != len(places) or sum(map(bool, row)) < len(row) // 2:
            beside.append((number, line))
        elif not titles and len(cells) < 2 and _titled(row, below[number - start - 1 :]):
            titles = row
            beside += [(at, lines[at - start - 1]) for at, _ in cells]
            cells.clear()
        elif not _RULE.match(line):
            cells.append((number, row))
        if not titles and len(cells) > 1:
            break  # no titles come any more
    return titles, cells, beside


def _cut_at(line: str, places: Sequence[int]) -> list[str]:
    """The cells of a line, by the places where columns begin, or by its words where one reaches over these."""
    if line[: places[0]].strip() or any(line[at - 1 : at].strip() for at in places[1:]):
        return line.split(None, len(places) - 1)
    return [line[begin:end].strip() for begin, end in zip(places, [*places[1:], LONGEST_LINE], strict=True)]


def _begins(titles: str, places: Sequence[int], gaps: Sequence[int]) -> list[int]:
    """Where the titles of a line begin, each behind a gap between columns, if no column begins inside of one."""
    begins = [found.start() for found in _WIDE_WORDS.finditer(titles)]
    inner = {found.start() for found in _WORDS.finditer(titles)} - {*begins}
    return begins if len(begins) > 2 and inner.isdisjoint(places) and all(at - 1 in gaps for at in begins[1:]) else []


def _places(sample: Sequence[str]) -> tuple[list[int], list[int]]:
    """Where columns begin, and the places between them that are blank."""
    places: list[int] = []
    gaps: list[int] = []
    was_gap = True
    for at, signs in enumerate(zip_longest(*(line[:_WIDE] for line in sample), fillvalue='')):
        reached = len(sample) - signs.count('')
        if reached < max(2, _REACHED * len(sample)):
            break
        is_gap = signs.count(' ') >= _BLANK * reached
        if is_gap and places:
            gaps.append(at)
        elif was_gap and not is_gap:
            places.append(at)
        was_gap = is_gap
    return places, gaps


def _titled(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether cells are titles: they begin with capitals, or are words above numbers in some columns."""
    words = [cell.split()[0] for cell in row if cell.strip()]
    titles = sum(_TITLE.match(word) is not None for word in words)
    if len(row) > 2 and titles >= 0.75 * len(row) and not any(map(str.isdigit, ''.join(row))):
        return True
    rows = [each for each in below if len(each) >= len(row) - 1]
    least = _NUMBERS * len(rows)
    places = range(min(map(len, [row, *rows])))
    numbers = [at for at in places if sum(quantity(each[at]) is not None for each in rows) >= least]
    return (
        len(rows) > 1
        and len(numbers) > 1
        and all(quantity(row[at]) is None and any(map(str.isalpha, row[at])) for at in numbers)
    )
