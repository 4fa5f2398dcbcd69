"""The tables that a page in HTML is mostly made of, as lists of objects."""

import html
import re
from itertools import pairwise

from summarizer_tool.digests.json_reading import Read
from summarizer_tool.digests.table_readers import headed

_MOST = 0.5
"""Share of what a page says that must stand in its tables."""
_DEEPEST = 8
"""Tables inside of each other."""
_TAG = re.compile(r'<(/?[A-Za-z][\w-]*+)([^<>]*+)>')
_ALT = re.compile(r'(?i)\salt\s*+=\s*+(?:"([^"]*+)"|\'([^\']*+)\')')
_UNSAID = frozenset({'script', 'style', 'title'})

_Rows = list[list[list[str]]]
"""The words of each cell of each row, those of tables in it, too."""


def read_page(text: str) -> Read | None:
    """Read a page that says most of what it says in tables of some rows; None of any other text."""
    found, said = _tables(text) if '<tr' in text.lower() else ([], 0)
    lists: dict[str, list[dict[str, str]]] = {}
    for rows in found:
        texts = [[' '.join(' '.join(cell).split()) for cell in row] for row in rows]
        cells = [(0, row) for row in texts if 1 < len(row) == len(texts[0])]
        for (_, above), (_, row) in pairwise(cells):
            # What is left empty where rows begin is as above.
            row[0] = row[0] or above[0]
        if cells and (table := headed(cells, [])):
            lists[f'table {len(lists) + 1}'] = [dict(row) for row in table.rows]
    told = sum(len(cell) for rows in lists.values() for row in rows for cell in row.values())
    return Read(lists) if told and told >= _MOST * said else None


def _tables(text: str) -> tuple[list[_Rows], int]:
    """The tables of a page, and the characters that it says."""
    found: list[_Rows] = []
    opened: list[_Rows] = []
    said = end = 0
    is_said = True
    for tag in _TAG.finditer(text):
        words = html.unescape(text[end : tag.start()]).strip() if is_said else ''
        end, name = tag.end(), tag[1].lower()
        said += len(words)
        for rows in opened:
            if rows and rows[-1]:
                rows[-1][-1] += [words, *map(''.join, _ALT.findall(tag[2]))]
        if name.strip('/') in _UNSAID:
            is_said = name[0] == '/'
        elif name == 'table' and len(opened) < _DEEPEST:
            opened.append([])
        elif name == '/table' and opened:
            found.append(opened.pop())
        elif name == 'tr' and opened:
            opened[-1].append([])
        elif name in ('td', 'th') and opened and opened[-1]:
            opened[-1][-1].append([])
    return found, said
