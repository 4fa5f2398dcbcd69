"""What is looked for: groups of detectors, those of `detect-secrets` and patterns for what it lacks.

The plugins of `detect-secrets` are used with their own expressions. Nothing of its settings, which are global to a
process, is read or changed, and nothing is verified over the network.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import regex
from detect_secrets.plugins.high_entropy_strings import (
    Base64HighEntropyString,
    HexHighEntropyString,
    HighEntropyStringsPlugin,
)
from detect_secrets.plugins.ip_public import IPPublicDetector

from researcher_integration.masking.credentials import CREDENTIALS, KEYS
from researcher_integration.masking.findings import Find
from researcher_integration.masking.patterns import Pattern, from_plugin
from researcher_integration.masking.service_keys import CLOUD, TOKENS

Group = Literal['keys', 'cloud', 'tokens', 'credentials', 'entropy', 'network']
"""What can be masked:

- `keys`: private keys and certificates, whole; those in a kubeconfig; JWK.
- `cloud`: keys of AWS, Azure, Google Cloud, IBM Cloud and others.
- `tokens`: of services, each of a form of its own: GitHub, Slack, Stripe, OpenAI, JSON Web Tokens …
- `credentials`: what stands in a URL, a header or beside a telling name; the data of a Kubernetes Secret.
- `entropy`: quoted strings that look random. Finds what the others do not know, and also the commit hashes, digests and
  identifiers by which an agent asks for more; off unless asked for.
- `network`: public IPv4 addresses, which are seldom secret; off unless asked for.
"""

ALL_GROUPS: tuple[Group, ...] = get_args(Group)
DEFAULT_GROUPS: tuple[Group, ...] = ('keys', 'cloud', 'tokens', 'credentials')


def _random(plugin: HighEntropyStringsPlugin) -> Pattern:
    charset = regex.escape(plugin.charset)

    def keep(value: str) -> bool:
        return plugin.calculate_shannon_entropy(value) > plugin.entropy_limit

    return Pattern('HIGH_ENTROPY', regex.compile(rf'(["\'])(?P<secret>[{charset}]++)\1'), ('"', "'"), keep)


_BY_GROUP: Mapping[Group, Sequence[Find]] = {
    'keys': KEYS,
    'cloud': CLOUD,
    'tokens': TOKENS,
    'credentials': CREDENTIALS,
    'entropy': [_random(Base64HighEntropyString()), _random(HexHighEntropyString())],
    'network': from_plugin('PUBLIC_IP', IPPublicDetector(), '.'),
}


def detectors(groups: Sequence[Group]) -> list[Find]:
    """The detectors of some groups, those that know most of what they find first."""
    return [find for group in ALL_GROUPS if group in groups for find in _BY_GROUP[group]]
