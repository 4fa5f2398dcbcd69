"""Names of secrets (`DB_PASSWORD`, `apiKey`, `--token`), and placeholders that stand for a secret."""

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from researcher_integration.masking.patterns import any_of

Kind = Literal['PASSWORD', 'API_KEY', 'TOKEN', 'SECRET', 'AUTHORIZATION', 'COOKIE']


class _Names(BaseModel):
    """The file `secret_names.toml`, which says what its lists are."""

    model_config = ConfigDict(extra='forbid')

    names: Mapping[Kind, Sequence[str]]
    whole_words: Mapping[str, Kind]
    fields: Mapping[str, Kind]
    before_key: Sequence[str]
    about: Sequence[str]


_NAMES = _Names.model_validate(tomllib.loads(Path(__file__).with_name('secret_names.toml').read_text(encoding='utf-8')))
_KINDS: dict[str, Kind] = {
    separator.join(name.split()): kind
    for kind, names in _NAMES.names.items()
    for name in names
    for separator in ('', ' ', '_', '-')
}
_KINDS.update(_NAMES.whole_words)

_NO_SECRETS: Mapping[str, Sequence[str]] = tomllib.loads(
    Path(__file__).with_name('no_secrets.toml').read_text(encoding='utf-8')
)


def no_secret(what: str, flags: int = 0) -> re.Pattern[str]:
    """An expression for what is no secret, of one of the lists of `no_secrets.toml`."""
    return re.compile('|'.join(_NO_SECRETS[what]), flags | re.DOTALL)


# A few letters that may follow a name.
_SUFFIX = (
    r'(?:_?\d{1,3}|[_\-]?(?:values?|plain|text|raw|str|string|b64|base64|old|new|current|previous|hash'
    r'|confirmation|confirm|repeat|s))?'
)
# Japanese, Chinese and Korean write no space after a word.
_END = r'(?:(?!\w)|(?<=[\u3040-\ud7af]))'

# Of `re`, which is faster at this, and cannot be held up: nothing in it repeats without bound.
_HIT = re.compile(rf'({any_of([*_KINDS, *_NAMES.fields, "key"])}){_SUFFIX}{_END}')
# A name that is one of fields alone.
_END_OF_FIELD = re.compile(r'["\']\s*(?::\s*["\'\[{(\d\-]|[,}]|\](?!\s*=))')
_QUOTED_FIELD = re.compile(r'["\'](?:[\w\-]{1,40}[_\-])?$')
_BEFORE_KEY = re.compile(rf'(?:{any_of(_NAMES.before_key)})[_\-. ]?$')
_FIELD = re.compile(rf'(?:^|[_\-])({any_of(_NAMES.fields)}){_SUFFIX}$')

# Services whose keys stand beside their names alone: `stripe = …`; looked for before a long word.
_SERVICES = any_of(Path(__file__).with_name('secret_services.txt').read_text(encoding='utf-8').split())
_SERVICE = re.compile(
    rf'(?:(?<![a-z0-9])|(?<= -d))(?P<name>(?:{_SERVICES})(?:[_\-. ]?(?:api|auth|access|key|login|pat))*)\W{{1,24}}$'
)
# Any other key, whose value must look more like one.
_ANY_KEY = re.compile(r'(?<![a-z0-9"\'])(?P<name>[a-z0-9_\-.]{1,40}?key\d?(?=\W{1,24}$)|key(?= ?=\W{0,6}$))')
_SHORT = re.compile(r'(?<![A-Za-z0-9])(?<![A-Za-z0-9][_\-])(?:pass|pw|clave)$', re.IGNORECASE)
# No number of a commit or of a thing.
_BEYOND_HEX = re.compile(r'(?=.{20})(?:[a-z]*\d[a-z\d]*[g-z]|[a-z]*[g-z][a-z]*\d)')
_LONG_WORD = re.compile(r'(?<=[=:> "\'`])(?![a-z_\-.]{2,40}[=:])[a-z0-9_\-.+/~|=:]{14,200}')
_RUN = re.compile(r'[A-Za-z0-9]{4,}')
_GENERATED = re.compile(r'(?!(?i:sha\d|md5))[A-Za-z0-9_\-.+/=~:|]{14,200}')
_DIGITS_AND_LETTERS = re.compile(r'[a-zA-Z](?=\d)|\d(?=[a-zA-Z])')

_CAMEL = re.compile(r'(?<=[a-z0-9])(?=[A-Z])')

# `PWD=/home/ada`
_FOLDER = re.compile(r'(?:(?<![a-z_])|(?<=\\n))(?:old)?pwd\W{0,3}$', re.IGNORECASE)

_SIGN_WITHIN = re.compile(r'\w[!#$%&*^](?=\w)')

_LONGEST_WORD = 24

_HARMLESS = re.compile(
    rf'(?<![a-z])(?:(?:{"|".join(_NO_SECRETS["harmless"])})[_\-]?)+(?:key[_\-]?)?(?:token|secrets?|key)s?$',
    re.IGNORECASE,
)

# Of which there are many, where its value is a number; `INPUT_TOKEN` of GitHub Actions is a secret.
_COUNTED = re.compile(
    r'(?<![a-z])(?:(?:prompt|completion|input|output|total|used)[_\-]?)+token(?:["\'\\\s:=]|$)', re.IGNORECASE
)

_NUMERIC = re.compile(r'(?:password|passwd|passphrase|passcode|pwd|pin)$', re.IGNORECASE)
COUNT_DIGITS = 8  # a token, or a secret, of fewer digits and nothing else is a number of them
_ROUND_DIGITS = 9  # one of thousands with no more digits is such a number, too
_PIN_DIGITS = 4
"""A password of fewer digits and nothing else is a number of something, such as `{"pin": 7}` of a chip."""

_PLACEHOLDER = no_secret('placeholders', re.IGNORECASE)
_FIELD_NAME = no_secret('fields')
_NO_TOKEN, _NO_KEY, _SENTENCE = no_secret('no_tokens'), no_secret('no_keys'), no_secret('sentences')
_RANGE, _VERSION = no_secret('ranges'), no_secret('versions')

# `"pbkdf2-password": "1.2.1"`
_PACKAGE = re.compile(r'[a-z\d]-[a-z]+\\*["\']?\s*(?::|==)\s*\\*["\']?\Z')
_PLAIN_VERSION = re.compile(r'\d{1,3}\.\d{1,3}\.\d{1,3}(?:-[a-z]+[.\d]*)?')

_ABOUT = frozenset(_NAMES.about)
_SAID_ABOUT = (
    'name',
    'pattern',
    'uri',
    'url',
    'arn',
    'integrity',
    'checksum',
    'fingerprint',
    'host',
    'port',
    '_at',
    'desc',
)
"""Ends of other names of what is said about a secret."""


@lru_cache(maxsize=4096)
def kind_of(name: str) -> Kind | None:
    """The kind of secret that has this name; none for `max_tokens`, `nextPageToken`, `secretName`."""
    if '[MASKED_' in name:
        return None
    name = _CAMEL.sub('_', name.strip().strip('"\'`[]').rstrip(':').strip()[-100:])
    lower = name.lower()
    kinds: list[Kind] = [kind for _, end, kind in hits(name, lower) if end == len(lower)]
    if not kinds and (field := _FIELD.search(lower)):
        kinds = [_NAMES.fields[field[1]]]
    return kinds[0] if kinds and not harmless(name) else None


def is_about(name: str) -> bool:
    """Return whether a name is that of what is said *about* a secret: `secret: {secretName: tls, optional: true}`."""
    low = name.lower()
    return low.replace('_', '') in _ABOUT or low.endswith(_SAID_ABOUT) or harmless(name)


def hits(text: str, lower: str) -> Iterator[tuple[int, int, Kind]]:
    """Names of secrets in a text, which is given in lower case, too: where each begins and ends, and the kind."""
    for match in _HIT.finditer(lower):
        start, end = match.span()
        word = match[1]
        if word == 'key':
            if _BEFORE_KEY.search(lower[max(0, start - 16) : start]):
                yield start, end, 'API_KEY'
        elif word in _NAMES.fields:
            is_quoted = _END_OF_FIELD.match(lower, end) and _QUOTED_FIELD.search(lower, max(0, start - 42), start)
            if is_quoted:
                yield start, end, _NAMES.fields[word]
        else:
            before = text[start - 1 : start]
            begins = not before.isalnum() or (text[start].isupper() and not before.isupper())
            if begins or word not in _NAMES.whole_words:
                yield start, end, _KINDS[word]


def is_name(value: str) -> bool:
    """Return whether a value is the name of another secret, as in code, and none itself: `S3cretPw` has digits."""
    return not any(map(str.isdigit, value[:-2])) and kind_of(value) is not None


def names_one(value: str) -> bool:
    """Return whether a value beside the name of a key or a token is a name itself: `"input_token": "nextToken"`."""
    return (_FIELD_NAME.fullmatch(value) is not None and is_name(value)) or (value.isalpha() and harmless(value))


def is_prose(kind: str | None, value: str) -> bool:
    """Return whether a value beside the name of a secret is that of a sentence, or of a program."""
    if kind not in ('TOKEN', 'API_KEY', 'SECRET', 'PASSWORD') or (kind == 'PASSWORD' and value.count(' ') < 5):
        return False
    form = {'TOKEN': _NO_TOKEN, 'API_KEY': _NO_KEY}.get(kind)
    is_form = form is not None and form.fullmatch(value) is not None and not in_no_order(value)
    return is_form or _SENTENCE.match(value) is not None


def is_ambiguous(text: str, start: int = 0, end: int | None = None) -> bool:
    """Return whether a name says little of its value: `pass` or `pw`, unless behind another word (`db_pass`)."""
    return _SHORT.search(text, start, len(text) if end is None else end) is not None


def service_hits(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """Names of services before what may be a key, in a text, given in lower case, too: where each begins and ends."""
    for word in _LONG_WORD.finditer(lower):
        first = max(0, word.start() - 60)
        before = lower[first : word.start()]
        is_assigned = before.rstrip(' "\'`').endswith(('=', ':', '>')) or '--' in before
        if not is_assigned or not is_generated(word[0]):
            continue
        if found := _SERVICE.search(before) or _ANY_KEY.search(before):
            start, end = first + found.start('name'), first + found.end('name')
            if found.re is _SERVICE or _BEYOND_HEX.search(word[0]) or text[start:end].isupper():  # `BUGSNAG_KEY: …`
                yield start, end


@lru_cache(maxsize=1024)
def harmless(name: str) -> bool:
    """A name with a word for secrets that is known to hold none: `next_page_token`, `max_tokens`."""
    return (
        name.lower().endswith('tokens')
        or name.upper().startswith('MASKED_')
        or _HARMLESS.search(_CAMEL.sub('_', name[-60:])) is not None
    )


def is_count(name: str, number: str) -> bool:
    """A number under the name of a secret that counts something: `{"pass": 118, "session_keys": 12}`.

    A password may be a short number, too, which YAML gives as one.
    """
    if not number.replace('.', '').isdigit():
        return False
    digits = sum(map(str.isdigit, number))
    is_password = _NUMERIC.search(name) is not None
    is_round = number.endswith('000') and digits <= _ROUND_DIGITS and not is_password
    return '.' in number or is_round or digits < (_PIN_DIGITS if is_password else COUNT_DIGITS)


def is_none(kind: str | None, value: str, name: str) -> bool:
    """Return whether a value beside the name of secrets of a kind is none: a placeholder, a name, a version, a count.

    The name may have what stands before and behind it.
    """
    versions = (_RANGE, _VERSION) if kind != 'PASSWORD' else (_RANGE,)
    is_number = value.isdigit() and len(value) <= 12
    return (
        is_placeholder(value)
        or (value[:1] in ('/', '~') and _FOLDER.search(name) is not None)
        or bool(_PLAIN_VERSION.fullmatch(value) and _PACKAGE.search(name))
        or (len(value) < 100 and any(form.fullmatch(value) for form in versions))
        or is_prose(kind, value)
        or (kind == 'TOKEN' and is_number and _COUNTED.search(_CAMEL.sub('_', name[-60:])) is not None)
        or (kind in ('TOKEN', 'API_KEY', 'SECRET', 'COOKIE', 'AUTHORIZATION') and names_one(value))
    )


def is_placeholder(value: str) -> bool:
    """Return whether a value stands for a secret, or for there being none: `${TOKEN}`, `<none>`, `****`."""
    return not value.strip() or (len(value) < 200 and _PLACEHOLDER.fullmatch(value.strip()) is not None)


def is_coded(value: str) -> bool:
    """Return whether a word looks like a password: with digits, capitals within, or signs that words have not."""
    capitals = sum(map(str.isupper, value[1:]))
    is_cased = capitals > 1 and value != value.upper()
    return is_cased or any(map(str.isdigit, value)) or (len(value) > 7 and _SIGN_WITHIN.search(value) is not None)


def is_word(value: str) -> bool:
    """Return whether a value is a word of prose: letters alone, in small letters but for the first."""
    return value.isalpha() and len(value) <= _LONGEST_WORD and value[1:].islower()


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


def in_no_order(value: str) -> bool:
    """Return whether capitals, small letters and digits change as in a key: no `handleSocks5Response`, `is-a-lamp`."""
    kinds = [(each.islower(), each.isupper()) for each in value if each.isalnum()]
    return len(kinds) >= 16 and sum(before != after for before, after in pairwise(kinds)) > 0.45 * len(kinds)


def may_be_random(value: str) -> bool:
    """Return whether a value has digits, or letters in no order of words: `kqWzJxVb…`, but not `CreateTokenRequest`."""
    if not value.isalpha():
        return any(map(str.isdigit, value))
    changes = sum(before.islower() != after.islower() for before, after in pairwise(value))
    return len(value) >= 16 and (3 * changes > len(value) or (not changes and len(value) > _LONGEST_WORD))


def entropy(text: str) -> float:
    """Bits per character (Shannon), of how often each character of the text stands in it."""
    size = len(text)
    return -sum((n := text.count(c) / size) * math.log2(n) for c in set(text))
