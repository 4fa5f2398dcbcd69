"""Which text of a page trafilatura takes for its main content."""

import logging
import re
import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

from summarizer_tool.extras import naming_extra
from summarizer_tool.html.walking import MARKS

MAX_ELEMENTS = 30_000
MAX_CHARACTERS = 4_000_000
MAX_WORK = 1_000_000
"""Of a page that is put to the vote: its elements, its text, and its elements times their depth. Trafilatura copies and
walks it some dozen times, and looks from each level at all below. A larger page, which then takes some seconds, is read
by our own rules alone: they take all that is no chrome."""

MIN_ELEMENTS = 2_000
_LEAST_SIZE = 24
"""Characters of an element, on the average, where there are more of them: those of 990 pages of the web have 33."""

_MARK = re.compile(f'[{chr(MARKS[0])}-{chr(MARKS[1])}]')

_MIN_TOLD = 250
"""Characters of an article that is in no text of its page; less is a description."""


@dataclass(frozen=True, slots=True)
class Votes:
    """What trafilatura takes for the main content."""

    nodes: frozenset[int] = frozenset()
    """The numbers of its text nodes; none if it fails."""
    told: tuple[str, ...] = ()
    """Its paragraphs, where it is in none: some pages hold their text as JSON or a template, for a script to show."""


def votes(tree: Any, depth: int, size: int) -> Votes:
    """Ask trafilatura for the main content of a page of some depth, in elements, and size, in characters.

    It carries the marks of a `TreeWalk` through like any other letter: so what it keeps is known by place, whatever it
    does to tables, code and formulas.
    """
    elements = tree.xpath('count(//*)')
    most = min(MAX_ELEMENTS, MAX_WORK / max(depth, 1), max(MIN_ELEMENTS, size / _LEAST_SIZE))
    if elements > most or (size > MAX_CHARACTERS and tree.xpath('string-length()') > MAX_CHARACTERS):
        return Votes()
    trafilatura = _trafilatura()
    try:
        found = trafilatura.bare_extraction(tree, include_comments=False, output_format='txt')
        body = found.body if found is not None else None
        paragraphs = [''.join(part.itertext()) for part in body] if body is not None else []
    except Exception:  # noqa: BLE001 - pages of any kind find its bugs, and our own rules still serve
        return Votes()
    text = '\n'.join(paragraphs)
    nodes = frozenset(map(ord, _MARK.findall(text)))
    return Votes(nodes, tuple(paragraphs) if not nodes and len(text) >= _MIN_TOLD else ())


@cache
def _trafilatura() -> Any:
    # It is slow to import, and it speaks of pages as it goes: an application may listen, but stderr is not for that.
    logger = logging.getLogger('trafilatura')
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    with naming_extra(), warnings.catch_warnings():
        warnings.simplefilter('ignore')  # it asks for a proxy that it then does without
        import trafilatura

        return trafilatura
