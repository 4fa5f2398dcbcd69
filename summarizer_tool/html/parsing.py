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

MAX_DEPTH = 160
"""Elements that may nest, where libxml2 has given up; what is deeper hangs at this depth, in its order."""
MAX_ELEMENTS = 300_000
"""Of a tree, which needs some hundred bytes for each; what comes later is text alone, a line for each block."""
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
_MUTE = frozenset({'script', 'style', 'template', 'noscript', 'textarea', 'svg'})

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


def parse(html: str) -> tuple[Any | None, bool]:
    """The tree of a page, `None` if there is none, and whether it has the depth and number of the page's own elements.

    libxml2 stops 256 elements deep. Tags that nobody has closed nest as deeply as this, so such a page is parsed again
    into a tree that does not grow deeper than `MAX_DEPTH`, and so is one of very many tags.
    """
    with naming_extra():
        import lxml.html
        from lxml import etree

    fit = UNFIT.sub('', html)
    for tag in _TAG.finditer(fit):  # as fast as can be: nearly no page has one
        if 0 <= tag.end(1) < tag.start(3):
            fit = _TAG.sub(lambda tag: f'<{tag[1]}{tag[3]}' if tag[1] else tag[0], fit)
            break
    body = fit.encode(errors='replace')
    options = {'encoding': 'utf-8', 'remove_comments': True, 'remove_pis': True}
    parser = etree.HTMLParser(collect_ids=False, default_doctype=False, **options)
    # That of lxml.html asks a function in Python for the class of each element, whenever one is met.
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=lxml.html.HtmlElement))
    limit = min(MAX_ELEMENTS, max(MIN_ELEMENTS, len(html) // BYTES_PER_ELEMENT))
    tree = None
    with suppress(etree.LxmlError):  # no element at all, or too much of one
        if html.count('<') <= 2 * limit:
            tree = lxml.html.document_fromstring(body, parser=parser)
            if all(entry.type != etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log):
                return tree, True
    with suppress(etree.LxmlError):
        flat = etree.HTMLParser(target=_Shallow(parser.makeelement, limit), encoding='utf-8', huge_tree=True)
        flat.feed(body)
        tree = flat.close()
    return tree, False


def walk(element: Any) -> Any:
    """Walk through an element and all that is in it, without recursion, however deep it is.

    The iterator gives the `start` and the `end` of each element; after a start `skip_subtree` leaves out what is in it.
    """
    from lxml import etree

    return etree.iterwalk(element, events=('start', 'end'))


class _Shallow:
    """Builds a tree that is bounded in depth and number, from the events of a parser."""

    def __init__(self, make: Any, limit: int) -> None:
        from lxml import etree

        self._make = make
        self._tree = etree.TreeBuilder(element_factory=self._element)
        self._holds: list[bool] = []
        """Of each tag that is open, whether its element may have children."""
        self._open: list[Any] = []
        """Elements that may have more."""
        self._left = limit
        self._muted = 0
        """Scripts and the like that are open where there are no more elements."""

    def start(self, tag: str, attrib: Any) -> None:
        holds = self._left > 0 and len(self._open) < MAX_DEPTH
        self._holds.append(holds)
        if self._left <= 0:
            self._muted += tag in _MUTE
            if tag in _LINES:
                self._tree.data(LINE)
            return
        self._left -= 1
        element = self._tree.start(tag, attrib)
        if holds:
            self._open.append(element)
        else:
            self._tree.end(element.tag)

    def end(self, tag: str) -> None:
        if self._holds and self._holds.pop():
            if len(self._open) > 1:  # the root stays open for what follows it
                self._tree.end(self._open.pop().tag)
        elif self._left <= 0:
            self._muted -= tag in _MUTE and self._muted > 0
            if tag in _LINES:
                self._tree.data(LINE)

    def data(self, data: str) -> None:
        if not self._muted:
            self._tree.data(UNFIT.sub('', data))  # by their numbers they can be named

    def close(self) -> Any:
        for element in reversed(self._open):
            self._tree.end(element.tag)
        return self._open[0] if self._open else None

    def _element(self, tag: str, attrib: Any) -> Any:
        try:
            return self._make(tag, attrib)
        except ValueError:  # the parser takes names that no tree takes, such as that of `<b<p>`
            return self._make('span')
