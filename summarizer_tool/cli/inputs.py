"""What a command is given to read: files, stdin, URLs, and handles of what is stored."""

import codecs
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from summarizer_tool.cli.terminal import UnreadableError, say

if TYPE_CHECKING:
    from summarizer_tool.documents.document import Document
    from summarizer_tool.html.page import Page
    from summarizer_tool.settings import Settings

STDIN = '-'

SAMPLE_BYTES = 8192
"""How much of a file is looked at to tell text from binary data."""

MAX_AT_ONCE = 5
"""Pages that are fetched at the same time."""

_HTML_SUFFIXES = frozenset({'.html', '.htm', '.xhtml'})
_URL = re.compile(r'https?://', re.IGNORECASE)
_HANDLE = re.compile(r'src_[0-9a-f]{12}', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Given:
    """An input that has been read."""

    document: 'Document'
    page: 'Page | None' = None
    """Of an HTML page or a document: what stands beside its text."""


@dataclass(frozen=True, slots=True)
class Url:
    """An input that is to be fetched."""

    text: str


def is_handle(name: str) -> bool:
    """Return whether an input is the handle of a stored source."""
    return _HANDLE.fullmatch(name) is not None


def read_place(name: str, settings: 'Settings') -> Given | Url:
    """Read a file or stdin; a URL stays what it is.

    Args:
        name: A path, `-` for stdin, or an http or https URL.
        settings: For the limit of size.

    Raises:
        UnreadableError: If it cannot be read, is too large, or is no text.
    """
    return Url(name) if _URL.match(name) else _read_file(name, settings)


def read_text(settings: 'Settings') -> str:
    """The text on stdin.

    Raises:
        UnreadableError: If it cannot be read, is too large, or is no text.
    """
    return _text(_read_bytes(STDIN, settings), 'stdin')


def _read_file(name: str, settings: 'Settings') -> Given:
    """A document or an HTML page as markdown; of plain text whole paragraphs, any other text as it is."""
    label = 'stdin' if name == STDIN else name
    raw = _read_bytes(name, settings)

    from summarizer_tool.documents.document import Document
    from summarizer_tool.errors import FetchError
    from summarizer_tool.formats import reading
    from summarizer_tool.text.lines import one_line
    from summarizer_tool.text.structure import LONGEST_TITLE, parse

    is_named_html = Path(name).suffix.lower() in _HTML_SUFFIXES
    try:
        page = reading.document_in(raw, name='' if name == STDIN else name)
    except FetchError as error:
        raise UnreadableError(f'{label} {error}') from None
    if page is None and (is_named_html or _begins_as_page(raw)):
        page = _page(raw, label, is_named_html=is_named_html)
    text = page.markdown if page else reading.plain_text(_text(raw, label), name)
    headings = parse(text[:SAMPLE_BYTES])
    title = one_line(page.title, LONGEST_TITLE) if page else ''
    title = title or (headings.title(0) if headings.levels else '' if name == STDIN else Path(name).stem)
    return Given(Document(text, title=title, url='' if name == STDIN else Path(name).name), page)


def _begins_as_page(raw: bytes) -> bool:
    from summarizer_tool.html.recognising import HEAD, is_page

    # Tags are ASCII, which all charsets of the web share but the wide ones, and these have a mark.
    is_wide = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return is_page(raw[: HEAD * 2].decode('utf-16' if is_wide else 'utf-8', 'replace'))


def _page(raw: bytes, label: str, *, is_named_html: bool) -> 'Page':
    from summarizer_tool.errors import FetchError
    from summarizer_tool.html import content

    try:
        # A saved page may begin with anything; its name says what it is.
        return content.read(raw, 'text/html' if is_named_html else '')
    except FetchError as error:
        raise UnreadableError(f'{label} {error}') from None


def _text(raw: bytes, label: str) -> str:
    if b'\0' in raw[:SAMPLE_BYTES]:
        raise UnreadableError(f'{label} looks like a binary file; give it as text')
    try:
        return raw.decode('utf-8-sig')
    except UnicodeDecodeError as error:
        raise UnreadableError(
            f'{label} is not UTF-8 (byte {error.start}); convert it, e.g. with iconv -t utf-8'
        ) from None


def _read_bytes(name: str, settings: 'Settings') -> bytes:
    """The content; a huge file is not read just to be refused."""
    limit = int(settings.summarizer_max_input_mb * 1e6)
    if name == STDIN:
        raw = _read_stdin(limit + 1)
    else:
        path = Path(name)
        if path.is_dir():
            raise UnreadableError(f'{name} is a directory; name the files in it, e.g. {name.rstrip("/")}/*.md')
        try:
            with path.open('rb') as file:
                raw = file.read(limit + 1)
        except FileNotFoundError:
            raise UnreadableError(f'{name} does not exist') from None
        except (OSError, ValueError) as error:
            reason = getattr(error, 'strerror', None) or 'its name is none that a file can have'
            raise UnreadableError(f'{name} cannot be read: {reason}') from None
    if len(raw) > limit:
        label = 'stdin' if name == STDIN else name
        raise UnreadableError(
            f'{label} is over SUMMARIZER_MAX_INPUT_MB={settings.summarizer_max_input_mb:g}; split it or raise the limit'
        )
    return raw


def _read_stdin(limit: int) -> bytes:
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - it is, where it was closed
        raise UnreadableError('stdin is closed; name a file')
    if sys.stdin.isatty():
        say('reading from the terminal; end with Ctrl-D')
    return sys.stdin.buffer.read(limit)
