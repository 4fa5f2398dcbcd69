"""Text from what a web server sends: what kind it is, in which charset, and what of a page is its content."""

import codecs
import logging
import re
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from summarizer_tool.errors import FetchError

HEAD_BYTES = 4096
"""Within these a page declares its charset."""

MAX_TITLE = 300
"""Characters of a title that are kept."""

_HTML_TYPES = frozenset({'text/html', 'application/xhtml+xml'})
_UNSAID_TYPES = frozenset({'', 'application/octet-stream', 'binary/octet-stream', 'application/unknown', '*/*'})
"""Types that say nothing: the content does."""
_TEXT_TYPE = re.compile(
    r'text/.+|application/(?:.+\+)?(?:json|xml|yaml)'
    r'|application/(?:x-yaml|toml|json5|x-ndjson|ndjson|jsonl|x-jsonlines|json-seq|javascript|x-javascript|ecmascript'
    r'|typescript|sql|graphql|markdown|x-markdown|x-sh|x-tex|x-latex|xml-dtd|x-subrip|mbox)'
)
_SHOWN_TYPE = re.compile(r'[a-z0-9.+-]{1,40}/[a-z0-9.+-]{1,60}')

_HTML_START = re.compile(
    r'\s*(?:<\?xml[^<>]*>\s*|<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html)\b', re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r'</?[a-z][^<>]{0,4096}>', re.IGNORECASE)
# Bytes that no text has, save in UTF-16 and UTF-32 (the "binary data bytes" of the MIME Sniffing Standard).
_BINARY = re.compile(rb'[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]')
_MAGIC = (
    (b'%PDF-', 'application/pdf'),
    (b'PK\x03\x04', 'application/zip'),
    (b'\x1f\x8b\x08', 'application/gzip'),
    (b'\x89PNG\r\n', 'image/png'),
    (b'\xff\xd8\xff', 'image/jpeg'),
    (b'GIF8', 'image/gif'),
)

_PARAMETER = re.compile(r';\s*charset\s*=\s*["\']?\s*([\w.:-]{1,40})', re.IGNORECASE | re.ASCII)
_META = re.compile(rb'<meta\b[^<>]{0,500}?charset\s*=\s*["\']?\s*([\w.:-]{1,40})', re.IGNORECASE)
_XML = re.compile(rb'\s*<\?xml\b[^<>]{0,200}?encoding\s*=\s*["\']([\w.:-]{1,40})', re.IGNORECASE)
_BOMS = (
    (codecs.BOM_UTF8, 'utf-8-sig'),
    (codecs.BOM_UTF32_LE, 'utf-32'),  # begins like the one of UTF-16
    (codecs.BOM_UTF32_BE, 'utf-32'),
    (codecs.BOM_UTF16_LE, 'utf-16'),
    (codecs.BOM_UTF16_BE, 'utf-16'),
)
_MEANT = {
    # As the Encoding Standard has it, a label means the larger set that browsers take it for.
    'iso8859-1': 'cp1252',
    'iso8859-9': 'cp1254',
    'iso8859-11': 'cp874',
    'tis-620': 'cp874',
    'gb2312': 'gb18030',
    'gbk': 'gb18030',
    'shift_jis': 'cp932',
    'euc_kr': 'cp949',
    'utf-8': 'utf-8-sig',
}
_NO_CHARSETS = frozenset({'idna', 'punycode', 'unicode_escape', 'raw_unicode_escape', 'undefined', 'utf-7'})
"""Codecs of Python that are none of the web's; the first two take quadratic time."""

_BLOCKS = (
    *('p', 'div', 'br', 'hr', 'li', 'dt', 'dd', 'tr', 'pre', 'section', 'article', 'header', 'footer', 'blockquote'),
    *('h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'nav', 'aside', 'main', 'figure', 'form', 'td', 'th', 'caption', 'option'),
)

_TITLE_WITHIN = 100_000
"""Characters of a page that are searched for its title; a search of all would take a third of the time of the rest."""

_INVALID_IN_XML = re.compile('[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]')


@dataclass(frozen=True, slots=True)
class Readable:
    """What a model or a person can read of a page."""

    text: str
    """Markdown of an HTML page; any other text as it is."""
    title: str
    """On one line; empty if the page names none."""


def read(body: bytes, content_type: str = '') -> Readable:
    """Make text of a response.

    Args:
        body: Its bytes, decompressed.
        content_type: Its header of this name; where it is missing or says HTML is something else, the content decides.

    Raises:
        FetchError: If it is binary, which names the type, or has no text; it begins with a verb, for the page's name
            to stand before.
    """
    media_type = content_type.partition(';')[0].strip().lower()
    declared = _PARAMETER.search(content_type)
    charset = declared[1] if declared else ''
    is_html = _starts_as_html(body, charset)
    if not is_html and (binary := _binary_type(body, media_type, charset)):
        raise FetchError(f'holds {binary}, which is not text')
    text = decode(body, charset)
    # Some servers call whatever they have HTML.
    if is_html or (media_type in _HTML_TYPES and _TAG.search(text)):
        return to_markdown(text)
    if not text.strip():
        raise FetchError('holds no text')
    return Readable(text, '')


def _starts_as_html(body: bytes, charset: str) -> bool:
    wide = _wide(body, charset)
    start = body[:HEAD_BYTES].decode(wide or 'latin-1', 'replace')
    return _HTML_START.match(start.lstrip('\ufeff').removeprefix('ï»¿')) is not None


def _binary_type(body: bytes, media_type: str, charset: str) -> str:
    """The type of what is not text, or nothing."""
    for start, name in _MAGIC:
        if body.startswith(start):
            return name
    if media_type not in _UNSAID_TYPES and not _TEXT_TYPE.fullmatch(media_type):
        return media_type if _SHOWN_TYPE.fullmatch(media_type) else 'an unknown type'
    if not _wide(body, charset) and _BINARY.search(body, 0, HEAD_BYTES):
        return 'binary data' + (f' ({media_type})' if _SHOWN_TYPE.fullmatch(media_type) else '')
    return ''


def _wide(body: bytes, charset: str) -> str:
    """The charset, if it is one whose characters have two or four bytes."""
    name = _bom(body) or _codec(charset)
    return name if name.startswith(('utf-16', 'utf-32')) else ''


def _bom(body: bytes) -> str:
    return next((name for mark, name in _BOMS if body.startswith(mark)), '')


def _codec(label: str) -> str:
    """Python's name of the charset that a label means, or nothing."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return ''
    return '' if name in _NO_CHARSETS else _MEANT.get(name, name)


def decode(body: bytes, charset: str = '') -> str:
    """Decode by the byte order mark, the header's charset, the page's own declaration, or UTF-8, whichever fits first.

    The mark goes before the header, as in the Encoding Standard: a charset of single bytes fits almost anything.

    Args:
        body: Any bytes.
        charset: As the header has it; may be wrong.

    Returns:
        The text. Where nothing fits, the first declared charset that fits but for a few bytes, else the likeliest one;
        what does not fit is U+FFFD.
    """
    declared = [_bom(body), _codec(charset), _declared(body)]
    names = list(dict.fromkeys(name for name in declared if name))
    for name in (*names, 'utf-8-sig'):
        try:
            return body.decode(name).removeprefix('\ufeff')
        except (UnicodeError, LookupError):  # `LookupError`: a codec, but of no text
            continue
    for name in (*names, _likeliest(body)):
        try:
            text = body.decode(name, 'replace').removeprefix('\ufeff')
        except (UnicodeError, LookupError):
            continue
        if text.count('\ufffd') <= len(text) // 1000:
            return text
    return body.decode('utf-8', 'replace')


def _declared(body: bytes) -> str:
    """The charset that an HTML or XML text names at its beginning."""
    head = body[:HEAD_BYTES]
    found = _XML.match(head) or _META.search(head)
    name = _codec(found[1].decode('ascii', 'replace')) if found else ''
    # What can be read byte by byte is not in UTF-16, whatever it says.
    return '' if name.startswith(('utf-16', 'utf-32')) else name


def _likeliest(body: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(body[: HEAD_BYTES * 2]).best()
    return _codec(best.encoding) if best else 'cp1252'


def to_markdown(html: str) -> Readable:
    """The main content of a page as markdown: headings, lists, tables and code, without links.

    Where no main content is found, as in a page of a few words, it is all the text there is.

    Args:
        html: A page, however broken.

    Raises:
        FetchError: If it has no text, or is nested too deeply to be read whole.
    """
    tree, is_whole = _parse(html)
    if not is_whole:
        # Tags that nobody has closed nest as deeply as this. trafilatura would lose what is in them.
        tree, is_whole = _parse(html, deep=True)
        if not is_whole:
            raise FetchError('is nested too deeply to be read whole')
        return _readable(_title(html, tree), _all_text(tree))
    return _readable(_title(html, tree), _main_content(tree) or _all_text(tree))


def _readable(title: str, text: str) -> Readable:
    if not text:
        raise FetchError('holds no text')
    return Readable(text, title)


def _parse(html: str, *, deep: bool = False) -> tuple[Any, bool]:
    """The tree of a page, and whether all of it is in there: libxml2 stops 256 deep, or 2048."""
    etree, lxml_html = _lxml()
    parser = lxml_html.HTMLParser(
        encoding='utf-8',
        huge_tree=deep,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
        default_doctype=False,
    )
    try:
        tree = lxml_html.document_fromstring(_INVALID_IN_XML.sub('', html).encode(errors='replace'), parser=parser)
    except etree.LxmlError:
        raise FetchError('holds no text') from None
    return tree, all(entry.type != etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log)


def _lxml() -> tuple[Any, Any]:
    # It has no types.
    return import_module('lxml.etree'), import_module('lxml.html')


def _trafilatura() -> Any:
    # It is slow to import, and it speaks of pages as it goes: an application may listen, but stderr is not for that.
    logger = logging.getLogger('trafilatura')
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return import_module('trafilatura')


def _main_content(tree: Any) -> str:
    try:
        # What is chrome is decided again, chunk by chunk; what is dropped here is gone.
        text = _trafilatura().extract(tree, output_format='markdown', include_comments=False, favor_recall=True)
    except Exception:  # noqa: BLE001 - pages of any kind find its bugs, and all their text is still to be had
        return ''
    return (text or '').strip()


def _all_text(tree: Any) -> str:
    """Every word of the page, which this takes apart; a line for each block."""
    etree, _ = _lxml()
    etree.strip_elements(tree, 'head', 'script', 'style', 'template', with_tail=False)
    for block in tree.iter(*_BLOCKS):
        block.text = f'\n{block.text or ""}'
        block.tail = f'\n{block.tail or ""}'
    return '\n'.join(line for row in tree.text_content().splitlines() if (line := ' '.join(row.split())))


def _title(html: str, tree: Any) -> str:
    try:
        title = _trafilatura().extract_metadata(html[:_TITLE_WITHIN], extensive=False).title
    except Exception:  # noqa: BLE001 - as above
        title = None
    return one_line(title or tree.findtext('.//title') or '')


def one_line(text: str) -> str:
    """A title of at most `MAX_TITLE` characters without line breaks or control characters."""
    printable = ''.join(char if char.isprintable() else ' ' for char in text[: 4 * MAX_TITLE])
    return ' '.join(printable.split())[:MAX_TITLE]
