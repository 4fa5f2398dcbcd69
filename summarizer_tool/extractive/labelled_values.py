"""What tables, boxes and lists of definitions say: rows with the names of their columns, labels with their values."""

from collections.abc import Sequence
from dataclasses import replace

import regex

from summarizer_tool.extractive.statement import Kind
from summarizer_tool.extractive.statement_reader import NOTHING, StatementReader
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text.lines import word_count
from summarizer_tool.text.sentences import Sentence, bare, plain, shown

SHORT_WORDS = 6
"""A list item of fewer words says nothing alone; it is said together with its neighbours."""

BULLET = regex.compile(
    r'^[ \t]*(?:[-*+•·○◦▪‣]|\d{1,3}[.)]|(\p{Ll})\1?[.)](?=[ \t]+(?:[*_]{1,3}|<[^<>]{1,200}>)?[\p{Lu}`"\']))[ \t]+'
)
BAR = regex.compile(r'(?<!\\)\|')
_IS_VALUE = regex.compile(r'\d|, ')
"""What the title of a column seldom has."""
_NO_VALUE = regex.compile(r'(?:\p{P}*|none|n/a)', regex.IGNORECASE)
DEFINITION = regex.compile(r'^\s*: +(?=\S)')


def _is_delimiter(text: str) -> bool:
    """`|---|:--|`, which makes the row above it a table's head."""
    return '|' in text and '-' in text and not text.strip('|-: \t')


def is_table_row(text: str, following: str, reader: StatementReader) -> bool:
    """Return whether a line is a table's: between bars, or with bars inside it above or below a delimiter row."""
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] == stripped[-1] == '|':
        return True
    return '|' in stripped and (bool(reader.columns) or _is_delimiter(stripped) or _is_delimiter(following))


def read_row(reader: StatementReader, lines: Sequence[NumberedLine], following: str) -> None:
    """Say a row, which may stand on several lines, with the names of its columns.

    `| Heron | Master: Ada Finn | Lost: 1872 |`
    """
    reader.before = NOTHING  # what leads to a table leads to no list below it
    line, text = lines[0], ' '.join(line.text.strip() for line in lines)
    cells = [plain(cell.replace('\\|', '|')) for cell in BAR.split(text.removeprefix('|').removesuffix('|'))]
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
    # Beside other marks, `++ | -- | ~`, a dash is one, too.
    is_marked = any(not (_NO_VALUE.fullmatch(cell) or any(map(str.isalnum, cell))) for cell in rest)
    named = [
        f'{column}: {cell}' if _is_named(column, cell, is_first=not place) else cell
        for place, (column, cell) in enumerate(zip([*columns, *[''] * len(cells)], cells, strict=False))
        if cell and (is_marked or not _NO_VALUE.fullmatch(cell))
    ]
    # `| Tolls by kind: | | |` heads rows.
    if len(named) > 1 or (any(map(str.isalpha, ''.join(cells))) and not head.endswith(':')):
        numbers = (*(each.number for each in lines), *([reader.column_line] if columns else ()))
        reader.say(f'| {" | ".join(named)} |', numbers, Kind.ROW)


def _is_named(column: str, cell: str, *, is_first: bool) -> bool:
    """Return whether a cell is said with the name of its column, the first one, which names the row, if it has none."""
    is_name = is_first and (not column[:1].isalpha() or cell[:1].isalpha())
    return column != '' and not is_name and not cell.lower().startswith(column.lower())


def read_definition(reader: StatementReader, line: NumberedLine, text: str) -> None:
    """Read `: What it is.` under a line that says of what."""
    value = bare(BULLET.sub('', text))
    label = reader.paragraph[0].text if len(reader.paragraph) == 1 else ''
    if is_value(label) and is_value(value):
        reader.paragraph.clear()
        reader.pairs.append(replace(line, text=f'{label.rstrip(":")}: {value}'))
        return
    if len(reader.paragraph) == 1:
        term = reader.paragraph[0]
        said = term.text.rstrip(' :-–')
        reader.paragraph[0] = replace(term, text=f'{said}:')
        reader.term = Sentence(shown(said) if any(map(str.isalpha, said)) else '', (term.number,))
        reader.term_indent = len(line.text) - len(line.text.lstrip())
    reader.paragraph.append(replace(line, text=bare(text)))


def is_value(text: str) -> bool:
    """Return whether a text is a few words that are no sentence, as a label or what is said of it in a box are."""
    return 0 < word_count(text) < SHORT_WORDS and not text.endswith(('.', '!', '?', '。', '！', '？'))
