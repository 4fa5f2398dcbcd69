"""Notebooks (`.ipynb`) as markdown: their text and code in order, and what the code has written, in short."""

import json
import re
from typing import Any

from summarizer_tool.errors import FetchError
from summarizer_tool.html.code import fenced
from summarizer_tool.html.page import Page

_MOST_LINES = 20
_MOST_CHARACTERS = 2000
"""Of what one cell has written; the rest is counted."""

_COLORS = re.compile(r'\x1b\[[0-9;]*[A-Za-z]')
_OBJECT = re.compile(r'\s*(?:<[^<>]{1,200}>)?\s*')
"""What a program writes of an object that has other forms."""
_EMBEDDED = re.compile(r'\((?:data:[^()\s]{100,}|attachment:[^()\s]+)\)')


def is_notebook(body: bytes) -> bool:
    """Return whether bytes are JSON as notebooks have it."""
    is_object = body[:64].removeprefix(b'\xef\xbb\xbf').lstrip()[:1] == b'{'
    return is_object and b'"nbformat"' in body and b'"cells"' in body


def read(body: bytes) -> Page:
    """The cells of a notebook as markdown; raises `FetchError` if it is broken."""
    try:
        notebook = json.loads(body.removeprefix(b'\xef\xbb\xbf'))
    except (ValueError, RecursionError) as error:
        raise FetchError(f'is a notebook whose JSON is broken ({str(error)[:80]}); save it again in Jupyter') from None
    cells = [_dict(cell) for cell in _list(_dict(notebook).get('cells'))]
    if not cells:
        raise FetchError(
            'is a notebook without cells; one of a format before 4 is converted by jupyter nbconvert --to notebook'
        )
    language = _language(notebook)
    parts = [part for cell in cells for part in _parts(cell, language)]
    return Page('\n\n'.join(parts))


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = _dict(value).get(key)
    return value


def _language(notebook: Any) -> str:
    name = _at(notebook, 'metadata', 'language_info', 'name') or _at(notebook, 'metadata', 'kernelspec', 'language')
    return name if isinstance(name, str) and re.fullmatch(r'[\w+#.-]{1,20}', name) else ''


def _text(value: Any) -> str:
    """A text as notebooks keep it: whole, or in lines."""
    return ''.join(part for part in (_list(value) or [value]) if isinstance(part, str))


def _parts(cell: dict[str, Any], language: str) -> list[str]:
    source = _text(cell.get('source')).strip('\n')
    if cell.get('cell_type') != 'code':
        source = _EMBEDDED.sub('(image)', source)
        return [source] if source.strip() else []
    parts = [fenced(source, language)] if source.strip() else []
    written = '\n'.join(filter(None, map(_output, _list(cell.get('outputs')))))
    return [*parts, f'Output:\n\n{fenced(_shortened(written), "")}'] if written else parts


def _output(output: Any) -> str:
    if _at(output, 'output_type') == 'error':
        return f'{_text(_at(output, "ename"))}: {_text(_at(output, "evalue"))}'
    found = _at(output, 'text') or _at(output, 'data', 'text/markdown') or _at(output, 'data', 'text/plain')
    if not found or _OBJECT.fullmatch(_text(found)):
        if html := _text(_at(output, 'data', 'text/html')):
            from summarizer_tool.html.convert import to_markdown

            found = to_markdown(f'<html><body>{html}</body></html>', is_document=True).markdown
        elif given := _at(output, 'data', 'text/latex') or _at(output, 'data', 'application/json'):
            found = given if _text(given) else json.dumps(given, ensure_ascii=False)
    return '\n'.join(map(_last_state, _COLORS.sub('', _text(found)).split('\n'))).strip('\n')


def _last_state(line: str) -> str:
    """What is shown of a line that is written over."""
    return next(filter(str.strip, reversed(line.split('\r'))), '')


def _shortened(text: str) -> str:
    lines = text.split('\n')
    shown = '\n'.join(lines[:_MOST_LINES])[:_MOST_CHARACTERS]
    left = len(text) - len(shown)
    return f'{shown}\n… ({left:,} more characters)' if left > 0 else shown
