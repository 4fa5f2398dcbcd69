"""Secrets that the structure of a text shows: rows of JSON, Secrets of Kubernetes, and what stands under one name."""

import json
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import END, Finding, line_end, lines_below
from researcher_integration.masking.tables import Columns, columns_of, is_given

KUBERNETES = 'KUBERNETES_SECRET'

_TOKEN = re.compile(r'"(?P<text>(?>(?:[^"\\\0]++|\\.)*))"(?P<colon>\s*:\s*)?|(?P<sign>[{}\[\]\0])', re.DOTALL)
_IS_SECRET = re.compile(r'"kind"\s*:\s*"Secret(?:List)?"')
_CELL = r'"(?P<text>(?>(?:[^"\\\0]++|\\.)*))"|(?P<bare>[\w.+\-]++)|\{[^{}\0]{0,300}\}'
_ITEM_OF_LIST = re.compile(rf'{_CELL}|\[[^\[\]\0]{{0,300}}\]')
_ANY_CELL = re.sub(r'\?P<\w+>', '?:', _CELL)
_LIST = re.compile(
    rf'(?P<before>(?:[:\[,]\s*)?)(?P<items>\[\s*(?:\[[^\[\]\0]{{0,300}}\]\s*,\s*)?(?:{_ANY_CELL})'
    rf'(?>(?:\s*,\s*(?:{_ANY_CELL}|\[[^\[\]\0]{{0,300}}\]))*)\s*,?\s*\])'
)
_SECRET_YAML = re.compile(r'\bkind:[ \t]*["\']?Secret(?:List)?\b')
_YAML_KEY = re.compile(
    r'^(?P<indent>[ \t]*(?P<items>(?:-[ \t]+)*))(?P<quote>["\']?)(?P<key>[\w$][^\s"\':]{0,200})(?P=quote):(?:[ \t]+|$)'
    r'(?P<value>[^\r\n\0]*)|^(?:---|[ \t]*```)|\0',
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
_KEY = r'[\w.\-$]++)["\']?[ \t]*(?:=>?|:)[ \t]*'
_ITEM = re.compile(
    rf'(?<![\w.\-$])(?P<holder>{_KEY}\s*(?=[\[{{])'
    rf'|(?:(?<![\w.\-$])(?P<key>{_KEY}|(?:(?<![^\s=:,(\[{{])[\[{{(]|,)[ \t\r\n]*|^[ \t]*(?:-[ \t]+)?)'
    rf'(?:{_QUOTED}|(?P<bare>[^\s{{}}\[\](),"\'\0]++)(?<!:))(?=[ \t]*(?:[,;}}\])\r\n\0#]|\Z))',
    re.MULTILINE,
)

_NAMED = re.compile(r'"name"\s*:\s*"(?P<text>[^"\\\0]*)"')
_HEADERS = re.compile(r'headers?"\s*:\s*$', re.IGNORECASE)


def find_in_json(text: str, _lower: str) -> Iterator[Finding]:
    """Find the values of Secrets in JSON."""
    end = 0
    for secret in _IS_SECRET.finditer(text):
        at = secret.start()
        line = max(text.rfind('\n', end, at) + 1, end)
        start = text.find('{', line, at)
        if start < 0:  # on a line of its own, below its bracket
            start = text.find('{', max(text.rfind('\n{', end, at), text.rfind(END, end, at), end), at)
        if at >= end and start >= 0:
            end = yield from _in_secrets(text, start)


def find_in_rows(text: str) -> Iterator[Finding]:
    """Find in lists of JSON the cells of columns that a list before them names, and what follows its name in a list."""
    header: Columns | None = None
    for found in _LIST.finditer(text):
        items = [*_ITEM_OF_LIST.finditer(text, found.start('items') + 1, found.end('items'))]
        row = [item['text'] or '' for item in items]
        kinds = dict[int, str]()
        if header and found['before'][:1] in ('[', ','):
            kinds |= header.secrets(row)
        if _HEADERS.search(text, max(0, found.start() - 20), found.start('items')):
            named = enumerate(zip(row[::2], row[1::2], strict=False))
            kinds |= {2 * at + 1: kind for at, (name, _) in named if (kind := secret_names.kind_of(name))}
        yield from (Finding(*items[at].span(items[at].lastgroup or 0), kind) for at, kind in kinds.items())
        names = [name['text'] for name in _NAMED.finditer(found[0])] or (row if all(row) else [])
        header = (columns_of(names) if len(names) > 1 else None) or header


def _in_secrets(text: str, start: int) -> Generator[Finding, None, int]:
    """The values of Secrets in JSON. A broken one goes whole: no quote tells where a value ends."""
    manifests = [_Manifest(-1)]
    done, end = 0, text.find(END, start)
    end = end if end >= 0 else len(text)
    for token in _TOKEN.finditer(text, start, end):
        if token.start() < done:
            continue
        if token['sign'] == '{':
            manifests.append(_Manifest(0))
        elif token['sign'] == '}' and len(manifests) > 1:
            yield from _closed(manifests)
            if len(manifests) == 1:
                return token.end()
        elif token['colon'] and token['text'] == 'kind':
            value = _TOKEN.match(text, token.end(), end)
            manifests[-1].kind = value['text'] or '' if value else ''
        elif token['colon'] and token['text'] in ('data', 'stringData') and text.startswith('{', token.end()):
            values, done = values_under(text, token.end(), end)
            try:
                json.loads(text[token.end() : done])
            except ValueError:
                yield Finding(start, end, KUBERNETES)
                return end
            quotes = [
                ('' if text[span[0] - 1] == '"' else '"', span) for _, span in values if is_given(text[slice(*span)])
            ]
            manifests[-1].values += [Finding(*span, KUBERNETES, quote) for quote, span in quotes]
    while len(manifests) > 1:
        yield from _closed(manifests)
    return end


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
    done = 0
    for data in _FLOW_DATA.finditer(text):
        if data.end() > done:
            values, done = values_under(text, data.end(), line_end(text, data.end()))
            yield from (Finding(*span, KUBERNETES) for _, span in values)
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
            if manifests[-1].kind:  # of the next one, which nothing parts from it
                yield from _closed(manifests)
                manifests.append(_Manifest(column))
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
    end, depth = limit, 0
    for bracket in _BRACKET.finditer(text, start, end) if text[start : start + 1] in ('{', '[', '(') else ():
        depth += (bracket[0] in ('{', '[', '(')) - (bracket[0] in ('}', ']', ')'))
        if depth == 0 or bracket[0] == END:
            end = bracket.end()
            break
    found, holder = list[tuple[str, tuple[int, int]]](), ''
    for item in _ITEM.finditer(text, start, end):
        holder = item['holder'] or holder
        if not item['holder']:
            found.append((item['key'] or holder, item.span(item.lastgroup or 0)))
    return found, end


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
