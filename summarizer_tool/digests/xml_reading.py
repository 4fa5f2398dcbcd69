"""XML as objects and lists, as JSON would have them: whole, inside a text, several in a row, or cut off."""

import html
import re

from summarizer_tool.digests.json_reading import WITHIN_SHARE, Json, Read

_DEEPEST = 60
_NAME = r'[A-Za-z_][\w.:-]*+'
_PART = re.compile(
    rf'<(?P<open>{_NAME})(?P<attributes>(?>(?:\s++{_NAME}\s*+=\s*+(?:"[^"<]*+"|\'[^\'<]*+\'))*))\s*+(?P<empty>/?+)>'
    rf'|</(?P<close>{_NAME})\s*+>|<!\[CDATA\[(?P<data>(?>(?:[^\]]++|\](?!\]>))*))\]\]>'
    r'|<!--(?>(?:[^-]++|-(?!->))*)-->|<[?!][^<>\[]*+>'
)
_ATTRIBUTE = re.compile(rf'(?<=\s)(?!xmlns)({_NAME})\s*+=\s*+(?:"([^"]*+)"|\'([^\']*+)\')')
_BEGIN = re.compile(r'^[ \t]*<(?=[?!A-Za-z_])', re.MULTILINE)
_PAGE_TAGS = frozenset({'html', 'head', 'body', 'div', 'p', 'main', 'article', 'section', 'h1', 'h2', 'ul', 'span'})

_Parts = dict[str, list[Json]]
"""Attributes and parts of an element by name, its text under an empty one."""


def read_xml(text: str) -> Read | None:
    """Read a text that is mostly XML; None if it is not, if it is a page, or if it declares entities.

    Words before it, further documents after the first, prefixes and entities that nothing declares are taken as they
    are; of XML that is cut, what is complete is read.
    """
    begin = _BEGIN.search(text)
    if begin is None or '<!ENTITY' in text or len(text) - begin.start() < WITHIN_SHARE * len(text):
        return None
    text = _closed(text)
    root: _Parts = {}
    opened: list[tuple[str, _Parts]] = [('', root)]
    end = begin.start()
    outside = 0
    for part in _PART.finditer(text, end):
        between, data = text[end : part.start()].strip(), part['data'] or ''
        end = part.end()
        if len(opened) == 1:
            outside += len(between)
        if said := html.unescape(between) + data:
            opened[-1][1].setdefault('', []).append(said)
        if name := part['open']:
            found = _ATTRIBUTE.findall(part['attributes'])
            values: _Parts = {_bare(key): [html.unescape(one or other)] for key, one, other in found}
            opened.append((_bare(name), values))
            if len(opened) > _DEEPEST or (len(opened) == 2 and _bare(name).lower() in _PAGE_TAGS):
                return None
        if part['empty'] or part['close']:
            name = opened[-1][0] if part['empty'] else _bare(part['close'])
            if name != opened[-1][0] or len(opened) == 1:
                break
            _, inside = opened.pop()
            opened[-1][1].setdefault(name, []).append(_value(inside))
    outside += len(text) - end
    broken = f'XML invalid from character {end} of {len(text)}' if len(opened) > 1 else ''
    while len(opened) > 1:
        name, inside = opened.pop()
        # What is cut in a list of its like lacks parts, which would look like what is odd about it.
        if name not in opened[-1][1]:
            opened[-1][1][name] = [_value(inside)]
    # A text about XML has most of its words beside the elements.
    if not {*root} - {''} or outside > WITHIN_SHARE * (len(text) - begin.start()):
        return None
    return Read(_value(root), text[: begin.start()].strip(), broken)


def _closed(text: str) -> str:
    """The text up to a section or comment that is cut: its end would be looked for from each mark that opens one."""
    for mark, close in (('<![CDATA[', ']]>'), ('<!--', '-->')):
        if (cut := text.find(mark, text.rfind(close) + 1)) >= 0:
            text = text[:cut]
    return text


def _value(parts: _Parts) -> Json:
    """Attributes and parts by name; parts of one name are a list, text alone is itself."""
    text = ' '.join(map(str, parts.pop('', [])))
    if not parts:
        return text
    values: dict[str, Json] = {name: found[0] if len(found) == 1 else found for name, found in parts.items()}
    return values | ({'text': text} if text else {})


def _bare(name: str) -> str:
    """A name without its prefix."""
    return name.rpartition(':')[2]
