"""Keys and certificates of many lines, which go whole, however they are indented, escaped or cut off."""

import string
from collections.abc import Iterator

import regex

from researcher_integration.masking.findings import END, Finding

_WHAT = (
    r'(?:[A-Z0-9]{1,20} ){0,4}?(?P<what>PRIVATE KEY|CERTIFICATE(?: REQUEST)?|PGP MESSAGE|OpenVPN Static key V\d)'
    r'(?: BLOCK)? ?-{4,5}'
)
_BEGIN = regex.compile(rf'-{{0,5}} ?BEGIN {_WHAT}(?!-? ?(?:\.\.|…|\(|<[A-Z_ ]{{3,}}>))|PuTTY-User-Key-File-\d')
_END = regex.compile(rf'-{{4,5}} ?END {_WHAT}|Private-(?:MAC|Hash): ?[0-9a-fA-F]*')

# The last word of a line, of base64; before it may stand a time, or an indent.
_BODY = regex.compile(r'(?:^|[\s|>:])[A-Za-z0-9+/]{16,}={0,2}$')
_LAST_BODY = regex.compile(r'(?:^|[\s|>:])[A-Za-z0-9+/]+={0,2}$')
# What a key has besides: its first line behind the header, blank lines, a short last one, and what is said of it.
_FIRST_LINE = regex.compile(r'[\s"\',\\]*(?:(?:\\[nr]|: )\S*)?\s*')
_LINE_OF_BODY = regex.compile(
    r'^\s*[A-Za-z0-9+/=]*$|(?:^|[\s|>])(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Encryption'
    r'|Key-Derivation|Argon2-\w+|(?:Public|Private)-(?:Lines|MAC|Hash)): ?[^\n]*$'
)
# Where members of objects of JSON stand between the ends of a key, and the strings there that are lines of it.
_MEMBER = regex.compile(r'[{,]\s*"[^"\n]{1,60}"\s*:')
_STRING_OF_BODY = regex.compile(r'"([A-Za-z0-9+/\\=]{16,}+|[A-Za-z0-9+/]++=[\\nr=]*+)"(?!\s*:)')
_LINE_END = 200  # characters of a line that are looked at; a body has lines of 64 or 76, or one
_BASE64 = string.ascii_letters + string.digits + '+/=\\'


def find_blocks(text: str, _lower: str) -> Iterator[Finding]:
    """Find private keys and certificates. One without an end goes on to the end of its string, or of the text."""
    if '---' not in text and 'PuTTY' not in text:
        return
    begins, ends = _Ahead(_BEGIN, text), _Ahead(_END, text)
    at = 0
    while (begin := begins.after(at)) or ends.after(at):
        end = ends.after(at)
        if end and (begin is None or end.start() < begin.start()):
            if (start := _head(text, at, end.start())) < end.start():
                yield Finding(start, end.end(), _kind(end))
            at = end.end()
        elif begin:
            closed = end and text.find(END, begin.end(), end.start()) < 0
            at = end.end() if end and closed else _open_end(text, begin.start())
            if end and closed and _MEMBER.search(text, begin.end(), end.start()):
                yield from (Finding(*span, _kind(begin)) for span in _in_members(text, begin, end))
            elif text[begin.end() : at].strip('\\') or at == len(
                text
            ):  # no mention, such as `split("-----BEGIN CERTIFICATE-----")`
                yield Finding(begin.start(), at, _kind(begin))


def open_key(lines: str) -> tuple[int, int, int] | None:
    """Where a key begins that has no end in these lines, where its header ends, and what may be of the key.

    Where that is not all, the key was cut off, or is only spoken of.
    """
    # One that has ended ends before the line break.
    start = next((begin for begin, end, *_ in find_blocks(lines, '') if end == len(lines)), -1)
    header = _BEGIN.match(lines, start) if start >= 0 else None
    if header is None:
        return None
    first, *others = lines[header.end() :].split('\n')
    end = header.end() + len(first)
    is_long = False
    for written in others if _FIRST_LINE.fullmatch(first) else ():
        line = written[-_LINE_END:].rstrip(' \t\r"\',\\')
        is_last = is_long and _LAST_BODY.search(line)
        is_long = _BODY.search(line) is not None
        if not (is_long or is_last or _LINE_OF_BODY.search(line)):
            break
        end += 1 + len(written)
    return start, header.end(), end


class _Ahead:
    """The next match after some place, each looked for once however often it is asked for."""

    def __init__(self, pattern: regex.Pattern[str], text: str) -> None:
        self._matches = pattern.finditer(text)
        self._next = next(self._matches, None)

    def after(self, at: int) -> regex.Match[str] | None:
        while self._next and self._next.start() < at:
            self._next = next(self._matches, None)
        return self._next


def _kind(mark: regex.Match[str]) -> str:
    what = mark['what'] or 'PRIVATE KEY'
    return 'CERTIFICATE' if what.startswith('CERTIFICATE') else what.upper().replace(' ', '_')


def _in_members(text: str, begin: regex.Match[str], end: regex.Match[str]) -> Iterator[tuple[int, int]]:
    """The parts of a key whose lines stand in members of objects; what stands between them stays."""
    first, last = text.find('"', begin.end()), text.rfind('"', begin.end(), end.start()) + 1
    yield begin.start(), first
    yield from (body.span(1) for body in _STRING_OF_BODY.finditer(text, first + 1, last))
    yield _head(text, last, end.start()), end.end()


def _open_end(text: str, start: int) -> int:
    """Where something ends that was cut off: with the string that begins with it, or with the text."""
    before = text[start - 1 : start]
    quote = text.find(before, start) if before in ('"', "'", '`') else -1
    limit = quote if quote >= 0 else len(text)
    end = text.find(END, start, limit)
    return end if end >= 0 else limit


def _head(text: str, floor: int, end: int) -> int:
    """Where the lines of base64 begin whose own beginning was cut off."""
    line_start = _line_start(text, floor, end)
    start = end - len(text[line_start:end]) + len(text[line_start:end].rstrip(_BASE64))
    body = _LAST_BODY
    while line_start > floor:
        above = _line_start(text, floor, line_start - 1)
        line = text[above : line_start - 1].rstrip(' \t\r"\',\\')
        if END in line or not body.search(line[-_LINE_END:]):
            break
        start = line_start = above
        body = _BODY
    return start


def _line_start(text: str, floor: int, end: int) -> int:
    return max(text.rfind('\n', floor, end) + 1, floor)
