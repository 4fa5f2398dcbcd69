"""The tables that a page in HTML is mostly made of, as lists of objects."""

import html
import re
from dataclasses import dataclass, field
from itertools import pairwise

from summarizer_tool.digests.json_reading import Read
from summarizer_tool.digests.table_readers import headed
from summarizer_tool.digests.table_rows import LEAST_ROWS, rows_of

_MOST = 0.9
"""Share of what a page says that must stand in its tables."""
_LONGEST = 120
"""Characters of a cell; longer ones are texts that a table only lays out."""
_DEEPEST = 8
"""Tables inside of each other."""
_TAG = re.compile(r'<(/?[A-Za-z][\w-]*+)([^<>]*+)>')
_ALT = re.compile(r'(?i)\salt\s*+=\s*+(?:"([^"]*+)"|\'([^\']*+)\')')
_UNSAID = frozenset({'script', 'style', 'title'})

_LAID_OUT = frozenset({'p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'})


@dataclass(slots=True)
class _PageTable:
    rows: list[list[list[str]]] = field(default_factory=list)
    """The words of each cell of each row, those of tables in it, too."""
    is_headed: bool = False
    """Whether its first row has titles."""


def read_page(text: str) -> Read | None:
    """Read a page that says most of what it says in tables of some rows; None of any other text."""
    found, said = _tables(text) if '<tr' in text.lower() else ([], 0)
    lists: dict[str, list[dict[str, str]]] = {}
    for each in found:
        texts = [[' '.join(' '.join(cell).split()) for cell in row] for row in each.rows if row]
        cells = [(0, row) for row in texts if 1 < len(row) == len(texts[0])]
        for (_, above), (_, row) in pairwise(cells):
            # What is left empty where rows begin is as above.
            row[0] = row[0] or above[0]
        untitled = [''] * len(texts[0]) if texts else []
        if not cells or not (
            table := headed(cells, []) if each.is_headed else rows_of(untitled, cells, [], least=LEAST_ROWS)
        ):
            continue
        if len(cells) < len(texts) or any(len(cell) > _LONGEST for row in texts for cell in row):
            return None
        lists[f'table {len(lists) + 1}'] = [dict(row) for row in table.rows]
    told = sum(len(cell) for rows in lists.values() for row in rows for cell in row.values())
    return Read(lists) if told and told >= _MOST * said else None


def _tables(text: str) -> tuple[list[_PageTable], int]:
    """The tables of a page, and the characters that it says; none where cells hold paragraphs or headings."""
    found: list[_PageTable] = []
    opened: list[_PageTable] = []
    said = end = 0
    is_said = True
    for tag in _TAG.finditer(text):
        words = html.unescape(text[end : tag.start()]).strip() if is_said else ''
        end, name = tag.end(), tag[1].lower()
        said += len(words)
        for each in opened:
            if each.rows and each.rows[-1]:
                each.rows[-1][-1] += [words, *map(''.join, _ALT.findall(tag[2]))]
        if name.strip('/') in _UNSAID:
            is_said = name[0] == '/'
        elif name == 'table' and len(opened) < _DEEPEST:
            opened.append(_PageTable())
        elif name == '/table' and opened:
            found.append(opened.pop())
        elif name == 'tr' and opened:
            opened[-1].rows.append([])
        elif name in ('td', 'th') and opened and opened[-1].rows:
            opened[-1].rows[-1].append([])
            if len(opened[-1].rows) == 1:
                opened[-1].is_headed = name == 'th'
        elif name in _LAID_OUT and opened:
            return [], 0
    return found, said + len(text[end:].strip())
