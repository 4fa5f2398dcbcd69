"""What on a page belongs to the site and not to the text: menus, cookie notices, share bars, licence lines."""

import re
from collections.abc import Sequence
from functools import lru_cache

import regex

_REACH = 240
"""Boilerplate is short, in characters; a longer line that mentions cookies is prose about cookies."""

_BULLET = regex.compile(r'^(?:[-*+•]|\d{1,3}[.)])[ \t]+')
_LINK = regex.compile(r'!?\[([^\[\]]{0,200})\]\([^()]{0,200}\)')
_IMAGE = regex.compile(r'!\[[^\[\]]{0,300}\](?:\([^()]{0,500}\)|\[[^\[\]]{0,100}\])')
_LINK_ONLY = regex.compile(r'^(?:\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])[\s|·•,/>»-]*)+$')
_LINK_TARGET = regex.compile(r'^ {0,3}\[(?!\^)[^\[\]]{1,100}\]:\s+\S*(?:[/#]|\.\w)\S*(?:\s+["\'(].*)?$')
"""What a link elsewhere on the page refers to: `[docs]: https://…`."""
_MENU = re.compile(r'(?>[^.!?|·•»\d]{2,41})(?<=\s)[|·•»]\s[^.!?|·•»\d]{1,40}(?:\s[|·•»]\s[^.!?|·•»\d]{1,40})+$')
_ENTRY = re.compile(
    r'\b(?:about|blog|contact|faq|help|home|kontakt|log ?in|menu|news|privacy|search|share|sign ?in|terms)\b'
)
"""What most menus have an entry of."""
_MARKS = regex.compile(r'[*_`#>\[\]]+')

_OPENS = re.compile(
    r"""
    (?:skip|jump)\ to:?(?:\ [^\s.;\d]+){1,4}\.?$ | back\ to\ (?:the\ )?top\b.{0,20}$
    | (?:(?:toggle\ .{0,40})?(?:table\ of\ )?contents|navigation(?:\ menu)?|(?:main\ )?menu)$
    | search(?:\ (?:the|this|our)\ [\w-]+)?(?:[.…]+)?$
    | see\ (?:(?:all|full|more)\b[^.,]{0,30}|(?!(?:also|an?|the|your)\b)[^\s.,]+(?:\ [^\s.,]+)?)\.?$
    | (?:advertisements?|sponsored(?:\ content)?)[.!]?$ | subscribe\b.{0,20}$ | (?:enter\ )?your\ e-?mail\b
    | (?:\w+\ )?(?:content|text)\ is\ available\ under\b
    | (?:share\ (?:this|on)|share$|follow\ us|copy\ link)\b[^;\d]{0,80}$
    | (?:[/;]+\ )?(?:© | copyright\ (?:©|\(c\)|\d{4}\b) | \(c\)\ (?:copyright|\d{4})\b)
    | (?:this\ page\ was\ )?last\ (?:edited|modified|updated)\ (?:on|by|at|:)
    | (?:letzte|zuletzt)\ (?:änderung|aktualisier|geändert|bearbeitet)
    | (?:categories|tags|filed\ under)\s*: | category\s*:\s*[^.,]{1,40}$
    | (?:privacy\ policy|terms\ of\ (?:use|service))\b[^.\d]{0,60}(?:©\ ?\d{4})?$
    | --\ [^<]{1,60}<[^\s<@]{1,60}@
    | (?:log\ ?in|sign\ in|register|create\ (?:an\ )?account|edit|view\ source)$
    """,
    re.VERBOSE,
)
_HOLDS = regex.compile(
    r"""
    \b(?:we|this\ (?:web)?site|our\ partners)\b.{0,30}\b(?:use|uses|value|store)\b.{0,30}\b(?:cookies?|privacy)\b
    | \bcookies?\b.{0,80}\b(?:utilis|verwend|nutz|usamos|akzept|acept)
    | \b(?:utilis|verwend|nutz|usamos|akzept|acept)\w*\b.{0,40}\bcookies?\b
    | (?:^|[|/·]\s*)(?:accept|reject|manage)\ (?:all|cookies?|preferences|choices)\b
      (?:[^.\d]{0,60}|[^.\d]{0,40}cookies?\.[^.\d]{0,40}\.?)$
    | \b(?:subscribe|sign\ up)\b.{0,40}\b(?:newsletter|updates|inbox|mail)\b
    | \bnewsletter\b.{0,60}\b(?:your\ (?:e-?mail|inbox)|e-?mail\ address|(?:each|every|per)\ week)
    | \b(?:in|to)\ your\ inbox\b | \ball\ rights\ reserved\b | ©\s*\d{4}(?:[-–]\d{2,4})?\s+[\w\ .,&]{0,40}$
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
_HINTS = (
    'cookie', 'privacy', 'accept', 'reject', 'manage', 'subscribe', 'sign up', 'newsletter', 'inbox', 'all rights', '©',
)  # fmt: skip
"""Each text that `_HOLDS` finds has one of them: looking for them is much cheaper."""
_ELSEWHERE = re.compile(
    r"""
    (?:related|recommended)(?:\ (?:articles|content|coverage|links|news|pages|posts|products|questions|reading|searches
      |stories|topics|videos)(?:\ (?:for\ you|you\ (?:may|might)(?:\ also)?\ (?:like|enjoy)))?)?$
    | related:.{0,40}$ | read\ more$
    | (?: you\ (?:may|might)(?:\ also)?\ (?:like|enjoy) | recommended\ for\ you
    | read\ (?:next|also|more(?=\W*$|\W{2}|:|\ (?:about|at|from|here|in|on)\b)) | see\ also | more\ from
    | external\ links | popular\ pages | further\ reading
    | (?:lesen\ sie|lies)\ (?:auch|mehr|weiter) | siehe\ auch | (?:zum\ )?weiterlesen | auch\ interessant
    | (?:mehr|weitere\ [\w-]+)\ (?:zum\ thema|aus)
    | das\ könnte\ (?:sie|dich|ihnen|dir)\b | sur\ le\ même\ (?:sujet|thème)
    | (?:mehr|weitere|ähnliche|verwandte)\ (?:\w+\ )?(?:themen|artikel|beiträge|links|nachrichten|info\w*)
    | (?:à\ )?(?:lire|voir)\ (?:aussi|également) | (?:lee|lea|leer|mira|vea|ver)\ (?:también|más)
    | (?:te|le)\ puede\ interesar
    )\b.{0,40}$
    """,
    re.VERBOSE,
)
"""In English, German, French and Spanish."""


def _bare(line: str) -> str:
    """The words of a line, without bullet, link targets and marks; empty if the line is too long for boilerplate."""
    return _unmarked(_BULLET.sub('', line.strip()))


def _unmarked(unbulleted: str) -> str:
    if len(unbulleted) > _REACH:
        return ''
    shown = _LINK.sub(r'\1', unbulleted) if '[' in unbulleted else unbulleted
    return _MARKS.sub('', shown).strip()


@lru_cache(maxsize=4096)  # of one line readers ask, those who say it, and grounding
def is_boilerplate(line: str) -> bool:
    """Return whether a line belongs to the site, not to the text."""
    if len(line) > _REACH and '[' not in line:
        return False
    unbulleted = _BULLET.sub('', line.strip())
    if '[' in line:
        without_images = _IMAGE.sub('', unbulleted)
        if _LINK_TARGET.match(line) or (unbulleted and not without_images.strip()) or _LINK_ONLY.match(without_images):
            return True
    bare = _unmarked(unbulleted)
    if not bare:
        return False
    folded = bare.lower()
    if (_MENU.match(unbulleted) and _ENTRY.search(folded)) or _OPENS.match(folded) or _leads_away(folded):
        return True
    for hint in _HINTS:  # most lines have none, and a generator takes twice as long
        if hint in folded:
            return _HOLDS.search(bare) is not None
    return False


def points_elsewhere(text: str) -> bool:
    """Return whether most lines of a passage only say where something stands: links, what opens a page."""
    lines = [line for line in text.split('\n') if line.strip()]
    pointing = sum(map(_is_link, lines))
    return 2 * pointing > len(lines) or text.startswith('---\n')


def _is_link(line: str) -> bool:
    return '](' in line and _LINK_ONLY.match(_BULLET.sub('', line.strip())) is not None


def leads_away(line: str) -> bool:
    """Return whether a line or heading opens a list of other pages: "See also", "You may also like"."""
    return _leads_away(_bare(line).lower())


def _leads_away(folded: str) -> bool:
    return _ELSEWHERE.match(folded.rstrip(':')) is not None


def is_entry(item: str) -> bool:
    """Return whether an item below what leads away does so, too: it is mostly links, or no sentence."""
    text = _LINK.sub(r'\1', item).rstrip('*_ ')
    return not text.endswith(_STOPS) or 2 * len(_LINK.sub('', item)) < len(text)


def between_marks(texts: Sequence[str]) -> tuple[int, int]:
    """Where a book of Project Gutenberg begins and ends between what is said of its making, and its licence."""
    found = ((match[1].upper(), place) for place, text in enumerate(texts) if (match := _BOOK_MARK.match(text)))
    marks = dict(reversed([*found]))
    first, last = marks.get('START', -1) + 1, marks.get('END', len(texts))
    return (first, last) if first < last else (0, len(texts))


_BOOK_MARK = re.compile(r'(?i)(?:\*{3} ?)?(START|END) OF (?:THE |THIS )?PROJECT GUTENBERG')
_STOPS = ('.', '!', '?', '。', '！', '？', '।')
