"""Which page an address means: the key under which a zone keeps it, whatever way the address is written."""

from pathlib import Path
from urllib.parse import urlsplit

import regex

from summarizer_tool import url_key as key_of

__all__ = ['FILE', 'MAX_SHOWN', 'host_of', 'is_url', 'key_of', 'key_of_file', 'shown', 'without_user']

FILE = 'file:'
"""What the keys of local files begin with."""

MAX_SHOWN = 120
"""Characters of a key that an error repeats."""

_USER = regex.compile(r'^(\s*https?://)[^/?#@]*@', regex.IGNORECASE)


def is_url(place: str) -> bool:
    """Return whether a place is a URL rather than the path of a file."""
    return place.strip().lower().startswith(('http://', 'https://'))


def key_of_file(path: Path) -> str:
    """The key of a local file: `file:` and its absolute path, symbolic links followed."""
    try:
        return f'{FILE}{path.resolve()}'
    except (OSError, RuntimeError, ValueError):  # links that go round in a circle; to open it will fail, too
        return f'{FILE}{path}'


def host_of(url: str) -> str:
    """The host of a URL, short and printable, for traces; empty if it has none."""
    try:
        return ascii(urlsplit(url.strip()).hostname or '')[1:-1][:MAX_SHOWN]
    except ValueError:
        return ''


def without_user(place: str) -> str:
    """A URL without name and password; a path as it is."""
    return _USER.sub(r'\1', place) if is_url(place) else place


def shown(key: str) -> str:
    """A key or URL for an error, short and printable; without user info and query, which may hold secrets."""
    text = ascii(without_user(key).partition('?')[0])[1:-1]
    return text if len(text) <= MAX_SHOWN else f'{text[: MAX_SHOWN - 1]}…'
