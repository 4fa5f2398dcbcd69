"""Text from what a web server sends: what kind it is, in which charset, and what of a page is its content."""

import codecs
import re

from summarizer_tool.errors import FetchError
from summarizer_tool.html.page import TAG, Page, is_page

_HEAD_BYTES = 4096
"""Within these a page declares its charset."""

_MOSTLY_ASCII = 0.06
"""Share of bytes beyond ASCII up to which an undeclared text is taken for one of western Europe, as browsers do."""

_TOO_FEW = 24
"""Bytes beyond ASCII of which nothing can be told."""

_HTML_TYPES = frozenset({'text/html', 'application/xhtml+xml'})
_SHOWN_TYPE = re.compile(r'[a-z0-9.+-]{1,40}/[a-z0-9.+-]{1,60}')

# Bytes that no text has, save in UTF-16 and UTF-32 (the "binary data bytes" of the MIME Sniffing Standard).
_BINARY = re.compile(rb'[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]')

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
    'euc_jis_2004': 'euc_jp',
    'utf-8': 'utf-8-sig',
}
_NO_CHARSETS = frozenset({'idna', 'punycode', 'unicode_escape', 'raw_unicode_escape', 'undefined', 'utf-7'})
"""Codecs of Python that are none of the web's; the first two take quadratic time."""


def read(body: bytes, content_type: str | None = '', url: str | None = '') -> Page:
    """Make text of a response: a page of HTML as markdown; any other text as it is, without a title.

    Links stand beside the text of a page, in `Page.links`, not in it: in a wiki's text they would cost a third of its
    tokens and more, again in every model call that reads it. The body is decompressed; where its `content_type` is
    missing or says HTML is something else, the content decides. Targets are relative to the URL it comes from.

    Raises:
        FetchError: If it is binary, which names the type, or has no text; it begins with a verb, for the page's name
            to stand before.
    """
    content_type, url = content_type or '', url or ''
    media_type = content_type.partition(';')[0].strip().lower()
    declared = _PARAMETER.search(content_type)
    charset = declared[1] if declared else ''
    is_html = begins_as_page(body, charset)
    if not is_html and (binary := _binary_type(body, media_type, charset)):
        raise FetchError(f'holds {binary}, which is not text')
    text = decode(body, charset)
    # Some servers call whatever they have HTML.
    is_html = is_html or (media_type in _HTML_TYPES and TAG.search(text) is not None)
    page = Page(text)
    if is_html:
        from summarizer_tool.html.convert import to_markdown

        page = to_markdown(text, url)
    if not page.markdown.strip():
        raise FetchError('holds no text')
    return page


def begins_as_page(body: bytes, charset: str = '') -> bool:
    """Return whether bytes begin as an HTML page does; its tags are ASCII in all charsets but the wide ones."""
    start = body[:_HEAD_BYTES].decode(_wide(body, charset) or 'latin-1', 'replace')
    return is_page(start.lstrip('\ufeff').removeprefix('ï»¿'))


def _binary_type(body: bytes, media_type: str, charset: str) -> str:
    """What bytes are that are no text, whatever their type is said to be, or nothing."""
    if body.startswith((b'%PDF-', b'%!PS')):  # which may be letters all through
        return 'a printed page'
    if not _wide(body, charset) and _BINARY.search(body, 0, _HEAD_BYTES):
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

    The mark goes before the header, as in the Encoding Standard: a charset of single bytes fits almost anything. Where
    nothing fits, the first declared charset that fits but for a few bytes, else the likeliest one; what does not fit is
    U+FFFD.
    """
    declared = [_bom(body), _codec(charset), _declared(body)]
    names = list(dict.fromkeys(name for name in declared if name))
    for name in (*names, 'utf-8-sig'):
        try:
            return body.decode(name).removeprefix('\ufeff')
        except (UnicodeError, LookupError):  # `LookupError`: a codec, but of no text
            continue
    for name in (*names, likeliest(body)):
        try:
            text = body.decode(name, 'replace').removeprefix('\ufeff')
        except (UnicodeError, LookupError):
            continue
        if text.count('\ufffd') <= len(text) // 1000:
            return text
    return body.decode('utf-8', 'replace')


def _declared(body: bytes) -> str:
    """The charset that an HTML or XML text names at its beginning."""
    head = body[:_HEAD_BYTES]
    found = _XML.match(head) or _META.search(head)
    name = _codec(found[1].decode('ascii', 'replace')) if found else ''
    # What can be read byte by byte is not in UTF-16, whatever it says.
    return '' if name.startswith(('utf-16', 'utf-32')) else name


def likeliest(body: bytes) -> str:
    """The charset of a text that does not say it; of one with few letters beyond ASCII, the web's default."""
    from charset_normalizer import from_bytes

    head = body[: _HEAD_BYTES * 2]
    if sum(byte > 0x7F for byte in head) <= max(_TOO_FEW, _MOSTLY_ASCII * len(head)):  # too few for a guess
        return 'cp1252'
    best = from_bytes(head).best()
    return _codec(best.encoding) if best and 'cp1252' not in best.could_be_from_charset else 'cp1252'
