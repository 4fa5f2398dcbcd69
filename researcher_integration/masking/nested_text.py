"""Secrets that the structure of a text shows: of JSON, whole or cut off, of YAML, and of what stands under one name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, cast

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import END, MASK, Finding, line_end, lines_below
from researcher_integration.masking.tables import Columns, columns_of, has_type, is_secret_cell

KUBERNETES = 'KUBERNETES_SECRET'

MAX_NESTED = 100
"""Objects and lists in each other; what is deeper counts as lying side by side."""

_OPENS = re.compile(r'(?:\A|\0\n?)\s*(?=[{\[]\s*["{\[])')
_TOKEN = re.compile(
    r'(?P<text>"(?>(?:[^"\\\0]++|\\.)*)(?:"|\\?\Z|(?=\0)))(?P<colon>\s*:)?|[{}\[\]\0]|[^\s{}\[\],:"\0]++', re.DOTALL
)
# The same as programs, TOML and YAML write it, with names that have no quotes.
_LOOSE_TOKEN = re.compile(
    r'(?P<text>"(?>(?:[^"\\\0\n]++|\\.)*)"|\'(?>(?:[^\'\\\0\n]++|\\.)*)\'|[\w.\-$]++(?=[ \t]*(?:=>?|:[ \t\n])))'
    r'(?P<colon>[ \t]*(?:=>?|:))?|[{}\[\]()\0]|[^\s{}\[\](),"\'\0]++'
)
_CLOSES = {'{': '}', '[': ']', '(': ')'}
_SCALAR = re.compile(r'"|-?\d|(?:true|false|null|None|True|False|NaN|-?Infinity)$|MASKED_')
_IS_SECRET = re.compile(r'"kind"\s*:\s*"Secret')
# In a manifest of YAML: what was applied last, in JSON.
_SECRET_LINE = re.compile(r'^[ \t]+(?=\{[^\r\n\0]*"kind"[ ]?:[ ]?"Secret)', re.MULTILINE)

_SECRET_YAML = re.compile(r'\bkind:[ \t]*["\']?Secret(?:List)?\b')
_PARTS = re.compile(r'^---|\0', re.MULTILINE)
_YAML_LINE = re.compile(
    r'(?P<indent>[ \t]*)(?P<items>(?:-[ \t]+)*)'
    r'(?:(?P<quote>["\']?)(?P<key>[^\s"\'#:{}\[\]>|][^:\r\n\0]{0,200}?)(?P=quote)'
    r'[ \t]*:(?=[ \t\r\n\0]|\Z))?[ \t]*(?P<value>[^\r\n\0]*)'
)
_YAML_SCALAR = re.compile(
    r'"(?P<double>(?>(?:[^"\\]++|\\.)*))"|\'(?P<single>(?>(?:[^\']++|\'\')*))\'|(?P<bare>.*?)(?=[ \t]+#|[ \t]*$)'
)
BLOCK = re.compile(r'(?:![\w!]{1,20}[ \t]+)?[|>][+\-]?\d?[ \t]*(?:#[^\r\n]*)?$')

_VALUES = frozenset({'value', 'values', 'instances'})
"""Fields of an object with a name, which is that of a secret where the name says so."""

_SAID_ABOUT = ('name', 'pattern', 'uri', 'url', 'arn', 'integrity', 'checksum', 'fingerprint', 'host', 'port', '_at')
"""Ends of other names of what is said about a secret."""

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


def find_in_yaml(text: str, _lower: str) -> Iterator[Finding]:
    """Find the values of `data` and `stringData` in the Secrets of a YAML text."""
    if 'kind:' not in text or not _SECRET_YAML.search(text):
        return
    start = 0
    for end in [*(match.start() for match in _PARTS.finditer(text)), len(text)]:
        if _SECRET_YAML.search(text, start, end):
            yield from (found for found in _found(_yaml(text, start, end)) if found.kind == KUBERNETES)
        start = end + (text[end : end + 1] == END)


def find_under(text: str, name: str, opening: int, limit: int) -> tuple[list[Finding], int]:
    """Find secrets under a name, in brackets or in lines up to a limit; returns up to where it was read, too."""
    end = min(limit, opening + 20_000)  # characters that are read under one name
    if text[opening : opening + 1] in _CLOSES:
        top: dict[str, Any] = {}
        read = _read(text, opening, end, top, name)
        return [*_found(top)], end if read is None else read
    return [*_found({name: _yaml(text, opening, end)})], end


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
    is_about = low.replace('_', '') in secret_names.REFERENCES or (
        place.kind != KUBERNETES and (low.endswith(_SAID_ABOUT) or secret_names.harmless(key))
    )
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
    return columns_of(texts) if 1 < len(texts) == len(items) and not has_type(texts) else None


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
    top: list[Any] = []
    document = _read(text, start, end, top)
    if document is not None and _IS_SECRET.search(text, document, end):  # no quote tells where a value ends
        top.insert(0, {'kind': 'Secret', 'data': {'': _Located.at(text[document:end], document)}})
    return top


def _read(text: str, start: int, end: int, top: _Container, name: str | None = None) -> int | None:
    """Read into a container what stands in brackets: all of JSON, or, given its name, what opens there in any language.

    Returns where an object of JSON begins that is broken; where the brackets close that open under a name.
    """
    loose = name is not None
    key = name or ''
    opens = '{[(' if loose else '{['
    stack = [top]
    document = start
    for token in (_LOOSE_TOKEN if loose else _TOKEN).finditer(text, start, end):
        word = token[0]
        if token['colon']:
            key = token['text'].strip('"\'')
        elif word in opens:
            document = token.start() if len(stack) == 1 else document
            new: _Container = {} if word == '{' else []
            if len(stack) < MAX_NESTED:
                _put(stack[-1], key, new)
            stack.append(new if len(stack) < MAX_NESTED else stack[-1])
            key = ''
        elif word in ('}', ']', ')'):
            if len(stack) > 1:
                stack.pop()
            if loose and len(stack) == 1:
                return token.end()
        elif word == END:
            break
        elif not loose and len(stack) > 1 and not _SCALAR.match(word):
            return document
        else:
            quoted = word[0] in '"\'' if loose else word[0] == '"'
            content = word[1 : -1 if len(word) > 1 and word.endswith(word[0]) else None] if quoted else word
            is_number = word[:1] in '-0123456789'
            at = token.start() + quoted
            value = _Located.at(content, at, bare=not quoted and not loose) if quoted or is_number or loose else None
            _put(stack[-1], key, value)
            key = ''
    return None


def _put(container: _Container, key: str, value: object) -> None:
    if isinstance(container, list):
        container.append(value)
    elif key in container:  # twice in one object
        cast('list[Any]', container.setdefault(END, [])).append({key: value})
    else:
        container[key] = value


@dataclass(slots=True)
class _Level:
    """A mapping or a list of YAML, with the column that its keys or dashes stand in."""

    column: int
    container: _Container
    key: str = ''


def _yaml(text: str, start: int, end: int) -> dict[str, Any]:
    """Read lines as YAML; whatever they are, each has its place by its indent."""
    levels = [_Level(-1, {})]
    root = cast('dict[str, Any]', levels[0].container)
    at = start
    while at < end:
        line = _YAML_LINE.match(text, at, end)
        if line is None:
            break
        at = line.end() + (2 if text.startswith('\r\n', line.end()) else 1)
        column, key, value = len(line['indent']), line['key'], line['value'].rstrip()
        if not (key or value) or (not key and value.startswith('#')):
            continue
        for dash in re.finditer('-[ \t]+', line['items']):
            _open(levels, column + dash.start(), [])
        column += len(line['items'])
        if key:
            _open(levels, column, {})
            levels[-1].key = key
        elif not line['items']:
            while len(levels) > 1 and levels[-1].column >= column:
                levels.pop()
        begin = line.start('value')
        if BLOCK.match(value):
            at = block_end(text, len(line['indent']), line.end())
            _put(levels[-1].container, levels[-1].key, _Located.at(text[begin:at], begin))
            at += 2 if text.startswith('\r\n', at) else 1
        elif value.startswith(('{', '[')):
            _read(text, begin, end, levels[-1].container, levels[-1].key)
        elif value and (scalar := _YAML_SCALAR.match(value)):
            group = scalar.lastgroup or 'bare'
            located = _Located.at(scalar[group], begin + scalar.start(group))
            _put(levels[-1].container, levels[-1].key, located if located not in ('{}', 'null') else None)
    return root


def _open(levels: list[_Level], column: int, new: _Container) -> None:
    """Go on in the mapping or list of that column, or begin the new one within what is open."""
    is_list = isinstance(new, list)
    while levels[-1].column > column or (
        levels[-1].column == column and isinstance(levels[-1].container, list) and not is_list
    ):
        levels.pop()
    if levels[-1].column < column or (is_list and not isinstance(levels[-1].container, list)):
        _put(levels[-1].container, levels[-1].key, new)
        levels.append(_Level(column, new))


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
