"""Secrets that only the structure of a text shows: in JSON under their names, and in manifests of Kubernetes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import regex

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import END, Finding
from researcher_integration.masking.keyed import block_end
from researcher_integration.masking.secret_names import Kind
from researcher_integration.masking.tables import Columns, columns_of, has_type, is_secret_cell

_OPENS = regex.compile(r'(?:\A|\0\n?)\s*(?=[{\[]\s*["{\[])')
_TOKEN = re.compile(
    r'(?P<text>"(?>(?:[^"\\\0]++|\\.)*)(?:"|\\?\Z|(?=\0)))(?P<colon>\s*:)?|[{}\[\]\0]|[^\s{}\[\],:"\0]++', re.DOTALL
)
# What only the structure tells: the rest is found by the names beside it.
_WORTH = re.compile(
    r'"kind"\s*:\s*"secret|"value"\s*:'
    r'|(?P<name>[\w.\- ]{0,40}(?:secret|token|key|pass|pwd|creds?|credential)\w{0,8})"\s*(?::\s*[{\[]|[,\]}])'
)

_SECRET_YAML = regex.compile(r'^(?P<indent>[ \t]*(?:- )?)kind:[ \t]*["\']?Secret["\']?[ \t]*\r?$', regex.MULTILINE)
_PARTS = regex.compile(r'^(?:---|- |\0)', regex.MULTILINE)
_DATA_YAML = regex.compile(r'^(?P<indent>[ \t]*(?:- )?)(?:data|stringData):[ \t]*\r?$', regex.MULTILINE)
_ENTRY = regex.compile(r'^[ \t]+[^\s:#][^:\r\n]*:[ \t]+(?P<value>[^\r\n\0]+?)[ \t]*\r?$', regex.MULTILINE)
# In an environment; where the name comes first, it is found by that.
_HEADER_NAME = re.compile(r'[A-Za-z][\w.-]{1,60}')
_WORD = re.compile(r'[a-z_]+|[A-Z_]+|[A-Z][a-z]+|\w+ ?\(\d+\)|[^-]*\s[^-]*')
_TWO = regex.compile(  # no call of a function
    r'(?<![\w\])])[\[(]\s*b?\\?(?P<quote>["\'])(?P<name>[A-Za-z][\w.-]{1,60})\\?(?P=quote)\s*,'
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

_NAMES = ('name', 'key')
_DATA = ('data', 'stringData')
SECRET_KINDS = ('Secret', 'SecretList')
_SCALAR = re.compile(r'"|-?\d|(?:true|false|null|None|True|False|NaN|-?Infinity)$|MASKED_')
_IS_SECRET = re.compile(r'"kind"\s*:\s*"Secret')
_LITERALS = ('true', 'false', 'null')
KUBERNETES: str = 'KUBERNETES_SECRET'


@dataclass(slots=True)
class _Open:
    """An object or a list that is not closed yet."""

    in_object: bool
    secret: Kind | None = None
    """What its values are by the name above them."""
    is_data: bool = False
    """Whether it is the `data` of something that may be a Secret."""
    key: str | None = None
    name: str = ''
    """Of `{name: …, value: …}`."""
    value: Finding | None = None
    kind: str = ''
    data: list[Finding] = field(default_factory=list[Finding])
    """Of it, should it be a Secret."""
    size: int = 0
    """Of a list: how many things are in it."""
    names: list[str] = field(default_factory=list[str])
    """Of a list: its texts, and the names of the objects in it."""
    columns: Columns = field(default_factory=dict[int, Kind])
    """Of those that the rows in a list have, or in the lists of an object."""
    width: int = 0
    row: list[Finding] = field(default_factory=list[Finding])
    """What is a secret, should the list be a row of these columns."""


def find_in_json(text: str, lower: str) -> Iterator[Finding]:
    """Find values by the names over them, and those of a Secret, in texts that begin as JSON does."""
    if (END not in text and text.lstrip()[:1] not in ('{', '[')) or not _is_worth_it(text, lower):
        return
    for opening in _OPENS.finditer(text):
        yield from _scan(text, opening.end())


def _is_worth_it(text: str, lower: str) -> bool:
    names = (match.span('name') for match in _WORTH.finditer(lower))
    return any(start < 0 or secret_names.kind_of(text[start:end]) for start, end in names)


def _scan(text: str, start: int) -> Iterator[Finding]:
    stack = [_Open(in_object=False)]
    document = start
    for token in _TOKEN.finditer(text, start):
        word = token[0]
        top = stack[-1]
        if token['colon']:
            top.key = token['text'].strip('"')
        elif word in ('{', '['):
            document = token.start() if len(stack) == 1 else document
            stack.append(_opened(word, top))
            top.key = None
        elif word in ('}', ']'):
            if len(stack) > 1:
                stack.pop()
                yield from _close(top, stack[-1])
                yield from _close_list(top, stack[-1], text)
        elif word == END:
            break
        elif len(stack) > 1 and not _SCALAR.match(word) and (secret := _broken_secret(text, document)):
            yield secret
            return
        else:
            yield from _scalar(token, top)
            top.key = None
    while len(stack) > 1:  # cut off
        top = stack.pop()
        yield from _close(top, stack[-1])


def _broken_secret(text: str, start: int) -> Finding | None:
    """A Secret that is no JSON, up to the end of its string: in it no quote tells where a value ends."""
    end = text.find(END, start)
    end = end if end >= 0 else len(text)
    return Finding(start, end, KUBERNETES) if _IS_SECRET.search(text, start, end) else None


def _opened(word: str, parent: _Open) -> _Open:
    key = parent.key or ''
    inherited = parent.secret if key.lower().replace('_', '') not in secret_names.REFERENCES else None
    parent.size += 1
    own = None if '/' in key else secret_names.kind_of(key)  # a path ends with the name of a thing, such as a package
    return _Open(
        in_object=word == '{',
        secret=own or inherited if parent.in_object else parent.secret,
        is_data=word == '{' and key in _DATA,
        columns=parent.columns if word == '[' else {},
        width=parent.width,
    )


@lru_cache(maxsize=1024)
def _says_nothing(key: str) -> bool:
    return key.lower() not in (*_NAMES, 'value', 'kind') and secret_names.kind_of(key) is None


def _scalar(token: re.Match[str], top: _Open) -> Iterator[Finding]:
    if top.in_object and not (top.secret or top.is_data) and _says_nothing(top.key or ''):
        return
    word = token[0]
    quoted = word.startswith('"')
    closed = quoted and len(word) > 1 and word.endswith('"')
    content = word[1 : -1 if closed else None] if quoted else word
    if not content or word in _LITERALS:
        top.size += 1
        return
    start = token.start() + quoted
    top.size += 1
    if quoted and not top.in_object:
        top.names.append(content)
    key = top.key or ''

    def found(kind: str) -> Finding:
        return Finding(start, start + len(content), kind, not quoted)

    if key in _NAMES:
        top.name = content
    elif key.lower() == 'value':
        top.value = found('SECRET')
    elif key == 'kind':
        top.kind = content
    command = 'cookie' in key and ' ' in content and '=' not in content  # `"test:cookies": "run all"`
    kind = secret_names.kind_of(key) if key and not command else None
    if kind is None and top.secret and key.lower().replace('_', '') not in secret_names.REFERENCES:
        kind = top.secret
    number = not quoted and content[:1] in '-0123456789'
    counted = (number and secret_names.is_count(key, content)) or secret_names.is_version(kind, content)
    if kind and not counted:
        yield found(kind)
    if top.is_data:
        top.data.append(found(KUBERNETES))
    if column := top.columns.get(top.size - 1):
        top.row.append(found(column))


def _close(closed: _Open, parent: _Open) -> Iterator[Finding]:
    kind = secret_names.kind_of(closed.name) if closed.name else None
    if closed.value and kind:
        yield Finding(closed.value.start, closed.value.end, kind, closed.value.bare)
    if closed.kind in SECRET_KINDS:
        yield from closed.data
    elif not closed.kind:
        parent.data += closed.data
    if closed.in_object and closed.name and not parent.in_object:
        parent.names.append(closed.name)


def _close_list(closed: _Open, parent: _Open, text: str) -> Iterator[Finding]:
    """Find the secrets in a row; or keep the columns, of which the rows come next."""
    if closed.in_object:
        return
    if has_type(closed.names):
        return  # a column, and what is said of it
    if not parent.in_object and closed.size == closed.width:
        yield from (each for each in closed.row if is_secret_cell(text[each.start : each.end], each.kind, certain=True))
    elif len(closed.names) == closed.size > 1 and (columns := columns_of(closed.names)):
        parent.columns, parent.width = columns, closed.size


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
