"""Secrets that the structure of a text shows: of JSON, whole or cut off, of manifests of YAML, of what a name holds."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import END, MASK, Finding, line_end, lines_below
from researcher_integration.masking.tables import Columns, columns_of, is_secret_cell

KUBERNETES = 'KUBERNETES_SECRET'

MAX_NESTED = 100
"""Objects and lists in each other; what is deeper counts as lying side by side."""

_OPENS = re.compile(r'(?:\A|\0\n?)\s*(?=[{\[]\s*["{\[])')
_TOKEN = re.compile(
    r'(?P<text>"(?>(?:[^"\\\0]++|\\.)*)(?:"|\\?\Z|(?=\0)))(?P<colon>\s*:)?|[{}\[\]\0]|[^\s{}\[\],:"\0]++', re.DOTALL
)
_SCALAR = re.compile(r'"|-?\d|(?:true|false|null|None|True|False|NaN|-?Infinity)$|MASKED_')
_IS_SECRET = re.compile(r'"kind"\s*:\s*"Secret')
# In a manifest of YAML: what was applied last, in JSON.
_SECRET_LINE = re.compile(r'^[ \t]+(?=\{[^\r\n\0]*"kind"[ ]?:[ ]?"Secret)', re.MULTILINE)

_SECRET_YAML = re.compile(r'\bkind:[ \t]*["\']?Secret(?:List)?\b')
_YAML_KEY = re.compile(
    r'^(?P<indent>[ \t]*(?P<items>(?:-[ \t]+)*))(?P<quote>["\']?)(?P<key>[\w$][^\s"\':]{0,200})(?P=quote):(?:[ \t]+|$)'
    r'(?P<value>[^\r\n\0]*)|^---|\0',
    re.MULTILINE,
)
_YAML_SCALAR = re.compile(
    r'"(?P<double>(?>(?:[^"\\]++|\\.)*))"|\'(?P<single>(?>(?:[^\']++|\'\')*))\'|(?P<bare>.*?)(?=[ \t]+#|[ \t]*$)'
)
_FLOW_DATA = re.compile(r'\{[^\r\n\0]{0,200}\bkind:[ ]*Secret\b[^\r\n\0]{0,200}\b(?:data|stringData):[ ]*(?=\{)')
BLOCK = re.compile(r'(?:![\w!]{1,20}[ \t]+)?[|>][+\-]?\d?[ \t]*(?:#[^\r\n]*)?$')

_QUOTED = r'"(?P<double>(?>(?:[^"\\\0\n]++|\\.)*))"|\'(?P<single>(?>(?:[^\'\\\0\n]++|\\.)*))\''
_BRACKET = re.compile(rf'{_QUOTED}|[{{}}\[\]()\0]')
# A value of an object or a list as JSON, YAML, TOML or a program write it; what follows it ends it.
_ITEM = re.compile(
    r'(?:(?<![\w.\-$])(?P<key>[\w.\-$]++)["\']?[ \t]*(?:=>?|:)[ \t]*|[\[{(,][ \t\r\n]*|^[ \t]*(?:-[ \t]+)?)'
    rf'(?:{_QUOTED}|(?P<bare>[^\s{{}}\[\](),"\'\0]++))(?=[ \t]*(?:[,;}}\])\r\n\0#]|\Z))',
    re.MULTILINE,
)

_VALUES = frozenset({'value', 'values', 'instances'})
"""Fields of an object with a name, which is that of a secret where the name says so."""

_HEADERS = re.compile(r'headers?$', re.IGNORECASE)
"""The name of a list in which names and values take turns."""

_Container = dict[str, Any] | list[Any]


class _Located(str):
    """A string or a number of a text, with where it stands."""

    __slots__ = ('bare', 'start')
    start: int
    bare: bool

    @classmethod
    def at(cls, text: str, start: int, *, bare: bool = False) -> Self:
        found = cls(text)
        found.start, found.bare = start, bare
        return found


@dataclass(frozen=True, slots=True)
class _Place:
    """What is known of a value by where it stands."""

    kind: str | None = None
    """Of the secret that it is; none if it may hold any."""
    name: str = ''
    """The one it has, or what holds it."""
    in_secret: bool = False
    """Within a Secret of Kubernetes, whose `data` is secret whatever its names."""
    generated: bool = False
    """Whether only a text that looks random is one: below `tokens`, which most programs count."""
    columns: Columns | None = None
    """Which cells of rows are secrets, where a list of columns stands before them."""
    in_list: bool = False

    def is_secret(self, value: _Located) -> bool:
        """Return whether a value is the secret that its place says: no count, no version, nothing masked."""
        if value.bare and self.kind != KUBERNETES and secret_names.is_count(self.name, value):
            return False
        if MASK.fullmatch(value) or (self.generated and not secret_names.is_generated(value)):
            return False
        return self.kind is not None and not secret_names.is_none(self.kind, value, self.name)


_NOWHERE = _Place()


def find_in_json(text: str, lower: str) -> Iterator[Finding]:
    """Find values by the names over them, and those of a Secret, in strings and lines that begin as JSON does."""
    for opening in _OPENS.finditer(text):
        at = opening.end()
        end = text.find(END, at)
        end = end if end >= 0 else len(text)
        if secret_names.may_name(lower, at, end):
            yield from _found(_json(text, at, end))
    for line in _SECRET_LINE.finditer(text) if '"Secret' in text else ():
        yield from _found(_json(text, line.end(), line_end(text, line.end())))


@dataclass(slots=True)
class _Manifest:
    """A mapping of YAML whose keys stand in one column."""

    column: int
    kind: str = ''
    values: list[Finding] = field(default_factory=list[Finding])


def find_in_yaml(text: str, _lower: str) -> Iterator[Finding]:
    """Find the values of `data` and `stringData` in the Secrets of a YAML text."""
    if 'kind:' not in text or not _SECRET_YAML.search(text):
        return
    for data in _FLOW_DATA.finditer(text):
        yield from (Finding(*span, KUBERNETES) for _, span in values_under(text, data.end(), len(text))[0])
    manifests = [_Manifest(-1)]
    done = 0
    for line in _YAML_KEY.finditer(text):
        if line.start() < done:
            continue
        column = len(line['indent'] or '') if line['key'] else -1
        while len(manifests) > 1 and manifests[-1].column >= column + (not line['items']):
            yield from _closed(manifests)
        if manifests[-1].column < column:
            manifests.append(_Manifest(column))
        if line['key'] == 'kind':
            manifests[-1].kind = line['value'].strip(' \t"\'')
        elif line['key'] in ('data', 'stringData'):
            done = block_end(text, column, line.end())
            manifests[-1].values += _values_of(text, line, done)
    while len(manifests) > 1:
        yield from _closed(manifests)


def _closed(manifests: list[_Manifest]) -> Sequence[Finding]:
    """The secrets of a mapping that has ended; those of one without a kind belong to what it stands in."""
    ended = manifests.pop()
    if ended.kind:
        return ended.values if ended.kind in ('Secret', 'SecretList') else ()
    manifests[-1].values += ended.values
    return ()


def _values_of(text: str, above: re.Match[str], end: int) -> Iterator[Finding]:
    """All values in the lines below a key of YAML, or in brackets beside it."""
    if text.startswith('{', above.start('value')):
        yield from (Finding(*span, KUBERNETES) for _, span in values_under(text, above.start('value'), end)[0])
    done = above.end()
    for line in _YAML_KEY.finditer(text, above.end(), end):
        if line.start() < done or not line['key']:
            continue
        start, value = line.start('value'), line['value'].rstrip()
        if BLOCK.match(value):
            done = block_end(text, len(line['indent']), line.end())
            yield Finding(start, done, KUBERNETES)
        elif scalar := _YAML_SCALAR.match(value):
            span = scalar.span(scalar.lastgroup or 0)
            if not secret_names.is_none(KUBERNETES, value[slice(*span)], line['key']):
                yield Finding(start + span[0], start + span[1], KUBERNETES)


def values_under(text: str, start: int, limit: int) -> tuple[list[tuple[str, tuple[int, int]]], int]:
    """Where the values stand in brackets, or in lines up to a limit, with their keys; and up to where it was read."""
    end = min(limit, start + 20_000)  # characters that are read under one name
    depth = 0
    for bracket in _BRACKET.finditer(text, start, end) if text[start : start + 1] in ('{', '[', '(') else ():
        depth += (bracket[0] in ('{', '[', '(')) - (bracket[0] in ('}', ']', ')'))
        if depth == 0 or bracket[0] == END:
            end = bracket.end()
            break
    found = _ITEM.finditer(text, start, end)
    return [(item['key'] or '', item.span(item.lastgroup or 0)) for item in found], end


def _found(value: object, place: _Place = _NOWHERE) -> Iterator[Finding]:
    """The secrets in what has been read into located strings."""
    if isinstance(value, _Located):
        if place.kind and place.is_secret(value):
            yield Finding(value.start, value.start + len(value), place.kind, value.bare)
    elif isinstance(value, dict):
        for item, below in _in_object(cast('dict[str, object]', value), place):
            yield from _found(item, below)
    elif isinstance(value, list):
        items = cast('list[object]', value)
        for item, below in zip(items, _in_list(items, place), strict=True):
            yield from _found(item, below)


def _in_object(fields: Mapping[str, object], place: _Place) -> Iterator[tuple[object, _Place]]:
    """The values of an object, and what is known of them by their names and by each other."""
    in_secret = fields.get('kind') in ('Secret', 'SecretList') or (place.in_secret and 'kind' not in fields)
    names = {key.lower(): item for key, item in fields.items()}
    name = next((item for key in ('name', 'key', 'header') if isinstance(item := names.get(key), str)), '')
    of_value = secret_names.kind_of(name) if name else None
    if 'keyname' in names:
        of_value = 'API_KEY'
    if fields.get('type') == 'random_password':  # in a state of Terraform
        of_value = 'PASSWORD'
    header: Columns | None = None
    for key, item in fields.items():
        kind, generated = _kind_below(key, item, of_value, place)
        if in_secret and key in ('data', 'stringData') and isinstance(item, dict):
            kind = KUBERNETES
        yield item, _Place(kind, key, in_secret, generated, header)
        header = _columns(cast('object', item)) or header


def _kind_below(key: str, item: object, of_value: str | None, place: _Place) -> tuple[str | None, bool]:
    """The kind of secret that a value is, by its name or by what holds it; and whether it must look random."""
    low = key.lower()
    is_value = low in _VALUES
    own = None if '/' in key and isinstance(item, dict) else secret_names.kind_of(key)
    if low == 'key' and isinstance(item, str):  # `"jwt": {"key": "…"}`
        own = secret_names.kind_of(f'{place.name}_key')
    below = None if own or place.kind or isinstance(item, str) else secret_names.kind_over(key)
    if own or below:
        return own or below, own is None
    is_key = low == 'key' and place.kind == 'API_KEY'  # `"api_keys": [{"id": 1, "key": "…"}]`
    is_about = place.kind != KUBERNETES and secret_names.is_about(key)
    inherited = None if is_about and not is_key else place.kind
    kind = inherited or (of_value if is_value else None)
    if kind == place.kind not in ('PASSWORD', KUBERNETES) and isinstance(item, str) and not is_value:
        kind = kind if secret_names.may_be_random(item) else None  # `{"shape": "Token"}`
    # `"token": {"postal_code": "94102"}`
    return kind, place.generated or (kind == place.kind == 'TOKEN' and not is_value)


def _in_list(items: Sequence[object], place: _Place) -> Iterator[_Place]:
    """What is known of the items of a list: they may be a row of a table, the rows under its columns, or pairs."""
    if place.in_list and place.columns:
        row = [item if isinstance(item, str) else '' for item in items]
        kinds: Mapping[int, str] = dict(place.columns.secrets(row))
    else:
        kinds = _paired(items, place.name)
    for at, item in enumerate(items):
        is_row = isinstance(item, list) and place.columns is not None and not place.in_list
        yield replace(place, kind=kinds.get(at, place.kind), in_list=is_row, columns=place.columns if is_row else None)
        if not place.in_list:
            place = replace(place, columns=_columns(cast('object', item)) or place.columns)


def _columns(value: object) -> Columns | None:
    """The columns that are secrets, if a value is a list of columns: names, or objects that have one."""
    items = cast('list[object]', value) if isinstance(value, list) else []
    names = [cast('Mapping[str, object]', each).get('name') if isinstance(each, dict) else each for each in items]
    texts = [name for name in names if isinstance(name, str)]
    return columns_of(texts) if 1 < len(texts) == len(items) else None


def _paired(items: Sequence[object], name: str) -> Mapping[int, str]:
    """The places of values that stand behind the name of a secret, as headers in pairs do, and the kinds of secrets."""
    texts = [item for item in items if isinstance(item, str)]
    if len(texts) < len(items) or (len(items) != 2 and not (len(items) % 2 == 0 and _HEADERS.search(name))):
        return {}
    kinds = [secret_names.kind_of(name) if ' ' not in name else None for name in texts[::2]]
    return {
        2 * at + 1: kind
        for at, (kind, value) in enumerate(zip(kinds, texts[1::2], strict=True))
        if kind and (kind != 'COOKIE' or '=' in value) and is_secret_cell(value, kind, certain=False)
    }


def _json(text: str, start: int, end: int) -> list[Any]:
    """Read JSON, whole or cut off. A broken Secret goes whole: no quote tells where a value ends."""
    top: list[Any] = []
    stack: list[_Container] = [top]
    key, document = '', start
    for token in _TOKEN.finditer(text, start, end):
        word = token[0]
        if token['colon']:
            key = token['text'].strip('"')
        elif word in '{[':
            document = token.start() if len(stack) == 1 else document
            new: _Container = {} if word == '{' else []
            if len(stack) < MAX_NESTED:
                _put(stack[-1], key, new)
            stack.append(new if len(stack) < MAX_NESTED else stack[-1])
            key = ''
        elif word in '}]':
            if len(stack) > 1:
                stack.pop()
        elif word == END:
            break
        elif len(stack) > 1 and not _SCALAR.match(word):
            if _IS_SECRET.search(text, document, end):
                top.insert(0, {'kind': 'Secret', 'data': {'': _Located.at(text[document:end], document)}})
            break
        else:
            quoted = word[0] == '"'
            content = word[1 : -1 if len(word) > 1 and word.endswith('"') else None] if quoted else word
            is_value = quoted or word[0] in '-0123456789'
            value = _Located.at(content, token.start() + quoted, bare=not quoted) if is_value else None
            _put(stack[-1], key, value)
            key = ''
    return top


def _put(container: _Container, key: str, value: object) -> None:
    if isinstance(container, list):
        container.append(value)
    elif key in container:  # twice in one object
        cast('list[Any]', container.setdefault(END, [])).append({key: value})
    else:
        container[key] = value


def block_end(text: str, indent: int, under: int, *, with_items: bool = False) -> int:
    """Where the lines end that stand deeper than the line over them, which has this indent and ends there.

    With items, those of a list may stand as deep as that line.
    """
    end = under
    for start, next_end in lines_below(text, under):
        line = text[start:next_end].lstrip(' \t')
        deep = next_end - start - len(line) + (with_items and line.startswith('- '))
        if line.strip() and deep <= indent:
            break
        end = next_end
    return end
