"""XML as objects and lists, as JSON would have them: whole, inside a text, several in a row, or cut off."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import cast
from xml.etree import ElementTree as ET

from summarizer_tool.digests.json_reading import WITHIN_SHARE, Json, Read

_DEEPEST = 60
_KEPT_SHARE = 0.2
"""Share of cut XML that must be well-formed to be worth reading."""

_BEGIN = re.compile(r'^[ \t]*<(?:\?xml\b|!DOCTYPE\b|!--|[A-Za-z_][\w.-]*(?::[\w.-]+)?(?=[\s/>]))', re.MULTILINE)
_PAGE = re.compile(r'\ufeff?\s*<!DOCTYPE\s+html\b', re.IGNORECASE)
_PAGE_TAGS = frozenset({'html', 'head', 'body', 'div', 'p', 'main', 'article', 'section', 'h1', 'h2', 'ul', 'span'})
_HEADS = re.compile(r'<\?xml\b[^>]*\?>|<!DOCTYPE\b[^\[>]*>')
_AMPERSAND = re.compile(r'&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)')
_PREFIX = re.compile(r'[<\s]/?([A-Za-z_][\w.-]*):(?=[A-Za-z_])')
_SAMPLE = 200_000
"""Characters in which prefixes are looked for that nothing declares."""
_PIECE = 4096
_ROOT = 'documents'


def read_xml(text: str) -> Read | None:
    """Read a text that is mostly XML; None if it is not, if it is a page, or if it declares entities.

    Words before it, further documents after the first, prefixes and entities that nothing declares are taken as they
    are; of XML that is cut, what is complete is read.
    """
    begin = _BEGIN.search(text[:_SAMPLE].lstrip('\ufeff'))
    if begin is None or '<!ENTITY' in text or _PAGE.match(text):
        return None
    text = text.lstrip('\ufeff')
    around, body = text[: begin.start()].strip(), text[begin.start() :].strip()
    if len(body) < WITHIN_SHARE * len(text):
        return None
    body = _AMPERSAND.sub('&amp;', _HEADS.sub('', body))
    prefixes = set(_PREFIX.findall(body[:_SAMPLE])) - {'xml', 'xmlns'}
    declared = ''.join(f' xmlns:{prefix}="{prefix}"' for prefix in sorted(prefixes))
    root, broken = _parsed(f'<{_ROOT}{declared}>', body)
    if root is None or not len(root) or _name(root[0].tag).lower() in _PAGE_TAGS:
        return None
    # A text about XML has most of its words beside the elements.
    if sum(len(each) for each in (root.text, *(part.tail for part in root)) if each) > WITHIN_SHARE * len(body):
        return None
    if len(root) == 1 and not (root.text or root[0].tail or '').strip():
        return Read({_name(root[0].tag): _value(root[0], 0)}, around, broken)
    return Read(_value(root, 0), around, broken)


def _parsed(start: str, body: str) -> tuple[ET.Element | None, str]:
    """The elements under one root, and what is wrong with them where they are cut; no root if too little is right."""
    parser = cast('ET.XMLPullParser[ET.Element]', ET.XMLPullParser(events=('start', 'end')))
    opened: list[ET.Element] = []
    last: ET.Element | None = None
    done = 0
    try:
        for piece in (start, *(body[at : at + _PIECE] for at in range(0, len(body), _PIECE)), f'</{_ROOT}>'):
            parser.feed(piece)
            for event, element in cast('Iterator[tuple[str, ET.Element]]', parser.read_events()):
                if event == 'start':
                    opened.append(element)
                elif opened:
                    last = opened.pop()
            done += len(piece)
    except (ET.ParseError, ValueError) as error:
        if not opened or done < _KEPT_SHARE * len(body):
            return None, ''
        if last is not None:
            # What is open lacks parts, which would look like what is odd about it.
            for outer, inner in pairwise(opened):
                if inner.tag == last.tag or (len(outer) > 1 and outer[0].tag == inner.tag):
                    outer.remove(inner)
                    break
        # Of the error without its place, which is one in what was fed.
        return opened[0], f'XML invalid: {str(error).partition(":")[0]}'
    return last, ''


def _value(element: ET.Element, depth: int) -> Json:
    """Attributes and parts by name; parts of one name are a list, text alone is itself."""
    text = (element.text or '').strip()
    if (not len(element) and not element.attrib) or depth > _DEEPEST:
        return text
    parts: dict[str, list[Json]] = {}
    for part in element:
        parts.setdefault(_name(part.tag), []).append(_value(part, depth + 1))
    values: dict[str, Json] = {_name(name): value for name, value in element.attrib.items()}
    values |= {name: _one_or_all(found) for name, found in parts.items()}
    return values | ({'text': text} if text else {})


def _one_or_all(found: Sequence[Json]) -> Json:
    return found[0] if len(found) == 1 else found


def _name(tag: str) -> str:
    """A name without its namespace."""
    return tag.rpartition('}')[2]
