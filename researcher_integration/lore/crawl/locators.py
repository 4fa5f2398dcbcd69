"""Which page an address means: the key under which a zone keeps it, whatever way the address is written."""

from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

import regex
from courlan import normalize_url

FILE = 'file:'
"""What the keys of local files begin with."""

MAX_SHOWN = 120
"""Characters of a key that an error repeats."""

_DEFAULT_PORTS = {'http': ':80', 'https': ':443'}

# Only what is known to say where a reader came from. courlan's own list takes `game`, `keyword` and `source` away, too:
# on a wiki these choose the page, and a page that is taken for another is lost, while one that is fetched twice is
# still recognized by its text.
_TRACKING = regex.compile(
    r'utm_\w+|(?:gcl|dcl|fbcl|msclk|ycl|twcl|ttcl|igsh|gbra|wbra)id|gclsrc|mc_[ce]id|mkt_tok|_g[al]|_hs(?:enc|mi)',
    regex.IGNORECASE,
)


_USER = regex.compile(r'^(\s*https?://)[^/?#@]*@', regex.IGNORECASE)


def is_url(place: str) -> bool:
    """Whether a place is a URL rather than the path of a file."""
    return place.strip().lower().startswith(('http://', 'https://'))


def key_of(url: str) -> str:
    """The normal form of a URL, for comparison and not for fetching.

    Letter case of scheme and host, default ports, Punycode, repeated and trailing slashes, escapes, the order of the
    query, tracking parameters and fragments make no difference.

    Returns:
        The key, which is its own key; of what is no URL, the text without its fragment.
    """
    text = url.strip().partition('#')[0].strip()
    try:
        parts = urlsplit(text)
        # `surrogateescape`: bytes that are no UTF-8 still tell two pages apart.
        pairs = parse_qsl(parts.query, keep_blank_values=True, errors='surrogateescape')
        kept = sorted((pair for pair in pairs if not _TRACKING.fullmatch(pair[0])), key=lambda pair: pair[0])
        query = urlencode(kept, errors='surrogateescape')
        # courlan takes `:80` out of the middle of an IPv6 address as well.
        netloc = parts.netloc.removesuffix(_DEFAULT_PORTS.get(parts.scheme, ''))
        page = normalize_url(SplitResult(parts.scheme, netloc, parts.path, '', '')).rstrip('/')
    except ValueError:
        return text
    return f'{page}?{query}' if query else page


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
