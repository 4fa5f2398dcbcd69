"""Mail (`.eml`) as text: the headers that matter, the body, forwarded mails within it, and what is attached."""

import re
from collections.abc import Iterator
from email import policy
from email.errors import MessageError
from email.message import MIMEPart
from email.parser import BytesParser
from itertools import islice
from typing import Any

import regex

from summarizer_tool.errors import FetchError
from summarizer_tool.formats.wrapped import unwrap
from summarizer_tool.html import content
from summarizer_tool.html.page import Link, Page

_HEADERS = ('From', 'To', 'Cc', 'Date')
_MOST_DEPTH = 8
_MOST_PARTS = 500
"""Of a mail, with those of what is forwarded in it: a part of HTML takes milliseconds, however short it is."""
_MOST_MAILS = 10_000
"""Of a mailbox."""
_MOST_SHOWN = 500
"""Characters of a header: a list of a thousand addresses tells nobody anything."""

_START = re.compile(rb'(?:[A-Za-z0-9-]{1,60}:[^\n]*\n(?:[ \t][^\n]*\n)*){2,}')
_TELLING = re.compile(
    rb'^(?:From|Subject|Date|Message-ID|Received|Return-Path|MIME-Version):', re.IGNORECASE | re.MULTILINE
)
_REPORTS = frozenset({'message/delivery-status', 'message/disposition-notification'})
"""What became of a mail, and why: fields of text."""
_MAILBOX = re.compile(
    rb'(?:\A|\n\r?\n)From \S{1,300}(?: at \S{1,300})? +(?:[A-Z][a-z]{2} +){2}[\d :]{10,20}[^\n]{0,40}\n'
    rb'(?=[A-Za-z][\w-]{0,60}:)'
)
"""What parts the mails of a mailbox."""
_HEAD = 16_384
"""Bytes in which a mail shows that it is one."""

_WORD = re.compile(r'\w+')
# The head of a mail in a thread, as programs write it into text.
_MAIL = regex.compile(
    r'^[> ]{0,4}(?:From|Von|De|Da|Od|От): ?(?P<who>[^\n]{1,200})\n(?:[> ]{0,4}(?:'
    r'(?:Date|Sent|Datum|Gesendet|Envoyé|Fecha|Enviado(?: el)?|Data|Дата): ?(?P<when>[^\n]{1,80})'
    r'|(?:Subject|Betreff|Objet|Asunto|Oggetto|Temat|Тема): ?(?P<what>[^\n]{0,300})'
    r'|(?:To|An|À|Para|A|Do|Кому|Cc|Bcc|Kopie|Reply-To|Importance): ?[^\n]{0,300})\n){2,7}',
    regex.MULTILINE,
)
_ADDRESS = regex.compile(r'\s*[<\[(][^<>\[\]()\s]*@[^<>\[\]()\s]*[>\])]')


def is_mail(body: bytes) -> bool:
    """Return whether bytes begin as a mail does: with several of its headers."""
    head = body[:_HEAD].lstrip()
    if head.startswith(b'From '):  # as a mailbox has it
        head = head.partition(b'\n')[2]
    start = _START.match(head)
    return start is not None and len({found.lower() for found in _TELLING.findall(start[0])}) >= 3


def read(body: bytes) -> Page:
    """A mail as text, or those of a mailbox; the subject is the title. Raises `FetchError` if it cannot be read."""
    body = body.lstrip()
    texts = _MAILBOX.split(body, _MOST_MAILS + 1)[1:] if _MAILBOX.match(body) else [body]
    rest = texts.pop() if len(texts) > _MOST_MAILS else b''
    parts: list[str] = []
    links: list[Link] = []
    title = ''
    try:
        for text in texts:
            mail = BytesParser(policy=policy.default).parsebytes(text)
            written = _written(mail, 1, links, is_of_many=len(texts) > 1)
            parts += filter(None, islice(written, _MOST_PARTS))
            if next(written, None) is not None:
                parts.append(f'[More than {_MOST_PARTS} parts: the others are left out]')
            title = _header(mail, 'Subject') if len(texts) == 1 else ''
    except (MessageError, ValueError, LookupError, RecursionError, AttributeError, IndexError, TypeError) as error:
        # Of broken headers the standard library raises whatever comes.
        raise FetchError(f'is a mail that cannot be read ({type(error).__name__}); save it again as .eml') from None
    if rest:
        parts.append(f'[{len(rest):,} more bytes of mails: they are left out; split the mailbox]')
    return Page('\n\n'.join(parts), title, tuple(links))


def _header(mail: MIMEPart, name: str) -> str:
    try:
        said = str(mail[name] or '')
    except (ValueError, LookupError, AttributeError, IndexError, TypeError):  # of a header that is broken
        return ''
    line = ' '.join(said.split())
    return line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + '…'


def _written(mail: MIMEPart, depth: int, links: list[Link], *, is_of_many: bool = False) -> Iterator[str]:
    """What a mail says, in parts: its head, its body, and what it has beside that; it adds to the links."""
    subject = _header(mail, 'Subject') or '(no subject)'
    said = _headed(_header(mail, 'From'), subject, _header(mail, 'Date')) if is_of_many else subject
    head = f'{"#" * min(depth, 6)} {said}'
    headers = '\n'.join(f'{name}: {said}' for name in _HEADERS if (said := _header(mail, name)))
    yield '\n\n'.join(filter(None, (head, headers, _body(mail, links))))
    for part in _beside(mail):
        within = next(iter(_inside(part)), None) if part.get_content_type() == 'message/rfc822' else None
        if within is not None and depth < _MOST_DEPTH:
            forwarded = _written(within, depth + 1, links)
            yield f'Forwarded mail:\n\n{next(forwarded)}'
            yield from forwarded
        else:
            yield _attachment(part)


def _body(mail: MIMEPart, links: list[Link]) -> str:
    """The plain text of a mail, or its HTML where that says more."""
    plain_part, html_part = _bodies(mail)
    plain = _decoded(plain_part) if plain_part is not None else ''
    if html_part is not None:
        page = _page(html_part)
        # What only says that a mail is to be looked at elsewhere is short.
        if 2 * len(_WORD.findall(plain)) < len(_WORD.findall(page.markdown)):
            links += page.links
            return page.markdown.strip()
    inside = mail.get_payload()
    if not plain and isinstance(inside, str) and mail.get_content_maintype() == 'multipart':
        plain = inside  # it says that it has parts, and has none
    return unwrap(threads(plain)).strip()


def _beside(mail: MIMEPart) -> Iterator[MIMEPart]:
    """What a mail has beside its body, with no look into what is forwarded."""
    bodies = {id(part) for part in _bodies(mail) if part is not None}
    left = [mail]
    while left:
        part = left.pop()
        if part.get_content_maintype() == 'multipart':
            left += _inside(part)[::-1]
        elif id(part) not in bodies:
            yield part


def _inside(part: MIMEPart) -> list[MIMEPart]:
    payload: Any = part.get_payload() if part.is_multipart() else []
    return [inner for inner in payload if isinstance(inner, MIMEPart)]


def _bodies(mail: MIMEPart) -> tuple[MIMEPart | None, MIMEPart | None]:
    """The plain text and the HTML that a mail has as its body; the first alone of what are no alternatives."""
    plain, html = (mail.get_body(preferencelist=kinds) for kinds in (('plain',), ('html', 'related')))
    if plain is not None and html is not None:
        both = {id(plain), id(html)}
        of = [part for part in mail.walk() if part.get_content_type() == 'multipart/alternative']
        if not any(both.issubset(map(id, part.walk())) for part in of):
            first = next(part for part in mail.walk() if id(part) in both)
            return (plain, None) if first is plain else (None, html)
    return plain, html


def _decoded(part: MIMEPart) -> str:
    raw = part.get_payload(decode=True)
    text = content.decode(raw, str(part.get_content_charset() or '')) if isinstance(raw, bytes) else ''
    return text.replace('\r\n', '\n')


def _page(html_part: MIMEPart) -> Page:
    from summarizer_tool.html.convert import to_markdown

    return to_markdown(_decoded(html_part))


def threads(text: str) -> str:
    """The text with a heading for each mail of a thread: who wrote it, about what, and when."""
    if len(_MAIL.findall(text)) < 2:
        return text
    return _MAIL.sub(lambda mail: f'\n## {_headed(mail["who"], mail["what"], mail["when"])}\n\n', text)


def _headed(who: str, what: str | None, when: str | None) -> str:
    subject = f': {what.strip()}' if what else ''
    return _ADDRESS.sub('', who).strip(' "') + subject + (f' ({when.strip()})' if when else '')


def _attachment(part: MIMEPart) -> str:
    """What is attached in short; more of the text, which has no name, as it is."""
    kind = part.get_content_type()
    if kind in _REPORTS:
        return part.as_string().partition('\n\n')[2].strip()
    if kind in ('text/plain', 'text/html', 'text/calendar') and not part.get_filename() and not part.is_attachment():
        return (_page(part).markdown if kind == 'text/html' else unwrap(threads(_decoded(part)))).strip()
    raw = part.get_payload(decode=True)
    size = f', {len(raw):,} bytes' if isinstance(raw, bytes) else ''
    name = ' '.join((part.get_filename() or 'without a name').split())
    return f'[Attachment: {name[:_MOST_SHOWN]} ({kind}{size})]'
