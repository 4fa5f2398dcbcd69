"""Tables: which of them are ones, and how they look in markdown."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

from summarizer_tool.html.page_blocks import Frame, PageBlock

_MAX_COLUMNS = 200
"""What stands further to the right is added to the last one."""
MAX_SPANNED = 50_000
"""Cells of a page that are there only because another spans them; with more of them, they are left out."""
_MAX_REPEATED = 100
"""Characters of a cell that is repeated in each row it spans; a longer one is said once."""
_MAX_ADDED = 8000
"""Characters of the last one to which that is added."""

_YEAR = re.compile(r'(?:1[5-9]|20)\d\d')
_LOOKED_AT = 100
"""Rows by which the form of a column is told."""
_LONG = 400
"""Characters; cells that have more on the average hold a page's layout, unless there are headers."""


def find_layout(blocks: Iterable[PageBlock]) -> None:
    """Mark the tables that only place things on the page, and the lists a third of whose items, or more, hold sections.

    Such a table has one column or one row, or holds headings, code or other tables without having headers itself.
    """
    held: defaultdict[Frame, list[tuple[PageBlock, Frame]]] = defaultdict(list)
    inside: defaultdict[Frame, set[Frame]] = defaultdict(set)
    entries: defaultdict[Frame, dict[Frame | None, bool]] = defaultdict(dict)
    for block in blocks:
        cell: Frame | None = None
        inner: Frame | None = None
        entry: Frame | None = None
        for frame in block.frames():
            if frame.kind == 'cell':
                cell = frame
            elif frame.kind == 'table':
                held[frame] += [(block, cell)] if cell is not None else []
                inside[frame] |= {inner} if inner is not None else set()
                inner, cell = frame, None
            elif frame.kind in ('list', 'terms'):
                entries[frame][entry] = entries[frame].get(entry, False) or _heads_section(block)
            else:
                entry = frame
    for frame, has_heading in entries.items():
        frame.is_layout = any(has_heading.values()) and 3 * sum(has_heading.values()) >= len(has_heading)
    for table in sorted(held, key=lambda table: -table.depth):  # one within decides on those around it
        table.is_layout = table.is_layout or _is_layout(table, held[table], inside[table])


def _heads_section(block: PageBlock) -> bool:
    return block.level > 0 and block.tag != 'summary'  # what may be unfolded is a part of its item or cell


def _is_layout(table: Frame, held: Sequence[tuple[PageBlock, Frame]], inside: Iterable[Frame]) -> bool:
    by_row = Counter(cell.parent for cell in dict.fromkeys(cell for _, cell in held))
    if min(max((len(row.children) for row in table.children), default=0), max(by_row.values(), default=0)) < 2:
        return True
    if any(cell.is_header for row in table.children[:2] for cell in row.children):
        return False
    if any(_heads_section(block) or (block.kind == 'code' and '\n' in block.text) for block, _ in held):
        return True
    is_long = len(held) > 3 * by_row.total() or sum(block.size for block, _ in held) > _LONG * by_row.total()
    return len(by_row) < 2 or is_long or any(not inner.is_layout for inner in inside)


def pipes(table: Frame, texts: Mapping[Frame, str], spanned: list[int]) -> str:
    """A table as a pipe table, without lines for rows that have nothing.

    What spans rows stands in each of them, so that a row can be read by itself; what spans columns stands in the
    first, or as a header in each. `spanned` counts down how many more cells may be added for those that span several.
    """
    rows, has_header = _grid(table, texts, spanned)
    used = sorted({place for row in rows for place, text in enumerate(row) if text})
    if not used:
        return ''
    # A short row stays short: a page of a million of them may have one that is long.
    rows = [[row[place] for place in used if place < len(row)] for row in rows]
    if not has_header:
        rows.insert(0, [''] * len(used))
    rows[0].extend([''] * (len(used) - len(rows[0])))
    rows.insert(1, ['---'] * len(used))
    return '\n'.join(f'| {" | ".join(row)} |' for row in rows)


def _grid(table: Frame, texts: Mapping[Frame, str], spanned: list[int]) -> tuple[list[list[str]], bool]:
    """The rows that have text, and whether the first of them is a header."""
    rows: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}
    """By column: the rows that a cell above still spans, and its text."""
    for row in table.children:
        line: list[str] = []
        is_head = all(cell.is_header for cell in row.children)
        for cell in row.children:
            _hang(line, hanging, spanned)
            text = texts.get(cell, '')
            if len(line) >= _MAX_COLUMNS:
                line[-1] = f'{line[-1]} {text}'.strip() if len(line[-1]) < _MAX_ADDED else line[-1]
                continue
            start = len(line)
            is_short = len(text) <= _MAX_REPEATED
            line.append(text)
            if (more := min(cell.columns, _MAX_COLUMNS - start, spanned[0]) - 1) > 0:
                spanned[0] -= more
                # A header of several columns is that of each; another cell, or one over the whole table, says it once.
                line.extend([text if is_head and is_short and len(row.children) > 1 else ''] * more)
            if cell.rows != 1:
                left = (cell.rows or len(table.children)) - 1
                hanging.update((place, (left, line[place] if is_short else '')) for place in range(start, len(line)))
        _hang(line, hanging, spanned)
        if any(texts.get(cell) for cell in row.children):
            rows.append(line)
    return rows, bool(rows) and _starts_with_a_header(table, texts)


def _starts_with_a_header(table: Frame, texts: Mapping[Frame, str]) -> bool:
    """Return whether the first row that has text is one: none of its cells heads a row."""
    first, *others = (row.children for row in table.children if any(texts.get(cell) for cell in row.children))
    if any(cell.is_header for row in (first, *others) for cell in row):
        return all(cell.is_header for cell in first) or not first[0].is_header
    return is_titled([[texts.get(cell, '') for cell in row] for row in (first, *others)])


def is_titled(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row titles the columns, where no cell says so: in one it has a form of its own.

    Of two columns the first has labels, but where words stand above a column of numbers; so has one that a colon ends.
    """
    if len(rows) > 1 and any(a.endswith(':') and b.endswith(':') for a, b in zip(*rows[:2], strict=False)):
        return False
    seen = (row[:_MAX_COLUMNS] for row in rows[:_LOOKED_AT])
    columns = [*zip_longest(*(map(_form, row) for row in seen), fillvalue=_form(''))]
    if len(columns) == 2:
        return any(below and not first[0] and all(form[0] for form in below) for first, *below in columns)
    return len(rows) == 1 or any(
        any(first) and first not in below and any(map(any, below)) for first, *below in columns
    )


def _form(text: str) -> tuple[bool, ...]:
    """Whether a cell has digits, is a year, has several lines or words, any word, or begins with a capital."""
    is_year = _YEAR.fullmatch(text) is not None
    has_digits = any(map(str.isdigit, text))
    return has_digits, is_year, '<br>' in text, len(text.split()) > 1, bool(text), text[:1].isupper()


def _hang(line: list[str], hanging: dict[int, tuple[int, str]], spanned: list[int]) -> None:
    """Fill the next columns with what hangs into them from above."""
    while (found := hanging.get(len(line))) is not None:
        left, text = found
        spanned[0] -= 1
        if spanned[0] <= 0:
            hanging.clear()
            return
        if left > 1:
            hanging[len(line)] = (left - 1, text)
        else:
            del hanging[len(line)]
        line.append(text)
