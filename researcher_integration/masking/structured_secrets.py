"""Secrets in manifests of Kubernetes as YAML, and in lists of two: a name and its value."""

import re
from collections.abc import Iterator

import regex

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import Finding
from researcher_integration.masking.keyed import block_end
from researcher_integration.masking.secret_names import Kind

_SECRET_YAML = regex.compile(r'^(?P<indent>[ \t]*(?:- )?)kind:[ \t]*["\']?Secret["\']?[ \t]*\r?$', regex.MULTILINE)
_PARTS = regex.compile(r'^(?:---|- |\0)', regex.MULTILINE)
_DATA_YAML = regex.compile(r'^(?P<indent>[ \t]*(?:- )?)(?:data|stringData):[ \t]*\r?$', regex.MULTILINE)
_ENTRY = regex.compile(r'^[ \t]+[^\s:#][^:\r\n]*:[ \t]+(?P<value>[^\r\n\0]+?)[ \t]*\r?$', regex.MULTILINE)
# In an environment; where the name comes first, it is found by that.
_HEADER_NAME = re.compile(r'[A-Za-z][\w.-]{1,60}')
_WORD = re.compile(r'[a-z_]+|[A-Z_]+|(?:[A-Z][a-z]+)+|\w+ ?\(\d+\)|[^-]*\s[^-]*')
_TWO = regex.compile(  # no call of a function, but of those that take a name and its value
    r'(?:(?<![\w\])])|(?<=\b(?:define|set|put|add|append|header|set_?env|set_?(?:request_?)?header|set_?property)(?=\()))'
    r'[\[(]\s*b?\\?(?P<quote>["\'])(?P<name>[A-Za-z][\w.-]{1,60})\\?(?P=quote)\s*,'
    r'\s*b?\\?(?P<mark>["\'])(?P<value>[^"\'\\\n]{4,8000})\\?(?P=mark)\s*[\])]'
)
_VALUE_FIRST = regex.compile(
    r'^[ \t]*-[ \t]+value:[ \t]+(?P<quote>["\']?)(?P<value>[^\s"\'|>{\[][^\r\n\0]*+)\r?\n'
    r'[ \t]+name:[ \t]+["\']?(?P<name>[\w.\-]{1,100})["\']?[ \t]*\r?$',
    regex.MULTILINE,
)
_FLOW_SECRET = re.compile(r'kind:[ \t]*["\']?Secret\b')
_FLOW_DATA = re.compile(r'\b(?:data|stringData):[ \t]*\{([^{}\0]*)')
_FLOW_ENTRY = re.compile(r'[\w.\-]+["\']?:[ \t]+["\']?([^\s,"\']+)')
_BLOCK = regex.compile(r'^[|>][+\-]?\d?$')

SECRET_KINDS = ('Secret', 'SecretList')
KUBERNETES: str = 'KUBERNETES_SECRET'


def kind_of_pair(name: str, value: str) -> Kind | None:
    """The kind of the secret that a value is behind a name in a list of two; none for columns with their types."""
    if not _HEADER_NAME.fullmatch(name) or '[MASKED_' in value or secret_names.is_placeholder(value):
        return None
    kind = secret_names.kind_of(name)
    is_word = (
        '=' not in value if kind == 'COOKIE' else _WORD.fullmatch(value) and kind != 'AUTHORIZATION' and '-' not in name
    )
    return None if is_word or kind is None or secret_names.is_version(kind, value) else kind


def find_in_pairs(text: str, _lower: str) -> Iterator[Finding]:
    """Find the secrets in lists of two, `["X-Api-Key", "…"]`, as programs write headers."""
    for pair in _TWO.finditer(text):
        if kind := kind_of_pair(pair['name'], pair['value']):
            yield Finding(*pair.span('value'), kind)


def find_in_yaml(text: str, _lower: str) -> Iterator[Finding]:
    """Find the values of `data` and `stringData` in the Secrets of a YAML text, and those before their name."""
    for pair in _VALUE_FIRST.finditer(text) if '- value:' in text else ():
        kind = secret_names.kind_of(pair['name'])
        value = pair['value'].rstrip().removesuffix(pair['quote'])
        if kind and not secret_names.is_placeholder(value):
            yield Finding(pair.start('value'), pair.start('value') + len(value), kind)
    if not _FLOW_SECRET.search(text):
        return
    ends = [match.start() for match in _PARTS.finditer(text)] + [len(text)]
    start = 0
    for end in ends:
        if secret := _SECRET_YAML.search(text, start, end):
            for data in _DATA_YAML.finditer(text, start, end):
                if len(data['indent']) == len(secret['indent']):
                    yield from _entries(text, len(data['indent']), data.end())
        for data in _FLOW_DATA.finditer(text, start, end) if _FLOW_SECRET.search(text, start, end) else ():
            for entry in _FLOW_ENTRY.finditer(text, *data.span(1)):
                yield Finding(*entry.span(1), KUBERNETES)
        start = end


def _entries(text: str, indent: int, line_end: int) -> Iterator[Finding]:
    end = block_end(text, indent, line_end)
    at = line_end
    while entry := _ENTRY.search(text, at, end):
        at = entry.end()
        if _BLOCK.match(entry['value']):
            line = entry[0]
            at = block_end(text, len(line) - len(line.lstrip()), entry.end())
            yield Finding(entry.end('value'), at, KUBERNETES)
        elif entry['value'] not in ('""', "''", '{}', 'null'):
            yield Finding(*entry.span('value'), KUBERNETES)
