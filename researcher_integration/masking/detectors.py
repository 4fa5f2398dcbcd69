"""What is looked for: groups of detectors. What an expression can describe stands in `secret_forms.toml`."""

import re
import tomllib
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, get_args

import regex
from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import Find
from researcher_integration.masking.key_blocks import find_blocks
from researcher_integration.masking.keyed import find_keyed, find_service_keys
from researcher_integration.masking.nested_text import find_in_json, find_in_yaml
from researcher_integration.masking.patterns import LongWords, Pattern, Patterns
from researcher_integration.masking.tables import find_in_html, find_in_sql

Group = Literal['keys', 'cloud', 'tokens', 'credentials', 'entropy', 'network']
"""What can be masked:

- `keys`: private keys and certificates, whole; those in a kubeconfig; JWK.
- `cloud`: keys of AWS, Azure, Google Cloud, IBM Cloud and others.
- `tokens`: of services, each of a form of its own: GitHub, Slack, Stripe, OpenAI, JSON Web Tokens …
- `credentials`: what stands in a URL, a header or beside the name of a secret; the data of a Kubernetes Secret.
- `entropy`: quoted strings that look random. Finds what the others do not know, and also the commit hashes, digests and
  identifiers by which an agent asks for more; off unless asked for.
- `network`: public IPv4 addresses, which are seldom secret; off unless asked for.
"""

ALL_GROUPS: tuple[Group, ...] = get_args(Group)
DEFAULT_GROUPS: tuple[Group, ...] = ('keys', 'cloud', 'tokens', 'credentials')

_SAMPLE = regex.compile(r'(?i:(?:my|your|the)?[_\-]?(?:password|passwd|pass|pwd))')
_PORT = regex.compile(r'\d{1,5}[?#]')


def _login(value: str) -> bool:
    """Return whether a value is a name and a password, as `Basic` sends them, and no word."""
    told = b64decode(value[: len(value) // 4 * 4])
    return b':' in told[1:] and all(32 <= sign < 127 for sign in told)


def _password(value: str) -> bool:
    """Return whether something between a colon and an @ is a password, and no port with a query after it."""
    return not (secret_names.is_placeholder(value) or _PORT.match(value) or _SAMPLE.fullmatch(value))


_CHECKS: Mapping[str, Callable[[str], bool]] = {
    'base64': lambda value: secret_names.mixed(value) or value.endswith('=') or _login(value),
    # What follows a scheme, and is no word: `Bearer authentication`.
    'generated': lambda value: (
        '://' not in value and ('=' in value or secret_names.may_be_random(re.sub('[^A-Za-z0-9]', '', value)))
    ),
    'mixed': secret_names.mixed,
    'random and mixed': lambda value: secret_names.mixed(value) and secret_names.in_no_order(value),
    'password': _password,
    'password, no port': lambda value: _password(value) and not value.partition('/')[0].isdigit(),
    'coded': lambda value: secret_names.is_coded(value) and not value.isdigit(),
    # A name of code has no digit, or one at its end.
    'varied': lambda value: any(map(str.isdigit, value[:-2])) or (value != value.lower() and value != value.upper()),
    # The limits of the package `detect-secrets`.
    'random base64': lambda value: secret_names.entropy(value) > 4.5,
    'random hex': lambda value: secret_names.entropy(value) > 3 and not value.isdigit(),
}


class _Form(BaseModel):
    """A line of `secret_forms.toml`, which says what its fields are."""

    model_config = ConfigDict(frozen=True, extra='forbid')

    kind: Annotated[str, StringConstraints(pattern='^[A-Z][A-Z0-9_]*$')]
    expression: str = ''
    prefix: tuple[Annotated[str, StringConstraints(min_length=1)], ...] = ()
    of: str = ''
    length: int = 0
    apart: bool = False
    words: bool = False
    lines: int = 1
    anchors: tuple[Annotated[str, StringConstraints(to_lower=True, min_length=1)], ...] = ()
    keep: str | None = None

    @property
    def within_words(self) -> bool:
        return self.words or bool(self.prefix)

    def pattern(self) -> Pattern:
        check = self.keep or ('varied' if self.prefix and self.length < 28 else '')
        anchors = self.anchors or tuple({each.lower() for each in self.prefix})
        expression = self.expression
        if self.prefix:
            apart = r'(?<![A-Za-z0-9_\-.])' if self.apart else ''
            expression = f'{apart}(?:{"|".join(map(regex.escape, self.prefix))})[{self.of}]{{{self.length},}}+'
        return Pattern(self.kind, regex.compile(expression), anchors, _CHECKS.get(check), self.lines)


@cache
def _forms() -> Mapping[Group, Sequence[_Form]]:
    read = tomllib.loads(Path(__file__).with_name('secret_forms.toml').read_text(encoding='utf-8'))
    return TypeAdapter(dict[Group, tuple[_Form, ...]]).validate_python(read)


_BY_CODE: Mapping[Group, Sequence[Find]] = {
    'keys': [find_blocks],
    'credentials': [find_in_json, find_in_yaml, find_in_sql, find_in_html, find_keyed, find_service_keys],
}


@cache
def detectors(groups: frozenset[Group]) -> Sequence[Find]:
    """The detectors of some groups, those that know most of what they find first; made once, and shared."""
    forms = [form for group in ALL_GROUPS if group in groups for form in _forms().get(group, ())]
    by_code = {group: finds for group, finds in _BY_CODE.items() if group in groups}
    within = LongWords([form.pattern() for form in forms if form.within_words])
    others = Patterns([form.pattern() for form in forms if not form.within_words])
    return [*by_code.get('keys', ()), within, others, *by_code.get('credentials', ())] if groups else []
