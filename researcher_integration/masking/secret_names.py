"""Names of secrets (`DB_PASSWORD`, `apiKey`, `--token`), and placeholders that stand for a secret."""

import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Literal

import regex
from detect_secrets.plugins.keyword import DENYLIST

from researcher_integration.masking.patterns import any_of

Kind = Literal['PASSWORD', 'API_KEY', 'TOKEN', 'SECRET', 'AUTHORIZATION', 'COOKIE']

_PASS = r'pass(?:word|wd|phrase|code)|passwort|mot[ _]?de[ _]?passe|pwd|[_\-](?:pass|pw)'  # noqa: S105 - the names of some
# Of a key alone nothing can be said: maps have keys, tables have, pianos have.
_OF_KEY = (
    r'(?:api|app|application|access|secret|private|auth|service|account|db|database|encryption|encrypt|decryption|signing'
    r'|signature|master|client|storage|subscription|shared|license|licence|webhook|deploy|hmac|session|ssh|vault|crypto'
    r'|cookie|jwt|priv|consumer|integration|ingest)[_\-. ]?'
)
_OTHERS = '|'.join(word for word in DENYLIST if 'key' not in word and 'pass' not in word)
_HIDDEN = rf'secrets?|credentials?|creds|connection[_\-]?string|conn[_\-]?str|(?<![a-z])dsn|{_OTHERS}'

_WORDS = rf'(?P<password>{_PASS})|(?P<secret>{_HIDDEN})|(?P<token>token|bearer|jwt)|(?P<key>{{}}keys?)'

# Passwords, and keys of an API, in other languages; of those that write no space between words, in any word.
_WORDS_ABROAD = (
    'kennwort|senha|wachtwoord|has[łl]o|heslo|l[öo]senord|salasana|adgangskode|passord|jelsz[óo]|[şs]ifre|пароль'
)
_ABROAD_KEY = (
    r'api[\- ]?(?:schlüssel|schluessel|nyckel|sleutel|nøgle|ключ)|clé[_ ](?:d.)?api|klucz api|ключ api'
    r'|(?:clave|chave|chiave)[_ ](?:d[aei][_ ](?:la[_ ])?)?api'
)
_UNSPACED = 'パスワード|密码|密碼|口令|비밀번호'
_STEMS = (
    'kennwort|senha|wachtwoord|hasło|haslo|heslo|senord|salasana|adgangskode|passord|jelsz|ifre|пароль|ключ|schlüssel'
    f'|schluessel|nyckel|sleutel|nøgle|clé|clave|chave|chiave|klucz|{_UNSPACED}'
).split('|')
"""One of them is in a text that has one of those words."""

# A few letters that may follow the word.
_SUFFIX = r'(?:_?\d{1,3}|[_\-]?(?:values?|plain|text|raw|str|string|b64|base64|old|new|current|previous|hash|s))?'

# Of `re`, which is faster at this, and cannot be held up: nothing in it repeats without bound. The letters are those
# that the words begin with.
_HIT = re.compile(rf'(?=[bcdjkmpst_\-])(?:{_WORDS.format("")}){_SUFFIX}(?!\w)')
_HIT_ABROAD = re.compile(rf'(?:{_WORDS_ABROAD}|(?P<abroad_key>{_ABROAD_KEY}))s?(?!\w)|(?:{_UNSPACED})')
_BEFORE_KEY = re.compile(rf'{_OF_KEY}$')

# Services whose keys stand beside their names alone: `stripe = …`; looked for before a long word.
_SERVICES = any_of(Path(__file__).with_name('secret_services.txt').read_text(encoding='utf-8').split())
_SERVICE = re.compile(rf'(?<![a-z0-9])(?P<name>(?:{_SERVICES})(?:[_\-. ]?(?:api|auth|access|key|pat))*)\W{{1,8}}$')
_BEFORE_SERVICE = 60
_LONG_WORD = re.compile(r'(?<=[=:> "\'`])(?![a-z_\-.]{2,40}[=:])[a-z0-9_\-.+/~|=:]{14,200}')
_RUN = re.compile(r'[A-Za-z0-9]{4,}')
_GENERATED = re.compile(r'(?!(?i:sha\d|md5))[A-Za-z0-9_\-.+/=~:|]{14,200}')
_DIGITS_AND_LETTERS = re.compile(r'[a-zA-Z](?=\d)|\d(?=[a-zA-Z])')

_NAME = regex.compile(
    rf'(?:{_WORDS.format(_OF_KEY)}|(?P<password>{_WORDS_ABROAD}|{_UNSPACED})|(?P<key>{_ABROAD_KEY})'
    rf'|(?P<header>authorization|cookie)|^(?:pass|pw|pin|auth)$){_SUFFIX}$',
    regex.IGNORECASE,
)
# Is in every such name, and in few others.
_MAY_BE = re.compile(
    r'pass|p[wi]|auth|cookie|secret|cred|token|bearer|jwt|keys?|dsn|conn|contra|mot|[^\x00-\x7f]|' + '|'.join(_STEMS),
    re.IGNORECASE,
)
_CAMEL = regex.compile(r'(?<=[a-z0-9])(?=[A-Z])')

# Where a list continues, and what has no secret value of its own.
_HARMLESS = regex.compile(
    r'(?:next|prev|previous|page|paging|pagination|continuation|continue|sync|cursor|resume|change|delta|max|min|per|stop'
    r'|eos|bos|pad|unk|mask|sep|cls|special|start|end|public|image_?pull|existing|automount_?service_?account)[_\-]?(?:token|secrets?|key)s?$',
    regex.IGNORECASE,
)

_NUMERIC = regex.compile(r'(?:password|passwd|passphrase|passcode|pwd|pin)$', regex.IGNORECASE)
COUNT_DIGITS = 8
"""A token, or a secret, of fewer digits and nothing else is a number of them."""

_PLACEHOLDER = regex.compile(
    r"""(?:null|none|nil|undefined|true|false|yes|no|on|off|n/a|required|optional|missing|empty|unset|not[ _-]?set
    |unknown|redacted|masked|hidden|sensitive|encrypted|filtered|omitted|example|changed|invalid|expired|string|str
    |bytes|\W?%[srd]\W?|\d{1,3}(?:\.\d{1,9}){3,}
    |[*•.…x\-_]+|\{[\w.!:\[\]]*\}|.{0,12}\.\.\.|your[-_ ].{1,40}|my[ ]api[ ]key
    |<[^<>]*>.{0,40}|\$\{[^{}]*\}|\$\([^()]*\)|\$[A-Z_][A-Z0-9_]*|%[A-Z_]+%|\$?\{\{[^{}]*\}\}|%5B\w+%5D
    |\[[A-Z_ ]{3,80}\]|\(sensitive(?:\ value)?\)|\(known\ after\ apply\))""",
    regex.IGNORECASE | regex.VERBOSE,
)

_VERSION = re.compile(
    r'[\^~<>=v ]*\d{1,5}(?:\.(?:\d{1,5}|x|\*))+(?:[-+.]?(?:a|b|rc|dev|alpha|beta|post)[\w.]{0,9})?'
    r'|#[0-9a-f]{3,8}|amd64|arm64|i386|all'
)

_CONNECTION = re.compile(r'(?:dsn|conn(?:ection)?[_\-]?str(?:ing)?)[^a-z]*$', re.IGNORECASE)
_WITH_SECRET = re.compile(r'[^/]@|/[^@/\s]+@|pass|pwd|pw=|secret|token|key|sig|auth|cred', re.IGNORECASE)

REFERENCES = frozenset(
    """
    in scope name key id arn kind type namespace version apiversion path optional defaultmode mode items secretname uri
    url href creationtimestamp createdat updatedat expiresat expires expirationseconds expiry created updated lastused
    ttl scopes enabled required description title label provider algorithm alg length minlength maxlength format default
    status age agedays state method rotated rotatedat rate
    issuer audience clientid userid username user region count total size readonly deprecated
    """.split()  # noqa: SIM905 - a list of sixty lines says no more
)
"""Names of what is said *about* a secret: `secret: {secretName: tls, optional: true}` holds none."""


@lru_cache(maxsize=1024)
def kind_of(name: str) -> Kind | None:
    """The kind of secret that has this name; none for `max_tokens`, `nextPageToken`, `secretName`."""
    if not _MAY_BE.search(name) or '[MASKED_' in name:
        return None
    name = name.strip().strip('"\'`[]').rstrip(':').strip()[-100:]
    match = _NAME.search(name) or _NAME.search(_CAMEL.sub('_', name))
    return None if match is None or harmless(name) else _kind_of_match(match)


def hits(lower: str) -> Iterator[tuple[int, int, Kind]]:
    """Words for secrets in a text in lower case: where each begins and ends, and the kind of secret."""
    matches: Iterable[re.Match[str]] = _HIT.finditer(lower)
    abroad = _HIT_ABROAD.finditer(lower) if any(word in lower for word in _STEMS) else ()
    for match in sorted((*matches, *abroad), key=lambda match: match.start()):
        start, end = match.span()
        if match.re is _HIT_ABROAD:
            yield start, end, 'API_KEY' if match['abroad_key'] else 'PASSWORD'
            continue
        if match['key'] and not _BEFORE_KEY.search(lower[max(0, start - 16) : start]):
            continue
        yield start, end, _kind_of_match(match)


def service_hits(lower: str) -> Iterator[tuple[int, int]]:
    """Names of services before what may be a key, in a text in lower case: where each begins and ends."""
    for word in _LONG_WORD.finditer(lower):
        first = max(0, word.start() - _BEFORE_SERVICE)
        before = lower[first : word.start()]
        is_assigned = before.rstrip(' "\'`').endswith(('=', ':', '>')) or '--' in before
        if is_assigned and is_generated(word[0]) and (service := _SERVICE.search(before)):
            yield first + service.start('name'), first + service.end('name')


def _kind_of_match(match: 'regex.Match[str] | re.Match[str]') -> Kind:
    if match['password']:
        return 'PASSWORD'
    if match['key']:
        return 'API_KEY'
    if match['token']:
        return 'TOKEN'
    if match['secret']:
        return 'SECRET'
    header = match.groupdict().get('header')
    return 'PASSWORD' if not header else 'COOKIE' if header.lower() == 'cookie' else 'AUTHORIZATION'


@lru_cache(maxsize=1024)
def harmless(name: str) -> bool:
    """A name with a word for secrets that is known to hold none: `next_page_token`, `max_tokens`, `PWD`."""
    return (
        name in ('PWD', 'OLDPWD')
        or name.lower().endswith('tokens')
        or name.upper().startswith('MASKED_')
        or _HARMLESS.search(_CAMEL.sub('_', name[-60:])) is not None
    )


def is_count(name: str, number: str) -> bool:
    """A number under the name of a secret that counts something: `{"pass": 118, "session_keys": 12}`.

    A password may be a short number, too, which YAML gives as one.
    """
    digits = sum(map(str.isdigit, number))
    return (digits < COUNT_DIGITS or '.' in number) and _NUMERIC.search(name) is None


def is_version(kind: str | None, value: str) -> bool:
    """Return whether a value beside the name of a secret tells of something else: a version, a colour, a processor."""
    return kind != 'PASSWORD' and len(value) < 40 and _VERSION.fullmatch(value) is not None


def is_address(name: str, value: str) -> bool:
    """Return whether what stands beside the name of a connection says where it goes, and no password or key."""
    return _CONNECTION.search(name) is not None and _WITH_SECRET.search(value) is None


def is_placeholder(value: str) -> bool:
    """Return whether a value stands for a secret, or for there being none: `${TOKEN}`, `<none>`, `****`."""
    return not value.strip() or (len(value) < 200 and _PLACEHOLDER.fullmatch(value.strip()) is not None)


def is_word(value: str) -> bool:
    """Return whether a value is a word of prose: letters alone, in small letters but for the first."""
    return value.isalpha() and len(value) <= 24 and value[1:].islower()


def is_generated(value: str) -> bool:
    """Return whether most of a value is random letters and digits, as in a key: no name, version or address."""
    if not _GENERATED.fullmatch(value) or '://' in value:
        return False
    runs = [run for run in _RUN.findall(value) if not run.isalpha()]
    size, changes = sum(map(len, runs)), sum(len(_DIGITS_AND_LETTERS.findall(run)) for run in runs)
    return 2 * size > len(value) and changes > 2 and entropy(value) > 2.8


def mixed(value: str) -> bool:
    """Return whether a text has digits and letters of both cases, as generated keys have and names do not."""
    return any(c.isdigit() for c in value) and any(c.isupper() for c in value) and any(c.islower() for c in value)


def entropy(text: str) -> float:
    """Bits per character (Shannon), of how often each character of the text stands in it."""
    size = len(text)
    return -sum((n := text.count(c) / size) * math.log2(n) for c in set(text))
