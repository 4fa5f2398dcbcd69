"""What the names, roles and tags of an element say about the part of the page it holds."""

import re
from functools import lru_cache
from typing import Any

_TAGS = frozenset({'nav', 'aside', 'footer', 'dialog', 'menu', 'address'})
_ROLES = frozenset(
    {
        *('navigation', 'complementary', 'contentinfo', 'search', 'dialog', 'alertdialog', 'menu', 'menubar'),
        *('toolbar', 'tablist', 'banner', 'doc-toc', 'doc-backlink'),
    }
)
_LABELS, _VALUES = frozenset({'div', 'h3', 'span', 'b'}), frozenset({'div', 'span', 'p'})
"""What a row of an infobox consists of."""
_NAMES = re.compile(
    r"""(?:^|[\s_-]) (?:
      cookies? | consent | gdpr | newsletters? | breadcrumbs? | pagination | pager
    | share | sharing | sharebar | sharedaddy | addtoany | socials? | socialmedia
    | related\w* | recommend\w* | sidebars?
    | comments? | commentlist | disqus\w* | respond | kommentare?
    | popups? | modal | lightbox | adverts? | advertisements? | sponsored | promos?
    | author-?(?:box|bio|info|card|profile) | about-?(?:the-?)?author
    | toc | navbox | navigation | navbar | sitenotice | editsection
    | (?:skip|jump)-(?:link|to|nav)\w* | noprint
    ) (?=$|[\s_-])""",
    re.VERBOSE | re.IGNORECASE,
)
_HIDDEN = re.compile(r'display\s*:\s*none|visibility\s*:\s*hidden', re.IGNORECASE)
_HIDDEN_NAMES = re.compile(r'(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text)(?:$|\s)', re.IGNORECASE)
_MAX_NAMES = 400
"""Characters of class names that are looked at."""


@lru_cache(maxsize=4096)
def is_named_chrome(names: str) -> bool:
    """Return whether the words of a class or an id are those of what goes around the content."""
    return len(names) < _MAX_NAMES and _NAMES.search(names) is not None


def is_chrome(element: Any, tag: str) -> bool:
    """Return whether an element is one for what goes around the content: menus, banners, share bars, what is hidden.

    The id of a section or a heading says what it is about, not what it is for.
    """
    if tag in _TAGS:
        return True
    names = element.get('class'), '' if tag == 'section' or tag in HEADINGS else element.get('id')
    if any(is_named_chrome(each) for each in names if each):
        return True
    role = element.get('role')
    if role and role.lower() in _ROLES:
        return True
    return is_hidden(element)


def is_hidden(element: Any) -> bool:
    """Return whether a reader does not see it."""
    if element.get('aria-hidden') == 'true' or element.get('hidden') is not None:
        return True
    style = element.get('style')
    if style and len(style) < 2000 and _HIDDEN.search(style):
        return True
    names = element.get('class')
    return bool(names) and len(names) < _MAX_NAMES and _HIDDEN_NAMES.search(names) is not None


HEADINGS = {f'h{level}': level for level in range(1, 7)}
_LEAST = 3
"""Rows of a box of facts."""
_LONGEST_LABEL = 40


def mark_infoboxes(tree: Any) -> None:
    """Make terms and definitions of the rows of a box at the side, as the infoboxes of wikis have them in `div`s."""
    for aside in tree.iter('aside'):
        rows = [row for row in aside.iter('div') if len(row) == 2 and row[1].tag in _VALUES and _is_label(row[0])]
        if len(rows) >= _LEAST and any(row[1].find('.//a') is None for row in rows):
            for row in rows:
                row.tag, row[0].tag, row[1].tag = 'dl', 'dt', 'dd'


def _is_label(element: Any) -> bool:
    return element.tag in _LABELS and not len(element) and 0 < len((element.text or '').strip()) <= _LONGEST_LABEL
