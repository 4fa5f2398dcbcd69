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
    """Return whether an element is one for what goes around the content: menus, banners, share bars, what is hidden."""
    if tag in _TAGS:
        return True
    if any(is_named_chrome(names) for names in (element.get('class'), element.get('id')) if names):
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


_NOTE_REFERENCE = re.compile(r'(?:^|[\s_-])(?:footnote|noteref|fnref)(?=$|[\s_-])', re.IGNORECASE)


def is_note_reference(element: Any) -> bool:
    """Return whether a link is the mark of a footnote: by what it says of itself, or as it is raised."""
    names = ' '.join(element.get(key) or '' for key in ('class', 'role', 'epub:type'))[:_MAX_NAMES]
    is_raised = element.getparent().tag == 'sup' or (len(element) == 1 and element[0].tag == 'sup' and not element.text)
    return '#' in (element.get('href') or '') and (is_raised or _NOTE_REFERENCE.search(names) is not None)


HEADINGS = {**{f'h{level}': level for level in range(1, 7)}, 'summary': 6}
"""The level of each element that is a heading; what may be unfolded stands below its own."""
_LEAST = 3
"""Sections, at least, for their names to mean nothing; as many for each that is named as chrome is."""


def sections(tree: Any) -> frozenset[Any]:
    """The elements that are sections of a text, and the headings with names that are such.

    Their names say what they are about, not what they are for: `<section id="sharing-data">` stands in a manual,
    `<div id="sharing">` beside an article. Generators of documentation make them from their headings.
    """
    found: set[Any] = set()
    told = chrome = 0
    for heading in tree.iter(*HEADINGS):
        around = heading.getparent()
        for element in (heading, around) if around is not None and around[0] is heading else (heading,):
            name = element.get('id') or ''
            is_told = name != '' and _bare(name) in _bare(''.join(heading.itertext()))
            told += is_told
            chrome += is_told and is_named_chrome(name)
            if is_told or (name and element is heading):
                found.add(element)
    return frozenset(found if told - chrome >= _LEAST * max(1, chrome) else ())


def _bare(text: str) -> str:
    return ''.join(filter(str.isalnum, text.casefold()))
