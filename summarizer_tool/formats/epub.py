"""Books (EPUB) as markdown: their chapters in the order of reading."""

import posixpath
from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import unquote

from summarizer_tool.errors import FetchError
from summarizer_tool.formats.archive import Archive
from summarizer_tool.html import content
from summarizer_tool.html.convert import to_markdown
from summarizer_tool.html.page import Page

KIND = 'an EPUB book'

_CONTAINER = 'META-INF/container.xml'
_ENCRYPTION = 'META-INF/encryption.xml'
_CHAPTERS = ('application/xhtml+xml', 'text/html', 'application/x-dtbook+xml')
_MISSING = '[%s is missing from the book]'
_MOST_CHAPTERS = 5000


def is_book(archive: Archive) -> bool:
    """Return whether an archive is a book."""
    return _CONTAINER in archive.names() or any(name.endswith('.opf') for name in archive.names())


def read(body: bytes) -> Page:
    """A book as one markdown text; raises `FetchError` if it is broken, encrypted, too large or without text."""
    book = Archive(body, KIND)
    # What is called so says what the book has.
    package = next((name for name in book.names() if name.endswith('.opf')), '')
    opf = book.tree(package)
    locked = _locked(book)
    names = dict.fromkeys(book.names())
    alike = {name.casefold(): name for name in names}
    parts: list[str] = []
    for name in islice(_chapters(opf, posixpath.dirname(package)), _MOST_CHAPTERS):
        said, name = name, name if name in names else alike.get(name.casefold(), '')
        if name in locked:
            raise FetchError(f'is {KIND} that is protected against copying; give one without this')
        chapter = to_markdown(content.decode(book.read(name)), is_document=True).markdown if name else _MISSING % said
        parts += filter(None, [chapter.strip()])
    title = next((' '.join(''.join(found.itertext()).split()) for found in opf.iter('{*}title')), '')
    return Page('\n\n'.join(parts), title)


def _chapters(opf: Any, folder: str) -> Iterator[str]:
    """The members that are to be read, in order; not the table of contents, which repeats their headings."""
    items = {item.get('id'): item for item in opf.iter('{*}item')}
    for place in opf.iter('{*}itemref'):
        item = items.get(place.get('idref'))
        if item is None or item.get('media-type') not in _CHAPTERS or 'nav' in (item.get('properties') or '').split():
            continue
        yield posixpath.normpath(posixpath.join(folder, unquote((item.get('href') or '').partition('#')[0])))


def _locked(book: Archive) -> frozenset[str]:
    """The members that only a reader's own key opens."""
    if _ENCRYPTION not in book.names():
        return frozenset()
    found = book.tree(_ENCRYPTION).iter('{*}CipherReference')
    return frozenset(unquote(reference.get('URI') or '') for reference in found)
