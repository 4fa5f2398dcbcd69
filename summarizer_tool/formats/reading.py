"""Bytes from a file or from the web as text: documents by their readers, all else as a page or as plain text."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from summarizer_tool.digests.digest import machine_output
from summarizer_tool.digests.settings_reading import is_settings
from summarizer_tool.errors import FetchError
from summarizer_tool.extras import MissingExtraError
from summarizer_tool.formats import chat, data_texts, isolated, mail, notebook, subtitles
from summarizer_tool.formats.archive import Archive
from summarizer_tool.formats.wrapped import titled, undivided, unwrap
from summarizer_tool.html import content
from summarizer_tool.html.page import Page, is_page
from summarizer_tool.text.code_lines import may_be_code
from summarizer_tool.text.sentences import without_roles

_MARKDOWN = frozenset({'.md', '.markdown'})
_WRAPPED_SUFFIXES = frozenset({'', '.txt', '.text', '.asc'})
"""Of plain text; what has another name has another syntax, in which line breaks may mean something."""

_RESTRUCTURED = frozenset({'.rst', '.rest'})
_ADORNMENT = r'[~^"\'`*+#.:_]'
_ADORNED = re.compile(
    rf'^(?:({_ADORNMENT})\1{{2,}} *\n ?)?(?=.*\w)(?!\.)(\S.{{0,150}}?) {{0,80}}\n({_ADORNMENT})\3{{2,}} *$',
    re.MULTILINE,
)
"""A heading of reStructuredText that is none of Markdown."""
_UNSEEN = re.compile(r'^\.\. (?!\[|[\w:+.-]+::(?:\s|$)).*\n(?: +\S.*\n)*', re.MULTILINE)
"""Comments and targets of links."""
_MARKED_UP = _MARKDOWN | {'.html', '.htm', '.xml'}
"""Of texts in which a number sign marks a heading, or nothing."""

_MAIL_SUFFIX, _MAIL_TYPE, _PLAIN = '.eml', 'message/rfc822', 'text/plain'
_PDF_TYPE = 'application/pdf'
_MARKDOWN_TYPE = 'text/markdown'
"""Of what a program has read already, and which is taken as it is."""
_UNKNOWN_TYPES = frozenset({'application/octet-stream', 'binary/octet-stream'})
"""Of what a server knows no type of."""
_SAMPLE = 20_000
"""Characters by which code is told."""
_HEAD = 1024
"""Bytes within which a PDF says that it is one, after whatever a program has put before."""

_read_pdf = partial(
    isolated.read,
    'pdf_child.py',
    'pypdfium2',
    'a PDF',
    'repair it, e.g. qpdf in.pdf out.pdf, or print it to a new one',
)
_read_docx = partial(
    isolated.read, 'docx_child.py', 'mammoth', 'a Word document', 'open it in its program and save it again'
)
_WORD = re.compile(r'word/document\d*\.xml')
"""The name of what a Word document is known by; some programs count."""
_ZIP = b'PK\x03\x04'
_OLE = b'\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'
_OTHERS = {
    'xl/workbook.xml': 'an Excel workbook, which is not read; save its sheets as CSV',
    'ppt/presentation.xml': 'a PowerPoint presentation, which is not read; save it as PDF',
    'content.xml': 'an OpenDocument file, which is not read; save it as DOCX or PDF',
}
_OLD = (
    'is a file of an older Microsoft Office, or one with a password, which is not read; save it as DOCX or PDF without '
    'a password, e.g. soffice --convert-to docx'
)
_RTF = 'is an RTF document, which is not read; save it as DOCX or PDF, e.g. soffice --convert-to docx'
_VERSION = re.compile(r'\d\.\d{1,3}$')
_DATA_URL = re.compile(r'\s*data:[\w.+/-]*(?:;[\w.+-]+=[^;,]*)*;base64,', re.IGNORECASE)


def document_in(body: bytes, content_type: str = '', name: str = '') -> Page | None:
    """The text of a document as markdown; nothing where bytes are none, but a page or plain text, if text at all.

    The body is decompressed; it was said to be of a `content_type`, and is called a name, or was fetched from that
    path. Pages of a PDF are parted as `documents.page_numbers` says.

    Raises:
        FetchError: If it cannot be read: what it is, and what helps; begins with a verb, for its name to stand before.
    """
    reader = _reader(body, _media_type(content_type), PurePosixPath(name).suffix.lower())
    if reader is None:
        return None
    try:
        return reader(body)
    except MissingExtraError as error:
        raise FetchError(f'is a document, and {error}') from error


def read(body: bytes, content_type: str = '', url: str = '', name: str = '') -> Page:
    """Make text of a response: of a document, of a page, or plain text, with whole paragraphs where it was wrapped.

    As for `document_in`; its name is by default as the URL says. Raises `FetchError`, too, if it is no text.
    """
    name = name or urlsplit(url).path
    page = document_in(body, content_type, name)
    if page is not None:
        if not page.markdown.strip():
            raise FetchError('holds no text')
        return page
    page = content.read(body, content_type, url)
    if _media_type(content_type) in ('', _PLAIN) and not is_page(page.markdown):
        return replace(page, markdown=plain_text(page.markdown, name))
    return page


_PRINTED = 100_000
"""Characters by which is told whether a program printed a text."""


def plain_text(text: str, name: str = '') -> str:
    """Plain text with whole paragraphs and marks for its layout, unless it is more than that: by its name, or code."""
    suffix = PurePosixPath(name).suffix
    suffix = '' if suffix[1:].istitle() or _VERSION.search(name) else suffix.lower()  # none: `NEWS.Debian`, `GPL-2.0`
    if suffix in _RESTRUCTURED:
        return unwrap(without_roles(_UNSEEN.sub('', _ADORNED.sub(r'### \2', text))))
    if (suffix not in _MARKED_UP or suffix == '.xml') and (said := data_texts.markdown(text)):
        return said
    if suffix not in _MARKED_UP and is_settings(text):
        return text
    if suffix not in _MARKED_UP and (said := subtitles.markdown(text)):
        return said
    if (suffix not in _MARKED_UP or suffix in _MARKDOWN) and (said := chat.markdown(text)):
        return _unless_printed(said, text)
    if suffix not in _WRAPPED_SUFFIXES or may_be_code([*filter(str.strip, text[:_SAMPLE].splitlines())]):
        return text
    return _unless_printed(undivided(unwrap(titled(mail.threads(text)))), text)


def _unless_printed(read: str, text: str) -> str:
    """What was read of a text; the text itself where a program printed it, whose lines keep their numbers."""
    is_printed = read != text and all(machine_output(each[:_PRINTED]) for each in (read, text))
    return text if is_printed else read


def is_data_url(text: str) -> bool:
    """Return whether a text is a file's bytes as a `data:` URL in base64 (RFC 2397)."""
    return _DATA_URL.match(text[:_HEAD]) is not None


def read_data_url(text: str, name: str = '') -> Page:
    """What a `data:` URL holds, read as `read` does, or as it is if that is markdown.

    Raises `FetchError`, too, if it is no base64.
    """
    import base64
    import binascii

    head, _, data = text.strip().partition(',')
    media_type = head[len('data:') :].partition(';')[0]
    try:
        body = base64.b64decode(''.join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        raise FetchError('is a data: URL that is no base64; encode the bytes of the file as RFC 4648 has it') from None
    if media_type.lower() == _MARKDOWN_TYPE:
        as_it_is = Page(content.decode(body))
        if '\0' not in as_it_is.markdown and as_it_is.markdown.strip() and not body.startswith(b'%PDF-'):
            return as_it_is  # what is no text, `read` tells of
    return read(body, media_type, name=name)


def _media_type(content_type: str) -> str:
    said = content_type.partition(';')[0].strip().lower()
    return '' if said in _UNKNOWN_TYPES else said


def _reader(body: bytes, media_type: str, suffix: str) -> Callable[[bytes], Page] | None:
    """What reads a document; nothing for other texts. By the bytes, for types and names are often wrong."""
    is_pdf = b'%PDF-' in body[:_HEAD] or media_type == _PDF_TYPE
    if is_pdf and not is_page(body[:_HEAD].decode('latin-1')):
        return _read_pdf
    if body.startswith(_ZIP):
        return _of_archive(body)
    if body.startswith(_OLE):
        raise FetchError(_OLD)
    if body.startswith(b'{\\rtf'):
        raise FetchError(_RTF)
    if media_type == _MAIL_TYPE or suffix == _MAIL_SUFFIX or (media_type in ('', _PLAIN) and mail.is_mail(body)):
        return mail.read
    return notebook.read if notebook.is_notebook(body) else None


def _of_archive(body: bytes) -> Callable[[bytes], Page] | None:
    from summarizer_tool.formats import epub

    archive = Archive(body, 'a zip archive')
    names = set(archive.names())
    if any(map(_WORD.fullmatch, names)):
        return _read_docx
    if epub.is_book(archive):
        return epub.read
    for member, says in _OTHERS.items():
        if member in names:
            raise FetchError(f'is {says}')
    return None
