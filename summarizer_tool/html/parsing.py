"""The tree of a page, however broken or deep, and ways through it: all that is used of lxml.

It is imported when a page is read, as that takes longer than a start should.
"""

# lxml has no types.
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

import re
from contextlib import suppress
from typing import Any

from summarizer_tool.extras import naming_extra

MAX_ELEMENTS = 300_000
"""Of a tree, which needs some hundred bytes for each; of a page of more, what comes later is text alone."""
MIN_ELEMENTS = 20_000
BYTES_PER_ELEMENT = 16
"""In what is longer than `MIN_ELEMENTS` of them: only a page made to be slow has more elements on the average."""

LINE = '\u2028'
"""Where a line ends in text that has no elements."""
_LINES = frozenset(
    {
        *('address', 'article', 'aside', 'blockquote', 'br', 'caption', 'dd', 'div', 'dl', 'dt', 'figcaption'),
        *('figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'li', 'main', 'nav', 'ol'),
        *('option', 'p', 'pre', 'section', 'table', 'td', 'th', 'tr', 'ul'),
    }
)
_KEPT = frozenset(
    {
        *('a', 'aside', 'base', 'dd', 'dl', 'dt', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'img', 'li', 'main'),
        *('nav', 'noscript', 'ol', 'p', 'pre', 'svg', 'table', 'td', 'th', 'title', 'tr', 'ul'),
    }
)
"""What is left of a page that is too much for a tree."""

# XML forbids the first; the last, private characters that icon fonts are drawn with, say nothing to a reader.
UNFIT = re.compile('[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\U000f0000-\U0010ffff]')

_MAX_ATTRIBUTES = 256
"""Of a tag; libxml2 compares each with all before it."""
_ATTRIBUTE = r"""[\s/]*+[^\s/>][^\s/>=]*+(?>(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))?)"""
_TAG = re.compile(
    rf'<(?:!--.*?(?:-->|\Z)|((?:(script|style)\b|[a-z])[^\s/>]*+(?>(?:{_ATTRIBUTE}){{0,{_MAX_ATTRIBUTES}}}))'
    rf'(?>(?:{_ATTRIBUTE})*)((?(2).*?(?:</\2|\Z))))',
    re.IGNORECASE | re.DOTALL,
)
"""A comment, or a tag up to its end, a script with what is in it: before and after the attributes that are too many."""
_MARKUP = re.compile(
    rf'<(?:!--.*?(?:-->|\Z)|(script|style|template|textarea)\b.*?(?:</\1|\Z)|/?([a-z][^\s/>]*+)(?>(?:{_ATTRIBUTE})*))'
    r'[\s/]*+>?',
    re.IGNORECASE | re.DOTALL,
)


def parse(html: str) -> tuple[Any | None, bool]:
    """The tree of a page, `None` if there is none, and whether it has the page's own elements.

    libxml2 stops 256 elements deep, and tags that nobody has closed nest as deeply as this. Of such a page, and of one
    of very many tags, the tree has no boxes and no emphasis; where that is not enough, it has lines alone.
    """
    with naming_extra():
        import lxml.html
        from lxml import etree

    fit = UNFIT.sub('', html)
    for tag in _TAG.finditer(fit):  # as fast as can be: nearly no page has one
        if 0 <= tag.end(1) < tag.start(3):
            fit = _TAG.sub(lambda tag: f'<{tag[1]}{tag[3]}' if tag[1] else tag[0], fit)
            break
    limit = min(MAX_ELEMENTS, max(MIN_ELEMENTS, len(html) // BYTES_PER_ELEMENT))
    options = {'encoding': 'utf-8', 'remove_comments': True, 'remove_pis': True}
    for most in (None, limit, 0) if html.count('<') <= 2 * limit else (limit, 0):
        text = fit if most is None else _lines(fit, most)
        # Lines alone may be longer than libxml2 takes a text to be.
        parser = etree.HTMLParser(collect_ids=False, default_doctype=False, huge_tree=most == 0, **options)
        # That of lxml.html asks a function in Python for the class of each element, whenever one is met.
        parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=lxml.html.HtmlElement))
        with suppress(etree.LxmlError):  # no element at all, or too much of one
            tree = lxml.html.document_fromstring(text.encode(errors='replace'), parser=parser)
            if all(entry.type != etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log):
                return tree, most is None
    return None, False


def _lines(html: str, most: int) -> str:
    """A page without its tags, but for some of those that say most, with a sign where a line ends."""
    left = most

    def shown(tag: re.Match[str]) -> str:
        nonlocal left
        name = (tag[2] or '').lower()
        left -= name in _KEPT
        return tag[0] if name in _KEPT and left >= 0 else LINE if name in _LINES else ''

    return _MARKUP.sub(shown, html)


def walk(element: Any) -> Any:
    """Walk through an element and all that is in it, without recursion, however deep it is.

    The iterator gives the `start` and the `end` of each element; after a start `skip_subtree` leaves out what is in it.
    """
    from lxml import etree

    return etree.iterwalk(element, events=('start', 'end'))
