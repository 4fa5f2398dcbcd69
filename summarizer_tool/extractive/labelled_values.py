"""What lists, tables and boxes say: rows with the names of their columns, labels with their values."""

from collections.abc import Sequence
from dataclasses import replace

import regex

from summarizer_tool.extractive.statement import Kind
from summarizer_tool.extractive.statement_reader import NOTHING, StatementReader
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text.sentences import plain

BULLET = regex.compile(
    r'^[ \t]*(?:[-*+•·○◦▪‣]|\d{1,3}[.)]|(\p{Ll})\1?[.)](?=[ \t]+(?:[*_]{1,3}|<[^<>]{1,200}>)?[\p{Lu}`"\']))[ \t]+'
)
_BAR = regex.compile(r'(?<!\\)\|')
_IS_VALUE = regex.compile(r'\d|, ')
"""What the title of a column seldom has."""
_NO_VALUE = regex.compile(r'(?:\p{P}*|none|n/a)', regex.IGNORECASE)


def _is_delimiter(text: str) -> bool:
    """`|---|:--|`, which makes the row above it a table's head."""
    return '|' in text and '-' in text and not text.strip('|-: \t')


def is_table_row(text: str, following: str, reader: StatementReader) -> bool:
    """Return whether a line is a table's: between bars, or with bars inside it above or below a delimiter row."""
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] == stripped[-1] == '|':
        return True
    return '|' in stripped and (bool(reader.columns) or _is_delimiter(stripped) or _is_delimiter(following))


def end_of_row(lines: Sequence[NumberedLine], first: int) -> int:
    """The last line of a row that begins with a bar: a long one is cut into several."""
    last, text = first, lines[first].text.strip()
    while text[:1] == '|' != text[-1:] and last + 1 < len(lines) and not lines[last].blank_after:
        following = lines[last + 1].text.strip()
        if following[:1] in ('|', '#', '>', '`'):
            break
        last, text = last + 1, f'{text} {following}'
    return last


def read_row(reader: StatementReader, lines: Sequence[NumberedLine], following: str) -> None:
    """Say a row, which may stand on several lines, with the names of its columns.

    `| Heron | Master: Ada Finn | Lost: 1872 |`
    """
    reader.before = NOTHING  # what leads to a table leads to no list below it
    line, text = lines[0], ' '.join(line.text.strip() for line in lines)
    cells = [plain(cell.replace('\\|', '|')) for cell in _BAR.split(text.removeprefix('|').removesuffix('|'))]
    if _is_delimiter(text):
        return
    if _is_delimiter(following):
        reader.flush()
        if len(cells) != 2 or not _IS_VALUE.search(cells[1]):
            reader.columns, reader.column_line = cells, line.number
            return
    columns = reader.columns if any(reader.columns[1:]) else []
    head, *rest = cells
    if len(rest) == 1 and head and not columns:  # a box of labels and values, of which the first may stand above
        if not _NO_VALUE.fullmatch(rest[0]):
            reader.pairs.append(replace(line, text=f'{head.rstrip(":")}: {rest[0]}'))
        return
    named = [
        f'{column}: {cell}' if _is_named(column, cell, is_first=not place) else cell
        for place, (column, cell) in enumerate(zip([*columns, *[''] * len(cells)], cells, strict=False))
        if cell and not _NO_VALUE.fullmatch(cell)
    ]
    if len(named) > 1:
        numbers = (*(each.number for each in lines), *([reader.column_line] if columns else ()))
        reader.say(f'| {" | ".join(named)} |', numbers, Kind.ROW)


def _is_named(column: str, cell: str, *, is_first: bool) -> bool:
    """Return whether a cell is said with the name of its column, the first one, which names the row, if it has none."""
    is_name = is_first and (not column[:1].isalpha() or cell[:1].isalpha())
    return column != '' and not is_name and not cell.lower().startswith(column.lower())
