"""PDFs as markdown, with a form feed between two pages; run by `isolated`."""

# pypdfium2 has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from ctypes import POINTER, byref, cast, create_string_buffer
from functools import partial
from math import pi
from typing import Any

import pypdfium2
from pypdfium2 import raw

from summarizer_tool.errors import FetchError
from summarizer_tool.formats import isolated
from summarizer_tool.formats.pdf_layout import markdown_of
from summarizer_tool.formats.pdf_page import Cell, PdfPage, TextLine, leftwards, place_note
from summarizer_tool.html.page import Page

MOST_PAGES = 10_000
MOST_CHARACTERS = 50_000_000

_LOCKED = 'encrypted; save it without a password, e.g. qpdf --decrypt --password=… in.pdf out.pdf'
_BROKEN = 'broken; repair it, e.g. qpdf in.pdf out.pdf, or print it to a new one'

# A hyphen at the end of a line, which the library does not let a line end after.
_WORD = re.compile(r'[^\s\x02\ufffe]+[\x02\ufffe]?')
_TITLE_TOO = re.compile(
    r'(?i)untitled|microsoft word|\.(?:docx?|tex|dvi|indd|pdf|html?|qxd|pptx?|rtf|md)\b|[\\/]|^\(\w+\)$'
)
"""What programs write where a title should be."""

_CELL_GAP = 1.3
"""Of a font's size: white space on a line beyond which something else begins, as the next cell of a row."""

_CURRENCIES = frozenset('$€£¥')
"""Signs that stand with the number after them, however far it is."""
_WIDE = 0.75
"""Of a font's size: what the characters of a word have on average at most, but for wide scripts."""

_MOST_NOTES = 10_000
_COMMENTS = (raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_HIGHLIGHT, raw.FPDF_ANNOT_STRIKEOUT, raw.FPDF_ANNOT_UNDERLINE)
_UNSEEN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_SECRET = 1 << 13
"""The flag of a field for a password."""

_LONGEST_NAME = 200
_BOLD = re.compile(rb'(?i)bold|black|heavy')
_BOLD_WEIGHT = 600
_SMALL = 0.85
"""Of a font's size: what is less is another one's, as that of raised numbers."""
_LIGATURE = re.compile('[\u0622\u0623\u0625\u0627]\u0644')
"""Two letters of Arabic, which the library has in the wrong order where they are drawn as one."""
_SIGNS = '+-−–'
_RAISED = frozenset(f'0123456789{_SIGNS}')


def _characters(text: Any) -> str:
    """The text of a page, with one character for each that the library counts."""
    said = ''.join(chr(raw.FPDFText_GetUnicode(text.raw, index)) for index in range(text.count_chars()))

    def in_order(pair: re.Match[str]) -> str:
        one, other = (_box(text, index, 0) for index in (pair.start(), pair.start() + 1))
        return pair[0][::-1] if (one.left, one.right) == (other.left, other.right) else pair[0]

    return _LIGATURE.sub(in_order, said)


def _box(text: Any, index: int, turn: int) -> raw.FS_RECTF:
    """Where a character is, for one who has turned the page by quarters so that it is upright."""
    box = raw.FS_RECTF()
    raw.FPDFText_GetLooseCharBox(text.raw, index, byref(box))
    return _turn(box, turn)


def _turn(box: raw.FS_RECTF, quarters: int) -> raw.FS_RECTF:
    for _ in range(quarters):
        box.left, box.bottom, box.right, box.top = -box.top, box.left, -box.bottom, box.right
    return box


def _words(text: Any) -> Iterator[tuple[str, int, int, raw.FS_RECTF, raw.FS_RECTF]]:
    """The words of a page, each with the place of its first character, its turn, and where its ends are."""
    for match in _WORD.finditer(_characters(text)):
        start, end = match.span()
        turn = round(raw.FPDFText_GetCharAngle(text.raw, start) / (pi / 2)) % 4
        first, last = _box(text, start, turn), _box(text, end - 1, turn)
        size = abs(first.top - first.bottom)
        if last.right - first.left > _WIDE * size * (end - start):  # the library leaves out some blanks between cells
            before = first
            for place in range(start + 1, end):
                box = _box(text, place, turn)
                if box.left - before.right > _CELL_GAP * size:
                    yield match[0][start - match.start() : place - match.start()], start, turn, first, before
                    start, first = place, box
                before = box
        yield match[0][start - match.start() :], start, turn, first, last


def _lines(text: Any) -> Iterator[TextLine]:
    """The lines of a page in the order of its text, each with the cells it has; of text that is turned, upright."""
    line: list[Cell] = []
    turn_before, goes_left = 0, False
    for word, start, turn, first, last in _words(text):
        left, right = min(first.left, last.left), max(first.right, last.right)
        bottom, top = min(first.bottom, last.bottom), max(first.top, last.top)
        # The size that a font is asked for is not the one it has, where the page is scaled.
        size, height = abs(first.top - first.bottom) or 1.0, last.top - last.bottom
        if word[0].isdigit() and size < _SMALL * height:  # a raised number stands before the word
            size = height
        if last.top - last.bottom < _SMALL * size and last.bottom > bottom:
            word = _raised(text, word, start, bottom, size, turn)
        cell = Cell(word, left, bottom, right, top, size, is_bold=_is_bold(text, start))
        if line and turn == turn_before:
            before = line[-1]
            overlap = min(before.top, top) - max(before.bottom, bottom)
            is_beside = overlap >= 0.5 * min(before.top - before.bottom, top - bottom)
            gap = left - before.right
            goes_left = goes_left or leftwards(word) > 0
            if goes_left:  # also words of other scripts within
                gap = max(gap, before.left - right, -0.5 * size)
            if is_beside and -0.5 * size <= gap:
                is_sign = before.text in _CURRENCIES or (word[0] == '%' and before.text[-1] in '0123456789)')
                if is_sign or gap <= _CELL_GAP * min(size, before.size):
                    before.add(cell)
                else:
                    line.append(cell)
                continue
        if line:
            yield TextLine(line, turn_before)
        goes_left = leftwards(word) > 0
        line, turn_before = [cell], turn
    if line:
        yield TextLine(line, turn_before)


def _is_bold(text: Any, index: int) -> bool:
    name = create_string_buffer(_LONGEST_NAME)
    raw.FPDFText_GetFontInfo(text.raw, index, name, len(name), None)
    return _BOLD.search(name.value) is not None or raw.FPDFText_GetFontWeight(text.raw, index) >= _BOLD_WEIGHT


def _raised(text: Any, word: str, start: int, bottom: float, size: float, turn: int) -> str:
    """A word with `^` before the digits that stand raised at its end: 10⁹ is not 109."""
    place = len(word)
    while place > 1 and word[place - 1] in _RAISED:
        box = _box(text, start + place - 1, turn)
        if box.top - box.bottom >= _SMALL * size or box.bottom <= bottom:
            break
        place -= 1
    is_power = word[place:].lstrip(_SIGNS) and word[place - 1] not in '/⁄∕'  # a fraction is drawn so, too
    return f'{word[:place]}^{word[place:]}' if is_power else word


def _filled(page: Any, form: Any) -> Iterator[Cell]:
    """What somebody has written upon a page: values of fields, ticks, and notes."""
    for index in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _MOST_NOTES)):
        note = raw.FPDFPage_GetAnnot(page.raw, index)
        if said := '' if raw.FPDFAnnot_GetFlags(note) & _UNSEEN else _said(note, form):
            box = raw.FS_RECTF()
            raw.FPDFAnnot_GetRect(note, byref(box))
            _turn(box, -page.get_rotation() // 90 % 4)
            yield Cell(said, box.left, box.bottom, box.right, box.top, box.top - box.bottom)
        raw.FPDFPage_CloseAnnot(note)


def _said(note: Any, form: Any) -> str:
    kind = raw.FPDFAnnot_GetSubtype(note)
    if kind in _COMMENTS:
        said = _string(partial(raw.FPDFAnnot_GetStringValue, note, b'Contents'))
        return said and f'[Comment: {said}]'
    if kind == raw.FPDF_ANNOT_FREETEXT:
        return _string(partial(raw.FPDFAnnot_GetStringValue, note, b'Contents'))
    if kind != raw.FPDF_ANNOT_WIDGET or not form or raw.FPDFAnnot_GetFormFieldFlags(form, note) & _SECRET:
        return ''
    if raw.FPDFAnnot_GetFormFieldType(form, note) in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return '☒' if raw.FPDFAnnot_IsChecked(form, note) else '☐'
    return _string(partial(raw.FPDFAnnot_GetFormFieldValue, form, note))


def _string(get: Callable[[Any, int], int]) -> str:
    """What the library writes into a buffer, on one line."""
    buffer = create_string_buffer(get(None, 0))
    get(cast(buffer, POINTER(raw.FPDF_WCHAR)), len(buffer))
    return ' '.join(buffer.raw.decode('utf-16-le', 'replace').rstrip('\0').split())


def _has_image(page: Any) -> bool:
    return next(iter(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=2)), None) is not None


def _pages(document: Any) -> Iterator[PdfPage]:
    characters, until = 0, time.monotonic() + isolated.MOST_SECONDS
    with suppress(pypdfium2.PdfiumError):
        document.init_forms()
    form = document.formenv.raw if document.formenv else None
    for index in range(len(document)):
        if time.monotonic() > until:
            way_out = 'split it, e.g. with qpdf --split-pages'
            raise FetchError(f'is a PDF that takes longer than {isolated.MOST_SECONDS} seconds; {way_out}')
        try:
            page = document[index]
        except pypdfium2.PdfiumError:
            yield PdfPage(is_broken=True)
            continue
        text = page.get_textpage()
        lines = list(_lines(text))
        text.close()
        for note in _filled(page, form):
            if lines or any(map(str.isalnum, note.text)):  # a box to tick is no text of a scan
                place_note(lines, note)
        characters += sum(len(cell.text) for line in lines for cell in line.cells)
        if characters > MOST_CHARACTERS:
            raise FetchError(f'is a PDF with more than {MOST_CHARACTERS // 1_000_000} million characters; split it')
        if 2 * sum(leftwards(line.text) for line in lines) > sum(len(line.text) for line in lines):
            for line in lines:
                line.mirror()
        yield PdfPage(lines, has_image=not lines and _has_image(page))
        page.close()


def _attached(document: Any) -> Iterator[str]:
    with suppress(pypdfium2.PdfiumError):
        for index in range(min(document.count_attachments(), _MOST_NOTES)):
            yield f'[Attachment: {" ".join(document.get_attachment(index).get_name().split())}]'


def read(body: bytes) -> Page:
    """A PDF as markdown; raises `FetchError` if it has no text, cannot be read, or takes too long."""
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        is_locked = getattr(error, 'err_code', None) in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        raise FetchError(f'is a PDF that is {_LOCKED if is_locked else _BROKEN}') from None
    count = len(document)
    if count > MOST_PAGES:
        way_out = 'split it, e.g. qpdf in.pdf --pages . 1-1000 -- out.pdf'
        raise FetchError(f'is a PDF of {count:,} pages, over {MOST_PAGES:,}; {way_out}')
    pages = list(_pages(document))
    if not any(page.lines for page in pages):
        way_out = 'it needs OCR, e.g. ocrmypdf in.pdf out.pdf'
        raise FetchError(f'is a PDF without text on any page ({count:,}), as of a scan; {way_out}')
    title = ' '.join(document.get_metadata_value('Title').split())
    text = '\n\n'.join([markdown_of(pages), *_attached(document)])
    # Halves of a pair, as which the library counts what is beyond 16 bits, are put together.
    text = text.encode('utf-16-le', 'surrogatepass').decode('utf-16-le', 'replace')
    return Page(text, '' if _TITLE_TOO.search(title) else title)


if __name__ == '__main__':
    isolated.serve(read)
