"""Which page a URL means, and what of it may be shown."""

from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

import regex

MAX_SHOWN = 120
"""Characters of a URL that an error or a message repeats."""

_DEFAULT_PORTS = {'http': 80, 'https': 443}

# Only what is known to say where a reader came from: on a wiki `game`, `keyword` or `source`, which longer lists
# take away, choose the page.
_TRACKING = regex.compile(
    r'utm_\w+|(?:gcl|dcl|fbcl|msclk|ycl|twcl|ttcl|igsh|gbra|wbra)id|gclsrc|mc_[ce]id|mkt_tok|_g[al]|_hs(?:enc|mi)',
    regex.IGNORECASE,
)

_SLASHES = regex.compile('/+')
_PARENTS_OF_ROOT = regex.compile(r'^(?:/\.\.(?![^/]))+')


def is_url(text: str) -> bool:
    """Return whether a text is an http or https URL with a host."""
    return _split(text).scheme in _DEFAULT_PORTS and bool(host_of(text))


def key_of(url: str) -> str:
    """The form that all ways to write one URL share: for comparison, not for fetching.

    Letter case of scheme and host, default ports, Punycode, repeated and trailing slashes, escapes, the order of the
    query, tracking parameters and fragments make no difference.
    """
    text = url.strip().partition('#')[0].strip()
    try:
        parts = urlsplit(text)
        # `surrogateescape`: bytes that are no UTF-8 still tell two pages apart.
        pairs = parse_qsl(parts.query, keep_blank_values=True, errors='surrogateescape')
        kept = sorted((pair for pair in pairs if not _TRACKING.fullmatch(pair[0])), key=lambda pair: pair[0])
        query = urlencode(kept, errors='surrogateescape')
        netloc = parts.netloc.strip().removesuffix(f':{_DEFAULT_PORTS.get(parts.scheme, "")}').lower()
        host = '.'.join(_decoded(label) for label in netloc.split('.'))
        path = quote(_PARENTS_OF_ROOT.sub('', _SLASHES.sub('/', parts.path)), safe='/%!=:,-')
    except ValueError:
        return text
    page = urlunsplit((parts.scheme, host, path, '', '')).rstrip('/')
    return f'{page}?{query}' if query else page


def other_scheme(url: str) -> str:
    """An http URL as https, and the other way round."""
    scheme, _, rest = url.strip().partition(':')
    return f'{"http" if scheme.lower() == "https" else "https"}:{rest}'


def _decoded(label: str) -> str:
    """A part of a host name as people write it, rather than in Punycode."""
    try:
        return label.encode().decode('idna') if label.startswith('xn--') else label
    except UnicodeError:
        return label


def without_fragment(url: str) -> str:
    """The URL of the whole page."""
    return url.partition('#')[0].strip()


def host_of(url: str) -> str:
    """The host in lower case, without a `www.` before it and without port; empty if there is none."""
    return (_split(url).hostname or '').rstrip('.').removeprefix('www.')


def port_of(url: str) -> int:
    """The port, said or not; 0 if the URL is not valid."""
    parts = _split(url)
    try:
        return parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
    except ValueError:
        return 0


def origin_of(url: str) -> str:
    """Scheme, host and port of an http or https URL, as robots.txt counts sites; empty if it is none."""
    parts = _split(url)
    host, port = parts.hostname, port_of(url)
    if parts.scheme not in _DEFAULT_PORTS or not host or not port:
        return ''
    host = f'[{host}]' if ':' in host else host
    return f'{parts.scheme}://{host}' if port == _DEFAULT_PORTS[parts.scheme] else f'{parts.scheme}://{host}:{port}'


def shown(url: str) -> str:
    """Host and path, printable and short: user info and query may hold secrets."""
    parts = _split(url)
    netloc = parts.netloc.rpartition('@')[2]
    text = ascii(f'{netloc}{parts.path}' if netloc else url.partition('?')[0])[1:-1].replace(r'\\', '\\')
    return text if len(text) <= MAX_SHOWN else f'{text[: MAX_SHOWN - 1]}…'


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url.strip())
    except ValueError:
        return SplitResult('', '', '', '', '')
