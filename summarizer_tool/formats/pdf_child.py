"""Read a PDF from stdin and write its text to stdout; started by `pdf`."""

# pypdfium2 has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from ctypes import byref
from typing import Any

import pypdfium2
from pypdfium2 import raw

from summarizer_tool.formats import isolated
from summarizer_tool.formats.pdf_layout import Bookmark, Cell, PdfPage, TextLine, markdown_of

# A hyphen at the end of a line, which the library does not let a line end after.
_WORD = re.compile(r'[^\s\x02\ufffe]+[\x02\ufffe]?')
_TITLE_TOO = re.compile(
    r'(?i)untitled|microsoft word|\.(?:docx?|tex|dvi|indd|pdf|html?|qxd|pptx?|rtf|md)\b|[\\/]|^\(\w+\)$'
)
"""What programs write where a title should be."""

_CELL_GAP = 1.3
"""Of a font's size: white space on a line beyond which something else begins, as the next cell of a row."""

_SMALL = 0.85
"""Of a font's size: what is less is another one's, as that of raised numbers."""
_SIGNS = '+-−–'
_RAISED = frozenset(f'0123456789{_SIGNS}')


def _characters(text: Any) -> str:
    """The text of a page, with one character for each that the library counts."""
    # Halves of a pair, as which the library counts what is beyond 16 bits, are put together in the end.
    return ''.join(chr(raw.FPDFText_GetUnicode(text.raw, index)) for index in range(text.count_chars()))


def _lines(text: Any) -> Iterator[TextLine]:
    """The lines of a page in the order of its text, each with the cells it has."""
    characters = _characters(text)
    first, last = raw.FS_RECTF(), raw.FS_RECTF()
    line: list[Cell] = []
    for match in _WORD.finditer(characters):
        start, end = match.start(), match.end() - 1
        raw.FPDFText_GetLooseCharBox(text.raw, start, byref(first))
        raw.FPDFText_GetLooseCharBox(text.raw, end, byref(last))
        left, right = min(first.left, last.left), max(first.right, last.right)
        bottom, top = min(first.bottom, last.bottom), max(first.top, last.top)
        # The size that a font is asked for is not the one it has, where the page is scaled.
        size = abs(first.top - first.bottom) or 1.0
        word = match[0]
        if last.top - last.bottom < _SMALL * size and last.bottom > bottom:
            word = _raised(text, word, start, bottom, size)
        if line:
            before = line[-1]
            overlap = min(before.top, top) - max(before.bottom, bottom)
            is_beside = overlap >= 0.5 * min(before.top - before.bottom, top - bottom)
            gap = left - before.right
            if is_beside and -0.5 * size <= gap:
                if gap <= _CELL_GAP * min(size, before.size):
                    before.add(word, right, bottom, top)
                else:
                    line.append(Cell(word, left, bottom, right, top, size))
                continue
            yield TextLine(line)
        line = [Cell(word, left, bottom, right, top, size)]
    if line:
        yield TextLine(line)


def _raised(text: Any, word: str, start: int, bottom: float, size: float) -> str:
    """A word with `^` before the digits that stand raised at its end: 10⁹ is not 109."""
    box = raw.FS_RECTF()
    place = len(word)
    while place > 1 and word[place - 1] in _RAISED:
        raw.FPDFText_GetLooseCharBox(text.raw, start + place - 1, byref(box))
        if box.top - box.bottom >= _SMALL * size or box.bottom <= bottom:
            break
        place -= 1
    return f'{word[:place]}^{word[place:]}' if word[place:].lstrip(_SIGNS) else word


def _has_image(page: Any) -> bool:
    return next(iter(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=2)), None) is not None


def _pages(document: Any, most: int, until: float) -> Iterator[PdfPage]:
    characters = 0
    for index in range(len(document)):
        if time.monotonic() > until:
            raise TimeoutError
        try:
            page = document[index]
        except pypdfium2.PdfiumError:
            yield PdfPage(is_broken=True)
            continue
        text = page.get_textpage()
        lines = list(_lines(text))
        text.close()
        characters += sum(len(cell.text) for line in lines for cell in line.cells)
        if characters > most:
            raise OverflowError
        yield PdfPage(lines, has_image=not lines and _has_image(page))
        page.close()


def _bookmarks(document: Any) -> list[Bookmark]:
    found: list[Bookmark] = []
    with suppress(pypdfium2.PdfiumError, RecursionError):
        for item in document.get_toc(max_depth=6):
            target = item.get_dest()
            if target is not None and (page := target.get_index()) is not None:
                found.append(Bookmark(item.get_title(), page, item.level + 1))
            if len(found) >= 5000:
                break
    return found


def _read(body: bytes, most_pages: int, most_characters: int, until: float) -> dict[str, object]:
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        code = getattr(error, 'err_code', None)
        return {'problem': 'encrypted' if code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY) else 'broken'}
    count = len(document)
    if count > most_pages:
        return {'problem': 'long', 'pages': count}
    try:
        pages = list(_pages(document, most_characters, until))
    except TimeoutError:
        return {'problem': 'slow'}
    except OverflowError:
        return {'problem': 'large'}
    if not any(page.lines for page in pages):
        return {'problem': 'scan', 'pages': count}
    title = ' '.join(document.get_metadata_value('Title').split())
    return {
        'title': '' if _TITLE_TOO.search(title) else title,
        'markdown': markdown_of(pages, _bookmarks(document)),
    }


if __name__ == '__main__':
    pages, characters, seconds = map(int, sys.argv[1:4])
    isolated.answer(_read(isolated.given(), pages, characters, time.monotonic() + seconds))
