"""The bytes of a file as a document: by their reader, as a page, or as the text that they are."""

import codecs
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath
from typing import BinaryIO

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.reading import title_of
from summarizer_tool.errors import FetchError
from summarizer_tool.formats import reading
from summarizer_tool.html import content
from summarizer_tool.html.page import Page
from summarizer_tool.text.code_lines import language_of
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.structure import LONGEST_TITLE

SAMPLE = 8192
"""How many bytes of a file are looked at to tell text from binary data."""

_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
"""How text in UTF-16 or UTF-32 begins; the mark of UTF-32 with the low byte first begins as that of UTF-16."""

_ARCHIVES = (b'PK\x03\x04', b'\x1f\x8b', b'BZh91AY', b'\xfd7zXZ\0', b'7z\xbc\xaf', b'Rar!\x1a', b'\x28\xb5\x2f\xfd')
"""How zip, gzip, bzip2, xz, 7-Zip, RAR and Zstandard files begin."""

_SHIFTED = re.compile(rb'\x1b\$[@B(]')
"""What begins a run of characters in the charsets of ISO 2022, which are ASCII byte by byte."""

_HTML_SUFFIXES = frozenset({'.html', '.htm', '.xhtml'})


@dataclass(frozen=True, slots=True)
class GivenSource:
    """A source that has been read."""

    document: Document
    page: Page | None = None
    """Of an HTML page: what its images and links are taken from."""
    fetched_at: datetime | None = None
    """When it was fetched, if it was."""
    addresses: tuple[str, ...] = ()
    """The URLs that it was found under, or the path of a file."""
    title: str = ''
    """What it was called by whoever gave it; that of the document may be what its text says, which replaces none."""
    is_stored: bool = False
    """Whether there is nothing to store: it is in the store already, or the store ends with the program."""


def read_file(raw: bytes, name: str = '') -> GivenSource:
    """Read a document or an HTML page as markdown; of plain text whole paragraphs, any other text as it is.

    Its name is its path, if it has one.

    Raises:
        FetchError: If it cannot be read, or is no text: what it is, and what helps; begins with a verb, for its name to
            stand before.
    """
    page = reading.document_in(raw, name=name)
    is_named_html = PurePath(name).suffix.lower() in _HTML_SUFFIXES
    if page is None and (is_named_html or content.begins_as_page(raw)):
        # A saved page may begin with anything; its name says what it is.
        page = content.read(raw, 'text/html' if is_named_html else '')
    text = page.markdown if page else reading.plain_text(decode(raw), name)
    path = PurePath(name)
    if page is None and language_of(path.name):
        title = path.name
    else:
        title = (one_line(page.title, LONGEST_TITLE) if page else '') or title_of(text) or path.stem
    return GivenSource(Document(text, title=title, url=path.name), page, title=title)


def read_path(path: Path, limit_mb: float) -> bytes:
    """The bytes of what stands at a path; raises `FetchError` if it cannot be read or is over the limit."""
    try:
        with path.open('rb') as file:
            return read_within(file, limit_mb)
    except FileNotFoundError:
        raise FetchError('does not exist') from None
    except IsADirectoryError:
        raise FetchError('is a folder; name files in it, or the folder to `summarizer batch`') from None
    except (OSError, ValueError) as error:
        why = getattr(error, 'strerror', None) or 'its name is none that a file can have'
        raise FetchError(f'cannot be read: {why}') from None


def read_within(file: BinaryIO, limit_mb: float) -> bytes:
    """All bytes of a file; one that is huge, or never ends, is not read just to be refused.

    Raises:
        FetchError: As of `read_file`, if it is over the limit.
    """
    limit = int(limit_mb * 1e6)
    raw = file.read(limit + 1)
    if len(raw) > limit:
        raise FetchError(f'is over SUMMARIZER_MAX_INPUT_MB={limit_mb:g}; split it or raise the limit')
    return raw


def decode(raw: bytes) -> str:
    """Text in UTF-8, or in UTF-16 or UTF-32 with its mark; raises `FetchError`, as `read_file`, if it is none."""
    if raw.startswith(_WIDE_MARKS):
        return content.decode(raw)
    if raw.startswith(_ARCHIVES):
        raise FetchError('is packed; unpack it, and give the files in it')
    sample = raw[:SAMPLE]
    if b'\0' in sample:
        raise FetchError('looks like a binary file; give it as text')
    where, charset = '', 'iso-2022-jp'
    try:
        text = raw.decode('utf-8-sig')
    except UnicodeDecodeError as error:
        where = f' (byte {error.start})'
        charset = content.likeliest(raw[error.start // SAMPLE * SAMPLE :]).replace('_', '-')
    else:
        if not _SHIFTED.search(sample):
            return text.replace('\0', ' ')
    raise FetchError(f'is not UTF-8{where}, but likely {charset}; convert it, e.g. iconv -f {charset} -t utf-8')
