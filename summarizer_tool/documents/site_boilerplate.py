"""Whether a block that several pages share speaks of their site, and of none of these pages.

Stricter than `boilerplate_lines`, which reads one page with its context: what is found here is not sent again, so a
block that may be a fact of its page ("Faction: Horde", "An orc of the Horde.", "Search the ruins.") must not be among
it. What is missed costs tokens, no more.
"""

import re
from collections.abc import Sequence

import regex

from summarizer_tool.text import boilerplate_lines

MENU_ITEMS = 3
"""The least entries of a menu."""

LINKS = 5
"""So many links in rows without other text are a navigation box, where the place on the page says the same."""

_SHORT = 4
"""Words below which a line says too little to be known for boilerplate: "History" may be somebody's heading."""

_ITEM_WORDS = 5
_REACH = 600
"""Characters of a block that are looked at."""

_BEGINNING = 200
"""Characters in which a notice says what it is; prose that comes to speak of cookies is prose."""

_BULLET = re.compile(r'(?:[-*+•]|\d{1,3}[.)])[ \t]+')
_MARKS = re.compile(r'[*_`#>\[\]]+')
_LINK = re.compile(r'!?\[([^\[\]]{0,200})\]\([^()]{0,500}\)')
_BETWEEN = re.compile(r'\s*[|·•»→]\s*|\s+[/>–-]\s+')

# `Faction: Horde`, `**Level:** 12`, `Speed = 4`: a fact of whatever the page is about.
_LABEL = re.compile(r'(?P<label>[^\s:=|.!?][^:=|.!?]{0,50}?)\s*(?:[:=]|\s[–—]\s)')
_LABEL_WORDS = 5
_SHARING = re.compile(r'(?:share|follow us)(?: this)?(?: page| article| post)?(?: on| via)?\s*:', re.IGNORECASE)

# What speaks of the site wherever it stands. Not what a page may say of its subject: "Released under the MIT licence."
_SITE = regex.compile(
    r"""
    \b(?:this|our)\ (?:web\ ?)?site\b.{0,80}\bcookies?\b | \bcookies\b.{0,60}\bon\ (?:this|our)\ (?:web\ ?)?site\b
    | \b(?:we|our\ partners)\b.{0,40}\b(?:use|set|store|place)\b.{0,40}\bcookies\b.{0,120}
      \b(?:accept|reject|agree|consent|privacy|site|website|device|browser|experience|traffic|partners|preferences)\b
    | \bwe\ value\ your\ privacy\b | \ball\ rights\ reserved\b | ^(?:copyright\ )?(?:©|\(c\)) | ^copyright\ \d{4}
    | \b(?:content|contents|texts?|articles?|materials?|images?)\b[^.]{0,40}\b(?:is|are)\b[^.]{0,30}
      \b(?:available|licen[sc]ed|released|published)\b[^.]{0,30}\bunder\b.{0,60}
      \b(?:licen[sc]es?|creative\ commons|cc|gnu|gfdl|terms)\b
    | ^by\ (?:using|continuing)\b.{0,40}\b(?:web)?(?:site|services)\b.{0,60}\b(?:agree|accept)\b
    | \byou\ agree\ to\ (?:the|our)\ terms\b
    | ^this\ page\ was\ last\ (?:edited|modified|updated|changed)\b | ^this\ (?:article|page)\ is\ a\ stub\b
    | \bsubscribe\b.{0,60}\bnewsletter\b | \bnewsletter\b.{0,80}\b(?:e-?mail|inbox|subscribe)\b
    | \b(?:get|subscribe|updates?|daily|weekly)\b.{0,60}\bin(?:to)?\ your\ inbox\b
    | ^remove\ ads\ (?:with|by|for)\b | ^powered\ by\ (?:mediawiki|wordpress|fandom)\b
    | ^(?:skip|jump)\ to\ (?:main\ )?(?:content|navigation)\b | ^back\ to\ (?:the\ )?top\b
    | \b(?:alle\ rechte\ vorbehalten|tous\ droits\ réservés|todos\ los\ derechos\ reservados)\b
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
_SITE_ENTRIES = frozenset(
    (
        'about us', 'contact us', 'cookie policy', 'cookie settings', 'copy link', 'create account', 'home page',
        'homepage', 'imprint', 'impressum', 'log in', 'log out', 'login', 'main page', 'mobile view', 'privacy policy',
        'random page', 'recent changes', 'sign in', 'sign up', 'site map', 'sitemap', 'special pages',
        'terms of service', 'terms of use',
    )
)  # fmt: skip
"""Entries that only the menu of a site has."""

_COMMON_ENTRIES = frozenset(
    (
        'about', 'advertise', 'blog', 'community', 'contact', 'disclaimer', 'disclaimers', 'donate', 'facebook', 'faq',
        'forum', 'forums', 'home', 'instagram', 'newsletter', 'pinterest', 'privacy', 'reddit', 'rss', 'telegram',
        'terms', 'tweet', 'twitter', 'whatsapp', 'wiki', 'youtube',
    )
)  # fmt: skip
"""Entries that menus have and other lists may have: two of them make a menu."""


def is_bound(lines: Sequence[str]) -> bool:
    """Return whether a block may be a fact of its page, or hold its page together, whatever else it seems to be.

    That is: rows of a table, `label: value`, short lines with a number, what ends with a colon, and what opens a list
    of other pages. The lines are those of `blocks.lines_of`.
    """
    return (
        lines[-1].rstrip('*_').endswith(':')
        or any(map(_is_fact, lines))
        or (len(lines) == 1 and boilerplate_lines.leads_away(lines[0]))
    )


def _is_fact(line: str) -> bool:
    """Return whether a line is a row, `label: value`, or as short as a value."""
    has_number = any(map(str.isdigit, line))
    if line.startswith('|') or (' | ' in line and has_number):
        return True
    bare = _bare(line)
    label = _LABEL.match(bare)
    is_labelled = label is not None and len(label['label'].split()) <= _LABEL_WORDS and not _SHARING.match(bare)
    if not is_labelled and not (has_number and len(bare.split()) <= _ITEM_WORDS):
        return False
    return not _SITE.search(bare[:_BEGINNING])


def is_site(lines: Sequence[str]) -> bool:
    """Return whether a block is a menu or a notice of the site: cookies, rights, licence, newsletter."""
    if is_menu(lines) and (_site_entries(lines) or _SHARING.match(_bare(lines[0]))):
        return True
    text = _bare(' '.join(lines)[:_REACH])
    if len(text.split()) < _SHORT and '©' not in text and not _LINK.search(lines[0]):
        return False
    if len(lines) > 1 and any(map(_BULLET.match, lines)):
        return all(_SITE.search(_bare(line)) for line in lines)
    return _SITE.search(text[:_BEGINNING]) is not None


def is_menu(lines: Sequence[str]) -> bool:
    """Return whether a block is a list of short entries, each on a line of its own or one after another."""
    if '. ' in lines[0]:  # prose, most often
        return False
    items = _items(lines)
    return len(items) >= MENU_ITEMS and all(
        len(item.split()) <= _ITEM_WORDS and not any(map(str.isdigit, item)) and item[-1] not in '.!?:;,'
        for item in items
    )


def is_link_box(lines: Sequence[str]) -> bool:
    """Return whether a block is nothing but rows of links, `LINKS` or more; a list of links may be one of the page."""
    found = 0
    for line in lines:
        rest, links = _LINK.subn('', line)
        if any(map(str.isalnum, rest)) or links < 2:
            return False
        found += links
    return found >= LINKS


def _bare(text: str) -> str:
    """The words of a line, without bullet, link targets and marks."""
    return _MARKS.sub('', _LINK.sub(r'\1', _BULLET.sub('', text, count=1))).strip()


def _items(lines: Sequence[str]) -> list[str]:
    """The entries of a list or of a row; none where a line is neither."""
    items: list[str] = []
    for line in lines:
        text = _BULLET.sub('', line, count=1)
        links = [_bare(link) for link in _LINK.findall(text)]
        if links and not any(map(str.isalnum, _LINK.sub('', text))):
            found = links
        else:
            found = [_bare(item) for item in _BETWEEN.split(_LINK.sub(r'\1', text))]
            if len(found) < 2 and text == line:
                return []
        items += [item for item in found if any(map(str.isalnum, item))]
    return items


def _site_entries(lines: Sequence[str]) -> bool:
    """Return whether the entries of a menu lead to what sites have and pages do not tell of."""
    items = [item.lower() for item in _items(lines)]
    # A row or links that begin at home are a menu; a list of places may name it, too.
    is_row = len(lines) == 1 or all(map(_LINK.search, lines))
    return (
        not _SITE_ENTRIES.isdisjoint(items)
        or len(_COMMON_ENTRIES.intersection(items)) > 1
        or (is_row and items[0] == 'home')
    )
