"""Where links of a page lead, and which images only decorate it."""

import re
from typing import Any
from urllib.parse import urldefrag, urljoin

MAX_LENGTH = 2000
"""Characters of a URL; a longer one leads nowhere that can be fetched."""

_WEB = re.compile(r'https?://[^\s/?#]', re.IGNORECASE)
_ICON_PIXELS = 24
_ICON = re.compile(r'(?:^|[\s_-])(?:icon|icons|emoji|smiley|spacer|pixel|tracking|sprite)(?:$|[\s_-])', re.IGNORECASE)
_NUMBER = re.compile(r'\s*(\d{1,6})\s*(?:px)?\s*')


def absolute(base: str, target: str) -> str:
    """The http or https URL that a target means on a page, without fragment; empty if it is none."""
    target = target.strip()
    if not target or len(target) > MAX_LENGTH or target.startswith('#'):
        return ''
    try:
        url = urldefrag(urljoin(base, target)).url if base else urldefrag(target).url
    except ValueError:
        return ''
    if not _WEB.match(url) or not url.isprintable():
        return ''
    return url.replace(' ', '%20').replace('(', '%28').replace(')', '%29')


def is_icon(element: Any) -> bool:
    """Return whether an image is small or named as what decorates a page."""
    for name in ('width', 'height'):
        found = _NUMBER.fullmatch((element.get(name) or '')[:20])
        if found and int(found[1]) <= _ICON_PIXELS:
            return True
    names = element.get('class') or ''
    return bool(names) and len(names) < 400 and _ICON.search(names) is not None
