"""What a command is given to read: files, stdin, URLs, and handles of what is stored."""

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

MAX_AT_ONCE = 5
"""Pages that are fetched at the same time."""

_URL = re.compile(r'https?://', re.IGNORECASE)
_HANDLE = re.compile(r'src_[0-9a-f]{12}', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Given:
    """An input that has been read."""

    document: 'Document'
    page: 'Page | None' = None
    """Of an HTML page or a document: what stands beside its text."""
    path: str = ''
    """Where a file stands, from the root on."""


def is_handle(name: str) -> bool:
    """Return whether an input is the handle of a stored source."""
    return _HANDLE.fullmatch(name) is not None


def read_place(name: str, settings: 'Settings') -> Given | str:
    """Read a path or stdin (`-`) within the limit; a URL stays. Raises `UnreadableError` for what is no text."""
    return name if _URL.match(name) else _read_file(name, settings)


def read_text(settings: 'Settings') -> str:
    """The text on stdin; raises `UnreadableError` if it cannot be read, is too large, or is no text."""
    from summarizer_tool.errors import FetchError
    from summarizer_tool.formats.files import decode

    try:
        return decode(_read_stdin(settings))
    except FetchError as error:
        raise UnreadableError(f'stdin {error}') from None


def _read_file(name: str, settings: 'Settings') -> Given:
    from summarizer_tool.errors import FetchError
    from summarizer_tool.formats.files import read_file, read_path

    path = Path(name)
    if name != STDIN and path.is_dir():
        raise UnreadableError(f'{name} is a directory; name the files in it, e.g. {name.rstrip("/")}/*.md')
    try:
        if name == STDIN:
            return Given(*read_file(_read_stdin(settings)))
        return Given(*read_file(read_path(path, settings.summarizer_max_input_mb), name), str(path.resolve()))
    except FetchError as error:
        raise UnreadableError(f'{"stdin" if name == STDIN else name} {error}') from None


def _read_stdin(settings: 'Settings') -> bytes:
    from summarizer_tool.formats.files import read_within

    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - it is, where it was closed
        raise UnreadableError('stdin is closed; name a file')
    if sys.stdin.isatty():
        say('reading from the terminal; end with Ctrl-D')
    return read_within(sys.stdin.buffer, settings.summarizer_max_input_mb)
