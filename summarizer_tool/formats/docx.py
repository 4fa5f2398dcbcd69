"""Word documents (DOCX) as markdown: headings, lists, tables, notes, comments, headers and footers, and links."""

import logging
import re
from html import escape

from summarizer_tool.errors import FetchError
from summarizer_tool.extras import naming_extra
from summarizer_tool.formats import isolated
from summarizer_tool.formats.archive import Archive
from summarizer_tool.html.convert import to_markdown
from summarizer_tool.html.page import Page

KIND = 'a Word document'

MAIN = re.compile(r'word/document\d*\.xml')
"""The name of what such a document is known by; some programs count."""

_PROPERTIES = 'docProps/core.xml'
_MOST_XML = 40_000_000
"""Bytes of a document's own XML: about 4,000 pages. It is held as a tree of Python objects."""

_logger = logging.getLogger('summarizer_tool')


def read(body: bytes) -> Page:
    """A document as markdown; raises `FetchError` if it is broken, encrypted or too large."""
    with naming_extra():
        import mammoth  # pyright: ignore[reportUnusedImport, reportMissingTypeStubs]  # noqa: F401 - the process needs it

    archive = Archive(body, KIND)
    # Everything that the library will parse is looked at first: it takes the archive for what it says.
    sizes = [len(archive.xml(name)) for name in archive.names() if name.endswith(('.xml', '.rels'))]
    if sum(sizes) > _MOST_XML:
        raise FetchError(f'is {KIND} with more than {_MOST_XML // 1_000_000} MB of XML; split it')
    try:
        made = isolated.run('docx_child.py', body)
    except TimeoutError:
        raise FetchError(
            f'is {KIND} that takes longer than {isolated.MOST_SECONDS} seconds to read; split it'
        ) from None
    except ChildProcessError:
        raise archive.broken() from None
    if 'problem' in made:
        raise FetchError(f'is {KIND} that nests too deeply; save it again')
    if not made['is_numbered']:
        _logger.warning('the numbers of lists in a Word document cannot be read: it is read without them')
    html = ''.join((*_edges(archive, 'header'), made['html'], *_edges(archive, 'footer')))
    page = to_markdown(f'<html><body>{html}</body></html>', is_document=True)
    return Page(page.markdown, _title(archive), page.links)


def _edges(archive: Archive, kind: str) -> list[str]:
    """What stands at the edge of the pages, each line once, as HTML; without page numbers."""
    parts = [
        archive.tree(name) for name in archive.names() if name.startswith(f'word/{kind}') and name.endswith('.xml')
    ]
    lines = (' '.join(''.join(line.itertext('{*}t')).split()) for part in parts for line in part.iter('{*}p'))
    return [f'<p>{escape(line)}</p>' for line in dict.fromkeys(lines) if any(map(str.isalpha, line))]


def _title(archive: Archive) -> str:
    if not archive.has(_PROPERTIES):
        return ''
    return next(
        (' '.join(''.join(found.itertext()).split()) for found in archive.tree(_PROPERTIES).iter('{*}title')), ''
    )
